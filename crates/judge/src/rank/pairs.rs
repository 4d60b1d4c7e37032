//! All pairs of ranked contenders as data: which were told apart, which are equal for practical purposes, which stay open,
//! and what it would take.

use std::collections::BTreeMap;

use serde::Serialize;
use velo_model::{ContenderName, Figure, LoadCondition};
use velo_stats::{Comparison, Pair, PairState, median};

use crate::measure::estimate::Estimate;
use crate::planning::Promise;
use crate::rank::cost::inverse;

/// With this probability a difference as large as is printed would have been found.
const POWER: f64 = 0.9;
/// The half-width for which the launches needed are given, as a share of the ratio.
const HALF_WIDTH: f64 = 0.02;

/// How those compare that are ranked by a figure under a load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FigurePairs {
    /// The figure.
    pub of: Figure,
    /// The load.
    pub under: LoadCondition,
    /// How they compare.
    #[serde(flatten)]
    pub pairs: Pairs,
}

/// How some contenders compare, each with each.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pairs {
    /// The probability of even one false separation among all pairs (Holm's procedure).
    pub level: f64,
    /// Two are equal when neither is more than this share above the other.
    pub equal_within: f64,
    /// How many were told apart.
    pub separated: u32,
    /// How many are equal for practical purposes.
    pub equal: u32,
    /// How many are neither.
    pub open: u32,
    /// A difference of this share would have been found with a probability of 90 % in the median pair.
    pub could_have_seen: Option<f64>,
    /// The same of the pair of which least is known: between any two.
    pub could_have_seen_most: Option<f64>,
    /// The same of the pair of which most is known.
    pub could_have_seen_least: Option<f64>,
    /// Each pair once.
    pub compared: Vec<ComparedPair>,
}

/// A pair of ranked contenders.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedPair {
    /// The one with the greater figure: goodput, CPU time per request, or a task's time.
    pub over: ContenderName,
    /// The other.
    pub under: ContenderName,
    /// What follows.
    pub state: Standing,
    /// Figure over figure, paired by block or by process, with the interval of this pair alone at the confidence of the judgement. With
    /// three or more contenders its width rests on the spread of all pairs.
    pub ratio: Option<Estimate>,
    /// The lower end of the interval that holds for all pairs at once (Bonferroni).
    pub simultaneous_low: Option<f64>,
    /// Its upper end.
    pub simultaneous_high: Option<f64>,
    /// The two-sided p-value of no difference.
    pub p: Option<f64>,
    /// The same adjusted for all pairs.
    pub p_holm: Option<f64>,
    /// The smallest difference that would have been found in 90 % of runs, as a share of the lower figure.
    pub could_have_seen: Option<f64>,
    /// Launches after which the pair's own interval would be the ratio +-2 %, by the spread that was seen.
    pub launches_to_2_percent: Option<u32>,
    /// For an open pair: what would tell.
    pub would_tell: Option<WouldTell>,
}

/// What is known of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Told apart.
    Separated,
    /// Not told apart, and the simultaneous interval lies within the margin of equality.
    Equal,
    /// Neither.
    Open,
}

/// What it would take to separate an open pair, or to find it equal, if its ratio stays where it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WouldTell {
    /// The half-width that the simultaneous interval must have, as a share of the ratio.
    pub half_width: f64,
    /// The launches after which about half of all runs have it.
    pub launches: u32,
    /// The `--budget` that buys them; none for more launches than a run ever has.
    pub budget_ns: Option<u64>,
}

/// A comparison as data. Its contenders are the first of these.
pub(crate) fn describe(
    comparison: &Comparison,
    contenders: &[ContenderName],
    promise: Option<&Promise>,
) -> Pairs {
    of_pairs(comparison, compared(comparison, contenders, promise))
}

/// Some pairs of a comparison as data.
pub(crate) fn of_pairs(comparison: &Comparison, compared: Vec<ComparedPair>) -> Pairs {
    // One pair of which it is not known makes it unknown for all.
    let all_seen =
        compared.iter().map(|pair| pair.could_have_seen).collect::<Option<Vec<f64>>>().unwrap_or_default();
    let count = |standing: Standing| compared.iter().filter(|pair| pair.state == standing).count() as u32;
    Pairs {
        level: comparison.rules.level,
        equal_within: comparison.rules.equal_within,
        separated: count(Standing::Separated),
        equal: count(Standing::Equal),
        open: count(Standing::Open),
        could_have_seen: median(&all_seen),
        could_have_seen_most: all_seen.iter().copied().reduce(f64::max),
        could_have_seen_least: all_seen.iter().copied().reduce(f64::min),
        compared,
    }
}

impl Pairs {
    /// One contender over another, whichever of them stands above the other; `None` where they are no pair.
    pub(crate) fn ratio(&self, over: &ContenderName, under: &ContenderName) -> Option<Estimate> {
        self.compared.iter().find_map(|pair| match (&pair.over, &pair.under) {
            own if own == (over, under) => pair.ratio,
            own if own == (under, over) => inverse(1.0, pair.ratio?),
            _ => None,
        })
    }
}

/// The pairs of a comparison, in its order. Its contenders are the first of these.
pub(crate) fn compared(
    comparison: &Comparison,
    contenders: &[ContenderName],
    promise: Option<&Promise>,
) -> Vec<ComparedPair> {
    let could_have_seen = comparison.smallest_differences(POWER);
    let mut compared: Vec<ComparedPair> = comparison
        .pairs
        .iter()
        .zip(&could_have_seen)
        .map(|(pair, could_have_seen)| of_pair(pair, *could_have_seen, comparison, contenders))
        .collect();
    if let Some(promise) = promise {
        let mut budgets: BTreeMap<u32, Option<u64>> = BTreeMap::new();
        for would_tell in compared.iter_mut().filter_map(|pair| pair.would_tell.as_mut()) {
            let launches = would_tell.launches;
            let budget_ns = budgets.entry(launches).or_insert_with(|| promise.budget_ns(launches));
            would_tell.budget_ns = *budget_ns;
        }
    }
    compared
}

fn of_pair(
    pair: &Pair,
    could_have_seen: Option<f64>,
    comparison: &Comparison,
    contenders: &[ContenderName],
) -> ComparedPair {
    let is_turned = pair.mean_log_ratio.is_some_and(|mean| mean < 0.0);
    let pair = if is_turned { pair.turned() } else { *pair };
    let simultaneous = pair.test.and_then(|test| test.simultaneous.exp());
    ComparedPair {
        over: contenders[pair.first].clone(),
        under: contenders[pair.second].clone(),
        state: match pair.state {
            PairState::Separated { .. } => Standing::Separated,
            PairState::Equal => Standing::Equal,
            PairState::Open => Standing::Open,
        },
        ratio: pair.ratio().map(Into::into),
        simultaneous_low: simultaneous.map(|interval| interval.low),
        simultaneous_high: simultaneous.map(|interval| interval.high),
        p: pair.test.map(|test| test.p),
        p_holm: pair.test.map(|test| test.holm_p),
        could_have_seen,
        launches_to_2_percent: pair.launches_needed(HALF_WIDTH, 1.0 - comparison.rules.confidence),
        would_tell: would_tell(&pair, comparison),
    }
}

/// Without its budget.
fn would_tell(pair: &Pair, comparison: &Comparison) -> Option<WouldTell> {
    let half_width = comparison.half_width_to_settle(pair)?;
    let launches = pair.launches_needed(half_width, comparison.simultaneous_level())?;
    Some(WouldTell { half_width, launches, budget_ns: None })
}
