//! Spreads, and the ratio of paired figures with its interval.

use velo_stats::median;

/// Median, least and greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) greatest: f64,
}

/// `None` when there are no values.
pub(crate) fn spread(values: &[f64]) -> Option<Spread> {
    Some(Spread {
        median: median(values)?,
        least: values.iter().copied().fold(f64::INFINITY, f64::min),
        greatest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

/// The ratio of two paired figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratio {
    /// The median of the ratios pair by pair.
    pub(crate) median: f64,
    /// The 95 % interval, Student's t on the logarithms of the ratios; `None` with fewer than three pairs.
    pub(crate) interval: Option<(f64, f64)>,
}

/// From pairs of positive figures; `None` when there are none.
pub(crate) fn ratio(pairs: &[(f64, f64)]) -> Option<Ratio> {
    let ratios: Vec<f64> = pairs.iter().map(|(a, b)| a / b).collect();
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    Some(Ratio {
        median: median(&ratios)?,
        interval: interval_of_mean(&logs).map(|(low, high)| (low.exp(), high.exp())),
    })
}

fn interval_of_mean(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 3 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = student_t_975(values.len() - 1) * (variance / n).sqrt();
    Some((mean - half, mean + half))
}

/// The quantile 0.975 of Student's t; a table up to 30 degrees of freedom, then the first terms of its expansion
/// around the normal distribution's (Abramowitz and Stegun 26.7.5).
fn student_t_975(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
        2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
        2.045, 2.042,
    ];
    match TABLE.get(degrees.wrapping_sub(1)) {
        Some(quantile) => *quantile,
        None => {
            let (z, n) = (1.959_964_f64, degrees as f64);
            z + (z.powi(3) + z) / (4.0 * n) + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let pairs = [(2.0, 4.0), (3.0, 4.0), (1.0, 4.0), (2.0, 4.0)];
        let known = ratio(&pairs).unwrap();
        assert_eq!(known.median, 0.5);
        // Logarithms -0.6931, -0.2877, -1.3863, -0.6931: mean -0.7651, standard deviation 0.4561, t 3.182.
        let (low, high) = known.interval.unwrap();
        assert!((low - 0.22520).abs() < 1e-5, "{low}");
        assert!((high - 0.96140).abs() < 1e-5, "{high}");
        assert_eq!(ratio(&[]), None);
        assert_eq!(ratio(&pairs[..2]).unwrap().interval, None);
        assert_eq!(spread(&[3.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, greatest: 3.0 }));
    }

    #[test]
    fn the_quantile_falls_to_the_normal_distributions() {
        for (degrees, known) in [(31, 2.0395), (40, 2.0211), (60, 2.0003), (120, 1.9799), (1_000_000, 1.9600)]
        {
            assert!((student_t_975(degrees) - known).abs() < 2e-4, "{degrees}");
        }
        assert!((1..200).all(|degrees| student_t_975(degrees) > student_t_975(degrees + 1)));
    }
}
