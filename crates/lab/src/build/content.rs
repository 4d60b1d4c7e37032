//! What a contender is built from: the files of its folder and of those that it borrows, hashed and copied.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};
use velo_model::Contender;

/// What tools leave in a source folder and make anew, wherever it lies.
const NOT_CONTENT: [&str; 4] = ["node_modules", ".venv", "__pycache__", ".git"];
/// Is such where one of these lies beside it; else somebody's own folder of that name.
const TARGET: (&str, [&str; 3]) = ("target", ["Cargo.toml", "pom.xml", "build.sbt"]);
/// In such a folder: the tag of caches (Cache Directory Tagging Specification), and what Python leaves in a virtual environment.
const TAGS: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];
/// Bytes read at once.
const PIECE: usize = 256 * 1024;

/// The hash of what a contender is built from, as a run records it: SHA-256, lower-case hex.
///
/// # Errors
/// When a folder cannot be read, or a link leads out of the repository.
pub fn hash(contender: &Contender) -> io::Result<String> {
    Content::of(&contender.dir, &contender.borrows)?.hash()
}

/// The content of a contender's folder, by the names that it has where it is built.
#[derive(Debug, Default)]
pub(crate) struct Content {
    entries: Vec<(PathBuf, Entry)>,
    /// What is not content, for people.
    pub(crate) left_out: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    /// A copy of the file there.
    File(PathBuf),
    /// A link to this, which lies in the folder too.
    Link(PathBuf),
}

impl Content {
    /// Of a folder and those that it borrows.
    ///
    /// # Errors
    /// When a folder cannot be read, or a link leads out of the repository.
    pub(crate) fn of(dir: &Path, borrows: &[String]) -> io::Result<Self> {
        let mut found = Self::default();
        let repository = repository(dir)?;
        found.add(&repository, Path::new(""), dir, &mut Vec::new())?;
        for place in borrows {
            let folder = dir.join("..").join(place);
            let name = folder.file_name().map(PathBuf::from).unwrap_or_default();
            found.add(&repository, &name, &folder, &mut Vec::new())?;
        }
        found.entries.sort();
        found.left_out.sort();
        Ok(found)
    }

    /// `within`: the folders that this one was reached through, by their real paths, so that links that lead back to one are refused.
    fn add(
        &mut self,
        repository: &Path,
        name: &Path,
        dir: &Path,
        within: &mut Vec<PathBuf>,
    ) -> io::Result<()> {
        let real = fs::canonicalize(dir)?;
        if within.contains(&real) {
            return Err(io::Error::other(format!(
                "{}: a link that leads back to its own folder",
                dir.display()
            )));
        }
        within.push(real);
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let (name, path, kind) = (name.join(entry.file_name()), entry.path(), entry.file_type()?);
            if kind.is_symlink() {
                self.add_link(repository, name, &path, within)?;
            } else if kind.is_dir() {
                if is_left_by_tools(&path) {
                    self.left_out.push(format!("{}/", name.display()));
                } else {
                    self.add(repository, &name, &path, within)?;
                }
            } else if kind.is_file() {
                self.entries.push((name, Entry::File(path)));
            } else {
                self.left_out.push(name.display().to_string());
            }
        }
        within.pop();
        Ok(())
    }

    /// A link within the folder stays one. What one leads to elsewhere in the repository is copied in its place.
    fn add_link(
        &mut self,
        repository: &Path,
        name: PathBuf,
        path: &Path,
        within: &mut Vec<PathBuf>,
    ) -> io::Result<()> {
        let target = fs::read_link(path)?;
        if stays_within(&name, &target) {
            self.entries.push((name, Entry::Link(target)));
            return Ok(());
        }
        let refused = |why: &str| {
            let (path, target) = (path.display(), target.display());
            io::Error::other(format!(
                "{path}: a link to {target}, which {why}: put what it leads to in its place"
            ))
        };
        let real =
            fs::canonicalize(path).map_err(|error| refused(&format!("cannot be followed ({error})")))?;
        if !real.starts_with(repository) {
            return Err(refused(&format!("lies outside of {}", repository.display())));
        }
        let data = fs::metadata(&real)?;
        if data.is_dir() {
            self.add(repository, &name, path, within)
        } else if data.is_file() {
            self.entries.push((name, Entry::File(real)));
            Ok(())
        } else {
            Err(refused("is neither a file nor a folder"))
        }
    }

    /// SHA-256 over names, executable bits and contents of the files, and names and targets of the links, in order of the names.
    pub(crate) fn hash(&self) -> io::Result<String> {
        let mut hash = Sha256::new();
        let mut piece = vec![0; PIECE];
        for (name, entry) in &self.entries {
            let name = name.to_string_lossy();
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
            match entry {
                Entry::Link(target) => {
                    let target = target.as_os_str().as_encoded_bytes();
                    hash.update([2]);
                    hash.update((target.len() as u64).to_le_bytes());
                    hash.update(target);
                }
                Entry::File(path) => {
                    let file = File::open(path)?;
                    let data = file.metadata()?;
                    hash.update([u8::from(data.permissions().mode() & 0o100 != 0)]);
                    hash.update(data.len().to_le_bytes());
                    let mut rest = file.take(data.len());
                    loop {
                        match rest.read(&mut piece)? {
                            0 => break,
                            bytes => hash.update(&piece[..bytes]),
                        }
                    }
                    if rest.limit() > 0 {
                        return Err(io::Error::other(format!(
                            "{}: it changes while it is read",
                            path.display()
                        )));
                    }
                }
            }
        }
        Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Copies it into a folder.
    pub(crate) fn copy(&self, to: &Path) -> io::Result<()> {
        fs::create_dir_all(to)?;
        for (name, entry) in &self.entries {
            let place = to.join(name);
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            match entry {
                Entry::File(path) => drop(fs::copy(path, &place)?),
                Entry::Link(target) => symlink(target, &place)?,
            }
        }
        Ok(())
    }
}

