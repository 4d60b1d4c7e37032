//! A load part by part, drawn: what was asked for and what came of it, failures, and times.

use velo_judge::load::{Headline, LoadResult};
use velo_record::LoadMoment;

use crate::document::{Axis, Block, Chart, Line, Mark, Point};
use crate::number::{count, figure, tidy, tidy_time_ns};

const HEIGHT: u32 = 280;

/// The charts, each behind a sentence that says what it shows; none where nobody watched.
pub(super) fn charts(result: &LoadResult) -> Vec<Block> {
    let moments = &result.record.moments;
    let Some(until) = moments.last().map(|moment| moment.at_ns as f64 / 1e9) else { return Vec::new() };
    let draw = |id: &str, label: &str, y: Axis, lines: Vec<Line>| {
        Block::Chart(Chart {
            id: id.to_owned(),
            label: label.to_owned(),
            height: HEIGHT,
            x: Axis::until("", "seconds", until, &|seconds| format!("{} s", tidy(&figure(seconds)))),
            y,
            lines,
        })
    };
    let mut blocks = Vec::new();

    let (words, lines) = rates(result);
    let y = Axis::from_zero("", "per_s", &heights(&lines), &|rate| format!("{}/s", tidy(&figure(rate))));
    blocks.extend([Block::text(words), draw("rates", "Requests per second over time", y, lines)]);

    if moments.iter().any(|moment| moment.failed > 0) {
        let lines = steps("failures", moments, |moment| Some(moment.failed as f64));
        let y = Axis::from_zero("", "failed", &heights(&lines), &|failed| count(failed as u64));
        blocks.extend([
            Block::text("Failures in each part of the load."),
            draw("failures", "Failures over time", y, lines),
        ]);
    }

    let times = |name: &str, of: fn(&LoadMoment) -> Option<u64>| {
        steps(name, moments, move |moment| of(moment).map(|ns| ns.max(1) as f64))
    };
    let lines = [times("p99", |moment| moment.p99_ns), times("p50", |moment| moment.p50_ns)].concat();
    if !lines.is_empty() {
        let (time, from) = match result.figures.headline {
            Headline::Response => ("Response", "when a request was due"),
            Headline::Service => ("Service", "when a request was sent"),
        };
        let words = format!(
            "{time} time in each part, from {from}: the median and the 99th percentile, which needs 1,000 answers."
        );
        let y = Axis::over("", "time_ns", &heights(&lines), &|ns| tidy_time_ns(ns as u64));
        let label = format!("{time} time over time");
        blocks.extend([Block::text(words), draw("times", &label, y, lines)]);
    }
    blocks
}

/// In a closed loop a request is asked for when it is sent, and sent when an answer has come: one line says all.
fn rates(result: &LoadResult) -> (&'static str, Vec<Line>) {
    let moments = &result.record.moments;
    let correct = steps("correct answers", moments, |moment| Some(moment.correct_per_s));
    match result.figures.headline {
        Headline::Service => ("Correct answers per second.", correct),
        Headline::Response => {
            let offered = steps("offered", moments, |moment| moment.offered_per_s);
            let sent = steps("sent", moments, |moment| moment.sent_per_s);
            (
                "Requests per second: what the schedule asks for, what was sent, and what was answered correctly.",
                [offered, sent, correct].concat(),
            )
        }
    }
}

fn heights(lines: &[Line]) -> Vec<f64> {
    lines.iter().flat_map(|line| &line.points).map(|point| point.y).collect()
}

/// A value for each part, as steps; a line ends where a part has none.
fn steps(name: &str, moments: &[LoadMoment], value: impl Fn(&LoadMoment) -> Option<f64>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut from, mut is_open) = (0.0, false);
    for moment in moments {
        let to = moment.at_ns as f64 / 1e9;
        let value = value(moment).filter(|value| value.is_finite() && *value >= 0.0);
        match (value, lines.last_mut()) {
            (Some(value), Some(line)) if is_open => {
                // Where it has gone to is where this part begins.
                if let Some(last) = line.points.last_mut() {
                    last.y = value;
                }
                line.points.push(Point::at(to, value));
            }
            (Some(value), _) => lines.push(Line {
                name: name.to_owned(),
                of: None,
                mark: Mark::Steps,
                points: vec![Point::at(from, value), Point::at(to, value)],
            }),
            (None, _) => {}
        }
        (from, is_open) = (to, value.is_some());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_for_its_part_and_a_gap_ends_a_line() {
        let moment = |second: u64, p50_ns| LoadMoment {
            at_ns: second * 1_000_000_000,
            p50_ns,
            ..LoadMoment::default()
        };
        let moments =
            [moment(1, None), moment(2, Some(5)), moment(4, Some(7)), moment(5, None), moment(6, Some(9))];
        let lines = steps("p50", &moments, |moment| moment.p50_ns.map(|ns| ns as f64));
        let points: Vec<Vec<(f64, f64)>> =
            lines.iter().map(|line| line.points.iter().map(|point| (point.x, point.y)).collect()).collect();
        assert_eq!(points, [vec![(1.0, 5.0), (2.0, 7.0), (4.0, 7.0)], vec![(5.0, 9.0), (6.0, 9.0)]]);
        assert!(steps("p50", &moments, |_| Some(f64::NAN)).is_empty());
    }
}
