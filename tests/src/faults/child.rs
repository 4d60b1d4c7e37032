//! A program that is run to its end, and what it took.

use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

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

/// A program that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How.
    pub ended: Ended,
    /// From its start to its end.
    pub wall: Duration,
    /// User and system time of all its threads.
    pub cpu: Duration,
    /// The most memory it had resident, in bytes; not below what this process had when it started it.
    pub peak_bytes: u64,
    /// What it wrote, up to 8 MiB of each.
    pub stdout: String,
    /// The same of its errors.
    pub stderr: String,
}

/// Runs a program, for at most so long.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Finished> {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let mut over = false;
    let (status, usage) = loop {
        if let Some(ended) = reap(&child)? {
            break ended;
        }
        if !over && started.elapsed() >= limit {
            over = true;
            child.kill()?;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let wall = started.elapsed();
    let ended = match (over, status.code(), status.signal()) {
        (true, ..) => Ended::Limit,
        (_, Some(code), _) => Ended::Exit(code),
        (_, None, signal) => Ended::Signal(signal.unwrap_or_default()),
    };
    let text = |thread: JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&thread.join().unwrap_or_default()).into_owned()
    };
    Ok(Finished {
        ended,
        wall,
        cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
        peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
        stdout: text(stdout),
        stderr: text(stderr),
    })
}

/// Whether the child has ended, and what it used. After it has said so once it must not be asked again.
fn reap(child: &Child) -> io::Result<Option<(ExitStatus, libc::rusage)>> {
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: a rusage is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to locals that outlive the call; the child is ours and has not been waited for.
    let got = unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage) };
    match got {
        0 => Ok(None),
        got if got == pid => Ok(Some((ExitStatus::from_raw(status), usage))),
        _ => Err(io::Error::last_os_error()),
    }
}

fn duration(time: libc::timeval) -> Duration {
    let part = |value: i64, unit: fn(u64) -> Duration| unit(u64::try_from(value).unwrap_or(0));
    part(time.tv_sec, Duration::from_secs) + part(time.tv_usec, Duration::from_micros)
}

const MOST_OUTPUT: u64 = 8 * 1024 * 1024;

/// Reads a stream to its end and keeps its beginning.
fn collect(stream: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            // What cannot be read is not there.
            let _ = stream.by_ref().take(MOST_OUTPUT).read_to_end(&mut kept);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        kept
    })
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
        assert!(finished.peak_bytes > 0);
    }

    #[test]
    fn a_signal_and_the_limit_are_told_apart() {
        assert_eq!(sh("kill -ABRT $$", Duration::from_secs(60)).ended, Ended::Signal(libc::SIGABRT));
        assert_eq!(sh("exec sleep 600", Duration::from_millis(50)).ended, Ended::Limit);
    }

    #[test]
    fn cpu_time_is_the_childs_own() {
        let spinning = sh("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done", Duration::from_secs(60));
        let idle = sh("sleep 0.2", Duration::from_secs(60));
        assert!(spinning.cpu > Duration::from_millis(10), "{:?}", spinning.cpu);
        assert!(idle.cpu < spinning.cpu);
        assert!(idle.wall >= Duration::from_millis(200));
    }
}
