//! Lists the repository's contenders and workloads, so that the program carries them: `src/carried.rs` includes the list.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What builds leave in these folders, as `.gitignore` has it.
const ARTEFACTS: [&str; 7] = ["target", "node_modules", "classes", "server", ".venv", "__pycache__", ".velo"];

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let repository = manifest.join("../..").canonicalize()?;
    let mut paths = Vec::new();
    for folder in ["contenders", "workloads"] {
        let folder = repository.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut paths)?;
    }
    paths.sort();
    let mut list = String::from("[\n");
    for path in &paths {
        let name = path.strip_prefix(&repository).map_err(io::Error::other)?;
        // Writing to a string does not fail.
        let _ = writeln!(list, "    File {{ path: {name:?}, bytes: include_bytes!({path:?}) }},");
    }
    list.push_str("]\n");
    fs::write(Path::new(&variable("OUT_DIR")).join("carried.rs"), list)
}

fn collect(dir: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = entry.path();
        let is_artefact = ARTEFACTS.iter().any(|name| entry.file_name() == *name)
            || path.extension().is_some_and(|extension| extension == "pyc");
        let kind = entry.file_type()?;
        if is_artefact {
            continue;
        } else if kind.is_dir() {
            collect(&path, paths)?;
        } else if kind.is_file() {
            paths.push(path);
        }
    }
    Ok(())
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is set by cargo"))
}
