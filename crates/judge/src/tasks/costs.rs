//! What a file costs a client by parts: a line through the sizes of a workload's files.

use schemars::JsonSchema;
use serde::Serialize;
use velo_model::{ContenderName, Workload};
use velo_stats::CONFIDENCE;

use super::judge::Tasks;
use crate::measure::estimate::Estimate;
use crate::measure::figures::Launches;
use crate::measure::launch_logs::estimate;

/// The parts of what a client takes; their `launches` are processes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
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
pub(crate) fn costs(
    workload: &Workload,
    workloads: &[Workload],
    tasks: &[(&str, Option<Tasks>)],
) -> Vec<DownloadCost> {
    if workload.name != workload.listed_as() {
        return Vec::new();
    }
    let mut sizes: Vec<(f64, &Tasks)> = workloads
        .iter()
        .filter(|load| load.listed_as() == workload.name)
        .filter_map(|load| {
            let tasks = tasks.iter().find(|(name, _)| *name == load.name)?.1.as_ref()?;
            // What many files cost together is no point of the line.
            Some((load.download().filter(|download| download.files == 1)?.bytes as f64, tasks))
        })
        .collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    sizes.dedup_by(|a, b| a.0 == b.0);
    let [(_, smallest), _, ..] = sizes.as_slice() else { return Vec::new() };
    smallest.rows().filter_map(|row| cost(&row.contender, &sizes)).collect()
}

fn cost(contender: &ContenderName, sizes: &[(f64, &Tasks)]) -> Option<DownloadCost> {
    let steady: Vec<(f64, Launches)> = sizes
        .iter()
        .map(|(bytes, tasks)| Some((*bytes, tasks.steady_of(contender)?)))
        .collect::<Option<_>>()?;
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
    let (alone, cold) = sizes[0].1.start_of(contender)?;
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
