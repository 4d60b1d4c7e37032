use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::folder::{LOGS, MAX_LINE_BYTES, RUN_FILE, WINDOWS_FILE};
use crate::whole::write_whole;
use crate::{Bounds, RecordError, RunFile, Window};

/// Writes a run's folder, so that a kill at any time leaves a readable one.
#[derive(Debug)]
pub struct RunWriter {
    dir: PathBuf,
    windows: File,
    /// The bytes of whole lines.
    windows_bytes: u64,
}

impl RunWriter {
    /// Makes the folder, where it is not there yet, and writes its first files.
    ///
    /// # Errors
    /// When it cannot, or when the folder holds a run already.
    pub fn create(dir: &Path, file: &RunFile) -> Result<Self, RecordError> {
        fs::create_dir_all(dir.join(LOGS))
            .map_err(|source| RecordError::Io { path: dir.to_owned(), source })?;
        let path = dir.join(WINDOWS_FILE);
        let windows = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)
            .map_err(|source| RecordError::Io { path, source })?;
        let mut writer = Self { dir: dir.to_owned(), windows, windows_bytes: 0 };
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
        let path = self.dir.join(WINDOWS_FILE);
        let mut line = serde_json::to_vec(window)
            .map_err(|error| RecordError::Io { path: path.clone(), source: error.into() })?;
        line.push(b'\n');
        if line.len() > MAX_LINE_BYTES {
            return Err(RecordError::TooLong { path, limit_bytes: MAX_LINE_BYTES as u64 });
        }
        // What would not be read again is not written.
        Bounds::WINDOW
            .check(&line)
            .map_err(|error| RecordError::Io { path: path.clone(), source: error.into() })?;
        if let Err(source) = self.windows.write_all(&line) {
            // Half a line, as on a full disk, would spoil the next one. If it cannot be taken back either, the reader
            // still takes it for the torn end of the file.
            let _ = self.windows.set_len(self.windows_bytes);
            return Err(RecordError::Io { path, source });
        }
        self.windows_bytes += line.len() as u64;
        Ok(())
    }

    /// Waits until the windows are on disk.
    ///
    /// # Errors
    /// When the kernel says that they are not.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.windows
            .sync_data()
            .map_err(|source| RecordError::Io { path: self.dir.join(WINDOWS_FILE), source })
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
