use velo_stats::{Comparison, PairState};

/// The difference that is to be found, as a share.
pub(crate) const APART: f64 = 0.03;

/// What was counted over the runs of a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Tally {
    runs: u64,
    launches: u64,
    runs_with_false: u64,
    intervals: u64,
    held: u64,
    half_widths: f64,
    apart: u64,
    found: u64,
}

impl Tally {
    /// A run that was judged after so many launches, when these are the logarithms of the contenders' true figures.
    pub(crate) fn add(&mut self, comparison: &Comparison, levels: &[f64], launches: u32) {
        let mut any_false = false;
        for pair in &comparison.pairs {
            let truth = levels[pair.first] - levels[pair.second];
            let told = match pair.state {
                PairState::Separated { above } if above == pair.first => 1.0,
                PairState::Separated { .. } => -1.0,
                PairState::Equal | PairState::Open => 0.0,
            };
            let is_right = told * truth > 0.0;
            any_false |= told != 0.0 && !is_right;
            if let Some(test) = pair.test {
                self.intervals += 1;
                self.held += u64::from(test.interval.holds(truth));
                self.half_widths += (test.interval.high - test.interval.low) / 2.0;
            }
            if (truth.abs() - APART.ln_1p()).abs() < 1e-9 {
                self.apart += 1;
                self.found += u64::from(is_right);
            }
        }
        self.add_run(any_false, launches);
    }

    /// A run that was judged by intervals alone, when all are equal.
    pub(crate) fn add_intervals(&mut self, any_false: bool, held: u64, intervals: u64, launches: u32) {
        self.held += held;
        self.intervals += intervals;
        self.add_run(any_false, launches);
    }

    fn add_run(&mut self, any_false: bool, launches: u32) {
        self.runs += 1;
        self.runs_with_false += u64::from(any_false);
        self.launches += u64::from(launches);
    }

    /// The share of runs with at least one false separation.
    pub(crate) fn false_separations(&self) -> f64 {
        share(self.runs_with_false, self.runs)
    }

    /// The share of the pairs' own intervals that hold the truth.
    pub(crate) fn coverage(&self) -> f64 {
        share(self.held, self.intervals)
    }

    /// The share of the pairs with the difference in question that was told apart the right way round.
    pub(crate) fn power(&self) -> Option<f64> {
        (self.apart > 0).then(|| share(self.found, self.apart))
    }

    /// Half of the width of a pair's own interval, as a share of the ratio: of the mean in logarithms. `None` where only states were
    /// counted.
    pub(crate) fn half_width(&self) -> Option<f64> {
        (self.half_widths > 0.0).then(|| (self.half_widths / self.intervals.max(1) as f64).exp_m1())
    }

    pub(crate) fn mean_launches(&self) -> f64 {
        share(self.launches, self.runs)
    }
}

/// 0 of none.
fn share(part: u64, all: u64) -> f64 {
    part as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::compare;
    use velo_stats::{PairLogs, PairRules};

    #[test]
    fn what_is_told_is_held_against_the_truth() {
        let ratios = |log_ratios: [f64; 5]| {
            [PairLogs {
                first: 0,
                second: 1,
                log_ratios: log_ratios.to_vec().into(),
                mean: None,
                allowance: 0.0,
            }]
        };
        let above = compare(&ratios([0.10, 0.11, 0.09, 0.10, 0.12]), 5, PairRules::default());
        let open = compare(&ratios([0.1, -0.1, 0.0, 0.05, -0.02]), 5, PairRules::default());
        let step = APART.ln_1p();

        let mut tally = Tally::default();
        tally.add(&above, &[0.0, 0.0], 5);
        tally.add(&open, &[0.0, 0.0], 8);
        assert_eq!((tally.false_separations(), tally.coverage(), tally.power()), (0.5, 0.5, None));
        assert_eq!(tally.mean_launches(), 6.5);
        let half = |comparison: &Comparison| {
            let interval = comparison.pairs[0].test.unwrap().interval;
            (interval.high - interval.low) / 2.0
        };
        let mean = (half(&above) + half(&open)) / 2.0;
        assert!((tally.half_width().unwrap() - mean.exp_m1()).abs() < 1e-12);
        let mut tally = Tally::default();
        tally.add_intervals(true, 1, 1, 5);
        assert_eq!(tally.half_width(), None);

        let mut tally = Tally::default();
        tally.add(&above, &[step, 0.0], 5);
        tally.add(&open, &[step, 0.0], 5);
        assert_eq!((tally.false_separations(), tally.power()), (0.0, Some(0.5)));

        // The wrong way round is worse than nothing.
        let mut tally = Tally::default();
        tally.add(&above, &[0.0, step], 5);
        assert_eq!((tally.false_separations(), tally.power()), (1.0, Some(0.0)));
    }
}
