//! What stands beside a row's figures, whether or not it is ranked.

use velo_model::PartyRole;
use velo_stats::STEADY_WITHIN;

use crate::doubt::answers::{self, FAILURES};
use crate::doubt::bounds::{LEAST_LAUNCHES, LITTLES_LAW, REOPENED};
use crate::doubt::connections::{self, Counted};
use crate::doubt::consistency::{Consistency, ConsistencyOf};
use crate::doubt::finding::Finding;
use crate::doubt::limit::{IDLE_CPU, LimitFinding, SERVER_BUSY};
use crate::doubt::littles_law;
use crate::doubt::proof::{FALL, LEAST_RATIO, Proof, ProofFound};
use crate::doubt::samples;
use crate::doubt::state::RowState;
use crate::doubt::steadiness::{Steadiness, Steady};
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::rows::row::Row;

/// The verdicts on a row's figures. What already is the reason of a row that is not ranked is kept as data too.
pub(crate) fn of(row: &Row, idle_cpu_share: Option<f64>, unreadable_histograms: usize) -> Vec<Verdict> {
    // Where the load closes connections itself, that some are closed, opened or idle for it is what was to be measured.
    let of_kept: [fn(&Row) -> Option<Verdict>; 3] = [kept_busy, missing, reopened];
    let is_kept = row.connections.closed_after.is_none();
    let [kept_busy, missing, reopened] = of_kept.map(|check| check(row).filter(|_| is_kept));
    let checks = [
        answers::wrong(&row.answers, row.answers.requests()),
        coin(row),
        answers::failures(row.answers, row.answers.requests(), None),
        littles_law(row),
        kept_busy,
        missing,
        reopened,
        connections::starved(row.fairness.as_ref()),
        limit(row, idle_cpu_share),
        row.limit.as_ref().and_then(|finding| proof(finding.proof.as_ref()?)),
        idle(row, idle_cpu_share),
        samples(row),
        histograms(unreadable_histograms),
    ];
    checks.into_iter().flatten().collect()
}

fn coin(row: &Row) -> Option<Verdict> {
    let coin = row.coin.as_ref()?.accusation()?;
    Some(Verdict::new(Kind::Error, Check::Coin, Finding::UnfairCoin { coin }))
}

fn littles_law(row: &Row) -> Option<Verdict> {
    let is_grave = row.littles_law.together.is_some_and(|share| share > LITTLES_LAW);
    let kind = if is_grave { Kind::Error } else { Kind::Warning };
    littles_law::verdict(row.littles_law.worst, kind)
}

fn kept_busy(row: &Row) -> Option<Verdict> {
    let seen = &row.connections;
    let counted = Counted {
        asked: seen.asked,
        answered: seen.answered_least.filter(|answered| *answered < seen.asked),
        open: seen.established_least.filter(|open| *open < seen.asked),
        is_reopening: seen.reopened_share() > REOPENED,
        failed_share: row.answers.share(row.answers.failures()),
    };
    connections::idle(row.littles_law.kept_busy, counted)
}

/// Where nothing failed: their cost is in the figures.
fn reopened(row: &Row) -> Option<Verdict> {
    let seen = &row.connections;
    let failed = row.answers.share(row.answers.failures()).is_some_and(|share| share > FAILURES);
    connections::reopened(seen.reconnects, seen.answers).filter(|_| !failed)
}

fn missing(row: &Row) -> Option<Verdict> {
    connections::missing(row.connections.established_least?, row.connections.asked)
}

/// Anything but the contender as the limit; it is also the reason of a row that is not ranked for it.
fn limit(row: &Row, idle_cpu_share: Option<f64>) -> Option<Verdict> {
    let finding = row.limit.as_ref()?;
    if finding.is_contenders() && !finding.uneven {
        return None;
    }
    let is_expected = !finding.is_contenders() && matches!(row.state, RowState::Reference);
    let kind = if is_expected { Kind::Hint } else { Kind::Warning };
    let (figure, bound) = limiting_figure(finding, idle_cpu_share);
    let verdict = Verdict::new(kind, Check::Limit, Finding::Bottleneck { limit: finding.clone() });
    Some(verdict.of(figure.unwrap_or(f64::NAN), bound))
}

