use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use velo_model::open_file;

use crate::folder::{
    CALLS_FILE, FORMAT, MAX_CALLS_BYTES, MAX_LINE_BYTES, MAX_RUN_BYTES, MAX_WINDOWS_BYTES, RUN_FILE,
    WINDOWS_FILE,
};
use crate::{Bounds, CallBlock, Purpose, RecordError, RunFile, Window};

/// The greatest runs have 384,000 that are counted; others are of warm-up and of stated rates.
const MOST_WINDOWS: usize = 1_500_000;

/// A workload with 200 conditions, 60 contenders and 10 launches has 120,000.
const MOST_CALL_BLOCKS: usize = 200_000;

/// A run as it lies on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Everything but its windows.
    pub file: RunFile,
    /// Its windows, in the order in which they were measured.
    pub windows: Vec<Window>,
    /// Whether a last line without its end was left out: the run was killed while it wrote.
    pub incomplete_tail: bool,
}

/// Reads a run's folder.
///
/// # Errors
/// When a file cannot be read, is of another format, or holds anything else than a run.
pub fn read_run(dir: &Path) -> Result<Run, RecordError> {
    let mut file = read_run_file(&dir.join(RUN_FILE))?;
    let (windows, incomplete_windows) = read_lines::<Window>(&dir.join(WINDOWS_FILE), WINDOWS)?;
    let calls = dir.join(CALLS_FILE);
    let mut incomplete_calls = false;
    if calls.try_exists().map_err(|source| RecordError::Io { path: calls.clone(), source })? {
        (file.calls, incomplete_calls) = read_lines::<CallBlock>(&calls, CALLS)?;
    }
    Ok(Run { file, windows, incomplete_tail: incomplete_windows || incomplete_calls })
}

/// What a file of lines may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    bytes: u64,
    lines: usize,
    /// What its lines are, in words.
    what: &'static str,
    bounds: Bounds,
}

pub(crate) const WINDOWS: Most =
    Most { bytes: MAX_WINDOWS_BYTES, lines: MOST_WINDOWS, what: "windows", bounds: Bounds::WINDOW };
pub(crate) const CALLS: Most =
    Most { bytes: MAX_CALLS_BYTES, lines: MOST_CALL_BLOCKS, what: "blocks of calls", bounds: Bounds::CALL };

/// What is a line of a file.
pub(crate) trait Line: DeserializeOwned {
    /// Gives memory back that was only needed to read it.
    fn shrink(&mut self) {}
}

impl Line for CallBlock {}

impl Line for Window {
    fn shrink(&mut self) {
        // A list that grew while it was read has room for twice as many.
        self.connections.completions.shrink_to_fit();
        if let Purpose::Burst(burst) = &mut self.purpose {
            burst.spans.shrink_to_fit();
        }
    }
}

fn read_lines<L: Line>(path: &Path, most: Most) -> Result<(Vec<L>, bool), RecordError> {
    let opened = open_file(path).map_err(|source| RecordError::Io { path: path.to_owned(), source })?;
    parse_lines(path, BufReader::new(opened), most)
}

