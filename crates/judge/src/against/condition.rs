//! `goodput>-3%,cpu<5%,errors=0`: what must hold of A against B, and whether it certainly does.

use super::figure::{AgainstFigure, AgainstFigureName};
use super::result::AgainstConditionResult;
use crate::load::condition::Comparison;
use crate::load::parse::split;

/// A condition of `--fail-on` with `--against`. Made by [`parse_conditions`].
#[derive(Debug, Clone, PartialEq)]
pub struct AgainstCondition {
    text: String,
    of: Of,
    comparison: Comparison,
    bound: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Of {
    /// A's over B's; the bound is a ratio, 0.97 of `-3%`.
    Ratio(AgainstFigureName),
    /// Failures of both together.
    Failures,
    /// The same as a share of their requests.
    FailedShare,
}

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgainstConditionError {
    /// It is none at all.
    #[error("`{0}`: expected a figure, a comparison and a bound, as in `goodput>-3%` or `errors=0`")]
    NotOne(String),
    /// There is no such figure of two services.
    #[error("`{0}`: with --against, expected goodput, cpu, p50, p99 or errors, as in `goodput>-3%`")]
    UnknownFigure(String),
    /// The bound is no change.
    #[error("`{0}`: expected the change against B in %, above -100 %, as in `{1}`")]
    NotAChange(String, &'static str),
    /// The bound is no count.
    #[error("`{0}`: expected a count or %, as in `errors=0`")]
    NotACount(String),
    /// A measured ratio is never exactly something.
    #[error("`{0}`: a ratio with an interval is never equal to a bound; expected < or >, as in `{1}`")]
    Equal(String, &'static str),
    /// Both have the same rate.
    #[error("`{0}`: an open loop offers both the same rate; expected cpu, p50, p99 or errors")]
    OpenLoop(String),
}

/// Reads the conditions of `--fail-on`: figure, comparison, change; separated by commas. `is_open`: the load is an open
/// loop.
///
/// # Errors
/// When a part is none; the error says what is expected.
pub fn parse_conditions(text: &str, is_open: bool) -> Result<Vec<AgainstCondition>, AgainstConditionError> {
    text.split(',').map(|part| parse(part.trim(), is_open)).collect()
}

fn parse(text: &str, is_open: bool) -> Result<AgainstCondition, AgainstConditionError> {
    let own = || text.to_owned();
    let (name, comparison, bound) = split(text).ok_or_else(|| AgainstConditionError::NotOne(own()))?;
    let figure = AgainstFigureName::ALL.into_iter().find(|figure| figure.name() == name);
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let (of, bound) = match figure {
        Some(AgainstFigureName::Goodput) if is_open => return Err(AgainstConditionError::OpenLoop(own())),
        Some(figure) if comparison == Comparison::Equal => {
            return Err(AgainstConditionError::Equal(own(), example(figure)));
        }
        Some(figure) => {
            let percent = bound.strip_suffix('%').and_then(number).filter(|percent| *percent > -100.0);
            let percent = percent.ok_or_else(|| AgainstConditionError::NotAChange(own(), example(figure)))?;
            (Of::Ratio(figure), 1.0 + percent / 100.0)
        }
        None if name == "errors" => {
            let (of, share) = match bound.strip_suffix('%') {
                Some(percent) => (Of::FailedShare, number(percent).map(|percent| percent / 100.0)),
                None => (Of::Failures, number(bound)),
            };
            let bound = share.filter(|bound| *bound >= 0.0);
            (of, bound.ok_or_else(|| AgainstConditionError::NotACount(own()))?)
        }
        None => return Err(AgainstConditionError::UnknownFigure(own())),
    };
    Ok(AgainstCondition { text: own(), of, comparison, bound })
}

fn example(figure: AgainstFigureName) -> &'static str {
    match figure {
        AgainstFigureName::Goodput => "goodput>-3%",
        AgainstFigureName::Cpu => "cpu<3%",
        AgainstFigureName::P50 => "p50<10%",
        AgainstFigureName::P99 => "p99<10%",
    }
}

impl AgainstCondition {
    /// Holds it against the figures, and the failures and requests of both.
    pub(super) fn check(
        &self,
        figures: &[AgainstFigure],
        failed: u64,
        requests: u64,
    ) -> AgainstConditionResult {
        let (figure, failures, holds) = match self.of {
            Of::Ratio(name) => {
                let found = figures.iter().find(|figure| figure.figure == name);
                (Some(name), None, found.and_then(|figure| self.certainly(figure)))
            }
            // Of no requests nothing is known.
            Of::Failures => self.counted((requests > 0).then_some(failed as f64)),
            Of::FailedShare => self.counted((requests > 0).then(|| failed as f64 / requests as f64)),
        };
        AgainstConditionResult { text: self.text.clone(), figure, failures, holds }
    }

    fn counted(&self, value: Option<f64>) -> (Option<AgainstFigureName>, Option<f64>, Option<bool>) {
        (None, value, value.map(|value| self.comparison.holds(value, self.bound)))
    }

    /// True where all of the interval is on the one side of the bound, false where all is on the other. Where the
    /// generator was the limit an end is open.
    fn certainly(&self, figure: &AgainstFigure) -> Option<bool> {
        let (low, high) = figure.ratio?.interval()?;
        let low = if figure.b_at_least { 0.0 } else { low };
        let high = if figure.a_at_least { f64::INFINITY } else { high };
        match [low, high].map(|end| self.comparison.holds(end, self.bound)) {
            [true, true] => Some(true),
            [false, false] => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure::AgainstRatio;
    use super::*;

    fn figure(low: f64, high: f64) -> AgainstFigure {
        let ratio = AgainstRatio { value: (low * high).sqrt(), low: Some(low), high: Some(high) };
        AgainstFigure {
            figure: AgainstFigureName::Goodput,
            a: Some(1.0),
            b: Some(1.0),
            ratio: Some(ratio),
            a_at_least: false,
            b_at_least: false,
        }
    }

    fn holds(text: &str, figure: AgainstFigure) -> Option<bool> {
        parse_conditions(text, false).unwrap()[0].check(&[figure], 0, 1).holds
    }

    #[test]
    fn only_what_is_certain_holds_or_fails() {
        assert_eq!(holds("goodput>-3%", figure(0.98, 1.02)), Some(true));
        assert_eq!(holds("goodput>-3%", figure(0.90, 0.96)), Some(false));
        assert_eq!(holds("goodput>-3%", figure(0.96, 0.99)), None);
        assert_eq!(holds("goodput < +3 %", figure(0.96, 0.99)), Some(true));
        assert_eq!(holds("goodput<0%", figure(1.01, 1.02)), Some(false));
        let none = AgainstRatio { value: 2.0, low: None, high: None };
        assert_eq!(holds("goodput>-3%", AgainstFigure { ratio: Some(none), ..figure(2.0, 2.0) }), None);
        assert_eq!(holds("cpu<3%", figure(0.5, 0.6)), None, "it has no such figure");
    }

    #[test]
    fn a_limit_of_the_generator_opens_an_end() {
        let of = |a_at_least, b_at_least| AgainstFigure { a_at_least, b_at_least, ..figure(0.99, 1.01) };
        let told = |a, b| [holds("goodput>-3%", of(a, b)), holds("goodput>3%", of(a, b))];
        assert_eq!(told(false, false), [Some(true), Some(false)]);
        assert_eq!(told(true, false), [Some(true), None], "A may be faster still");
        assert_eq!(told(false, true), [None, Some(false)], "B may be");
        assert_eq!(told(true, true), [None, None]);
    }

    #[test]
    fn failures_are_of_both() {
        let check = |text: &str, failed| parse_conditions(text, true).unwrap()[0].check(&[], failed, 200);
        assert_eq!(check("errors=0", 0).holds, Some(true));
        let failed = check("errors<1%", 3);
        assert_eq!((failed.holds, failed.failures), (Some(false), Some(0.015)));
    }

    #[test]
    fn what_is_no_condition_is_told_what_is_one() {
        for (text, told) in [
            ("", "expected a figure, a comparison and a bound"),
            ("goodput", "expected a figure, a comparison and a bound"),
            ("goodput>-3%,", "expected a figure"),
            ("rate>5k", "expected goodput, cpu, p50, p99 or errors"),
            ("p99<20ms", "the change against B in %"),
            ("p99<-100%", "above -100 %"),
            ("p99<inf%", "the change against B"),
            ("cpu=3%", "`cpu<3%`"),
            ("errors=-1", "a count or %"),
        ] {
            let error = parse_conditions(text, false).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
        assert!(parse_conditions("goodput>-3%", true).unwrap_err().to_string().contains("the same rate"));
    }
}
