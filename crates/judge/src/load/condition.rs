//! A condition of `--fail-on`, before it is held against anything.

use super::figures::Time;

/// A condition on a load: `p99<20ms`, `errors=0`. Made by [`super::parse_conditions`] or by `parse`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// As it was typed.
    pub(super) text: String,
    pub(super) figure: Figure,
    pub(super) comparison: Comparison,
    /// In nanoseconds, per second, a count, or a share from 0 to 1.
    pub(super) bound: f64,
    /// The bound as it was typed, in words: `20 ms`.
    pub(super) bound_words: String,
}

/// What a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    /// A statistic of a duration; `None`: of the headline.
    Time(Option<Time>, Statistic),
    /// Goodput per second.
    Rate,
    /// The share of the offered requests that was sent.
    Achieved,
    /// The generator's busy share.
    Generator,
    /// Failures of one class or of all.
    Failures(Failures),
    /// The same as a share of the requests.
    FailureShare(Failures),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Statistic {
    /// By its name: `p99.9`.
    Percentile(&'static str),
    Max,
    Mean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failures {
    All,
    Wrong,
    Timeouts,
    Refused,
    Dropped,
}

/// How a figure is compared with its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
}

impl Comparison {
    /// As it is typed.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Equal => "=",
        }
    }

    pub(crate) fn holds(self, figure: f64, bound: f64) -> bool {
        match self {
            Self::Less => figure < bound,
            Self::AtMost => figure <= bound,
            Self::Greater => figure > bound,
            Self::AtLeast => figure >= bound,
            Self::Equal => figure == bound,
        }
    }
}

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// There is nothing in it.
    #[error("no condition; expected a figure, a comparison and a bound, as in `p99<20ms,errors=0`")]
    Empty,
    /// It has no comparison.
    #[error("`{condition}`: no comparison; expected one of <, <=, >, >=, = between a figure and its bound")]
    NoComparison {
        /// As it was typed.
        condition: String,
    },
    /// There is no such figure.
    #[error("`{condition}`: unknown figure `{found}`{hint}\n  expected one of: {allowed}")]
    UnknownFigure {
        /// As it was typed.
        condition: String,
        /// Its figure.
        found: String,
        /// `; did you mean ...?`, or nothing.
        hint: String,
        /// What there is.
        allowed: &'static str,
    },
    /// The bound is no number.
    #[error("`{condition}`: the bound `{found}` is not a number; expected for instance `{example}`")]
    NotANumber {
        /// As it was typed.
        condition: String,
        /// What follows the comparison.
        found: String,
        /// A condition on the same figure that is one.
        example: String,
    },
    /// The bound has another unit than its figure.
    #[error("`{condition}`: {problem}; expected {allowed}, for instance `{example}`")]
    Unit {
        /// As it was typed.
        condition: String,
        /// What is wrong: `unknown unit`, `no unit`.
        problem: String,
        /// The units of the figure.
        allowed: &'static str,
        /// A condition on the same figure that is one.
        example: String,
    },
}

impl Condition {
    /// Whether it is about failures.
    pub(super) fn is_of_failures(&self) -> bool {
        matches!(self.figure, Figure::Failures(_) | Figure::FailureShare(_))
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
