use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::folder::{CALLS_FILE, LOGS, MAX_LINE_BYTES, RUN_FILE, WINDOWS_FILE};
use crate::whole::write_whole;
use crate::{Bounds, CallBlock, RecordError, RunFile, Window};

/// Writes a run's folder, so that a kill at any time leaves a readable one.
#[derive(Debug)]
pub struct RunWriter {
    dir: PathBuf,
    windows: Lines,
    /// Made when there is something to put in.
    calls: Option<Lines>,
}

/// A file that grows by whole lines.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: File,
    /// The bytes of whole lines.
    bytes: u64,
}

impl RunWriter {
    /// Makes the folder, where it is not there yet, and writes its first files.
    ///
    /// # Errors
    /// When it cannot, or when the folder holds a run already.
    pub fn create(dir: &Path, file: &RunFile) -> Result<Self, RecordError> {
        fs::create_dir_all(dir.join(LOGS))
            .map_err(|source| RecordError::Io { path: dir.to_owned(), source })?;
        let windows = Lines::create(dir.join(WINDOWS_FILE))?;
        let mut writer = Self { dir: dir.to_owned(), windows, calls: None };
        writer.update(file)?;
        Ok(writer)
    }

    /// Replaces the run file whole: a reader sees the old one or the new one.
    ///
    /// # Errors
    /// When it cannot be written; the old one then stands.
    pub fn update(&mut self, file: &RunFile) -> Result<(), RecordError> {
        let path = self.dir.join(RUN_FILE);
        let text = serde_json::to_vec_pretty(file).map_err(io::Error::from);
        text.and_then(|mut text| {
            text.push(b'\n');
            Bounds::RUN.check(&text)?;
            write_whole(&path, &text)
        })
        .map_err(|source| RecordError::Io { path, source })
    }

    /// Appends a window as one line with one write.
    ///
    /// # Errors
    /// When it cannot be written; the lines before it then stand, and another may be tried.
    pub fn append(&mut self, window: &Window) -> Result<(), RecordError> {
        self.windows.append(window, Bounds::WINDOW)
    }

    /// Appends single calls as one line with one write.
    ///
    /// # Errors
    /// As [`RunWriter::append`].
    pub fn append_calls(&mut self, block: &CallBlock) -> Result<(), RecordError> {
        let calls = match &mut self.calls {
            Some(calls) => calls,
            none => none.insert(Lines::create(self.dir.join(CALLS_FILE))?),
        };
        calls.append(block, Bounds::CALL)
    }

    /// Waits until windows and calls are on disk.
    ///
    /// # Errors
    /// When the kernel says that they are not.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        for lines in [Some(&self.windows), self.calls.as_ref()].into_iter().flatten() {
            lines.file.sync_data().map_err(|source| RecordError::Io { path: lines.path.clone(), source })?;
        }
        Ok(())
    }

    /// The path of a log of this name in the run's folder.
    pub fn log_path(&self, name: &str) -> PathBuf {
        self.dir.join(LOGS).join(name.replace('/', "-"))
    }

    /// The run's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Lines {
    fn create(path: PathBuf) -> Result<Self, RecordError> {
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        match file {
            Ok(file) => Ok(Self { path, file, bytes: 0 }),
            Err(source) => Err(RecordError::Io { path, source }),
        }
    }

    fn append(&mut self, value: &impl Serialize, bounds: Bounds) -> Result<(), RecordError> {
        let error = |source: io::Error| RecordError::Io { path: self.path.clone(), source };
        let mut line = serde_json::to_vec(value).map_err(|source| error(source.into()))?;
        line.push(b'\n');
        if line.len() > MAX_LINE_BYTES {
            return Err(RecordError::TooLong { path: self.path.clone(), limit_bytes: MAX_LINE_BYTES as u64 });
        }
        // What would not be read again is not written.
        bounds.check(&line).map_err(|source| error(source.into()))?;
        if let Err(source) = self.file.write_all(&line) {
            // Half a line, as on a full disk, would spoil the next one. If it cannot be taken back either, the reader
            // still takes it for the torn end of the file.
            let _ = self.file.set_len(self.bytes);
            return Err(RecordError::Io { path: self.path.clone(), source });
        }
        self.bytes += line.len() as u64;
        Ok(())
    }
}
