//! A run's folder as a command line names it.

use std::path::Path;

use velo_record::{Run, read_run};

use crate::exit::usage;
use crate::out;

/// Reads a run, and says so when its last window was not written to its end.
pub(crate) fn read(dir: &Path) -> anyhow::Result<Run> {
    if !dir.join("run.json").is_file() {
        return Err(usage(format!(
            "{}: expected a run's folder, with run.json in it\n  velo run names it in its last lines",
            dir.display()
        )));
    }
    let run = read_run(dir)?;
    if run.incomplete_tail {
        out::talk(&format!(
            "note: {}: the last window was not written to its end and is left out\n",
            dir.display()
        ));
    }
    Ok(run)
}
