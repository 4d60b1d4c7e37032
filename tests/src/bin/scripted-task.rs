//! A contender without a server that misbehaves: `scripted-task FAULT`, with `DATA_DIR` in the environment.

use std::io::{Error, ErrorKind, stdin, stdout};
use std::process::ExitCode;

use velo_tests::task::{TaskFault, work};

fn main() -> std::io::Result<ExitCode> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "none".to_owned());
    let fault = TaskFault::ALL.into_iter().find(|(name, _)| *name == wanted).map(|(_, fault)| fault);
    let fault = fault.ok_or_else(|| Error::new(ErrorKind::InvalidInput, format!("no fault `{wanted}`")))?;
    work(stdin().lock(), stdout().lock(), fault).map(ExitCode::from)
}
