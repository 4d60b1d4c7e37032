//! Where builds are kept: one for each content, commands, toolchains and environment, made by one process at a time.
//!
//! Beside the folders `KEY-xxxxxx` lie `KEY.lock`, held while somebody builds or looks, `KEY.built`, which names the folder
//! that holds a whole build, and `KEY.files`, which tells whether its files are still what was built. Each attempt has a folder of its own and stays in it: what is built may know its path (a Python
//! environment does), and what is left of an attempt that was killed, or still running, never gets into a later one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use velo_model::Contender;

use crate::build::kept;
use crate::progress::Stop;

/// Between two tries for a lock.
const POLL: Duration = Duration::from_millis(50);

/// Variables by which compilers and package managers build otherwise, as their manuals list them.
const VARIABLES: [&str; 24] = [
    "AR",
    "CC",
    "CFLAGS",
    "CPP",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "DOTNET_ROOT",
    "JAVA_HOME",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LD",
    "LDFLAGS",
    "MAVEN_ARGS",
    "MAVEN_OPTS",
    "NODE_ENV",
    "NODE_OPTIONS",
    "PKG_CONFIG_PATH",
    "PYTHONOPTIMIZE",
    "PYTHONPATH",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
];
/// The same by how their names begin.
const FAMILIES: [&str; 9] = [
    "CARGO_BUILD_",
    "CARGO_ENCODED_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "CGO_",
    "COMPOSER_",
    "GO",
    "PIP_",
    "npm_config_",
];
/// Where Go keeps and fetches what it needs, which changes nothing of what it builds.
const PLACES: [&str; 6] = ["GOBIN", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOTMPDIR"];

/// What a build depends on.
pub(crate) struct Ingredients<'a> {
    pub(crate) contender: &'a Contender,
    pub(crate) content_hash: &'a str,
    /// What the toolchains' version commands printed.
    pub(crate) toolchains: &'a [String],
    /// The variables that matter to a build, as [`environment`] picks them.
    pub(crate) environment: &'a [(OsString, OsString)],
}

impl Ingredients<'_> {
    /// Names a build: the same content, fetched and built by the same commands, with the same toolchains.
    pub(crate) fn key(&self) -> String {
        let mut hash = Sha256::new();
        let mut part = |bytes: Option<&[u8]>| {
            hash.update([u8::from(bytes.is_some())]);
            hash.update((bytes.map_or(0, <[u8]>::len) as u64).to_le_bytes());
            hash.update(bytes.unwrap_or_default());
        };
        part(Some(self.content_hash.as_bytes()));
        part(self.contender.fetch.as_deref().map(str::as_bytes));
        part(self.contender.build.as_deref().map(str::as_bytes));
        for line in self.toolchains {
            part(Some(line.as_bytes()));
        }
        // Where toolchains end and variables begin.
        part(None);
        for (name, value) in self.environment {
            part(Some(name.as_encoded_bytes()));
            part(Some(value.as_encoded_bytes()));
        }
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Of some variables those that matter to a build, in order of their names.
pub(crate) fn environment(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let matters = |name: &OsStr| {
        let name = name.to_string_lossy();
        VARIABLES.contains(&&*name)
            || (FAMILIES.iter().any(|family| name.starts_with(family)) && !PLACES.contains(&&*name))
    };
    let mut picked: Vec<_> = all.filter(|(name, _)| matters(name)).collect();
    picked.sort();
    picked
}

/// What there is of an earlier build.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// The folder of a whole one.
    Whole(PathBuf),
    /// This file of it is not what was built.
    Changed(PathBuf),
    Nothing,
}

/// The place of one build, which nobody else looks at or builds in as long as this lives.
#[derive(Debug)]
pub(crate) struct Slot {
    folder: PathBuf,
    key: String,
    /// The kernel gives it back with the process that holds it, however that ends.
    _lock: File,
}

