//! The logs of contenders: of what one writes the beginning and the end are kept.
//!
//! A contender writes to the file itself, so that a line costs it the same as anywhere, and nothing but a full disk makes it wait: a pipe would
//! be drained by somebody who takes CPU time from the measurement, and would stop a contender that fills it. What is too much is taken from the
//! middle of the file while it is written (`fallocate(2)`, `FALLOC_FL_PUNCH_HOLE`), which the contender does not notice. A log that does
//! not grow costs a look at its length, ten times a second, on CPUs that are not the contenders'.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// So much is kept of what was written first, and so much of what was written last.
const KEPT_BYTES: u64 = 1 << 20;
/// No less than that is taken out at once.
const LEAST_BYTES: u64 = 1 << 20;
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The part of a log that one start writes.
#[derive(Debug)]
pub(crate) struct BoundedLog {
    file: File,
    /// Where that part begins.
    pub(crate) begins: u64,
    /// Up to here nothing is left to be taken out.
    freed_to: u64,
    /// What was taken off its end, where the file system has no holes.
    lost_bytes: u64,
}

impl BoundedLog {
    /// Opens a log for appending. What is there and no file, as a pipe that a contender has put in its place, is removed.
    ///
    /// # Errors
    /// When it cannot be opened, or is no file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            std::fs::remove_file(path)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true).read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let file = options.open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("expected a regular file"));
        }
        let begins = file.metadata()?.len();
        Ok(Self { file, begins, freed_to: begins, lost_bytes: 0 })
    }

    /// Writes a line of its own, before the part that is bounded.
    pub(crate) fn begin(&mut self, line: &str) -> io::Result<()> {
        self.say(line)?;
        self.begins = self.file.metadata()?.len();
        self.freed_to = self.begins;
        Ok(())
    }

    /// Writes a line.
    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(format!("{line}\n").as_bytes())
    }

    /// For somebody who writes to it.
    pub(crate) fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Gives back the space of what is not kept.
    pub(crate) fn free(&mut self) {
        let Ok(length) = self.file.metadata().map(|data| data.len()) else { return };
        let from = self.freed_to.max(self.begins + KEPT_BYTES);
        let to = length.saturating_sub(KEPT_BYTES);
        let too_much = to.saturating_sub(from);
        if too_much < LEAST_BYTES {
            return;
        }
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        if fallocate(&self.file, hole, from, too_much).is_ok() {
            self.freed_to = to;
        } else if self.file.set_len(from).is_ok() {
            // Without holes its end has to go, which what is written next replaces.
            self.lost_bytes += length - from;
        }
    }

    /// Leaves the first and the last of it, with a line between that says how much there was. That, in bytes; `None` when all is kept. Nobody may
    /// write to it any more.
    pub(crate) fn cut(&mut self) -> Option<u64> {
        let length = self.file.metadata().ok()?.len();
        let written = length.saturating_sub(self.begins) + self.lost_bytes;
        if written <= 2 * KEPT_BYTES + LEAST_BYTES {
            return None;
        }
        let cut = || -> io::Result<()> {
            let first = self.begins + KEPT_BYTES;
            let last = length.saturating_sub(KEPT_BYTES).max(first);
            let mut end = vec![0; length.saturating_sub(last) as usize];
            self.file.read_exact_at(&mut end, last)?;
            self.file.set_len(first)?;
            let line =
                format!("\n--- {written} bytes were written here; the first and the last MiB are kept\n");
            (&self.file).write_all(line.as_bytes())?;
            (&self.file).write_all(&end)
        };
        // Where that fails, as on a full disk, what is there is no longer than what was freed before.
        let _ = cut();
        Some(written)
    }
}

/// Looks after the logs of all that runs.
#[derive(Debug)]
pub(crate) struct Logs {
    watched: Arc<Mutex<Vec<Weak<Mutex<BoundedLog>>>>>,
    written: WrittenLogs,
    /// Its end ends the thread.
    _ends: Sender<()>,
}

/// What was written to each log that was cut, in bytes, by its path.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenLogs(Arc<Mutex<BTreeMap<PathBuf, u64>>>);

impl WrittenLogs {
    /// Cuts a log that nobody writes to any more.
    pub(crate) fn cut(&self, log: &WatchedLog, path: &Path) {
        if let Some(written) = locked(log).cut() {
            *locked(&self.0).entry(path.to_owned()).or_default() += written;
        }
    }

    /// What was written to a log over all starts after which it was cut; `None` when it is whole.
    pub(crate) fn of(&self, path: &Path) -> Option<u64> {
        locked(&self.0).get(path).copied()
    }
}

/// A log that is being written.
pub(crate) type WatchedLog = Arc<Mutex<BoundedLog>>;

