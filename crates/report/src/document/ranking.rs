use serde::Serialize;
use velo_judge::PairRatio;
use velo_model::{Better, ContenderName};

use super::chart::Axis;

/// A figure that contenders can be compared by: who has which value, and who has none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Ranking {
    /// Its name in addresses and in files with columns: letters, digits and hyphens, once in a workload.
    pub(crate) id: String,
    /// Its heading.
    pub(crate) label: String,
    /// What it is, in a few words.
    pub(crate) about: String,
    /// Which values are better.
    pub(crate) better: Better,
    /// Whether its values are ratios, for which 1 is no difference.
    pub(crate) is_ratio: bool,
    /// Its values where they are drawn as they are.
    pub(crate) axis: Axis,
    /// The same, logarithmic; `None` where a value has no logarithm.
    pub(crate) log_axis: Option<Axis>,
    /// In the order of the judgement.
    pub(crate) points: Vec<RankedPoint>,
    /// Contenders without a point: who and why.
    pub(crate) without: Vec<(ContenderName, String)>,
    /// Any two of them: the places among [`Self::points`] of the one above the line and of the one below it, the ratio, paired by
    /// block or launch, and the ends of its interval.
    pub(crate) ratios: Vec<PairRatio>,
    /// Its chart as a file of its own.
    pub(crate) svg: String,
}

/// A contender's value.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct RankedPoint {
    /// The contender.
    pub(crate) contender: ContenderName,
    /// What stands beside its name; may be empty.
    pub(crate) beside: String,
    /// `1-2`; `None` where it has none.
    pub(crate) rank: Option<String>,
    /// The best rank that it may hold, and the worst.
    pub(crate) ranks: Option<(u32, u32)>,
    /// The value.
    pub(crate) value: f64,
    /// The ends of its interval.
    pub(crate) low: Option<f64>,
    /// The other one.
    pub(crate) high: Option<f64>,
    /// It could be better: the contender was not seen to be the limit.
    pub(crate) at_least: bool,
    /// The value in words, with how sure it is.
    pub(crate) text: String,
    /// The same for those who do not see it drawn.
    pub(crate) spoken: String,
    /// Why it has no rank, where others have.
    pub(crate) reason: Option<String>,
}
