// Reads lines "URL TAB OUT" and answers each when its file is saved; a line may hold several such pairs.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// Answers with nanoseconds and bytes, or with nanoseconds and what went wrong.
pub fn serve(get: impl Fn(&str, &Path) -> Result<u64, Failure> + Sync) -> Result<(), Failure> {
    let at_once = std::env::var("AT_ONCE").map_or(Ok(1), |number| number.parse())?;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lines() {
        let line = line?;
        let fields: Vec<&str> = line.split('\t').collect();
        let pairs: Vec<(&str, &str)> = fields.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let start = Instant::now();
        let result = match *pairs {
            [(url, out)] => get(url, Path::new(out)),
            _ => get_all(&pairs, at_once, &get),
        };
        let nanoseconds = start.elapsed().as_nanos();
        match result {
            Ok(bytes) => writeln!(output, "{nanoseconds}\t{bytes}")?,
            Err(error) => {
                let words = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
                writeln!(output, "{nanoseconds}\terror: {words}")?;
            }
        }
    }
    Ok(())
}

/// As many threads as may fetch at once, each of which takes the next file.
fn get_all(
    pairs: &[(&str, &str)],
    at_once: usize,
    get: &(impl Fn(&str, &Path) -> Result<u64, Failure> + Sync),
) -> Result<u64, Failure> {
    let left = Mutex::new(pairs.iter());
    let next = || left.lock().ok()?.next();
    let take = || -> Result<u64, String> {
        let mut bytes = 0;
        while let Some((url, out)) = next() {
            bytes += get(url, Path::new(out)).map_err(|error| error.to_string())?;
        }
        Ok(bytes)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(take)).collect();
        threads.into_iter().map(|thread| Ok(thread.join().map_err(|_| "a thread panicked")??)).sum()
    })
}
