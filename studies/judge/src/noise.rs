//! Noise with a known law.

use serde::Serialize;
use velo_stats::SplitMix64;

use crate::blocks::BlockLogs;
use crate::shared::shared;

/// How the launches of a contender differ; the standard deviation is the same in all of them but the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Normally.
    Normal,
    /// Normally, but contenders differ in how much: from 1 / sqrt(3) to sqrt(3) times the setting's.
    Unequal,
    /// Each launch takes one of two modes.
    Bimodal,
    /// Normally, and now and then the whole machine is 15 % slower for some dozens of windows.
    SlowPhases,
    /// By Student's t distribution with 4 degrees of freedom.
    HeavyTails,
    /// Normally, the first contender three times as much as the setting's, or the whole first group where there are several.
    OneWider,
}

impl Shape {
    /// Those that all numbers of contenders are simulated with.
    pub const ALL: [Self; 5] =
        [Self::Normal, Self::Unequal, Self::Bimodal, Self::SlowPhases, Self::HeavyTails];
}

/// How the windows of a launch differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Windows {
    /// Normally, by 1 %.
    Quiet,
    /// As windows of 50 ms did on a shared machine with two CPUs: half of them by less than 6 %, a tenth by more than 40 %.
    Shared,
}

/// The standard deviation of windows on a quiet machine.
const QUIET: f64 = 0.01;
/// What the machine does to all windows of a block alike. It cancels in pairs, however large.
const DRIFT: f64 = 0.1;
/// How much slower the machine is in a slow phase.
const SLOW: f64 = 0.15;
/// How likely a slow phase is to begin before a window, and to end.
const SLOW_BEGINS: f64 = 1.0 / 60.0;
const SLOW_ENDS: f64 = 1.0 / 30.0;
/// The spread around each of two modes, and the distance of each from the middle, for a variance of 1.
const AROUND_MODE: f64 = 0.3;

/// The standard deviation of the median of ten standard normal numbers, the usual number of blocks.
const MEDIAN_OF_TEN: f64 = 0.3719;

/// Draws what runs of some contenders of equal rate leave.
pub(crate) struct Noise {
    /// The standard deviation of what a launch does to all of its windows.
    of_launches: f64,
    shape: Shape,
    windows: Windows,
    /// So many of the first contenders scatter more with [`Shape::OneWider`].
    wider: usize,
}

impl Noise {
    /// With quiet windows `between` is the standard deviation of a contender's numbers of launches, what windows add to
    /// them included; with those of a shared machine, which add more than that, it is what launches add.
    pub(crate) fn new(between: f64, shape: Shape, windows: Windows) -> Self {
        let of_windows = match windows {
            Windows::Quiet => MEDIAN_OF_TEN * QUIET,
            Windows::Shared => 0.0,
        };
        let of_launches = (between * between - of_windows * of_windows).max(0.0).sqrt();
        Self { of_launches, shape, windows, wider: 1 }
    }

    /// With what launches add alone, whatever windows add to that: for launches of any number of blocks.
    pub(crate) fn of_launches(between: f64, shape: Shape, windows: Windows) -> Self {
        Self { of_launches: between, shape, windows, wider: 1 }
    }

    /// The same with so many wider ones.
    pub(crate) fn with_wider(self, wider: usize) -> Self {
        Self { wider, ..self }
    }

    /// Fills the table with another run.
    pub(crate) fn draw(&self, launches: usize, logs: &mut BlockLogs, random: &mut SplitMix64) {
        let contenders = logs.contenders();
        let mut order: Vec<usize> = (0..contenders).collect();
        let has_phases = self.shape == Shape::SlowPhases;
        let mut is_slow = has_phases && random.unit() < SLOW_BEGINS / (SLOW_BEGINS + SLOW_ENDS);
        for launch in 0..launches {
            let of_launch: Vec<f64> =
                (0..contenders).map(|contender| self.of_launch(contender, contenders, random)).collect();
            for block in 0..logs.blocks(0, launch).len() {
                shuffle(&mut order, random);
                let drift = DRIFT * random.normal();
                for contender in &order {
                    let change = if is_slow { SLOW_ENDS } else { SLOW_BEGINS };
                    is_slow ^= has_phases && random.unit() < change;
                    let slow = if is_slow { (1.0 - SLOW).ln() } else { 0.0 };
                    logs.blocks_mut(*contender, launch)[block] =
                        of_launch[*contender] + drift + slow + self.of_window(random);
                }
            }
        }
    }