/// Access to a value that is whole whoever has failed meanwhile.
fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Logs {
    /// Begins to look, not on these CPUs as far as there are others.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn new(contenders_cpus: &[u32]) -> io::Result<Self> {
        let watched: Arc<Mutex<Vec<Weak<Mutex<BoundedLog>>>>> = Arc::default();
        let (ends, ended) = channel();
        let (all, cpus) = (Arc::clone(&watched), contenders_cpus.to_vec());
        let look = move || {
            leave(&cpus);
            while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                let mut all = locked(&all);
                all.retain(|log: &Weak<Mutex<BoundedLog>>| log.strong_count() > 0);
                all.iter().filter_map(Weak::upgrade).for_each(|log| locked(&log).free());
            }
        };
        thread::Builder::new().name("velo-logs".to_owned()).spawn(look)?;
        Ok(Self { watched, written: WrittenLogs::default(), _ends: ends })
    }

    /// What was written to those that were cut.
    pub(crate) fn written(&self) -> WrittenLogs {
        self.written.clone()
    }

    /// Looks after a log for as long as it is held.
    pub(crate) fn watch(&self, log: BoundedLog) -> WatchedLog {
        let log = Arc::new(Mutex::new(log));
        locked(&self.watched).push(Arc::downgrade(&log));
        log
    }
}

/// Takes the calling thread off some CPUs.
fn leave(cpus: &[u32]) {
    let Ok(mut others) = sched_getaffinity(None) else { return };
    cpus.iter().for_each(|&cpu| others.unset(cpu as usize));
    if others != CpuSet::new() {
        // Where it has to stay it is there for microseconds.
        let _ = sched_setaffinity(None, &others);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn the_first_and_the_last_of_a_long_log_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.log");
        std::fs::write(&path, "before\n").unwrap();
        let mut log = BoundedLog::open(&path).unwrap();
        log.begin("--- begins").unwrap();
        let mut writer = log.writer().unwrap();
        writer.write_all(b"first\n").unwrap();
        for _ in 0..40 {
            writer.write_all(&vec![b'x'; MIB]).unwrap();
            log.free();
            let used = writer.metadata().unwrap().blocks() * 512;
            assert!(used < 5 * MIB as u64, "{used}");
        }
        writer.write_all(b"\nlast\n").unwrap();
        assert_eq!(log.cut(), Some(40 * MIB as u64 + 12));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("before\n--- begins\nfirst\nxxx") && text.ends_with("xxx\nlast\n"));
        assert!(
            text.contains("\n--- 41943052 bytes were written here; the first and the last MiB are kept\nxxx")
        );
        assert!(text.len() < 2 * MIB + 200, "{}", text.len());
        assert!(!text.contains('\0'));
    }

    #[test]
    fn a_short_log_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.log");
        let mut log = BoundedLog::open(&path).unwrap();
        log.begin("--- begins").unwrap();
        log.writer().unwrap().write_all(&vec![b'x'; 2 * MIB]).unwrap();
        log.free();
        assert_eq!(log.cut(), None);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 * MIB as u64 + 11);
    }

    #[test]
    fn a_log_that_its_writer_cuts_or_that_has_holes_is_none_the_worse() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.log");
        let mut log = BoundedLog::open(&path).unwrap();
        log.begin("--- begins").unwrap();
        log.writer().unwrap().set_len(1 << 40).unwrap();
        log.free();
        assert!(log.cut().is_some_and(|written| written > 1 << 39));
        assert!(std::fs::metadata(&path).unwrap().len() < 3 * MIB as u64);
        let mut log = BoundedLog::open(&path).unwrap();
        log.writer().unwrap().set_len(0).unwrap();
        log.free();
        assert_eq!(log.cut(), None);
    }

    #[test]
    fn what_is_no_file_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, link, folder) =
            (dir.path().join("pipe"), dir.path().join("link"), dir.path().join("folder"));
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        for path in [&pipe, &link] {
            BoundedLog::open(path).unwrap().begin("--- begins").unwrap();
            assert_eq!(std::fs::read_to_string(path).unwrap(), "--- begins\n");
        }
        std::fs::create_dir(&folder).unwrap();
        assert!(BoundedLog::open(&folder).is_err());
    }

    #[test]
    fn logs_are_looked_after_while_they_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let logs = Logs::new(&[0]).unwrap();
        let log = logs.watch(BoundedLog::open(&dir.path().join("x.log")).unwrap());
        let mut writer = locked(&log).writer().unwrap();
        writer.write_all(&vec![b'x'; 8 * MIB]).unwrap();
        for _ in 0..1000 {
            if writer.metadata().unwrap().blocks() * 512 < 4 * MIB as u64 {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("nothing was freed in ten seconds");
    }
}
