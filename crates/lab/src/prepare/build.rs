//! From a contender's folder to a program that can be started: copied, fetched, built, once for each content.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use velo_record::BuildRecord;
use velo_spec::Contender;

use crate::LabError;
use crate::prepare::build_cache::{self, Ingredients, Slot};
use crate::prepare::command::{self, CommandFailure};
use crate::prepare::environment::{self, Use};
use crate::prepare::toolchain;
use crate::progress::{BuildOutcome, Event, Progress, Stop};

/// A contender ready to be started.
#[derive(Debug, Clone)]
pub(crate) struct Built {
    pub(crate) dir: PathBuf,
    /// The `PATH` to start it with, where the usual one does not lead to what it wants.
    pub(crate) search_path: Option<OsString>,
    pub(crate) version: String,
    pub(crate) toolchains: Vec<String>,
    pub(crate) record: BuildRecord,
}

/// Why a contender cannot be started.
#[derive(Debug, Clone)]
pub(crate) enum NotBuilt {
    /// For want of something.
    Skipped { reason: String, cure: Option<String> },
    /// Its build failed.
    BuildFailed(String),
    /// It does not say its version.
    NoVersion(String),
    /// The run was asked to end.
    Stopped,
}

const FETCH_LIMIT: Duration = Duration::from_secs(900);
const BUILD_LIMIT: Duration = Duration::from_secs(1200);
const VERSION_LIMIT: Duration = Duration::from_secs(60);

/// What builds leave in a source folder; it is neither copied nor does it count as content.
const NOT_CONTENT: [&str; 6] = ["node_modules", ".venv", "target", "__pycache__", "vendor", ".git"];

/// Makes sure that builds can be kept, so that a folder of somebody else is not taken for the contenders' failure.
///
/// # Errors
/// When it cannot be made, or nothing can be written there.
pub(crate) fn check_cache(cache_dir: &Path) -> Result<(), LabError> {
    let dir = cache_dir.join("build");
    let tried = fs::create_dir_all(&dir).and_then(|()| tempfile::tempfile_in(&dir));
    tried.map(drop).map_err(|error| LabError::Unfit {
        what: format!("{}: builds cannot be kept there: {error}", dir.display()),
        cure: "expected a folder that this user may write to: change its owner, or remove it".to_owned(),
    })
}

/// What a builder tells on its way.
enum Told {
    Started,
    /// Another process, by its id where that is known, builds the same.
    Waits(Option<u32>),
    Done(BuildOutcome),
}

