//! The load generators: how each is asked for the same load, and how its report is read.

mod ab;
mod floor;
mod fortio;
mod h2load;
mod hey;
mod k6;
mod oha;
mod velo;
mod wrk;

pub(crate) use ab::AB;
pub(crate) use floor::{FLOOR, REQUEST as FLOOR_REQUEST};
pub(crate) use fortio::FORTIO;
pub(crate) use h2load::H2LOAD;
pub(crate) use hey::HEY;
pub(crate) use k6::K6;
pub(crate) use oha::{OHA, OHA_RANDOM};
pub(crate) use velo::{VELO, VELO_EPOLL, VELO_IO_URING};
pub(crate) use wrk::{WRK, WRK_RANDOM};

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use velo_tests::child::{Ended, Finished};

/// What `POST /coin` sends where a tool sends one body only.
pub(crate) const BET: &str = r#"{"bet": true}"#;
/// Random ids are from 1 to this.
pub(crate) const GREATEST_ID: u32 = 999_999;

/// What is asked of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workload {
    /// `POST /coin` with a small JSON.
    Coin,
    /// `GET /user/{id}`.
    User,
    /// `GET /` over TLS.
    Https,
}

/// How much is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amount {
    Seconds(u32),
    OneRequest,
}

/// One run of one tool.
pub(crate) struct Job<'a> {
    pub(crate) workload: Workload,
    /// The server, as in `http://127.0.0.1:8080`.
    pub(crate) server: &'a str,
    pub(crate) connections: u32,
    pub(crate) pipelining: u32,
    pub(crate) amount: Amount,
    /// Where the files of [`write_files`] are, and where a tool may leave its report.
    pub(crate) folder: &'a Path,
}

impl Job<'_> {
    /// The address with a path that stays the same.
    fn fixed_url(&self) -> String {
        match self.workload {
            Workload::Coin => format!("{}/coin", self.server),
            Workload::User => format!("{}/user/424242", self.server),
            Workload::Https => format!("{}/", self.server),
        }
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

/// What a tool says that it completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Completed {
    /// Requests with a whole answer.
    pub(crate) requests: u64,
    /// Of these with a wrong answer, from a tool that looks: then both figures must be the server's exactly.
    pub(crate) wrong: Option<u64>,
    /// What moved the bytes, from a tool that has a choice.
    pub(crate) driver: Option<&'static str>,
}

impl Completed {
    fn unchecked(requests: u64) -> Self {
        Self { requests, wrong: None, driver: None }
    }
}

/// A load generator.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// Its program.
    pub(crate) program: &'static str,
    /// What asks the program for its version; empty: what Debian says of the package of the same name.
    pub(crate) version: &'static [&'static str],
    /// Its arguments.
    pub(crate) arguments: fn(&Job) -> Vec<String>,
    /// Reads its report; an error says what went wrong in the run.
    pub(crate) completed: fn(&Job, &Finished) -> Result<Completed, String>,
}

impl Tool {
    pub(crate) fn command(&self, job: &Job) -> Command {
        let mut command = Command::new(self.program);
        command.args((self.arguments)(job)).current_dir(job.folder);
        // Nothing may stand between the generator and the server.
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        command
    }

    /// Its name with its version, for the reader who repeats this; `None` when it is not installed.
    pub(crate) fn installed(&self) -> Option<String> {
        let path = env::var_os("PATH")?;
        env::split_paths(&path).find(|folder| folder.join(self.program).is_file())?;
        let mut command = match self.version {
            [] => Command::new("dpkg-query"),
            _ => Command::new(self.program),
        };
        match self.version {
            [] => command.args(["--show", self.program]),
            arguments => command.args(arguments),
        };
        let said =
            command.stdin(Stdio::null()).output().ok().map(|output| [output.stdout, output.stderr].concat());
        let version = version_word(&String::from_utf8_lossy(&said.unwrap_or_default()));
        Some(format!("{} {}", self.program, version.unwrap_or_else(|| "of unknown version".to_owned())))
    }
}

/// The first word with digits and a dot, without what stands before the digits.
fn version_word(text: &str) -> Option<String> {
    let word = text
        .split_whitespace()
        .find(|word| word.contains('.') && word.contains(|c: char| c.is_ascii_digit()))?;
    let word = word.rsplit('/').next()?.trim_start_matches(|c: char| !c.is_ascii_digit());
    Some(word.trim_end_matches([',', ')']).to_owned())
}

/// Writes the scripts and lists that the tools read.
pub(crate) fn write_files(folder: &Path, seed: u64) -> std::io::Result<()> {
    std::fs::write(folder.join("body.json"), BET)?;
    wrk::write_scripts(folder)?;
    h2load::write_paths(folder, seed)?;
    k6::write_script(folder)
}

/// The number before `after` in the text.
fn number_before(text: &str, after: &str) -> Option<u64> {
    let word = text[..text.find(after)?].trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?;
    word.parse().ok()
}

/// The number after `before` in the text.
fn number_after(text: &str, before: &str) -> Option<u64> {
    let rest = text[text.find(before)? + before.len()..].trim_start();
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

fn expect_success(finished: &Finished) -> Result<(), String> {
    if finished.ended == Ended::Exit(0) {
        return Ok(());
    }
    Err(format!("{}: {}", finished.ended, last_line(finished)))
}

fn last_line(finished: &Finished) -> &str {
    let lines = finished.stdout.lines().chain(finished.stderr.lines());
    lines.map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it said nothing")
}

fn words(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&word| word.to_owned()).collect()
}

#[cfg(test)]
fn job<'a>(workload: Workload, folder: &'a Path) -> Job<'a> {
    Job {
        workload,
        server: "http://127.0.0.1:8080",
        connections: 16,
        pipelining: 1,
        amount: Amount::Seconds(3),
        folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_say() {
        for (said, version) in [
            ("wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer", "4.1.0-3+b2"),
            ("This is ApacheBench, Version 2.3 <$Revision$>", "2.3"),
            ("h2load nghttp2/1.52.0", "1.52.0"),
            ("hey\t0.1.4-2+b4", "0.1.4-2+b4"),
            ("k6 v1.8.1 (go1.26.8, linux/amd64)", "1.8.1"),
            ("1.66.5", "1.66.5"),
            ("oha 1.16.0", "1.16.0"),
        ] {
            assert_eq!(version_word(said).as_deref(), Some(version));
        }
        assert_eq!(version_word("no such option"), None);
    }

    #[test]
    fn numbers_are_found_by_their_neighbours() {
        assert_eq!(number_before("  541 requests in 1.00s", " requests in "), Some(541));
        assert_eq!(number_before("many requests in 1.00s", " requests in "), None);
        assert_eq!(number_after("Complete requests:      171516\n", "Complete requests:"), Some(171_516));
        assert_eq!(number_after("Complete requests: none", "Complete requests:"), None);
        assert_eq!(number_after("", "Complete requests:"), None);
    }
}
