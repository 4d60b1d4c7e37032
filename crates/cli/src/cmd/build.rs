use std::path::Path;
use std::time::Instant;

use velo_record::ContenderRecord;
use velo_stats::number::waited;

use super::verify::{code, rest, why_not};
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
    // Nothing is asked of a contender that is not started, so that the seed is nobody's.
    let options = selection.into_options(&root, 0, false);
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
    Ok(code(&records, &stop))
}

fn summary(records: &[ContenderRecord]) -> String {
    let done: Vec<bool> = records.iter().filter_map(|record| Some(record.build.as_ref()?.cached)).collect();
    let cached = done.iter().filter(|cached| **cached).count();
    let rest = rest(records, done.len());
    format!("build: {} built, {cached} already built, {rest}", done.len() - cached)
}
