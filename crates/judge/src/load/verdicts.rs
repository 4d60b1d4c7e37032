//! What stands beside the figures of a load.

use velo_record::{LoadConnections, LoadRecord, LoadSchedule};

use super::condition::Condition;
use super::figures::{Headline, LoadFigures, Time};
use crate::doubt::answers;
use crate::doubt::bounds::REOPENED;
use crate::doubt::connections::{self, Counted};
use crate::doubt::fairness;
use crate::doubt::finding::{Finding, NotSent};
use crate::doubt::limit::GENERATOR_BUSY;
use crate::doubt::littles_law;
use crate::doubt::offered::Offered;
use crate::doubt::samples;
use crate::doubt::send_lag;
use crate::doubt::verdict::{Check, Kind, Verdict};

/// A fixed count with fewer answers a connection than this is mostly beginning and end.
const ENOUGH_ANSWERS: f64 = 50.0;
/// A server whose usual answer takes so many times as long as its fastest has requests waiting inside.
const SATURATED: f64 = 5.0;
/// A thread that shares its CPU waits for this long at most on a machine that is fit to measure with.
const PAUSE_NS: u64 = 100_000_000;

/// The verdicts, in the order of the figures that they are about.
pub(super) fn of(record: &LoadRecord, figures: &LoadFigures, unreadable: &[Time]) -> Vec<Verdict> {
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
        missing(record),
        streams(record),
        reopened(record),
        closed_idle(record),
        ports(record),
        uneven(record),
        histograms(unreadable),
    ];
    checks.into_iter().flatten().collect()
}

fn build(record: &LoadRecord) -> Option<Verdict> {
    (record.build == "debug").then(|| Verdict::new(Kind::Warning, Check::Build, Finding::DebugBuild))
}

fn interrupted(record: &LoadRecord) -> Option<Verdict> {
    record.interrupted.then(|| {
        let (after_ns, asked_ns) = (record.duration_ns, record.settings.duration_ns);
        let finding = Finding::Interrupted { after_ns, asked_ns };
        let figure = Verdict::new(Kind::Warning, Check::Interrupted, finding);
        figure.of(after_ns as f64, asked_ns.map_or(f64::NAN, |asked| asked as f64))
    })
}

fn gave_up(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    record.gave_up.then(|| {
        let (tried, of) = (figures.requests, record.settings.most_requests);
        let finding = Finding::GaveUp { after_ns: record.duration_ns, tried, of };
        Verdict::new(Kind::Error, Check::Interrupted, finding)
    })
}

fn nothing_worked(record: &LoadRecord) -> Option<Verdict> {
    let &LoadRecord { outcomes: answers, warm_up, drained, .. } = record;
    (answers.correct == 0).then(|| {
        let mut outside = warm_up;
        outside.add(&drained);
        Verdict::new(Kind::Error, Check::Correctness, Finding::NothingWorked { answers, outside })
    })
}

/// Where nothing was correct, that is said in its place.
fn wrong_answers(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    answers::wrong(&record.outcomes, figures.requests).filter(|_| record.outcomes.correct > 0)
}

fn failed(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    answers::failures(record.outcomes, figures.requests, None).filter(|_| record.outcomes.correct > 0)
}

/// Failures do not fail a load by themselves.
pub(super) fn exit_code(
    record: &LoadRecord,
    figures: &LoadFigures,
    conditions: &[Condition],
) -> Option<Verdict> {
    let is_asked = conditions.iter().any(Condition::is_of_failures);
    (figures.failed > 0 && record.outcomes.correct > 0 && !is_asked)
        .then(|| Verdict::new(Kind::Hint, Check::Failures, Finding::FailuresExitWithZero))
}

fn warm_up(record: &LoadRecord) -> Option<Verdict> {
    let answers = record.warm_up;
    (answers.failed() > 0 && record.outcomes.correct > 0)
        .then(|| Verdict::new(Kind::Hint, Check::Failures, Finding::WarmUpFailures { answers }))
}

fn drained(record: &LoadRecord) -> Option<Verdict> {
    let answers = record.drained;
    (answers.failed() > 0 && record.outcomes.correct > 0)
        .then(|| Verdict::new(Kind::Warning, Check::Failures, Finding::DrainedFailures { answers }))
}

fn bodies(record: &LoadRecord) -> Option<Verdict> {
    let answered = record.outcomes.correct > 0;
    (answered && !record.settings.checks_bodies)
        .then(|| Verdict::new(Kind::Hint, Check::Expectations, Finding::BodiesUnchecked))
}

fn offered(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    // The rate of a load may change on the way, so that the request in the middle says nothing of the last.
    let offered = Offered {
        achieved_share: Some(figures.achieved_share?),
        behind_share: None,
        dropped: record.outcomes.dropped,
    };
    offered.verdict(None, Some(why_not_sent(record, figures)))
}

