//! Results go to standard output, talk to standard error.

use std::io::{self, IsTerminal as _, Write};

/// Writes a result. A reader that has gone away (`velo list | head -1`) is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Says something that is no result.
pub(crate) fn talk(text: &str) {
    // Nobody can be told that nobody can be told.
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Whether standard error is a terminal on which a line can be drawn again.
pub(crate) fn talks_to_terminal() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
