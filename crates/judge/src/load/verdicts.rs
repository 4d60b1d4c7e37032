//! What stands beside the figures of a load.

use velo_record::{LoadConnections, LoadRecord, LoadSchedule};

use super::condition::Condition;
use super::figures::{LoadFigures, Time};
use super::finding::LoadVerdict;
use super::finding::{LoadFinding, NotSent};
use crate::doubt::answers::FAILURES;
use crate::doubt::fairness;
use crate::doubt::finding::IdleCause;
use crate::doubt::limit::GENERATOR_BUSY;
use crate::doubt::littles_law::{DISAGREEMENT, KEPT_BUSY};
use crate::doubt::offered::ACHIEVED;
use crate::doubt::verdict::{Check, Kind};
use crate::rows::paced::{SEND_LAG, SEND_LAG_NS};
use crate::words::load::samples_needed;

/// A fixed count with fewer answers a connection than this is mostly beginning and end.
const ENOUGH_ANSWERS: f64 = 50.0;
/// A server whose usual answer takes so many times as long as its fastest has requests waiting inside.
const SATURATED: f64 = 5.0;
/// The percentiles that a reader expects; nobody expects the 99.99th of a short load.
const USUAL: [&str; 4] = ["p50", "p90", "p99", "p99.9"];
/// A thread that shares its CPU waits for this long at most on a machine that is fit to measure with.
const PAUSE_NS: u64 = 100_000_000;
/// More connections opened again than this share of the answers means that they are not kept alive.
const REOPENED: f64 = 0.01;

/// The verdicts, in the order of the figures that they are about.
pub(super) fn of(record: &LoadRecord, figures: &LoadFigures, unreadable: &[Time]) -> Vec<LoadVerdict> {
    let checks = [
        build(record),
        interrupted(record),
        gave_up(record, figures),
        nothing_worked(record),
        wrong_answers(record, figures),
        failed(record, figures),
        warm_up(record),
        drained(record),
        bodies(record),
        offered(record, figures),
        samples(figures),
        model(record, figures),
        send_lag(record, figures),
        paused(record),
        throttled(record),
        generator(record, figures),
        one_thread(record, figures),
        littles_law(record, figures),
        kept_busy(record, figures),
        connections(record),
        streams(record),
        reopened(record),
        closed_idle(record),
        ports(record),
        uneven(record),
        histograms(unreadable),
    ];
    checks.into_iter().flatten().collect()
}

fn build(record: &LoadRecord) -> Option<LoadVerdict> {
    (record.build == "debug").then(|| LoadVerdict::new(Kind::Warning, Check::Build, LoadFinding::DebugBuild))
}

fn interrupted(record: &LoadRecord) -> Option<LoadVerdict> {
    record.interrupted.then(|| {
        let (after_ns, asked_ns) = (record.duration_ns, record.settings.duration_ns);
        let finding = LoadFinding::Interrupted { after_ns, asked_ns };
        let figure = LoadVerdict::new(Kind::Warning, Check::Interrupted, finding);
        figure.of(after_ns as f64, asked_ns.map_or(f64::NAN, |asked| asked as f64))
    })
}

fn gave_up(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    record.gave_up.then(|| {
        let (tried, of) = (figures.requests, record.settings.most_requests);
        let finding = LoadFinding::GaveUp { after_ns: record.duration_ns, tried, of };
        LoadVerdict::new(Kind::Error, Check::Interrupted, finding)
    })
}

fn nothing_worked(record: &LoadRecord) -> Option<LoadVerdict> {
    let &LoadRecord { outcomes: answers, warm_up, drained, .. } = record;
    (answers.correct == 0).then(|| {
        let mut outside = warm_up;
        outside.add(&drained);
        LoadVerdict::new(Kind::Error, Check::Correctness, LoadFinding::NothingWorked { answers, outside })
    })
}

fn wrong_answers(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let wrong = record.outcomes.wrong_answer;
    if wrong == 0 || record.outcomes.correct == 0 {
        return None;
    }
    let share = wrong as f64 / figures.requests as f64;
    let finding = LoadFinding::WrongAnswers { answers: wrong, share };
    Some(LoadVerdict::new(Kind::Error, Check::Correctness, finding).of(share, 0.0))
}

