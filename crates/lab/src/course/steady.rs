//! When a warm-up may end. Pure.

use velo_stats::STEADY_WITHIN;

/// The fewest windows in a group.
const LEAST_GROUP: usize = 5;
/// Groups compared.
const GROUPS: usize = 3;
/// Groups that lie further apart are not steady, however noisy the windows: a compiler at work is such a noise.
const MOST_AGREEMENT: f64 = 0.2;
/// A gain from the first group to the last of so much, seen or hidden in noise, is not level yet: a compiler that has a part of the
/// windows leaves them so unlike each other that a rise by half hides in them.
const MOST_GAIN: f64 = 0.2;
/// The 95 % point of Student's t for twelve degrees of freedom, one-sided. For larger groups it is a little less, down to 1.65.
const STUDENTS_T: f64 = 1.78;
/// The 95 % point of the studentised range for three groups and twelve degrees of freedom: how far the largest
/// and the smallest of three means of equal things lie apart, in standard errors of a mean. For larger groups it is a little
/// less, down to 3.31.
const STUDENTISED_RANGE: f64 = 3.77;

/// The fewest windows that can be steady.
pub(crate) const LEAST_WINDOWS: usize = LEAST_GROUP * GROUPS;

/// Which values are those of a warmer contender.
#[derive(Clone, Copy)]
pub(crate) enum Warmer {
    /// Rates.
    Higher,
    /// CPU time per request.
    Lower,
}

/// Whether the last half of the values, and at least fifteen, agree in three groups of equal size within [`STEADY_WITHIN`] or the noise seen in
/// them, whichever is larger, but never within more than 20 %, and the last group is with 95 % confidence less than 20 % warmer than the
/// first. The half, because a compiler that took long to come so far may rest for long.
pub(crate) fn is_steady(values: &[f64], warmer: Warmer) -> bool {
    if values.len() < LEAST_WINDOWS {
        return false;
    }
    let in_group = LEAST_GROUP.max(values.len() / 2 / GROUPS);
    let groups: Vec<&[f64]> = values[values.len() - in_group * GROUPS..].chunks(in_group).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = groups.iter().map(|group| mean(group)).collect();
    let level = mean(&means);
    if level.is_nan() || level <= 0.0 {
        return false;
    }
    let squares: f64 = groups
        .iter()
        .zip(&means)
        .flat_map(|(group, mean)| group.iter().map(move |value| (value - mean).powi(2)))
        .sum();
    let within = (squares / (GROUPS * (in_group - 1)) as f64).sqrt();
    let error_of_mean = within / (in_group as f64).sqrt();
    let largest = means.iter().copied().fold(f64::MIN, f64::max);
    let smallest = means.iter().copied().fold(f64::MAX, f64::min);
    let noise = STUDENTISED_RANGE * error_of_mean;
    let gain = match warmer {
        Warmer::Higher => means[GROUPS - 1] - means[0],
        Warmer::Lower => means[0] - means[GROUPS - 1],
    };
    let hidden = STUDENTS_T * error_of_mean * 2f64.sqrt();
    largest - smallest <= noise.clamp(STEADY_WITHIN * level, MOST_AGREEMENT * level)
        && gain + hidden <= MOST_GAIN * level
}

