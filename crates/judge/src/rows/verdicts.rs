//! What stands beside a row's figures, whether or not it is ranked.

use crate::checks::answers::FAILURES;
use crate::checks::fairness::STARVED;
use crate::checks::limit::{GENERATOR_BUSY, IDLE_CPU, Limit, LimitFinding, SERVER_BUSY};
use crate::checks::littles_law::{DISAGREEMENT, KEPT_BUSY};
use crate::checks::verdict::{Check, Kind, Verdict};
use crate::load::words::samples_needed;
use crate::rows::row::Row;
use crate::rows::state::RowState;
use crate::words::{count, list, percent};
use velo_stats::number::decimals;

/// A server that keeps its connections opens none again; above one for each 200 answers that is told.
const REOPENED: f64 = 0.005;

/// The percentiles that a reader expects of service times.
const USUAL: [&str; 4] = ["p50", "p90", "p99", "p99.9"];

/// The verdicts on a row's figures. What already is the reason of a row that is not ranked is kept as data too.
pub(crate) fn of(row: &Row, idle_cpu_share: Option<f64>, unreadable_histograms: usize) -> Vec<Verdict> {
    let checks = [
        wrong_answers(row),
        coin(row),
        failures(row),
        littles_law(row),
        kept_busy(row),
        connections(row),
        reopened(row),
        fairness(row),
        limit(row, idle_cpu_share),
        row.limit.as_ref().and_then(|finding| finding.proof.as_ref()?.verdict()),
        idle(row, idle_cpu_share),
        samples(row),
        histograms(unreadable_histograms),
    ];
    checks.into_iter().flatten().collect()
}

fn wrong_answers(row: &Row) -> Option<Verdict> {
    let wrong = row.answers.wrong_answer;
    let share = row.answers.share(wrong).filter(|_| wrong > 0)?;
    let words = format!("{} ({} of all)", count_of(wrong, "wrong answer", "wrong answers"), percent(share));
    Some(Verdict::new(Kind::Error, Check::Correctness, words).of(share, 0.0))
}

fn coin(row: &Row) -> Option<Verdict> {
    let accusation = row.coin.as_ref()?.accusation()?;
    Some(Verdict::new(Kind::Error, Check::Coin, accusation))
}

fn failures(row: &Row) -> Option<Verdict> {
    let failures = row.answers.failures();
    let share = row.answers.share(failures).filter(|_| failures > 0)?;
    let kind = if share > FAILURES { Kind::Error } else { Kind::Warning };
    let words = format!("{} of the requests failed: {}", percent(share), row.answers.failures_in_words());
    Some(Verdict::new(kind, Check::Failures, words).of(share, FAILURES))
}

fn littles_law(row: &Row) -> Option<Verdict> {
    let law = &row.littles_law;
    let worst = law.worst.filter(|worst| *worst > DISAGREEMENT)?;
    let kind =
        if law.together.is_some_and(|share| share > DISAGREEMENT) { Kind::Error } else { Kind::Warning };
    let words =
        format!("requests in flight and service times differ by {} in the worst window", percent(worst));
    Some(Verdict::new(kind, Check::LittlesLaw, words).of(worst, DISAGREEMENT))
}

fn kept_busy(row: &Row) -> Option<Verdict> {
    let share = row.littles_law.kept_busy.filter(|share| *share < KEPT_BUSY)?;
    let words = format!("only {} of the connections were kept busy: {}", percent(share), idle_cause(row));
    Some(Verdict::new(Kind::Hint, Check::HeldBack, words).of(share, KEPT_BUSY))
}

/// Why connections had no request in flight, by what was counted on them. Only when every one of them was open and got answers
/// it is left to the generator.
fn idle_cause(row: &Row) -> String {
    let seen = &row.connections;
    let asked = seen.asked;
    let answered = seen.answered_least.filter(|answered| *answered < asked);
    let open = seen.established_least.filter(|open| *open < asked);
    match (answered, open) {
        (Some(answered), Some(open)) => {
            format!(
                "{answered} of {asked} ever got an answer in a launch, {open} were open at the end of a window"
            )
        }
        (Some(answered), None) => {
            format!("{answered} of {asked} ever got an answer in a launch, though all were open")
        }
        (None, Some(open)) => format!("{open} of {asked} were open at the end of a window"),
        (None, None) if seen.reopened_share() > REOPENED => "the others were being opened again".to_owned(),
        (None, None) if row.answers.share(row.answers.failures()).is_some_and(|share| share > FAILURES) => {
            "after failures there is a pause".to_owned()
        }
        (None, None) => "the generator held back".to_owned(),
    }
}