fn failed(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let mut otherwise = record.outcomes;
    (otherwise.wrong_answer, otherwise.dropped) = (0, 0);
    let failed = otherwise.failed();
    if failed == 0 || record.outcomes.correct == 0 {
        return None;
    }
    let share = failed as f64 / figures.requests as f64;
    let kind = if share > FAILURES { Kind::Error } else { Kind::Warning };
    let finding = LoadFinding::Failures { share, answers: otherwise };
    Some(LoadVerdict::new(kind, Check::Failures, finding).of(share, FAILURES))
}

/// Failures do not fail a load by themselves.
pub(super) fn exit_code(
    record: &LoadRecord,
    figures: &LoadFigures,
    conditions: &[Condition],
) -> Option<LoadVerdict> {
    let is_asked = conditions.iter().any(Condition::is_of_failures);
    (figures.failed > 0 && record.outcomes.correct > 0 && !is_asked)
        .then(|| LoadVerdict::new(Kind::Hint, Check::Failures, LoadFinding::FailuresExitWithZero))
}

fn warm_up(record: &LoadRecord) -> Option<LoadVerdict> {
    let answers = record.warm_up;
    (answers.failed() > 0 && record.outcomes.correct > 0)
        .then(|| LoadVerdict::new(Kind::Hint, Check::Failures, LoadFinding::WarmUpFailures { answers }))
}

fn drained(record: &LoadRecord) -> Option<LoadVerdict> {
    let answers = record.drained;
    (answers.failed() > 0 && record.outcomes.correct > 0)
        .then(|| LoadVerdict::new(Kind::Warning, Check::Failures, LoadFinding::DrainedFailures { answers }))
}

fn bodies(record: &LoadRecord) -> Option<LoadVerdict> {
    let answered = record.outcomes.correct > 0;
    (answered && !record.settings.checks_bodies)
        .then(|| LoadVerdict::new(Kind::Hint, Check::Expectations, LoadFinding::BodiesUnchecked))
}

fn offered(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let (offered, achieved) = (figures.offered_per_s?, figures.achieved_share?);
    let dropped = record.outcomes.dropped;
    if achieved >= ACHIEVED && dropped == 0 {
        return None;
    }
    let sent = figures.sent_per_s.unwrap_or_default();
    let unsent = record.offered as f64 * (1.0 - achieved).max(0.0);
    // What was neither sent nor dropped had found no connection.
    let unconnected = (unsent - dropped as f64).round() as u64;
    let cause = match figures.generator_busy_share {
        _ if unconnected > dropped && record.outcomes.connect_error > 0 => {
            NotSent::NoConnection { requests: unconnected }
        }
        Some(share) if share >= GENERATOR_BUSY && !record.settings.busy_poll => {
            NotSent::GeneratorBusy { share }
        }
        _ => match slower_than_fastest(record, figures) {
            Some((p50_ns, min_ns)) => NotSent::ServerSlow { p50_ns, min_ns },
            None if record.settings.drops_when_full => NotSent::NoneFree,
            None => NotSent::NoneFreeBeforeEnd,
        },
    };
    let finding = if achieved < ACHIEVED {
        LoadFinding::RateNotOffered { sent_per_s: sent, offered_per_s: offered, dropped, cause }
    } else {
        LoadFinding::NeverSent { requests: dropped, cause }
    };
    Some(LoadVerdict::new(Kind::Warning, Check::Offered, finding).of(achieved, ACHIEVED))
}

/// The median of the service times and their least, where the one is many times the other: requests wait in the server.
fn slower_than_fastest(record: &LoadRecord, figures: &LoadFigures) -> Option<(u64, u64)> {
    let p50_ns = figures.service.as_ref()?.p50_ns?;
    let (min_ns, _) = record.service_time.decode().ok()?.recorded().next()?;
    (p50_ns as f64 >= min_ns as f64 * SATURATED).then_some((p50_ns, min_ns))
}

fn samples(figures: &LoadFigures) -> Option<LoadVerdict> {
    let times = figures.headline()?;
    let missing: Vec<(&str, u64)> = times
        .listed()
        .into_iter()
        .filter(|(name, _, value)| USUAL.contains(name) && value.is_none())
        .map(|(name, q, _)| (name, samples_needed(q)))
        .collect();
    (!missing.is_empty()).then(|| {
        let finding = LoadFinding::Samples { missing, samples: times.samples };
        LoadVerdict::new(Kind::Hint, Check::Samples, finding)
    })
}

