//! Counts what is promised of the structure of `crates/`: `cargo run --manifest-path studies/Cargo.toml -p study-house`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

mod imports;
mod lines;
mod repeats;

/// Folders whose entries are counted.
const ROOMS: [&str; 2] = ["judge/src", "report/src"];
/// Circles and pairs are all named; of the largest files these.
const MOST_NAMED: usize = 5;

#[derive(Default)]
struct Counted {
    /// Lines of product code, by crate.
    code: BTreeMap<String, usize>,
    /// Lines of all kinds, by file.
    length: Vec<(usize, PathBuf)>,
    structs: Vec<repeats::Fields>,
    rounds: Vec<PathBuf>,
}

fn main() -> Result<()> {
    let root = std::env::args_os()
        .nth(1)
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), PathBuf::from);
    let crates = root
        .join("crates")
        .canonicalize()
        .with_context(|| format!("{}: no folder crates", root.display()))?;
    let mut counted = Counted::default();
    let (mut circles, mut beside_modules) = (Vec::new(), 0);
    for room in entries(&crates)? {
        count(&crates, &room, &mut counted)?;
        for face in ["lib.rs", "main.rs"].map(|name| room.join("src").join(name)) {
            if face.exists() {
                let arrows = imports::Modules::read(&face)?.arrows();
                circles.extend(imports::circles(&arrows));
                beside_modules += imports::circles(&imports::without_own_module(&arrows)).len();
            }
        }
    }
    print(&crates, counted, &circles, beside_modules)
}

fn print(crates: &Path, mut counted: Counted, circles: &[Vec<PathBuf>], beside_modules: usize) -> Result<()> {
    let short = |file: &Path| file.strip_prefix(crates).unwrap_or(file).display().to_string();
    println!(
        "product code (lines without blanks, comments, tests): {}",
        counted.code.values().sum::<usize>()
    );
    for (name, lines) in &counted.code {
        println!("  {lines:>6} {name}");
    }
    println!("circles (files that import each other): {}", circles.len());
    println!(
        "  {beside_modules} of them remain when a file may use what the module that it is a part of defines"
    );
    for circle in circles {
        println!("  {}", circle.iter().map(|file| short(file)).collect::<Vec<String>>().join(" "));
    }
    counted.length.sort_by(|one, other| other.cmp(one));
    println!("longest files (all lines, tests in them too):");
    for (lines, file) in counted.length.iter().take(MOST_NAMED) {
        println!("  {lines:>6} {}", short(file));
    }
    for room in ROOMS {
        println!("entries in {room}: {}", entries(&crates.join(room))?.len());
    }
    let twice = repeats::twice(&counted.structs);
    println!("structs declared twice: {}", twice.len());
    for (one, other) in twice {
        println!("  {} {} ~ {} {}", one.name, short(&one.file), other.name, short(&other.file));
    }
    println!("files that round numbers in texts: {}", counted.rounds.len());
    for file in &counted.rounds {
        println!("  {}", short(file));
    }
    Ok(())
}

/// What lies in a folder, in order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = read.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

fn count(crates: &Path, path: &Path, counted: &mut Counted) -> Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if path.is_dir() {
        if !["tests", "target", "templates"].contains(&name) {
            for entry in entries(path)? {
                count(crates, &entry, counted)?;
            }
        }
        return Ok(());
    }
    if !name.ends_with(".rs") || name == "tests.rs" {
        return Ok(());
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let parsed = syn::parse_file(&text).with_context(|| path.display().to_string())?;
    let tokens = text.parse().map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    let of_crate = path.strip_prefix(crates).ok().and_then(|path| path.iter().next()).unwrap_or_default();
    *counted.code.entry(of_crate.to_string_lossy().into_owned()).or_default() +=
        lines::of_code(tokens, &lines::of_tests(&parsed.items));
    counted.length.push((text.lines().count(), path.to_owned()));
    counted.structs.extend(repeats::structs(path, &parsed.items));
    if repeats::rounds(&parsed.items) {
        counted.rounds.push(path.to_owned());
    }
    Ok(())
}
