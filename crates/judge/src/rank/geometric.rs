//! One figure over all workloads of a run: the geometric mean of the scores.

use serde::Serialize;
use velo_model::{ContenderName, Figure};
use velo_stats::{LogsByWorkload, geometric_means};

use crate::measure::cell::Cells;
use crate::measure::estimate::Estimate;
use crate::rows::row::Row;

/// Geometric means of the scores over the same workloads for all.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GeometricMean {
    /// Those workloads: all of the run whose baseline has a goodput of its own.
    pub workloads: Vec<String>,
    /// The contenders whose own goodput is known in all of them, the highest mean first.
    pub means: Vec<ContenderMean>,
}

/// One contender's mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContenderMean {
    /// The contender.
    pub contender: ContenderName,
    /// The geometric mean of its scores; the interval is over launches that have all of the workloads.
    pub mean: Estimate,
}

/// A workload whose baseline has a goodput of its own, so that it has scores.
pub(crate) struct Scored<'a> {
    pub(crate) name: &'a str,
    pub(crate) baseline: &'a ContenderName,
    pub(crate) rows: &'a [Row],
}

/// The means; `None` unless two workloads have a baseline and a contender was the limit in both. A mean without an interval, of one launch or
/// two, would look surer than the scores that it is of, and is left out.
pub(crate) fn over(common: &[Scored<'_>], cells: &Cells<'_>, confidence: f64) -> Option<GeometricMean> {
    let [first, _, ..] = common else { return None };
    let has_all = |contender: &ContenderName| {
        common.iter().all(|workload| {
            let row = workload.rows.iter().find(|row| row.contender == *contender);
            row.is_some_and(Row::is_comparable)
        })
    };
    let contenders: Vec<&ContenderName> =
        first.rows.iter().map(|row| &row.contender).filter(|contender| has_all(contender)).collect();
    let launches: Vec<u32> = launches_of(common, cells);
    let logs: Vec<LogsByWorkload> = contenders
        .iter()
        .map(|contender| {
            common.iter().map(|workload| scores(workload, contender, &launches, cells)).collect()
        })
        .collect();
    let allowances: Vec<f64> =
        contenders.iter().map(|contender| allowance(common, contender, cells)).collect();
    let means = geometric_means(&logs, &allowances, confidence).means;
    let mut means: Vec<ContenderMean> = contenders
        .into_iter()
        .zip(means)
        .filter_map(|(contender, mean)| {
            let mean = mean.filter(|mean| mean.interval.is_some())?;
            Some(ContenderMean { contender: contender.clone(), mean: mean.into() })
        })
        .collect();
    means.sort_by(|a, b| b.mean.value.total_cmp(&a.mean.value));
    (!means.is_empty()).then(|| GeometricMean {
        workloads: common.iter().map(|workload| workload.name.to_owned()).collect(),
        means,
    })
}

/// The launches in which the first workload's baseline was measured: no other has a score in all workloads.
fn launches_of(common: &[Scored<'_>], cells: &Cells<'_>) -> Vec<u32> {
    let baseline = common.first().and_then(|workload| cells.get(workload.name, workload.baseline));
    baseline.map_or_else(Vec::new, |cell| cell.logs(Figure::Goodput).logs().keys().copied().collect())
}

/// By how much what others took may have moved the mean: in all workloads the same way, so that it does not average out.
fn allowance(common: &[Scored<'_>], contender: &ContenderName, cells: &Cells<'_>) -> f64 {
    let of = |workload: &Scored<'_>| {
        let own = cells.get(workload.name, contender).zip(cells.get(workload.name, workload.baseline));
        own.map_or(0.0, |(own, baseline)| own.over(baseline, Figure::Goodput).allowance())
    };
    common.iter().map(of).sum::<f64>() / common.len().max(1) as f64
}

/// The log score in each of the launches.
fn scores(
    workload: &Scored<'_>,
    contender: &ContenderName,
    launches: &[u32],
    cells: &Cells<'_>,
) -> Vec<Option<f64>> {
    let own = cells.get(workload.name, contender);
    let baseline = cells.get(workload.name, workload.baseline);
    let of_launches = own.zip(baseline).map(|(own, baseline)| own.over(baseline, Figure::Goodput));
    launches.iter().map(|launch| of_launches.as_ref()?.logs().get(launch).copied()).collect()
}
