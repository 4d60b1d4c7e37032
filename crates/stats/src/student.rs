use std::f64::consts::{FRAC_1_SQRT_2, PI};

use crate::gamma::ln_gamma_half_step;

/// The least degrees of freedom that [`StudentT`] takes.
pub const LEAST_DF: f64 = 1e-3;

/// Degrees of freedom from which no digit tells it from the normal distribution.
const NORMAL_FROM: f64 = 1e20;
/// Degrees of freedom from which the expansion for many of them is exact to about 1e-13.
const MANY_DF: f64 = 40.0;
/// The farthest tail, as ln(1 + t^2 / df), for which it is.
const EXPANSION_UP_TO: f64 = 1.0;
/// The coefficients of (sinh(s) / s)^(-1/2) in powers of 4 s^2.
const EXPANSION: [f64; 8] = [
    1.0,
    -1.0 / 48.0,
    1.0 / 2_560.0,
    -61.0 / 7_741_440.0,
    1_261.0 / 7_431_782_400.0,
    -79.0 / 20_761_804_800.0,
    66_643.0 / 761_775_532_277_760.0,
    -16_820_653.0 / 8_227_175_748_599_808_000.0,
];
/// Where the continued fraction is used it takes some 20 to 100 steps.
const STEPS: u32 = 1_000;

/// Student's t distribution with any positive number of degrees of freedom; with infinitely many it is the normal one.
///
/// Probabilities and quantiles are exact to about 1e-12 of their own size, in the tails as well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentT {
    df: f64,
    /// ln(gamma((df + 1) / 2) / gamma(df / 2)).
    ln_gamma_ratio: f64,
}

/// A number t >= 0 splits the distribution: how likely |T| is to stay within, and to lie outside. Each is exact to
/// nearly all digits where it is the smaller one.
#[derive(Clone, Copy)]
struct Split {
    within: f64,
    outside: f64,
}

impl Split {
    fn at_outside(outside: f64) -> Self {
        Self { within: 1.0 - outside, outside }
    }

    fn at_within(within: f64) -> Self {
        Self { within, outside: 1.0 - within }
    }
}

impl StudentT {
    /// With `df` degrees of freedom, at least [`LEAST_DF`]; may be infinite. `None` for fewer and for what is no
    /// number.
    pub fn new(df: f64) -> Option<Self> {
        if df.is_nan() || df < LEAST_DF {
            return None;
        }
        let df = if df < NORMAL_FROM { df } else { f64::INFINITY };
        let ln_gamma_ratio = if df.is_finite() { ln_gamma_half_step(df / 2.0) } else { 0.0 };
        Some(Self { df, ln_gamma_ratio })
    }

    /// The degrees of freedom; infinite from 1e20 on.
    pub fn df(&self) -> f64 {
        self.df
    }

    /// P(T <= t).
    pub fn cdf(&self, t: f64) -> f64 {
        let split = self.split(t.abs());
        if t < 0.0 { split.outside / 2.0 } else { 0.5 + split.within / 2.0 }
    }

    /// P(|T| >= |t|): the p-value of a test that looks at both sides.
    pub fn two_sided_p(&self, t: f64) -> f64 {
        self.split(t.abs()).outside
    }

