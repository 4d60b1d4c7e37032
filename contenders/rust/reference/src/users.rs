//! The file of users, a password's request body and its hash.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use memchr::memmem;
use sha2::{Digest, Sha512};

use crate::json::{is_space, string, token};

pub const HASH_LENGTH: usize = 128;

/// Reads `{"password": "..."}`, with whitespace wherever JSON allows it, and nothing else.
pub fn password(body: &[u8]) -> Option<String> {
    let rest = token(body, b"{")?;
    let rest = token(rest, b"\"password\"")?;
    let rest = token(rest, b":")?;
    let (password, rest) = string(rest)?;
    let rest = token(rest, b"}")?;
    is_space(rest).then_some(password)
}

/// SHA-512, in hexadecimal digits.
pub fn hash(password: &str) -> [u8; HASH_LENGTH] {
    let mut digits = [0; HASH_LENGTH];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(Sha512::digest(password)) {
        pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
        pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
    }
    digits
}

pub struct Users {
    path: PathBuf,
    /// As it was read for the last request. Only its memory is used again.
    file: Vec<u8>,
}

impl Users {
    pub fn new(path: PathBuf) -> Users {
        Users { path, file: Vec::new() }
    }

    /// Reads the file from its start to its end and looks for the user.
    pub fn contain(&mut self, id: u64) -> io::Result<bool> {
        self.file.clear();
        File::open(&self.path)?.read_to_end(&mut self.file)?;
        Ok(contains(&self.file, id))
    }
}

/// The id's digits are rare in the file and quickly found. Wherever they stand, their surroundings tell whether
/// they are an id: a quote stands before `id"` only where a string begins or after a backslash, and a colon
/// outside of strings only after a key.
fn contains(file: &[u8], id: u64) -> bool {
    let digits = id.to_string();
    memmem::find_iter(file, &digits).any(|start| is_id(&file[..start], &file[start + digits.len()..]))
}

fn is_id(before: &[u8], after: &[u8]) -> bool {
    let key = before.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
    let is_key = key.and_then(|key| key.strip_suffix(b"\"id\"")).is_some_and(|rest| !rest.ends_with(b"\\"));
    is_key && matches!(after.trim_ascii_start().first(), Some(b',' | b'}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_password() {
        assert_eq!(password(br#"{"password":"secret"}"#).as_deref(), Some("secret"));
        assert_eq!(password(b" {\n\"password\"\t: \"\\u00e4\\n\" } \r\n").as_deref(), Some("ä\n"));
        assert_eq!(password(br#"{"password": ""}"#).as_deref(), Some(""));
    }

    #[test]
    fn refuses_other_bodies() {
        for body in [
            "",
            "{",
            "{}",
            "[]",
            "\"secret\"",
            "{\"password\"}",
            "{\"password\":}",
            "{\"password\":1}",
            "{\"password\":null}",
            "{\"password\":secret}",
            "{\"password\":\"secret\"",
            "{\"password\":\"secret",
            "{\"password\":\"secret\",}",
            "{\"password\":\"secret\"}}",
            "{\"password\":\"secret\"}x",
            "{\"password\":\"a\",\"password\":\"b\"}",
            "{\"Password\":\"secret\"}",
            "{\"pass",
        ] {
            assert_eq!(password(body.as_bytes()), None, "{body}");
        }
    }

    /// The example of FIPS 180.
    #[test]
    fn hashes() {
        assert_eq!(
            hash("abc").as_slice(),
            b"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
              2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
    }

    #[test]
    fn finds_ids_and_nothing_else() {
        let file =
            br#"[{"id": 734512, "name": "Marlou 41", "age": 41, "active": true, "city": "\"id\": 5, "},
            { "name":"\\","id" :
            17	}, {"age":8,"x\"id":6,"id":1000},{"name":"id","id":9,"city":"id\":7,"},
            {"id":12e1},{"id":13.0},{"id":-14},{"id":"15"},{"id":[16]},{"Id":18}]"#;
        for id in [734_512, 17, 1000, 9] {
            assert!(contains(file, id), "{id}");
        }
        for id in
            [0, 1, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15, 16, 18, 41, 100, 34_512, 73_451, 7_345_120, u64::MAX]
        {
            assert!(!contains(file, id), "{id}");
        }
        assert!(!contains(b"[]", 1));
        assert!(!contains(b"", 1));
    }

    #[test]
    fn reads_the_file_anew_for_each_request() {
        let path = std::env::temp_dir().join(format!("reference-server-{}.json", std::process::id()));
        let mut users = Users::new(path.clone());
        assert!(users.contain(1).is_err());
        std::fs::write(&path, r#"[{"id": 1}, {"id": 22}]"#).expect("a temporary file can be written");
        assert!(users.contain(1).is_ok_and(|found| found));
        std::fs::write(&path, r#"[{"id": 3}]"#).expect("a temporary file can be written");
        assert!(users.contain(22).is_ok_and(|found| !found));
        assert!(users.contain(3).is_ok_and(|found| found));
        std::fs::remove_file(&path).expect("it was written before");
    }
}
