//! Holds what links do against what they were asked for: `cargo run --release -p study-link`.

mod loss;
mod timing;

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;
use velo_link::{LinkHandle, Options};

/// Hold what links do against what they were asked for
///
/// Connects over links of several round-trip times, sends a megabyte at several rates and thousands of packets at several
/// losses, and prints what came of it as Markdown tables. Exit code 1: something is outside of its bound. docs/links.md has the
/// tables and the bounds. Needs root or user namespaces, and a quiet machine.
#[derive(Debug, clap::Parser)]
#[command(name = "study-link")]
struct Args {
    /// Connections and transfers of each cell
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(5..=1_000))]
    each: u32,
    /// Packets of each loss
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    packets: u32,
    /// The seed of random loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Something is outside of its bound.
const BROKEN: u8 = 1;
/// There can be no link, or it broke down.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match velo_link::obtain_rights().map_err(anyhow::Error::from).and_then(|_| run(&Args::parse())) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("study-link: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut holds = timing::round_trips(args.each, args.seed)?;
    println!();
    holds &= timing::transfers(args.each.min(10), args.seed)?;
    println!();
    holds &= loss::table(args.packets, args.seed)?;
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(BROKEN) })
}

/// A link that logs its packets.
fn open(text: &str, seed: u64) -> anyhow::Result<LinkHandle> {
    let link = text.parse().with_context(|| text.to_owned())?;
    LinkHandle::open(&link, &Options { seed, ..Options::default() }).context("no link")
}

/// How a row of a table ends.
fn verdict(holds: bool) -> &'static str {
    if holds { "yes" } else { "**no**" }
}
