//! Commands of a manifest that end by themselves: fetch, build, version.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::progress::Stop;

/// Why a command did not do its work.
#[derive(Debug)]
pub(crate) enum CommandFailure {
    /// It could not be started, or its log not be written.
    Io(io::Error),
    /// It ended with a status that is not success; the last line that it printed.
    Failed(ExitStatus, String),
    /// It took too long.
    Limit(Duration),
    /// The run was asked to end.
    Stopped,
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Failed(status, line) if line.is_empty() => write!(f, "{status}, nothing printed"),
            Self::Failed(_, line) => write!(f, "{line}"),
            Self::Limit(limit) => write!(f, "not done after {} s", limit.as_secs()),
            Self::Stopped => write!(f, "interrupted"),
        }
    }
}

/// Runs a shell command and appends what it prints to a log.
pub(crate) fn run_logged(
    text: &str,
    dir: &Path,
    environment: &[(&str, &OsStr)],
    log: &Path,
    limit: Duration,
    stop: &Stop,
) -> Result<(), CommandFailure> {
    if let Some(parent) = log.parent() {
        fs::create_dir_all(parent).map_err(CommandFailure::Io)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(log).map_err(CommandFailure::Io)?;
    writeln!(file, "$ {text}").map_err(CommandFailure::Io)?;
    let begins = file.metadata().map_err(CommandFailure::Io)?.len();
    let status = run(text, dir, environment, &file, limit, stop)?;
    if status.success() { Ok(()) } else { Err(CommandFailure::Failed(status, last_line(log, begins))) }
}

/// Runs a shell command and returns what it printed: standard output, or standard error when that is empty.
pub(crate) fn run_captured(
    text: &str,
    dir: &Path,
    environment: &[(&str, &OsStr)],
    limit: Duration,
    stop: &Stop,
) -> Result<String, CommandFailure> {
    let mut output = tempfile::tempfile().map_err(CommandFailure::Io)?;
    let mut errors = tempfile::tempfile().map_err(CommandFailure::Io)?;
    let mut command = shell(text, dir, environment);
    command.stdout(output.try_clone().map_err(CommandFailure::Io)?);
    command.stderr(errors.try_clone().map_err(CommandFailure::Io)?);
    let status = wait(command.spawn().map_err(CommandFailure::Io)?, limit, stop)?;
    let printed = read_start(&mut output);
    let printed = if printed.trim().is_empty() { read_start(&mut errors) } else { printed };
    if status.success() {
        Ok(printed)
    } else {
        let line = printed.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        Err(CommandFailure::Failed(status, line.trim().to_owned()))
    }
}

/// `sh -c` in a process group of its own, with no standard input.
pub(crate) fn shell(text: &str, dir: &Path, environment: &[(&str, &OsStr)]) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(text).current_dir(dir).stdin(Stdio::null()).process_group(0);
    for (key, value) in environment {
        command.env(key, value);
    }
    command
}

fn run(
    text: &str,
    dir: &Path,
    environment: &[(&str, &OsStr)],
    log: &File,
    limit: Duration,
    stop: &Stop,
) -> Result<ExitStatus, CommandFailure> {
    let mut command = shell(text, dir, environment);
    command.stdout(log.try_clone().map_err(CommandFailure::Io)?);
    command.stderr(log.try_clone().map_err(CommandFailure::Io)?);
    wait(command.spawn().map_err(CommandFailure::Io)?, limit, stop)
}

fn wait(mut child: Child, limit: Duration, stop: &Stop) -> Result<ExitStatus, CommandFailure> {
    let deadline = Instant::now() + limit;
    let failure = loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if stop.asked() => break CommandFailure::Stopped,
            Ok(None) if Instant::now() > deadline => break CommandFailure::Limit(limit),
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => break CommandFailure::Io(error),
        }
    };
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        // It may have ended in this moment.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
    Err(failure)
}

const MOST_CAPTURED: u64 = 64 * 1024;

fn read_start(file: &mut File) -> String {
    let mut bytes = Vec::new();
    // What cannot be read was not printed.
    let _ = file.seek(SeekFrom::Start(0));
    let _ = file.take(MOST_CAPTURED).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last line with anything on it, at most 300 characters, from a place in a log on.
pub(crate) fn last_line(log: &Path, begins: u64) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(8192).max(begins)))?;
        let mut bytes = Vec::new();
        file.take(8192).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().filter(|c| !c.is_control()).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_status_and_limit() {
        let dir = tempfile::tempdir().unwrap();
        let stop = Stop::default();
        let capture = |text: &str| run_captured(text, dir.path(), &[], Duration::from_secs(10), &stop);
        assert_eq!(capture("echo out; echo err >&2").unwrap(), "out\n");
        assert_eq!(capture("echo err >&2").unwrap(), "err\n");
        assert!(matches!(capture("echo no; exit 3"), Err(CommandFailure::Failed(_, line)) if line == "no"));
        let log = dir.path().join("x.log");
        let logged =
            |text: &str, ms| run_logged(text, dir.path(), &[], &log, Duration::from_millis(ms), &stop);
        assert!(logged("echo fine", 10_000).is_ok());
        assert!(
            matches!(logged("echo a; echo b >&2; echo; false", 10_000), Err(CommandFailure::Failed(_, line)) if line == "b")
        );
        assert!(matches!(logged("sleep 30 & sleep 30", 50), Err(CommandFailure::Limit(_))));
        stop.flag().store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(logged("sleep 30", 10_000), Err(CommandFailure::Stopped)));
        assert!(fs::read_to_string(&log).unwrap().contains("$ echo fine\nfine\n"));
    }
}
