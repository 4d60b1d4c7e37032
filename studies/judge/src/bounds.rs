use serde::Serialize;

use crate::{Rule, Shape, SimulationCell, SpreadOf, TakenCell, TakenRule, Truth, Windows};

/// What a cell is held against. With few runs chance alone moves shares, so the bounds are wider then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Runs with a false separation: 5 %, and what chance adds in the worst of many cells.
    pub false_separations_at_most: f64,
    /// Intervals that hold the truth.
    pub coverage_at_least: f64,
    /// The same; an interval that is too wide is a fault as well. Those of looks are wider on purpose.
    pub coverage_at_most: f64,
    /// Pairs 3 % apart that are told apart, in the cells that promise it.
    pub power_at_least: f64,
}

/// From so many runs on the bounds are those of the method.
const MANY_RUNS: u32 = 2_000;

impl Bounds {
    /// The bounds for so many runs of each cell.
    pub fn of(runs: u32) -> Self {
        if runs >= MANY_RUNS {
            return Self {
                false_separations_at_most: 0.069,
                coverage_at_least: 0.93,
                coverage_at_most: 0.985,
                power_at_least: 0.90,
            };
        }
        // Four standard errors of a share of 5 % are 0.87 / sqrt(runs), and of one of 10 % 1.2 / sqrt(runs).
        let by_chance = 1.0 / f64::from(runs.max(1)).sqrt();
        Self {
            false_separations_at_most: 0.05 + 0.92 * by_chance,
            coverage_at_least: 0.95 - 0.87 * by_chance,
            coverage_at_most: (0.985 + 0.3 * by_chance).min(1.0),
            power_at_least: 0.90 - 1.2 * by_chance,
        }
    }

    /// The bounds that a cell breaks, in words.
    pub(crate) fn broken(&self, cell: &SimulationCell) -> Vec<String> {
        // The counter-example is there to break them.
        if cell.rule == Rule::Bootstrap {
            return Vec::new();
        }
        let (share, coverage) = (cell.false_separations, cell.coverage);
        let mut broken = self.broken_by(share, coverage, cell.rule == Rule::Plan);
        if let Some(power) = cell.power.filter(|_| promises_power(cell)) {
            broken.extend(
                (power < self.power_at_least).then(|| broken_bound("power", power, self.power_at_least)),
            );
        }
        broken
    }

    /// The same of a machine that others use.
    pub(crate) fn broken_of_taken(&self, cell: &TakenCell) -> Vec<String> {
        match cell.rule {
            // It is there to be compared with.
            TakenRule::Dropping => Vec::new(),
            TakenRule::Goodput | TakenRule::CpuTime => {
                self.broken_by(cell.false_separations, cell.coverage, true)
            }
        }
    }

    fn broken_by(&self, false_separations: f64, coverage: f64, has_upper_bound: bool) -> Vec<String> {
        let (most, least, upper) =
            (self.false_separations_at_most, self.coverage_at_least, self.coverage_at_most);
        let checks = [
            (false_separations > most, "false separations", false_separations, most),
            (coverage < least, "coverage", coverage, least),
            (has_upper_bound && coverage > upper, "coverage", coverage, upper),
        ];
        let broken = checks.into_iter().filter(|(is_broken, ..)| *is_broken);
        broken.map(|(_, what, share, bound)| broken_bound(what, share, bound)).collect()
    }
}

fn broken_bound(what: &str, share: f64, bound: f64) -> String {
    format!("{what} {:.1} %, bound {:.1} %", share * 100.0, bound * 100.0)
}

/// Two contenders with 2 % between 12 launches, and five spread ones with 1 % between 6.
fn promises_power(cell: &SimulationCell) -> bool {
    cell.rule == Rule::Plan
        && cell.spread_of == SpreadOf::Numbers
        && cell.windows == Windows::Quiet
        && cell.shape == Shape::Normal
        && cell.groups.len() == 1
        && match cell.truth {
            Truth::Equal => false,
            Truth::OneApart => (cell.contenders, cell.launches, cell.between) == (2, 12, 0.02),
            Truth::Spread => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> SimulationCell {
        SimulationCell {
            contenders: 2,
            groups: vec![2],
            launches: 12,
            blocks: 10,
            between: 0.02,
            spread_of: SpreadOf::Numbers,
            shape: Shape::Normal,
            windows: Windows::Quiet,
            truth: Truth::OneApart,
            rule: Rule::Plan,
            runs: 2_000,
            false_separations: 0.069,
            coverage: 0.93,
            power: Some(0.9),
            half_width: Some(0.02),
            mean_launches: 12.0,
            plan: None,
            broken: Vec::new(),
        }
    }

    #[test]
    fn on_the_bound_is_within_it() {
        let bounds = Bounds::of(2_000);
        assert!(bounds.broken(&cell()).is_empty());
        let broken = |change: &dyn Fn(&mut SimulationCell)| {
            let mut cell = cell();
            change(&mut cell);
            bounds.broken(&cell)
        };
        assert_eq!(broken(&|cell| cell.false_separations = 0.07), ["false separations 7.0 %, bound 6.9 %"]);
        assert_eq!(broken(&|cell| cell.coverage = 0.929), ["coverage 92.9 %, bound 93.0 %"]);
        assert_eq!(broken(&|cell| cell.coverage = 0.99), ["coverage 99.0 %, bound 98.5 %"]);
        assert_eq!(broken(&|cell| cell.power = Some(0.89)), ["power 89.0 %, bound 90.0 %"]);
        // Looks are wider on purpose, and only two cells promise power.
        let looks = Rule::Looks { precision: 0.02 };
        assert!(broken(&|cell| (cell.rule, cell.coverage) = (looks, 0.99)).is_empty());
        assert!(broken(&|cell| (cell.launches, cell.power) = (8, Some(0.1))).is_empty());
        assert!(broken(&|cell| (cell.rule, cell.false_separations) = (Rule::Bootstrap, 0.5)).is_empty());
    }

    #[test]
    fn fewer_runs_have_wider_bounds() {
        let (few, many) = (Bounds::of(200), Bounds::of(20_000));
        assert!((few.false_separations_at_most - 0.115).abs() < 0.001);
        assert!((0.88..0.93).contains(&few.coverage_at_least) && few.coverage_at_most <= 1.0);
        assert!(few.power_at_least < many.power_at_least);
        assert_eq!(many, Bounds::of(2_000));
    }
}
