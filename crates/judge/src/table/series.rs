//! What the contenders of a workload are compared by, in one shape whatever was measured: charts and tables draw a series, and
//! know no kind of measurement.

use std::cmp::Reverse;

use serde::Serialize;
use velo_model::{Better, ContenderName, Figure, FigureKind, LoadCondition, Unit};

use super::measurement::Measurement;
use crate::doubt::reason::Reason;
use crate::measure::estimate::Estimate;
use crate::words::as_json::some_in_words;

/// A quantity under a load, of all contenders of a workload that have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Series {
    /// What was measured.
    pub of: Figure,
    /// Under which load.
    pub under: LoadCondition,
    /// The unit of its values.
    pub unit: Unit,
    /// Which values are better.
    pub better: Better,
    /// At least one, in the order of the judgement.
    pub points: Vec<SeriesPoint>,
}

/// A contender's value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeriesPoint {
    /// The contender.
    pub contender: ContenderName,
    /// The value, and how sure it is.
    pub estimate: Estimate,
    /// It could be better: the contender was not seen to be the limit.
    pub at_least: bool,
    /// The best rank that it may hold by this series; `None` where it has none.
    pub best: Option<u32>,
    /// The worst.
    pub worst: Option<u32>,
    /// Whose value it is over, in a series of ratios.
    pub over: Option<ContenderName>,
    /// Why it has no rank, where others have or could have.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<Reason>,
}

/// All series of a workload that have a point. The one that its contenders are ranked by comes first, where it has one.
pub(crate) fn of_workload(measurements: &[Measurement], has_stated_rate: bool) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for one in measurements {
        let Some(point) = SeriesPoint::of(one) else { continue };
        match all.iter_mut().find(|series| (series.of, series.under) == (one.of, one.under)) {
            Some(series) => series.points.push(point),
            None => all.push(Series::new(one.of, one.under, point)),
        }
    }
    all.sort_by_key(|series| place(series, has_stated_rate));
    all
}

/// Where a series stands among the others: what the answer rests on, then what contenders are ranked by before what they are not, and of
/// rates the highest first.
fn place(series: &Series, has_stated_rate: bool) -> (u8, u32, Reverse<u64>) {
    let rate = match series.under {
        // The bits of positive numbers are in the order of the numbers.
        LoadCondition::OpenLoop { rate_per_s } => rate_per_s.to_bits(),
        _ => 0,
    };
    let kind = series.of.kind();
    let order = match (kind, series.of.row().is_ranked) {
        // Ranked by what is not ranked as a rule: the machine was busy, and the answer rests on it.
        (FigureKind::OwnLoad, false) if series.points.iter().any(|point| point.best.is_some()) => 0,
        (FigureKind::OwnLoad, true) => 1,
        _ => 2,
    };
    (order, kind.row().place[usize::from(has_stated_rate)], Reverse(rate))
}

impl Series {
    fn new(of: Figure, under: LoadCondition, point: SeriesPoint) -> Self {
        Self { of, under, unit: of.row().unit, better: of.row().better, points: vec![point] }
    }
}

impl SeriesPoint {
    fn of(measurement: &Measurement) -> Option<Self> {
        let (point, estimate) = (measurement.point.as_ref()?, measurement.estimate?);
        Some(Self {
            contender: measurement.contender.clone(),
            estimate,
            at_least: point.at_least,
            best: point.rank.map(|(best, _)| best),
            worst: point.rank.map(|(_, worst)| worst),
            over: point.over.clone(),
            reason: point.reason.clone(),
        })
    }
}
