//! A run's folder, or its archive, as a command line names it.

use std::path::Path;

use velo_record::{Run, is_archive, read_archive, read_run};

use crate::exit::usage;
use crate::out;

/// Reads a run, and says so when its last window was not written to its end.
pub(crate) fn read(path: &Path) -> anyhow::Result<Run> {
    let run = if is_archive(path) {
        read_archive(path)?
    } else if path.join("run.json").is_file() {
        read_run(path)?
    } else {
        return Err(usage(format!(
            "{}: expected a run's folder, with run.json in it, or an archive of one\n  velo run names it in its last lines",
            shown(path)
        )));
    };
    if run.incomplete_tail {
        out::talk(&format!(
            "note: {}: the last window was not written to its end and is left out\n",
            shown(path)
        ));
    }
    Ok(run)
}

/// A path for people: a name that somebody made up says nothing to the terminal.
pub(crate) fn shown(path: &Path) -> String {
    let shown = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    path.to_string_lossy().chars().map(shown).collect()
}
