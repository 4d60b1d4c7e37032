//! Texts that come from the command line or from a file named there.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::problem::Problem;

/// What a request, a table of values or an earlier result may come to.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A file of at most [`MOST_BYTES`].
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)).map_err(|error| {
        Problem::new(format!("{} cannot be read: {error}", path.display()), "expected a file that is there")
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Problem::new(
            format!("{} is larger than 64 MiB", path.display()),
            "expected a smaller file",
        ));
    }
    Ok(bytes)
}

/// `TEXT`, or `@FILE` for what a file holds; `@@` at the start stands for one `@`. A path is taken from `folder`.
pub(crate) fn text_or_file(text: &str, folder: &Path) -> Result<Vec<u8>, Problem> {
    match text.strip_prefix('@') {
        Some(escaped) if escaped.starts_with('@') => Ok(escaped.as_bytes().to_vec()),
        Some("") => Err(Problem::new("`@` names no file", "expected TEXT, or @FILE for what a file holds")),
        Some(path) => read(&folder.join(path)),
        None => Ok(text.as_bytes().to_vec()),
    }
}

/// The start of bytes, safe to print on one line.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN_BYTES: usize = 80;
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let mut text: String = String::from_utf8_lossy(shown)
        .chars()
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if bytes.len() > SHOWN_BYTES {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_at_sign_names_a_file_and_two_do_not() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("body"), b"\x00 from a file\n").expect("a file");
        let read = |text: &str| text_or_file(text, dir.path());
        assert_eq!(read("plain"), Ok(b"plain".to_vec()));
        assert_eq!(read("@body"), Ok(b"\x00 from a file\n".to_vec()));
        assert_eq!(read("@@name"), Ok(b"@name".to_vec()));
        assert!(read("@nowhere").expect_err("no file").what.contains("nowhere"));
        assert!(read("@").is_err());
    }

    #[test]
    fn an_excerpt_is_one_short_line() {
        let text = excerpt(&b"\x1b[31m\n\xff".repeat(1000));
        assert!(text.len() < 400 && !text.chars().any(char::is_control), "{text}");
    }
}
