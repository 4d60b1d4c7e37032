use super::figures::{time, whole_rate};
use crate::number::{count, lasted_ns, percent};
use crate::text::{clean, columns, cut};

/// A load under way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveFigures {
    /// Since the load began.
    pub elapsed_ns: u64,
    /// The counted stretch has not begun.
    pub is_warm_up: bool,
    /// Correct answers per second since the line before.
    pub rate_per_s: f64,
    /// The median of the stretch until now, of the headline.
    pub p50_ns: Option<u64>,
    /// The 99th percentile of the stretch until now, of the headline.
    pub p99_ns: Option<u64>,
    /// Failures of the stretch until now, or of the warm-up, of any class.
    pub errors: u64,
    /// Connections open.
    pub connections: u32,
    /// The share of its threads' time that the generator used since the line before.
    pub own_cpu_share: Option<f64>,
    /// How long the load lasts, warm-up included, where that is known.
    pub whole_ns: Option<u64>,
    /// What failed last, in words, when something has failed since the line before.
    pub failing: Option<String>,
}

/// The load under way in one line of at most so many columns, without a line break: ` 0:07 of 0:10    5,002/s  64 open | all:
/// errors 0  p50  210 us  p99 1.41 ms`. What is before the bar is of now, what is behind it of all that is counted until now. Where
/// that does not fit, CPU and connections are left out, then what is at the end. While something fails, what it is stands in the
/// place of the percentiles.
pub fn live_line(figures: &LiveFigures, width: usize) -> String {
    let open = format!("{} open", count(u64::from(figures.connections)));
    let cpu = figures.own_cpu_share.map(|share| format!("CPU {}", percent(share)));
    let now: Vec<String> = std::iter::once(open).chain(cpu).collect();
    let errors = format!("errors {}", count(figures.errors));
    let total = match &figures.failing {
        Some(what) => {
            let what = clean(what);
            match what.strip_prefix("no connection: ").unwrap_or(&what) {
                "" => vec![errors],
                what => vec![format!("{errors}: {what}")],
            }
        }
        // As wide as the widest time, so that the line does not jump.
        None => vec![
            errors,
            format!("p50 {:>7}", time(figures.p50_ns)),
            format!("p99 {:>7}", time(figures.p99_ns)),
        ],
    };
    let mut at = format!("{:>5}", elapsed(figures.elapsed_ns));
    if let Some(whole_ns) = figures.whole_ns {
        at.push_str(" of ");
        at.push_str(&elapsed(whole_ns));
    }
    let line = |of_now: usize, of_total: usize| {
        let mut line = format!("{at}  {:>9}", whole_rate(figures.rate_per_s));
        for part in &now[..of_now] {
            line.push_str("  ");
            line.push_str(part);
        }
        if of_total > 0 {
            line.push_str(if figures.is_warm_up { " | warm-up: " } else { " | all: " });
            line.push_str(&total[..of_total].join("  "));
        }
        line
    };
    if figures.failing.is_some() {
        return cut(&line(0, total.len()), width);
    }
    let shorter = (0..now.len()).rev().map(|of_now| (of_now, total.len()));
    let shortest = (0..total.len()).rev().map(|of_total| (0, of_total));
    let mut candidates = std::iter::once((now.len(), total.len())).chain(shorter).chain(shortest);
    let fitting = candidates.find_map(|(of_now, of_total)| {
        let line = line(of_now, of_total);
        (columns(&line) <= width).then_some(line)
    });
    // Without any part there is room for whatever a figure is.
    fitting.unwrap_or_else(|| cut(&line(0, 0), width))
}

/// `0:07`, `12:40`, `1:02:40`.
pub(super) fn elapsed(ns: u64) -> String {
    let rounded = lasted_ns(ns);
    match rounded.strip_suffix(" s") {
        Some(seconds) => format!("0:{seconds:0>2}"),
        None => rounded,
    }
}
