//! Programs that are run to their end: on one CPU, for a limited time, and what they took.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, set_parent_process_death_signal,
};
use rustix::thread::{CpuSet, sched_setaffinity};

/// What is read of each stream: more than the longest report, hey's line for each of at most a million requests.
const LONGEST_OUTPUT: u64 = 64 << 20;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Exit(i32),
    /// By this signal, which it brought upon itself.
    Signal(i32),
    /// It had not ended at the limit, and was ended.
    Limit,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Limit => f.write_str("not ended at the limit"),
        }
    }
}

/// A program that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How.
    pub ended: Ended,
    /// From before its start to after its end.
    pub wall: Duration,
    /// User time of all threads of the process and of the children that it waited for.
    pub user: Duration,
    /// System time of the same.
    pub system: Duration,
    /// The most memory that the process, or the largest child that it waited for, had resident; not below what this
    /// process had when it started it.
    pub peak_memory_bytes: u64,
    /// What it wrote, up to 64 MiB of each.
    pub stdout: String,
    /// The same of its errors.
    pub stderr: String,
}

impl Finished {
    /// A program that said this and ended well, for tests of what reads it.
    pub fn saying(stdout: &str) -> Self {
        Self {
            ended: Ended::Exit(0),
            wall: Duration::ZERO,
            user: Duration::ZERO,
            system: Duration::ZERO,
            peak_memory_bytes: 0,
            stdout: stdout.to_owned(),
            stderr: String::new(),
        }
    }

    /// Its peak, where that is its own: a child that a process of much memory starts begins with the peak of its parent (the kernel keeps
    /// it over `exec`), so that a peak below ours says nothing.
    pub fn peak_memory_beyond_ours(&self) -> Option<u64> {
        // SAFETY: all zeros is a valid rusage.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` outlives the call.
        let read = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } == 0;
        let ours = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
        (read && self.peak_memory_bytes > ours).then_some(self.peak_memory_bytes)
    }

    /// User and system time.
    pub fn cpu(&self) -> Duration {
        self.user + self.system
    }
}

/// Runs a program for at most so long, in a process group of its own, which is killed at the limit.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Finished> {
    // Files take what pipes would have to be read from in between.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let started = Instant::now();
    let child = bound(command).spawn()?;
    let over = !wait_until_end(&child, limit)?;
    if over {
        kill_process_group(Pid::from_child(&child), Signal::KILL)?;
    }
    let (status, usage) = reap(child)?;
    let wall = started.elapsed();
    let ended = match (over, status.code()) {
        (true, _) => Ended::Limit,
        (false, Some(code)) => Ended::Exit(code),
        (false, None) => Ended::Signal(status.signal().unwrap_or_default()),
    };
    Ok(Finished {
        ended,
        wall,
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
        // Linux counts it in KiB.
        peak_memory_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
        stdout: text(&mut stdout)?,
        stderr: text(&mut stderr)?,
    })
}

/// Puts the program into a process group of its own, and ends it when the thread that starts it ends.
pub fn bound(command: &mut Command) -> &mut Command {
    let prepare = || Ok(set_parent_process_death_signal(Some(Signal::KILL))?);
    // SAFETY: one system call; nothing is allocated between fork and exec.
    unsafe { command.process_group(0).pre_exec(prepare) }
}

/// The program runs on this CPU alone.
pub fn on_cpu(command: &mut Command, cpu: usize) -> &mut Command {
    let cpus = only(cpu);
    // SAFETY: one system call on a value made before; nothing is allocated between fork and exec.
    unsafe { command.pre_exec(move || Ok(sched_setaffinity(None, &cpus)?)) }
}

/// The calling thread runs on this CPU alone from now on.
///
/// # Errors
/// When there is no such CPU, or none for this process.
pub fn this_thread_on_cpu(cpu: usize) -> io::Result<()> {
    Ok(sched_setaffinity(None, &only(cpu))?)
}

fn only(cpu: usize) -> CpuSet {
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    cpus
}

/// Whether the process ended within the limit. Sleeps meanwhile: nothing here may use the CPUs that are measured.
///
/// # Errors
/// When it cannot be waited for.
pub fn wait_until_end(child: &Child, limit: Duration) -> io::Result<bool> {
    let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let deadline = Instant::now() + limit;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)], Some(&left)) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// How the child ended, and what it used. Takes it, because it can be asked only once.
fn reap(child: Child) -> io::Result<(ExitStatus, libc::rusage)> {
    let pid = Pid::from_child(&child).as_raw_nonzero().get();
    let mut status = 0;
    // SAFETY: a rusage is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to locals that outlive the call; the child is ours and has not been waited for.
        if unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } == pid {
            return Ok((ExitStatus::from_raw(status), usage));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let part = |value: i64, unit: fn(u64) -> Duration| unit(u64::try_from(value).unwrap_or(0));
    part(time.tv_sec, Duration::from_secs) + part(time.tv_usec, Duration::from_micros)
}

fn text(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(LONGEST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limit: Duration) -> Finished {
        run(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn output_and_exit_code() {
        let finished = sh("echo out; echo err >&2; exit 3", Duration::from_secs(60));
        assert_eq!(finished.ended, Ended::Exit(3));
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
        assert!(finished.peak_memory_bytes > 100_000);
    }

    #[test]
    fn a_signal_and_the_limit_are_told_apart() {
        assert_eq!(sh("kill -ABRT $$", Duration::from_secs(60)).ended, Ended::Signal(libc::SIGABRT));
        let slow = sh("exec sleep 600", Duration::from_millis(50));
        assert_eq!(slow.ended, Ended::Limit);
        assert!(slow.wall < Duration::from_secs(60));
    }

    #[test]
    fn what_it_started_is_killed_with_it_at_the_limit() {
        // On a machine that is too slow for one limit it has said nothing yet.
        let mut tries =
            [1, 10, 60].into_iter().map(|s| sh("sleep 600 & echo $!; wait", Duration::from_secs(s)));
        let finished = tries.find(|finished| !finished.stdout.is_empty()).unwrap();
        assert_eq!(finished.ended, Ended::Limit);
        let stat = format!("/proc/{}/stat", finished.stdout.trim());
        let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_gone() {
            assert!(Instant::now() < deadline, "{stat} is still there");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn cpu_time_is_that_of_the_program_and_its_children() {
        let limit = Duration::from_secs(60);
        let spinning = sh("(i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done) & wait", limit);
        let idle = sh("sleep 0.2", limit);
        assert!(spinning.cpu() > Duration::from_millis(10), "{:?}", spinning.cpu());
        assert!(idle.cpu() < spinning.cpu());
        assert!(idle.wall >= Duration::from_millis(200));
    }

    #[test]
    fn it_runs_on_its_cpu() {
        let mut command = Command::new("grep");
        command.args(["Cpus_allowed_list", "/proc/self/status"]);
        let finished = run(on_cpu(&mut command, 0), Duration::from_secs(60)).unwrap();
        assert_eq!(finished.stdout.split_whitespace().last(), Some("0"));
    }
}
