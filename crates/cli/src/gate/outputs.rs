//! Where the result of a gate goes.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use velo_judge::gate::{GateRun, GateVerdict};
use velo_report::{TerminalOptions, gate};

use super::flags::{GateArgs, GateFormat};
use crate::{exit, out};

/// Prints it, and writes it wherever that was asked for or CI looks for it. All is tried, whatever fails.
///
/// # Errors
/// The first that failed.
pub(crate) fn all(result: &GateRun, args: &GateArgs, defined_in: &Path) -> anyhow::Result<()> {
    let printed = out::print(&match args.format {
        GateFormat::Terminal => {
            // Standard output itself drops the colours where they are not wanted.
            gate::terminal(result, &TerminalOptions { colour: true, ..TerminalOptions::default() })
        }
        GateFormat::Markdown => gate::markdown(result),
        GateFormat::Json => gate::json(result),
    });
    let file = |flag: &str, path: &Option<PathBuf>, text: fn(&GateRun) -> String| {
        let Some(path) = path else { return Ok(()) };
        velo_record::write_whole(path, text(result).as_bytes())
            .with_context(|| format!("{flag} {} cannot be written", path.display()))
    };
    let written = [
        printed,
        file("--json", &args.json, gate::json),
        file("--junit", &args.junit, gate::junit),
        file("--bencher", &args.bencher, gate::bencher),
        file("--github-benchmark", &args.github_benchmark, gate::github_benchmark),
        github(result, defined_in),
    ];
    written.into_iter().collect()
}

/// The job's summary, and annotations where GitHub Actions reads them from what is printed.
fn github(result: &GateRun, defined_in: &Path) -> anyhow::Result<()> {
    if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        // Read from either stream; standard output is the result's.
        out::talk(&gate::annotations(result, &defined_in.to_string_lossy()));
    }
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let file = OpenOptions::new().append(true).create(true).open(&path);
    file.and_then(|mut file| file.write_all(gate::markdown(result).as_bytes()))
        .with_context(|| format!("GITHUB_STEP_SUMMARY: {} cannot be written", path.to_string_lossy()))
}

/// The exit code of a verdict.
pub(crate) fn code(verdict: GateVerdict, is_strict: bool) -> u8 {
    match verdict {
        GateVerdict::Worse | GateVerdict::HeadBroken => exit::CHECK_FAILED,
        GateVerdict::BaseBroken | GateVerdict::Unfit => exit::UNFIT,
        GateVerdict::Undecided if is_strict => exit::UNDECIDED,
        GateVerdict::Interrupted => exit::INTERRUPTED,
        GateVerdict::Undecided
        | GateVerdict::Accepted
        | GateVerdict::New
        | GateVerdict::Better
        | GateVerdict::Within => exit::DONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_head_that_is_worse_or_broken_fails() {
        use GateVerdict::*;
        assert_eq!([Worse, HeadBroken].map(|verdict| code(verdict, false)), [1; 2]);
        assert_eq!([BaseBroken, Unfit].map(|verdict| code(verdict, true)), [3; 2]);
        assert_eq!([false, true].map(|is_strict| code(Undecided, is_strict)), [0, 4]);
        assert_eq!([Accepted, New, Better, Within].map(|verdict| code(verdict, true)), [0; 4]);
        assert_eq!(code(Interrupted, false), 130);
    }
}
