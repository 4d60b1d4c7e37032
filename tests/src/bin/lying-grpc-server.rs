//! A contender of gRPC that lies: `lying-grpc-server LIE [HONEST_CALLS]`, with `HOST` and `PORT` in the environment.

use std::io::{Error, ErrorKind};

use velo_tests::lying_grpc::{Lie, serve};

/// More than the conformance cases ask, so that it passes them and is caught under load or not at all.
const HONEST_CALLS: u64 = 300;

fn main() -> std::io::Result<()> {
    let wrong = |what: String| Error::new(ErrorKind::InvalidInput, what);
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().unwrap_or_else(|| "none".to_owned());
    let lie = Lie::ALL.into_iter().find(|(name, _)| *name == wanted).map(|(_, lie)| lie);
    let lie = lie.ok_or_else(|| wrong(format!("no lie `{wanted}`")))?;
    let honest_calls = match arguments.next() {
        Some(text) => {
            text.parse().map_err(|_| wrong(format!("HONEST_CALLS is `{text}`, expected a number")))?
        }
        None => HONEST_CALLS,
    };
    let variable = |name: &str| std::env::var(name).map_err(|_| wrong(format!("no {name}")));
    serve(&format!("{}:{}", variable("HOST")?, variable("PORT")?), lie, honest_calls)
}
