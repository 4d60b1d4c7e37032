//! What stands behind a contender's figures, drawn: its windows one by one, and its times as they lie.

use velo_judge::{ContenderDetail, Distribution, DistributionOf};
use velo_model::ContenderName;
use velo_record::{RatePurpose, WindowKind};

use super::phrases::plural;
use crate::document::{Axis, Block, Chart, Line, Mark, Point, Sign, Tick};
use crate::number::{count, percent, rate, tidy, tidy_time_ns, time_ns};

/// Of a chart that stands beside another.
const SMALL: u32 = 236;
/// Points that are said one by one when pointed at; of more it would be most of the page.
const MOST_TEXTS: usize = 4_000;

/// The charts of a contender's card.
pub(crate) fn of_contender(detail: &ContenderDetail) -> Vec<Block> {
    let mut blocks = windows(detail);
    for distribution in &detail.distributions {
        blocks.push(Block::text(format!(
            "{}: {}, at most {}",
            name(distribution),
            plural(distribution.samples, "sample", "samples"),
            time_ns(distribution.max_ns as f64)
        )));
        let id = format!("{}-{}", anchor(&detail.contender), id(distribution));
        let line = (detail.contender.as_str(), Some(&detail.contender), distribution);
        blocks.push(Block::Chart(percentiles(
            &format!("{id}-percentiles"),
            &name(distribution),
            SMALL,
            &[line],
        )));
        blocks.push(Block::Chart(histogram(&format!("{id}-histogram"), distribution, &detail.contender)));
    }
    blocks
}

/// A contender's name in the names of files.
pub(crate) fn anchor(contender: &ContenderName) -> String {
    contender.as_str().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")
}

fn name(distribution: &Distribution) -> String {
    match distribution.of {
        DistributionOf::ClosedLoop => "Service time, closed loop".to_owned(),
        DistributionOf::OpenLoop { purpose, rate_per_s } => {
            let share = match purpose {
                RatePurpose::Share { percent } => format!(", {percent} % of the highest rate met"),
                _ => String::new(),
            };
            format!("Response time at {}/s{share}", rate(rate_per_s))
        }
    }
}

fn id(distribution: &Distribution) -> String {
    match distribution.of {
        DistributionOf::ClosedLoop => "service".to_owned(),
        DistributionOf::OpenLoop { rate_per_s, .. } => format!("response-{rate_per_s:.0}"),
    }
}

/// Windows in the order measured, by launch: a dot each, and the launch's median as a line.
fn windows(detail: &ContenderDetail) -> Vec<Block> {
    let columns = &detail.windows;
    let blocks = || {
        let kinds = columns.kind.iter().enumerate();
        kinds.filter(|(_, kind)| **kind == WindowKind::Block).filter_map(|(index, _)| {
            Some((
                columns.launch[index],
                columns.block[index],
                columns.dropped[index],
                columns.goodput_per_s[index]?,
            ))
        })
    };
    let Some(widest) = blocks().map(|(_, block, ..)| block).max() else { return Vec::new() };
    let width = f64::from(widest) + 1.0;
    let place = |launch: u32, block: u32| f64::from(launch.saturating_sub(1)) * width + f64::from(block);
    let dots = blocks().map(|(launch, block, is_dropped, goodput)| {
        let sign = if is_dropped { Sign::Hollow } else { Sign::Full };
        let words = format!("launch {launch}, block {block}: {}/s", rate(goodput));
        Point::at(place(launch, block), goodput).signed(sign).says(words)
    });
    let medians = detail.launch_goodputs_per_s.iter().map(|(launch, median)| {
        let words = format!("launch {launch}: {}/s", rate(*median));
        Point::at(place(*launch, 0) + 0.5, *median).to(place(*launch, widest) + 0.5).says(words)
    });
    let launches = blocks().map(|(launch, ..)| launch).max().unwrap_or(1);
    let ticks =
        (1..=launches).map(|launch| Tick { at: place(launch, 0) + width / 2.0, text: launch.to_string() });
    let goodputs: Vec<f64> = blocks().map(|(.., goodput)| goodput).collect();
    let line = |mark: Mark, points: Vec<Point>| Line {
        name: detail.contender.to_string(),
        of: Some(detail.contender.clone()),
        mark,
        points,
    };
    let dropped = blocks().filter(|(.., is_dropped, _)| *is_dropped).count();
    let hollow = match dropped {
        0 => String::new(),
        _ => format!(" Hollow ones were disturbed and are dropped: {}.", count(dropped as u64)),
    };
    let words = format!(
        "Windows in the order measured, by launch: a dot is one window, the line a launch's median, of which the figure is the mean.{hollow}"
    );
    let chart = Chart {
        id: format!("{}-windows", anchor(&detail.contender)),
        label: format!(
            "Goodput of {} in {}",
            plural(goodputs.len() as u64, "window", "windows"),
            plural(launches.into(), "launch", "launches")
        ),
        height: SMALL,
        x: Axis::marked("launch", "place", (0.0, place(launches, 0) + width), thinned(ticks.collect(), 20)),
        y: Axis::from_zero("correct responses per second", "goodput_per_s", &goodputs, &|value| {
            tidy(&rate(value))
        }),
        lines: vec![line(Mark::Spans, medians.collect()), line(Mark::Dots, dots.collect())],
    };
    let left_out = (detail.windows_left_out > 0).then(|| {
        Block::text(format!("{} later windows are not drawn.", count(detail.windows_left_out.into())))
    });
    [Block::text(words), Block::Chart(chart)].into_iter().chain(left_out).collect()
}

