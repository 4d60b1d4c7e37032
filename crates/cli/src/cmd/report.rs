use std::path::Path;

use anyhow::Context as _;
use velo_judge::Judgement;
use velo_record::read_run;
use velo_report::TerminalOptions;

use crate::args::{Format, ReportArgs};
use crate::exit::usage;
use crate::out;

pub(crate) fn run(args: &ReportArgs) -> anyhow::Result<u8> {
    let dir = &args.dir;
    if !dir.join("run.json").is_file() {
        return Err(usage(format!(
            "{}: expected a run's folder, with run.json in it\n  velo run names it in its last lines",
            dir.display()
        )));
    }
    let run = read_run(dir)?;
    if run.incomplete_tail {
        out::talk("note: the last window was not written to its end and is left out\n");
    }
    let judgement = velo_judge::judge(&run.file, &run.windows);
    out::print(&match args.format {
        Format::Terminal => terminal(&judgement),
        Format::Markdown => velo_report::markdown(&judgement),
        Format::Json => velo_report::json(&judgement),
    })?;
    Ok(super::run::verdict(&judgement))
}

/// Judges a run that has just ended, from what it left on disk, and writes the report beside it.
pub(crate) fn write(dir: &Path) -> anyhow::Result<Judgement> {
    let run = read_run(dir)?;
    let judgement = velo_judge::judge(&run.file, &run.windows);
    for (name, text) in
        [("report.md", velo_report::markdown(&judgement)), ("judgement.json", velo_report::json(&judgement))]
    {
        let path = dir.join(name);
        std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(judgement)
}

pub(crate) fn terminal(judgement: &Judgement) -> String {
    // Standard output itself drops the colours where they are not wanted.
    velo_report::terminal(judgement, &TerminalOptions { colour: true, ..TerminalOptions::default() })
}
