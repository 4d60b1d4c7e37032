//! Tries the rules that rank contenders on simulated runs: `cargo run --release -p study-judge`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;
use study_judge::{SimulationOptions, SimulationReport, markdown, simulate};

/// Try the rules that rank contenders on simulated runs, where the truth is known
///
/// Draws block figures of contenders that are equal, or 3 % apart, with several kinds of noise; judges them as a run is judged;
/// counts how often equal ones are told apart, how often intervals hold the truth, and how much is found. Prints a
/// Markdown table. Exit code 1: a cell breaks a bound. docs/evidence.md has the table and the bounds.
#[derive(Debug, clap::Parser)]
#[command(name = "study-judge")]
struct Args {
    /// Simulated runs of each cell; the bounds of the method are for 2000, and wider for fewer
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(20..=1_000_000))]
    runs: u32,
    /// The seed of everything drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Also write all cells as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A cell breaks a bound.
const BROKEN: u8 = 1;
/// Wrong flags, or what is asked for cannot be written; clap ends with it too.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("study-judge: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let report = simulate(&SimulationOptions { runs: args.runs, seed: args.seed });
    print!("{}", markdown(&report));
    if let Some(path) = &args.json {
        write(path, &report)?;
    }
    Ok(if report.keeps_its_bounds() { ExitCode::SUCCESS } else { ExitCode::from(BROKEN) })
}

fn write(path: &Path, report: &SimulationReport) -> anyhow::Result<()> {
    let text = format!("{}\n", serde_json::to_string_pretty(report)?);
    velo_record::write_whole(path, text.as_bytes())
        .with_context(|| format!("--json {} cannot be written", path.display()))
}
