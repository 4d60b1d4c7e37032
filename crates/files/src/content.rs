//! Files whose bytes nobody can know beforehand.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Bytes that are drawn, written and hashed at once.
const PIECE: usize = 256 * 1024;

/// A file of drawn bytes, which is removed with this value.
#[derive(Debug)]
pub struct Content {
    path: PathBuf,
    bytes: u64,
    sha256: [u8; 32],
}

impl Content {
    /// Draws a file of so many bytes from a seed; another seed gives other bytes.
    ///
    /// # Errors
    /// When the file is there already or cannot be written.
    pub fn draw(path: &Path, bytes: u64, seed: u64) -> io::Result<Self> {
        let mut file = File::create_new(path)?;
        let mut content = Self { path: path.to_owned(), bytes, sha256: [0; 32] };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut hash = Sha256::new();
        let mut piece = vec![0; PIECE];
        let mut left = bytes;
        while left > 0 {
            let part = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
            random.fill_bytes(&mut piece[..part]);
            hash.update(&piece[..part]);
            file.write_all(&piece[..part])?;
            left -= part as u64;
        }
        content.sha256 = hash.finalize().into();
        Ok(content)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The hash of its bytes.
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }
}

impl Drop for Content {
    fn drop(&mut self) {
        // One that is gone already needs no removing.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The hash of what a reader gives, and how many bytes that is.
///
/// # Errors
/// When it cannot be read.
pub fn sha256_of(mut reader: impl Read) -> io::Result<([u8; 32], u64)> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut bytes = 0;
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok((hash.finalize().into(), bytes)),
            Ok(count) => {
                hash.update(&piece[..count]);
                bytes += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_its_bytes_and_another_seed_others() {
        let dir = tempfile::tempdir().unwrap();
        let draw = |name: &str, bytes, seed| Content::draw(&dir.path().join(name), bytes, seed).unwrap();
        let (a, same, other) = (draw("a", 600_001, 1), draw("same", 600_001, 1), draw("other", 600_001, 2));
        assert_eq!(a.sha256(), same.sha256());
        assert_ne!(a.sha256(), other.sha256());
        assert_eq!(sha256_of(File::open(a.path()).unwrap()).unwrap(), (a.sha256(), 600_001));
        let empty = draw("empty", 0, 1);
        assert_eq!(sha256_of(File::open(empty.path()).unwrap()).unwrap(), (empty.sha256(), 0));
        let path = a.path().to_owned();
        assert!(Content::draw(&path, 1, 3).is_err(), "nothing is written over");
        drop(a);
        assert!(!path.exists());
    }
}