fn model(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    (!is_open_loop(record) && figures.service.is_some())
        .then(|| LoadVerdict::new(Kind::Hint, Check::Model, LoadFinding::ClosedLoop))
}

fn is_open_loop(record: &LoadRecord) -> bool {
    matches!(record.settings.schedule, LoadSchedule::Open { .. })
}

fn send_lag(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let lag = figures.send_lag.as_ref()?.p99_ns? as f64;
    let median = figures.headline()?.p50_ns? as f64;
    let bound = (median * SEND_LAG).max(SEND_LAG_NS);
    (lag > bound).then(|| {
        let finding = LoadFinding::SendLag { p99_ns: lag, open_loop: is_open_loop(record) };
        LoadVerdict::new(Kind::Warning, Check::SendLag, finding).of(lag, bound)
    })
}

/// Stopped by a signal or with its virtual machine, or without a CPU.
fn paused(record: &LoadRecord) -> Option<LoadVerdict> {
    let longest_ns = record.generator_longest_pause_ns.filter(|ns| *ns >= PAUSE_NS)?;
    let finding = LoadFinding::GeneratorPaused { longest_ns, open_loop: is_open_loop(record) };
    let verdict = LoadVerdict::new(Kind::Warning, Check::SendLag, finding);
    Some(verdict.of(longest_ns as f64, PAUSE_NS as f64))
}

fn generator(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let busy = figures.generator_busy_share?;
    if record.settings.busy_poll {
        return Some(LoadVerdict::new(Kind::Hint, Check::Limit, LoadFinding::BusyPolling));
    }
    (busy >= GENERATOR_BUSY).then(|| {
        let finding = LoadFinding::GeneratorBusy { share: busy, open_loop: is_open_loop(record) };
        LoadVerdict::new(Kind::Warning, Check::Limit, finding).of(busy, GENERATOR_BUSY)
    })
}

/// A generator that is held back by the limit of its control group does nothing meanwhile, and takes that for a stall of the server.
fn throttled(record: &LoadRecord) -> Option<LoadVerdict> {
    let limit = record.cpu_limit?;
    let (throttled, periods) = (limit.throttled_periods.filter(|throttled| *throttled > 0)?, limit.periods?);
    let held_ns = limit.throttled_ns.unwrap_or(0);
    let finding = LoadFinding::Throttled { cpus: limit.cpus, throttled, periods, held_ns };
    Some(LoadVerdict::new(Kind::Warning, Check::Limit, finding).of(throttled as f64, 0.0))
}

/// A thread at its limit slows its own connections, whatever the others do.
fn one_thread(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let all_busy = figures.generator_busy_share? >= GENERATOR_BUSY;
    let busiest = *record.generator_cpu_ns.iter().max()? as f64 / record.duration_ns as f64;
    (busiest >= GENERATOR_BUSY && !all_busy && !record.settings.busy_poll).then(|| {
        let finding = LoadFinding::ThreadBusy { share: busiest };
        LoadVerdict::new(Kind::Warning, Check::Limit, finding).of(busiest, GENERATOR_BUSY)
    })
}

fn littles_law(record: &LoadRecord, figures: &LoadFigures) -> Option<LoadVerdict> {
    let share = figures.littles_law.filter(|share| *share > DISAGREEMENT)?;
    // What was in flight when a load was interrupted has no service time.
    let kind = if record.interrupted { Kind::Warning } else { Kind::Error };
    Some(LoadVerdict::new(kind, Check::LittlesLaw, LoadFinding::LittlesLaw { share }).of(share, DISAGREEMENT))
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
    let asked = settings.connections;
    let cause = if is_reopening(record) {
        IdleCause::Reopening
    } else if never > 0 {
        let answered = asked.saturating_sub(u32::try_from(never).unwrap_or(u32::MAX));
        IdleCause::Unserved { answered: Some(answered), open: None, asked }
    } else if figures.failed_share.is_some_and(|share| share > FAILURES) {
        IdleCause::AfterFailures
    } else {
        IdleCause::GeneratorHeldBack
    };
    let finding = LoadFinding::ConnectionsIdle { busy_share: share, cause };
    Some(LoadVerdict::new(Kind::Hint, Check::HeldBack, finding).of(share, KEPT_BUSY))
}