/// From which of these values on, which are steady, they are at their level: the backward sum of all later ones is split in every way
/// that leaves [`LEAST_WINDOWS`], and neither the first five of such a part nor its first third may lie further from the rest of it than
/// [`STEADY_WITHIN`] or two standard errors, whichever is larger. Chance ends the level too early rather than too late.
pub(crate) fn level_from(values: &[f64]) -> usize {
    let Some(last) = values.len().checked_sub(LEAST_WINDOWS) else { return 0 };
    let is_level = |from: &usize| {
        let part = &values[*from..];
        [LEAST_GROUP, part.len() / GROUPS].into_iter().all(|first| {
            let (first, rest) = part.split_at(first);
            let (mean, variance) = mean_and_variance(rest);
            let error = (variance * (1.0 / first.len() as f64 + 1.0 / rest.len() as f64)).sqrt();
            (mean_and_variance(first).0 - mean).abs() <= (2.0 * error).max(STEADY_WITHIN * mean)
        })
    };
    (0..=last).rev().take_while(is_level).last().unwrap_or(last)
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (values.len() as f64 - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// About this level, scattering by a tenth.
    fn scattered(level: f64, windows: usize) -> Vec<f64> {
        let scatter = [0.0, 1.0, -1.2, 0.4, -0.7, 1.3, -0.3, 0.8, -1.1, 0.2, -0.6];
        (0..windows).map(|i| level * (1.0 + 0.1 * scatter[i % scatter.len()])).collect()
    }

    #[test]
    fn a_level_begins_where_what_follows_is_like_the_end() {
        let from = |start: &[f64], windows| level_from(&[start, &scattered(1000.0, windows)].concat());
        assert_eq!(from(&[], 60), 0);
        assert_eq!(from(&[], 15), 0);
        let cold = from(&[100.0, 300.0, 500.0], 60);
        assert!((2..=4).contains(&cold), "{cold}");
        // As node warms up: two thirds of a second at less, in windows of 20 ms.
        let compiled = from(&scattered(700.0, 32), 80);
        assert!((29..=35).contains(&compiled), "{compiled}");
        let slow: Vec<f64> = (0..100).map(|i| 500.0 + 5.0 * f64::from(i)).collect();
        let rising = from(&slow, 100);
        assert!((60..=110).contains(&rising), "{rising}");
    }

    #[test]
    fn too_few_values_or_none_have_their_level_from_the_start() {
        assert_eq!((level_from(&[]), level_from(&[1.0; 14])), (0, 0));
        assert_eq!(level_from(&[f64::NAN; 20]), 5, "what is not known is not level");
    }

    #[test]
    fn level_rates_are_steady_and_rising_ones_are_not() {
        let wobble = |i: usize| 1.0 + 0.01 * [0.0, 1.0, -1.0, 0.5, -0.5][i % 5];
        let level: Vec<f64> = (0..15).map(|i| 1000.0 * wobble(i)).collect();
        assert!(is_steady(&level, Warmer::Higher));
        assert!(!is_steady(&level[..14], Warmer::Higher), "too few");
        let rising: Vec<f64> = (0..15).map(|i| 1000.0 * wobble(i) * (1.0 + 0.02 * i as f64)).collect();
        assert!(!is_steady(&rising, Warmer::Higher));
        // What was slow at first does not count once fifteen windows agree.
        let warmed: Vec<f64> = [100.0; 5].into_iter().chain(level).collect();
        assert!(is_steady(&warmed, Warmer::Higher));
        assert!(!is_steady(&[0.0; 15], Warmer::Higher));
        assert!(!is_steady(&[f64::NAN; 15], Warmer::Higher));
    }

    #[test]
    fn noisy_windows_are_steady_when_their_groups_differ_by_no_more_than_noise() {
        let noisy: Vec<f64> = (0..15).map(|i| 1000.0 + 200.0 * [0.0, 1.0, -1.0, 0.7, -0.7][i % 5]).collect();
        assert!(is_steady(&noisy, Warmer::Higher));
    }

    #[test]
    fn what_is_too_noisy_to_show_a_rise_is_given_more_windows() {
        // Answers per second of ASP.NET Core's controllers in their first seconds, as they were measured: they came to 4,700.
        let compiling = [
            1302.0, 1442.0, 1400.0, 1247.0, 1661.0, 2058.0, 1356.0, 1412.0, 1025.0, 1914.0, 1795.0, 1192.0,
            2112.0, 1135.0, 1797.0,
        ];
        assert!(!is_steady(&compiling, Warmer::Higher));
        let noisy = |windows: usize| -> Vec<f64> {
            (0..windows).map(|i| 1000.0 + 300.0 * [0.0, 1.0, -1.0, 0.7, -0.7][i % 5]).collect()
        };
        assert!(!is_steady(&noisy(15), Warmer::Higher));
        assert!(is_steady(&noisy(120), Warmer::Higher), "many say what few do not");
    }

    #[test]
    fn noise_that_hides_no_gain_is_no_reason_for_more_windows() {
        // Answers per second of Mono's System.Web, as they were measured: its collector makes windows as unlike each other as a compiler
        // does, and it was as warm as it gets before the first of them.
        let collecting = [
            822.0, 1201.0, 1229.0, 1316.0, 1342.0, 1419.0, 1008.0, 1404.0, 1120.0, 1047.0, 1200.0, 1199.0,
            1291.0, 708.0, 1321.0,
        ];
        assert!(is_steady(&collecting, Warmer::Higher));
        let falling = |step: f64| -> Vec<f64> { (0..15).map(|i| 1000.0 - step * f64::from(i / 5)).collect() };
        assert!(is_steady(&falling(9.0), Warmer::Higher));
        assert!(!is_steady(&falling(90.0), Warmer::Higher), "nor is it level");
    }

    #[test]
    fn what_is_warmer_decides_which_way_a_gain_lies() {
        // The groups agree within noise; from the first to the last there is a twelfth.
        let values: Vec<f64> = (0..15)
            .map(|i| 1000.0 + 40.0 * f64::from(i / 5) + 150.0 * [0.0, 1.0, -1.0, 0.7, -0.7][i as usize % 5])
            .collect();
        assert!(!is_steady(&values, Warmer::Higher));
        assert!(is_steady(&values, Warmer::Lower));
    }

    #[test]
    fn a_rest_that_is_short_for_what_came_before_is_not_the_end() {
        let steps = |low: usize, high: usize| [vec![1000.0; low], vec![2000.0; high]].concat();
        assert!(is_steady(&steps(15, 15), Warmer::Higher));
        assert!(!is_steady(&steps(40, 20), Warmer::Higher), "a third of it");
        assert!(is_steady(&steps(40, 40), Warmer::Higher));
    }

    #[test]
    fn what_falls_in_leaps_is_not_steady() {
        // CPU time per request in windows of a JVM that still compiles, as it was measured.
        let leaps = [
            731.0, 733.0, 688.0, 357.0, 570.0, 451.0, 527.0, 227.0, 458.0, 257.0, 428.0, 206.0, 525.0, 328.0,
            437.0,
        ];
        assert!(!is_steady(&leaps, Warmer::Lower));
    }
}
