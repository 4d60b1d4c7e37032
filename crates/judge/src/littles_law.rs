//! Little's law: requests in flight, counted, against service times, summed. Two counters that know nothing of each
//! other must agree, else one of them is wrong.

use schemars::JsonSchema;
use serde::Serialize;
use velo_record::Window;

use crate::figures::median_over;

/// The two may differ by this share of the requests in flight.
pub(crate) const DISAGREEMENT: f64 = 0.05;
/// In a closed loop at least this share of the connections is in flight or in the generator's hands.
pub(crate) const KEPT_BUSY: f64 = 0.98;

/// What Little's law says of a row's counted windows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct LittlesLaw {
    /// The disagreement over all windows together, as a share of the requests in flight.
    pub together: Option<f64>,
    /// The disagreement of the worst window.
    pub worst: Option<f64>,
    /// The share of the connections that was in flight or in the generator's hands, median over windows.
    pub kept_busy: Option<f64>,
}

pub(crate) fn check(blocks: &[&Window]) -> LittlesLaw {
    let sum = |part: fn(&Window) -> u64| blocks.iter().map(|window| part(window) as f64).sum();
    LittlesLaw {
        together: disagreement(
            sum(|window| window.in_flight_request_ns),
            sum(|window| window.clipped_service_ns),
        ),
        worst: blocks
            .iter()
            .filter_map(|window| {
                disagreement(window.in_flight_request_ns as f64, window.clipped_service_ns as f64)
            })
            .reduce(f64::max),
        kept_busy: median_over(blocks, kept_busy),
    }
}

pub(crate) fn disagreement(in_flight: f64, clipped: f64) -> Option<f64> {
    (in_flight > 0.0).then(|| (in_flight - clipped).abs() / in_flight)
}

/// (L + lambda * generator's CPU per request) / C, where lambda times the CPU per request is the generator's CPU
/// time over the window's length.
fn kept_busy(window: &Window) -> Option<f64> {
    let whole = window.duration_ns as f64 * f64::from(window.connections.asked);
    let in_hands = window.generator_cpu_ns.iter().map(|cpu| *cpu as f64).sum::<f64>();
    (whole > 0.0).then(|| (window.in_flight_request_ns as f64 + in_hands) / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disagreement_is_relative_to_what_is_in_flight() {
        assert_eq!(disagreement(100.0, 95.0), Some(0.05));
        assert_eq!(disagreement(100.0, 110.0), Some(0.10));
        assert_eq!(disagreement(0.0, 0.0), None);
        assert_eq!(disagreement(0.0, 7.0), None);
    }

    #[test]
    fn no_windows_say_nothing() {
        assert_eq!(check(&[]), LittlesLaw { together: None, worst: None, kept_busy: None });
    }
}
