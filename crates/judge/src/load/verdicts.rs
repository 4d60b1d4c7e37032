//! What stands beside the figures of a load.

use velo_record::{LoadConnections, LoadRecord, LoadSchedule};
use velo_stats::number::decimals;

use super::figures::{LoadFigures, Time};
use super::verdict::LoadVerdict;
use super::words::{failures, rate, samples_needed, thousands, time_ns};
use crate::checks::answers::FAILURES;
use crate::checks::fairness::{self, STARVED};
use crate::checks::limit::GENERATOR_BUSY;
use crate::checks::littles_law::{DISAGREEMENT, KEPT_BUSY};
use crate::checks::verdict::{Check, Kind};
use crate::rows::paced::{ACHIEVED, SEND_LAG, SEND_LAG_NS};
use crate::words::{count, list, percent};

/// A fixed count with fewer answers a connection than this is mostly beginning and end.
const ENOUGH_ANSWERS: f64 = 50.0;
/// The percentiles that a reader expects; nobody expects the 99.99th of a short load.
const USUAL: [&str; 4] = ["p50", "p90", "p99", "p99.9"];
/// More connections opened again than this share of the answers means that they are not kept alive.
const REOPENED: f64 = 0.01;

/// The verdicts, in the order of the figures that they are about.
pub(super) fn of(record: &LoadRecord, figures: &LoadFigures, unreadable: &[Time]) -> Vec<LoadVerdict> {
    let checks = [
        build(record),
        interrupted(record),
        gave_up(record, figures),
        nothing_worked(record),
        wrong_answers(record),
        failed(record),
        bodies(record),
        offered(record, figures),
        samples(figures),
        model(record, figures),
        send_lag(record, figures),
        generator(record, figures),
        one_thread(record, figures),
        littles_law(record, figures),
        kept_busy(record, figures),
        connections(record),
        reopened(record),
        ports(record),
        uneven(record),
        histograms(unreadable),
    ];
    checks.into_iter().flatten().collect()
}

fn build(record: &LoadRecord) -> Option<LoadVerdict> {
    let words = "this is a debug build of velo: the generator is slow, and its figures mean little";
    (record.build == "debug").then(|| LoadVerdict::new(Kind::Warning, Check::Build, words))
}

fn interrupted(record: &LoadRecord) -> Option<LoadVerdict> {
    record.interrupted.then(|| {
        let asked = record.settings.duration_ns;
        let of = asked.map(|asked| format!(" of {}", time_ns(asked as f64, 3))).unwrap_or_default();
        let words = format!("interrupted after {}{of}", time_ns(record.duration_ns as f64, 3));
        let figure = LoadVerdict::new(Kind::Warning, Check::Interrupted, words);
        figure.of(record.duration_ns as f64, asked.map_or(f64::NAN, |asked| asked as f64))
    })
}

fn gave_up(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    record.gave_up.then(|| {
        let tried = match record.settings.most_requests {
            Some(most) => {
                format!("{} of {}", thousands(figures.requests), plural(most, "request", "requests"))
            }
            None => plural(figures.requests, "request", "requests"),
        };
        let lasted = time_ns(record.duration_ns as f64, 3);
        let words = format!("given up after {lasted}: no connection could be opened any more; {tried} tried");
        LoadVerdict::new(Kind::Error, Check::Interrupted, words)
    })
}

/// All requests with an outcome, warm-up and draining included.
fn requests(record: &LoadRecord) -> u64 {
    let correct = record.outcomes.correct.saturating_add(record.correct_outside);
    correct.saturating_add(record.outcomes.failed())
}

fn nothing_worked(record: &LoadRecord) -> Option<LoadVerdict> {
    if record.outcomes.correct > 0 {
        return None;
    }
    let failures = failures(&record.outcomes);
    let words = match record.correct_outside {
        0 if !failures.is_empty() => format!("nothing worked: {failures}"),
        0 if record.outcomes.dropped > 0 => "nothing worked: every request was dropped".to_owned(),
        0 => "nothing worked: no request had an outcome".to_owned(),
        outside => format!(
            "no correct answer came within the stretch, so it has no figures; {} came in warm-up or draining",
            thousands(outside)
        ),
    };
    Some(LoadVerdict::new(Kind::Error, Check::Correctness, words))
}

fn wrong_answers(record: &LoadRecord) -> Option<LoadVerdict> {
    let wrong = record.outcomes.wrong_answer;
    if wrong == 0 || record.outcomes.correct == 0 {
        return None;
    }
    let share = wrong as f64 / requests(record) as f64;
    let words = format!("{} ({} of all)", plural(wrong, "wrong answer", "wrong answers"), percent(share));
    Some(LoadVerdict::new(Kind::Error, Check::Correctness, words).of(share, 0.0))
}