fn is_left_by_tools(dir: &Path) -> bool {
    let is = |name: &str| dir.file_name().is_some_and(|own| own == name);
    let (target, beside) = TARGET;
    NOT_CONTENT.into_iter().any(is)
        || (is(target) && beside.iter().any(|file| dir.with_file_name(file).is_file()))
        || TAGS.into_iter().any(|tag| dir.join(tag).is_file())
}

/// The nearest folder upward that git keeps, else the folder itself: what lies outside of it is another machine's.
fn repository(dir: &Path) -> io::Result<PathBuf> {
    let real = fs::canonicalize(dir)?;
    let kept = real.ancestors().find(|folder| folder.join(".git").exists());
    Ok(kept.map_or_else(|| real.clone(), Path::to_owned))
}

/// Whether a link of this name, as it is written, never leaves the folder that the name begins at.
fn stays_within(name: &Path, target: &Path) -> bool {
    let mut depth = name.components().count().saturating_sub(1);
    for component in target.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn hash(dir: &Path, borrows: &[String]) -> String {
        Content::of(dir, borrows).unwrap().hash().unwrap()
    }

    #[test]
    fn the_hash_follows_names_contents_and_bits_but_not_what_builds_leave() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| write(dir.path().join(name), text);
        write("a", "1");
        let first = hash(dir.path(), &[]);
        write("node_modules/x", "y");
        assert_eq!(hash(dir.path(), &[]), first);
        write("a", "2");
        let second = hash(dir.path(), &[]);
        assert_ne!(first, second);
        fs::rename(dir.path().join("a"), dir.path().join("b")).unwrap();
        assert_ne!(hash(dir.path(), &[]), second);
    }

    #[test]
    fn what_is_borrowed_counts_and_is_copied_as_if_it_were_its_own() {
        let language = tempfile::tempdir().unwrap();
        let place = |name: &str| language.path().join(name);
        let write = |name: &str, text: &str| write(place(name), text);
        write("owner/kit/inner/a", "1");
        write("own/main", "2");
        write("whole/main", "2");
        write("whole/kit/inner/a", "1");
        let borrows = ["owner/kit".to_owned()];
        let own = || hash(&place("own"), &borrows);
        let first = own();
        assert_eq!(first, hash(&place("whole"), &[]));
        assert_ne!(first, hash(&place("own"), &[]));
        Content::of(&place("own"), &borrows).unwrap().copy(&place("built")).unwrap();
        assert_eq!(first, hash(&place("built"), &[]));
        write("owner/kit/inner/a", "3");
        assert_ne!(first, own());
    }

    #[test]
    fn folders_of_sources_are_content_whatever_their_name_and_what_is_left_out_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str| write(dir.path().join(name), name);
        for name in ["vendor/modules.txt", "pkg/target/target.go", "crate/Cargo.toml", "crate/target/debug/x"]
        {
            write(name);
        }
        write("web/node_modules/x/index.js");
        write("env/pyvenv.cfg");
        symlink("/usr/bin/env", dir.path().join("env/python3")).unwrap();
        write("cache/CACHEDIR.TAG");
        let content = Content::of(dir.path(), &[]).unwrap();
        assert_eq!(content.left_out, ["cache/", "crate/target/", "env/", "web/node_modules/"]);
        let built = tempfile::tempdir().unwrap();
        content.copy(built.path()).unwrap();
        for name in ["vendor/modules.txt", "pkg/target/target.go", "crate/Cargo.toml"] {
            assert_eq!(fs::read_to_string(built.path().join(name)).unwrap(), name);
        }
        assert!(!built.path().join("crate/target").exists() && !built.path().join("web").exists());
    }

    #[test]
    fn links_stay_links_within_the_folder_and_are_followed_within_the_repository() {
        let repository = tempfile::tempdir().unwrap();
        let place = |name: &str| repository.path().join(name);
        fs::create_dir(place(".git")).unwrap();
        write(place("shared/code/main.go"), "1");
        write(place("go/own/real"), "2");
        let link = |name: &str, target: &str| symlink(target, place("go/own").join(name)).unwrap();
        link("near", "real");
        link("made-by-the-build", "out/../bin");
        link("main.go", "../../shared/code/main.go");
        link("code", "../../shared/code");
        let before = hash(&place("go/own"), &[]);
        let built = tempfile::tempdir().unwrap();
        Content::of(&place("go/own"), &[]).unwrap().copy(built.path()).unwrap();
        assert_eq!(fs::read_link(built.path().join("near")).unwrap(), Path::new("real"));
        assert_eq!(fs::read_link(built.path().join("made-by-the-build")).unwrap(), Path::new("out/../bin"));
        for name in ["main.go", "code/main.go"] {
            assert!(fs::symlink_metadata(built.path().join(name)).unwrap().is_file(), "{name}");
        }
        assert_eq!(hash(built.path(), &[]), before);
        write(place("shared/code/main.go"), "3");
        assert_ne!(hash(&place("go/own"), &[]), before, "what a link leads to counts");
    }

    #[test]
    fn links_that_lead_out_or_round_are_refused_by_name() {
        let repository = tempfile::tempdir().unwrap();
        let own = repository.path().join("go/own");
        fs::create_dir_all(repository.path().join(".git")).unwrap();
        fs::create_dir_all(&own).unwrap();
        for (target, why) in [
            ("/etc/hostname", "lies outside of"),
            ("/dev/zero", "lies outside of"),
            ("../nowhere", "cannot be followed"),
            ("..", "leads back to its own folder"),
        ] {
            symlink(target, own.join("link")).unwrap();
            let error = Content::of(&own, &[]).unwrap_err().to_string();
            assert!(error.contains("own/link") && error.contains(why), "{error}");
            fs::remove_file(own.join("link")).unwrap();
        }
        // Without a repository nothing but the folder itself is known to belong to it.
        fs::remove_dir(repository.path().join(".git")).unwrap();
        write(repository.path().join("shared"), "1");
        symlink("../../shared", own.join("link")).unwrap();
        assert!(Content::of(&own, &[]).unwrap_err().to_string().contains("lies outside of"));
    }

    #[test]
    fn a_file_that_is_longer_than_the_memory_is_hashed_piece_by_piece() {
        let dir = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..3 * PIECE + 17).map(|at| (at % 251) as u8).collect();
        fs::write(dir.path().join("a"), &bytes).unwrap();
        let mut expected = Sha256::new();
        expected.update(1_u64.to_le_bytes());
        expected.update(b"a\0");
        expected.update((bytes.len() as u64).to_le_bytes());
        expected.update(&bytes);
        let expected: String = expected.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash(dir.path(), &[]), expected);
    }
}
