//! A process for each line: what stands between the lab and clients that fetch one file and end. It runs in the client's cage, so
//! that what it starts is counted and ended with it.

use std::fs;
use std::io::{self, BufRead, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const ARGUMENT: &str = "__each";
/// Holds the command that is started for each line.
pub(crate) const COMMAND: &str = "VELO_EACH";
/// More than this is nobody's time.
const LONGEST_BYTES: usize = 4096;

/// The command that starts it.
pub(crate) fn command() -> io::Result<String> {
    let program = std::env::current_exe()?;
    let quoted = program.to_string_lossy().replace('\'', r"'\''");
    Ok(format!("exec '{quoted}' {ARGUMENT}"))
}

/// Answers lines until there are no more and never returns, when this process was started for that.
pub(crate) fn become_if_asked() {
    if std::env::args().nth(1).as_deref() != Some(ARGUMENT) {
        return;
    }
    let Ok(command) = std::env::var(COMMAND) else { std::process::exit(2) };
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let answered = line.and_then(|line| {
            writeln!(output, "{}", answer(&command, &line))?;
            output.flush()
        });
        if answered.is_err() {
            std::process::exit(1);
        }
    }
    std::process::exit(0);
}

/// `OWN_NS TAB BYTES TAB PROCESS_NS TAB PEAK_BYTES`, or `PROCESS_NS TAB error: WORDS`.
fn answer(command: &str, line: &str) -> String {
    let Some((url, out)) = line.split_once('\t') else { return "0\terror: no address and file".to_owned() };
    let began = Instant::now();
    match fetch(command, url, out) {
        Ok(fetched) => {
            let process_ns = began.elapsed().as_nanos() as u64;
            if !fetched.status.success() {
                return format!("{process_ns}\terror: {}", fetched.status);
            }
            let bytes = fs::metadata(out).map_or(0, |data| data.len());
            let own_ns = own_time(&fetched.said).map_or(process_ns, |time| time.as_nanos() as u64);
            format!("{own_ns}\t{bytes}\t{process_ns}\t{}", fetched.peak_bytes)
        }
        Err(error) => format!("0\terror: it cannot be started: {error}"),
    }
}

struct Fetched {
    status: ExitStatus,
    said: Vec<u8>,
    peak_bytes: u64,
}

fn fetch(command: &str, url: &str, out: &str) -> io::Result<Fetched> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .env("URL", url)
        .env("OUT", out)
        .env_remove(COMMAND)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut said = Vec::new();
    if let Some(output) = child.stdout.take() {
        // What is written beyond that is lost, and the program is told so by its pipe.
        io::Read::read_to_end(&mut io::Read::take(output, LONGEST_BYTES as u64), &mut said)?;
    }
    let (status, peak_bytes) = wait(&child)?;
    Ok(Fetched { status, said, peak_bytes })
}

/// Waits for a process and its children that it waited for: how it ended, and the largest resident size of any of them. That is no
/// less than this process's own, which is what it begins with.
fn wait(child: &Child) -> io::Result<(ExitStatus, u64)> {
    let mut status = 0;
    // SAFETY: `rusage` is plain data, for which zero bytes are a value.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to values of this frame; the process is a child that nobody has waited for.
        let ended = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut used) };
        if ended >= 0 {
            let peak_bytes = u64::try_from(used.ru_maxrss).unwrap_or(0).saturating_mul(1024);
            return Ok((std::os::unix::process::ExitStatusExt::from_raw(status), peak_bytes));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// The time that a program prints: whole nanoseconds, or seconds as in `0.001234s`. Nothing: it prints none.
fn own_time(said: &[u8]) -> Option<Duration> {
    let word = std::str::from_utf8(said).ok()?.split_ascii_whitespace().next()?;
    match word.strip_suffix('s') {
        Some(seconds) => Duration::try_from_secs_f64(seconds.parse().ok()?).ok(),
        None => word.parse().ok().map(Duration::from_nanos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_say_what_it_took() {
        assert_eq!(own_time(b"1500\n"), Some(Duration::from_nanos(1_500)));
        assert_eq!(own_time(b"0.001500s 200\n"), Some(Duration::from_micros(1_500)));
        for nothing in [&b""[..], b"\n", b"-1", b"nans", b"-1s", b"done", b"\xff"] {
            assert_eq!(own_time(nothing), None);
        }
    }

    #[test]
    fn each_line_has_a_process_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let line = format!("http://x/\t{}", out.display());
        let said = answer(r#"printf '%s' "$URL" > "$OUT"; sleep 0.05; echo 7"#, &line);
        let fields: Vec<&str> = said.split('\t').collect();
        assert_eq!((fields[0], fields[1]), ("7", "9"));
        assert!(fields[2].parse::<u64>().unwrap() >= 50_000_000 && fields[3].parse::<u64>().unwrap() > 0);
        let silent = answer(r#": > "$OUT""#, &line);
        let fields: Vec<&str> = silent.split('\t').collect();
        assert_eq!((fields[0] == fields[2], fields[1]), (true, "0"), "its process is its time");
        assert!(answer("exit 22", &line).ends_with("\terror: exit status: 22"));
        assert!(answer("true", "no tab").contains("error"));
    }
}