fn failed(record: &LoadRecord) -> Option<LoadVerdict> {
    let mut otherwise = record.outcomes.clone();
    (otherwise.wrong_answer, otherwise.dropped) = (0, 0);
    let failed = otherwise.failed();
    if failed == 0 || record.outcomes.correct == 0 {
        return None;
    }
    let share = failed as f64 / requests(record) as f64;
    let kind = if share > FAILURES { Kind::Error } else { Kind::Warning };
    let words = format!(
        "{} of the requests failed and are in no percentile: {}",
        percent(share),
        failures(&otherwise)
    );
    Some(LoadVerdict::new(kind, Check::Failures, words).of(share, FAILURES))
}

fn bodies(record: &LoadRecord) -> Option<LoadVerdict> {
    let words = "bodies were not checked; the --expect-* options check them";
    let answered = record.outcomes.correct > 0;
    (answered && !record.settings.checks_bodies)
        .then(|| LoadVerdict::new(Kind::Hint, Check::Expectations, words))
}

fn offered(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let (offered, achieved) = (figures.offered_per_s?, figures.achieved_share?);
    let dropped = record.outcomes.dropped;
    if achieved >= ACHIEVED && dropped == 0 {
        return None;
    }
    let sent = figures.sent_per_s.unwrap_or_default();
    let unsent = (offered - sent).max(0.0) * record.duration_ns as f64 / 1e9;
    // What was neither sent nor dropped had found no connection.
    let unconnected = (unsent - dropped as f64).round() as u64;
    let cause = match figures.generator_busy_share {
        _ if unconnected > dropped && record.outcomes.connect_error > 0 => {
            format!("{} no connection", plural(unconnected, "request had", "requests had"))
        }
        Some(busy) if busy >= GENERATOR_BUSY && !record.settings.busy_poll => {
            format!("the generator was busy {}", percent(busy))
        }
        _ if record.settings.drops_when_full => {
            "no connection was free; more of them (-c) may help".to_owned()
        }
        _ => "the load ended before a connection was free; more of them (-c) may help".to_owned(),
    };
    let words = if achieved < ACHIEVED {
        format!(
            "the rate could not be offered: {} of {} sent, {} dropped; {cause}",
            rate(sent, 3),
            rate(offered, 3),
            thousands(dropped)
        )
    } else {
        format!("{} due but never sent: {cause}", plural(dropped, "request was", "requests were"))
    };
    Some(LoadVerdict::new(Kind::Warning, Check::Offered, words).of(achieved, ACHIEVED))
}

fn samples(figures: &LoadFigures) -> Option<LoadVerdict> {
    let times = figures.headline()?;
    let missing: Vec<String> = times
        .listed()
        .into_iter()
        .filter(|(name, _, value)| USUAL.contains(name) && value.is_none())
        .map(|(name, q, _)| format!("{name} needs {}", thousands(samples_needed(q))))
        .collect();
    (!missing.is_empty()).then(|| {
        let words =
            format!("too few samples: {}, there are {}", missing.join(", "), thousands(times.samples));
        LoadVerdict::new(Kind::Hint, Check::Samples, words)
    })
}

fn model(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let closed = matches!(record.settings.schedule, LoadSchedule::Closed { .. });
    let words = "service times of a closed loop hide stalls; -R shows response times";
    (closed && figures.service.is_some()).then(|| LoadVerdict::new(Kind::Hint, Check::Model, words))
}

fn send_lag(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let lag = figures.send_lag.as_ref()?.p99_ns? as f64;
    let median = figures.headline()?.p50_ns? as f64;
    let bound = (median * SEND_LAG).max(SEND_LAG_NS);
    let told = match record.settings.schedule {
        LoadSchedule::Open { .. } => "response times include that",
        LoadSchedule::Closed { .. } => "service times leave that out",
    };
    (lag > bound).then(|| {
        let words = format!("p99 send lag {}; {told}", time_ns(lag, 3));
        LoadVerdict::new(Kind::Warning, Check::SendLag, words).of(lag, bound)
    })
}

fn generator(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let busy = figures.generator_busy_share?;
    if record.settings.busy_poll {
        let words = "busy polling: whether the generator was the limit cannot be seen";
        return Some(LoadVerdict::new(Kind::Hint, Check::Limit, words));
    }
    let means = match record.settings.schedule {
        LoadSchedule::Closed { .. } => "the server may serve more",
        LoadSchedule::Open { .. } => "response times include its own delays",
    };
    (busy >= GENERATOR_BUSY).then(|| {
        let words = format!("the generator was the limit: busy {}; {means}", percent(busy));
        LoadVerdict::new(Kind::Warning, Check::Limit, words).of(busy, GENERATOR_BUSY)
    })
}

/// A thread at its limit slows its own connections, whatever the others do.
fn one_thread(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let all_busy = figures.generator_busy_share? >= GENERATOR_BUSY;
    let busiest = *record.generator_cpu_ns.iter().max()? as f64 / record.duration_ns as f64;
    (busiest >= GENERATOR_BUSY && !all_busy && !record.settings.busy_poll).then(|| {
        let words = format!("one of the generator's threads was busy {}", percent(busiest));
        LoadVerdict::new(Kind::Warning, Check::Limit, words).of(busiest, GENERATOR_BUSY)
    })
}

