use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use tar::Entry;
use velo_model::open_file;

use super::sums::{SUMS_FILE, Summed, Sums};
use crate::folder::{CALLS_FILE, MAX_CALLS_BYTES, MAX_RUN_BYTES, MAX_WINDOWS_BYTES, RUN_FILE, WINDOWS_FILE};
use crate::read::{CALLS, WINDOWS, parse_lines, parse_run_file, short};
use crate::{RecordError, Run};

/// Three lines.
const MAX_SUMS_BYTES: u64 = 4096;
/// What gzip writes first.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Whether a file begins as one of [`crate::Archive`] does.
pub fn is_archive(path: &Path) -> bool {
    let mut first = [0; MAGIC.len()];
    open_file(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == MAGIC
}

/// Reads a run from an archive. Nothing is written to disk, and what is unpacked is bounded as in a run's folder.
///
/// # Errors
/// When it cannot be read, holds anything else than a run's files, or one of them is not as its checksum says.
pub fn read_archive(path: &Path) -> Result<Run, RecordError> {
    let file = open_file(path).map_err(|source| RecordError::Io { path: path.to_owned(), source })?;
    read_from(path, BufReader::new(file))
}

/// What an archive holds, as far as it is read.
#[derive(Default)]
struct Parts {
    sums: Option<Sums>,
    file: Option<crate::RunFile>,
    windows: Option<(Vec<crate::Window>, bool)>,
    calls: Option<(Vec<crate::CallBlock>, bool)>,
}

pub(super) fn read_from(path: &Path, packed: impl Read) -> Result<Run, RecordError> {
    let mut archive = tar::Archive::new(GzDecoder::new(packed));
    let mut parts = Parts::default();
    // Raw, since extended headers could be of any length.
    for entry in archive.entries().map_err(|error| damaged(path, &error))?.raw(true) {
        parts.add(path, entry.map_err(|error| damaged(path, &error))?)?;
    }
    parts.run(path)
}

impl Parts {
    fn add(&mut self, path: &Path, entry: Entry<'_, impl Read>) -> Result<(), RecordError> {
        let name = name(&entry).ok_or_else(|| {
            let found = short(&String::from_utf8_lossy(&entry.path_bytes()));
            refused(path, format!("{found}: not a file that velo archive wrote"))
        })?;
        let place = path.join(name);
        let Some(sums) = &self.sums else {
            if name != SUMS_FILE {
                return Err(refused(&place, format!("expected {SUMS_FILE} before it")));
            }
            self.sums = Some(read_sums(&place, entry)?);
            return Ok(());
        };
        match name {
            RUN_FILE if self.file.is_none() => {
                self.file = Some(checked(&place, entry, MAX_RUN_BYTES, sums.of(name), |content| {
                    let mut bytes = Vec::new();
                    content.read_to_end(&mut bytes).map_err(|error| damaged(&place, &error))?;
                    parse_run_file(&place, &bytes)
                })?);
            }
            WINDOWS_FILE if self.windows.is_none() => {
                self.windows = Some(checked(&place, entry, MAX_WINDOWS_BYTES, sums.of(name), |content| {
                    parse_lines(&place, content, WINDOWS)
                })?);
            }
            CALLS_FILE if self.calls.is_none() => {
                self.calls = Some(checked(&place, entry, MAX_CALLS_BYTES, sums.of(name), |content| {
                    parse_lines(&place, content, CALLS)
                })?);
            }
            _ => return Err(refused(&place, "it is there twice".to_owned())),
        }
        Ok(())
    }

    fn run(self, path: &Path) -> Result<Run, RecordError> {
        let missing = |name: &str| refused(&path.join(name), "it is missing from the archive".to_owned());
        let sums = self.sums.ok_or_else(|| missing(SUMS_FILE))?;
        let mut file = self.file.ok_or_else(|| missing(RUN_FILE))?;
        let (windows, mut incomplete_tail) = self.windows.ok_or_else(|| missing(WINDOWS_FILE))?;
        match self.calls {
            Some((calls, incomplete_calls)) => {
                file.calls = calls;
                incomplete_tail |= incomplete_calls;
            }
            None if sums.of(CALLS_FILE).is_some() => return Err(missing(CALLS_FILE)),
            None => {}
        }
        Ok(Run { file, windows, incomplete_tail })
    }
}

/// The name of one of a run's files, within a folder of any name.
fn name(entry: &Entry<'_, impl Read>) -> Option<&'static str> {
    let path = entry.path_bytes();
    let slash = path.iter().position(|&byte| byte == b'/')?;
    if matches!(&path[..slash], b"" | b"." | b"..") {
        return None;
    }
    let names = [SUMS_FILE, RUN_FILE, WINDOWS_FILE, CALLS_FILE];
    let name = names.into_iter().find(|name| name.as_bytes() == &path[slash + 1..])?;
    entry.header().entry_type().is_file().then_some(name)
}

fn read_sums(place: &Path, entry: Entry<'_, impl Read>) -> Result<Sums, RecordError> {
    let mut text = String::new();
    if entry.size() > MAX_SUMS_BYTES {
        return Err(RecordError::TooLong { path: place.to_owned(), limit_bytes: MAX_SUMS_BYTES });
    }
    entry.take(MAX_SUMS_BYTES).read_to_string(&mut text).map_err(|error| damaged(place, &error))?;
    Sums::parse(&text).ok_or_else(|| refused(place, "expected a checksum and a name in each line".to_owned()))
}

/// Parses a file, and says that it is damaged where its checksum differs, whatever was found in it.
fn checked<R: Read, T>(
    place: &Path,
    entry: Entry<'_, R>,
    limit_bytes: u64,
    sum: Option<&str>,
    parse: impl FnOnce(&mut dyn BufRead) -> Result<T, RecordError>,
) -> Result<T, RecordError> {
    if entry.size() > limit_bytes {
        return Err(RecordError::TooLong { path: place.to_owned(), limit_bytes });
    }
    let mut content = BufReader::new(Summed::new(entry));
    let parsed = parse(&mut content);
    io::copy(&mut content, &mut io::sink()).map_err(|error| damaged(place, &error))?;
    if sum != Some(&content.into_inner().sum()) {
        let problem = format!(
            "its checksum is not that of {SUMS_FILE}: it was damaged or changed on its way; copy the archive again"
        );
        return Err(refused(place, problem));
    }
    parsed
}

fn damaged(path: &Path, error: &io::Error) -> RecordError {
    refused(path, format!("damaged or not an archive ({}); copy it again", short(&error.to_string())))
}

fn refused(path: &Path, problem: String) -> RecordError {
    RecordError::Archive { path: path.to_owned(), problem }
}
