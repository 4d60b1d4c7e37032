//! Commands of a manifest that end by themselves: fetch, build, version.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::build::build_log;
use crate::build::environment::{self, Use};
use crate::process::cage::{Cage, CageMaker};
use crate::process::guard::Guard;
use crate::process::logs::BoundedLog;
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
    /// It printed more than what is read of it, by far.
    TooLong,
    /// Its control group cannot be removed.
    Stays(io::Error),
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Failed(status, line) if line.is_empty() => write!(f, "{status}, nothing printed"),
            Self::Failed(_, line) => write!(f, "{line}"),
            Self::Limit(limit) => write!(f, "not done after {} s", limit.as_secs()),
            Self::Stopped => write!(f, "interrupted"),
            Self::TooLong => {
                write!(f, "it printed more than {} MiB, expected a line or some", MOST_PRINTED >> 20)
            }
            Self::Stays(error) => write!(f, "its control group cannot be removed: {error}"),
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
    let mut written = BoundedLog::open(log).map_err(CommandFailure::Io)?;
    written.begin(&format!("$ {text}")).map_err(CommandFailure::Io)?;
    let mut command = shell(text, dir, Use::Build, environment);
    command.stdout(written.writer().map_err(CommandFailure::Io)?);
    command.stderr(written.writer().map_err(CommandFailure::Io)?);
    let ended = watched(command, limit, stop, &mut || {
        written.free();
        Ok(())
    });
    written.cut();
    let (status, names) = ended?;
    let gist = (!status.success()).then(|| build_log::gist(log, written.begins));
    if !names.is_empty() {
        let line = format!("--- ended what this left running: {}", names.join(", "));
        written.say(&line).map_err(CommandFailure::Io)?;
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
    let files =
        [output.try_clone().map_err(CommandFailure::Io)?, errors.try_clone().map_err(CommandFailure::Io)?];
    let (status, _) = watched(command, limit, stop, &mut || {
        let is_long = |file: &File| file.metadata().is_ok_and(|data| data.len() > MOST_PRINTED);
        if files.iter().any(is_long) { Err(CommandFailure::TooLong) } else { Ok(()) }
    })?;
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

/// What a command started may take this long to end after it.
const GRACE: Duration = Duration::from_millis(500);
/// What is killed is gone within this time, unless the kernel holds it.
const KILL_LIMIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(10);

/// Runs a command to its end, looks at it now and then, and ends what it left running, whatever process group or session that went to: a server that
/// was started by a build would do a contender's work outside of what is measured. With the names of what was left.
fn watched(
    mut command: Command,
    limit: Duration,
    stop: &Stop,
    look: &mut dyn FnMut() -> Result<(), CommandFailure>,
) -> Result<(ExitStatus, Vec<String>), CommandFailure> {
    static MAKER: OnceLock<CageMaker> = OnceLock::new();
    static COMMANDS: AtomicU64 = AtomicU64::new(0);
    let number = COMMANDS.fetch_add(1, Ordering::Relaxed);
    let maker = MAKER.get_or_init(CageMaker::find);
    // With the time, since a `velo` of the same number may have been killed and have left its groups.
    let now = jiff::Timestamp::now().as_millisecond();
    let name = format!("velo-build-{}-{now}-{number}", std::process::id());
    let mut cage = maker.make(&name, &[]).map_err(CommandFailure::Io)?;
    let guard = guard().map_err(CommandFailure::Io)?;
    guard.watch(&cage, None);
    let (key, value) = cage.environment();
    command.env(key, value);
    let result = cage.entry().and_then(|entry| {
        // SAFETY: the entry makes system calls on values made before; nothing is allocated and no lock is taken.
        unsafe { command.pre_exec(move || entry.enter()) };
        cage.spawn(&mut command)
    });
    let result = result.map_err(CommandFailure::Io).and_then(|child| {
        guard.watch_group(&cage, child.id());
        wait(child, limit, stop, look)
    });
    let left = end_rest(&cage, if result.is_ok() { GRACE } else { Duration::ZERO });
    let removed = cage.remove();
    guard.forget(&cage);
    let status = result?;
    removed.map_err(CommandFailure::Stays)?;
    Ok((status, left))
}

/// What ends commands, and all that they have started, when this program is killed: one for all of them, from the first on.
fn guard() -> io::Result<&'static Guard> {
    static GUARD: Mutex<Option<&'static Guard>> = Mutex::new(None);
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    match *guard {
        Some(guard) => Ok(guard),
        // It lives as long as this program, whose end it waits for.
        None => Ok(guard.insert(Box::leak(Box::new(Guard::start()?)))),
    }
}

/// Ends all that is in a cage or has left it; the names of what was still there after a time.
fn end_rest(cage: &Cage, grace: Duration) -> Vec<String> {
    let all = || [cage.pids(), cage.strays()].concat();
    let began = Instant::now();
    let mut pids = all();
    while !pids.is_empty() && began.elapsed() < grace {
        std::thread::sleep(POLL);
        pids = all();
    }
    let names = pids.iter().filter_map(|&pid| tree::name(pid)).collect();
    let began = Instant::now();
    while !pids.is_empty() && began.elapsed() < KILL_LIMIT {
        cage.kill();
        cage.kill_strays();
        std::thread::sleep(POLL);
        pids = all();
    }
    names
}

fn wait(
    mut child: Child,
    limit: Duration,
    stop: &Stop,
    look: &mut dyn FnMut() -> Result<(), CommandFailure>,
) -> Result<ExitStatus, CommandFailure> {
    let deadline = Instant::now() + limit;
    let failure = loop {
        if let Err(failure) = look() {
            break failure;
        }
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if stop.asked() => break CommandFailure::Stopped,
            Ok(None) if Instant::now() > deadline => break CommandFailure::Limit(limit),
            Ok(None) => std::thread::sleep(POLL),
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
/// A command whose output is captured and that prints more than that is ended.
const MOST_PRINTED: u64 = 1 << 20;

fn read_start(file: &mut File) -> String {
    let mut bytes = Vec::new();
    // What cannot be read was not printed.
    let _ = file.seek(SeekFrom::Start(0));
    let _ = file.take(MOST_CAPTURED).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
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
        let flood = "head -c 20000000 /dev/zero; exec sleep 600";
        assert!(matches!(capture(flood), Err(CommandFailure::TooLong)));
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
