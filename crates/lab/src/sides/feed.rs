//! The way to a task and back: one line in, one line out, with a limit on time and length.

use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};
use velo_stats::number::decimals;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use crate::progress::Stop;

/// Longer lines are nobody's answer.
pub(crate) const LONGEST_LINE_BYTES: usize = 4096;
/// How long a wait goes on before it is looked whether the run is to end.
const SLICE: Duration = Duration::from_millis(100);

/// The pipes of a task.
#[derive(Debug)]
pub(crate) struct Feed {
    input: ChildStdin,
    output: ChildStdout,
}

/// A line that a task answered with, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) line: Vec<u8>,
    /// From before the question was written to the end of the answer.
    pub(crate) outside_ns: u64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Its output has ended.
    Ended,
    /// It took longer than this.
    Limit(Duration),
    /// A line without an end.
    TooLong,
    /// It wrote something that nobody asked for.
    Unasked,
    /// The pipes do not work.
    Pipe(String),
    /// The run was asked to end.
    Stopped,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => write!(f, "its output ended before the answer"),
            Self::Limit(limit) => write!(f, "no answer within {} s", decimals(limit.as_secs_f64(), 0)),
            Self::TooLong => {
                write!(f, "it wrote more than {LONGEST_LINE_BYTES} bytes without the end of a line")
            }
            Self::Unasked => write!(f, "it wrote more than the one line that was asked for"),
            Self::Pipe(error) => write!(f, "its input or output does not work: {error}"),
            Self::Stopped => write!(f, "interrupted"),
        }
    }
}

impl Feed {
    /// Takes the pipes.
    pub(crate) fn new(input: ChildStdin, output: ChildStdout) -> io::Result<Self> {
        fcntl_setfl(&input, fcntl_getfl(&input)? | OFlags::NONBLOCK)?;
        fcntl_setfl(&output, fcntl_getfl(&output)? | OFlags::NONBLOCK)?;
        Ok(Self { input, output })
    }

    /// Writes a line and waits for the one that answers it.
    pub(crate) fn ask(&mut self, line: &str, limit: Duration, stop: &Stop) -> Result<Answer, NoAnswer> {
        let question = format!("{line}\n");
        self.refuse_what_nobody_asked_for()?;
        let began = Instant::now();
        self.write(question.as_bytes(), began, limit, stop)?;
        let mut line = Vec::new();
        loop {
            let mut bytes = [0; LONGEST_LINE_BYTES + 1];
            match rustix::io::read(&self.output, &mut bytes) {
                Ok(0) => return Err(NoAnswer::Ended),
                Ok(count) => line.extend_from_slice(&bytes[..count]),
                Err(Errno::AGAIN) => {
                    wait(&self.output, PollFlags::IN, began, limit, stop)?;
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(error) => return Err(NoAnswer::Pipe(error.to_string())),
            }
            let outside_ns = began.elapsed().as_nanos() as u64;
            match line.iter().position(|byte| *byte == b'\n') {
                Some(end) if end > LONGEST_LINE_BYTES => return Err(NoAnswer::TooLong),
                Some(end) if end + 1 < line.len() => return Err(NoAnswer::Unasked),
                Some(end) => {
                    line.truncate(end);
                    return Ok(Answer { line, outside_ns });
                }
                None if line.len() > LONGEST_LINE_BYTES => return Err(NoAnswer::TooLong),
                None => {}
            }
        }
    }

    /// Ends the input.
    pub(crate) fn close(self) -> Rest {
        Rest(self.output)
    }

    fn refuse_what_nobody_asked_for(&self) -> Result<(), NoAnswer> {
        match rustix::io::read(&self.output, &mut [0; 1]) {
            Ok(0) => Err(NoAnswer::Ended),
            Ok(_) => Err(NoAnswer::Unasked),
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(error) => Err(NoAnswer::Pipe(error.to_string())),
        }
    }

    fn write(&self, mut rest: &[u8], began: Instant, limit: Duration, stop: &Stop) -> Result<(), NoAnswer> {
        while !rest.is_empty() {
            match rustix::io::write(&self.input, rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::AGAIN) => wait(&self.input, PollFlags::OUT, began, limit, stop)?,
                Err(Errno::INTR) => {}
                // It reads no more: what it has to say about that is in its output.
                Err(Errno::PIPE) => return Err(NoAnswer::Ended),
                Err(error) => return Err(NoAnswer::Pipe(error.to_string())),
            }
        }
        Ok(())
    }
}

/// The output of a task whose input has ended. It stays open: a program that writes to a closed pipe would be ended by
/// that.
#[derive(Debug)]
pub(crate) struct Rest(ChildStdout);

