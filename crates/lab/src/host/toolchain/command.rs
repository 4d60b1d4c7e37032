use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::children;

/// A version is short; what prints without end is cut.
const MOST_BYTES: u64 = 64 * 1024;

/// What a program prints, standard output before standard error; `None` when it cannot be started or does not
/// end within the limit. It reads nothing and is killed with all that it started in its process group.
pub(super) fn output(program: &Path, args: &[&str], limit: Duration) -> Option<String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = children::spawn(&mut command).ok()?;
    let deadline = Instant::now() + limit;
    let out = child.stdout.take().map(reader);
    let err = child.stderr.take().map(reader);
    // A child of the program may hold the pipes open after it, so they are not waited for without a limit.
    let text: Option<Vec<String>> = [out, err]
        .into_iter()
        .flatten()
        .map(|reader| reader.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok())
        .collect();
    let ended = wait(&mut child, deadline);
    end(&mut child);
    text.filter(|_| ended).map(|parts| parts.join("\n"))
}

fn reader(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(MOST_BYTES).read_to_end(&mut bytes);
        // OK to lose it: nobody listens after the limit.
        let _ = read.map(|_| send.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    receive
}

fn wait(child: &mut Child, deadline: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
            Ok(None) | Err(_) => return false,
        }
    }
}

fn end(child: &mut Child) {
    let group = rustix::process::Pid::from_raw(child.id().cast_signed());
    if let Some(group) = group {
        // OK to fail: the group is gone when nothing was left behind.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // OK to fail: it has been waited for, or it cannot be.
    let _ = child.wait();
    children::forget(child.id());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limit: Duration) -> Option<String> {
        output(Path::new("/bin/sh"), &["-c", script], limit)
    }

    #[test]
    fn both_streams_are_kept() {
        let text = sh("echo error >&2; echo out", Duration::from_secs(5)).expect("it ended");
        assert_eq!(text, "out\n\nerror\n");
    }

    #[test]
    fn standard_input_is_empty() {
        assert_eq!(sh("cat; echo end", Duration::from_secs(5)).as_deref(), Some("end\n\n"));
    }

    #[test]
    fn a_program_that_hangs_is_given_up() {
        let began = Instant::now();
        assert_eq!(sh("echo 1.2.3; sleep 60", Duration::from_millis(200)), None);
        assert_eq!(sh("exec >&- 2>&-; sleep 60", Duration::from_millis(200)), None);
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_program_that_prints_without_end_is_cut() {
        let text = sh("while :; do echo 0123456789; done", Duration::from_secs(5));
        assert!(text.is_none_or(|text| text.len() as u64 <= 2 * MOST_BYTES + 1));
    }

    #[test]
    fn a_program_that_is_not_there_prints_nothing() {
        assert_eq!(output(Path::new("/nonexistent/program"), &[], Duration::from_secs(1)), None);
    }
}
