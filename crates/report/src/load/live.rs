use super::figures::{time, whole_rate};
use crate::number::{count, lasted_ns, percent};
use crate::text::columns;

const WIDTH: usize = 79;

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
}

/// The load under way in one line of at most 79 columns, without a line break: ` 0:07    5,002/s  64 open  CPU 6.0 % | all:
/// errors 0  p50  210 us  p99 1.41 ms`. What is before the bar is of now, what is behind it of all that is counted until now. Where
/// that does not fit, CPU and connections are left out, then what is at the end.
pub fn live_line(figures: &LiveFigures) -> String {
    let open = format!("{} open", count(u64::from(figures.connections)));
    let cpu = figures.own_cpu_share.map(|share| format!("CPU {}", percent(share)));
    let now: Vec<String> = std::iter::once(open).chain(cpu).collect();
    let total = [
        format!("errors {}", count(figures.errors)),
        // As wide as the widest time, so that the line does not jump.
        format!("p50 {:>7}", time(figures.p50_ns)),
        format!("p99 {:>7}", time(figures.p99_ns)),
    ];
    let line = |of_now: usize, of_total: usize| {
        let mut line = format!("{:>5}  {:>9}", elapsed(figures.elapsed_ns), whole_rate(figures.rate_per_s));
        for part in &now[..of_now] {
            line.push_str("  ");
            line.push_str(part);
        }
        line.push_str(if figures.is_warm_up { " | warm-up: " } else { " | all: " });
        line.push_str(&total[..of_total].join("  "));
        line
    };
    let shorter = (0..now.len()).rev().map(|of_now| (of_now, total.len()));
    let shortest = (0..total.len()).rev().map(|of_total| (0, of_total));
    let mut candidates = std::iter::once((now.len(), total.len())).chain(shorter).chain(shortest);
    let fitting = candidates.find_map(|(of_now, of_total)| {
        let line = line(of_now, of_total);
        (columns(&line) <= WIDTH).then_some(line)
    });
    // Without any part there is room for whatever a figure is.
    fitting.unwrap_or_else(|| line(0, 0))
}

/// `0:07`, `12:40`, `1:02:40`.
fn elapsed(ns: u64) -> String {
    let rounded = lasted_ns(ns);
    match rounded.strip_suffix(" s") {
        Some(seconds) => format!("0:{seconds:0>2}"),
        None => rounded,
    }
}
