//! Child processes: pinned, limited in time, gone when this process is gone, and with the kernel's account of them.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, set_parent_process_death_signal,
};
use rustix::thread::{CpuSet, sched_setaffinity};

/// What is read of a generator's report.
const LONGEST_OUTPUT: u64 = 16 << 20;

/// A process that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// User time of the process and of the children that it waited for.
    pub(crate) user_us: f64,
    /// System time of the same.
    pub(crate) system_us: f64,
    /// The most memory that the process, or the largest child that it waited for, had resident.
    pub(crate) peak_memory_bytes: u64,
    /// From before its start to after its end.
    pub(crate) wall: Duration,
}

/// Makes the command run on one CPU, in a process group of its own, and end when this process ends.
pub(crate) fn on_cpu(command: &mut Command, cpu: usize) -> &mut Command {
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    let prepare = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        Ok(sched_setaffinity(None, &cpus)?)
    };
    // SAFETY: two system calls on values made before; nothing is allocated between fork and exec.
    unsafe { command.process_group(0).pre_exec(prepare) }
}

/// Runs a command to its end; when `limit` has passed it is killed with its process group.
pub(crate) fn run(command: &mut Command, cpu: usize, limit: Duration) -> io::Result<Finished> {
    // Files take what pipes would have to be read from in between.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let begin = Instant::now();
    let child = on_cpu(command, cpu).spawn()?;
    let pid = Pid::from_child(&child);
    if !wait_until_end(&child, limit)? {
        kill_process_group(pid, Signal::KILL)?;
    }
    let mut status = 0;
    // SAFETY: rusage is plain numbers, for which all zeroes are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child has not been waited for, and both places are valid for writing.
    let waited = unsafe { libc::wait4(pid.as_raw_nonzero().get(), &raw mut status, 0, &raw mut usage) };
    if waited < 0 {
        return Err(io::Error::last_os_error());
    }
    let wall = begin.elapsed();
    let us = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    Ok(Finished {
        status: std::os::unix::process::ExitStatusExt::from_raw(status),
        stdout: text(&mut stdout)?,
        stderr: text(&mut stderr)?,
        user_us: us(usage.ru_utime),
        system_us: us(usage.ru_stime),
        // Linux counts it in KiB.
        peak_memory_bytes: usage.ru_maxrss as u64 * 1024,
        wall,
    })
}

/// Whether the process ended within the limit. Sleeps meanwhile: nothing here may use the CPUs that are measured.
pub(crate) fn wait_until_end(child: &Child, limit: Duration) -> io::Result<bool> {
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

fn text(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(LONGEST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_a_process_and_its_children_used_and_said() {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "(i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done) & wait; echo out; echo err >&2; exit 3",
        ]);
        let finished = run(&mut command, 0, Duration::from_secs(60)).unwrap();
        assert_eq!(finished.status.code(), Some(3));
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
        assert!(finished.user_us + finished.system_us > 0.0);
        assert!(finished.peak_memory_bytes > 100_000);
    }

    #[test]
    fn ends_what_does_not_end() {
        let finished = run(Command::new("sleep").arg("3600"), 0, Duration::from_millis(50)).unwrap();
        assert_eq!(finished.status.code(), None);
        assert!(finished.wall < Duration::from_secs(60));
    }
}
