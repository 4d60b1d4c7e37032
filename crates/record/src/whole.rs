//! Files that are there whole or not at all: written under another name beside their place, then renamed.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// What a new file may be used for, before the user's mask.
const USUAL_MODE: u32 = 0o666;

/// A place for a result, found writable before there is a result.
#[derive(Debug)]
pub struct ResultFile(Place);

#[derive(Debug)]
enum Place {
    /// A file, or a name that is free; links are followed.
    Replaced(PathBuf),
    /// What cannot be replaced: a pipe, a device, a file in a folder that may not be changed.
    Held(File),
}

impl ResultFile {
    /// Makes sure that the place can be written to, and changes nothing there: an earlier file stays until
    /// [`ResultFile::write`], and a name that is free stays free.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn open(path: &Path) -> io::Result<Self> {
        let opened = Self::find(path)?;
        let Place::Replaced(place) = &opened.0 else { return Ok(opened) };
        match temporary(place) {
            Ok(_) => Ok(opened),
            // The folder may be another's, and the file ours.
            Err(error) if place.exists() => held(place).map_err(|_| error),
            Err(error) => Err(error),
        }
    }

    /// Puts the whole content there, in place of what was there before. When that fails, as on a full disk, the earlier file
    /// stands and nothing is left of the new one; only what cannot be replaced, as a pipe, may have taken a part of it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(self, content: &[u8]) -> io::Result<()> {
        self.write_with(|file| file.write_all(content))
    }

    /// The same, of what is too long to be held in memory: `fill` writes it, and once more where the place cannot be replaced after all.
    ///
    /// # Errors
    /// When it cannot be written, or `fill` fails.
    pub fn write_with(self, fill: impl Fn(&mut File) -> io::Result<()>) -> io::Result<()> {
        let place = match self.0 {
            Place::Replaced(place) => place,
            Place::Held(file) => return emptied(file).and_then(|mut file| fill(&mut file)),
        };
        // Dropped on the way, it is removed.
        let mut new = temporary(&place)?;
        fill(new.as_file_mut())?;
        new.as_file().sync_all()?;
        match new.persist(&place) {
            Ok(_) => {}
            // A file that something is mounted on, as containers do it, has no name that could be given away.
            Err(failed) if failed.error.kind() == io::ErrorKind::ResourceBusy => {
                return held(&place)?.write_with(fill);
            }
            Err(failed) => return Err(failed.error),
        }
        // Without this the new name may not outlive a loss of power.
        File::open(folder(&place)).and_then(|folder| folder.sync_all())
    }

    fn find(path: &Path) -> io::Result<Self> {
        // A file that somebody holds open (`--json /dev/stdout`) is not the one that would take its name.
        let is_open =
            ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|of| path.starts_with(of));
        match fs::metadata(path) {
            Ok(there) if there.is_file() && !is_open => Ok(Self(Place::Replaced(fs::canonicalize(path)?))),
            Ok(_) => held(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // The name at the end of a link that leads nowhere yet.
                let place = fs::read_link(path).map(|target| folder(path).join(target));
                Ok(Self(Place::Replaced(place.unwrap_or_else(|_| path.to_owned()))))
            }
            Err(error) => Err(error),
        }
    }
}

/// Writes a file whole, in place of an earlier one of that name: a reader sees the old one or the new one, also when the disk
/// is full.
///
/// # Errors
/// When it cannot be written; the earlier one then stands, and nothing of the new one is left.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let file = ResultFile::find(path)?;
    match file.write(content) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            ResultFile::open(path)?.write(content)
        }
        written => written,
    }
}

fn held(path: &Path) -> io::Result<ResultFile> {
    Ok(ResultFile(Place::Held(OpenOptions::new().write(true).open(path)?)))
}

fn emptied(file: File) -> io::Result<File> {
    // A pipe or a device has no length.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// A hidden file beside the place, as readable as what is there, or as any new file.
fn temporary(place: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = OsString::from(".");
    prefix.push(place.file_name().ok_or(io::ErrorKind::InvalidInput)?);
    prefix.push(".");
    let before = fs::metadata(place).ok().map(|before| before.permissions());
    let usual = Permissions::from_mode(USUAL_MODE);
    let new = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".new")
        .permissions(before.clone().unwrap_or(usual))
        .tempfile_in(folder(place))?;
    if let Some(before) = before {
        // The mask does not count for a file that was there.
        new.as_file().set_permissions(before)?;
    }
    Ok(new)
}

/// The folder that a name is in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_file_is_as_any_other_and_an_old_one_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let (path, usual) = (dir.path().join("a.json"), dir.path().join("usual"));
        write_whole(&path, b"one").unwrap();
        fs::write(&usual, "").unwrap();
        assert_eq!(mode(&path), mode(&usual), "the user's mask counts");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        write_whole(&path, b"2").unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("2", 0o640));
        assert_eq!(names(dir.path()), ["a.json", "usual"]);
    }

    #[test]
    fn opening_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (old, free) = (dir.path().join("old"), dir.path().join("free"));
        fs::write(&old, "old").unwrap();
        let opened = [ResultFile::open(&old).unwrap(), ResultFile::open(&free).unwrap()];
        assert_eq!(names(dir.path()), ["old"]);
        assert_eq!(fs::read_to_string(&old).unwrap(), "old");
        for file in opened {
            file.write(b"new").unwrap();
        }
        assert_eq!(names(dir.path()), ["free", "old"]);
        assert_eq!(fs::read_to_string(&old).unwrap(), "new");
        assert!(ResultFile::open(&dir.path().join("no/such")).is_err());
        assert!(ResultFile::open(dir.path()).is_err(), "a folder is no place for a file");
    }

    #[test]
    fn a_link_leads_to_the_file_that_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let place = |name: &str| dir.path().join(name);
        fs::create_dir(place("far")).unwrap();
        for (link, target) in [("there", "far/there"), ("free", "far/free")] {
            std::os::unix::fs::symlink(target, place(link)).unwrap();
        }
        fs::write(place("far/there"), "old").unwrap();
        for link in ["there", "free"] {
            write_whole(&place(link), b"new").unwrap();
            assert!(place(link).is_symlink());
            assert_eq!(fs::read_to_string(place(link)).unwrap(), "new");
        }
        assert_eq!(names(&place("far")), ["free", "there"]);
    }

    #[test]
    fn what_cannot_be_replaced_is_written_to() {
        let mut open = tempfile::tempfile().unwrap();
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
        write_whole(Path::new(&path), b"kept").unwrap();
        let mut text = String::new();
        open.read_to_string(&mut text).unwrap();
        assert_eq!(text, "kept");

        write_whole(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
        // Always as full as a disk can be.
        let full = write_whole(Path::new("/dev/full"), b"x").unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);

        let (mut reader, writer) = io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&writer));
        ResultFile::open(Path::new(&path)).unwrap().write(b"through").unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through");
    }
}
