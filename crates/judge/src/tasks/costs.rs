//! What a file costs a client by parts: a line through the sizes of a workload's files.

use serde::Serialize;
use velo_model::{ContenderName, Figure, Workload};
use velo_stats::CONFIDENCE;

use crate::doubt::reason::Reason;
use crate::measure::estimate::Estimate;
use crate::measure::figures::Launches;
use crate::measure::launch_logs::estimate;
use crate::table::Table;
use crate::table::measurement::Measurement;

/// The parts of what a client takes; their `launches` are processes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DownloadCost {
    /// The client.
    pub contender: ContenderName,
    /// What a process takes beside its first file, which is the smallest here: its start and its end.
    pub start_ns: Option<Estimate>,
    /// What a file takes of no bytes, once the process is warm.
    pub request_ns: Option<Estimate>,
    /// What a million bytes more take, once the process is warm.
    pub megabyte_ns: Option<Estimate>,
}

/// The parts for each client that was measured with two sizes or more, of which this workload has the first; none elsewhere.
pub(crate) fn costs(workload: &Workload, workloads: &[Workload], table: &Table) -> Vec<DownloadCost> {
    if workload.name != workload.listed_as() {
        return Vec::new();
    }
    let mut sizes: Vec<(u64, &str)> = workloads
        .iter()
        .filter(|load| load.listed_as() == workload.name)
        // What many files cost together is no point of the line.
        .filter_map(|load| {
            Some((load.download.as_ref().filter(|of| of.files == 1)?.bytes, load.name.as_str()))
        })
        .filter(|(_, load)| steady(table, load).next().is_some())
        .collect();
    sizes.sort_by_key(|(bytes, _)| *bytes);
    sizes.dedup_by_key(|(bytes, _)| *bytes);
    let [(_, smallest), _, ..] = sizes.as_slice() else { return Vec::new() };
    steady(table, smallest).filter_map(|client| cost(&client.contender, &sizes, table)).collect()
}

fn steady<'t>(table: &'t Table, load: &str) -> impl Iterator<Item = &'t Measurement> {
    table.of_workload(load).iter().filter(|one| one.of == Figure::IterationSteady)
}

/// The figures of a client process by process, unless something is wrong with them; the reference is no choice, but has its own.
fn figures(table: &Table, load: &str, contender: &ContenderName, figure: Figure) -> Option<Launches> {
    let measured = table.of(load, contender, figure, |_| true)?;
    let stands = measured.fault.as_ref().is_none_or(Reason::is_of_reference);
    stands.then(|| measured.logs.figures())
}

fn cost(contender: &ContenderName, sizes: &[(u64, &str)], table: &Table) -> Option<DownloadCost> {
    let of_size = |(bytes, load): &(u64, &str)| {
        Some((*bytes as f64, figures(table, load, contender, Figure::IterationSteady)?))
    };
    let steady: Vec<(f64, Launches)> = sizes.iter().map(of_size).collect::<Option<_>>()?;
    let lines: Vec<(u32, Line)> = steady[0]
        .1
        .keys()
        .filter_map(|process| {
            let points: Option<Vec<(f64, f64)>> =
                steady.iter().map(|(bytes, of)| Some((*bytes, *of.get(process)?))).collect();
            Some((*process, Line::through(&points?)?))
        })
        .collect();
    let of = |part: fn(&Line) -> f64| -> Option<Estimate> {
        estimate(&lines.iter().map(|(process, line)| (*process, part(line))).collect(), CONFIDENCE)
    };
    let of_smallest = |figure| figures(table, sizes[0].1, contender, figure);
    let (alone, cold) = (of_smallest(Figure::Process)?, of_smallest(Figure::IterationCold)?);
    let around = alone.iter().filter_map(|(process, ns)| Some((*process, ns - cold.get(process)?)));
    Some(DownloadCost {
        contender: contender.clone(),
        start_ns: estimate(&around.collect(), CONFIDENCE),
        request_ns: of(|line| line.at_zero),
        megabyte_ns: of(|line| line.slope * 1e6),
    })
}

/// A straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    at_zero: f64,
    slope: f64,
}

impl Line {
    /// By least squares, where each point may be off by the same part of itself: the weight of a point is 1 over its square.
    /// `None`: fewer than two points, or one that is not above zero.
    fn through(points: &[(f64, f64)]) -> Option<Self> {
        let is_usable = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite() && *y > 0.0;
        if points.len() < 2 || !points.iter().all(is_usable) {
            return None;
        }
        let weight = |y: f64| 1.0 / (y * y);
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            points.iter().map(|(x, y)| weight(*y) * of(*x, *y)).sum()
        };
        let all = sum(&|_, _| 1.0);
        let (mean_x, mean_y) = (sum(&|x, _| x) / all, sum(&|_, y| y) / all);
        let spread = sum(&|x, _| (x - mean_x) * (x - mean_x));
        let slope = sum(&|x, y| (x - mean_x) * (y - mean_y)) / spread;
        slope.is_finite().then_some(Self { at_zero: mean_y - slope * mean_x, slope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_points_that_are_on_one() {
        let line = Line::through(&[(1.0, 5.0), (10.0, 23.0), (100.0, 203.0)]).unwrap();
        assert!((line.at_zero - 3.0).abs() < 1e-9 && (line.slope - 2.0).abs() < 1e-9);
        assert_eq!(Line::through(&[(1.0, 5.0)]), None);
        assert_eq!(Line::through(&[(1.0, 5.0), (1.0, 6.0)]), None);
        assert_eq!(Line::through(&[(1.0, 5.0), (2.0, 0.0)]), None);
    }

    #[test]
    fn a_large_point_that_is_off_by_a_tenth_leaves_the_small_ones_their_place() {
        let line = Line::through(&[(0.0, 1.0), (10.0, 11.0), (1_000.0, 1_101.0)]).unwrap();
        assert!((line.at_zero - 1.0).abs() < 0.1, "{line:?}");
        assert!((1.0..1.12).contains(&line.slope), "{line:?}");
    }
}