impl Rest {
    /// Whether it wrote anything yet.
    pub(crate) fn is_there(&self) -> bool {
        matches!(rustix::io::read(&self.0, &mut [0; 1]), Ok(1))
    }

    /// Waits until it wrote something, or nobody is left who could: usually the moment in which it ends.
    pub(crate) fn wait(&self, limit: Duration, stop: &Stop) {
        // Whoever waits for its end looks for that next.
        let _ = wait(&self.0, PollFlags::IN, Instant::now(), limit, stop);
    }
}

/// Waits until a pipe is ready.
fn wait(
    pipe: impl AsFd,
    what: PollFlags,
    began: Instant,
    limit: Duration,
    stop: &Stop,
) -> Result<(), NoAnswer> {
    loop {
        if stop.asked() {
            return Err(NoAnswer::Stopped);
        }
        let left = limit.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Err(NoAnswer::Limit(limit));
        }
        let slice = left.min(SLICE);
        let slice = Timespec { tv_sec: 0, tv_nsec: i64::from(slice.subsec_nanos()) };
        match poll(&mut [PollFd::new(&pipe, what)], Some(&slice)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(NoAnswer::Pipe(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn start(script: &str) -> (Child, Feed) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let feed = Feed::new(child.stdin.take().unwrap(), child.stdout.take().unwrap()).unwrap();
        (child, feed)
    }

    fn ask_once(script: &str, limit: Duration) -> Result<Answer, NoAnswer> {
        let (mut child, mut feed) = start(script);
        let answer = feed.ask("x", limit, &Stop::default());
        child.kill().unwrap();
        child.wait().unwrap();
        answer
    }

    #[test]
    fn each_line_gets_the_one_that_answers_it() {
        let (mut child, mut feed) = start("while read -r line; do echo \"<$line>\"; done; exit 4");
        for line in ["a", "", "b\tc"] {
            let answer = feed.ask(line, LONG, &Stop::default()).unwrap();
            assert_eq!(String::from_utf8(answer.line).unwrap(), format!("<{line}>"));
            assert!(answer.outside_ns > 0);
        }
        let rest = feed.close();
        assert_eq!(child.wait().unwrap().code(), Some(4), "it sees the end of its input");
        assert!(!rest.is_there());
        let (mut child, feed) = start("cat; echo bye");
        let rest = feed.close();
        assert!(child.wait().unwrap().success() && rest.is_there());
    }

    #[test]
    fn a_line_may_come_in_pieces_and_be_of_the_longest_length() {
        let answer = ask_once("read x; printf ab; sleep 0.05; echo c; read y", LONG).unwrap();
        assert_eq!(answer.line, b"abc");
        assert!(answer.outside_ns >= 50_000_000);
        let script = |bytes: usize| format!("read x; head -c {bytes} /dev/zero | tr '\\0' x; echo; read y");
        assert_eq!(ask_once(&script(LONGEST_LINE_BYTES), LONG).unwrap().line.len(), LONGEST_LINE_BYTES);
        assert_eq!(ask_once(&script(LONGEST_LINE_BYTES + 1), LONG), Err(NoAnswer::TooLong));
    }

    #[test]
    fn no_answer_has_a_reason() {
        assert_eq!(ask_once("read x; exit 3", LONG), Err(NoAnswer::Ended));
        let limit = Duration::from_millis(50);
        assert_eq!(ask_once("exec sleep 60", limit), Err(NoAnswer::Limit(limit)));
        assert_eq!(ask_once("read x; exec cat /dev/zero", LONG), Err(NoAnswer::TooLong));
        assert_eq!(ask_once("read x; printf 'a\\nb'; exec sleep 60", LONG), Err(NoAnswer::Unasked));
        let (mut child, mut feed) = start("echo early; exec sleep 60");
        let deadline = Instant::now() + LONG;
        wait(&feed.output, PollFlags::IN, Instant::now(), deadline - Instant::now(), &Stop::default())
            .unwrap();
        assert_eq!(feed.ask("x", LONG, &Stop::default()), Err(NoAnswer::Unasked));
        let stop = Stop::default();
        stop.flag().store(true, std::sync::atomic::Ordering::Relaxed);
        let (mut other, mut silent) = start("exec sleep 60");
        assert_eq!(silent.ask("x", LONG, &stop), Err(NoAnswer::Stopped));
        for child in [&mut child, &mut other] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn one_that_does_not_read_does_not_hang_the_lab() {
        let (mut child, mut feed) = start("exec sleep 60");
        let line = "x".repeat(200_000);
        let limit = Duration::from_millis(50);
        assert_eq!(feed.ask(&line, limit, &Stop::default()), Err(NoAnswer::Limit(limit)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