impl Slot {
    /// Waits until nobody else has it; `None` when the run is to end before. `waits` is told once, when another process has
    /// it, with its id where that is known.
    ///
    /// # Errors
    /// When the folder cannot be written, or has no locks.
    pub(crate) fn take(
        folder: &Path,
        key: &str,
        stop: &Stop,
        waits: &mut dyn FnMut(Option<u32>),
    ) -> io::Result<Option<Self>> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{key}.lock"));
        let mut lock = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        let (mut told, mut before) = (false, None);
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) => {}
            }
            if stop.asked() {
                return Ok(None);
            }
            let now = holder(&path);
            if !told && is_another(before, now) {
                told = true;
                waits(now);
            }
            before = Some(now);
            std::thread::sleep(POLL);
        }
        lock.set_len(0)?;
        write!(lock, "{}", std::process::id())?;
        Ok(Some(Self { folder: folder.to_owned(), key: key.to_owned(), _lock: lock }))
    }

    /// What there is of an earlier build. One without a list of its files is none.
    pub(crate) fn built(&self) -> Kept {
        let name = fs::read_to_string(self.beside("built")).ok();
        let own = name.filter(|name| name.starts_with(&self.prefix()) && !name.contains('/'));
        let dir = own.map(|name| self.folder.join(name)).filter(|dir| dir.is_dir());
        let (Some(dir), Ok(list)) = (dir, fs::read(self.beside("files"))) else { return Kept::Nothing };
        kept::changed(&dir, &list).map_or(Kept::Whole(dir), Kept::Changed)
    }

    /// An empty folder for an attempt. What earlier ones left goes.
    pub(crate) fn begin(&self) -> io::Result<PathBuf> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(&self.prefix()) {
                // What cannot be removed, because its builder still writes there, is in nobody's way.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let made = tempfile::Builder::new()
            .prefix(&self.prefix())
            .permissions(Permissions::from_mode(0o777))
            .tempdir_in(&self.folder)?;
        Ok(made.keep())
    }

    /// From now on it is the build.
    pub(crate) fn finish(&self, dir: &Path) -> io::Result<()> {
        let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        velo_record::write_whole(&self.beside("files"), &kept::list(dir)?)?;
        velo_record::write_whole(&self.beside("built"), name.as_bytes())
    }

    fn beside(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{}.{what}", self.key))
    }

    fn prefix(&self) -> String {
        format!("{}-", self.key)
    }
}

/// Who wrote into a lock last; not known in the moment in which it changes hands.
fn holder(lock: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(lock).ok()?.take(20).read_to_string(&mut text).ok()?;
    text.parse().ok()
}

