use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Opens a regular file to read it. Anything else is refused and never waited for: a named pipe without a writer would hold
/// up the caller, and a device might never come to its end. What was opened is what was looked at, so that nothing can be put
/// in its place in between.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn open_file(path: &Path) -> io::Result<File> {
    // Without waiting for a writer; a regular file is read as ever.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let found = match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "something else",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {found}; expected a regular file")))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_a_regular_file_is_opened() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("file"), "text").expect("a file");
        std::os::unix::fs::symlink(path("file"), path("link")).expect("a link");
        assert!(Command::new("mkfifo").arg(path("pipe")).status().expect("mkfifo").success());
        for name in ["file", "link"] {
            let mut text = String::new();
            open_file(&path(name)).expect("a regular file").read_to_string(&mut text).expect("text");
            assert_eq!(text, "text");
        }
        for (path, found) in
            [(path("pipe"), "a pipe"), (dir.path().to_owned(), "a folder"), ("/dev/zero".into(), "a device")]
        {
            let error = open_file(&path).expect_err("it was opened").to_string();
            assert_eq!(error, format!("it is {found}; expected a regular file"));
        }
        assert_eq!(open_file(&path("nowhere")).expect_err("no file").kind(), io::ErrorKind::NotFound);
    }
}
