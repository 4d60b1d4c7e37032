//! Whether a kept build is still what was built: a list of its files as the kernel tells of them. Who runs in the folder may write to it,
//! also what another one starts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use velo_files::sha256_of;

/// Separates entries: no name holds it.
const END: u8 = 0;

/// The list, to be kept beside a build that has just ended: of each file its looks, a space, its name.
pub(crate) fn list(dir: &Path) -> io::Result<Vec<u8>> {
    let mut list = Vec::new();
    for (name, looks) in files(dir)? {
        list.extend_from_slice(looks.as_bytes());
        list.push(b' ');
        list.extend_from_slice(name.as_os_str().as_bytes());
        list.push(END);
    }
    Ok(list)
}

/// The first file of a list that is not what it was, or gone. What came to the folder later is nobody's: caches are written so.
pub(crate) fn changed(dir: &Path, list: &[u8]) -> Option<PathBuf> {
    list.split(|byte| *byte == END).filter(|entry| !entry.is_empty()).find_map(|entry| {
        let space = entry.iter().position(|byte| *byte == b' ')?;
        let name = PathBuf::from(OsString::from_vec(entry[space + 1..].to_vec()));
        let now = looks(&dir.join(&name)).ok();
        (now.as_deref().map(str::as_bytes) != Some(&entry[..space])).then_some(name)
    })
}

fn files(dir: &Path) -> io::Result<BTreeMap<PathBuf, String>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(dir.join(&folder))? {
            let entry = entry?;
            let name = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(name);
            } else {
                files.insert(name, looks(&entry.path())?);
            }
        }
    }
    Ok(files)
}

/// What changes when a file is written to or another takes its place. The time of its last change is the kernel's, which nobody sets back.
/// It moves too when one more name is given to a file, as package managers do that keep each file once: of those the content counts.
fn looks(path: &Path) -> io::Result<String> {
    let data = fs::symlink_metadata(path)?;
    let (mode, bytes) = (data.permissions().mode(), data.len());
    if data.is_file() && data.nlink() > 1 {
        let (sha256, _) = sha256_of(File::open(path)?)?;
        let sha256: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        return Ok(format!("{mode:o}:{bytes}:{sha256}"));
    }
    let (inode, seconds, nanoseconds) = (data.ino(), data.ctime(), data.ctime_nsec());
    Ok(format!("{mode:o}:{bytes}:{inode}:{seconds}.{nanoseconds:09}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    use super::*;

    fn built() -> (tempfile::TempDir, Vec<u8>) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("lib")).unwrap();
        for name in ["server", "lib/with space", "lib/app.py"] {
            fs::write(dir.path().join(name), "as built").unwrap();
        }
        symlink("server", dir.path().join("link")).unwrap();
        let list = list(dir.path()).unwrap();
        (dir, list)
    }

    #[test]
    fn what_is_added_changes_nothing() {
        let (dir, list) = built();
        assert_eq!(changed(dir.path(), &list), None);
        fs::create_dir(dir.path().join("lib/__pycache__")).unwrap();
        fs::write(dir.path().join("lib/__pycache__/app.pyc"), "x").unwrap();
        fs::write(dir.path().join("cache"), "x").unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("server")).unwrap(), "as built");
        assert_eq!(changed(dir.path(), &list), None);
    }

    #[test]
    fn what_is_replaced_written_to_or_gone_is_named() {
        type Deed = fn(&Path);
        let deeds: [(&str, Deed); 6] = [
            ("server", |dir| fs::remove_file(dir.join("server")).unwrap()),
            ("server", |dir| {
                fs::write(dir.join("other"), "as bui1t").unwrap();
                fs::rename(dir.join("other"), dir.join("server")).unwrap();
            }),
            // As long as before, and dated back.
            ("lib/app.py", |dir| {
                fs::write(dir.join("lib/app.py"), "as bui1t").unwrap();
                let file = File::options().write(true).open(dir.join("lib/app.py")).unwrap();
                file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            }),
            ("lib/with space", |dir| {
                let path = dir.join("lib/with space");
                fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
            }),
            ("link", |dir| {
                fs::remove_file(dir.join("link")).unwrap();
                symlink("lib/app.py", dir.join("link")).unwrap();
            }),
            ("server", |dir| {
                fs::remove_file(dir.join("server")).unwrap();
                rustix::fs::mknodat(
                    rustix::fs::CWD,
                    dir.join("server"),
                    rustix::fs::FileType::Fifo,
                    0o600.into(),
                    0,
                )
                .unwrap();
            }),
        ];
        for (name, deed) in deeds {
            let (dir, list) = built();
            deed(dir.path());
            assert_eq!(changed(dir.path(), &list), Some(PathBuf::from(name)));
        }
    }

    #[test]
    fn one_more_name_of_a_file_is_no_change_of_it() {
        let store = tempfile::tempdir().unwrap();
        let dir = tempfile::tempdir_in(store.path()).unwrap();
        fs::write(store.path().join("kept-once"), "as built").unwrap();
        fs::hard_link(store.path().join("kept-once"), dir.path().join("a")).unwrap();
        let list = list(dir.path()).unwrap();
        fs::hard_link(store.path().join("kept-once"), store.path().join("of-another-build")).unwrap();
        assert_eq!(changed(dir.path(), &list), None);
        fs::write(store.path().join("kept-once"), "as bui1t").unwrap();
        assert_eq!(changed(dir.path(), &list), Some(PathBuf::from("a")));
    }
}