/// The same finding for every contender where nothing is told, so that a report can say it once; the figure is in the verdict.
fn proof(proof: &Proof) -> Option<Verdict> {
    let slowed_ns = proof.slowed_ns;
    let (kind, finding) = match proof.found {
        ProofFound::GeneratorMatters => {
            let cost_share = proof.ratio.map(|ratio| 1.0 - ratio);
            (Kind::Warning, Finding::GeneratorMatters { slowed_ns, cost_share })
        }
        ProofFound::GeneratorDoesNotMatter => return None,
        ProofFound::Unresolved => {
            (Kind::Hint, Finding::GeneratorUnresolved { slowed_ns, within_share: FALL })
        }
    };
    let verdict = Verdict::new(kind, Check::Proof, finding);
    Some(verdict.of(proof.ratio.unwrap_or(f64::NAN), LEAST_RATIO))
}

/// The figure that kept a row from being server-bound, and its bound.
fn limiting_figure(finding: &LimitFinding, idle_cpu_share: Option<f64>) -> (Option<f64>, f64) {
    let mut others = finding.parties.iter().filter(|party| party.role != PartyRole::Contender);
    match others.find(|party| finding.is_at_limit(party.role)) {
        // Below the bound it is the proof that accuses it, with a figure of its own.
        Some(party) => (party.busy_share.filter(|busy| *busy >= party.bound()), party.bound()),
        None if finding.at_limit.is_empty() && finding.is_busy() && idle_cpu_share.is_some() => {
            (idle_cpu_share, IDLE_CPU)
        }
        None => (finding.busy_share(PartyRole::Contender), SERVER_BUSY),
    }
}

fn samples(row: &Row) -> Option<Verdict> {
    let times = row.service_time.as_ref()?;
    samples::verdict(times.missing(), times.samples, |percentiles| Finding::ServiceTimeSamples {
        percentiles,
    })
}

fn histograms(unreadable: usize) -> Option<Verdict> {
    (unreadable > 0).then(|| {
        let windows = u32::try_from(unreadable).unwrap_or(u32::MAX);
        Verdict::new(Kind::Warning, Check::Record, Finding::ServiceTimesUnreadable { windows })
            .of(unreadable as f64, 0.0)
    })
}

fn idle(row: &Row, idle_cpu_share: Option<f64>) -> Option<Verdict> {
    (idle_cpu_share.is_none() && row.windows > 0)
        .then(|| Verdict::new(Kind::Hint, Check::Limit, Finding::IdleCpuUnknown).of(f64::NAN, IDLE_CPU))
}

/// A verdict for each finding of consistency that takes the rank. What changed within a launch is told by its steadiness.
pub(crate) fn of_consistency(consistency: &Consistency) -> impl Iterator<Item = Verdict> {
    let told = consistency.findings.iter().filter(|parts| !parts.passed && parts.of != ConsistencyOf::Launch);
    told.map(|parts| {
        let finding = Finding::Inconsistent { figure: consistency.figure, parts: *parts };
        Verdict::new(Kind::Error, Check::Consistency, finding).of(parts.ratio, parts.bound)
    })
}

/// With too few launches nothing is ranked, and that is said already.
pub(crate) fn of_steadiness(found: &Steadiness, launches: usize) -> Option<Verdict> {
    let figure = found.figure;
    let change_share = found.change.map_or(f64::NAN, |change| change.value - 1.0);
    let (kind, finding) = match found.found {
        Steady::Trend => (Kind::Warning, Finding::Trend { figure, change_share }),
        Steady::Unknown if launches >= LEAST_LAUNCHES as usize => {
            (Kind::Hint, Finding::TrendUnknown { figure, within_share: STEADY_WITHIN })
        }
        Steady::Steady | Steady::Unknown => return None,
    };
    Some(Verdict::new(kind, Check::Steady, finding).of(change_share, STEADY_WITHIN))
}
