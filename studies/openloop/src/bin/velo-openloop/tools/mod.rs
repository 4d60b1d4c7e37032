//! The tools compared: how each is asked for a rate, and how its answer is read.

mod fortio;
mod h2load;
mod hey;
mod k6;
mod oha;
mod own;
mod wrk;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::figures::Figures;
use crate::protocol::Protocol;
use crate::{CONNECTIONS, Outcome};

/// What a tool is asked for.
pub(crate) struct Load {
    pub(crate) protocol: Protocol,
    pub(crate) port: u16,
    pub(crate) per_s: u32,
    pub(crate) seconds: u32,
    /// Where it may leave files.
    pub(crate) folder: PathBuf,
}

impl Load {
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The rate of one connection, for tools that take that.
    pub(crate) fn per_s_each(&self) -> f64 {
        f64::from(self.per_s) / f64::from(CONNECTIONS)
    }
}

/// The client that measures the floor.
pub(crate) const BARE: &str = "bare";
/// The thread that only sleeps.
pub(crate) const SLEEP: &str = "only sleeping";
/// The tool that all this is about.
pub(crate) const VELO: &str = "velo";

/// A load generator.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    program: PathBuf,
    version: &'static [&'static str],
    prepare: fn(&Load, &mut Command) -> Outcome<()>,
    read: fn(&Load, &str) -> Outcome<Figures>,
}

/// All tools that speak a protocol, there or not.
pub(crate) fn all(velo: &str, protocol: Protocol) -> Outcome<Vec<Tool>> {
    let own = std::env::current_exe()?;
    let tool = |name, version, prepare, read| Tool { name, program: name.into(), version, prepare, read };
    let mut tools = vec![
        Tool { program: own.clone(), ..tool(BARE, &[], own::prepare_bare, own::read_printed) },
        Tool { program: own, ..tool(SLEEP, &[], own::prepare_sleep, own::read_printed) },
        Tool { program: velo.into(), ..tool(VELO, &["--version"], own::prepare_velo, own::read_velo) },
        tool("oha", &["--version"], oha::prepare, oha::read),
        tool("fortio", &["version"], fortio::prepare, fortio::read),
        tool("k6", &["version"], k6::prepare, k6::read),
        tool("h2load", &["--version"], h2load::prepare, h2load::read),
        tool("hey", &["-h"], hey::prepare, hey::read),
        tool("wrk", &["-v"], wrk::prepare, wrk::read),
    ];
    if protocol == Protocol::H2c {
        tools.retain(|tool| [BARE, SLEEP, VELO, "oha", "h2load"].contains(&tool.name));
    }
    Ok(tools)
}

impl Tool {
    pub(crate) fn is_floor(&self) -> bool {
        [BARE, SLEEP].contains(&self.name)
    }

    /// Whether it is one of this project's.
    pub(crate) fn is_own(&self) -> bool {
        [BARE, VELO].contains(&self.name)
    }

    pub(crate) fn command(&self, load: &Load) -> Outcome<Command> {
        let mut command = Command::new(&self.program);
        (self.prepare)(load, &mut command)?;
        Ok(command)
    }

    pub(crate) fn figures(&self, load: &Load, stdout: &str) -> Outcome<Figures> {
        (self.read)(load, stdout)
    }

    /// Its version, or its name when it tells none; `None` when it is not there.
    pub(crate) fn version(&self) -> Option<String> {
        if self.is_floor() {
            return Some(self.name.to_owned());
        }
        let output = Command::new(&self.program).args(self.version).stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(version_in(&text).map_or(self.name.to_owned(), |version| format!("{} {version}", self.name)))
    }
}

/// The first word of two or more numbers with dots between them: `oha 1.16.0`, `k6 v1.8.1`, `h2load nghttp2/1.52.0`.
fn version_in(text: &str) -> Option<&str> {
    text.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word).trim_start_matches('v')).find(
        |word| {
            word.starts_with(|first: char| first.is_ascii_digit())
                && word.split('.').nth(1).is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        },
    )
}

/// A number in JSON.
fn number(value: &Value, path: &[&str]) -> Outcome<f64> {
    let found = path.iter().try_fold(value, |value, key| value.get(key));
    found
        .and_then(Value::as_f64)
        .ok_or_else(|| format!("its output has no number at {}", path.join(".")).into())
}

fn ns(seconds: f64) -> Option<u64> {
    (seconds * 1e9).is_finite().then_some((seconds * 1e9) as u64)
}

/// What is said of a run by a tool that writes each answer down.
fn figures_of(load: &Load, right_ns: Vec<u64>, failed: u64) -> Figures {
    let right = right_ns.len() as u64;
    Figures {
        times: times_of(right_ns),
        achieved_per_s: Some(right as f64 / f64::from(load.seconds)),
        send_lag_p99_ns: None,
        requests: right + failed,
        failed,
    }
}

/// Percentiles of response times, for tools that write each one down.
fn times_of(mut all_ns: Vec<u64>) -> crate::figures::Times {
    all_ns.sort_unstable();
    let n = all_ns.len();
    // The smallest value that as many are not above.
    let quantile = |per_mille: usize| all_ns.get((per_mille * n).div_ceil(1000).saturating_sub(1)).copied();
    [quantile(500), quantile(900), quantile(990), quantile(999), all_ns.last().copied()].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads an output as that of a run of 2 s at 1,000/s.
    pub(super) fn read(reader: fn(&Load, &str) -> Outcome<Figures>, stdout: &str) -> Figures {
        let load =
            Load { protocol: Protocol::Http1, port: 1, per_s: 1000, seconds: 2, folder: PathBuf::new() };
        reader(&load, stdout).expect("good output")
    }

    #[test]
    fn versions_are_found() {
        for (text, version) in [
            ("oha 1.16.0", Some("1.16.0")),
            ("k6 v1.8.1 (commit/devel, go1.26.8, linux/amd64)", Some("1.8.1")),
            ("h2load nghttp2/1.52.0", Some("1.52.0")),
            ("wrk debian/4.1.0-3+b2 [epoll]", Some("4.1.0-3+b2")),
            ("1.66.5 h1:abc= go1.26.8", Some("1.66.5")),
            ("Usage: hey [options...] <url>", None),
        ] {
            assert_eq!(version_in(text), version, "{text}");
        }
    }

    #[test]
    fn percentiles_are_the_smallest_value_that_as_many_are_not_above() {
        let times = times_of((1..=1000).rev().collect());
        assert_eq!(times.all(), [500, 900, 990, 999, 1000].map(Some));
        assert_eq!(times_of(vec![]).all(), [None; 5]);
        assert_eq!(times_of(vec![7]).all(), [Some(7); 5]);
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let load = Load {
            protocol: Protocol::Http1,
            port: 1,
            per_s: 1000,
            seconds: 2,
            folder: PathBuf::from("/nowhere"),
        };
        for reader in
            [own::read_printed, own::read_velo, oha::read, fortio::read, k6::read, h2load::read, wrk::read]
        {
            for text in ["", "{}", "nonsense"] {
                assert!(reader(&load, text).is_err(), "{text}");
            }
        }
        assert!(hey::read(&load, "header\n1,2").is_err());
    }
}