/// Fewer connections were open than a closed loop needs, and not because the server had said that it closes them or because they
/// were idle.
fn missing_connections(record: &LoadRecord) -> bool {
    let LoadConnections { established, closed_as_announced, closed_idle, .. } = record.connections;
    let accounted = u64::from(established) + u64::from(closed_as_announced);
    !is_open_loop(record) && accounted.saturating_add(closed_idle) < u64::from(record.settings.connections)
}

/// Whether so many connections are more than a few beside the answers.
fn are_many(record: &LoadRecord, connections: u64) -> bool {
    let LoadRecord { outcomes, warm_up, drained, .. } = record;
    let answers = outcomes.correct as f64 + warm_up.correct as f64 + drained.correct as f64;
    connections as f64 > answers * REOPENED
}

fn is_reopening(record: &LoadRecord) -> bool {
    are_many(record, record.connections.reconnects)
}

fn connections(record: &LoadRecord) -> Option<LoadVerdict> {
    let asked = record.settings.connections;
    let open = record.connections.established;
    // Those that are opened again and again are not all open at any one time.
    let expected = record.settings.requests_per_connection.is_some()
        || is_reopening(record)
        || (open == 0 && record.outcomes.connect_error > 0);
    (missing_connections(record) && !expected).then(|| {
        let finding = LoadFinding::ConnectionsMissing { open, asked };
        LoadVerdict::new(Kind::Warning, Check::Connections, finding).of(f64::from(open), f64::from(asked))
    })
}

fn reopened(record: &LoadRecord) -> Option<LoadVerdict> {
    let by_itself = record.settings.requests_per_connection.is_none() && record.outcomes.correct > 0;
    let LoadRecord { connections, outcomes, warm_up, drained, .. } = record;
    // Behind these failures the generator ends the connection itself.
    let ended_here = [outcomes, warm_up, drained].map(|all| all.timeout.saturating_add(all.wrong_answer));
    let otherwise = ended_here.into_iter().fold(connections.closed_idle, u64::saturating_add);
    let not_kept = connections.reconnects.saturating_sub(otherwise);
    (by_itself && are_many(record, not_kept)).then(|| {
        let finding = LoadFinding::ConnectionsReopened { connections: not_kept };
        LoadVerdict::new(Kind::Hint, Check::Connections, finding)
    })
}

/// The server keeps connections alive, but for less time than they were without a request.
fn closed_idle(record: &LoadRecord) -> Option<LoadVerdict> {
    let LoadConnections { closed_idle: connections, shortest_idle_ns, .. } = record.connections;
    let shortest_ns = shortest_idle_ns.filter(|_| are_many(record, connections))?;
    let finding = LoadFinding::ConnectionsClosedIdle { connections, shortest_ns };
    Some(LoadVerdict::new(Kind::Hint, Check::Connections, finding))
}

/// The server takes fewer requests at once on a connection than were asked for.
fn streams(record: &LoadRecord) -> Option<LoadVerdict> {
    let (asked, allowed) = (record.settings.streams, record.connections.streams_allowed?);
    (allowed < asked).then(|| {
        let finding = LoadFinding::StreamsLimited { allowed, asked };
        LoadVerdict::new(Kind::Warning, Check::Connections, finding).of(f64::from(allowed), f64::from(asked))
    })
}

fn ports(record: &LoadRecord) -> Option<LoadVerdict> {
    let times = record.connections.no_port;
    (times > 0).then(|| {
        LoadVerdict::new(Kind::Warning, Check::Ports, LoadFinding::NoPort { times }).of(times as f64, 0.0)
    })
}

/// In an open loop connections are used as they are free, so their shares say nothing of the server.
fn uneven(record: &LoadRecord) -> Option<LoadVerdict> {
    if is_open_loop(record) {
        return None;
    }
    let completions: Vec<u64> = record.connections.completions.iter().copied().map(u64::from).collect();
    let fairness = fairness::of_launch(1, &completions).filter(|fairness| !fairness.starved.is_empty())?;
    let jains_index = fairness.jains_index;
    let finding = LoadFinding::ConnectionsStarved { fairness };
    Some(LoadVerdict::new(Kind::Warning, Check::Fairness, finding).of(jains_index, 1.0))
}

fn histograms(unreadable: &[Time]) -> Option<LoadVerdict> {
    (!unreadable.is_empty()).then(|| {
        let finding = LoadFinding::Unreadable { times: unreadable.to_vec() };
        LoadVerdict::new(Kind::Warning, Check::Record, finding).of(unreadable.len() as f64, 0.0)
    })
}
