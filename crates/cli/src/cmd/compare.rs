use std::path::Path;

use anyhow::Context as _;
use velo_judge::compare::{self, Comparison, Condition, JudgedCondition, Snapshot, parse_conditions};
use velo_record::{CostQuestion, Run, is_archive};
use velo_report::{TerminalOptions, comparison};

use crate::args::{CompareArgs, CompareFormat};
use crate::exit::{self, usage};
use crate::{again, out, run_folder};
use velo_request::text as files;

pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<u8> {
    match (args.runs.as_slice(), args.between.as_slice(), &args.save) {
        ([before, after], [], None) => across_time(before, after, args),
        ([run], [_, ..], None) => across_contenders(run, args),
        ([run], [], Some(path)) => save(run, path),
        ([_], [], None) => Err(usage(
            "velo compare needs something to compare with\n  name a second run, or contenders with --between, or a file with --save",
        )),
        (_, [_, ..], _) => {
            Err(usage("--between compares contenders within one run\n  name one run, or leave --between out"))
        }
        (_, [], _) => {
            Err(usage("--save writes the snapshot of one run\n  name one run, or leave --save out"))
        }
    }
}

fn across_time(before: &Path, after: &Path, args: &CompareArgs) -> anyhow::Result<u8> {
    let conditions: Vec<Condition> = match &args.fail_on {
        Some(text) => parse_conditions(text).map_err(|error| usage(format!("--fail-on {error}")))?,
        None => Vec::new(),
    };
    let (before, after) = (snapshot(before)?, snapshot(after)?);
    let compared = compare::runs(&before, &after, &conditions).map_err(|error| usage(error.to_string()))?;
    let is_broken = compared.is_broken();
    let warnings: Vec<String> = compared.undecided().map(undecided).collect();
    print(&Comparison::AcrossTime(compared), args)?;
    // A condition that nothing can be held against must not look like one that was kept.
    warnings.iter().for_each(|warning| out::talk(warning));
    Ok(match (is_broken, warnings.is_empty()) {
        (true, _) => exit::CHECK_FAILED,
        (false, false) if args.strict => exit::UNDECIDED,
        _ => exit::DONE,
    })
}

fn undecided(condition: &JudgedCondition) -> String {
    let cure = match condition.told {
        0 => {
            "there is nothing to hold it against; both runs must be complete, with at least 5 launches and that figure of the same \
             contender"
        }
        _ => "the intervals are too wide to tell; more launches narrow them",
    };
    format!("warning: --fail-on {} is undecided\n  {cure}\n", condition.text)
}

fn across_contenders(dir: &Path, args: &CompareArgs) -> anyhow::Result<u8> {
    let mut run = read(dir, "a snapshot has no pairs of contenders: expected a run's folder")?;
    if args.users.is_some() {
        let cost = run.file.settings.cost.take().unwrap_or_default();
        let asked = CostQuestion { users: args.users, calls_per_user_per_year: args.calls, ..cost };
        run.file.settings.cost = Some(asked);
    }
    let compared = compare::contenders(&run.file, &run.windows, &args.between)
        .map_err(|error| usage(error.to_string()))?;
    print(&Comparison::AcrossContenders(compared), args)?;
    Ok(exit::DONE)
}

fn save(dir: &Path, path: &Path) -> anyhow::Result<u8> {
    let run = read(dir, "it is a snapshot already: expected a run's folder")?;
    let snapshot = Snapshot::of(&run.file, &run.windows);
    velo_record::write_whole(path, snapshot.to_json().as_bytes())
        .with_context(|| format!("--save {} cannot be written", path.display()))?;
    let shown = again::shown_path(path);
    if snapshot.nothing_ranked.is_some() {
        out::talk("note: nothing is ranked in this run, so that no verdict will rest on it\n");
    }
    out::talk(&format!("snapshot: {shown}\n  velo compare {shown} RUN compares a later run with it\n"));
    Ok(exit::DONE)
}

/// A run as its snapshot, or a snapshot's file.
fn snapshot(path: &Path) -> anyhow::Result<Snapshot> {
    if path.is_file() && !is_archive(path) {
        let bytes = files::read(path).map_err(|problem| crate::exit::at(&problem, "velo compare"))?;
        return Snapshot::from_json(&bytes).map_err(|error| usage(format!("{}: {error}", path.display())));
    }
    let run = read(path, "expected a run's folder or a snapshot")?;
    Ok(Snapshot::of(&run.file, &run.windows))
}

/// A run's folder or archive; `not_a_run` says why another file is none.
fn read(path: &Path, not_a_run: &str) -> anyhow::Result<Run> {
    if path.is_file() && !is_archive(path) {
        return Err(usage(format!("{}: {not_a_run}", path.display())));
    }
    run_folder::read(path)
}

fn print(comparison: &Comparison, args: &CompareArgs) -> anyhow::Result<()> {
    out::print(&match args.format.unwrap_or(CompareFormat::Terminal) {
        // Standard output itself drops the colours where they are not wanted.
        CompareFormat::Terminal => {
            comparison::terminal(comparison, &TerminalOptions { colour: true, ..TerminalOptions::default() })
        }
        CompareFormat::Markdown => comparison::markdown(comparison),
        CompareFormat::Json => comparison::json(comparison),
        CompareFormat::Html => comparison::html(comparison),
    })
}