/// At most so many of them, the first among them.
pub(crate) fn thinned(ticks: Vec<Tick>, most: usize) -> Vec<Tick> {
    let step = ticks.len().div_ceil(most).max(1);
    ticks.into_iter().step_by(step).collect()
}

/// The name of a line of percentiles, the contender that it is of, and quantiles in [0, 1) with their times.
pub(crate) type Quantiles<'q> = (&'q str, Option<&'q ContenderName>, &'q [(f64, u64)]);

/// The percentiles of distributions.
pub(crate) fn percentiles(
    id: &str,
    label: &str,
    height: u32,
    all: &[(&str, Option<&ContenderName>, &Distribution)],
) -> Chart {
    let all: Vec<Quantiles<'_>> =
        all.iter().map(|(name, of, times)| (*name, *of, times.quantiles.as_slice())).collect();
    percentiles_of(id, label, height, &all)
}

/// Percentiles on an axis on which each added nine takes equal width.
pub(crate) fn percentiles_of(id: &str, label: &str, height: u32, all: &[Quantiles<'_>]) -> Chart {
    let beyond = |quantile: f64| 1.0 / (1.0 - quantile);
    let points = || all.iter().flat_map(|(.., quantiles)| *quantiles);
    let is_said = points().count() <= MOST_TEXTS;
    let most = points().map(|(quantile, _)| beyond(*quantile)).fold(2.0, f64::max);
    let nines = [1.0, 2.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];
    let ticks = nines.into_iter().filter(|tick| *tick <= most * 1.01);
    let x = Axis {
        is_log: true,
        ..Axis::marked(
            "percentile",
            "beyond",
            (1.0, most),
            ticks.map(|at| Tick { at, text: percentile(at) }).collect(),
        )
    };
    let times: Vec<f64> = points().map(|(_, ns)| (*ns).max(1) as f64).collect();
    let y = Axis::over("", "time_ns", &times, &|ns| tidy_time_ns(ns as u64));
    let line = |(name, of, quantiles): &Quantiles<'_>| {
        let point = |(quantile, ns): &(f64, u64)| {
            let (x, ns) = (beyond(*quantile), (*ns).max(1) as f64);
            let point = Point::at(x, ns);
            if is_said { point.says(format!("{}: {}", percentile(x), time_ns(ns))) } else { point }
        };
        Line {
            name: (*name).to_owned(),
            of: of.cloned(),
            mark: Mark::Line,
            points: quantiles.iter().map(point).collect(),
        }
    };
    Chart { id: id.to_owned(), label: label.to_owned(), height, x, y, lines: all.iter().map(line).collect() }
}

/// `p50`, `p99.9`: as many digits as the nines that it has.
fn percentile(beyond: f64) -> String {
    if beyond <= 1.0 {
        return "min".to_owned();
    }
    let digits = ((beyond.log10() + 1e-9).floor() - 1.0).max(0.0) as usize;
    let text = format!("{:.digits$}", 100.0 * (1.0 - 1.0 / beyond));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("p{text}")
}

/// Bins of a histogram for a factor of ten, as the judge makes them.
const BINS_A_DECADE: f64 = 20.0;

