//! Numbers and settings inside sentences.

use velo_record::{LoadProtocol, LoadSchedule};
use velo_stats::number::digits;
pub(crate) use velo_stats::number::{thousands, time_in_digits as time_ns};

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
}
