//! From a contender's folder to a program that can be started: copied, fetched, built, once for each content.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use velo_model::Contender;
use velo_record::BuildRecord;

use crate::LabError;
use crate::build::build_cache::{self, Ingredients, Kept, Slot};
use crate::build::command::{self, CommandFailure};
use crate::build::content::Content;
use crate::build::environment::{self, Use};
use crate::host::toolchain;
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
    /// This file of its kept build is not what was built.
    Changed(PathBuf),
    Done(BuildOutcome),
}

/// Where the builds of a contender are kept, and those of its variants and revisions.
pub(crate) fn folder(cache_dir: &Path, contender: &Contender) -> PathBuf {
    cache_dir
        .join("build")
        .join(contender.name.language())
        .join(contender.variant_of.as_ref().unwrap_or(&contender.name).folder())
}

/// How many of so many contenders are built at the same time, at least one.
pub(crate) fn workers(contenders: usize) -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(contenders.max(1))
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
    let workers = workers(contenders.len());
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
                    let mut tell = |told| {
                        let _ = events.send((index, told));
                    };
                    let mut left = Vec::new();
                    let result = build(contender, cache_dir, &log, stop, &mut tell, &mut left);
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
                Told::Changed(file) => progress.event(&Event::BuildChanged { contender, file }),
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
    tell: &mut dyn FnMut(Told),
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
    let unread = |error: &io::Error| failed("its folder cannot be read", &contender.dir, error);
    let content = Content::of(&contender.dir, &contender.borrows).map_err(|error| unread(&error))?;
    let content_hash = content.hash().map_err(|error| unread(&error))?;
    let folder = folder(cache_dir, contender);
    let ingredients = Ingredients {
        contender,
        content_hash: &content_hash,
        toolchains: &toolchain::outputs(contender),
        environment: &build_cache::environment(environment::inherited(Use::Build)),
    };
    // Variants that are built alike share what was built. Nobody else builds it, in this process or another.
    let slot = Slot::take(&folder, &ingredients.key(), stop, &mut |holder| tell(Told::Waits(holder)))
        .map_err(|error| failed("its build cannot be locked", &folder, &error))?
        .ok_or(NotBuilt::Stopped)?;
    let shared = cache_dir.join("shared").join(contender.name.language());
    let search_path = toolchain::search_path(contender);
    let kept = slot.built();
    if let Kept::Changed(file) = &kept {
        tell(Told::Changed(file.clone()));
    }
    let cached = matches!(kept, Kept::Whole(_));
    let dir = match kept {
        Kept::Whole(dir) => dir,
        Kept::Changed(_) | Kept::Nothing => {
            slot.begin().map_err(|error| failed("no folder to build in", &folder, &error))?
        }
    };
    let commands = Commands { dir: &dir, shared: &shared, search_path: search_path.as_deref(), stop };
    if !cached {
        content.copy(&dir).map_err(|error| failed("its folder cannot be copied to", &dir, &error))?;
        fs::create_dir_all(&shared).map_err(|error| failed("no shared folder", &shared, &error))?;
        commands
            .fetch_and_build(contender, log, left)
            .map_err(|why| with_left_out(why, &content.left_out))?;
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

/// A failed build with what it may have missed.
fn with_left_out(why: NotBuilt, left_out: &[String]) -> NotBuilt {
    match why {
        NotBuilt::BuildFailed(reason) if !left_out.is_empty() => NotBuilt::BuildFailed(format!(
            "{reason} (not copied, as tools make it anew: {})",
            left_out.join(", ")
        )),
        why => why,
    }
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
}
