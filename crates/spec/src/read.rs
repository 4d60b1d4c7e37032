//! Reads definitions from disk: wire types first, then checks, so that what comes out is valid.
//!
//! Each refusal names file, line and key, what was expected and, where it can be guessed, what was meant.

mod calls;
mod case;
mod checks;
mod claim;
mod contender;
mod cross;
mod data;
mod file_names;
mod grpc;
mod kinds;
mod load;
mod workload;

#[cfg(test)]
mod hostile;

use std::path::{Path, PathBuf};

pub use checks::is_workload_name;
pub use cross::{check_contenders, cross_check};
pub use velo_request::SourceFile;

use velo_model::{Contender, ContenderName, Workload};
use velo_request::SpecError;
use velo_request::text::Folder;

use self::file_names::{CONTENDER_FILE, WORKLOAD_FILE};

/// Reads the workload in a folder; its name is the folder's.
///
/// # Errors
/// When a file cannot be read, or when the definition is not one.
pub fn workload(dir: &Path) -> Result<Workload, SpecError> {
    let name = last_names(dir, 1)?;
    let file = SourceFile::read(&dir.join(WORKLOAD_FILE))?;
    workload::read(&file, &name, crate::hash::folder(dir)?, Folder::Within(dir.to_owned()))
}

/// Reads a workload whose folder, of this name, would hold these files.
///
/// # Errors
/// When its definition is not among them, or is not one.
pub fn workload_of(name: &str, files: &[(&str, &[u8])]) -> Result<Workload, SpecError> {
    let definition =
        files.iter().find(|(name, _)| *name == WORKLOAD_FILE).map_or(&[][..], |(_, bytes)| bytes);
    let text = String::from_utf8_lossy(definition);
    let file = SourceFile::of(&format!("workloads/{name}/{WORKLOAD_FILE}"), &text);
    let held = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    workload::read(&file, name, crate::hash::held(files), Folder::Held(held))
}

/// Reads the contender in a folder and its variants, itself first; its name is made of the folder's last two parts.
///
/// # Errors
/// When a file cannot be read, or when the manifest is not one.
pub fn contender(dir: &Path) -> Result<Vec<Contender>, SpecError> {
    Ok(manifest(dir)?.contenders.into_iter().map(|one| one.contender).collect())
}

/// Reads the contender in the table `contender` of a file of settings, `velo.toml`, and its variants, itself first; its folder is the
/// file's. Empty where there is no such table.
///
/// # Errors
/// When the file cannot be read, or the table is no manifest.
pub fn contender_of_config(path: &Path, name: &ContenderName) -> Result<Vec<Contender>, SpecError> {
    let dir = path.parent().unwrap_or(Path::new(""));
    let read = contender::read_config(SourceFile::read(path)?, name, dir)?;
    let contenders = read.into_iter().flat_map(|read| read.contenders);
    Ok(contenders.map(|one| one.contender).collect())
}

/// Reads every workload of a checkout: each folder in `workloads/`, by name.
///
/// # Errors
/// When one of them cannot be read.
pub fn workloads(root: &Path) -> Result<Vec<Workload>, SpecError> {
    folders(&root.join("workloads"))?.iter().map(|dir| workload(dir)).collect()
}

/// Reads every contender of a checkout: each `contenders/*/*/contender.toml`, by name.
///
/// # Errors
/// When one of them cannot be read, or names a contender that it cannot be compared with.
pub fn contenders(root: &Path) -> Result<Vec<Contender>, SpecError> {
    let mut manifests = Vec::new();
    for language in folders(&root.join("contenders"))? {
        for dir in folders(&language)? {
            if dir.join(CONTENDER_FILE).exists() {
                manifests.push(manifest(&dir)?);
            }
        }
    }
    for manifest in &manifests {
        for one in &manifest.contenders {
            let all = manifests.iter().flat_map(|other| &other.contenders).map(|other| &other.contender);
            if let Err((base, fault)) = cross::check_bases(&one.contender, all) {
                return Err(manifest.file.wrong(one.at(base), base.key(), fault.problem, fault.expected));
            }
        }
    }
    let mut contenders: Vec<Contender> =
        manifests.into_iter().flat_map(|read| read.contenders).map(|one| one.contender).collect();
    contenders.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(contenders)
}

fn manifest(dir: &Path) -> Result<contender::Read, SpecError> {
    let path = dir.join(CONTENDER_FILE);
    let name = last_names(dir, 2)?;
    let name = ContenderName::new(&name).map_err(|error| {
        velo_request::whole_file(&path, format!("its folder's name will not do: {error}"), "rename it")
    })?;
    contender::read(SourceFile::read(&path)?, &name, dir)
}

/// The last parts of a folder's path, joined by `/`. A path such as `.` is resolved first.
fn last_names(dir: &Path, count: usize) -> Result<String, SpecError> {
    let parts = |path: &Path| {
        let mut parts: Vec<String> = path
            .components()
            .rev()
            .take(count)
            .map_while(|part| match part {
                std::path::Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
                _ => None,
            })
            .collect();
        parts.reverse();
        parts
    };
    let mut names = parts(dir);
    if names.len() < count {
        let resolved = dir.canonicalize().map_err(|source| SpecError::Io { file: dir.to_owned(), source })?;
        names = parts(&resolved);
    }
    Ok(names.join("/"))
}

/// The folders in a folder, by name; hidden ones are nobody's definition.
fn folders(dir: &Path) -> Result<Vec<PathBuf>, SpecError> {
    let io = |source| SpecError::Io { file: dir.to_owned(), source };
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(io)? {
        let entry = entry.map_err(io)?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !hidden && entry.path().is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}
