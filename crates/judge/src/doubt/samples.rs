//! Percentiles that are not there for want of samples are named, so that nobody takes them for forgotten.

use super::finding::Finding;
use super::verdict::{Check, Kind, Verdict};

/// The percentiles that a reader expects of any load; nobody expects the 99.99th of a short one.
pub(crate) const USUAL: [&str; 4] = ["p50", "p90", "p99", "p99.9"];

/// The names and quantiles of the percentiles that are missing, in ascending order, and how many samples there are.
pub(crate) fn verdict(
    missing: impl IntoIterator<Item = (&'static str, f64)>,
    samples: u64,
    finding: impl FnOnce(Vec<String>) -> Finding,
) -> Option<Verdict> {
    let missing: Vec<(&str, f64)> = missing.into_iter().collect();
    let (_, most) = missing.last()?;
    let finding = finding(missing.iter().map(|(name, _)| (*name).to_owned()).collect());
    let needed = samples_needed(*most);
    Some(Verdict::new(Kind::Hint, Check::Samples, finding).of(samples as f64, needed as f64))
}

/// The samples that a percentile needs so that 10 lie beyond it.
pub(crate) fn samples_needed(q: f64) -> u64 {
    if q > 0.5 { (10.0 / (1.0 - q)).round() as u64 } else { 1 }
}

/// The same of a percentile by its name, `p99.9`; `None` of what is no such name.
pub fn samples_needed_by(percentile: &str) -> Option<u64> {
    named(percentile).map(samples_needed)
}

/// The quantile of a percentile's name: 0.999 of `p99.9`.
pub(crate) fn quantile(name: &str) -> f64 {
    // OK because all names are of the one list of percentiles.
    named(name).expect("the name of a percentile")
}

fn named(percentile: &str) -> Option<f64> {
    let percent: f64 = percentile.strip_prefix('p')?.parse().ok()?;
    Some(percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn what_is_missing_is_named_with_what_the_last_of_it_needs() {
        let find = |missing: &[(&'static str, f64)]| {
            verdict(missing.iter().copied(), 800, |percentiles| Finding::ServiceTimeSamples { percentiles })
        };
        assert_eq!(find(&[]), None);
        let found = find(&[("p99", 0.99), ("p99.9", 0.999)]).expect("two are missing");
        assert_eq!((found.figure, found.bound), (Some(800.0), Some(10_000.0)));
        let percentiles = vec!["p99".to_owned(), "p99.9".to_owned()];
        assert_eq!(found.finding, Finding::ServiceTimeSamples { percentiles });
        assert_eq!((samples_needed_by("p99.9"), samples_needed_by("99")), (Some(10_000), None));
    }
}
