use std::path::Path;
use std::time::Instant;

use velo_lab::VerifyOptions;
use velo_record::{ContenderRecord, ContenderState};
use velo_stats::number::waited;

use super::verify::why_not;
use crate::args::BuildArgs;
use crate::progress::Display;
use crate::root::Root;
use crate::select::{self, Unfiltered};
use crate::{exit, out, signals, values};

pub(crate) fn run(args: &BuildArgs, root: Option<&Path>) -> anyhow::Result<u8> {
    if !args.filters.url.is_empty() {
        return Err(exit::usage("--url does nothing here: a server that runs already is not built"));
    }
    let root = Root::read(root, &args.filters.workload)?;
    let names = select::workload_names(&args.workloads, &args.filters.workload);
    let workloads = if names.is_empty() { root.workloads.clone() } else { select::workloads(&root, &names)? };
    let selection = select::contenders(&root, workloads, &args.filters, Unfiltered::NamedFolders)?;
    let stop = signals::stop_saying(signals::BUILDS_ARE_KEPT)?;
    out::talk(&format!("build {}\n", values::count(selection.contenders.len(), "contender")));
    let options = VerifyOptions {
        workloads: selection.workloads,
        contenders: selection.contenders,
        cache_dir: root.cache_dir(),
        log_dir: root.cache_dir().join("logs"),
        // Nothing is asked of a contender that is not started.
        seed: 0,
        faults: false,
    };
    let began = Instant::now();
    let mut display = Display::new();
    let records = velo_lab::build(&options, &mut display, &stop)?;
    display.end();
    // A record names its log as it lies in the folder of a run.
    let logs = options.log_dir.parent().unwrap_or(Path::new("."));
    for record in &records {
        if let Some(why) = why_not(record, logs) {
            out::print(&format!("{}  {why}\n", record.manifest.name))?;
        }
    }
    out::print(&format!("{}, {}\n", summary(&records), waited(began.elapsed())))?;
    if stop.asked() {
        return Ok(exit::INTERRUPTED);
    }
    Ok(if records.iter().any(has_failed) { exit::CHECK_FAILED } else { exit::DONE })
}

fn has_failed(record: &ContenderRecord) -> bool {
    matches!(record.state, ContenderState::Excluded { .. })
}

fn summary(records: &[ContenderRecord]) -> String {
    let count = |is: fn(&ContenderRecord) -> bool| records.iter().filter(|record| is(record)).count();
    let built = count(|record| record.build.as_ref().is_some_and(|build| !build.cached));
    let cached = count(|record| record.build.as_ref().is_some_and(|build| build.cached));
    let failed = count(has_failed);
    let skipped = count(|record| matches!(record.state, ContenderState::Skipped { .. }));
    let rest = records.len() - built - cached - failed - skipped;
    let rest = if rest > 0 { format!(", {rest} not tried") } else { String::new() };
    format!("build: {built} built, {cached} already built, {failed} failed, {skipped} skipped{rest}")
}