fn histogram(id: &str, distribution: &Distribution, contender: &ContenderName) -> Chart {
    let wide = 10_f64.powf(1.0 / BINS_A_DECADE);
    let samples: Vec<f64> = distribution.bins.iter().map(|(_, samples)| *samples as f64).collect();
    let ends: Vec<f64> = distribution.bins.iter().flat_map(|(from, _)| [*from, from * wide]).collect();
    let x = Axis::over("", "from_ns", &ends, &|ns| tidy_time_ns(ns as u64));
    let points = distribution.bins.iter().map(|(from, samples)| {
        let share = *samples as f64 / distribution.samples.max(1) as f64;
        let words = format!("{} to {}: {}", time_ns(*from), time_ns(from * wide), percent(share));
        Point::at(*from, *samples as f64).to(from * wide).says(words)
    });
    Chart {
        id: id.to_owned(),
        label: format!("{}: histogram", name(distribution)),
        height: SMALL,
        x,
        y: Axis::from_zero("samples", "samples", &samples, &|value| tidy(&rate(value))),
        lines: vec![Line {
            name: contender.to_string(),
            of: Some(contender.clone()),
            mark: Mark::Columns,
            points: points.collect(),
        }],
    }
}

/// How far an axis of ratios may reach from 1 to both sides.
const REACHES: [f64; 12] = [1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0];
/// The height of a ratio in a chart.
const ROW: u32 = 28;

/// Ratios with their intervals below one another, around a line at 1, so that twice and half are as far from it. Each has a name, a
/// value, its interval, and whether it was told apart from 1; what is no ratio is left out.
pub(crate) fn ratios(
    id: &str,
    label: &str,
    bars: impl Iterator<Item = (String, f64, Option<(f64, f64)>, bool)>,
    write: fn(f64) -> String,
) -> Chart {
    let is_drawable = |value: f64| value.is_finite() && value > 0.0;
    let bars: Vec<_> = bars.filter(|(_, value, ..)| is_drawable(*value)).collect();
    let ends = bars.iter().flat_map(|(_, value, interval, _)| {
        let (low, high) = interval.unwrap_or((*value, *value));
        [low, high, *value]
    });
    let far = ends.filter(|end| is_drawable(*end)).map(|end| end.max(1.0 / end)).fold(1.0, f64::max);
    let reach = REACHES.into_iter().find(|reach| far <= *reach).unwrap_or(REACHES[REACHES.len() - 1]);
    let tick = |at: f64| Tick { at, text: write(at) };
    let x = Axis {
        is_log: true,
        ..Axis::marked("", "ratio", (1.0 / reach, reach), vec![tick(1.0 / reach), tick(1.0), tick(reach)])
    };
    let place = |row: usize| row as f64 + 0.5;
    let names = bars.iter().enumerate().map(|(row, (name, ..))| Tick { at: place(row), text: name.clone() });
    let intervals = bars.iter().enumerate().filter_map(|(row, (_, _, interval, _))| {
        let (low, high) = interval.filter(|(low, high)| low <= high && *low > 0.0)?;
        Some(Point::at(low, place(row)).to(high))
    });
    let dots = bars.iter().enumerate().map(|(row, (name, value, _, is_settled))| {
        // Colour must not be the only sign.
        let sign = if *is_settled { Sign::Full } else { Sign::Hollow };
        Point::at(*value, place(row)).signed(sign).says(format!("{name}: {}", write(*value)))
    });
    let line = |mark: Mark, points: Vec<Point>| Line { name: String::new(), of: None, mark, points };
    Chart {
        id: id.to_owned(),
        label: label.to_owned(),
        height: u32::try_from(bars.len()).unwrap_or(1).saturating_mul(ROW).min(8_000) + 40,
        x,
        y: Axis::marked("", "row", (bars.len() as f64, 0.0), names.collect()),
        lines: vec![line(Mark::Spans, intervals.collect()), line(Mark::Dots, dots.collect())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Chart {
        let bars = values.iter().map(|value| ("a/b".to_owned(), *value, None, true));
        ratios("id", "label", bars, |value| value.to_string())
    }

    #[test]
    fn twice_and_half_are_as_far_from_one() {
        let chart = of(&[2.0, 0.5]);
        assert_eq!((chart.x.from, chart.x.to, chart.x.is_log), (0.5, 2.0, true));
        assert_eq!((chart.x.at(2.0), chart.x.at(0.5), chart.x.at(1.0)), (1.0, 0.0, 0.5));
    }

    #[test]
    fn what_is_no_ratio_is_left_out_and_what_is_beyond_stays_at_the_end() {
        let chart = of(&[f64::NAN, 0.0, -1.0, f64::INFINITY, 1e9, 1.01]);
        assert_eq!((chart.lines[1].points.len(), chart.x.to), (2, 1000.0));
        assert_eq!(chart.x.at(1e9), 1.0);
    }

    #[test]
    fn percentiles_have_as_many_digits_as_nines() {
        let names = [1.0, 2.0, 10.0, 100.0, 1000.0, 1e4].map(percentile);
        assert_eq!(names, ["min", "p50", "p90", "p99", "p99.9", "p99.99"]);
    }
}
