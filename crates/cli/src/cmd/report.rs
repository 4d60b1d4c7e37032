use std::path::Path;

use anyhow::Context as _;
use velo_judge::Judgement;
use velo_record::{Run, read_run};
use velo_report::TerminalOptions;

use crate::args::{Format, ReportArgs};
use crate::{out, run_folder};

pub(crate) fn run(args: &ReportArgs) -> anyhow::Result<u8> {
    let dir = &args.dir;
    let run = run_folder::read(dir)?;
    let judgement = velo_judge::judge(&run.file, &run.windows);
    match &args.svg {
        Some(path) if path != Path::new("-") => write_svg(path, &judgement)?,
        Some(_) => out::print(&velo_report::svg(&judgement))?,
        None => out::print(&match args.format {
            Format::Terminal => terminal(&judgement),
            Format::Markdown => velo_report::markdown(&judgement),
            Format::Html => page(&run, &judgement),
            Format::Json => velo_report::json(&judgement),
        })?,
    }
    Ok(super::run::verdict(&judgement))
}

fn write_svg(path: &Path, judgement: &Judgement) -> anyhow::Result<()> {
    std::fs::write(path, velo_report::svg(judgement))
        .with_context(|| format!("--svg {} cannot be written", path.display()))?;
    out::talk(&format!("{} is written\n", path.display()));
    Ok(())
}

/// Judges a run that has just ended, from what it left on disk, and writes the report beside it.
pub(crate) fn write(dir: &Path) -> anyhow::Result<Judgement> {
    let run = read_run(dir)?;
    let judgement = velo_judge::judge(&run.file, &run.windows);
    for (name, text) in [
        ("report.html", page(&run, &judgement)),
        ("report.md", velo_report::markdown(&judgement)),
        ("judgement.json", velo_report::json(&judgement)),
    ] {
        let path = dir.join(name);
        std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(judgement)
}

fn page(run: &Run, judgement: &Judgement) -> String {
    velo_report::page(&run.file, judgement, velo_judge::detail(&run.file, &run.windows))
}

pub(crate) fn terminal(judgement: &Judgement) -> String {
    // Standard output itself drops the colours where they are not wanted.
    velo_report::terminal(judgement, &TerminalOptions { colour: true, ..TerminalOptions::default() })
}
