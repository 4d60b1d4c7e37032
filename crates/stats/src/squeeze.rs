//! Variances that are each known from a few launches only, drawn towards what they have in common.
//!
//! Source: Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray
//! experiments", Statistical Applications in Genetics and Molecular Biology 3(1), 2004, section 6.2; as squeezeVar
//! and fitFDist in limma. The true variances are taken to be scattered like an inverse chi-square around a prior
//! variance; the prior degrees of freedom say how closely. Logarithms of the sample variances then have known mean
//! and variance (digamma, trigamma), from which both are solved.

use crate::gamma::{inverse_trigamma, ln_less_digamma, trigamma};
use crate::median::median;

/// A variance and how many degrees of freedom it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleVariance {
    /// The variance, at least 0.
    pub value: f64,
    /// Its degrees of freedom.
    pub df: f64,
}

/// What variances have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// The variance that all are drawn towards.
    pub variance: f64,
    /// The degrees of freedom that it counts for; infinite when the variances differ no more than chance explains.
    pub df: f64,
}

/// Variances below this share of the median one are taken for it, so that one of 0 has a logarithm (as limma does).
const LEAST_SHARE: f64 = 1e-5;

/// What the variances have in common. Those without a positive, finite number of degrees of freedom or that are no
/// variances do not count. `None` when fewer than two are left, or all of them are 0.
///
/// Where more than half are 0, their mean stands for the median; limma takes 1 there, which depends on the unit.
pub fn fit_prior(variances: &[SampleVariance]) -> Option<Prior> {
    let usable: Vec<SampleVariance> = variances
        .iter()
        .copied()
        .filter(|one| one.df > 0.0 && one.df.is_finite() && one.value >= 0.0 && one.value.is_finite())
        .collect();
    if usable.len() < 2 {
        return None;
    }
    let count = usable.len() as f64;
    let values: Vec<f64> = usable.iter().map(|one| one.value).collect();
    let middle = median(&values).filter(|middle| *middle > 0.0).unwrap_or(values.iter().sum::<f64>() / count);
    let least = LEAST_SHARE * middle;
    if least <= 0.0 || !least.is_finite() {
        return None;
    }
    // Logarithms less what they would be on average if all true variances were 1; and how far chance alone spreads
    // them.
    let mut centred = values;
    let mut by_chance = 0.0;
    let mut sum = 0.0;
    // Nearly always all have the same degrees of freedom.
    let mut known = (f64::NAN, 0.0, 0.0);
    for (centred, one) in centred.iter_mut().zip(&usable) {
        if known.0 != one.df {
            known = (one.df, ln_less_digamma(one.df / 2.0), trigamma(one.df / 2.0));
        }
        let value = one.value.max(least);
        sum += value;
        *centred = value.ln() + known.1;
        by_chance += known.2 / count;
    }
    let mean = centred.iter().sum::<f64>() / count;
    let spread = centred.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / (count - 1.0);
    let unexplained = spread - by_chance;
    if unexplained > 0.0 {
        let df = 2.0 * inverse_trigamma(unexplained);
        Some(Prior { variance: (mean - ln_less_digamma(df / 2.0)).exp(), df })
    } else {
        Some(Prior { variance: sum / count, df: f64::INFINITY })
    }
}

impl Prior {
    /// The same with at most `most_df` degrees of freedom, so that what the others say never outweighs so many of one's
    /// own. Needed where variances are not independent, as those of pairs that share a contender: they look
    /// more alike than they are.
    pub fn capped(self, most_df: f64) -> Self {
        Self { df: self.df.min(most_df), ..self }
    }

    /// The mean of a variance and the prior one, weighted by their degrees of freedom, which add up.
    pub fn squeeze(&self, own: SampleVariance) -> SampleVariance {
        let df = own.df + self.df;
        let value = if self.df.is_infinite() {
            self.variance
        } else {
            (own.df * own.value + self.df * self.variance) / df
        };
        SampleVariance { value, df }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[(f64, f64)]) -> Vec<SampleVariance> {
        values.iter().map(|(value, df)| SampleVariance { value: *value, df: *df }).collect()
    }

    /// Computed with limma 3.54.1 (R 4.2.2), squeezeVar.
    #[test]
    fn known_answers() {
        let variances = of(&[(1.0, 4.0), (2.0, 4.0), (0.1, 4.0), (30.0, 4.0), (4.0, 4.0)]);
        let prior = fit_prior(&variances).unwrap();
        assert!((prior.df - PRIOR_DF).abs() < 1e-9, "{}", prior.df);
        assert!((prior.variance - PRIOR_VARIANCE).abs() < 1e-9, "{}", prior.variance);
        let alike = of(&[(1.0, 4.0), (1.1, 4.0), (0.9, 5.0)]);
        let prior = fit_prior(&alike).unwrap();
        assert_eq!(prior.df, f64::INFINITY);
        assert!((prior.variance - 1.0).abs() < 1e-15);
        assert_eq!(prior.squeeze(alike[1]).value, prior.variance);
        let capped = prior.capped(4.0).squeeze(alike[1]);
        assert!((capped.value - 1.05).abs() < 1e-15);
        assert_eq!(capped.df, 8.0);
    }

    const PRIOR_DF: f64 = 1.193_638_324_420_973_4;
    const PRIOR_VARIANCE: f64 = 0.877_988_898_610_000_1;

    #[test]
    fn too_few_or_no_variances() {
        assert_eq!(fit_prior(&[]), None);
        assert_eq!(fit_prior(&of(&[(1.0, 4.0)])), None);
        assert_eq!(fit_prior(&of(&[(1.0, 4.0), (1.0, 0.0), (f64::NAN, 4.0), (-1.0, 4.0)])), None);
        assert_eq!(fit_prior(&of(&[(0.0, 4.0), (0.0, 4.0), (0.0, 4.0)])), None);
    }

    #[test]
    fn a_variance_of_zero_is_drawn_away_from_zero() {
        let mostly_zero = of(&[(0.0, 4.0), (0.0, 4.0), (3.0, 4.0)]);
        let prior = fit_prior(&mostly_zero).unwrap();
        assert!(prior.variance > 0.0 && prior.df > 0.0);
        assert!(prior.squeeze(mostly_zero[0]).value > 0.0);
    }

    proptest! {
        #[test]
        fn lies_between_own_and_prior_and_keeps_the_unit(
            values in proptest::collection::vec((1e-6..1e3_f64, 1_u32..20), 2..40),
            cap in 0.1..10.0_f64,
            unit in 1e-6..1e6_f64,
        ) {
            let variances: Vec<_> =
                values.iter().map(|(value, df)| SampleVariance { value: *value, df: f64::from(*df) }).collect();
            let prior = fit_prior(&variances).unwrap().capped(cap);
            prop_assert!(prior.df > 0.0 && prior.df <= cap);
            for own in &variances {
                let squeezed = prior.squeeze(*own);
                let (low, high) = (own.value.min(prior.variance), own.value.max(prior.variance));
                prop_assert!(low * (1.0 - 1e-12) <= squeezed.value && squeezed.value <= high * (1.0 + 1e-12));
                prop_assert!(squeezed.df > own.df);
            }
            let scaled: Vec<_> =
                variances.iter().map(|one| SampleVariance { value: one.value * unit, df: one.df }).collect();
            let prior_scaled = fit_prior(&scaled).unwrap().capped(cap);
            prop_assert!((prior_scaled.variance / (prior.variance * unit) - 1.0).abs() < 1e-5);
        }
    }
}