/// Why requests of an open loop were not sent, if some were not.
fn why_not_sent(record: &LoadRecord, figures: &LoadFigures) -> NotSent {
    let dropped = record.outcomes.dropped;
    let unsent = record.offered as f64 * (1.0 - figures.achieved_share.unwrap_or(1.0)).max(0.0);
    // What was neither sent nor dropped had found no connection.
    let unconnected = (unsent - dropped as f64).round() as u64;
    match figures.generator_busy_share {
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
    }
}

/// The median of the service times and their least, where the one is many times the other: requests wait in the server.
fn slower_than_fastest(record: &LoadRecord, figures: &LoadFigures) -> Option<(u64, u64)> {
    let p50_ns = figures.service.as_ref()?.p50_ns?;
    let (min_ns, _) = record.service_time.decode().ok()?.recorded().next()?;
    (p50_ns as f64 >= min_ns as f64 * SATURATED).then_some((p50_ns, min_ns))
}

fn samples(figures: &LoadFigures) -> Option<Verdict> {
    let times = figures.headline()?;
    samples::verdict(times.missing(), times.samples, |percentiles| match figures.headline {
        Headline::Response => Finding::ResponseTimeSamples { at: None, percentiles },
        Headline::Service => Finding::ServiceTimeSamples { percentiles },
    })
}

fn model(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    (!is_open_loop(record) && figures.service.is_some())
        .then(|| Verdict::new(Kind::Hint, Check::Model, Finding::ClosedLoop))
}

fn is_open_loop(record: &LoadRecord) -> bool {
    matches!(record.settings.schedule, LoadSchedule::Open { .. })
}

fn send_lag(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    let median_ns = figures.headline()?.p50_ns? as f64;
    send_lag::verdict(figures.send_lag.as_ref()?.p99_ns, Some(median_ns), None, !is_open_loop(record))
}

/// Stopped by a signal or with its virtual machine, or without a CPU.
fn paused(record: &LoadRecord) -> Option<Verdict> {
    let longest_ns = record.generator_longest_pause_ns.filter(|ns| *ns >= PAUSE_NS)?;
    let finding = Finding::GeneratorPaused { longest_ns, closed_loop: !is_open_loop(record) };
    let verdict = Verdict::new(Kind::Warning, Check::SendLag, finding);
    Some(verdict.of(longest_ns as f64, PAUSE_NS as f64))
}

fn generator(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    let busy = figures.generator_busy_share?;
    if record.settings.busy_poll {
        return Some(Verdict::new(Kind::Hint, Check::Limit, Finding::BusyPolling));
    }
    (busy >= GENERATOR_BUSY).then(|| {
        let finding = Finding::GeneratorBusy { share: busy, closed_loop: !is_open_loop(record) };
        Verdict::new(Kind::Warning, Check::Limit, finding).of(busy, GENERATOR_BUSY)
    })
}

/// A generator that is held back by the limit of its control group does nothing meanwhile, and takes that for a stall of the server.
fn throttled(record: &LoadRecord) -> Option<Verdict> {
    let limit = record.cpu_limit?;
    let (throttled, periods) = (limit.throttled_periods.filter(|throttled| *throttled > 0)?, limit.periods?);
    let held_ns = limit.throttled_ns.unwrap_or(0);
    let finding = Finding::Throttled { cpus: limit.cpus, throttled, periods, held_ns };
    Some(Verdict::new(Kind::Warning, Check::Limit, finding).of(throttled as f64, 0.0))
}

/// A thread at its limit slows its own connections, whatever the others do.
fn one_thread(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    let all_busy = figures.generator_busy_share? >= GENERATOR_BUSY;
    let busiest = *record.generator_cpu_ns.iter().max()? as f64 / record.duration_ns as f64;
    (busiest >= GENERATOR_BUSY && !all_busy && !record.settings.busy_poll).then(|| {
        let finding = Finding::ThreadBusy { share: busiest };
        Verdict::new(Kind::Warning, Check::Limit, finding).of(busiest, GENERATOR_BUSY)
    })
}

fn littles_law(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    // What was in flight when a load was interrupted has no service time.
    let kind = if record.interrupted { Kind::Warning } else { Kind::Error };
    littles_law::verdict(figures.littles_law, kind)
}

