use std::path::Path;

use anyhow::Context as _;
use velo_judge::{JudgedRun, Judgement};
use velo_record::Run;
use velo_report::{TerminalOptions, Weight};

use crate::args::{Format, ReportArgs};
use crate::{again, exit, out, run_folder};

pub(crate) fn run(args: &ReportArgs) -> anyhow::Result<u8> {
    let run = run_folder::read(&args.run)?;
    let judged = velo_judge::judge_run(&run.file, &run.windows);
    let judgement = &judged.judgement;
    match &args.svg {
        Some(path) if path != Path::new("-") => write_svg(path, judgement)?,
        Some(_) => out::print(&velo_report::svg(judgement))?,
        None => out::print(&match args.format {
            Format::Terminal => terminal(judgement, if args.verbose { Weight::Detail } else { Weight::Main }),
            Format::Markdown => velo_report::markdown(judgement),
            Format::Html => page(&run, &judged),
            Format::Json => velo_report::json(judgement),
        })?,
    }
    Ok(exit::verdict(judgement))
}

fn write_svg(path: &Path, judgement: &Judgement) -> anyhow::Result<()> {
    velo_record::write_whole(path, velo_report::svg(judgement).as_bytes())
        .with_context(|| format!("--svg {} cannot be written", path.display()))?;
    out::talk(&format!("{} is written\n", path.display()));
    Ok(())
}

/// Writes the report of a run into its folder: each file whole, or not at all.
///
/// # Errors
/// When one cannot be written, with what makes it again; the others are tried all the same.
pub(crate) fn write(dir: &Path, run: &Run, judged: &JudgedRun<'_>) -> anyhow::Result<()> {
    let judgement = &judged.judgement;
    let mut written = Ok(());
    for (name, text) in [
        ("report.html", page(run, judged)),
        ("report.md", velo_report::markdown(judgement)),
        ("judgement.json", velo_report::json(judgement)),
    ] {
        let path = dir.join(name);
        let one = velo_record::write_whole(&path, text.as_bytes());
        written = written.and(one.map_err(|error| not_written(dir, &path, &error)));
    }
    written
}

/// A run outlives its report, which can be made of it at any time.
fn not_written(dir: &Path, path: &Path, error: &std::io::Error) -> anyhow::Error {
    let dir = again::shown_path(dir);
    anyhow::anyhow!(
        "{} cannot be written: {error}\n  the measurement is kept in {dir}: `velo report {dir}` prints its report again, \
         `velo report {dir} --format html > report.html` makes the page",
        again::shown_path(path)
    )
}

fn page(run: &Run, judged: &JudgedRun<'_>) -> String {
    velo_report::page(&run.file, &judged.judgement, judged.detail())
}

pub(crate) fn terminal(judgement: &Judgement, down_to: Weight) -> String {
    // Standard output itself drops the colours where they are not wanted.
    velo_report::terminal(judgement, &TerminalOptions { colour: true, down_to, ..TerminalOptions::default() })
}
