//! How late requests were sent.

use super::finding::{Finding, StatedRate};
use super::verdict::{Check, Kind, Verdict};

/// The 99th percentile of send lag may be this share of the headline's median, or [`TIMERS_NS`] if that is more.
const SHARE: f64 = 0.10;
/// Below this, lag is the precision of timers.
const TIMERS_NS: f64 = 100_000.0;

/// The 99th percentile of send lag against the median of the times that it stands beside; `at`: see [`Finding::SendLag`].
pub(crate) fn verdict(
    p99_ns: Option<u64>,
    median_ns: Option<f64>,
    at: Option<StatedRate>,
    closed_loop: bool,
) -> Option<Verdict> {
    let p99_ns = p99_ns?;
    let (lag, bound) = (p99_ns as f64, (median_ns? * SHARE).max(TIMERS_NS));
    (lag > bound).then(|| {
        let finding = Finding::SendLag { at, p99_ns, closed_loop };
        Verdict::new(Kind::Warning, Check::SendLag, finding).of(lag, bound)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_is_held_against_the_median_and_the_precision_of_timers() {
        let bound = |p99_ns, median_ns| verdict(Some(p99_ns), Some(median_ns), None, false)?.bound;
        assert_eq!(bound(100_000, 500_000.0), None);
        assert_eq!(bound(100_001, 500_000.0), Some(100_000.0));
        assert_eq!(bound(200_000, 2_000_000.0), None);
        assert_eq!(bound(200_001, 2_000_000.0), Some(200_000.0));
        assert_eq!(verdict(Some(1_000_000), None, None, false), None, "nothing to hold it against");
        assert_eq!(verdict(None, Some(1.0), None, false), None);
    }
}
