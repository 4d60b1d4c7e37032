//! The statistics against what other programs say: mpmath, scipy, R and limma, as written by scripts/stats-vectors.py.

use std::sync::LazyLock;

use serde::Deserialize;
use velo_stats::estimate::mean_over_launches;
use velo_stats::{
    Interval, LEAST_FOR_INTERVAL, PairLogs, PairRules, PairState, SampleVariance, StudentT, compare_pairs,
    fit_prior, holm_adjusted, noncentral_t_cdf, noncentrality_for_power, welch,
};

#[derive(Deserialize)]
struct Vectors {
    student: Vec<Student>,
    quantiles: Vec<Quantile>,
    noncentral: Vec<Noncentral>,
    power: Vec<Power>,
    squeeze: Vec<Squeeze>,
    holm: Vec<Holm>,
    pairs: Vec<Pairs>,
    interval: Vec<OfMean>,
    welch: Vec<OfTwo>,
}

#[derive(Deserialize)]
struct Student {
    /// Null for infinite.
    df: Option<f64>,
    t: f64,
    two_sided_p: f64,
}

#[derive(Deserialize)]
struct Quantile {
    /// Null for infinite.
    df: Option<f64>,
    level: f64,
    critical: f64,
}

#[derive(Deserialize)]
struct Noncentral {
    df: f64,
    noncentrality: f64,
    t: f64,
    p: f64,
}

#[derive(Deserialize)]
struct Power {
    df: f64,
    level: f64,
    power: f64,
    noncentrality: f64,
}

#[derive(Deserialize)]
struct Squeeze {
    variances: Vec<f64>,
    dfs: Vec<f64>,
    /// Null for infinite.
    prior_df: Option<f64>,
    prior_variance: f64,
    squeezed: Vec<f64>,
}

