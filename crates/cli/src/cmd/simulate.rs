use std::path::Path;

use anyhow::Context as _;
use velo_judge::simulation::{SimulationOptions, SimulationReport, simulate};

use crate::args::SimulateArgs;
use crate::{exit, out};

pub(crate) fn run(args: &SimulateArgs) -> anyhow::Result<u8> {
    let report = simulate(&SimulationOptions { runs: args.runs, seed: args.seed });
    let printed = out::print(&velo_report::simulation(&report));
    if let Some(path) = &args.json {
        write(path, &report)?;
    }
    printed?;
    Ok(if report.broken().next().is_some() { exit::CHECK_FAILED } else { exit::DONE })
}

fn write(path: &Path, report: &SimulationReport) -> anyhow::Result<()> {
    let text = format!("{}\n", serde_json::to_string_pretty(report)?);
    velo_record::write_whole(path, text.as_bytes())
        .with_context(|| format!("--json {} cannot be written", path.display()))
}
