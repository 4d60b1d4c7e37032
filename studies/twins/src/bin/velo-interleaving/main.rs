//! What interleaving is worth, as `scripts/interleaving.sh` tries it.
//!
//! `velo-interleaving stress SEED SECONDS` disturbs the machine by a seeded pattern and ends by itself.
//! `velo-interleaving table ONE TWIN SCHEDULE=RUN..` compares runs of ONE and TWIN, which are the same program, made under the
//! same patterns with one schedule and the other, and prints the widths of their intervals as Markdown.

mod stress;
mod table;

use std::error::Error;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: velo-interleaving stress SEED SECONDS | table ONE TWIN SCHEDULE=RUN..";

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["stress", seed, seconds] => stress::run(seed.parse()?, seconds.parse()?),
        ["table", one, twin, runs @ ..] => print!("{}", table::markdown(one, twin, runs)?),
        _ => return Err(USAGE.into()),
    }
    Ok(())
}
