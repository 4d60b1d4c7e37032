//! A contender that misbehaves: `scripted-server FAULT`, with `HOST` and `PORT` in the environment.

use std::io::{Error, ErrorKind};

use velo_tests::script::{Fault, serve};

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "none".to_owned());
    let fault = Fault::ALL.into_iter().find(|(name, _)| *name == wanted).map(|(_, fault)| fault);
    let fault = fault.ok_or_else(|| Error::new(ErrorKind::InvalidInput, format!("no fault `{wanted}`")))?;
    let variable =
        |name: &str| std::env::var(name).map_err(|_| Error::new(ErrorKind::InvalidInput, name.to_owned()));
    if fault == Fault::IgnoresSigterm {
        // SAFETY: SIG_IGN is a valid disposition, and no other thread runs yet.
        unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
    }
    serve(&format!("{}:{}", variable("HOST")?, variable("PORT")?), fault)
}