    /// The t with P(T <= t) = p. `None` unless `p` lies in `[0, 1]`; infinite where it exceeds what a number holds.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        if !(0.0..=1.0).contains(&p) {
            return None;
        }
        // p - 1/2 is exact where it matters, near 1/2.
        let t = if (p - 0.5).abs() < 0.25 {
            self.solve_within(2.0 * (p - 0.5).abs())
        } else {
            self.solve_outside(2.0 * p.min(1.0 - p))
        };
        Some(if p < 0.5 { -t } else { t })
    }

    /// The t >= 0 with P(|T| >= t) = level: how far from 0 a statistic must be. `None` unless `level` lies in `[0, 1]`.
    pub fn two_sided_critical(&self, level: f64) -> Option<f64> {
        if !(0.0..=1.0).contains(&level) {
            return None;
        }
        Some(if level > 0.5 { self.solve_within(1.0 - level) } else { self.solve_outside(level) })
    }

    /// The density at t.
    fn density(&self, t: f64) -> f64 {
        if self.df.is_infinite() {
            return (-t * t / 2.0).exp() / (2.0 * PI).sqrt();
        }
        let shape = -(self.df + 1.0) / 2.0 * self.ln_one_plus_square(t);
        (self.ln_gamma_ratio + shape).exp() / (PI * self.df).sqrt()
    }

    /// ln(1 + t^2 / df), also where the square overflows.
    fn ln_one_plus_square(&self, t: f64) -> f64 {
        let root = t / self.df.sqrt();
        let square = root * root;
        if square.is_finite() { square.ln_1p() } else { 2.0 * t.ln() - self.df.ln() }
    }

    /// P(|T| > t) is the incomplete beta function I_x(df/2, 1/2) with x = df / (df + t^2) (Abramowitz and Stegun,
    /// 26.7.1). It is computed by Lentz's continued fraction (DLMF 8.17.22), on the side where that converges fast;
    /// with many degrees of freedom the outside by the expansion in incomplete gamma functions (DLMF 8.18.3; as in
    /// DiDonato and Morris, "Algorithm 708", ACM TOMS 18, 1992, about a - 1/4, which leaves even powers only).
    fn split(&self, t: f64) -> Split {
        if self.df.is_infinite() {
            let outside = libm::erfc(t * FRAC_1_SQRT_2);
            return if outside > 0.5 {
                Split::at_within(libm::erf(t * FRAC_1_SQRT_2))
            } else {
                Split::at_outside(outside)
            };
        }
        let a = self.df / 2.0;
        let root = t / self.df.sqrt();
        let square = root * root;
        let ln = self.ln_one_plus_square(t);
        // x and the square root of 1 - x, where x = 1 / (1 + square).
        let x = 1.0 / (1.0 + square);
        let root_of_rest = if square.is_finite() { root / (1.0 + square).sqrt() } else { 1.0 };
        let is_inner = square * (a + 1.0) <= 1.5;
        if !is_inner && self.df >= MANY_DF && ln <= EXPANSION_UP_TO {
            return Split::at_outside(self.outside_of_many(ln));
        }
        let front = (self.ln_gamma_ratio - a * ln).exp() / PI.sqrt() * root_of_rest;
        if is_inner {
            Split::at_within(front * beta_fraction(0.5, a, root_of_rest * root_of_rest) * 2.0)
        } else {
            Split::at_outside(front * beta_fraction(a, 0.5, x) / a)
        }
    }

    /// With n = df/2 - 1/4: gamma ratio / sqrt(pi n) times the sum of c_k n^(-2k) Gamma(2k + 1/2, n ln), where `ln` is
    /// ln(1 + t^2 / df).
    fn outside_of_many(&self, ln: f64) -> f64 {
        let n = self.df / 2.0 - 0.25;
        let z = n * ln;
        // Gamma(s, z) by its recurrence in s, divided by n^(s - 1/2).
        let mut upper_gamma = PI.sqrt() * libm::erfc(z.sqrt());
        let mut power = z.sqrt() * (-z).exp();
        let mut s = 0.5;
        let mut terms = [0.0; EXPANSION.len()];
        for term in &mut terms {
            *term = upper_gamma;
            for _ in 0..2 {
                upper_gamma = (s * upper_gamma + power) / n;
                power *= ln;
                s += 1.0;
            }
        }
        let sum: f64 = terms.iter().zip(EXPANSION).rev().map(|(term, coefficient)| term * coefficient).sum();
        (self.ln_gamma_ratio - n.ln() / 2.0).exp() / PI.sqrt() * sum
    }

    /// The t >= 0 with P(|T| < t) = within.
    ///
    /// Newton on ln P against ln t, which is concave: from a start below the root it never overshoots. The density is
    /// greatest at 0, so that `within` / (2 density(0)) is such a start.
    fn solve_within(&self, within: f64) -> f64 {
        if within == 0.0 {
            return 0.0;
        }
        let goal = within.ln();
        let start = (within / (2.0 * self.density(0.0))).ln();
        newton(start, |ln_t| {
            let t = ln_t.exp();
            let here = self.split(t).within;
            (here.ln() - goal, 2.0 * (t * self.density(t)) / here)
        })
    }

    /// The t >= 0 with P(|T| > t) = outside.
    ///
    /// Newton as above, on the logarithm of the tail, which is concave too: after the first step all are from above.
    fn solve_outside(&self, outside: f64) -> f64 {
        if outside == 0.0 {
            return f64::INFINITY;
        }
        let goal = outside.ln();
        // The normal tail is below exp(-z^2 / 2), and n ln(1 + t^2 / df) is nearly z^2 / 2 (the expansion's first
        // term).
        let square = -2.0 * goal;
        let start = if self.df.is_infinite() {
            square.ln() / 2.0
        } else {
            let exponent = square / (self.df - 0.5).max(0.5);
            (self.df.ln() + if exponent < 500.0 { exponent.exp_m1().ln() } else { exponent }) / 2.0
        };
        newton(start, |ln_t| {
            let t = ln_t.exp();
            let here = self.split(t).outside;
            (here.ln() - goal, -2.0 * (t * self.density(t)) / here)
        })
    }
}

/// exp of the root of a monotone function of ln t, given with its slope; infinite where that is beyond what a number
/// holds.
fn newton(start: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    // The logarithms of the least and the greatest number.
    let (least, greatest) = (-745.0, 709.78);
    let mut ln_t = start.clamp(least, greatest);
    for _ in 0..200 {
        let (value, slope) = function(ln_t);
        let step = -value / slope;
        // Where the probability has vanished, and its logarithm with it, the root lies below.
        let step = if step.is_finite() { step.clamp(-20.0, 20.0) } else { -0.5 };
        if ln_t >= greatest && step > 0.0 {
            return f64::INFINITY;
        }
        ln_t = (ln_t + step).clamp(least, greatest);
        // The next step would be of the size of its square.
        if step.abs() < 1e-8 {
            break;
        }
    }
    ln_t.exp()
}

