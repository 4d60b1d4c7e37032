//! Why a row is not ranked.

use std::fmt;

use velo_model::{Figure, Role};
use velo_stats::number::decimals;

use crate::doubt::cause::Cause;
use crate::doubt::warming::StillWarming;
use crate::words::{count, failures_in_words, percent};

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMeasured { role, dropped } => f.write_str(match (role, dropped) {
                (Role::Server, true) => "all its blocks were disturbed, and are dropped",
                (Role::Server, false) => "no counted window has an answer",
                (Role::Task | Role::Client, true) => "all its processes were disturbed, and are dropped",
                (Role::Task | Role::Client, false) => "no process has an answer",
            }),
            Self::WrongAnswers { wrong, requests, example } => {
                let share = percent(*wrong as f64 / *requests as f64);
                write!(f, "wrong answers: {wrong} of {requests} ({share})")?;
                example.as_ref().map_or(Ok(()), |words| write!(f, ", such as {words}"))
            }
            Self::UnfairCoin { coin } => f.write_str(&coin.in_words()),
            Self::Failures { share, answers } => {
                write!(f, "{} of the requests failed: {}", percent(*share), failures_in_words(answers))
            }
            Self::ProcessEndedEarly { process, ended } => write!(f, "process {process} ended early: {ended}"),
            Self::Inconsistent { figure, parts } | Self::Unsteady { figure, parts } => {
                f.write_str(&parts.in_words(*figure))
            }
            Self::StillWarming { warming: StillWarming { parts, warm_up_s, budget_s } } => write!(
                f,
                "still warming up: {}; --warm-up {warm_up_s}s --budget {budget_s}s may be enough",
                parts.in_words(Figure::Goodput)
            ),
            Self::LittlesLaw { share } => {
                write!(f, "requests in flight and service times differ by {} (Little's law)", percent(*share))
            }
            Self::RanAlready { why } => {
                f.write_str(
                    "externally started: its CPU time cannot be read, so the bottleneck is not known",
                )?;
                why.as_ref().map_or(Ok(()), |why| write!(f, "; {why}"))
            }
            Self::OnlyExternal => f.write_str(
                "externally started, one launch: ranked among such servers alone, and it is the only one",
            ),
            Self::NotServerBound { limit } => f.write_str(&limit.in_words()),
            Self::OthersBusy { share, rest_share } => write!(
                f,
                "others used {} of the CPUs while it was loaded, and {} while the rest were",
                percent(*share),
                percent(*rest_share)
            ),
            Self::StaleData { share } => write!(
                f,
                "{} of the answers were wrong once its files had changed: it did not read them again",
                percent(*share)
            ),
            Self::NotRead { role, share } => {
                let what = if role.is_server() { "requests" } else { "iterations" };
                write!(f, "it read {} of what its {what} must read from its files", percent(*share))
            }
            Self::StatedRate { rate_per_s } => {
                write!(f, "loaded at {rate_per_s} requests a second, not as fast as it can")
            }
            Self::OutsideCpus { left } => f.write_str(&left.in_words()),
            Self::ImpossibleCpuTime { cpu_ns, reference_ns, least_share } => match reference_ns {
                None => f.write_str(
                    "its processes used no CPU time at all (0.0 µs a request): others did the work",
                ),
                Some(reference_ns) => write!(
                    f,
                    "its CPU time of {} µs a request is not possible for the work, of which the reference needs {} us at least \
                     (the bound is {} of that): others did the work",
                    decimals(cpu_ns / 1e3, 1),
                    decimals(reference_ns / 1e3, 1),
                    percent(*least_share)
                ),
            },
            Self::OwnClock { workload, share } => write!(
                f,
                "its own clock leaves out a part of the time: in {workload} it says {} of what the lab's does",
                percent(*share)
            ),
            Self::FileServer { share } => write!(
                f,
                "the server of files used {} of its CPU time, so that it may have been the limit",
                percent(*share)
            ),
            Self::FewLaunches { role, launches, needed } => {
                let (one, many) = match role {
                    Role::Server => ("launch", "launches"),
                    Role::Task | Role::Client => ("process", "processes"),
                };
                write!(f, "{}, and ranks need {needed}", count(*launches as usize, one, many))
            }
            Self::Run { because } => because.fmt(f),
        }
    }
}
