//! Reads the checkout: its files, who imports whom, and how its crates depend on each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::bounds::Counts;
use crate::chain::{self, Manifest};
use crate::{folders, imports, lines, names, repeats};

/// A checkout.
#[derive(Default)]
pub(crate) struct House {
    /// Where its product is: the folder `crates`.
    pub(crate) crates: PathBuf,
    /// The files of the product, by path.
    pub(crate) files: Vec<Source>,
    /// Groups of files that import each other, in the crates of the product and of the studies.
    pub(crate) circles: Vec<Vec<PathBuf>>,
    /// Those that remain when a file may use what the module defines that it is a part of: they have a bound.
    pub(crate) circles_beside_modules: Vec<Vec<PathBuf>>,
    /// Groups of folders right under `src` that import each other, in the crates of the product.
    pub(crate) circles_of_folders: Vec<Vec<PathBuf>>,
    /// The longest chain of the product's crates that depend on each other, the lowest first.
    pub(crate) chain: Vec<String>,
    /// Names of other files that the judge exports.
    pub(crate) judge_re_exports: usize,
    /// Bytes of what is in `schemas`.
    pub(crate) schema_bytes: u64,
    /// Files and folders that are compiled for tests only, by the module that names them.
    tests: Vec<PathBuf>,
}

/// A file.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// Lines of all kinds.
    pub(crate) length: usize,
    /// Lines of product code.
    pub(crate) code: usize,
    pub(crate) structs: Vec<repeats::Fields>,
    /// Structs and enums.
    pub(crate) types: usize,
    pub(crate) rounds: bool,
    pub(crate) names_the_figure: bool,
}

impl House {
    /// # Errors
    /// What cannot be read or parsed, by name.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let root = root.canonicalize().with_context(|| root.display().to_string())?;
        let mut house = Self { crates: root.join("crates"), ..Self::default() };
        let mut manifests = Vec::new();
        for room in entries(&house.crates)? {
            house.count(&room)?;
            house.follow_imports(&room, true)?;
            manifests.push(Manifest::read(&room.join("Cargo.toml"))?);
        }
        for room in entries(&root.join("studies"))? {
            house.follow_imports(&room, false)?;
        }
        house.files.retain(|file| !house.tests.iter().any(|test| file.path.starts_with(test)));
        house.files.sort_by(|one, other| one.path.cmp(&other.path));
        house.chain = chain::longest(&manifests)?.into_iter().map(str::to_owned).collect();
        house.judge_re_exports = names::re_exports(&parse(&house.crates.join("judge/src/lib.rs"))?.1.items);
        for schema in entries(&root.join("schemas"))? {
            house.schema_bytes += schema.metadata().with_context(|| schema.display().to_string())?.len();
        }
        Ok(house)
    }

    /// What has bounds.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            circles_of_files: self.circles_beside_modules.len(),
            folders_in_circles: self.circles_of_folders.iter().map(Vec::len).sum(),
            files_with_the_figure: self.files.iter().filter(|file| file.names_the_figure).count(),
            chain: self.chain.len(),
            longest_file: self.files.iter().map(|file| file.length).max().unwrap_or(0),
        }
    }

    fn follow_imports(&mut self, room: &Path, is_product: bool) -> Result<()> {
        for root in roots(&room.join("src"))? {
            let arrows = imports::Modules::read(&root)?.arrows();
            self.circles.extend(imports::circles(&arrows));
            self.circles_beside_modules.extend(imports::circles(&imports::without_own_module(&arrows)));
            if is_product {
                let src = root.parent().context("a file has a folder")?;
                self.circles_of_folders.extend(imports::circles(&folders::arrows(src, &arrows)));
            }
        }
        Ok(())
    }

    fn count(&mut self, path: &Path) -> Result<()> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !["tests", "target", "templates"].contains(&name) {
                for entry in entries(path)? {
                    self.count(&entry)?;
                }
            }
            return Ok(());
        }
        if !name.ends_with(".rs") || name == "tests.rs" {
            return Ok(());
        }
        let (text, parsed) = parse(path)?;
        let tokens: proc_macro2::TokenStream =
            text.parse().map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        let tests = lines::of_tests(&parsed.items);
        self.tests.extend(lines::test_modules(path, &parsed.items));
        self.files.push(Source {
            path: path.to_owned(),
            length: text.lines().count(),
            code: lines::of_code(tokens.clone(), &tests),
            structs: repeats::structs(path, &parsed.items),
            types: names::types(&parsed.items),
            rounds: repeats::rounds(&parsed.items),
            names_the_figure: names::figure(tokens, &tests),
        });
        Ok(())
    }
}

/// What lies in a folder, in order.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = read.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// The files that a crate's modules begin in: its library and its programs.
fn roots(src: &Path) -> Result<BTreeSet<PathBuf>> {
    if !src.is_dir() {
        return Ok(BTreeSet::new());
    }
    let bins = src.join("bin");
    let bins = if bins.is_dir() { entries(&bins)? } else { Vec::new() };
    let programs = bins.into_iter().map(|bin| if bin.is_dir() { bin.join("main.rs") } else { bin });
    let all = [src.join("lib.rs"), src.join("main.rs")].into_iter().chain(programs);
    Ok(all.filter(|root| root.is_file()).collect())
}

fn parse(path: &Path) -> Result<(String, syn::File)> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let parsed = syn::parse_file(&text).with_context(|| path.display().to_string())?;
    Ok((text, parsed))
}
