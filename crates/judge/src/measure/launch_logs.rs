//! The model that figures, ratios and ranks are made by: in logarithms, the level of a launch and the effect of a contender.
//!
//! One number a launch and contender; a figure is their mean, a ratio the difference of two figures. So a contender that is
//! separated above another has the greater figure, always.

use std::collections::BTreeMap;

use velo_stats::estimate::ratio_about;
use velo_stats::means_over_launches;

use crate::measure::block_logs::BlockLogs;
use crate::measure::estimate::Estimate;
use crate::measure::exposure::Exposure;
use crate::measure::figures::{Blocks, Launches};

/// One logarithm a launch, of a figure or of a ratio. One that is infinite stays, so that no estimate is made of the rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LaunchLogs {
    launches: Launches,
    /// Their mean; where other contenders have launches that this one lacks, what the model says of all.
    mean: Option<f64>,
    /// What of the machine may have moved a figure.
    exposure: Exposure,
    /// By so much, in logarithms, a ratio may have been moved by it.
    allowance: f64,
}

impl LaunchLogs {
    /// Contenders that were measured together, one map of blocks each.
    pub(crate) fn fit(contenders: &[&Blocks]) -> Vec<Self> {
        let logs = BlockLogs::measured(contenders);
        let numbers = logs.numbers();
        let table = logs.levels();
        let means = means_over_launches(&table);
        table
            .into_iter()
            .zip(means)
            .map(|(row, mean)| Self {
                launches: numbers.iter().copied().zip(row).filter(|(_, log)| !log.is_nan()).collect(),
                mean,
                ..Self::default()
            })
            .collect()
    }

    /// Contenders with one number a launch.
    pub(crate) fn fit_launches(contenders: &[&Launches]) -> Vec<Self> {
        let blocks: Vec<Blocks> = contenders
            .iter()
            .map(|launches| launches.iter().map(|(launch, value)| ((*launch, 1), *value)).collect())
            .collect();
        Self::fit(&blocks.iter().collect::<Vec<_>>())
    }

    /// Figures of launches that stand alone.
    pub(crate) fn of_figures(launches: &Launches) -> Self {
        Self::alone(launches.iter().map(|(launch, value)| (*launch, value.ln())).collect())
    }

    /// Logarithms that stand alone: nothing else tells of launches that are missing.
    pub(crate) fn alone(launches: Launches) -> Self {
        let row: Vec<f64> = launches.values().copied().collect();
        let has_none = row.iter().any(|log| log.is_nan());
        let mean = if has_none { None } else { means_over_launches(&[row]).into_iter().next().flatten() };
        Self { launches, mean, ..Self::default() }
    }

    /// Figures of another run's launches, with the mean that its report had; without one theirs.
    pub(crate) fn of_another_run(figures: &[f64], mean: Option<f64>) -> Self {
        let own = Self::of_figures(&(1..).zip(figures.iter().copied()).collect());
        Self { mean: mean.filter(|_| own.mean.is_some()).or(own.mean), ..own }
    }

    /// A figure with what it was exposed to.
    pub(crate) fn exposed(self, exposure: Exposure) -> Self {
        Self { exposure, ..self }
    }

    /// By how much, in logarithms, what was taken from the machine may have moved it: of a ratio against the other figure, of a figure
    /// against the same in another run.
    pub(crate) fn allowance(&self) -> f64 {
        self.allowance.max(self.exposure.alone())
    }

    /// How many launches have a number.
    pub(crate) fn len(&self) -> usize {
        self.launches.len()
    }

    /// The logarithms, launch by launch.
    pub(crate) fn logs(&self) -> &Launches {
        &self.launches
    }

    /// What they are the logarithms of.
    pub(crate) fn figures(&self) -> Launches {
        self.launches.iter().map(|(launch, log)| (*launch, log.exp())).collect()
    }

    /// The mean logarithm; `None` when there is none or it is infinite.
    pub(crate) fn mean(&self) -> Option<f64> {
        self.mean
    }

    /// This one over another of the same fit, in the launches that have both; the ratio is that of the figures.
    pub(crate) fn over(&self, other: &Self) -> Self {
        let launches = difference(&self.launches, &other.launches);
        let has_some = !launches.is_empty();
        Self {
            launches,
            mean: self.mean.zip(other.mean).map(|(own, other)| own - other).filter(|_| has_some),
            exposure: Exposure::default(),
            allowance: self.exposure.of_ratio(&other.exposure),
        }
    }

    /// This one over another that was measured apart, paired by launch.
    pub(crate) fn over_apart(&self, other: &Self) -> Self {
        let allowance = self.exposure.of_ratio(&other.exposure) + self.allowance + other.allowance;
        Self { allowance, ..Self::alone(difference(&self.launches, &other.launches)) }
    }

    /// Log ratios of this one over another that were paired by themselves.
    pub(crate) fn beside(&self, other: &Self, log_ratios: Launches) -> Self {
        Self { allowance: self.exposure.of_ratio(&other.exposure), ..Self::alone(log_ratios) }
    }

    /// The figure or ratio with its interval at this confidence; `None` when it is 0 or infinite.
    pub(crate) fn estimate(&self, confidence: f64) -> Option<Estimate> {
        let logs: Vec<f64> = self.launches.values().copied().collect();
        let estimate = ratio_about(self.mean?, &logs, confidence, self.allowance)?;
        let (least, most) = match logs.as_slice() {
            [one, other] => (Some(one.min(*other).exp()), Some(one.max(*other).exp())),
            _ => (None, None),
        };
        Some(Estimate { least, most, ..estimate.into() })
    }
}

