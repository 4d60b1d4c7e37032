//! What stands beside the figures of a load.

use std::fmt;

use velo_stats::number::decimals;

use crate::doubt::fairness::STARVED;
use crate::doubt::finding::IdleCause;
use crate::load::{LoadFinding, NotSent};
use crate::words::load::{failures, thousands, time_ns};
use crate::words::{count, list, percent, rate};
use velo_record::Outcomes;

impl fmt::Display for LoadFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DebugBuild => f.write_str(
                "this is a debug build of velo: the generator is slow, and its figures mean little",
            ),
            Self::Interrupted { after_ns, asked_ns } => {
                write!(f, "interrupted after {}", time_ns(*after_ns as f64, 3))?;
                asked_ns.map_or(Ok(()), |asked| write!(f, " of {}", time_ns(asked as f64, 3)))
            }
            Self::GaveUp { after_ns, tried, of } => {
                let tried = match of {
                    Some(most) => {
                        format!("{} of {}", thousands(*tried), plural(*most, "request", "requests"))
                    }
                    None => plural(*tried, "request", "requests"),
                };
                let lasted = time_ns(*after_ns as f64, 3);
                write!(f, "given up after {lasted}: no connection could be opened; {tried} tried")
            }
            Self::NothingWorked { answers, outside } if answers.failed() > 0 || outside.correct == 0 => {
                f.write_str("no correct answer: ")?;
                match (failures(answers), failures(outside)) {
                    (failures, _) if !failures.is_empty() => f.write_str(&failures),
                    _ if answers.dropped > 0 => f.write_str("every request was dropped"),
                    (_, outside) if !outside.is_empty() => {
                        write!(
                            f,
                            "no request of the counted stretch had an outcome; outside of it: {outside}"
                        )
                    }
                    _ => f.write_str("no request had an outcome"),
                }
            }
            Self::NothingWorked { outside, .. } => write!(
                f,
                "no correct answer came within the stretch, so it has no figures; {} came in warm-up or draining",
                thousands(outside.correct)
            ),
            Self::FailuresExitWithZero => f.write_str(
                "failed requests do not change the exit code; --fail-on errors=0 exits with 1 where there are any",
            ),
            Self::WarmUpFailures { answers } => write!(
                f,
                "the warm-up had {}, which are not counted: {}",
                plural(answers.failed(), "failure", "failures"),
                failures_or_dropped(answers)
            ),
            Self::DrainedFailures { answers } => write!(
                f,
                "of the requests in flight at the end {} failed afterwards; a closed loop counts none of them: {}",
                thousands(answers.failed()),
                failures_or_dropped(answers)
            ),
            Self::WrongAnswers { answers, share } => {
                let answers = plural(*answers, "wrong answer", "wrong answers");
                write!(f, "{answers} ({} of all)", percent(*share))
            }
            Self::Failures { share, answers } => write!(
                f,
                "{} of the requests failed and are in no percentile: {}",
                percent(*share),
                failures(answers)
            ),
            Self::BodiesUnchecked => {
                f.write_str("bodies were not checked; the --expect-* options check them")
            }
            Self::RateNotOffered { sent_per_s, offered_per_s, dropped, cause } => write!(
                f,
                "the rate could not be offered: {} of {} sent, {} dropped; {cause}",
                rate(*sent_per_s, 3),
                rate(*offered_per_s, 3),
                thousands(*dropped)
            ),
            Self::NeverSent { requests, cause } => {
                let were = plural(*requests, "request was", "requests were");
                write!(f, "{were} due but never sent: {cause}")
            }
            Self::Samples { missing, samples } => {
                let needs = |(name, needed): &(&str, u64)| format!("{name} needs {}", thousands(*needed));
                let missing: Vec<String> = missing.iter().map(needs).collect();
                write!(f, "too few samples (~): {}, there are {}", missing.join(", "), thousands(*samples))
            }
            Self::ClosedLoop => {
                f.write_str("service times of a closed loop hide stalls; -R shows response times")
            }
            Self::SendLag { p99_ns, open_loop } => {
                let told = match open_loop {
                    true => "response times include that",
                    false => "service times leave that out",
                };
                write!(f, "p99 send lag {}; {told}", time_ns(*p99_ns, 3))
            }
            Self::GeneratorPaused { longest_ns, open_loop } => {
                let told = match open_loop {
                    true => "response times include that",
                    false => "service times include that, and nothing was sent meanwhile",
                };
                write!(f, "the generator was paused for {}; {told}", time_ns(*longest_ns as f64, 3))
            }
            Self::BusyPolling => {
                f.write_str("busy polling: whether the generator was the limit cannot be seen")
            }
            Self::Throttled { cpus, throttled, periods, held_ns } => write!(
                f,
                "the limit of {} CPUs on its control group held the generator back in {} of {} periods, {} in all: its pauses stand in the times as the server's",
                decimals(*cpus, 2),
                thousands(*throttled),
                thousands(*periods),
                time_ns(*held_ns as f64, 3)
            ),
            Self::GeneratorBusy { share, open_loop } => {
                let means = match open_loop {
                    true => "response times include its own delays",
                    false => "the server may serve more",
                };
                write!(f, "the generator was the limit: busy {}; {means}", percent(*share))
            }
            Self::ThreadBusy { share } => {
                write!(f, "one of the generator's threads was busy {}", percent(*share))
            }
            Self::LittlesLaw { share } => {
                write!(f, "requests in flight and service times differ by {}", percent(*share))
            }
            Self::ConnectionsIdle { busy_share, cause } => {
                write!(f, "only {} of the connections were kept busy: ", percent(*busy_share))?;
                why_idle(cause, f)
            }
            Self::ConnectionsMissing { open, asked } => {
                let (open, asked) = (thousands(u64::from(*open)), thousands(u64::from(*asked)));
                write!(f, "only {open} of {asked} connections were open at the end")
            }
            Self::ConnectionsReopened { connections } => {
                let reopened = plural(*connections, "connection", "connections");
                write!(f, "{reopened} had to be opened again: the server does not keep them alive")
            }
            Self::ConnectionsClosedIdle { connections, shortest_ns } => {
                let were = plural(*connections, "connection was", "connections were");
                let idle = time_ns(*shortest_ns as f64, 2);
                write!(f, "{were} closed by the server after at least {idle} without a request")
            }
            Self::StreamsLimited { allowed, asked } => {
                let allowed = plural(u64::from(*allowed), "stream", "streams");
                let asked = thousands(u64::from(*asked));
                write!(
                    f,
                    "the server takes {allowed} on a connection, not {asked}: more connections, or another limit there"
                )
            }
            Self::NoPort { times } => write!(
                f,
                "no local port was free {}: fewer connections, or a wider net.ipv4.ip_local_port_range",
                plural(*times, "time", "times")
            ),
            Self::ConnectionsStarved { fairness } => {
                let starved: Vec<usize> = fairness.starved.iter().map(|starved| starved.connection).collect();
                write!(
                    f,
                    "{} got under {} of the median: number {} (Jain's index {})",
                    count(starved.len(), "connection", "connections"),
                    percent(STARVED),
                    list(&starved, 4),
                    decimals(fairness.jains_index, 2)
                )
            }
            Self::Unreadable { times } => {
                let names: Vec<&str> = times.iter().map(|time| time.name()).collect();
                let names = names.join(", ");
                write!(f, "the histograms of {names} cannot be read: their percentiles are missing")
            }
        }
    }
}