/// The continued fraction of I_x(a, b) without the factor before it, by Lentz's method; for x < (a + 1) / (a + b + 2).
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let off_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / off_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..=STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / off_zero(1.0 + even * d);
        c = off_zero(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / off_zero(1.0 + odd * d);
        c = off_zero(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-11, "{found}, expected {expected}");
    }

    /// Tables of every textbook (here to 15 digits, by mpmath 1.3.0), and the closed forms for 1 and 2.
    #[test]
    fn known_answers() {
        let of = |df| StudentT::new(df).unwrap();
        near(of(4.0).two_sided_critical(0.05).unwrap(), 2.776_445_105_197_793);
        near(of(8.0).quantile(0.975).unwrap(), 2.306_004_135_204_166);
        near(of(f64::INFINITY).quantile(0.975).unwrap(), 1.959_963_984_540_054);
        near(of(1.0).quantile(0.75).unwrap(), 1.0);
        near(of(1.0).cdf(-1e9), 1e-9 / PI);
        near(of(2.0).cdf(1.0), 0.5 + 1.0 / 12.0_f64.sqrt());
        assert_eq!(of(5.0).quantile(0.5), Some(0.0));
        assert_eq!(of(5.0).quantile(1.0), Some(f64::INFINITY));
        assert_eq!(of(5.0).two_sided_critical(1.0), Some(0.0));
        assert_eq!(of(5.0).cdf(f64::NEG_INFINITY), 0.0);
        assert_eq!(of(5.0).two_sided_p(0.0), 1.0);
    }

    #[test]
    fn what_is_no_distribution_or_no_probability() {
        for df in [0.0, -1.0, 9e-4, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(StudentT::new(df), None);
        }
        let t = StudentT::new(3.0).unwrap();
        for p in [-0.1, 1.1, f64::NAN] {
            assert_eq!((t.quantile(p), t.two_sided_critical(p)), (None, None));
        }
        assert!(t.cdf(f64::NAN).is_nan());
        // Beyond what a number holds.
        assert_eq!(StudentT::new(LEAST_DF).unwrap().quantile(0.999), Some(f64::INFINITY));
    }

    /// The oracle for whole degrees of freedom: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4.
    fn within_by_sum(t: f64, df: u32) -> f64 {
        let theta = (t / f64::from(df).sqrt()).atan();
        let (sine, cosine) = theta.sin_cos();
        let first = if df % 2 == 1 { cosine } else { 1.0 };
        let (mut term, mut sum) = (first, if df == 1 { 0.0 } else { first });
        let mut k = 1 + df % 2;
        while k + 2 < df {
            term *= cosine * cosine * f64::from(k) / f64::from(k + 1);
            sum += term;
            k += 2;
        }
        if df % 2 == 1 { 2.0 / PI * (theta + sine * sum) } else { sine * sum }
    }

    proptest! {
        #[test]
        fn agrees_with_the_finite_sums(t in 0.0..40.0_f64, df in 1_u32..200) {
            let p = StudentT::new(f64::from(df)).unwrap().two_sided_p(t);
            prop_assert!((p - (1.0 - within_by_sum(t, df))).abs() < 1e-12);
        }

        #[test]
        fn the_quantile_turns_the_cdf_over(exponent in -2.0..9.0_f64, p in 1e-12..1.0_f64) {
            let t = StudentT::new(10.0_f64.powf(exponent)).unwrap();
            let quantile = t.quantile(p).unwrap();
            if quantile.is_finite() {
                prop_assert!((t.cdf(quantile) / p - 1.0).abs() < 1e-9);
            }
        }

        #[test]
        fn is_symmetric_and_rises(exponent in -3.0..10.0_f64, low in -1e3..1e3_f64, step in 0.0..10.0_f64) {
            let t = StudentT::new(10.0_f64.powf(exponent)).unwrap();
            prop_assert!(t.cdf(low) <= t.cdf(low + step) + 1e-14);
            prop_assert!((t.cdf(low) + t.cdf(-low) - 1.0).abs() < 1e-14);
            prop_assert!((0.0..=1.0).contains(&t.cdf(low)));
        }

        #[test]
        fn more_degrees_of_freedom_have_lighter_tails(exponent in -2.5..9.0_f64, t in 0.1..50.0_f64) {
            let df = 10.0_f64.powf(exponent);
            let p = |df| StudentT::new(df).unwrap().two_sided_p(t);
            prop_assert!(p(df * 1.1) <= p(df) * (1.0 + 1e-11));
        }

        #[test]
        fn any_numbers_give_an_answer(df: f64, t: f64, p: f64) {
            if let Some(of) = StudentT::new(df) {
                prop_assert!(of.cdf(t).is_nan() == t.is_nan());
                prop_assert!(of.quantile(p).is_none_or(|quantile| !quantile.is_nan()));
            }
        }
    }
}