fn read_run_file(path: &Path) -> Result<RunFile, RecordError> {
    let io = |source| RecordError::Io { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    open_file(path).map_err(io)?.take(MAX_RUN_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MAX_RUN_BYTES {
        return Err(RecordError::TooLong { path: path.to_owned(), limit_bytes: MAX_RUN_BYTES });
    }
    parse_run_file(path, &bytes)
}

/// Looks at the format first, so that another version's file is named as one and not as a broken one.
pub(crate) fn parse_run_file(path: &Path, bytes: &[u8]) -> Result<RunFile, RecordError> {
    #[derive(Deserialize)]
    struct Versioned {
        format: u64,
        identity: Option<Writer>,
    }

    #[derive(Deserialize)]
    struct Writer {
        velo: Option<String>,
    }

    let json = |error: serde_json::Error| not_json(path, error.line(), &error);
    let Versioned { format, identity } = serde_json::from_slice(bytes).map_err(json)?;
    if format != u64::from(FORMAT) {
        let velo = identity.and_then(|identity| identity.velo).map(|velo| short(&velo));
        return Err(RecordError::Format { path: path.to_owned(), found: format, velo });
    }
    Bounds::RUN.check(bytes).map_err(json)?;
    serde_json::from_slice(bytes).map_err(json)
}

/// Reads what is one a line. A line counts once its end is there: the writer puts both down with one call.
pub(crate) fn parse_lines<L: Line>(
    path: &Path,
    mut lines: impl BufRead,
    most: Most,
) -> Result<(Vec<L>, bool), RecordError> {
    let mut all = Vec::new();
    let mut line = Vec::new();
    let mut bytes_read = 0;
    for number in 1.. {
        line.clear();
        let count = (&mut lines)
            .take(MAX_LINE_BYTES as u64 + 1)
            .read_until(b'\n', &mut line)
            .map_err(|source| RecordError::Io { path: path.to_owned(), source })?;
        bytes_read += count as u64;
        if bytes_read > most.bytes {
            return Err(RecordError::TooLong { path: path.to_owned(), limit_bytes: most.bytes });
        }
        if line.len() > MAX_LINE_BYTES {
            let problem = format!("a line of more than {MAX_LINE_BYTES} bytes: not one that velo wrote");
            return Err(RecordError::Json { path: path.to_owned(), line: number, problem });
        }
        if line.last() != Some(&b'\n') {
            return Ok((all, !line.is_empty()));
        }
        if all.len() >= most.lines {
            let problem = format!("more than {} {}: not a file that velo wrote", most.lines, most.what);
            return Err(RecordError::Json { path: path.to_owned(), line: number, problem });
        }
        let json = |error: serde_json::Error| not_json(path, number, &error);
        most.bounds.check(&line).map_err(json)?;
        let mut one: L = serde_json::from_slice(&line).map_err(json)?;
        one.shrink();
        all.push(one);
    }
    Ok((all, false))
}

fn not_json(path: &Path, line: usize, error: &serde_json::Error) -> RecordError {
    // serde_json ends its sentence with a place inside the text that it was given: the line is known better here.
    let sentence = error.to_string();
    let problem = match sentence.rsplit_once(" at line ") {
        Some((problem, _)) => format!("{problem}, at column {}", error.column()),
        None => sentence,
    };
    RecordError::Json { path: path.to_owned(), line: line.max(1), problem: short(&problem) }
}

/// What a damaged file holds may be long and unprintable.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(300).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_windows(
        path: &Path,
        lines: impl BufRead,
        bytes: u64,
    ) -> Result<(Vec<Window>, bool), RecordError> {
        parse_lines(path, lines, Most { bytes, ..WINDOWS })
    }

    #[test]
    fn a_file_over_its_limit_is_refused() {
        let error = read_windows(Path::new("w"), &b"\n\n\n"[..], 2).map(|_| ());
        assert!(matches!(error, Err(RecordError::Json { line: 1, .. })), "{error:?}");
        let endless = BufReader::new(std::io::repeat(b' '));
        let error = read_windows(Path::new("w"), endless, 100).map(|_| ());
        assert!(matches!(error, Err(RecordError::TooLong { limit_bytes: 100, .. })), "{error:?}");
        let endless = BufReader::new(std::io::repeat(b' '));
        let error = read_windows(Path::new("w"), endless, u64::MAX).map(|_| ());
        assert!(matches!(error, Err(RecordError::Json { line: 1, .. })), "{error:?}");
    }

    #[test]
    fn no_window_yet_is_no_fault() {
        let (windows, incomplete_tail) = read_windows(Path::new("w"), &b""[..], 10).expect("an empty file");
        assert!(windows.is_empty() && !incomplete_tail);
    }

    #[test]
    fn another_format_is_named() {
        for (other, identity, writer) in [
            (FORMAT - 1, "", "the version of velo"),
            (FORMAT + 1, ", \"identity\": {\"velo\": \"0.9.0\", \"other\": 1}", "velo 0.9.0"),
            (2, ", \"identity\": {\"velo\": \"0.1.0\"}, \"workloads\": 7", "velo 0.1.0"),
        ] {
            let text = format!("{{\"format\": {other}{identity}}}");
            let error = parse_run_file(Path::new("run.json"), text.as_bytes()).map(|_| ());
            assert_eq!(
                error.expect_err("another format was read").to_string(),
                format!(
                    "run.json: a run of format {other}, while this velo reads format {FORMAT}: read it with {writer}, \
                     which wrote it, or measure again"
                )
            );
        }
    }

    #[test]
    fn a_broken_run_file_names_its_line() {
        let error =
            parse_run_file(Path::new("run.json"), format!("{{\n\"format\": {FORMAT},\n}}").as_bytes())
                .map(|_| ())
                .expect_err("it was read");
        assert!(error.to_string().starts_with("run.json:3: "), "{error}");
    }

    proptest! {
        #[test]
        fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_run_file(Path::new("run.json"), &bytes);
            let has_lines = bytes.contains(&b'\n');
            match read_windows(Path::new("windows.ndjson"), &bytes[..], 1000) {
                Ok((windows, tail)) => {
                    prop_assert!(windows.is_empty() && !has_lines);
                    prop_assert_eq!(tail, !bytes.is_empty());
                }
                Err(error) => prop_assert!(has_lines, "{error}"),
            }
        }
    }
}
