// Reads lines "URL TAB OUT" and answers each when its file is saved.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// Answers with nanoseconds and bytes, or with nanoseconds and what went wrong.
pub fn serve(mut get: impl FnMut(&str, &Path) -> Result<u64, Failure>) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lines() {
        let line = line?;
        let (url, out) = line.split_once('\t').ok_or("a line without a tab")?;
        let start = Instant::now();
        let result = get(url, Path::new(out));
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
