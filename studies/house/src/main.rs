//! Counts what is promised of the structure of `crates/`: `cargo run -p study-house`, and with `--check` holds it against bounds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use crate::bounds::BOUNDS;
use crate::house::{House, Source, entries};

mod bounds;
mod chain;
mod folders;
mod house;
mod imports;
mod lines;
mod names;
mod repeats;

/// Folders whose entries are counted.
const ROOMS: [&str; 2] = ["judge/src", "report/src"];
/// Circles and pairs are all named; of the largest files these.
const MOST_NAMED: usize = 5;

/// Counts what CONTRIBUTING.md promises of the code's structure
#[derive(clap::Parser)]
#[command(name = "study-house")]
struct Args {
    /// The checkout [default: the one that this was built in]
    root: Option<PathBuf>,
    /// Print only what has bounds; end with 1 where one is broken
    #[arg(long)]
    check: bool,
}

/// A bound does not hold.
const BROKEN: u8 = 1;
/// Wrong flags, or what cannot be read; clap ends with it too.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("study-house: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(args: &Args) -> Result<ExitCode> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let house = House::read(args.root.as_deref().unwrap_or(&here))?;
    if !args.check {
        print(&house)?;
        return Ok(ExitCode::SUCCESS);
    }
    let counts = house.counts();
    BOUNDS.iter().for_each(|bound| println!("{}", bound.line(&counts)));
    let broken: Vec<String> = BOUNDS.iter().filter_map(|bound| bound.broken(&counts)).collect();
    for said in &broken {
        eprintln!("study-house: {said}");
    }
    if broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!(
        "study-house: what is counted is named by `cargo run -p study-house`; bounds are in studies/house/src/bounds.rs"
    );
    Ok(ExitCode::from(BROKEN))
}

fn print(house: &House) -> Result<()> {
    let root = house.crates.parent().unwrap_or(&house.crates);
    let short = |file: &Path| {
        let inside = file.strip_prefix(&house.crates).or_else(|_| file.strip_prefix(root));
        inside.unwrap_or(file).display().to_string()
    };
    let line = |group: &[PathBuf]| group.iter().map(|file| short(file)).collect::<Vec<String>>().join(" ");
    let mut code: BTreeMap<String, usize> = BTreeMap::new();
    for file in &house.files {
        let of_crate = short(&file.path).split('/').next().unwrap_or_default().to_owned();
        *code.entry(of_crate).or_default() += file.code;
    }
    println!("product code (lines without blanks, comments, tests): {}", code.values().sum::<usize>());
    for (name, lines) in &code {
        println!("  {lines:>6} {name}");
    }
    println!("structs and enums: {}", house.files.iter().map(|file| file.types).sum::<usize>());
    println!("names that judge re-exports: {}", house.judge_re_exports);
    println!("bytes of schemas: {}", house.schema_bytes);
    println!("crates in the longest chain: {}", house.chain.len());
    println!("  {}", house.chain.join(" "));
    println!("circles of files (that import each other): {}", house.circles_beside_modules.len());
    house.circles_beside_modules.iter().for_each(|circle| println!("  {}", line(circle)));
    println!(
        "  {} when a file may not use what the module defines that it is a part of",
        house.circles.len()
    );
    println!("circles of folders: {}", house.circles_of_folders.len());
    house.circles_of_folders.iter().for_each(|circle| println!("  {}", line(circle)));
    let figure: Vec<&Source> = house.files.iter().filter(|file| file.names_the_figure).collect();
    println!("files that name CPU time at the common rate: {}", figure.len());
    figure.iter().for_each(|file| println!("  {}", short(&file.path)));
    let mut by_length: Vec<&Source> = house.files.iter().collect();
    by_length.sort_by(|one, other| (other.length, &other.path).cmp(&(one.length, &one.path)));
    println!("longest files (all lines, tests in them too):");
    for file in by_length.iter().take(MOST_NAMED) {
        println!("  {:>6} {}", file.length, short(&file.path));
    }
    for room in ROOMS {
        println!("entries in {room}: {}", entries(&house.crates.join(room))?.len());
    }
    let structs: Vec<repeats::Fields> = house.files.iter().flat_map(|file| &file.structs).cloned().collect();
    let twice = repeats::twice(&structs);
    println!("structs declared twice: {}", twice.len());
    for (one, other) in twice {
        println!("  {} {} ~ {} {}", one.name, short(&one.file), other.name, short(&other.file));
    }
    let rounds: Vec<&Source> = house.files.iter().filter(|file| file.rounds).collect();
    println!("files that round numbers in texts: {}", rounds.len());
    rounds.iter().for_each(|file| println!("  {}", short(&file.path)));
    Ok(())
}
