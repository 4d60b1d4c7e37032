//! A contender that speaks what it is told: `speaking-server SPEECH`, with the contender's environment.

use std::io::{Error, ErrorKind};

use velo_tests::speaking::{Speech, serve};

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "as-told".to_owned());
    let speech = Speech::ALL.into_iter().find(|(name, _)| *name == wanted).map(|(_, speech)| speech);
    serve(speech.ok_or_else(|| Error::new(ErrorKind::InvalidInput, format!("no speech `{wanted}`")))?)
}