/// Paired by launch. Two numbers that are both infinite say nothing and are left out.
fn difference(over: &Launches, under: &Launches) -> Launches {
    let pairs = over.iter().filter_map(|(launch, log)| Some((*launch, log - under.get(launch)?)));
    pairs.filter(|(_, difference)| !difference.is_nan()).collect()
}

/// Several quantities of the contenders of a workload at once: `which` names those that were measured together.
pub(crate) fn fit_by<K: Ord + Clone>(contenders: &[BTreeMap<K, Blocks>]) -> Vec<BTreeMap<K, LaunchLogs>> {
    let mut fitted: Vec<BTreeMap<K, LaunchLogs>> = contenders.iter().map(|_| BTreeMap::new()).collect();
    let kinds: std::collections::BTreeSet<&K> = contenders.iter().flat_map(BTreeMap::keys).collect();
    for kind in kinds {
        let own: Vec<(usize, &Blocks)> =
            contenders.iter().enumerate().filter_map(|(place, of)| Some((place, of.get(kind)?))).collect();
        let logs = LaunchLogs::fit(&own.iter().map(|(_, blocks)| *blocks).collect::<Vec<_>>());
        for ((place, _), logs) in own.into_iter().zip(logs) {
            fitted[place].insert(kind.clone(), logs);
        }
    }
    fitted
}

/// The figure of launches that stand alone, with its interval at this confidence: the one way from numbers of launches to a
/// figure that is printed, in reports and in comparisons.
pub(crate) fn estimate(launches: &Launches, confidence: f64) -> Option<Estimate> {
    LaunchLogs::of_figures(launches).estimate(confidence)
}

/// The ratio over launches, with its interval at this confidence.
pub(crate) fn ratio(log_ratios: Launches, confidence: f64) -> Option<Estimate> {
    LaunchLogs::alone(log_ratios).estimate(confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::figures::paired_log_ratios;
    use crate::measure::pair_ratios::pairs;
    use velo_stats::{PairRules, PairState, compare_pairs};

    /// In each launch three blocks, in which three contenders change places in a ring.
    fn ring() -> [Blocks; 3] {
        let figures = [[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]];
        [0, 1, 2].map(|contender| {
            let blocks = (0..5_u32).flat_map(|launch| (0..3_u32).map(move |block| (launch, block)));
            blocks.map(|(launch, block)| ((launch, block), figures[contender][block as usize])).collect()
        })
    }

    /// Each two by themselves would say that the first is below the second, the second below the third, and that below the first.
    #[test]
    fn a_ring_of_paired_medians_is_no_order() {
        let ring = ring();
        for (one, other) in [(0, 1), (1, 2), (2, 0)] {
            assert!(paired_log_ratios(&ring[one], &ring[other]).values().all(|log_ratio| *log_ratio < -0.4));
        }
        let fitted = LaunchLogs::fit(&ring.iter().collect::<Vec<_>>());
        let values: Vec<f64> = fitted.iter().map(|logs| logs.estimate(0.95).unwrap().value).collect();
        let comparison =
            compare_pairs(&pairs(&fitted.iter().collect::<Vec<_>>(), |_, _| true), PairRules::default());
        for pair in &comparison.pairs {
            let (first, second) = (values[pair.first], values[pair.second]);
            match pair.state {
                PairState::Separated { above } if above == pair.first => assert!(first > second),
                PairState::Separated { .. } => assert!(first < second),
                PairState::Equal | PairState::Open => {}
            }
            assert!((pair.ratio().unwrap().value - first / second).abs() < 1e-12);
        }
    }

    #[test]
    fn a_launch_that_one_lacks_is_made_up_for() {
        let of = |values: &[f64]| -> Launches { (1..).zip(values.iter().copied()).collect() };
        // The last launch was half as fast for all.
        let (first, mut second) = (of(&[100.0, 100.0, 100.0, 50.0]), of(&[90.0, 90.0, 90.0, 45.0]));
        second.remove(&4);
        let fitted = LaunchLogs::fit_launches(&[&first, &second]);
        let value = |logs: &LaunchLogs| logs.estimate(0.95).unwrap().value;
        assert!((value(&fitted[1]) / value(&fitted[0]) - 0.9).abs() < 1e-9);
        assert!(value(&fitted[1]) < 90.0, "it was not in the slow launch");
        let over = fitted[1].over(&fitted[0]);
        assert!((value(&over) - 0.9).abs() < 1e-9 && over.len() == 3);
    }

    #[test]
    fn figures_that_are_none() {
        let of = |values: &[f64]| -> Launches { (1..).zip(values.iter().copied()).collect() };
        for values in [&[][..], &[0.0, 1.0], &[f64::NAN, 1.0], &[-1.0, 1.0], &[f64::INFINITY, 1.0]] {
            assert_eq!(LaunchLogs::of_figures(&of(values)).estimate(0.95), None, "{values:?}");
        }
        assert_eq!(LaunchLogs::of_another_run(&[2.0, 8.0], Some(f64::MAX)).estimate(0.95), None);
        let theirs = LaunchLogs::of_another_run(&[2.0, 8.0], None).estimate(0.95).unwrap();
        assert!((theirs.value - 4.0).abs() < 1e-9);
    }
}
