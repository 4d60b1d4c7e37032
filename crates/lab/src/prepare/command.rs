//! Commands of a manifest that end by themselves: fetch, build, version.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::prepare::build_log;
use crate::prepare::environment::{self, Use};
use crate::process::cage::{Cage, CageMaker};
use crate::process::tree;
use crate::progress::Stop;

/// Why a command did not do its work.
#[derive(Debug)]
pub(crate) enum CommandFailure {
    /// It could not be started, or its log not be written.
    Io(io::Error),
    /// It ended with a status that is not success; what it printed, in one line.
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

/// Runs a shell command and appends what it prints to a log. `left` gets the names of the programs that it left running, and
/// that were ended.
pub(crate) fn run_logged(
    text: &str,
    dir: &Path,
    environment: &[(&str, &OsStr)],
    log: &Path,
    limit: Duration,
    stop: &Stop,
    left: &mut Vec<String>,
) -> Result<(), CommandFailure> {
    if let Some(parent) = log.parent() {
        fs::create_dir_all(parent).map_err(CommandFailure::Io)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(log).map_err(CommandFailure::Io)?;
    writeln!(file, "$ {text}").map_err(CommandFailure::Io)?;
    let begins = file.metadata().map_err(CommandFailure::Io)?.len();
    let (status, names) = run(text, dir, environment, &file, limit, stop)?;
    let gist = (!status.success()).then(|| build_log::gist(log, begins));
    if !names.is_empty() {
        writeln!(file, "--- ended what this left running: {}", names.join(", "))
            .map_err(CommandFailure::Io)?;
        left.extend(names);
    }
    gist.map_or(Ok(()), |gist| Err(CommandFailure::Failed(status, gist)))
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
    let mut command = shell(text, dir, Use::Build, environment);
    command.stdout(output.try_clone().map_err(CommandFailure::Io)?);
    command.stderr(errors.try_clone().map_err(CommandFailure::Io)?);
    let (status, _) = watched(command, limit, stop)?;
    let printed = read_start(&mut output);
    let printed = if printed.trim().is_empty() { read_start(&mut errors) } else { printed };
    if status.success() {
        Ok(printed)
    } else {
        let line = printed.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        Err(CommandFailure::Failed(status, line.trim().to_owned()))
    }
}

/// `sh -c` in a process group of its own, with no standard input; of the environment of `velo` it gets what is on the list
/// for its use.
pub(crate) fn shell(text: &str, dir: &Path, of: Use, environment: &[(&str, &OsStr)]) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(text).current_dir(dir).stdin(Stdio::null()).process_group(0);
    command.env_clear().envs(environment::inherited(of));
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
) -> Result<(ExitStatus, Vec<String>), CommandFailure> {
    let mut command = shell(text, dir, Use::Build, environment);
    command.stdout(log.try_clone().map_err(CommandFailure::Io)?);
    command.stderr(log.try_clone().map_err(CommandFailure::Io)?);
    watched(command, limit, stop)
}

/// What a command started may take this long to end after it.
const GRACE: Duration = Duration::from_millis(500);
/// What is killed is gone within this time, unless the kernel holds it.
const KILL_LIMIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(10);

/// Runs a command to its end and ends what it left running, whatever process group or session that went to: a server that
/// was started by a build would do a contender's work outside of what is measured. With the names of what was left.
fn watched(
    mut command: Command,
    limit: Duration,
    stop: &Stop,
) -> Result<(ExitStatus, Vec<String>), CommandFailure> {
    static MAKER: OnceLock<CageMaker> = OnceLock::new();
    static COMMANDS: AtomicU64 = AtomicU64::new(0);
    let number = COMMANDS.fetch_add(1, Ordering::Relaxed);
    let maker = MAKER.get_or_init(CageMaker::find);
    // With the time, since a `velo` of the same number may have been killed and have left its groups.
    let now = jiff::Timestamp::now().as_millisecond();
    let name = format!("velo-build-{}-{now}-{number}", std::process::id());
    let mut cage = maker.make(&name, &[]).map_err(CommandFailure::Io)?;
    let (key, value) = cage.environment();
    command.env(key, value);
    let result = cage.entry().and_then(|entry| {
        // SAFETY: the entry makes system calls on values made before; nothing is allocated and no lock is taken.
        unsafe { command.pre_exec(move || entry.enter()) };
        command.spawn()
    });
    let result = result.map_err(CommandFailure::Io).and_then(|child| {
        cage.set_group(child.id());
        wait(child, limit, stop)
    });
    let left = end_rest(&cage, if result.is_ok() { GRACE } else { Duration::ZERO });
    cage.remove();
    result.map(|status| (status, left))
}

/// Ends all that is in a cage; the names of what was still there after a time.
fn end_rest(cage: &Cage, grace: Duration) -> Vec<String> {
    let began = Instant::now();
    let mut pids = cage.pids();
    while !pids.is_empty() && began.elapsed() < grace {
        std::thread::sleep(POLL);
        pids = cage.pids();
    }
    let names = pids.iter().filter_map(|&pid| tree::name(pid)).collect();
    let began = Instant::now();
    while !pids.is_empty() && began.elapsed() < KILL_LIMIT {
        cage.kill();
        std::thread::sleep(POLL);
        pids = cage.pids();
    }
    names
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
    fn commands_get_what_is_on_the_list_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        // Cargo sets this for tests, and it is on no list.
        let stray = "CARGO_MANIFEST_DIR";
        assert!(std::env::var_os(stray).is_some());
        let own = [("SHARED", OsStr::new("/shared"))];
        let stop = Stop::default();
        let printed = run_captured("env", dir.path(), &own, Duration::from_secs(10), &stop).unwrap();
        let has = |name: &str| printed.lines().any(|line| line.starts_with(&format!("{name}=")));
        assert!(has("PATH") && has("SHARED") && !has(stray), "{printed}");
        let output = shell("env", dir.path(), Use::Measured, &own).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains("SHARED=/shared\n") && !printed.contains(stray), "{printed}");
    }

    #[test]
    fn what_a_command_leaves_running_is_ended_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let (log, pid) = (dir.path().join("build.log"), dir.path().join("pid"));
        let stop = Stop::default();
        // A session of its own, and no parent: no signal to the process group would reach it.
        let text = "setsid sh -c 'echo $$ > pid; exec sleep 600' </dev/null >/dev/null 2>&1 & \
                    while [ ! -s pid ]; do sleep 0.01; done; echo done";
        let run = |text| {
            let mut left = Vec::new();
            run_logged(text, dir.path(), &[], &log, Duration::from_secs(30), &stop, &mut left).unwrap();
            left
        };
        let left = run(text);
        let pid: u32 = fs::read_to_string(pid).unwrap().trim().parse().unwrap();
        assert!(!tree::is_alive(pid), "{pid}");
        assert!(fs::read_to_string(&log).unwrap().contains("ended what this left running: sleep"));
        assert_eq!(left, ["sleep"]);
        // What ends in its own time was not left running.
        let text = "sleep 0.1 & echo done";
        assert!(run(text).is_empty());
    }

    #[test]
    fn output_status_and_limit() {
        let dir = tempfile::tempdir().unwrap();
        let stop = Stop::default();
        let capture = |text: &str| run_captured(text, dir.path(), &[], Duration::from_secs(10), &stop);
        assert_eq!(capture("echo out; echo err >&2").unwrap(), "out\n");
        assert_eq!(capture("echo err >&2").unwrap(), "err\n");
        assert!(matches!(capture("echo no; exit 3"), Err(CommandFailure::Failed(_, line)) if line == "no"));
        let log = dir.path().join("x.log");
        let logged = |text: &str, ms| {
            run_logged(text, dir.path(), &[], &log, Duration::from_millis(ms), &stop, &mut Vec::new())
        };
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