/// Builds contenders side by side, as many as there are CPUs, in the order given; with the names of the programs that a build
/// left running, and that were ended.
pub(crate) fn build_all(
    contenders: &[Contender],
    cache_dir: &Path,
    log_path: &(dyn Fn(&Contender, &str) -> PathBuf + Sync),
    progress: &mut dyn Progress,
    stop: &Stop,
) -> Vec<(Result<Built, NotBuilt>, Vec<String>)> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![(Err(NotBuilt::Stopped), Vec::new()); contenders.len()]);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(contenders.len());
    let (events, told) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let events = events.clone();
            scope.spawn(|| {
                let events = events;
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(contender) = contenders.get(index) else { return };
                    // Nobody listens only when the run is ending.
                    let _ = events.send((index, Told::Started));
                    let log = log_path(contender, "build.log");
                    let mut waits = |holder| {
                        let _ = events.send((index, Told::Waits(holder)));
                    };
                    let mut left = Vec::new();
                    let result = build(contender, cache_dir, &log, stop, &mut waits, &mut left);
                    left.sort_unstable();
                    left.dedup();
                    let outcome = match &result {
                        Ok(built) if built.record.cached => BuildOutcome::Cached,
                        Ok(built) => BuildOutcome::Built(Duration::from_nanos(built.record.duration_ns)),
                        Err(NotBuilt::Skipped { reason, .. }) => BuildOutcome::Skipped(reason.clone()),
                        Err(NotBuilt::BuildFailed(reason) | NotBuilt::NoVersion(reason)) => {
                            BuildOutcome::Failed(reason.clone())
                        }
                        Err(NotBuilt::Stopped) => BuildOutcome::Skipped("interrupted".to_owned()),
                    };
                    if let Ok(mut results) = results.lock() {
                        results[index] = (result, left);
                    }
                    let _ = events.send((index, Told::Done(outcome)));
                }
            });
        }
        drop(events);
        let mut done = 0;
        for (index, told) in told {
            let contender = contenders[index].name.clone();
            match told {
                Told::Started => progress.event(&Event::BuildStarted { contender }),
                Told::Waits(holder) => progress.event(&Event::BuildWaits { contender, holder }),
                Told::Done(outcome) => {
                    done += 1;
                    progress.event(&Event::BuildDone { contender, outcome, done, of: contenders.len() });
                }
            }
        }
    });
    results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn build(
    contender: &Contender,
    cache_dir: &Path,
    log: &Path,
    stop: &Stop,
    waits: &mut dyn FnMut(Option<u32>),
    left: &mut Vec<String>,
) -> Result<Built, NotBuilt> {
    if stop.asked() {
        return Err(NotBuilt::Stopped);
    }
    if let Some(missing) = toolchain::missing(contender) {
        return Err(NotBuilt::Skipped { reason: missing.reason, cure: Some(missing.cure) });
    }
    let began = Instant::now();
    let failed = |what: &str, path: &Path, error: &io::Error| {
        NotBuilt::BuildFailed(format!("{what}: {}: {error}", path.display()))
    };
    let content_hash = content_hash(&contender.dir, &contender.borrows)
        .map_err(|error| failed("its folder cannot be read", &contender.dir, &error))?;
    let folder = cache_dir
        .join("build")
        .join(contender.name.language())
        .join(contender.variant_of.as_ref().unwrap_or(&contender.name).short());
    let ingredients = Ingredients {
        contender,
        content_hash: &content_hash,
        toolchains: &toolchain::outputs(contender),
        environment: &build_cache::environment(environment::inherited(Use::Build)),
    };
    // Variants that are built alike share what was built. Nobody else builds it, in this process or another.
    let slot = Slot::take(&folder, &ingredients.key(), stop, waits)
        .map_err(|error| failed("its build cannot be locked", &folder, &error))?
        .ok_or(NotBuilt::Stopped)?;
    let shared = cache_dir.join("shared").join(contender.name.language());
    let search_path = toolchain::search_path(contender);
    let kept = slot.built();
    let cached = kept.is_some();
    let dir = match kept {
        Some(dir) => dir,
        None => slot.begin().map_err(|error| failed("no folder to build in", &folder, &error))?,
    };
    let commands = Commands { dir: &dir, shared: &shared, search_path: search_path.as_deref(), stop };
    if !cached {
        copy_tree(&contender.dir, &contender.borrows, &dir)
            .map_err(|error| failed("its folder cannot be copied to", &dir, &error))?;
        fs::create_dir_all(&shared).map_err(|error| failed("no shared folder", &shared, &error))?;
        commands.fetch_and_build(contender, log, left)?;
        slot.finish(&dir).map_err(|error| failed("the build cannot be kept in", &folder, &error))?;
    }
    let duration_ns = began.elapsed().as_nanos() as u64;
    let version = commands.version(contender)?;
    Ok(Built {
        version,
        toolchains: toolchain::receipts(contender),
        record: BuildRecord { content_hash, cached, duration_ns },
        dir,
        search_path,
    })
}

/// What the commands of a manifest run in and with.
struct Commands<'a> {
    dir: &'a Path,
    shared: &'a Path,
    search_path: Option<&'a OsStr>,
    stop: &'a Stop,
}

impl Commands<'_> {
    fn environment(&self) -> Vec<(&str, &OsStr)> {
        let path = self.search_path.map(|path| ("PATH", path));
        path.into_iter().chain([("SHARED", self.shared.as_os_str())]).collect()
    }

    fn step(
        &self,
        text: &str,
        log: &Path,
        limit: Duration,
        left: &mut Vec<String>,
    ) -> Result<(), CommandFailure> {
        command::run_logged(text, self.dir, &self.environment(), log, limit, self.stop, left)
    }

    fn fetch_and_build(
        &self,
        contender: &Contender,
        log: &Path,
        left: &mut Vec<String>,
    ) -> Result<(), NotBuilt> {
        if let Some(fetch) = &contender.fetch {
            self.step(fetch, log, FETCH_LIMIT, left).map_err(|failure| match failure {
                CommandFailure::Stopped => NotBuilt::Stopped,
                failure => NotBuilt::Skipped {
                    reason: format!("what it depends on cannot be fetched: {failure}"),
                    cure: Some("run again where its package registry can be reached".to_owned()),
                },
            })?;
        }
        if let Some(build) = &contender.build {
            self.step(build, log, BUILD_LIMIT, left).map_err(|failure| match failure {
                CommandFailure::Stopped => NotBuilt::Stopped,
                failure => NotBuilt::BuildFailed(failure.to_string()),
            })?;
        }
        Ok(())
    }

    /// A contender that does not say its version is not measured.
    fn version(&self, contender: &Contender) -> Result<String, NotBuilt> {
        let environment = self.environment();
        let output =
            command::run_captured(&contender.version, self.dir, &environment, VERSION_LIMIT, self.stop);
        let output = output.map_err(|failure| match failure {
            CommandFailure::Stopped => NotBuilt::Stopped,
            failure => NotBuilt::NoVersion(format!("`version` failed: {failure}")),
        })?;
        output
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(|line| line.chars().filter(|c| !c.is_control()).take(200).collect())
            .ok_or_else(|| NotBuilt::NoVersion("`version` printed nothing".to_owned()))
    }
}

