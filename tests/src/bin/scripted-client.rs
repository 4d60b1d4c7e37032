//! A client that misbehaves: `scripted-client FAULT`, with lines of addresses and files on its standard input.

use std::io::{Error, ErrorKind, stdin, stdout};

use velo_tests::client::{ClientFault, serve};

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "none".to_owned());
    let fault = ClientFault::ALL.into_iter().find(|(name, _)| *name == wanted).map(|(_, fault)| fault);
    let fault = fault.ok_or_else(|| Error::new(ErrorKind::InvalidInput, format!("no fault `{wanted}`")))?;
    serve(stdin().lock(), stdout().lock(), fault)
}
