//! Counts what is promised of the structure of `crates/`: `cargo run -p study-house`.

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
    files: Vec<Source>,
    /// Files and folders that are compiled for tests only, by the module that names them.
    tests: Vec<PathBuf>,
}

/// A file.
struct Source {
    path: PathBuf,
    /// Lines of all kinds.
    length: usize,
    /// Lines of product code.
    code: usize,
    structs: Vec<repeats::Fields>,
    rounds: bool,
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
        count(&room, &mut counted)?;
        for face in ["lib.rs", "main.rs"].map(|name| room.join("src").join(name)) {
            if face.exists() {
                let arrows = imports::Modules::read(&face)?.arrows();
                circles.extend(imports::circles(&arrows));
                beside_modules += imports::circles(&imports::without_own_module(&arrows)).len();
            }
        }
    }
    counted.files.retain(|file| !counted.tests.iter().any(|test| file.path.starts_with(test)));
    print(&crates, counted.files, &circles, beside_modules)
}

fn print(
    crates: &Path,
    mut files: Vec<Source>,
    circles: &[Vec<PathBuf>],
    beside_modules: usize,
) -> Result<()> {
    let short = |file: &Path| file.strip_prefix(crates).unwrap_or(file).display().to_string();
    let mut code: BTreeMap<String, usize> = BTreeMap::new();
    for file in &files {
        let of_crate = short(&file.path).split('/').next().unwrap_or_default().to_owned();
        *code.entry(of_crate).or_default() += file.code;
    }
    println!("product code (lines without blanks, comments, tests): {}", code.values().sum::<usize>());
    for (name, lines) in &code {
        println!("  {lines:>6} {name}");
    }
    println!("circles (files that import each other): {}", circles.len());
    println!(
        "  {beside_modules} of them remain when a file may use what the module that it is a part of defines"
    );
    for circle in circles {
        println!("  {}", circle.iter().map(|file| short(file)).collect::<Vec<String>>().join(" "));
    }
    files.sort_by(|one, other| (other.length, &other.path).cmp(&(one.length, &one.path)));
    println!("longest files (all lines, tests in them too):");
    for file in files.iter().take(MOST_NAMED) {
        println!("  {:>6} {}", file.length, short(&file.path));
    }
    for room in ROOMS {
        println!("entries in {room}: {}", entries(&crates.join(room))?.len());
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let structs: Vec<repeats::Fields> = files.iter().flat_map(|file| &file.structs).cloned().collect();
    let twice = repeats::twice(&structs);
    println!("structs declared twice: {}", twice.len());
    for (one, other) in twice {
        println!("  {} {} ~ {} {}", one.name, short(&one.file), other.name, short(&other.file));
    }
    let rounds: Vec<&Source> = files.iter().filter(|file| file.rounds).collect();
    println!("files that round numbers in texts: {}", rounds.len());
    for file in rounds {
        println!("  {}", short(&file.path));
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

fn count(path: &Path, counted: &mut Counted) -> Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if path.is_dir() {
        if !["tests", "target", "templates"].contains(&name) {
            for entry in entries(path)? {
                count(&entry, counted)?;
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
    counted.tests.extend(lines::test_modules(path, &parsed.items));
    counted.files.push(Source {
        path: path.to_owned(),
        length: text.lines().count(),
        code: lines::of_code(tokens, &lines::of_tests(&parsed.items)),
        structs: repeats::structs(path, &parsed.items),
        rounds: repeats::rounds(&parsed.items),
    });
    Ok(())
}