/// Whether another process has it: by two looks in turn, since between taking a lock and writing into it there is nothing in it, or who
/// had it before.
fn is_another(before: Option<Option<u32>>, now: Option<u32>) -> bool {
    before == Some(now) && now != Some(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    fn contender(fetch: Option<&str>, build: Option<&str>) -> Contender {
        let name = velo_model::ContenderName::new("go/gin").unwrap();
        Contender {
            fetch: fetch.map(str::to_owned),
            build: build.map(str::to_owned),
            ..Contender::running(name, String::new(), Vec::new())
        }
    }

    #[test]
    fn every_ingredient_counts_and_none_runs_into_the_next() {
        let plain = contender(None, Some("make"));
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        let key = |contender: &Contender, hash: &str, toolchains: &[&str], variables: &[(&str, &str)]| {
            let (toolchains, environment) = (lines(toolchains), pairs(variables));
            let content_hash = hash;
            Ingredients { contender, content_hash, toolchains: &toolchains, environment: &environment }.key()
        };
        let keys = [
            key(&plain, "a", &["go 1.26.8"], &[]),
            key(&plain, "b", &["go 1.26.8"], &[]),
            key(&plain, "a", &["go 1.27.0"], &[]),
            key(&plain, "a", &["go 1.26.8", "node 20"], &[]),
            key(&plain, "a", &["go 1.26.8"], &[("GOAMD64", "v3")]),
            key(&plain, "a", &["go 1.26.8", "GOAMD64", "v3"], &[]),
            key(&plain, "a", &["go 1.26.8"], &[("GOAMD64", "v1")]),
            key(&contender(Some("make"), None), "a", &["go 1.26.8"], &[]),
            key(&contender(None, Some("make all")), "a", &["go 1.26.8"], &[]),
        ];
        let mut different = keys.to_vec();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), keys.len(), "{keys:?}");
        assert_eq!(keys[0], key(&plain, "a", &["go 1.26.8"], &[]));
        assert!(keys[0].len() == 16 && keys[0].bytes().all(|byte| byte.is_ascii_hexdigit()));
    }

    #[test]
    fn variables_that_change_a_build_are_picked_in_order() {
        let all = pairs(&[
            ("RUSTFLAGS", "-C target-cpu=native"),
            ("HOME", "/root"),
            ("GOFLAGS", "-tags=x"),
            ("GOPATH", "/go"),
            ("LD_PRELOAD", "x.so"),
            ("CARGO_TERM_COLOR", "never"),
            ("CARGO_PROFILE_RELEASE_LTO", "fat"),
        ]);
        let names: Vec<_> = environment(all.into_iter()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["CARGO_PROFILE_RELEASE_LTO", "GOFLAGS", "RUSTFLAGS"]);
    }

    fn take(folder: &Path, key: &str) -> Slot {
        let stop = Stop::default();
        Slot::take(folder, key, &stop, &mut |holder| panic!("held by {holder:?}")).unwrap().unwrap()
    }

    #[test]
    fn only_what_was_finished_is_a_build_and_leftovers_go() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("go/gin");
        let slot = take(&folder, "k");
        assert_eq!(slot.built(), Kept::Nothing);
        let cut_short = slot.begin().unwrap();
        fs::write(cut_short.join("half"), "x").unwrap();
        drop(slot);

        let slot = take(&folder, "k");
        let other = take(&folder, "k2");
        assert_eq!(slot.built(), Kept::Nothing, "it was never finished");
        let kept = other.begin().unwrap();
        other.finish(&kept).unwrap();
        let whole = slot.begin().unwrap();
        assert!(!cut_short.exists() && whole != cut_short && fs::read_dir(&whole).unwrap().next().is_none());
        fs::write(whole.join("server"), "as built").unwrap();
        slot.finish(&whole).unwrap();
        drop(slot);
        assert_eq!(take(&folder, "k").built(), Kept::Whole(whole.clone()));
        assert_eq!(other.built(), Kept::Whole(kept), "another key is another build");
        fs::write(whole.join("server"), "replaced").unwrap();
        assert_eq!(take(&folder, "k").built(), Kept::Changed("server".into()));
        fs::remove_file(folder.join("k.files")).unwrap();
        assert_eq!(take(&folder, "k").built(), Kept::Nothing, "nothing tells what was built");
        fs::remove_dir_all(&whole).unwrap();
        assert_eq!(take(&folder, "k").built(), Kept::Nothing, "somebody cleared it away");
    }

    #[test]
    fn a_note_that_leads_elsewhere_is_none() {
        let root = tempfile::tempdir().unwrap();
        let slot = take(root.path(), "k");
        for name in ["", "k", "../x", "k-/../..", "other"] {
            fs::write(root.path().join("k.built"), name).unwrap();
            assert_eq!(slot.built(), Kept::Nothing, "{name:?}");
        }
    }

    #[test]
    fn one_at_a_time_and_a_run_that_is_to_end_does_not_wait() {
        let root = tempfile::tempdir().unwrap();
        let slot = take(root.path(), "k");
        let stop = Stop::default();
        stop.flag().store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(Slot::take(root.path(), "k", &stop, &mut |_| {}).unwrap().is_none());
        // Who has it is somebody else, by what stands in the file.
        fs::write(root.path().join("k.lock"), "1").unwrap();
        let (sender, told) = std::sync::mpsc::channel();
        let folder = root.path().to_owned();
        let waiting = std::thread::spawn(move || {
            let stop = Stop::default();
            Slot::take(&folder, "k", &stop, &mut |holder| sender.send(holder).unwrap()).unwrap().is_some()
        });
        assert_eq!(told.recv().unwrap(), Some(1));
        drop(slot);
        assert!(waiting.join().unwrap());
    }

    #[test]
    fn a_lock_that_changes_hands_is_nobody_elses() {
        let own = Some(std::process::id());
        assert!(!is_another(None, None) && !is_another(None, Some(1)), "one look");
        assert!(!is_another(Some(None), own) && !is_another(Some(Some(1)), own), "an own one, by now");
        assert!(!is_another(Some(Some(1)), None) && !is_another(Some(own), own));
        assert!(is_another(Some(Some(1)), Some(1)) && is_another(Some(None), None));
    }
}
