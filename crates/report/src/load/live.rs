use super::figures::{time, whole_rate};
use crate::number::{count, lasted_ns, percent};
use crate::text::columns;

const WIDTH: usize = 79;

/// A load under way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveFigures {
    /// Since the load began.
    pub elapsed_ns: u64,
    /// Correct answers per second in the last interval.
    pub rate_per_s: f64,
    /// The median so far, of the headline.
    pub p50_ns: Option<u64>,
    /// The 99th percentile so far, of the headline.
    pub p99_ns: Option<u64>,
    /// Failures so far, of any class.
    pub errors: u64,
    /// Connections open.
    pub connections: u32,
    /// The share of its threads' time that the generator used in the last interval.
    pub own_cpu_share: Option<f64>,
}

/// The load under way in one line of at most 79 columns, without a line break: ` 0:07  5,002/s  p50 210 us  p99 1.41 ms
/// errors 0  64 open  own CPU 6 %`. What does not fit is left out from the end.
pub fn live_line(figures: &LiveFigures) -> String {
    let mut line = format!("{:>5}  {:>9}", elapsed(figures.elapsed_ns), whole_rate(figures.rate_per_s));
    let parts = [
        // As wide as the widest time, so that the line does not jump.
        Some(format!("p50 {:>7}", time(figures.p50_ns))),
        Some(format!("p99 {:>7}", time(figures.p99_ns))),
        Some(format!("errors {}", count(figures.errors))),
        Some(format!("{} open", count(u64::from(figures.connections)))),
        figures.own_cpu_share.map(|share| format!("own CPU {}", percent(share))),
    ];
    for part in parts.into_iter().flatten() {
        if columns(&line) + 2 + columns(&part) > WIDTH {
            break;
        }
        line.push_str("  ");
        line.push_str(&part);
    }
    line
}

/// `0:07`, `12:40`, `1:02:40`.
fn elapsed(ns: u64) -> String {
    let rounded = lasted_ns(ns);
    match rounded.strip_suffix(" s") {
        Some(seconds) => format!("0:{seconds:0>2}"),
        None => rounded,
    }
}