#[derive(Deserialize)]
struct Holm {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

#[derive(Deserialize)]
struct Pairs {
    contenders: usize,
    level: f64,
    equal_within: f64,
    prior_df_cap: f64,
    pairs: Vec<(usize, usize)>,
    log_ratios: Vec<Vec<f64>>,
    expected: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    mean: f64,
    standard_error: f64,
    df: f64,
    low: f64,
    high: f64,
    simultaneous_low: f64,
    simultaneous_high: f64,
    p: f64,
    holm_p: f64,
    state: String,
}

#[derive(Deserialize)]
struct OfMean {
    values: Vec<f64>,
    confidence: f64,
    mean: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct OfTwo {
    first: Vec<f64>,
    second: Vec<f64>,
    difference: f64,
    df: f64,
    p: f64,
    low: f64,
    high: f64,
}

static VECTORS: LazyLock<Vectors> = LazyLock::new(|| {
    serde_json::from_str(include_str!("vectors.json")).expect("vectors of the expected form")
});

#[track_caller]
fn near(found: f64, expected: f64, relative: f64) {
    let is_near = (found - expected).abs() <= relative * expected.abs();
    assert!(is_near, "{found}, expected {expected}");
}

fn student(df: Option<f64>) -> StudentT {
    StudentT::new(df.unwrap_or(f64::INFINITY)).unwrap()
}

#[test]
fn students_t() {
    for Student { df, t, two_sided_p } in &VECTORS.student {
        let of = student(*df);
        near(of.two_sided_p(*t), *two_sided_p, 1e-11);
        near(of.cdf(-t), two_sided_p / 2.0, 1e-11);
        near(of.cdf(*t), 1.0 - two_sided_p / 2.0, 1e-11);
    }
}

#[test]
fn quantiles_of_students_t() {
    for Quantile { df, level, critical } in &VECTORS.quantiles {
        near(student(*df).two_sided_critical(*level).unwrap(), *critical, 1e-11);
        near(student(*df).quantile(level / 2.0).unwrap(), -critical, 1e-11);
    }
}

#[test]
fn noncentral_t() {
    for Noncentral { df, noncentrality, t, p } in &VECTORS.noncentral {
        let found = noncentral_t_cdf(*t, *df, *noncentrality).unwrap();
        assert!((found - p).abs() < 1e-9, "t {t}, df {df}, {noncentrality}: {found}, expected {p}");
    }
}

#[test]
fn noncentrality_of_a_power() {
    for Power { df, level, power, noncentrality } in &VECTORS.power {
        near(noncentrality_for_power(*df, *level, *power).unwrap(), *noncentrality, 1e-7);
    }
}

#[test]
fn squeezed_variances() {
    for case in &VECTORS.squeeze {
        let variances: Vec<SampleVariance> = case
            .variances
            .iter()
            .zip(&case.dfs)
            .map(|(value, df)| SampleVariance { value: *value, df: *df })
            .collect();
        let prior = fit_prior(&variances).unwrap();
        assert_eq!(prior.df.is_finite(), case.prior_df.is_some());
        // limma's inverse of trigamma stops at eight digits.
        near(prior.variance, case.prior_variance, 1e-8);
        case.prior_df.into_iter().for_each(|df| near(prior.df, df, 1e-7));
        for (own, squeezed) in variances.iter().zip(&case.squeezed) {
            near(prior.squeeze(*own).value, *squeezed, 1e-7);
        }
    }
}

#[test]
fn holms_adjusted_p_values() {
    for Holm { p, adjusted } in &VECTORS.holm {
        for (found, expected) in holm_adjusted(p).iter().zip(adjusted) {
            near(*found, *expected, 1e-14);
        }
    }
}

#[test]
fn pairs() {
    let mut states = Vec::new();
    for case in &VECTORS.pairs {
        let logs: Vec<PairLogs<'_>> = case
            .pairs
            .iter()
            .zip(&case.log_ratios)
            .map(|((first, second), log_ratios)| PairLogs {
                first: *first,
                second: *second,
                log_ratios: log_ratios[..].into(),
                mean: None,
                allowance: 0.0,
            })
            .collect();
        assert!(case.pairs.iter().all(|(first, second)| *first.max(second) < case.contenders));
        let Pairs { level, equal_within, prior_df_cap, .. } = *case;
        // The oracle knows no fewer degrees of freedom for few variances.
        let rules =
            PairRules { level, equal_within, prior_df_cap, share_of_few: 1.0, ..PairRules::default() };
        let found = compare_pairs(&logs, rules);
        assert_eq!(found.pairs.len(), case.expected.len());
        for ((pair, expected), logs) in found.pairs.iter().zip(&case.expected).zip(&case.log_ratios) {
            let test = pair.test.unwrap();
            assert_eq!(pair.launches, logs.len());
            near(pair.mean_log_ratio.unwrap(), expected.mean, 1e-9);
            near(test.standard_error, expected.standard_error, 1e-8);
            near(test.df, expected.df, 1e-8);
            let apart = |interval: Interval, low: f64, high: f64| {
                (interval.low - low).abs().max((interval.high - high).abs()) / expected.standard_error
            };
            assert!(apart(test.interval, expected.low, expected.high) < 1e-7);
            assert!(apart(test.simultaneous, expected.simultaneous_low, expected.simultaneous_high) < 1e-7);
            near(test.p, expected.p, 1e-6);
            near(test.holm_p, expected.holm_p, 1e-6);
            let state = match pair.state {
                PairState::Separated { above } if above == pair.first => "first",
                PairState::Separated { .. } => "second",
                PairState::Equal => "equal",
                PairState::Open => "open",
            };
            assert_eq!(state, expected.state);
            states.push(state);
        }
    }
    // The vectors have all of them.
    assert!(["first", "second", "equal", "open"].iter().all(|state| states.contains(state)));
}

#[test]
fn intervals_of_means() {
    for OfMean { values, confidence, mean, low, high } in &VECTORS.interval {
        let found = mean_over_launches(values, *confidence).unwrap();
        near(found.value, *mean, 1e-13);
        if values.len() < LEAST_FOR_INTERVAL {
            assert_eq!(found.interval, None, "R gives one, and it tells nothing");
            continue;
        }
        near(found.low().unwrap(), *low, 1e-11);
        near(found.high().unwrap(), *high, 1e-11);
    }
}

#[test]
fn two_samples_apart() {
    for OfTwo { first, second, difference, df, p, low, high } in &VECTORS.welch {
        let found = welch(first, second).unwrap();
        near(found.difference, *difference, 1e-12);
        near(found.df, *df, 1e-12);
        near(found.p(), *p, 1e-9);
        let interval = found.interval(0.95).unwrap();
        let apart = (interval.low - low).abs().max((interval.high - high).abs());
        assert!(apart < 1e-10 * found.standard_error, "{interval:?}, expected {low} to {high}");
    }
}
