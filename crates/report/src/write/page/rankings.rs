//! The figures that a workload's contenders can be compared by.

use std::collections::BTreeSet;

use velo_judge::{
    Estimate, FigureRatios, JudgedWorkload, Judgement, PairRatio, Series, SeriesPoint, WorkloadDetail,
};
use velo_model::{LoadCondition, Unit};

use crate::document::{Axis, RankedPoint, Ranking};
use crate::number::{change, plus_minus};
use crate::section::series::{label, value, without};
use crate::section::{rank_range, with_interval};
use crate::text::clean;
use crate::words::figures;
use crate::write::svg;

/// One for each series, in its order.
pub(super) fn rankings(
    judgement: &Judgement,
    workload: &JudgedWorkload,
    detail: &WorkloadDetail,
) -> Vec<Ranking> {
    let mut taken = BTreeSet::new();
    let ranking = |series: &Series| {
        let mut id = id(series);
        while !taken.insert(id.clone()) {
            id.push_str("-more");
        }
        let (label, about) = label(series, workload);
        let write = |number: f64| written(series.unit, number);
        let values: Vec<f64> = series.points.iter().flat_map(ends).collect();
        // A tax of 11 % is a short way from none, not a long one from -100 %.
        let is_ratio = series.unit == Unit::Ratio;
        let axis = if is_ratio { Axis::around_one } else { Axis::from_zero };
        Ranking {
            id,
            label,
            about: about.to_owned(),
            better: series.better,
            is_ratio,
            axis: axis("", "value", &values, &write),
            log_axis: Axis::logarithmic("", "value", &values, &write),
            points: series.points.iter().map(|one| point(series, one, workload)).collect(),
            without: without(series, workload),
            ratios: ratios(series, detail),
            svg: svg::of_series(judgement, workload, series),
        }
    };
    workload.series.iter().map(ranking).collect()
}

fn id(series: &Series) -> String {
    let name = figures::of(series.of).id;
    match series.under {
        LoadCondition::Burst { requests, connections, first_alone } => {
            let ab = if first_alone { "-ab" } else { "" };
            format!("{name}-{requests}-{connections}{ab}")
        }
        LoadCondition::OpenLoop { rate_per_s } if series.of.kind().row().has_several_loads => {
            format!("{name}-{rate_per_s:.0}")
        }
        _ => name.to_owned(),
    }
}

/// What the axis shows of a point; a lower bound has no interval.
fn ends(point: &SeriesPoint) -> impl Iterator<Item = f64> {
    let Estimate { value, low, high, .. } = point.estimate;
    let ends = [low, high].into_iter().flatten().filter(|_| !point.at_least);
    [value].into_iter().chain(ends).collect::<Vec<_>>().into_iter()
}

fn written(unit: Unit, number: f64) -> String {
    if unit == Unit::Ratio { change(number) } else { value(unit, number) }
}

fn point(series: &Series, point: &SeriesPoint, workload: &JudgedWorkload) -> RankedPoint {
    let estimate = &point.estimate;
    let write = |number: f64| written(series.unit, number);
    let is_drawn = |end: &f64| end.is_finite() && !point.at_least;
    let over = point.over.as_ref().map(|over| format!("over {over}"));
    let grpc = workload.is_grpc(&point.contender).then(|| "gRPC".to_owned());
    let interval = plus_minus(estimate, write).filter(|_| series.unit != Unit::Ratio);
    RankedPoint {
        contender: point.contender.clone(),
        beside: grpc.into_iter().chain(over).collect::<Vec<_>>().join(", "),
        rank: point.best.zip(point.worst).map(|(best, worst)| rank_range(best, worst)),
        ranks: point.best.zip(point.worst),
        value: estimate.value,
        low: estimate.low.filter(is_drawn),
        high: estimate.high.filter(is_drawn),
        at_least: point.at_least,
        text: with_interval(write(estimate.value), point.at_least, interval),
        spoken: spoken(estimate, point.at_least, write),
        reason: point.reason.as_ref().map(|reason| clean(&reason.to_string())),
    }
}

/// A figure with its interval in words, for those who do not see it drawn.
fn spoken(estimate: &Estimate, at_least: bool, write: impl Fn(f64) -> String) -> String {
    let value = write(estimate.value);
    match (estimate.range(), estimate.interval()) {
        _ if at_least => format!("at least {value}"),
        (Some((least, most)), _) => {
            format!("{value}, of two launches with {} and {}", write(least), write(most))
        }
        (None, Some((low, high))) => format!("{value}, from {} to {}", write(low), write(high)),
        (None, None) => value,
    }
}

/// The paired ratios of a series, by the places of its points.
fn ratios(series: &Series, detail: &WorkloadDetail) -> Vec<PairRatio> {
    let place = |contender: u32| {
        let name = &detail.contenders.get(usize::try_from(contender).ok()?)?.contender;
        let place = series.points.iter().position(|point| point.contender == *name)?;
        u32::try_from(place).ok()
    };
    let is_own = |ratios: &&FigureRatios| (ratios.of, ratios.under) == (series.of, series.under);
    let of_figure = detail.ratios.iter().filter(is_own);
    let pairs = of_figure.flat_map(|ratios| &ratios.pairs);
    pairs
        .filter_map(|(over, under, value, low, high)| {
            Some((place(*over)?, place(*under)?, *value, *low, *high))
        })
        .collect()
}
