use crate::estimate::{Estimate, Interval, half_width};
use crate::histogram::Histogram;
use crate::moments::Moments;

/// The quantile `q` in `[0, 1]` in nanoseconds over launches, of which each has a histogram; those without samples do
/// not count.
///
/// The value is that of all samples together, by [`Histogram::quantile_ns`], and `None` when that is: without
/// samples, or above the median when fewer than 10 lie beyond. The interval is value x exp(+- t(n - 1) s / sqrt(n)),
/// with s from the logarithms of the launches' own quantiles, so that it says how far launches differ and a launch
/// counts once however many samples it has. It is `None` with one launch, and when a launch has no sample beyond its
/// own quantile, which then is only its greatest.
///
/// The interval is around the value, not around the mean of the launches' quantiles: that mean lies below the
/// quantile of all samples where launches differ. Simulated with exponential times, 1,000 to 5,000 a launch, p99:
/// coverage 92 to 96 % with 0 or 5 % between launches, 89 to 92 % with 30 %; around the mean 87 to 95 % and 61 to 86
/// %.
pub fn percentile_over_launches(launches: &[Histogram], q: f64, confidence: f64) -> Option<Estimate> {
    let mut all = Histogram::new();
    launches.iter().for_each(|launch| all.merge(launch));
    let value = all.quantile_ns(q)? as f64;
    let counted = || launches.iter().filter(|launch| !launch.is_empty());
    let logs: Option<Vec<f64>> = counted()
        // 0 ns is less than the clock can tell; it counts as 1 ns, which has a logarithm.
        .map(|launch| launch.quantile_with_beyond(q, 1).map(|ns| (ns.max(1) as f64).ln()))
        .collect();
    let half = logs.and_then(|logs| half_width(&Moments::of(&logs)?, confidence));
    let interval = half
        .map(|half| Interval { low: value * (-half).exp(), high: value * half.exp() })
        .filter(|interval| interval.high.is_finite());
    Some(Estimate { value, interval, launches: counted().count() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::new();
        values.into_iter().for_each(|value| histogram.record(value));
        histogram
    }

    #[test]
    fn known_answers() {
        // Medians 100, 200 and 400: logarithms ln 2 apart, s = ln 2, t(2) = 4.302653, so a factor of 2^(4.302653 /
        // sqrt 3).
        let launches = [of([100; 9]), of([200; 9]), of([400; 9])];
        let p50 = percentile_over_launches(&launches, 0.5, 0.95).unwrap();
        let factor = 2.0_f64.powf(4.302_653 / 3.0_f64.sqrt());
        assert_eq!((p50.value, p50.launches), (200.0, 3));
        assert!((p50.low().unwrap() * factor / 200.0 - 1.0).abs() < 1e-5);
        assert!((p50.high().unwrap() / factor / 200.0 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn too_few_samples_or_launches() {
        assert_eq!(percentile_over_launches(&[], 0.5, 0.95), None);
        assert_eq!(percentile_over_launches(&[Histogram::new()], 0.5, 0.95), None);
        // 9 beyond the 90th percentile of 90.
        let forty_five = of(1..=45);
        assert_eq!(percentile_over_launches(&[forty_five.clone(), forty_five], 0.9, 0.95), None);
        let one = percentile_over_launches(&[of(1..=100), Histogram::new()], 0.9, 0.95).unwrap();
        assert_eq!((one.value, one.interval, one.launches), (90.0, None, 1));
        // Enough together, but the second launch has none beyond its own.
        let uneven = percentile_over_launches(&[of(1..=2_000), of(1..=50)], 0.99, 0.95).unwrap();
        assert_eq!((uneven.interval, uneven.launches), (None, 2));
    }

    /// The truth is known: exponential times of mean 1 ms, 3 % between launches.
    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let mut random = SplitMix64::new(5);
        let truth = 1e6 * 100.0_f64.ln();
        let held = (0..200)
            .filter(|_| {
                let launches: Vec<Histogram> = (0..5)
                    .map(|_| {
                        let mean = 1e6 * (0.03 * random.normal()).exp();
                        of((0..1_000).map(|_| (-mean * random.unit().ln()) as u64))
                    })
                    .collect();
                percentile_over_launches(&launches, 0.99, 0.95).unwrap().interval.unwrap().holds(truth)
            })
            .count();
        assert!((178..=197).contains(&held), "{held} of 200");
    }

    proptest! {
        #[test]
        fn the_value_is_that_of_all_samples(
            values in proptest::collection::vec(proptest::collection::vec(0_u64..1_000_000, 0..60), 0..6),
            q in 0.0..=1.0_f64,
        ) {
            let launches: Vec<Histogram> = values.iter().map(|values| of(values.iter().copied())).collect();
            let found = percentile_over_launches(&launches, q, 0.95);
            let all = of(values.into_iter().flatten());
            prop_assert_eq!(found.map(|p| p.value), all.quantile_ns(q).map(|ns| ns as f64));
            if let Some(interval) = found.and_then(|found| found.interval) {
                prop_assert!(interval.holds(found.unwrap().value));
            }
        }
    }
}