fn kept_busy(record: &LoadRecord, figures: &LoadFigures) -> Option<Verdict> {
    let settings = &record.settings;
    let few = figures.requests as f64 <= ENOUGH_ANSWERS * f64::from(settings.connections);
    // Said by another verdict, or nobody's fault.
    if figures.requests == 0
        || (settings.most_requests.is_some() && few)
        || (settings.requests_per_connection.is_none() && missing_connections(record))
    {
        return None;
    }
    let asked = settings.connections;
    let never = record.connections.completions.iter().filter(|completed| **completed == 0).count();
    let never = u32::try_from(never).unwrap_or(u32::MAX);
    let answered = (never > 0).then(|| asked.saturating_sub(never));
    let open = Some(record.connections.established).filter(|open| answered.is_some() && *open < asked);
    let is_reopening = is_reopening(record);
    let counted = Counted { asked, answered, open, is_reopening, failed_share: figures.failed_share };
    connections::idle(figures.kept_busy, counted)
}

/// Fewer connections were open than a closed loop needs, and not because the server had said that it closes them or because they
/// were idle.
fn missing_connections(record: &LoadRecord) -> bool {
    let LoadConnections { established, closed_as_announced, closed_idle, .. } = record.connections;
    let accounted = u64::from(established) + u64::from(closed_as_announced);
    !is_open_loop(record) && accounted.saturating_add(closed_idle) < u64::from(record.settings.connections)
}

/// Correct ones, in the stretch and around it.
fn all_correct(record: &LoadRecord) -> u64 {
    let LoadRecord { outcomes, warm_up, drained, .. } = record;
    [outcomes, warm_up, drained].into_iter().fold(0, |sum, all| sum.saturating_add(all.correct))
}

/// Whether so many connections are more than a few beside the answers.
fn are_many(record: &LoadRecord, connections: u64) -> bool {
    connections as f64 > all_correct(record) as f64 * REOPENED
}

fn is_reopening(record: &LoadRecord) -> bool {
    are_many(record, record.connections.reconnects)
}

fn missing(record: &LoadRecord) -> Option<Verdict> {
    let asked = record.settings.connections;
    let open = record.connections.established;
    // Those that are opened again and again are not all open at any one time.
    let expected = record.settings.requests_per_connection.is_some()
        || is_reopening(record)
        || (open == 0 && record.outcomes.connect_error > 0);
    connections::missing(open, asked).filter(|_| missing_connections(record) && !expected)
}

fn reopened(record: &LoadRecord) -> Option<Verdict> {
    let by_itself = record.settings.requests_per_connection.is_none() && record.outcomes.correct > 0;
    let LoadRecord { connections, outcomes, warm_up, drained, .. } = record;
    // Behind these failures the generator ends the connection itself.
    let ended_here = [outcomes, warm_up, drained].map(|all| all.timeout.saturating_add(all.wrong_answer));
    let otherwise = ended_here.into_iter().fold(connections.closed_idle, u64::saturating_add);
    let not_kept = connections.reconnects.saturating_sub(otherwise);
    connections::reopened(not_kept, all_correct(record)).filter(|_| by_itself)
}

/// The server keeps connections alive, but for less time than they were without a request.
fn closed_idle(record: &LoadRecord) -> Option<Verdict> {
    let LoadConnections { closed_idle: connections, shortest_idle_ns, .. } = record.connections;
    let shortest_ns = shortest_idle_ns.filter(|_| are_many(record, connections))?;
    let finding = Finding::ConnectionsClosedIdle { connections, shortest_ns };
    Some(Verdict::new(Kind::Hint, Check::Connections, finding))
}

/// The server takes fewer requests at once on a connection than were asked for.
fn streams(record: &LoadRecord) -> Option<Verdict> {
    let (asked, allowed) = (record.settings.streams, record.connections.streams_allowed?);
    (allowed < asked).then(|| {
        let finding = Finding::StreamsLimited { allowed, asked };
        Verdict::new(Kind::Warning, Check::Connections, finding).of(f64::from(allowed), f64::from(asked))
    })
}

fn ports(record: &LoadRecord) -> Option<Verdict> {
    let times = record.connections.no_port;
    (times > 0)
        .then(|| Verdict::new(Kind::Warning, Check::Ports, Finding::NoPort { times }).of(times as f64, 0.0))
}

/// In an open loop connections are used as they are free, so their shares say nothing of the server.
fn uneven(record: &LoadRecord) -> Option<Verdict> {
    if is_open_loop(record) {
        return None;
    }
    let completions: Vec<u64> = record.connections.completions.iter().copied().map(u64::from).collect();
    connections::starved(fairness::of_launch(None, &completions).as_ref())
}

fn histograms(unreadable: &[Time]) -> Option<Verdict> {
    (!unreadable.is_empty()).then(|| {
        let times = unreadable.iter().map(|time| time.name().to_owned()).collect();
        let finding = Finding::HistogramsUnreadable { times };
        Verdict::new(Kind::Warning, Check::Record, finding).of(unreadable.len() as f64, 0.0)
    })
}
