//! System calls per request, in a run of their own: by perf's tracepoints, which hardly slow a program down, else by
//! strace, which does so greatly and changes how many events one call returns.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use velo_tests::child::{on_cpu, run};

use crate::Outcome;
use crate::bench::Bench;
use crate::compare::Setting;
use crate::server::Server;
use crate::settings::LOAD_CPU;
use crate::tools::{Amount, Job, Tool};

const SECONDS: u32 = 1;
const LIMIT: Duration = Duration::from_secs(60);
const TRACEPOINTS: &str = "/sys/kernel/tracing/events/syscalls";
/// Those that a load generator may make for each request; the sum is over all.
const NAMED: [&str; 15] = [
    "epoll_wait",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_ctl",
    "poll",
    "read",
    "readv",
    "recvfrom",
    "recvmsg",
    "write",
    "writev",
    "sendto",
    "sendmsg",
    "io_uring_enter",
    "clock_gettime",
];
/// Less than this per request is not named.
const LEAST_NAMED: f64 = 0.005;
const REPORT: &str = "syscalls.txt";

/// What counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    Perf,
    Strace,
}

impl Counter {
    /// The better one that works here.
    pub(crate) fn available() -> Option<Self> {
        let works = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        if works("perf", &["stat", "-e", "raw_syscalls:sys_enter", "true"]) {
            return Some(Self::Perf);
        }
        works("strace", &["-c", "-o", "/dev/null", "true"]).then_some(Self::Strace)
    }

    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Perf => "by perf, in a run of their own",
            Self::Strace => "by strace, in a run of their own that it slows down",
        }
    }

    fn wrap(self, report: &Path) -> Command {
        let mut command = match self {
            Self::Perf => {
                let mut command = Command::new("perf");
                command.args(["stat", "-x", ",", "-e", "raw_syscalls:sys_enter"]);
                // A name that this architecture does not have would be an error.
                for name in NAMED {
                    if Path::new(TRACEPOINTS).join(format!("sys_enter_{name}")).exists() {
                        command.args(["-e", &format!("syscalls:sys_enter_{name}")]);
                    }
                }
                command
            }
            Self::Strace => {
                let mut command = Command::new("strace");
                command.args(["-c", "-f"]);
                command
            }
        };
        command.arg("-o").arg(report).arg("--");
        command
    }

    fn read(self, report: &str) -> Option<Calls> {
        match self {
            Self::Perf => perf_report(report),
            Self::Strace => strace_report(report),
        }
    }
}

#[derive(Debug, PartialEq)]
struct Calls {
    total: u64,
    named: Vec<(String, u64)>,
}

/// Runs a tool once more, counted, and returns its system calls per request in words.
pub(crate) fn per_request(
    counter: Counter,
    setting: Setting,
    tool: &'static Tool,
    bench: &Bench,
) -> Outcome<String> {
    let mut server = bench.server();
    let url = server.begin()?;
    let job = Job {
        workload: setting.workload,
        server: &url,
        connections: setting.connections,
        pipelining: setting.pipelining,
        amount: Amount::Seconds(SECONDS),
        folder: bench.folder(),
    };
    let path = bench.folder().join(REPORT);
    let plain = tool.command(&job);
    let mut command = counter.wrap(&path);
    command.arg(plain.get_program()).args(plain.get_args()).current_dir(bench.folder());
    let finished = run(on_cpu(&mut command, LOAD_CPU), LIMIT)?;
    let completed = (tool.completed)(&job, &finished)
        .map_err(|reason| format!("{} under {counter:?}: {reason}", tool.name))?;
    server.end()?;
    let report = std::fs::read_to_string(&path)?;
    let calls =
        counter.read(&report).ok_or_else(|| format!("{counter:?}'s report is not understood:\n{report}"))?;
    Ok(in_words(&calls, completed.requests))
}

fn in_words(calls: &Calls, requests: u64) -> String {
    let each = |count: u64| count as f64 / requests as f64;
    let named: Vec<String> = calls
        .named
        .iter()
        .filter(|(_, count)| each(*count) >= LEAST_NAMED)
        .map(|(name, count)| format!("{name} {:.2}", each(*count)))
        .collect();
    let total = each(calls.total);
    if named.is_empty() { format!("{total:.2}") } else { format!("{total:.2}: {}", named.join(", ")) }
}

/// `123,,raw_syscalls:sys_enter,456,100.00,,`
fn perf_report(report: &str) -> Option<Calls> {
    let mut calls = Calls { total: 0, named: Vec::new() };
    let mut has_total = false;
    for line in report.lines() {
        let mut fields = line.split(',');
        let (Some(count), Some(event)) = (fields.next(), fields.nth(1)) else { continue };
        let Ok(count) = count.trim().parse() else { continue };
        match event.rsplit_once("sys_enter") {
            Some((_, "")) => {
                calls.total = count;
                has_total = true;
            }
            Some((_, name)) => calls.named.push((name.trim_start_matches('_').to_owned(), count)),
            None => {}
        }
    }
    has_total.then_some(calls)
}

/// `% time, seconds, usecs/call, calls, errors (or nothing), syscall`; the last line is the sum.
fn strace_report(report: &str) -> Option<Calls> {
    let mut calls = Calls { total: 0, named: Vec::new() };
    for line in report.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (Some(name), Some(count)) = (fields.last(), fields.get(3).and_then(|count| count.parse().ok()))
        else {
            continue;
        };
        if *name == "total" {
            calls.total = count;
            return Some(calls);
        }
        calls.named.push(((*name).to_owned(), count));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_reports() {
        let perf = "# started on Sat\n\n210,,raw_syscalls:sys_enter,100,100.00,,\n100,,syscalls:sys_enter_sendto,1,100.00,,\n";
        let calls = perf_report(perf).unwrap();
        assert_eq!(calls, Calls { total: 210, named: vec![("sendto".to_owned(), 100)] });
        assert_eq!(in_words(&calls, 100), "2.10: sendto 1.00");
        assert_eq!(in_words(&calls, 100_000), "0.00");
        let strace = "% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n \
                      60.00    0.002000           1       100           sendto\n 40.00    0.001000           1       120        20 recvfrom\n\
                      ------ ----------- ----------- --------- --------- ----------------\n100.00    0.003000           1       220        20 total\n";
        let calls = strace_report(strace).unwrap();
        assert_eq!(calls.total, 220);
        assert_eq!(calls.named, [("sendto".to_owned(), 100), ("recvfrom".to_owned(), 120)]);
        assert_eq!(perf_report("nothing"), None);
        assert_eq!(strace_report(""), None);
    }
}
