//! What stands beside a row's figures, whether or not it is ranked.

use crate::answers::FAILURES;
use crate::fairness::STARVED;
use crate::limit::IDLE_CPU;
use crate::littles_law::{DISAGREEMENT, KEPT_BUSY};
use crate::row::{Row, RowState};
use crate::verdict::{Check, Kind, Verdict};
use crate::words::{count, list, percent};

/// The verdicts on a row's figures. What already is the reason of a row that is not ranked is kept as data too.
pub(crate) fn of(row: &Row, idle_cpu_share: Option<f64>, unreadable_histograms: usize) -> Vec<Verdict> {
    let checks = [
        wrong_answers(row),
        coin(row),
        failures(row),
        littles_law(row),
        kept_busy(row),
        connections(row),
        fairness(row),
        limit(row),
        idle(row, idle_cpu_share),
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
    let words = format!("only {} of the connections were kept busy: the generator held back", percent(share));
    Some(Verdict::new(Kind::Hint, Check::HeldBack, words).of(share, KEPT_BUSY))
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
    let words = format!(
        "{} got under {} of the median: {} (Jain's index {:.2})",
        count(named.len(), "connection", "connections"),
        percent(STARVED),
        list(&named, 4),
        fairness.jains_index
    );
    Some(Verdict::new(Kind::Warning, Check::Fairness, words).of(fairness.jains_index, 1.0))
}

fn limit(row: &Row) -> Option<Verdict> {
    let finding = row.limit.as_ref()?;
    if finding.uneven {
        return Some(Verdict::new(Kind::Warning, Check::Limit, format!("uneven: {}", finding.words)));
    }
    // The reference is never ranked, so its limit is nowhere else in words.
    let told = matches!(row.state, RowState::Reference) && row.at_least;
    told.then(|| {
        let share = finding.generator_busy_share.unwrap_or(f64::NAN);
        Verdict::new(Kind::Hint, Check::Limit, finding.words.clone()).of(share, crate::limit::GENERATOR_BUSY)
    })
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
