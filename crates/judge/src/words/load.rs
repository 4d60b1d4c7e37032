//! Numbers and settings inside sentences.

use velo_record::{LoadProtocol, LoadSchedule, Outcomes};
use velo_stats::number::digits;
pub(crate) use velo_stats::number::{thousands, time_in_digits as time_ns};

use super::failure_classes;

/// A load model in words: `closed loop`, `open loop 5,000/s, Poisson`. The shape is text from outside.
pub fn schedule_words(schedule: &LoadSchedule) -> String {
    match schedule {
        LoadSchedule::Closed { think_ns: 0 } => "closed loop".to_owned(),
        LoadSchedule::Closed { think_ns } => {
            format!("closed loop, {} of think time", time_ns(*think_ns as f64, 3))
        }
        LoadSchedule::Open { shape, spacing, .. } => match spacing.as_str() {
            "even" => format!("open loop {shape}, evenly spaced"),
            "poisson" => format!("open loop {shape}, Poisson"),
            // A burst or a file says all in its shape.
            _ => format!("open loop {shape}"),
        },
    }
}

/// A protocol as people write it.
pub(crate) fn protocol_words(protocol: LoadProtocol) -> &'static str {
    match protocol {
        LoadProtocol::Http1 => "HTTP/1.1",
        LoadProtocol::Http2 => "HTTP/2",
        LoadProtocol::Grpc => "gRPC",
    }
}

/// Failures by class, without the dropped ones: `3 without an answer in time, 1 truncated`.
pub(crate) fn failures(outcomes: &Outcomes) -> String {
    let wrong = (outcomes.wrong_answer, "wrong");
    let seen = [wrong].into_iter().chain(failure_classes(outcomes)).filter(|(n, _)| *n > 0);
    seen.map(|(n, class)| format!("{} {class}", thousands(n))).collect::<Vec<_>>().join(", ")
}

/// The samples that a percentile needs so that 10 lie beyond it.
pub(crate) fn samples_needed(q: f64) -> u64 {
    if q > 0.5 { (10.0 / (1.0 - q)).round() as u64 } else { 1 }
}

/// The quantile of a percentile's name: 0.999 of `p99.9`.
pub(crate) fn quantile(name: &str) -> f64 {
    let percent: Option<f64> = name.strip_prefix('p').and_then(|percent| percent.parse().ok());
    // OK because all names are of the one list of percentiles.
    percent.expect("the name of a percentile") / 100.0
}

/// A share as a percentage: `99.4 %`.
pub(crate) fn share(share: f64, precision: usize) -> String {
    format!("{} %", digits(share * 100.0, precision))
}

/// A value in so few digits as set it apart from the bound that it is held against: `20.004 ms` beside `20 ms`.
pub(crate) fn apart(format: fn(f64, usize) -> String, value: f64, bound: f64) -> String {
    let mut precision = 3;
    while value != bound && precision < 15 && format(value, precision) == format(bound, precision) {
        precision += 1;
    }
    format(value, precision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::rate;

    #[test]
    fn a_value_beside_its_bound_is_told_from_it() {
        assert_eq!(apart(time_ns, 1_410_000.0, 20_000_000.0), "1.41 ms");
        assert_eq!(apart(time_ns, 20_004_000.0, 20_000_000.0), "20.004 ms");
        assert_eq!(apart(time_ns, 20_000_000.0, 20_000_000.0), "20.0 ms");
        assert_eq!(apart(rate, f64::MAX, f64::MIN_POSITIVE), rate(f64::MAX, 3));
    }

    #[test]
    fn names_of_percentiles_say_their_quantile() {
        let mut histogram = velo_stats::Histogram::new();
        histogram.record(1);
        let listed = crate::Percentiles::of(&histogram).expect("a sample").listed();
        for (name, q, _) in listed {
            assert!((quantile(name) - q).abs() < 1e-12, "{name}");
            assert_eq!(samples_needed(quantile(name)), samples_needed(q), "{name}");
        }
    }

    #[test]
    fn samples_needed_leave_ten_beyond() {
        let needed = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999].map(samples_needed);
        assert_eq!(needed, [1, 40, 100, 200, 1_000, 10_000, 100_000]);
        for (q, n) in [(0.75, 40), (0.9, 100), (0.95, 200), (0.99, 1_000), (0.999, 10_000)] {
            let mut histogram = velo_stats::Histogram::new();
            (1..n).for_each(|ns| histogram.record(ns));
            assert_eq!(histogram.quantile_ns(q), None, "{q}");
            histogram.record(n);
            assert!(histogram.quantile_ns(q).is_some(), "{q}");
        }
    }
}