/// Connections that were closed under load and opened again, where nothing failed: their cost is in the figures.
fn reopened(row: &Row) -> Option<Verdict> {
    let seen = &row.connections;
    let share = seen.reopened_share();
    let failed = row.answers.share(row.answers.failures()).is_some_and(|share| share > FAILURES);
    (share > REOPENED && !failed).then(|| {
        let each = (1.0 / share).round();
        let words = format!(
            "its connections were opened again {} under load, once for each {}: what that costs is in its figures",
            count_of(seen.reconnects, "time", "times"),
            if each > 1.0 { format!("{each} answers") } else { "answer".to_owned() }
        );
        Verdict::new(Kind::Hint, Check::Connections, words).of(share, REOPENED)
    })
}

fn connections(row: &Row) -> Option<Verdict> {
    let asked = row.connections.asked;
    let open = row.connections.established_least.filter(|open| *open < asked)?;
    let words = format!("only {open} of {asked} connections were open at the end of a window");
    Some(Verdict::new(Kind::Warning, Check::Connections, words).of(f64::from(open), f64::from(asked)))
}

fn fairness(row: &Row) -> Option<Verdict> {
    let fairness = row.fairness.as_ref().filter(|fairness| !fairness.starved.is_empty())?;
    let named: Vec<String> = fairness
        .starved
        .iter()
        .map(|starved| format!("{} in launch {}", starved.connection, starved.launch))
        .collect();
    let shared = match (fairness.processes, fairness.connections_per_process) {
        (Some(processes), Some(each)) if processes > 1 => {
            format!(", {processes} processes with {} connections each", decimals(each, 1))
        }
        _ => String::new(),
    };
    let words = format!(
        "{} got under {} of the median: {} (Jain's index {}{shared})",
        count(named.len(), "connection", "connections"),
        percent(STARVED),
        list(&named, 4),
        decimals(fairness.jains_index, 2)
    );
    Some(Verdict::new(Kind::Warning, Check::Fairness, words).of(fairness.jains_index, 1.0))
}

/// Anything but the contender as the limit; it is also the reason of a row that is not ranked for it.
fn limit(row: &Row, idle_cpu_share: Option<f64>) -> Option<Verdict> {
    let finding = row.limit.as_ref()?;
    let told = |kind, words: String, (figure, bound): (Option<f64>, f64)| {
        Some(Verdict::new(kind, Check::Limit, words).of(figure.unwrap_or(f64::NAN), bound))
    };
    match finding.limit {
        Limit::Server if finding.uneven => {
            let words = format!("uneven: {}", finding.words);
            told(Kind::Warning, words, (finding.server_busy_share, SERVER_BUSY))
        }
        Limit::Server => None,
        Limit::Client | Limit::Both | Limit::Unknown => {
            let is_expected = matches!(row.state, RowState::Reference);
            let kind = if is_expected { Kind::Hint } else { Kind::Warning };
            told(kind, finding.words.clone(), limiting_figure(finding, idle_cpu_share))
        }
    }
}

/// The figure that kept a row from being server-bound, and its bound.
fn limiting_figure(finding: &LimitFinding, idle_cpu_share: Option<f64>) -> (Option<f64>, f64) {
    let is_busy = finding.uneven || finding.server_busy_share.is_some_and(|busy| busy >= SERVER_BUSY);
    match finding.limit {
        Limit::Unknown if is_busy && idle_cpu_share.is_some() => (idle_cpu_share, IDLE_CPU),
        Limit::Unknown | Limit::Server => (finding.server_busy_share, SERVER_BUSY),
        // Below the bound it is the proof that accuses it, with a figure of its own.
        Limit::Client | Limit::Both => {
            (finding.generator_busy_share.filter(|busy| *busy >= GENERATOR_BUSY), GENERATOR_BUSY)
        }
    }
}

/// Percentiles that are not there for want of samples are named, so that nobody takes them for forgotten.
fn samples(row: &Row) -> Option<Verdict> {
    let times = row.service_time.as_ref()?;
    let listed = times.listed();
    let missing: Vec<_> =
        listed.iter().filter(|(name, _, value)| USUAL.contains(name) && value.is_none()).collect();
    let (_, most, _) = missing.last()?;
    let names: Vec<&str> = missing.iter().map(|(name, _, _)| *name).collect();
    let words = format!("not enough samples for {} of service time", names.join(", "));
    let figure = Verdict::new(Kind::Hint, Check::Samples, words);
    Some(figure.of(times.samples as f64, samples_needed(*most) as f64))
}

fn histograms(unreadable: usize) -> Option<Verdict> {
    (unreadable > 0).then(|| {
        let words = format!(
            "the service times of {} cannot be read and are missing from the percentiles",
            count(unreadable, "window", "windows")
        );
        Verdict::new(Kind::Warning, Check::Record, words).of(unreadable as f64, 0.0)
    })
}

fn count_of(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

fn idle(row: &Row, idle_cpu_share: Option<f64>) -> Option<Verdict> {
    (idle_cpu_share.is_none() && row.windows > 0).then(|| {
        let words = "its CPU use without load is not known, so a busy wait would not be seen";
        Verdict::new(Kind::Hint, Check::Limit, words).of(f64::NAN, IDLE_CPU)
    })
}
