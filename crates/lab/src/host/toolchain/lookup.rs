//! Where toolchains lie, and in which version.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use velo_model::{Toolchain, Version};

use super::known::{self, Known};
use super::{command, version};

/// A version command that has not answered by then is given up.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Package managers put servers into folders that a user's `PATH` may lack.
const EXTRA_FOLDERS: [&str; 2] = ["/usr/local/sbin", "/usr/sbin"];

/// A toolchain that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its version.
    pub version: Version,
    /// The line that its version command printed.
    pub text: String,
    /// The folder of its programs, when it is not the one that the `PATH` leads to.
    pub folder: Option<PathBuf>,
}

/// Looks for a toolchain; remembers the answer as long as the process lives.
pub fn find(name: &str) -> Option<Found> {
    static FOUND: OnceLock<Mutex<HashMap<&'static str, Option<Found>>>> = OnceLock::new();
    let known = known::by_name(name)?;
    let memory = || FOUND.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = memory().get(known.name) {
        return found.clone();
    }
    let found = look(known);
    memory().insert(known.name, found.clone());
    found
}

/// Looks for what a contender wants: on the `PATH`, and where that is too old, the latest of the other installations that
/// are known to lie side by side, as those of Java do.
pub(super) fn find_wanted(wanted: &Toolchain) -> Option<Found> {
    let usual = find(&wanted.name);
    let is_enough =
        |found: &Found| wanted.at_least.as_ref().is_none_or(|least| found.version.is_at_least(least));
    if usual.as_ref().is_some_and(is_enough) {
        return usual;
    }
    let others = others(&wanted.name).into_iter().filter(is_enough);
    let later = |a: Found, b: Found| if a.version.is_at_least(&b.version) { a } else { b };
    others.reduce(later).or(usual)
}

/// Installations beside the one on the `PATH`; remembered as long as the process lives.
fn others(name: &str) -> Vec<Found> {
    static OTHERS: OnceLock<Mutex<HashMap<&'static str, Vec<Found>>>> = OnceLock::new();
    let Some(known) = known::by_name(name).filter(|known| !known.elsewhere.is_empty()) else {
        return Vec::new();
    };
    let memory = || OTHERS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = memory().get(known.name) {
        return found.clone();
    }
    let found = look_elsewhere(known);
    memory().insert(known.name, found.clone());
    found
}

/// Looks for several toolchains at once, so that a slow one does not hold up the others.
pub fn find_all(names: &[&str]) -> Vec<Option<Found>> {
    std::thread::scope(|scope| {
        let looks: Vec<_> = names.iter().map(|name| scope.spawn(|| find(name))).collect();
        looks.into_iter().map(|look| look.join().unwrap_or_default()).collect()
    })
}

fn look(known: &Known) -> Option<Found> {
    let programs: Vec<PathBuf> = known.programs.iter().map(|name| program(name)).collect::<Option<_>>()?;
    let output = command::output(programs.first()?, known.version_args, TIME_LIMIT)?;
    let found = version::in_output(&output, known.label);
    found.map(|(version, text)| Found { version, text, folder: None })
}

/// Every installation in a folder of its own.
pub(super) fn look_elsewhere(known: &Known) -> Vec<Found> {
    let installations = known.elsewhere.iter().filter_map(|dir| std::fs::read_dir(dir).ok());
    let look = |entry: std::fs::DirEntry| {
        let folder = entry.path().join("bin");
        let programs: Vec<PathBuf> = known.programs.iter().map(|name| folder.join(name)).collect();
        if !programs.iter().all(|path| is_program(path)) {
            return None;
        }
        let output = command::output(programs.first()?, known.version_args, TIME_LIMIT)?;
        let (version, text) = version::in_output(&output, known.label)?;
        Some(Found { version, text, folder: Some(folder) })
    };
    installations.flatten().flatten().filter_map(look).collect()
}

/// The path of a program; a name that ends in `*` stands for the last of all that begin so (`php-fpm8.2`).
pub(super) fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        std::env::split_paths(&path).chain(EXTRA_FOLDERS.iter().map(PathBuf::from)).collect();
    match name.strip_suffix('*') {
        None => folders.iter().map(|folder| folder.join(name)).find(|path| is_program(path)),
        Some(stem) => folders.iter().find_map(|folder| {
            let entries = std::fs::read_dir(folder).ok()?.flatten();
            let begins = |entry: &std::fs::DirEntry| {
                let name = entry.file_name();
                let rest = name.to_str().and_then(|name| name.strip_prefix(stem));
                rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
            };
            entries.filter(begins).map(|entry| entry.path()).filter(|path| is_program(path)).max()
        }),
    }
}

fn is_program(path: &std::path::Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
