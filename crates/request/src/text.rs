//! Texts that come from the command line or from a file named there.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use velo_model::open_file;

use crate::problem::Problem;

/// What a request, a table of values or an earlier result may come to.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A file of at most 64 MiB. The user names it, so it may be a pipe, such as a shell makes of `<(command)`.
///
/// # Errors
/// When it cannot be read, or is larger.
pub fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    read_opened(path, File::open(path))
}

fn read_opened(path: &Path, file: io::Result<File>) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    file.and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)).map_err(|error| {
        Problem::new(format!("{} cannot be read: {error}", path.display()), "expected an existing file")
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Problem::new(
            format!("{} is larger than 64 MiB", path.display()),
            "expected a smaller file",
        ));
    }
    Ok(bytes)
}

/// Standard input, which several flags may name.
fn standard_input() -> Result<Vec<u8>, Problem> {
    static READ: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(bytes) = READ.get() {
        return Ok(bytes.clone());
    }
    let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let bytes = read_opened(Path::new("standard input"), file)?;
    Ok(READ.get_or_init(|| bytes).clone())
}

/// Where `@FILE` is looked for.
#[derive(Debug, Clone)]
pub enum Folder {
    /// From here, wherever the path leads; `-` is standard input.
    From(PathBuf),
    /// In this folder and nowhere else.
    Within(PathBuf),
    /// In a folder that is at hand: its files, by name.
    Held(Vec<(String, Vec<u8>)>),
    /// There is none.
    None,
}

impl Folder {
    /// A file of at most 64 MiB.
    ///
    /// # Errors
    /// When it cannot be read, is larger, or lies elsewhere.
    pub fn read(&self, file: &str) -> Result<Vec<u8>, Problem> {
        let is_within = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        match self {
            Self::From(_) if file == "-" => standard_input(),
            Self::From(folder) => read(&folder.join(file)),
            Self::Within(folder) if is_within(Path::new(file)) => {
                let path = folder.join(file);
                read_opened(&path, open_file(&path))
            }
            Self::Within(_) => Err(Problem::new(
                format!("`{file}` is not in the definition's own folder"),
                "expected a file beside it, since its folder is what identifies it",
            )),
            Self::Held(files) => {
                let found = files.iter().find(|(name, _)| name == file);
                found.map(|(_, bytes)| bytes.clone()).ok_or_else(|| {
                    Problem::new(
                        format!("`{file}` is not in the definition's own folder"),
                        "expected a file beside it, since its folder is what identifies it",
                    )
                })
            }
            Self::None => Err(Problem::new(
                format!("`{file}` cannot be read: this definition has no folder"),
                "expected the text itself",
            )),
        }
    }

    /// `TEXT`, or `@FILE` for what a file holds; `@@` at the start stands for one `@`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn text(&self, text: &str) -> Result<Vec<u8>, Problem> {
        match text.strip_prefix('@') {
            Some(escaped) if escaped.starts_with('@') => Ok(escaped.as_bytes().to_vec()),
            Some("") => {
                Err(Problem::new("`@` names no file", "expected TEXT, or @FILE for what a file holds"))
            }
            Some(file) => self.read(file),
            None => Ok(text.as_bytes().to_vec()),
        }
    }
}

/// The start of bytes, safe to print on one line.
pub fn excerpt(bytes: &[u8]) -> String {
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
        let read = |text: &str| Folder::From(dir.path().to_owned()).text(text);
        assert_eq!(read("plain"), Ok(b"plain".to_vec()));
        assert_eq!(read("@body"), Ok(b"\x00 from a file\n".to_vec()));
        assert_eq!(read("@@name"), Ok(b"@name".to_vec()));
        assert!(read("@nowhere").expect_err("no file").what.contains("nowhere"));
        assert!(read("@").is_err());
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        let (from, other) = (dir.path().to_owned(), pipe.clone());
        let writer = std::thread::spawn(move || std::fs::write(other, "from a pipe").expect("a reader"));
        assert_eq!(read("@pipe"), Ok(b"from a pipe".to_vec()));
        writer.join().expect("all is written");
        let within = |text: &str| Folder::Within(from.clone()).text(text);
        // Nobody may write to it.
        let error = within("@pipe").expect_err("a pipe was read").what;
        assert!(error.ends_with("cannot be read: it is a pipe; expected a regular file"), "{error}");
        assert_eq!(within("@body"), read("@body"));
        for elsewhere in ["@../body", "@/etc/hostname", "@a/../../body"] {
            assert!(within(elsewhere).expect_err("elsewhere").what.contains("own folder"), "{elsewhere}");
        }
        assert!(Folder::None.text("@body").is_err());
    }

    #[test]
    fn an_excerpt_is_one_short_line() {
        let text = excerpt(&b"\x1b[31m\n\xff".repeat(1000));
        assert!(text.len() < 400 && !text.chars().any(char::is_control), "{text}");
    }
}