fn littles_law(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let share = figures.littles_law.filter(|share| *share > DISAGREEMENT)?;
    // What was in flight when a load was interrupted has no service time.
    let kind = if record.interrupted { Kind::Warning } else { Kind::Error };
    let words = format!("requests in flight and service times differ by {}", percent(share));
    Some(LoadVerdict::new(kind, Check::LittlesLaw, words).of(share, DISAGREEMENT))
}

fn kept_busy(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let share = figures.kept_busy.filter(|share| *share < KEPT_BUSY)?;
    let settings = &record.settings;
    let few = figures.requests as f64 <= ENOUGH_ANSWERS * f64::from(settings.connections);
    // Said by another verdict, or nobody's fault.
    if figures.requests == 0
        || (settings.most_requests.is_some() && few)
        || (settings.requests_per_connection.is_none() && missing_connections(record))
    {
        return None;
    }
    let never = record.connections.completions.iter().filter(|completed| **completed == 0).count();
    let answered = format!(
        "{} of {} ever got an answer",
        thousands(u64::from(settings.connections) - (never as u64).min(u64::from(settings.connections))),
        thousands(u64::from(settings.connections))
    );
    let cause = if is_reopening(record) {
        "the others were being opened again"
    } else if never > 0 {
        &answered
    } else if figures.failed_share.is_some_and(|share| share > FAILURES) {
        "after failures there is a pause"
    } else {
        "the generator held back"
    };
    let words = format!("only {} of the connections were kept busy: {cause}", percent(share));
    Some(LoadVerdict::new(Kind::Hint, Check::HeldBack, words).of(share, KEPT_BUSY))
}

/// Fewer connections were open than were asked for, and not because the server had said that it closes them.
fn missing_connections(record: &LoadRecord) -> bool {
    let LoadConnections { established, closed_as_announced, .. } = record.connections;
    established.saturating_add(closed_as_announced) < record.settings.connections
}

fn is_reopening(record: &LoadRecord) -> bool {
    let answers = record.outcomes.correct.saturating_add(record.correct_outside);
    record.connections.reconnects as f64 > answers as f64 * REOPENED
}

fn connections(record: &LoadRecord) -> Option<LoadVerdict> {
    let asked = record.settings.connections;
    let open = record.connections.established;
    // Those that are opened again and again are not all open at any one time.
    let expected = record.settings.requests_per_connection.is_some()
        || is_reopening(record)
        || (open == 0 && record.outcomes.connect_error > 0);
    (missing_connections(record) && !expected).then(|| {
        let words = format!(
            "only {} of {} connections were open at the end",
            thousands(u64::from(open)),
            thousands(u64::from(asked))
        );
        LoadVerdict::new(Kind::Warning, Check::Connections, words).of(f64::from(open), f64::from(asked))
    })
}

fn reopened(record: &LoadRecord) -> Option<LoadVerdict> {
    let by_itself = record.settings.requests_per_connection.is_none() && record.outcomes.correct > 0;
    (by_itself && is_reopening(record)).then(|| {
        let reopened = plural(record.connections.reconnects, "connection", "connections");
        let words = format!("{reopened} had to be opened again: the server does not keep them alive");
        LoadVerdict::new(Kind::Hint, Check::Connections, words)
    })
}

fn ports(record: &LoadRecord) -> Option<LoadVerdict> {
    let missing = record.connections.no_port;
    (missing > 0).then(|| {
        let words = format!(
            "no local port was free {}: fewer connections, or a wider net.ipv4.ip_local_port_range",
            plural(missing, "time", "times")
        );
        LoadVerdict::new(Kind::Warning, Check::Ports, words).of(missing as f64, 0.0)
    })
}

/// In an open loop connections are used as they are free, so their shares say nothing of the server.
fn uneven(record: &LoadRecord) -> Option<LoadVerdict> {
    if !matches!(record.settings.schedule, LoadSchedule::Closed { .. }) {
        return None;
    }
    let completions: Vec<u64> = record.connections.completions.iter().copied().map(u64::from).collect();
    let fairness = fairness::of_launch(1, &completions)?;
    let starved: Vec<usize> = fairness.starved.iter().map(|starved| starved.connection).collect();
    (!starved.is_empty()).then(|| {
        let words = format!(
            "{} got under {} of the median: number {} (Jain's index {})",
            count(starved.len(), "connection", "connections"),
            percent(STARVED),
            list(&starved, 4),
            decimals(fairness.jains_index, 2)
        );
        LoadVerdict::new(Kind::Warning, Check::Fairness, words).of(fairness.jains_index, 1.0)
    })
}

fn histograms(unreadable: &[Time]) -> Option<LoadVerdict> {
    let names: Vec<&str> = unreadable.iter().map(|time| time.name()).collect();
    (!names.is_empty()).then(|| {
        let words =
            format!("the histograms of {} cannot be read: their percentiles are missing", names.join(", "));
        LoadVerdict::new(Kind::Warning, Check::Record, words).of(names.len() as f64, 0.0)
    })
}

fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}
