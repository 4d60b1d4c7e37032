//! Functions around the gamma function that a fixed number of terms gives to nearly all digits: recurrence up to an
//! argument where the asymptotic series is that good.

/// From here on the series below are exact to about 1e-15.
const SERIES_FROM: f64 = 12.0;

/// ln(gamma(x + 1/2) / gamma(x)) for x > 0, without the cancellation of two large logarithms.
///
/// Source: gamma(x + 1) = x gamma(x), and the expansion of the ratio (Tricomi and Erdelyi, "The asymptotic expansion of
/// a ratio of gamma functions", 1951; DLMF 5.11.13) in logarithms.
pub(crate) fn ln_gamma_half_step(x: f64) -> f64 {
    let mut at = x;
    let mut product = 1.0;
    while at < SERIES_FROM {
        product *= at / (at + 0.5);
        at += 1.0;
    }
    let square = (1.0 / at) * (1.0 / at);
    let series =
        [-1.0 / 8.0, 1.0 / 192.0, -1.0 / 640.0, 17.0 / 14_336.0, -31.0 / 18_432.0, 691.0 / 180_224.0];
    f64::ln(product) + at.ln() / 2.0 + polynomial(&series, square) / at
}

/// ln(x) - digamma(x) for x > 0; it is positive and falls from infinity to 0.
///
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.3.5 and 6.3.18.
pub(crate) fn ln_less_digamma(x: f64) -> f64 {
    let mut at = x;
    let mut steps = 0.0;
    while at < SERIES_FROM {
        steps += 1.0 / at;
        at += 1.0;
    }
    let square = (1.0 / at) * (1.0 / at);
    let series =
        [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32_760.0, 1.0 / 12.0];
    0.5 / at + polynomial(&series, square) * square + steps - (at / x).ln()
}

/// The second derivative of ln(gamma(x)) for x > 0.
///
/// Source: Abramowitz and Stegun, 6.4.6 and 6.4.12.
pub(crate) fn trigamma(x: f64) -> f64 {
    let mut at = x;
    let mut steps = 0.0;
    while at < SERIES_FROM {
        steps += 1.0 / (at * at);
        at += 1.0;
    }
    let square = (1.0 / at) * (1.0 / at);
    let series = [1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2_730.0, 7.0 / 6.0];
    steps + 1.0 / at + square / 2.0 + polynomial(&series, square) * square / at
}

/// The third derivative of ln(gamma(x)) for x > 0; it is negative.
///
/// Source: Abramowitz and Stegun, 6.4.6 and 6.4.13.
fn tetragamma(x: f64) -> f64 {
    let mut at = x;
    let mut steps = 0.0;
    while at < SERIES_FROM {
        steps += 2.0 / (at * at * at);
        at += 1.0;
    }
    let square = (1.0 / at) * (1.0 / at);
    let series = [1.0 / 2.0, -1.0 / 6.0, 1.0 / 6.0, -3.0 / 10.0, 5.0 / 6.0, -691.0 / 210.0, 35.0 / 2.0];
    -steps - square - square / at - polynomial(&series, square) * square * square
}

/// The x > 0 whose trigamma is `value`, for a value > 0.
///
/// Source: Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray
/// experiments", Statistical Applications in Genetics and Molecular Biology 3(1), 2004, appendix: Newton on
/// 1 / trigamma, which is convex, so that the steps never overshoot.
pub(crate) fn inverse_trigamma(value: f64) -> f64 {
    if value > 1e7 {
        return 1.0 / value.sqrt();
    }
    if value < 1e-6 {
        return 1.0 / value;
    }
    let mut x = 0.5 + 1.0 / value;
    for _ in 0..50 {
        let here = trigamma(x);
        let step = here * (1.0 - here / value) / tetragamma(x);
        x += step;
        if -step / x < 1e-8 {
            break;
        }
    }
    x
}

/// c0 + c1 x + c2 x^2 ..., by Horner's rule.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(found: f64, expected: f64, relative: f64) {
        assert!((found / expected - 1.0).abs() < relative, "{found}, expected {expected}");
    }

    #[test]
    fn known_answers() {
        let pi = std::f64::consts::PI;
        let euler = 0.577_215_664_901_532_9;
        // gamma(1/2) = sqrt(pi), gamma(1) = 1, gamma(3/2) = sqrt(pi) / 2.
        near(ln_gamma_half_step(0.5), -(pi.ln() / 2.0), 1e-14);
        near(ln_gamma_half_step(1.0), (pi.sqrt() / 2.0).ln(), 1e-13);
        near(ln_less_digamma(1.0), euler, 1e-14);
        near(ln_less_digamma(0.5), euler + std::f64::consts::LN_2, 1e-14);
        near(trigamma(1.0), pi * pi / 6.0, 1e-14);
        near(trigamma(0.5), pi * pi / 2.0, 1e-14);
        // psi''(1) = -2 zeta(3)
        near(tetragamma(1.0), -2.0 * 1.202_056_903_159_594, 1e-14);
        near(inverse_trigamma(pi * pi / 6.0), 1.0, 1e-14);
    }

    proptest! {
        /// The oracle is libm's log-gamma, where its two values do not cancel.
        #[test]
        fn the_half_step_agrees_with_log_gamma(x in 0.001..60.0_f64) {
            let expected = libm::lgamma(x + 0.5) - libm::lgamma(x);
            prop_assert!((ln_gamma_half_step(x) - expected).abs() < 1e-12);
        }

        /// The oracle is the slope of libm's log-gamma.
        #[test]
        fn digamma_is_the_slope_of_log_gamma(x in 0.1..60.0_f64) {
            let h = 1e-5 * x;
            let slope = (libm::lgamma(x + h) - libm::lgamma(x - h)) / (2.0 * h);
            prop_assert!((x.ln() - ln_less_digamma(x) - slope).abs() < 1e-6);
        }

        #[test]
        fn each_is_the_slope_of_the_one_before(x in 0.1..60.0_f64) {
            let h = 1e-4 * x;
            let digamma = |x: f64| x.ln() - ln_less_digamma(x);
            let slope = (digamma(x + h) - digamma(x - h)) / (2.0 * h);
            prop_assert!((trigamma(x) / slope - 1.0).abs() < 1e-6);
            let slope = (trigamma(x + h) - trigamma(x - h)) / (2.0 * h);
            prop_assert!((tetragamma(x) / slope - 1.0).abs() < 1e-6);
        }

        #[test]
        fn the_inverse_is_one(exponent in -9.0..9.0_f64) {
            let x = 10.0_f64.powf(exponent);
            prop_assert!((inverse_trigamma(trigamma(x)) / x - 1.0).abs() < 1e-6);
        }
    }
}
