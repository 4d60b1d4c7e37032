//! The noncentral t distribution: what a t statistic does when there is a difference.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::student::StudentT;

/// P(T <= t) for T = (Z + noncentrality) / W, with Z standard normal and W^2 a mean square of `df` degrees of freedom.
///
/// Exact to about 1e-9. `None` for degrees of freedom that [`StudentT`] does not take, and for a `t` or a
/// noncentrality that is not finite.
pub fn noncentral_t_cdf(t: f64, df: f64, noncentrality: f64) -> Option<f64> {
    StudentT::new(df)?;
    (t.is_finite() && noncentrality.is_finite())
        .then(|| over_scale(df, noncentrality, |scale| normal_cdf(t * scale - noncentrality)))
}

/// The noncentrality at which a two-sided t test at `level` finds the difference with probability `power`, by
/// bisection.
///
/// Times the standard error it is the smallest difference that can be found. `None` unless
/// 0 < level < power < 1, and for degrees of freedom that [`StudentT`] does not take.
pub fn noncentrality_for_power(df: f64, level: f64, power: f64) -> Option<f64> {
    if !(0.0 < level && level < power && power < 1.0) {
        return None;
    }
    let critical = StudentT::new(df)?.two_sided_critical(level)?;
    let found = |noncentrality: f64| {
        over_scale(df, noncentrality, |scale| {
            normal_cdf(noncentrality - critical * scale) + normal_cdf(-noncentrality - critical * scale)
        })
    };
    let mut high = 1.0;
    while found(high) < power {
        high *= 2.0;
        if high > 1e4 {
            return None;
        }
    }
    let mut low = 0.0;
    while high - low > 1e-9 * high {
        let middle = (low + high) / 2.0;
        if found(middle) < power {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some((low + high) / 2.0)
}

/// The mean of a function of W, the root of a mean square of `df` degrees of freedom.
///
/// The trapezoidal rule in ln W, where the density is proportional to exp(-(df/2) (W^2 - 1 - ln W^2)). It has no edge
/// there, so that the rule converges faster than any power of its step (Trefethen and Weideman, "The exponentially
/// convergent trapezoidal rule", SIAM Review 56, 2014). The sum of the weights stands for the density's constant.
fn over_scale(df: f64, noncentrality: f64, function: impl Fn(f64) -> f64) -> f64 {
    if df.is_infinite() {
        return function(1.0);
    }
    let half = df / 2.0;
    // Beyond these ends the density is below exp(-40) of its greatest.
    let reach = 20.0 / half;
    let (start, end) = (-(reach + reach.sqrt() + 0.5), reach.sqrt());
    // Narrower than the density, and than the normal curve of which `function` is made.
    let step = 0.1_f64.min(0.2 / half.sqrt()).min(0.4 / noncentrality.abs().max(1.0));
    let steps = ((end - start) / step).ceil() as u64;
    let (mut weights, mut sum) = (0.0, 0.0);
    for at in 0..=steps {
        let ln_scale = start + step * at as f64;
        let weight = (-half * ((2.0 * ln_scale).exp_m1() - 2.0 * ln_scale)).exp();
        if weight > 0.0 {
            weights += weight;
            sum += weight * function(ln_scale.exp());
        }
    }
    sum / weights
}

fn normal_cdf(z: f64) -> f64 {
    libm::erfc(-z * FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Those with figures of their own are R's (4.2.2): pt(2, 5, 1.5), and the noncentrality by uniroot over pt.
    #[test]
    fn known_answers() {
        assert!((noncentral_t_cdf(2.0, 5.0, 1.5).unwrap() - 0.631_449_247).abs() < 1e-8);
        assert!((noncentrality_for_power(8.0, 0.05, 0.9).unwrap() - 3.712_436_697).abs() < 1e-7);
        assert!((noncentral_t_cdf(0.0, 7.0, 1.0).unwrap() - normal_cdf(-1.0)).abs() < 1e-12);
        assert!((noncentral_t_cdf(2.0, f64::INFINITY, 1.0).unwrap() - normal_cdf(1.0)).abs() < 1e-15);
        // By the normal distribution 1.959964 + 1.281552.
        let many = noncentrality_for_power(f64::INFINITY, 0.05, 0.9).unwrap();
        assert!((many - 3.241_515).abs() < 1e-5, "{many}");
    }

    #[test]
    fn what_has_no_answer() {
        assert_eq!(noncentral_t_cdf(1.0, 0.0, 1.0), None);
        assert_eq!(noncentral_t_cdf(f64::INFINITY, 4.0, 1.0), None);
        assert_eq!(noncentral_t_cdf(1.0, 4.0, f64::NAN), None);
        for (df, level, power) in [(4.0, 0.0, 0.9), (4.0, 0.05, 0.05), (4.0, 0.05, 1.0), (0.0, 0.05, 0.9)] {
            assert_eq!(noncentrality_for_power(df, level, power), None);
        }
    }

    proptest! {
        #[test]
        fn without_a_difference_it_is_students_t(exponent in -0.5..9.0_f64, t in -30.0..30.0_f64) {
            let df = 10.0_f64.powf(exponent);
            let central = StudentT::new(df).unwrap().cdf(t);
            prop_assert!((noncentral_t_cdf(t, df, 0.0).unwrap() - central).abs() < 1e-9);
        }

        #[test]
        fn mirrored_and_falling_with_the_difference(
            exponent in 0.0..6.0_f64, t in -30.0..30.0_f64, noncentrality in -20.0..20.0_f64,
        ) {
            let df = 10.0_f64.powf(exponent);
            let p = noncentral_t_cdf(t, df, noncentrality).unwrap();
            let mirrored = noncentral_t_cdf(-t, df, -noncentrality).unwrap();
            prop_assert!((p + mirrored - 1.0).abs() < 1e-9);
            prop_assert!(noncentral_t_cdf(t, df, noncentrality + 0.5).unwrap() <= p + 1e-9);
        }

        #[test]
        fn the_power_is_reached(exponent in 0.3..5.0_f64, level in 1e-4..0.1_f64, power in 0.2..0.99_f64) {
            let df = 10.0_f64.powf(exponent);
            let noncentrality = noncentrality_for_power(df, level, power).unwrap();
            let critical = StudentT::new(df).unwrap().two_sided_critical(level).unwrap();
            let cdf = |t| noncentral_t_cdf(t, df, noncentrality).unwrap();
            prop_assert!((1.0 - cdf(critical) + cdf(-critical) - power).abs() < 1e-7);
        }
    }
}
