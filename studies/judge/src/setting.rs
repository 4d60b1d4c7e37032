//! What is simulated: settings of contenders and noise, and in each all numbers of launches, both truths, and both ways to
//! end a run, from the same draws.

use serde::Serialize;
use velo_stats::{Look, PairLogs, PairRules, SplitMix64, looks};

use crate::blocks::{BlockLogs, compare};
use crate::noise::{Noise, Shape, Windows};
use crate::plans::{self, Planned};
use crate::tally::{APART, Tally};
use crate::{SimulationCell, bootstrap};

/// Blocks in each launch of the grid.
pub(crate) const BLOCKS: usize = 10;
/// The half-width at which a run with looks may end.
const PRECISION: f64 = 0.02;
/// The most launches of a run with looks.
const MOST_LAUNCHES: u32 = 12;

/// Groups of contenders that are given different work, and contenders of one group in numbers that the grid leaves out.
const GROUPS: [&[usize]; 9] = [&[8], &[7], &[6], &[4], &[4, 2], &[3, 3], &[2, 2, 2], &[3, 2], &[2, 2]];

/// Settings that come close to a bound in truth have so many times the runs, so that chance does not decide.
const MORE_RUNS: u32 = 4;

/// Launches and blocks that are planned, from the least to the most launches.
pub(crate) const SIZES: [(u32, usize); 5] = [(5, 5), (5, 16), (5, 34), (12, 10), (40, 5)];
/// What launches add in those.
pub(crate) const ADDED: [f64; 4] = [0.0, 0.01, 0.02, 0.05];

/// What a standard deviation between launches is that of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpreadOf {
    /// A contender's numbers of launches, what quiet windows add to them included.
    Numbers,
    /// What launches add, whatever windows add to that.
    Launches,
}

/// What is true of the contenders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// All are equal.
    Equal,
    /// The first is 3 % above the others, which are equal.
    OneApart,
    /// Each is 3 % above the next.
    Spread,
}

impl Truth {
    /// The logarithm of each contender's true figure.
    fn levels(self, contenders: usize) -> Vec<f64> {
        let step = APART.ln_1p();
        let level = |contender: usize| match self {
            Self::OneApart if contender == 0 => step,
            Self::Equal | Self::OneApart => 0.0,
            Self::Spread => -step * contender as f64,
        };
        (0..contenders).map(level).collect()
    }
}

/// How contenders are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Rule {
    /// As shipped, with the number of launches fixed.
    Plan,
    /// As shipped, with `--precision`.
    Looks {
        /// The half-width at which a run ends.
        precision: f64,
    },
    /// The counter-example: a bootstrap over launches and blocks, Bonferroni over pairs.
    Bootstrap,
}

/// Some contenders with some noise.
pub(crate) struct Setting {
    /// So many contenders in each group; only those of one group are compared.
    groups: Vec<usize>,
    blocks: usize,
    between: f64,
    spread_of: SpreadOf,
    shape: Shape,
    windows: Windows,
    judged: Judged,
}

/// What is made of a setting's draws.
#[derive(Clone, Copy, PartialEq)]
enum Judged {
    /// 5, 8 and 12 launches, and looks; all equal, and one apart.
    Everything,
    /// 5, 8 and 12 launches; all equal, and one apart.
    Planned,
    /// So many launches; all equal, and one apart. Where a budget was made for them, the plan that it is.
    Sized { launches: u32, plan: Option<Planned> },
    /// So many launches of contenders that are 3 % apart each.
    Spread { launches: u32 },
    /// The counter-example with so many launches.
    Bootstrap { launches: u32 },
}