fn failures_or_dropped(answers: &Outcomes) -> String {
    let failures = failures(answers);
    if failures.is_empty() { format!("{} dropped", thousands(answers.dropped)) } else { failures }
}

fn why_idle(cause: &IdleCause, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match cause {
        IdleCause::Unserved { answered, asked, .. } => {
            let (answered, asked) = (answered.map_or(0, u64::from), u64::from(*asked));
            write!(f, "{} of {} ever got an answer", thousands(answered), thousands(asked))
        }
        IdleCause::Reopening => f.write_str("the others were being opened again"),
        IdleCause::AfterFailures => f.write_str("after failures there is a pause"),
        IdleCause::GeneratorHeldBack => f.write_str("the generator held back"),
    }
}

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoConnection { requests } => {
                write!(f, "{} no connection", plural(*requests, "request had", "requests had"))
            }
            Self::GeneratorBusy { share } => write!(f, "the generator was busy {}", percent(*share)),
            Self::ServerSlow { p50_ns, min_ns } => write!(
                f,
                "all connections were in use, since answers took {} in place of {} for the fastest: the server is at its limit, and more connections would wait there",
                time_ns(*p50_ns as f64, 3),
                time_ns(*min_ns as f64, 3)
            ),
            Self::NoneFree => f.write_str("no connection was free; more of them (-c) may help"),
            Self::NoneFreeBeforeEnd => {
                f.write_str("the load ended before a connection was free; more of them (-c) may help")
            }
        }
    }
}

fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}
