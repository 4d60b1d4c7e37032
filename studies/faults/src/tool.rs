//! The load generators.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::report::Report;
use velo_tests::child::Finished;

/// The timeout of a request, where a tool has one, in seconds.
pub(super) const TIMEOUT_S: u32 = 2;

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
pub struct Asked<'a, C> {
    /// The server.
    pub address: SocketAddr,
    /// The fault with what belongs to it.
    pub case: &'a C,
    /// How long.
    pub amount: Amount,
    /// A folder for files, in which the tool runs.
    pub scratch: &'a Path,
}

impl<C> Asked<'_, C> {
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The option with the amount, where one is for requests and the other for seconds.
    pub(super) fn amount(&self, requests: &str, seconds: &str, unit: &str) -> [String; 2] {
        match self.amount {
            Amount::Requests(count) => [requests.to_owned(), count.to_string()],
            Amount::Seconds(count) => [seconds.to_owned(), format!("{count}{unit}")],
        }
    }
}

/// A load generator.
#[derive(Debug, Clone)]
pub struct Tool<C> {
    /// Its name.
    pub name: &'static str,
    /// Its program.
    pub program: PathBuf,
    /// It cannot count requests: it always runs for a time.
    pub timed_only: bool,
    pub(super) arguments: fn(&Asked<'_, C>) -> Vec<String>,
    /// What it says, by its output and what it left in the folder of files.
    pub(super) read: fn(&Finished, &Path) -> Option<Report>,
    pub(super) version: &'static [&'static str],
}

impl<C> Tool<C> {
    /// A tool with a program of its own name, if that is installed.
    pub(super) fn installed(
        name: &'static str,
        arguments: fn(&Asked<'_, C>) -> Vec<String>,
        read: fn(&Finished, &Path) -> Option<Report>,
        version: &'static [&'static str],
    ) -> Option<Self> {
        let program = find(name)?;
        Some(Self { name, program, timed_only: false, arguments, read, version })
    }

    /// velo, which is the program given.
    pub(super) fn velo(
        program: &Path,
        arguments: fn(&Asked<'_, C>) -> Vec<String>,
        read: fn(&Finished, &Path) -> Option<Report>,
    ) -> Self {
        let program = program.to_owned();
        Self { name: "velo", program, timed_only: false, arguments, read, version: &["--version"] }
    }

    /// Its command line.
    pub fn command(&self, asked: &Asked<'_, C>) -> Command {
        let mut command = Command::new(&self.program);
        command.args((self.arguments)(asked)).current_dir(asked.scratch);
        command
    }

    /// What it says; `None` when there are no statistics.
    pub fn read(&self, finished: &Finished, scratch: &Path) -> Option<Report> {
        (self.read)(finished, scratch)
    }

    /// Its name with its version, where it tells.
    pub fn described(&self) -> String {
        if self.version.is_empty() {
            let version = std::fs::read(&self.program).ok().and_then(|program| built_version(&program));
            return format!("{} {}", self.name, version.unwrap_or_default()).trim_end().to_owned();
        }
        let output = Command::new(&self.program).args(self.version).output();
        let text = output.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let first = text.lines().next().unwrap_or_default();
        let number = |word: &str| {
            let word = word.strip_prefix('v').unwrap_or(word);
            word.starts_with(|letter: char| letter.is_ascii_digit()).then(|| word.to_owned())
        };
        let version = first.split([' ', '/', ',']).find_map(number);
        format!("{} {}", self.name, version.unwrap_or_default()).trim_end().to_owned()
    }
}

/// The version of the module that a program of Go was built from, which Go puts into it.
fn built_version(program: &[u8]) -> Option<String> {
    const START: &[u8] = b"\nmod\t";
    let start = program.windows(START.len()).position(|bytes| bytes == START)? + START.len();
    let line = program[start..].split(|byte| *byte == b'\n').next()?;
    let version = str::from_utf8(line).ok()?.split('\t').nth(1)?;
    version.strip_prefix('v').map(str::to_owned)
}

/// A program in `PATH`.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

pub(super) fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// The file that velo writes its result to.
pub(super) const RESULT_FILE: &str = "velo.json";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_knows_what_it_built() {
        let program = b"\0\xff\x01path\tgithub.com/bojand/ghz/cmd/ghz\nmod\tgithub.com/bojand/ghz\tv0.93.0\th1:CmJ4\ndep\t";
        assert_eq!(built_version(program).as_deref(), Some("0.93.0"));
        assert_eq!(built_version(b"\nmod\tgithub.com/rakyll/hey\t(devel)\t\n"), None);
        assert_eq!(built_version(b"\x7fELF"), None);
    }
}