impl Setting {
    /// All of them, those that take longest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for contenders in [20, 5, 3, 2] {
            for between in [0.005, 0.01, 0.02] {
                for shape in Shape::ALL {
                    all.push(Self::of(vec![contenders], between, shape, Judged::Everything));
                }
            }
            let normal = |between, judged| Self::of(vec![contenders], between, Shape::Normal, judged);
            // Which add more than the spread of the table, so that it is what launches add.
            all.push(normal(0.01, Judged::Everything).with_shared_windows());
            if contenders == 5 {
                all.push(normal(0.01, Judged::Spread { launches: 6 }));
            }
            if matches!(contenders, 2 | 5) {
                all.push(normal(0.02, Judged::Bootstrap { launches: 5 }));
                all.push(normal(0.02, Judged::Bootstrap { launches: 12 }));
            }
        }
        for groups in GROUPS {
            for shape in [Shape::Normal, Shape::Unequal, Shape::OneWider] {
                all.push(Self::of(groups.to_vec(), 0.01, shape, Judged::Planned));
            }
        }
        all.extend(Self::of_all_sizes());
        all.extend(Self::of_all_plans());
        all
    }

    /// What the planner chooses, from few launches of many blocks to many of few.
    fn of_all_sizes() -> Vec<Self> {
        let mut all = Vec::new();
        for contenders in [5, 3, 2] {
            for between in ADDED {
                for (launches, blocks) in SIZES {
                    let judged = Judged::Sized { launches, plan: None };
                    let of = |shape| {
                        let setting = Self::of(vec![contenders], between, shape, judged);
                        Self { blocks, spread_of: SpreadOf::Launches, ..setting }
                    };
                    all.push(of(Shape::Normal));
                    all.push(of(Shape::Normal).with_shared_windows());
                    // Without what launches add they would have no shape.
                    if between > 0.0 {
                        all.extend(
                            [Shape::Unequal, Shape::HeavyTails].map(|shape| of(shape).with_shared_windows()),
                        );
                    }
                }
            }
        }
        all
    }

    /// The plan that a budget has, and the one with ten blocks a launch.
    fn of_all_plans() -> Vec<Self> {
        let mut all = Vec::new();
        for planned in plans::all() {
            for between in ADDED {
                let judged = Judged::Sized { launches: planned.launches, plan: Some(planned) };
                let setting = Self::of(vec![5], between, Shape::Normal, judged).with_shared_windows();
                let blocks = planned.blocks as usize;
                all.push(Self { blocks, spread_of: SpreadOf::Launches, ..setting });
            }
        }
        all
    }

    /// Ten blocks a launch, quiet windows.
    fn of(groups: Vec<usize>, between: f64, shape: Shape, judged: Judged) -> Self {
        let (windows, spread_of) = (Windows::Quiet, SpreadOf::Numbers);
        Self { groups, blocks: BLOCKS, between, spread_of, shape, windows, judged }
    }

    fn with_shared_windows(self) -> Self {
        Self { windows: Windows::Shared, ..self }
    }

    fn noise(&self) -> Noise {
        let noise = match self.spread_of {
            SpreadOf::Numbers => Noise::new(self.between, self.shape, self.windows),
            SpreadOf::Launches => Noise::of_launches(self.between, self.shape, self.windows),
        };
        noise.with_wider(if self.groups.len() > 1 { self.groups[0] } else { 1 })
    }

    fn contenders(&self) -> usize {
        self.groups.iter().sum()
    }

    pub(crate) fn simulate(&self, runs: u32, random: &mut SplitMix64) -> Vec<SimulationCell> {
        let mut cases = self.cases();
        let launches = cases.iter().flat_map(|case| &case.cells).map(|cell| cell.launches).max();
        let launches = launches.unwrap_or(0) as usize;
        let mut logs = BlockLogs::zeros(self.contenders(), launches, self.blocks);
        let noise = self.noise();
        let runs = if self.is_close() { runs * MORE_RUNS } else { runs };
        for _ in 0..runs {
            noise.draw(launches, &mut logs, random);
            let equal = logs.pairs_within(&self.groups);
            for case in &mut cases {
                let pairs = shifted(&equal, &case.levels);
                for cell in &mut case.cells {
                    cell.add_run(&case.levels, &pairs, &logs, random);
                }
            }
        }
        let results = |case: &Case| -> Vec<SimulationCell> {
            case.cells.iter().map(|cell| self.result(case, cell, runs)).collect()
        };
        cases.iter().flat_map(results).collect()
    }

    /// Those that promise power (two contenders with 2 % between launches, five spread ones with 1 %), and those of few contenders
    /// or with groups, whose variances are drawn together the most boldly.
    fn is_close(&self) -> bool {
        let is_promise = (self.contenders(), self.between, self.shape) == (2, 0.02, Shape::Normal);
        match self.judged {
            Judged::Everything => is_promise || self.contenders() == 3,
            Judged::Planned | Judged::Spread { .. } => true,
            Judged::Sized { .. } => self.contenders() == 3,
            Judged::Bootstrap { .. } => false,
        }
    }

    fn cases(&self) -> Vec<Case> {
        let cell = |launches, rule| Cell { launches, rule, tally: Tally::default() };
        let case =
            |truth: Truth, cells: Vec<Cell>| Case { truth, levels: truth.levels(self.contenders()), cells };
        match self.judged {
            Judged::Everything => {
                let everything = |truth| {
                    let mut cells: Vec<Cell> = [5, 8, 12].map(|launches| cell(launches, Rule::Plan)).into();
                    cells.push(cell(MOST_LAUNCHES, Rule::Looks { precision: PRECISION }));
                    case(truth, cells)
                };
                vec![everything(Truth::Equal), everything(Truth::OneApart)]
            }
            Judged::Planned => {
                let planned =
                    |truth| case(truth, [5, 8, 12].map(|launches| cell(launches, Rule::Plan)).into());
                vec![planned(Truth::Equal), planned(Truth::OneApart)]
            }
            Judged::Sized { launches, .. } => [Truth::Equal, Truth::OneApart]
                .map(|truth| case(truth, vec![cell(launches, Rule::Plan)]))
                .into(),
            Judged::Spread { launches } => vec![case(Truth::Spread, vec![cell(launches, Rule::Plan)])],
            Judged::Bootstrap { launches } => {
                vec![case(Truth::Equal, vec![cell(launches, Rule::Bootstrap)])]
            }
        }
    }

    fn result(&self, case: &Case, cell: &Cell, runs: u32) -> SimulationCell {
        SimulationCell {
            contenders: self.contenders() as u32,
            groups: self.groups.iter().map(|size| *size as u32).collect(),
            launches: cell.launches,
            blocks: self.blocks as u32,
            between: self.between,
            spread_of: self.spread_of,
            shape: self.shape,
            windows: self.windows,
            truth: case.truth,
            rule: cell.rule,
            runs,
            false_separations: cell.tally.false_separations(),
            coverage: cell.tally.coverage(),
            power: cell.tally.power(),
            half_width: cell.tally.half_width(),
            mean_launches: cell.tally.mean_launches(),
            plan: match self.judged {
                Judged::Sized { plan, .. } => plan,
                _ => None,
            },
            broken: Vec::new(),
        }
    }
}

