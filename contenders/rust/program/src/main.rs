//! What the handler of the workload users does, without a server: an id and a password in, a hash out.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use serde::Deserialize;
use sha2::{Digest, Sha512};

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the id is asked for")]
struct User {
    id: u64,
    name: String,
    email: String,
    age: u32,
    active: bool,
    city: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = PathBuf::from(env::var("DATA_DIR")?).join("user.json");
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (id, password) = line.split_once('\t').ok_or("a line has no tab")?;
        let id = id.parse()?;

        let start = Instant::now();
        let hash = hash(&path, id, password)?;
        let nanoseconds = start.elapsed().as_nanos();

        writeln!(output, "{nanoseconds}\t{}", hash.as_deref().unwrap_or("absent"))?;
        output.flush()?;
    }
    Ok(())
}

/// None where no user has the id.
fn hash(path: &Path, id: u64, password: &str) -> Result<Option<String>, Box<dyn Error>> {
    let users = parse(fs::read(path)?)?;
    let found = users.iter().any(|user| user.id == id);
    Ok(found.then(|| hex::encode(Sha512::digest(password))))
}

#[cfg(not(feature = "simd-json"))]
fn parse(file: Vec<u8>) -> serde_json::Result<Vec<User>> {
    serde_json::from_slice(&file)
}

/// simd-json unescapes strings where they stand.
#[cfg(feature = "simd-json")]
fn parse(mut file: Vec<u8>) -> simd_json::Result<Vec<User>> {
    simd_json::from_slice(&mut file)
}
