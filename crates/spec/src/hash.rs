use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use velo_model::open_file;
use velo_request::{Definition, SpecError};

/// Folders deeper than this are refused: nothing asks for them, and a walk must end.
const MAX_DEPTH: usize = 16;
const MAX_FILES: usize = 10_000;

/// SHA-256 over a folder: for each file, in the order of their names, the length and text of the relative name, the
/// length and bytes of the content. The lengths keep two folders apart whose names and contents run into one another.
pub(crate) fn folder(dir: &Path) -> Result<String, SpecError> {
    let mut files = Vec::new();
    collect(dir, "", 0, &mut files)?;
    files.sort();
    let mut hash = Sha256::new();
    for (name, path) in &files {
        update_with_length(&mut hash, name.as_bytes());
        add_content(&mut hash, path)?;
    }
    Ok(hex(hash))
}

/// The same over a folder that is at hand.
pub(crate) fn held(files: &[(&str, &[u8])]) -> String {
    let mut sorted: Vec<_> = files.iter().collect();
    sorted.sort();
    let mut hash = Sha256::new();
    for (name, bytes) in sorted {
        update_with_length(&mut hash, name.as_bytes());
        update_with_length(&mut hash, bytes);
    }
    hex(hash)
}

fn hex(hash: Sha256) -> String {
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        // OK because writing to a String cannot fail.
        write!(text, "{byte:02x}").expect("a String takes all text");
    }
    text
}

fn update_with_length(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

fn add_content(hash: &mut Sha256, path: &Path) -> Result<(), SpecError> {
    let io = |source| SpecError::Io { file: path.to_owned(), source };
    let mut file = open_file(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    hash.update(length.to_be_bytes());
    let mut buffer = vec![0; 64 * 1024];
    let mut seen = 0_u64;
    loop {
        let count = file.read(&mut buffer).map_err(io)?;
        if count == 0 {
            break;
        }
        seen += count as u64;
        if seen > length {
            break;
        }
        hash.update(&buffer[..count]);
    }
    if seen == length { Ok(()) } else { Err(refused(path, "changed while it was read", "read it again")) }
}

fn collect(
    dir: &Path,
    prefix: &str,
    depth: usize,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), SpecError> {
    let io = |source| SpecError::Io { file: dir.to_owned(), source };
    if depth > MAX_DEPTH {
        return Err(refused(
            dir,
            &format!("lies more than {MAX_DEPTH} folders deep"),
            "expected a flatter folder",
        ));
    }
    for entry in std::fs::read_dir(dir).map_err(io)? {
        let entry = entry.map_err(io)?;
        let path = entry.path();
        let Some(own_name) = entry.file_name().to_str().map(str::to_owned) else {
            return Err(refused(&path, "its name is not UTF-8", "rename it"));
        };
        let name = format!("{prefix}{own_name}");
        let kind = entry.file_type().map_err(io)?;
        if kind.is_dir() {
            collect(&path, &format!("{name}/"), depth + 1, files)?;
        } else if kind.is_file() {
            files.push((name, path));
        } else {
            return Err(refused(
                &path,
                "neither a file nor a folder",
                "a workload's folder holds files and folders only",
            ));
        }
        if files.len() > MAX_FILES {
            return Err(refused(
                dir,
                &format!("more than {MAX_FILES} files"),
                "expected the workload's own files only",
            ));
        }
    }
    Ok(())
}

fn refused(file: &Path, problem: &str, expected: &str) -> SpecError {
    Definition {
        file: file.to_owned(),
        line: None,
        key: None,
        problem: problem.to_owned(),
        expected: Some(expected.to_owned()),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn hash_of(files: &[(&str, &str)]) -> String {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, content) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        folder(dir.path()).expect("a hash")
    }

    #[test]
    fn known_answer() {
        // printf '\0\0\0\0\0\0\0\1a\0\0\0\0\0\0\0\2bc' | sha256sum
        assert_eq!(
            hash_of(&[("a", "bc")]),
            "3fafa1cf2f19a7c1129beb20cf0983f73a489a221fc0dd2f16d1be292d089205"
        );
    }

    #[test]
    fn names_contents_and_their_borders_count() {
        let plain = hash_of(&[("a", "bc"), ("d/e", "f")]);
        assert_eq!(plain, hash_of(&[("d/e", "f"), ("a", "bc")]));
        for other in [
            hash_of(&[("ab", "c"), ("d/e", "f")]),
            hash_of(&[("a", "bc"), ("d-e", "f")]),
            hash_of(&[("a", "bc"), ("d/e", "g")]),
            hash_of(&[("a", "bc")]),
        ] {
            assert_ne!(plain, other);
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_are_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("/", dir.path().join("loop")).expect("a link");
        let error = folder(dir.path()).expect_err("a link was followed").to_string();
        assert!(error.contains("neither a file nor a folder"), "{error}");
    }
}