    fn of_launch(&self, contender: usize, contenders: usize, random: &mut SplitMix64) -> f64 {
        self.of_launches
            * match self.shape {
                Shape::Normal | Shape::SlowPhases => random.normal(),
                Shape::OneWider => random.normal() * if contender < self.wider { 3.0 } else { 1.0 },
                Shape::Unequal => {
                    let place = contender as f64 / (contenders - 1).max(1) as f64;
                    3.0_f64.powf(place - 0.5) * random.normal()
                }
                Shape::Bimodal => {
                    let mode = (1.0 - AROUND_MODE * AROUND_MODE).sqrt();
                    let side = if random.unit() < 0.5 { -mode } else { mode };
                    side + AROUND_MODE * random.normal()
                }
                Shape::HeavyTails => {
                    // The mean square of four normal numbers is the mean of two exponential ones.
                    let mean_square = -(random.unit() * random.unit()).ln() / 2.0;
                    // The variance of t with 4 degrees of freedom is 2.
                    random.normal() / (2.0 * mean_square).sqrt()
                }
            }
    }

    fn of_window(&self, random: &mut SplitMix64) -> f64 {
        match self.windows {
            Windows::Quiet => QUIET * random.normal(),
            Windows::Shared => shared(random.unit()),
        }
    }
}

/// Fisher and Yates.
fn shuffle(order: &mut [usize], random: &mut SplitMix64) {
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All launches' deviations of a contender, free of windows' noise and drift.
    fn deviations(shape: Shape, contender: usize, contenders: usize) -> Vec<f64> {
        let noise = Noise::new(0.02, shape, Windows::Shared);
        let mut random = SplitMix64::new(1);
        (0..20_000).map(|_| noise.of_launch(contender, contenders, &mut random)).collect()
    }

    fn mean(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
        numbers.clone().sum::<f64>() / numbers.count() as f64
    }

    #[test]
    fn launches_spread_as_they_should() {
        for shape in Shape::ALL.into_iter().filter(|shape| *shape != Shape::Unequal) {
            let all = deviations(shape, 0, 2);
            let spread = mean(all.iter().map(|x| x * x)).sqrt();
            assert!((spread / 0.02 - 1.0).abs() < 0.1, "{shape:?}: {spread}");
            assert!(mean(all.iter().copied()).abs() < 0.000_6, "{shape:?}");
        }
        let spread = |contender| mean(deviations(Shape::Unequal, contender, 5).iter().map(|x| x * x)).sqrt();
        assert!((spread(4) / spread(0) - 3.0).abs() < 0.1);
        assert!((spread(2) / 0.02 - 1.0).abs() < 0.05);
    }

    /// What windows add to a launch is part of the spread between launches.
    #[test]
    fn numbers_of_launches_spread_as_they_should() {
        let noise = Noise::new(0.01, Shape::Normal, Windows::Quiet);
        let mut logs = BlockLogs::zeros(2, 4_000, 10);
        noise.draw(4_000, &mut logs, &mut SplitMix64::new(5));
        let pair = logs.pairs_within(&[2]).remove(0);
        let spread = mean(pair.log_ratios.iter().map(|x| x * x)).sqrt();
        assert!((spread / (0.01 * 2.0_f64.sqrt()) - 1.0).abs() < 0.05, "{spread}");
    }

    #[test]
    fn two_modes_and_heavy_tails_are_what_they_say() {
        let fourth = |shape| mean(deviations(shape, 0, 2).iter().map(|x| (x / 0.02).powi(4)));
        // Two points have a kurtosis of 1, the normal distribution has 3, t with 4 degrees of freedom none that is finite.
        assert!(fourth(Shape::Bimodal) < 1.6);
        assert!((fourth(Shape::Normal) - 3.0).abs() < 0.3);
        assert!(fourth(Shape::HeavyTails) > 5.0);
    }

    #[test]
    fn windows_of_a_shared_machine_have_heavy_tails() {
        let n = 10_000;
        let all: Vec<f64> = (0..n).map(|i| shared((f64::from(i) + 0.5) / f64::from(n))).collect();
        let beyond = |bound: f64| mean(all.iter().map(|x| f64::from(u8::from(x.abs() > bound))));
        assert!((beyond(0.0595) - 0.5).abs() < 0.01 && (beyond(0.3964) - 3.0 / 32.0).abs() < 0.01);
        assert!(all.windows(2).all(|pair| pair[0] <= pair[1]), "a quantile function rises");
        assert!((shared(0.3) + shared(0.7)).abs() < 1e-12, "symmetric");
    }

    #[test]
    fn a_slow_phase_hits_many_windows_in_a_row() {
        let noise = Noise::new(0.0, Shape::SlowPhases, Windows::Quiet);
        let mut logs = BlockLogs::zeros(2, 40, 10);
        noise.draw(40, &mut logs, &mut SplitMix64::new(3));
        // In a block the drift is the same for both, so only a phase that begins or ends in between tells them apart.
        let apart = (0..40).flat_map(|launch| {
            let differences = logs.blocks(0, launch).iter().zip(logs.blocks(1, launch)).map(|(a, b)| a - b);
            differences.collect::<Vec<_>>()
        });
        let split = apart.filter(|difference| difference.abs() > 0.08).count();
        assert!((1..40).contains(&split), "{split} of 400 blocks");
    }
}
