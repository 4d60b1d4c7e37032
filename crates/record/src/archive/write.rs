use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use velo_model::open_file;

use super::sums::{SUMS_FILE, Summed, Sums};
use crate::folder::{CALLS_FILE, MAX_CALLS_BYTES, MAX_RUN_BYTES, MAX_WINDOWS_BYTES, RUN_FILE, WINDOWS_FILE};
use crate::{RecordError, ResultFile};

/// The longest name of a folder that an archive's header has room for beside its files' names.
const LONGEST_NAME: usize = 80;

/// A run's folder on its way into one file.
#[derive(Debug)]
pub struct Archive {
    name: String,
    sums: Sums,
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    name: &'static str,
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl Archive {
    /// Opens a run's files and sums them up.
    ///
    /// # Errors
    /// When one cannot be read, or is longer than any that is written here.
    pub fn of(dir: &Path) -> Result<Self, RecordError> {
        let name = dir.canonicalize().ok().and_then(|dir| Some(dir.file_name()?.to_str()?.to_owned()));
        let name = name.filter(|name| name.len() <= LONGEST_NAME).unwrap_or_else(|| "run".to_owned());
        let (mut sums, mut members) = (Sums::default(), Vec::new());
        for (member, limit_bytes) in
            [(RUN_FILE, MAX_RUN_BYTES), (WINDOWS_FILE, MAX_WINDOWS_BYTES), (CALLS_FILE, MAX_CALLS_BYTES)]
        {
            let path = dir.join(member);
            let io = |source| RecordError::Io { path: path.clone(), source };
            if member == CALLS_FILE && !path.try_exists().map_err(io)? {
                continue;
            }
            let file = open_file(&path).map_err(io)?;
            let mut summed = Summed::new((&file).take(limit_bytes + 1));
            let bytes = io::copy(&mut summed, &mut io::sink()).map_err(io)?;
            if bytes > limit_bytes {
                return Err(RecordError::TooLong { path, limit_bytes });
            }
            sums.insert(member, summed.sum());
            members.push(Member { name: member, path, file, bytes });
        }
        Ok(Self { name, sums, members })
    }

    /// The run's own name: that of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// When it cannot be written, or a file has changed since it was summed up, as in a run under way.
    pub fn write(&self, to: ResultFile) -> io::Result<()> {
        to.write_with(|file| self.pack(file))
    }

    pub(super) fn pack(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut tar = Builder::new(GzEncoder::new(to, Compression::default()));
        let sums = self.sums.text();
        let newest_s = self.members.iter().map(Member::modified_s).collect::<io::Result<Vec<_>>>()?;
        let newest_s = newest_s.into_iter().max().unwrap_or(0);
        tar.append(&self.header(SUMS_FILE, sums.len() as u64, newest_s)?, sums.as_bytes())?;
        for member in &self.members {
            let mut file = &member.file;
            file.rewind()?;
            let mut summed = Summed::new(file.take(member.bytes));
            tar.append(&self.header(member.name, member.bytes, member.modified_s()?)?, &mut summed)?;
            if self.sums.of(member.name) != Some(&summed.sum()) {
                let path = member.path.display();
                return Err(io::Error::other(format!(
                    "{path} changed while it was read: archive a run that has ended"
                )));
            }
        }
        tar.into_inner()?.finish()?.flush()
    }

    fn header(&self, name: &str, bytes: u64, modified_s: u64) -> io::Result<Header> {
        let mut header = Header::new_ustar();
        header.set_path(format!("{}/{name}", self.name))?;
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o644);
        header.set_mtime(modified_s);
        header.set_size(bytes);
        header.set_cksum();
        Ok(header)
    }
}

impl Member {
    fn modified_s(&self) -> io::Result<u64> {
        // Before 1970 there was no run.
        self.file.metadata().map(|facts| u64::try_from(facts.mtime()).unwrap_or(0))
    }
}
