//! The command lines that a run suggests, made from its own: the program's name first.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use velo_report::shell::{self, quoted, without};

use crate::values;

static LINE: OnceLock<Vec<String>> = OnceLock::new();

/// Keeps the command line that this program follows: as typed, and what a config file added.
pub(crate) fn remember(line: &[OsString]) {
    // Only main says it, once.
    let _ = LINE.set(line.iter().map(|word| word.to_string_lossy().into_owned()).collect());
}

/// That line, the program's name first.
pub(crate) fn command_line() -> &'static [String] {
    LINE.get().map_or(&[], Vec::as_slice)
}

/// The same run again: with its seed, and a new folder.
pub(crate) fn same(args: &[String], seed: u64) -> String {
    let [program, args @ ..] = args else { return String::new() };
    let mut kept = without(args, &["--seed", "--out"], &[]);
    kept.extend(["--seed".to_owned(), seed.to_string()]);
    line(program, &kept)
}

/// What tells more than a run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deeper {
    /// The same question with this budget.
    Budget(Duration),
    /// With this one, to be used whole: without the precision that ended the run.
    Whole(Duration),
    /// With the budget that a run has without `--budget`.
    Usual,
}

/// The line for that.
pub(crate) fn deeper(args: &[String], with: Deeper) -> String {
    let [program, args @ ..] = args else { return String::new() };
    let mut kept = without(args, &["--seed", "--out", "--budget", "--plan"], &["--quick"]);
    let budget = match with {
        Deeper::Usual => return line(program, &kept),
        Deeper::Budget(budget) => budget,
        Deeper::Whole(budget) => {
            kept = without(&kept, &["--precision"], &[]);
            budget
        }
    };
    kept.extend(["--budget".to_owned(), values::shown(budget)]);
    line(program, &kept)
}

/// A path as a person in this folder would type it.
pub(crate) fn shown_path(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let short = here.as_deref().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    short.display().to_string()
}

fn line(program: &str, args: &[String]) -> String {
    shell::line(&self::program(program), args)
}

/// The program as it was called, so that the line works where this one did.
fn program(called: &str) -> String {
    if called.contains('/') { quoted(&shown_path(Path::new(called))) } else { "velo".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_same_run_has_its_seed_and_a_new_folder() {
        assert_eq!(
            same(&args("velo run coin --out here --only go/*"), 7),
            "velo run coin --only 'go/*' --seed 7"
        );
        assert_eq!(same(&args("velo run coin --seed=3 --quick"), 3), "velo run coin --quick --seed 3");
    }

    #[test]
    fn a_deeper_run_has_more_time() {
        let nine = Duration::from_secs(540);
        let more = |line: &str| deeper(&args(line), Deeper::Budget(nine));
        assert_eq!(more("velo run coin --quick"), "velo run coin --budget 9m");
        assert_eq!(more("velo run coin --budget 3m --seed 1"), "velo run coin --budget 9m");
        assert_eq!(more("velo run coin --precision 2%"), "velo run coin --precision 2% --budget 9m");
        let usual = deeper(&args("velo run coin --quick --seed 1"), Deeper::Usual);
        assert_eq!(usual, "velo run coin");
        // Which would end as early as it did.
        let whole = deeper(&args("velo run coin --precision 2% --only x"), Deeper::Whole(nine));
        assert_eq!(whole, "velo run coin --only x --budget 9m");
    }

    #[test]
    fn a_program_called_by_its_path_is_suggested_by_its_path() {
        assert_eq!(same(&args("target/release/velo run coin"), 1), "target/release/velo run coin --seed 1");
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(program(&here.join("a b/velo").display().to_string()), "'a b/velo'");
        assert_eq!(same(&[], 1), "");
    }
}
