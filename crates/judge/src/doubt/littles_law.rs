//! Little's law: requests in flight, counted, against service times, summed. Two counters that know nothing of each
//! other must agree, else one of them is wrong.

use serde::Serialize;
use velo_model::PartyRole;
use velo_record::Window;

use super::bounds::LITTLES_LAW;
use super::finding::Finding;
use super::verdict::{Check, Kind, Verdict};
use crate::measure::figures::median_over;

/// In a closed loop at least this share of the places for a request is in flight or in the generator's hands.
pub(crate) const KEPT_BUSY: f64 = 0.98;
/// A window must be as long as this many service times: below, most of what is compared is cut by its edges.
const TIMES_IN_A_WINDOW: f64 = 10.0;

/// What Little's law says of a row's counted windows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LittlesLaw {
    /// The disagreement over all windows together that are long enough to tell, as a share of the requests in flight;
    /// `None` when none is.
    pub together: Option<f64>,
    /// The disagreement of the worst of them.
    pub worst: Option<f64>,
    /// The share of the places for a request, connections times streams, that was in flight or in the generator's hands, median over windows.
    pub kept_busy: Option<f64>,
}

/// `streams`: requests in flight on each connection.
pub(crate) fn check(blocks: &[&Window], streams: u32) -> LittlesLaw {
    let tell: Vec<&Window> = blocks.iter().copied().filter(|window| is_long_enough(window)).collect();
    let sum = |part: fn(&Window) -> u64| tell.iter().map(|window| part(window) as f64).sum();
    LittlesLaw {
        together: disagreement(
            sum(|window| window.in_flight_request_ns),
            sum(|window| window.clipped_service_ns),
        ),
        worst: tell
            .iter()
            .filter_map(|window| {
                disagreement(window.in_flight_request_ns as f64, window.clipped_service_ns as f64)
            })
            .reduce(f64::max),
        kept_busy: median_over(blocks, |window| kept_busy_in(window, streams)),
    }
}

/// That the two disagree, at the worst by this share.
pub(crate) fn verdict(share: Option<f64>, kind: Kind) -> Option<Verdict> {
    let share = share.filter(|share| *share > LITTLES_LAW)?;
    Some(Verdict::new(kind, Check::LittlesLaw, Finding::LittlesLaw { share }).of(share, LITTLES_LAW))
}

pub(crate) fn disagreement(in_flight: f64, clipped: f64) -> Option<f64> {
    (in_flight > 0.0).then(|| (in_flight - clipped).abs() / in_flight)
}

/// W <= window / 10. The mean service time is taken from the smaller of the two counters, so that neither can hide a
/// mistake by being far too great.
fn is_long_enough(window: &Window) -> bool {
    let answers = window.outcomes.correct.saturating_add(window.outcomes.failed()) as f64;
    let in_service_ns = window.clipped_service_ns.min(window.in_flight_request_ns) as f64;
    in_service_ns * TIMES_IN_A_WINDOW <= window.duration_ns as f64 * answers
}

fn kept_busy_in(window: &Window, streams: u32) -> Option<f64> {
    let places = f64::from(window.connections.asked) * f64::from(streams.max(1));
    let in_hands_ns = window.cpu_ns(PartyRole::Generator)? as f64;
    kept_busy(window.in_flight_request_ns as f64, in_hands_ns, window.duration_ns as f64 * places)
}

/// (L + lambda * generator's CPU per request) / (C * streams), where lambda times the CPU per request is the generator's CPU
/// time over the time measured: requests in flight and in the generator's hands over what all places could hold, each summed
/// over time.
pub(crate) fn kept_busy(in_flight_ns: f64, in_hands_ns: f64, places_ns: f64) -> Option<f64> {
    (places_ns > 0.0).then(|| (in_flight_ns + in_hands_ns) / places_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation};

    #[test]
    fn disagreement_is_relative_to_what_is_in_flight() {
        assert_eq!(disagreement(100.0, 95.0), Some(0.05));
        assert_eq!(disagreement(100.0, 110.0), Some(0.10));
        assert_eq!(disagreement(0.0, 0.0), None);
        assert_eq!(disagreement(0.0, 7.0), None);
    }

    #[test]
    fn no_windows_say_nothing() {
        assert_eq!(check(&[], 1), LittlesLaw { together: None, worst: None, kept_busy: None });
    }

    /// A window with 64 connections always full, with a mean service time of this many hundredths of its length.
    fn window(hundredths: u64) -> Window {
        let (_, mut windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
        let mut window = windows.swap_remove(1);
        window.in_flight_request_ns = 64 * window.duration_ns;
        window.clipped_service_ns = window.in_flight_request_ns;
        window.outcomes.correct = 6_400 / hundredths;
        window
    }

    #[test]
    fn a_window_of_fewer_than_ten_service_times_says_nothing() {
        assert_eq!(check(&[&window(10)], 1).together, Some(0.0));
        let short = window(16);
        assert_eq!((check(&[&short], 1).together, check(&[&short], 1).worst), (None, None));
        assert!(check(&[&short], 1).kept_busy.is_some());
        let busy = |streams| check(&[&window(4)], streams).kept_busy.unwrap();
        assert!(busy(1) >= 1.0 && (busy(4) * 4.0 - busy(1)).abs() < 1e-9, "four times the places");
        assert_eq!(check(&[&short, &window(4)], 1).together, Some(0.0), "the other one tells");
    }

    #[test]
    fn a_counter_that_is_far_too_great_is_seen() {
        let mut clipped = window(4);
        clipped.clipped_service_ns *= 1_000;
        assert!(check(&[&clipped], 1).together.unwrap() > 100.0);
        let mut in_flight = window(4);
        in_flight.in_flight_request_ns *= 1_000;
        assert!(check(&[&in_flight], 1).together.unwrap() > 0.9);
    }
}
