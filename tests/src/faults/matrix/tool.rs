//! The load generators and their command lines.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::read;
use super::report::Report;
use crate::child::Finished;
use crate::faults::{BODY, Fault, Row};

/// Connections of every run.
pub const CONNECTIONS: u64 = 16;
/// The timeout of a request, where a tool has one, in seconds.
const TIMEOUT_S: u32 = 2;

/// How long a run is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many requests.
    Requests(u64),
    /// So many seconds.
    Seconds(u32),
}

/// What a tool is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The server.
    pub url: &'a str,
    /// The fault with what belongs to it.
    pub row: &'a Row,
    /// How long.
    pub amount: Amount,
    /// A folder for files.
    pub scratch: &'a Path,
}

/// A load generator.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its program.
    pub program: PathBuf,
    /// It cannot count requests: it always runs for a time.
    pub timed_only: bool,
    arguments: fn(&Asked<'_>) -> Vec<String>,
    read: fn(&Finished, &Asked<'_>) -> Option<Report>,
    version: &'static [&'static str],
}

impl Tool {
    /// Those that are installed; velo is the program given.
    pub fn installed(velo: &Path) -> Vec<Self> {
        let tool = |name, arguments, read, version| {
            let program = if name == "velo" { Some(velo.to_owned()) } else { find(name) };
            program.map(|program| Self { name, program, timed_only: name == "wrk", arguments, read, version })
        };
        let tools: [Option<Self>; 6] = [
            tool("velo", velo_arguments, read::velo, &["--version"]),
            tool("wrk", wrk_arguments, read::wrk, &["-v"]),
            tool("ab", ab_arguments, read::ab, &["-V"]),
            tool("h2load", h2load_arguments, read::h2load, &["--version"]),
            tool("oha", oha_arguments, read::oha, &["--version"]),
            tool("hey", hey_arguments, read::hey, &[]),
        ];
        tools.into_iter().flatten().collect()
    }

    /// Its command line.
    pub fn command(&self, asked: &Asked<'_>) -> Command {
        let mut command = Command::new(&self.program);
        command.args((self.arguments)(asked)).current_dir(asked.scratch);
        command
    }

    /// What it says; `None` when there are no statistics.
    pub fn read(&self, finished: &Finished, asked: &Asked<'_>) -> Option<Report> {
        (self.read)(finished, asked)
    }

    /// Its name with its version, where it tells.
    pub fn described(&self) -> String {
        if self.version.is_empty() {
            return self.name.to_owned();
        }
        let output = Command::new(&self.program).args(self.version).output();
        let text = output.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let first = text.lines().next().unwrap_or_default();
        let version = first
            .split([' ', '/', ','])
            .find(|word| word.starts_with(|letter: char| letter.is_ascii_digit()));
        format!("{} {}", self.name, version.unwrap_or_default()).trim_end().to_owned()
    }
}

/// A program in `PATH`.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// The script that makes wrk ask with HEAD, in the scratch folder.
pub(super) const HEAD_SCRIPT: &str = "head.lua";

/// The file that velo writes its result to.
pub(super) fn result_file(asked: &Asked<'_>) -> PathBuf {
    asked.scratch.join("velo.json")
}

fn velo_arguments(asked: &Asked<'_>) -> Vec<String> {
    let mut arguments =
        words(["load", "-c", &CONNECTIONS.to_string(), "--timeout", &format!("{TIMEOUT_S}s")]);
    arguments.extend(match asked.amount {
        Amount::Requests(count) => ["-n".to_owned(), count.to_string()],
        Amount::Seconds(seconds) => ["-d".to_owned(), format!("{seconds}s")],
    });
    arguments.extend(["--json".to_owned(), result_file(asked).display().to_string()]);
    if asked.row.head {
        arguments.extend(words(["-m", "HEAD"]));
    }
    match asked.row.fault {
        Fault::WrongBody => arguments.extend(words(["--expect-body", BODY])),
        Fault::NoContent => arguments.extend(words(["--expect-status", "204"])),
        Fault::NotModified => arguments.extend(words(["--expect-status", "304"])),
        _ => {}
    }
    arguments.push(asked.url.to_owned());
    arguments
}

fn wrk_arguments(asked: &Asked<'_>) -> Vec<String> {
    let seconds = match asked.amount {
        Amount::Seconds(seconds) => seconds,
        // Longer than the timeout, so that it may strike.
        Amount::Requests(_) => TIMEOUT_S + 2,
    };
    let mut arguments = words(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{seconds}s")]);
    arguments.extend(words(["--timeout", &format!("{TIMEOUT_S}s")]));
    if asked.row.head {
        arguments.extend(words(["-s", HEAD_SCRIPT]));
    }
    arguments.push(asked.url.to_owned());
    arguments
}

fn ab_arguments(asked: &Asked<'_>) -> Vec<String> {
    let mut arguments = words(["-q", "-k", "-c", &CONNECTIONS.to_string(), "-s", &TIMEOUT_S.to_string()]);
    arguments.extend(match asked.amount {
        Amount::Requests(count) => words(["-n", &count.to_string()]),
        // The count comes after the time, which sets one of its own.
        Amount::Seconds(seconds) => words(["-t", &seconds.to_string(), "-n", "100000000"]),
    });
    if asked.row.head {
        arguments.push("-i".to_owned());
    }
    arguments.push(asked.url.to_owned());
    arguments
}

fn h2load_arguments(asked: &Asked<'_>) -> Vec<String> {
    let mut arguments = words(["--h1", "-c", &CONNECTIONS.to_string(), "-N", &TIMEOUT_S.to_string()]);
    arguments.extend(match asked.amount {
        Amount::Requests(count) => words(["-n", &count.to_string()]),
        Amount::Seconds(seconds) => words(["-D", &seconds.to_string()]),
    });
    if asked.row.head {
        arguments.extend(words(["-H", ":method: HEAD"]));
    }
    arguments.push(asked.url.to_owned());
    arguments
}

fn oha_arguments(asked: &Asked<'_>) -> Vec<String> {
    let mut arguments = words(["--no-tui", "--output-format", "json", "-c", &CONNECTIONS.to_string()]);
    arguments.extend(words(["-t", &format!("{TIMEOUT_S}s")]));
    arguments.extend(match asked.amount {
        Amount::Requests(count) => words(["-n", &count.to_string()]),
        Amount::Seconds(seconds) => words(["-z", &format!("{seconds}s")]),
    });
    if asked.row.head {
        arguments.extend(words(["-m", "HEAD"]));
    }
    arguments.push(asked.url.to_owned());
    arguments
}

fn hey_arguments(asked: &Asked<'_>) -> Vec<String> {
    let mut arguments = words(["-c", &CONNECTIONS.to_string(), "-t", &TIMEOUT_S.to_string()]);
    arguments.extend(match asked.amount {
        Amount::Requests(count) => words(["-n", &count.to_string()]),
        Amount::Seconds(seconds) => words(["-z", &format!("{seconds}s")]),
    });
    if asked.row.head {
        arguments.extend(words(["-m", "HEAD"]));
    }
    arguments.push(asked.url.to_owned());
    arguments
}
