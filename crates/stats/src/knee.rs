use crate::median::median;

/// How much slower than when nearly idle counts as past the knee.
pub const KNEE_FACTOR: f64 = 3.0;
/// Fewer points show no curve.
const FEWEST_POINTS: usize = 4;

/// One rate of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadPoint {
    /// The rate that was offered.
    pub rate_per_s: f64,
    /// Whether it was met: achieved, and nothing dropped.
    pub is_met: bool,
    /// The 99th percentile of response times; `None` when there were too few samples.
    pub p99_ns: Option<f64>,
}

/// Why the knee is where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KneeEnd {
    /// Above it response times are beyond the bound.
    Slow,
    /// The next rate was not met.
    NotMet,
    /// No rate above it was tried: the knee lies there or higher.
    NotReached,
}

/// Where a contender begins to queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knee {
    /// The highest rate before the knee.
    pub rate_per_s: f64,
    /// Its 99th percentile.
    pub p99_ns: f64,
    /// The 99th percentile when nearly idle.
    pub base_p99_ns: f64,
    /// Why no higher rate.
    pub end: KneeEnd,
}

/// The knee of response time against load: the highest rate that was met with a 99th percentile of at most `factor`
/// times that of a nearly idle server, before a rate is not met or two in a row (or the last one tried) are slower
/// than that.
///
/// Nearly idle is the median over the lowest third of the rates, at least three: the very lowest may be slow because
/// CPUs sleep in between. One slow point alone is a disturbance, not the knee; it is never the knee itself. Points
/// without a percentile say nothing unless they were not met. Of a queue with one server, exponential service and
/// Poisson arrivals, whose response times grow like 1 / (1 - utilisation), a factor of 3 is passed at about 0.7.
///
/// Not Kneedle (Satopaa and others, "Finding a kneedle in a haystack", 2011), which looks for the point farthest from
/// the chord of the curve: above saturation response times grow with the length of the test, so that the last point
/// alone would decide the scale, and with ten points a single bump is a knee. A bound relative to the idle server
/// needs neither a scale nor a smooth curve.
///
/// `None` with fewer than four usable points, for a factor below 1, and when not even the lowest rates stay below the
/// bound.
pub fn knee(points: &[LoadPoint], factor: f64) -> Option<Knee> {
    let mut sorted: Vec<LoadPoint> = points
        .iter()
        .copied()
        .filter(|point| point.rate_per_s.is_finite() && point.rate_per_s > 0.0)
        .filter(|point| !point.is_met || point.p99_ns.is_some_and(|p99| p99.is_finite() && p99 > 0.0))
        .collect();
    if sorted.len() < FEWEST_POINTS || !factor.is_finite() || factor < 1.0 {
        return None;
    }
    sorted.sort_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
    let met: Vec<(f64, f64)> = sorted
        .iter()
        .take_while(|point| point.is_met)
        .filter_map(|point| Some((point.rate_per_s, point.p99_ns?)))
        .collect();
    let lowest = met.iter().take((sorted.len() / 3).max(3)).map(|(_, p99)| *p99);
    let base_p99_ns = median(&lowest.collect::<Vec<_>>())?;
    let is_slow = |at: usize| met[at].1 > factor * base_p99_ns;
    // The first slow one whose successor is slow too, or that has none.
    let slow_from = (0..met.len())
        .find(|at| is_slow(*at) && (*at + 1 == met.len() || is_slow(*at + 1)))
        .unwrap_or(met.len());
    let last = (0..slow_from).rev().find(|at| !is_slow(*at))?;
    let end = match (slow_from < met.len(), met.len() < sorted.len()) {
        (true, _) => KneeEnd::Slow,
        (false, true) => KneeEnd::NotMet,
        (false, false) => KneeEnd::NotReached,
    };
    Some(Knee { rate_per_s: met[last].0, p99_ns: met[last].1, base_p99_ns, end })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curve(p99_ns: &[f64]) -> Vec<LoadPoint> {
        let point = |(at, p99): (usize, &f64)| LoadPoint {
            rate_per_s: 100.0 * (at + 1) as f64,
            is_met: p99.is_finite(),
            p99_ns: p99.is_finite().then_some(*p99),
        };
        p99_ns.iter().enumerate().map(point).collect()
    }

    fn at(p99_ns: &[f64]) -> Option<(f64, KneeEnd)> {
        knee(&curve(p99_ns), KNEE_FACTOR).map(|knee| (knee.rate_per_s, knee.end))
    }

    #[test]
    fn known_answers() {
        let not_met = f64::INFINITY;
        assert_eq!(at(&[1.0, 1.1, 1.2, 1.5, 2.0, 2.9, 4.0, 9.0]), Some((600.0, KneeEnd::Slow)));
        assert_eq!(at(&[1.0, 1.1, 1.2, 1.5, not_met, not_met]), Some((400.0, KneeEnd::NotMet)));
        assert_eq!(at(&[1.0, 1.1, 1.2, 1.5]), Some((400.0, KneeEnd::NotReached)));
        // A disturbance at one rate, and CPUs that sleep at the lowest.
        assert_eq!(at(&[1.0, 1.0, 1.0, 50.0, 1.0, 1.0, 8.0, 9.0]), Some((600.0, KneeEnd::Slow)));
        assert_eq!(at(&[9.0, 1.0, 1.0, 1.0, 1.0, 4.0, 8.0]), Some((500.0, KneeEnd::Slow)));
        // The last rate alone, and a rate above one that was not met.
        assert_eq!(at(&[1.0, 1.0, 1.0, 1.0, 4.0]), Some((400.0, KneeEnd::Slow)));
        assert_eq!(at(&[1.0, 1.0, 1.0, 50.0, not_met, 1.0]), Some((300.0, KneeEnd::Slow)));
        assert_eq!(at(&[1.0, 1.0, 1.0, not_met, 1.0]), Some((300.0, KneeEnd::NotMet)));
    }

    #[test]
    fn what_shows_no_knee() {
        assert_eq!(at(&[]), None);
        assert_eq!(at(&[1.0, 1.0, 1.0]), None);
        assert_eq!(at(&[f64::INFINITY; 5]), None);
        assert_eq!(knee(&curve(&[1.0; 5]), 0.5), None);
        assert_eq!(knee(&curve(&[1.0; 5]), f64::NAN), None);
        let mut without = curve(&[1.0; 5]);
        without[1].p99_ns = None;
        without[2].rate_per_s = f64::NAN;
        assert_eq!(knee(&without, KNEE_FACTOR), None);
    }

    /// The truth is known: response times of a queue with one server grow like 1 / (1 - utilisation).
    #[test]
    fn the_knee_of_a_queue() {
        let point = |percent: u32| LoadPoint {
            rate_per_s: f64::from(percent),
            is_met: percent < 100,
            p99_ns: (percent < 100).then(|| 1e6 * 100.0_f64.ln() / (1.0 - f64::from(percent) / 100.0)),
        };
        let points: Vec<LoadPoint> = (1..=11).map(|at| point(at * 10)).collect();
        // The base is at 20 %: 3 x 1.25 is reached where 1 - utilisation is 0.267.
        assert_eq!(knee(&points, KNEE_FACTOR).unwrap().rate_per_s, 70.0);
    }

    proptest! {
        #[test]
        fn unit_and_order_do_not_matter(
            p99 in proptest::collection::vec(1.0..20.0_f64, 4..12), unit in 1e-3..1e6_f64, turn in 0_usize..12,
        ) {
            let points = curve(&p99);
            let mut other: Vec<LoadPoint> =
                points.iter().map(|point| LoadPoint { p99_ns: point.p99_ns.map(|ns| ns * unit), ..*point }).collect();
            other.rotate_left(turn % p99.len());
            let rate = |points: &[LoadPoint]| knee(points, 2.0).map(|knee| (knee.rate_per_s, knee.end));
            prop_assert_eq!(rate(&points), rate(&other));
        }

        #[test]
        fn the_knee_was_met_below_the_bound(
            p99 in proptest::collection::vec(proptest::option::of(1.0..20.0_f64), 0..12), factor in 1.0..9.0_f64,
        ) {
            let points = curve(&p99.into_iter().map(|p99| p99.unwrap_or(f64::INFINITY)).collect::<Vec<_>>());
            if let Some(knee) = knee(&points, factor) {
                prop_assert!(knee.p99_ns <= factor * knee.base_p99_ns);
                let below = points.iter().filter(|point| point.rate_per_s <= knee.rate_per_s);
                prop_assert!(below.into_iter().all(|point| point.is_met));
            }
        }

        #[test]
        fn a_curve_that_only_rises_ends_at_the_last_rate_below_the_bound(
            steps in proptest::collection::vec(1.0..2.0_f64, 4..12),
        ) {
            let p99: Vec<f64> = steps.iter().scan(1.0, |at, step| { *at *= step; Some(*at) }).collect();
            let found = knee(&curve(&p99), KNEE_FACTOR).unwrap();
            let below = p99.iter().filter(|p99| **p99 <= KNEE_FACTOR * found.base_p99_ns).count();
            prop_assert_eq!(found.rate_per_s, 100.0 * below as f64);
        }
    }
}