/// One truth, and the ways to judge what was drawn.
struct Case {
    truth: Truth,
    levels: Vec<f64>,
    cells: Vec<Cell>,
}

/// One way to judge.
struct Cell {
    launches: u32,
    rule: Rule,
    tally: Tally,
}

impl Cell {
    fn add_run(&mut self, levels: &[f64], pairs: &[PairLogs<'_>], logs: &BlockLogs, random: &mut SplitMix64) {
        let after = |look: &Look| compare(pairs, look.launch as usize, PairRules::at_level(look.level));
        match self.rule {
            Rule::Plan => {
                let comparison = compare(pairs, self.launches as usize, PairRules::default());
                self.tally.add(&comparison, levels, self.launches);
            }
            Rule::Looks { precision } => {
                let looks = looks(self.launches);
                let (last, early) = looks.split_last().expect("a run of some launches has a last look");
                let ended = early
                    .iter()
                    .map(|look| (look, after(look)))
                    .find(|(_, comparison)| comparison.is_precise(precision));
                let (look, comparison) = ended.unwrap_or_else(|| (last, after(last)));
                self.tally.add(&comparison, levels, look.launch);
            }
            Rule::Bootstrap => {
                let found = bootstrap::compare(logs, self.launches as usize, random);
                self.tally.add_intervals(found.any_apart, found.held, found.all, self.launches);
            }
        }
    }
}

/// The same draws with another truth: a level moves all of a contender's log ratios, and their medians with them.
fn shifted(pairs: &[PairLogs<'_>], levels: &[f64]) -> Vec<PairLogs<'static>> {
    let shifted = |pair: &PairLogs<'_>| {
        let shift = levels[pair.first] - levels[pair.second];
        let log_ratios: Vec<f64> = pair.log_ratios.iter().map(|ratio| ratio + shift).collect();
        PairLogs {
            first: pair.first,
            second: pair.second,
            log_ratios: log_ratios.into(),
            mean: None,
            allowance: 0.0,
        }
    };
    pairs.iter().map(shifted).collect()
}