/// SHA-256 over the relative names, executable bits and contents of a folder's files and of those that it borrows, in order of their
/// names.
pub(crate) fn content_hash(dir: &Path, borrows: &[String]) -> io::Result<String> {
    let mut hash = Sha256::new();
    for (name, path) in content(dir, borrows)? {
        let name = name.to_string_lossy().into_owned();
        let content = fs::read(&path)?;
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        hash.update([u8::from(is_executable(&path)?)]);
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(&content);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn is_executable(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(path)?.permissions().mode() & 0o100 != 0)
}

/// The files that a contender is built from, by their names in the folder where that is done.
fn content(dir: &Path, borrows: &[String]) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let mut folders = vec![(PathBuf::new(), dir.to_owned())];
    for place in borrows {
        let folder = dir.join("..").join(place);
        folders.push((folder.file_name().map(PathBuf::from).unwrap_or_default(), folder));
    }
    let mut files = Vec::new();
    for (name, folder) in folders {
        for path in files_below(&folder)? {
            files.push((name.join(path.strip_prefix(&folder).unwrap_or(&path)), path));
        }
    }
    files.sort();
    Ok(files)
}

fn files_below(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if !NOT_CONTENT.iter().any(|name| entry.file_name() == *name) {
                    folders.push(entry.path());
                }
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

fn copy_tree(from: &Path, borrows: &[String], to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for (name, path) in content(from, borrows)? {
        let target = to.join(name);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&path, &target)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_that_cannot_be_written_is_named_and_unfit() {
        let dir = tempfile::tempdir().unwrap();
        check_cache(&dir.path().join("new")).unwrap();
        // Not even root can make a folder in a file.
        fs::write(dir.path().join("file"), "").unwrap();
        let error = check_cache(&dir.path().join("file")).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, LabError::Unfit { .. }), "{text}");
        let path = dir.path().join("file/build");
        assert!(text.starts_with(&format!("{}: builds cannot be kept there: ", path.display())), "{text}");
    }

    #[test]
    fn the_hash_follows_names_contents_and_bits_but_not_what_builds_leave() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        write("a", "1");
        let first = content_hash(dir.path(), &[]).unwrap();
        fs::create_dir(dir.path().join("node_modules")).unwrap();
        write("node_modules/x", "y");
        assert_eq!(content_hash(dir.path(), &[]).unwrap(), first);
        write("a", "2");
        let second = content_hash(dir.path(), &[]).unwrap();
        assert_ne!(first, second);
        fs::rename(dir.path().join("a"), dir.path().join("b")).unwrap();
        assert_ne!(content_hash(dir.path(), &[]).unwrap(), second);
    }

    #[test]
    fn what_is_borrowed_counts_and_is_copied_as_if_it_were_its_own() {
        let language = tempfile::tempdir().unwrap();
        let place = |name: &str| language.path().join(name);
        let write = |name: &str, text: &str| {
            fs::create_dir_all(place(name).parent().unwrap()).unwrap();
            fs::write(place(name), text).unwrap();
        };
        write("owner/kit/inner/a", "1");
        write("own/main", "2");
        write("whole/main", "2");
        write("whole/kit/inner/a", "1");
        let borrows = ["owner/kit".to_owned()];
        let hash = || content_hash(&place("own"), &borrows).unwrap();
        let first = hash();
        assert_eq!(first, content_hash(&place("whole"), &[]).unwrap());
        assert_ne!(first, content_hash(&place("own"), &[]).unwrap());
        copy_tree(&place("own"), &borrows, &place("built")).unwrap();
        assert_eq!(first, content_hash(&place("built"), &[]).unwrap());
        write("owner/kit/inner/a", "3");
        assert_ne!(first, hash());
    }
}
