//! The site's folder: written under another name beside its place, then exchanged with what is there, so that there is a whole
//! site at any time.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::marker::{FILE, Marker};
use crate::exit::usage;
use crate::out;
use crate::run_folder::shown;

/// A site that is being written.
pub(super) struct Folder {
    /// Where it will be.
    place: PathBuf,
    /// Where it is until then.
    dir: PathBuf,
    /// What lies at its place: an earlier site.
    before: Option<Marker>,
    files: BTreeSet<String>,
}

impl Folder {
    /// Begins a site, when its place is free or has an earlier one.
    pub(super) fn begin(out: &Path) -> anyhow::Result<Self> {
        let (place, before) = place(out)?;
        let name = place.file_name().with_context(|| format!("--out {} has no name", shown(out)))?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".velo-new");
        let dir = place.with_file_name(hidden);
        remove_leftover(&dir)?;
        let made = fs::create_dir(&dir).and_then(|()| Marker::unfinished().write(&dir));
        made.with_context(|| format!("{} cannot be written", shown(&dir)))?;
        Ok(Self { place, dir, before, files: BTreeSet::new() })
    }

    /// Writes a file of the site.
    pub(super) fn write(&mut self, path: &str, text: &str) -> anyhow::Result<()> {
        let file = self.dir.join(path);
        let parent = file.parent().unwrap_or(&self.dir);
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&file, text));
        written.with_context(|| format!("{} cannot be written", shown(&file)))?;
        self.files.insert(path.to_owned());
        Ok(())
    }

    /// Puts the site at its place. Of an earlier one there what that had written goes, and what others put there stays.
    pub(super) fn finish(self, runs: Vec<String>) -> anyhow::Result<()> {
        let at_place = || format!("{} cannot be written", shown(&self.place));
        if self.before.is_some()
            && let Some(path) = self.in_the_way()
        {
            return Err(usage(format!(
                "{}: velo site did not make it, and has a file of its own to put there\n  move it away",
                shown(&path)
            )));
        }
        Marker::of(runs, self.files.iter().cloned().collect()).write(&self.dir).with_context(at_place)?;
        let Some(before) = &self.before else {
            return fs::rename(&self.dir, &self.place).with_context(at_place);
        };
        let old = exchange(&self.dir, &self.place).with_context(at_place)?;
        remove_own(&old, before);
        if !carry(&old, &self.place) {
            out::talk(&format!(
                "note: {} has files of the old site's folder that had no place in the new one\n",
                shown(&old)
            ));
        }
        Ok(())
    }

    /// What lies where a file of the new site belongs and is not of the old one.
    fn in_the_way(&self) -> Option<PathBuf> {
        let own: BTreeSet<&str> = self.before.iter().flat_map(Marker::own_files).collect();
        self.files.iter().find_map(|file| {
            let mut parents = Path::new(file).ancestors().skip(1).map(|parent| self.place.join(parent));
            let wrong_parent = parents.find(|parent| kind(parent).is_some_and(|kind| !kind.is_dir()));
            let path = self.place.join(file);
            let is_wrong = kind(&path).is_some_and(|kind| kind.is_dir() || !own.contains(file.as_str()));
            wrong_parent.or(is_wrong.then_some(path))
        })
    }
}

impl Drop for Folder {
    /// What did not become a site goes; after [`Folder::finish`] nothing is left there.
    fn drop(&mut self) {
        if Marker::read(&self.dir).is_some_and(|marker| marker.unfinished) {
            // What cannot be removed is removed before the next site is written, or named then.
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

/// Where the site will lie, with the marker of an earlier one there.
fn place(out: &Path) -> anyhow::Result<(PathBuf, Option<Marker>)> {
    if kind(out).is_none() {
        let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let made = fs::create_dir_all(parent).and_then(|()| fs::canonicalize(parent));
        let parent = made.with_context(|| format!("{} cannot be made", shown(parent)))?;
        let name = out
            .file_name()
            .ok_or_else(|| usage(format!("--out {}: expected a folder's name", shown(out))))?;
        return Ok((parent.join(name), None));
    }
    let foreign = || {
        usage(format!(
            "--out {}: it is there already, and velo site did not make it\n  expected a new name, or a site that this version of velo has written ({FILE})",
            shown(out)
        ))
    };
    let place = fs::canonicalize(out).map_err(|_| foreign())?;
    let before = Marker::read(&place).filter(|marker| !marker.unfinished).ok_or_else(foreign)?;
    Ok((place, Some(before)))
}

/// What is at a path, links not followed.
fn kind(path: &Path) -> Option<fs::FileType> {
    fs::symlink_metadata(path).ok().map(|metadata| metadata.file_type())
}

/// Clears what an earlier attempt has left that was ended before its time.
fn remove_leftover(dir: &Path) -> anyhow::Result<()> {
    let Some(kind) = kind(dir) else { return Ok(()) };
    if kind.is_dir() {
        match Marker::read(dir) {
            Some(marker) if marker.unfinished => {
                fs::remove_dir_all(dir).with_context(|| format!("{} cannot be removed", shown(dir)))?;
            }
            Some(marker) => remove_own(dir, &marker),
            None => {}
        }
    }
    // It goes when nothing is left in it.
    if fs::remove_dir(dir).is_err() && dir.exists() {
        return Err(usage(format!(
            "{}: velo site writes there first, and it holds files of others\n  move them away",
            shown(dir)
        )));
    }
    Ok(())
}

/// Puts the new folder at the place of the old one. Where the old one is then.
fn exchange(new: &Path, place: &Path) -> io::Result<PathBuf> {
    if renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE).is_ok() {
        return Ok(new.to_owned());
    }
    // Not every file system can exchange two folders at once; then there is a moment without either.
    let old = new.with_extension("velo-old");
    fs::rename(place, &old)?;
    if let Err(error) = fs::rename(new, place) {
        fs::rename(&old, place)?;
        return Err(error);
    }
    Ok(old)
}

/// Removes the files that a marker lists, and folders that are empty then. What is not there, or cannot be removed, is left.
fn remove_own(dir: &Path, marker: &Marker) {
    let mut parents: BTreeSet<PathBuf> = BTreeSet::new();
    for file in marker.own_files() {
        let own: Vec<PathBuf> = Path::new(file).ancestors().skip(1).map(|parent| dir.join(parent)).collect();
        // A link might lead out of the folder.
        if own.iter().all(|parent| kind(parent).is_some_and(|kind| kind.is_dir())) {
            let _ = fs::remove_file(dir.join(file));
            parents.extend(own);
        }
    }
    let _ = fs::remove_file(dir.join(FILE));
    // The deepest come last in this order.
    for parent in parents.iter().rev() {
        let _ = fs::remove_dir(parent);
    }
}

/// Moves what is left in the old folder into the new one. False when something had no place there and stays.
fn carry(old: &Path, new: &Path) -> bool {
    let Ok(entries) = fs::read_dir(old) else { return kind(old).is_none() };
    let mut is_all = true;
    for entry in entries.flatten() {
        let (from, to) = (entry.path(), new.join(entry.file_name()));
        is_all &= match kind(&to) {
            None => fs::rename(&from, &to).is_ok(),
            Some(there) if there.is_dir() && kind(&from).is_some_and(|kind| kind.is_dir()) => {
                carry(&from, &to)
            }
            Some(_) => false,
        };
    }
    is_all && fs::remove_dir(old).is_ok()
}
