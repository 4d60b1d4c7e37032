//! Response times in an open loop: at stated rates, and against the rate up to the knee.

use serde::Serialize;
use velo_record::{Placement, RatePurpose, Window};
use velo_stats::{KNEE_FACTOR, KneeEnd, LoadPoint, knee};

use crate::doubt::finding::Finding;
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::rows::paced::{self, OpenLoop, PacedFigures};

/// Response time against the rate, by rising rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Curve {
    /// The rates that were tried.
    pub points: Vec<PacedFigures>,
    /// Where requests begin to queue; `None` when the points do not show it.
    pub knee: Option<Knee>,
}

/// The highest rate that was met with a 99th percentile of at most three times that of the nearly idle contender, before a
/// rate is not met or two in a row are slower.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Knee {
    /// That rate.
    pub rate_per_s: f64,
    /// Its 99th percentile of response time.
    pub p99_ns: f64,
    /// The 99th percentile when nearly idle: the median over the lowest third of the rates.
    pub idle_p99_ns: f64,
    /// The bound, as a multiple of the latter.
    pub factor: f64,
    /// Why the knee is no higher.
    pub end: KneeReason,
}

/// Why the knee is where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KneeReason {
    /// Above it response times are beyond the bound.
    Slow,
    /// The next rate was not met.
    NotMet,
    /// No higher rate was tried.
    NotReached,
}

/// What the open loops of a cell say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Latency {
    /// At stated rates.
    pub(crate) at_rates: Vec<PacedFigures>,
    pub(crate) curve: Option<Curve>,
    pub(crate) verdicts: Vec<Verdict>,
}

/// Judges the windows of a cell that are those of open loops: `kept` of `all`, the others were in disturbed blocks.
pub(crate) fn judge(kept: &[&Window], all: &[&Window], placement: &Placement) -> Latency {
    let groups = paced::by_rate(kept);
    let figures: Vec<PacedFigures> =
        groups.iter().filter_map(|group| paced::figures(group, placement)).collect();
    let mut verdicts: Vec<Verdict> = figures.iter().flat_map(PacedFigures::verdicts).collect();
    let unreadable: u32 = figures.iter().map(|one| one.unreadable_histograms).fold(0, u32::saturating_add);
    if unreadable > 0 {
        let finding = Finding::OpenLoopsUnreadable { histograms: unreadable };
        verdicts.push(Verdict::new(Kind::Warning, Check::Record, finding).of(f64::from(unreadable), 0.0));
    }
    verdicts.extend(dropped(&groups, &paced::by_rate(all)));
    let (mut points, at_rates): (Vec<PacedFigures>, Vec<PacedFigures>) =
        figures.into_iter().partition(|one| matches!(one.purpose, RatePurpose::Curve { .. }));
    points.sort_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
    let curve = (!points.is_empty()).then(|| Curve { knee: find_knee(&points), points });
    Latency { at_rates, curve, verdicts }
}

/// Rates of which no window is left are named, so that nobody takes them for forgotten.
fn dropped(kept: &[Vec<OpenLoop<'_>>], all: &[Vec<OpenLoop<'_>>]) -> Option<Verdict> {
    let rates = |groups: &[Vec<OpenLoop<'_>>]| -> Vec<(RatePurpose, f64)> {
        let firsts = groups.iter().filter_map(|group| group.first());
        firsts.map(|(_, paced)| (paced.purpose, paced.rate_per_s)).collect()
    };
    let kept = rates(kept);
    let lost: Vec<RatePurpose> =
        rates(all).into_iter().filter(|rate| !kept.contains(rate)).map(|(purpose, _)| purpose).collect();
    (!lost.is_empty()).then(|| {
        let count = lost.len() as f64;
        Verdict::new(Kind::Warning, Check::Host, Finding::RatesDropped { rates: lost }).of(count, 0.0)
    })
}

fn find_knee(points: &[PacedFigures]) -> Option<Knee> {
    let points: Vec<LoadPoint> = points
        .iter()
        .map(|point| LoadPoint {
            rate_per_s: point.rate_per_s,
            is_met: point.is_met,
            p99_ns: point.response.p99_ns.map(|p99| p99.value),
        })
        .collect();
    let found = knee(&points, KNEE_FACTOR)?;
    Some(Knee {
        rate_per_s: found.rate_per_s,
        p99_ns: found.p99_ns,
        idle_p99_ns: found.base_p99_ns,
        factor: KNEE_FACTOR,
        end: match found.end {
            KneeEnd::Slow => KneeReason::Slow,
            KneeEnd::NotMet => KneeReason::NotMet,
            KneeEnd::NotReached => KneeReason::NotReached,
        },
    })
}
