//! `p99<20ms,errors=0` to conditions.

use std::cmp::Reverse;
use std::str::FromStr;

use super::condition::{Comparison, Condition, ConditionError, Failures, Figure, Statistic};
use super::figures::Time;

const STATISTICS: [(&str, Statistic); 9] = [
    ("p50", Statistic::Percentile("p50")),
    ("p75", Statistic::Percentile("p75")),
    ("p90", Statistic::Percentile("p90")),
    ("p95", Statistic::Percentile("p95")),
    ("p99", Statistic::Percentile("p99")),
    ("p99.9", Statistic::Percentile("p99.9")),
    ("p99.99", Statistic::Percentile("p99.99")),
    ("max", Statistic::Max),
    ("mean", Statistic::Mean),
];
const OTHERS: [(&str, Figure); 8] = [
    ("rate", Figure::Rate),
    ("achieved", Figure::Achieved),
    ("errors", Figure::Failures(Failures::All)),
    ("wrong", Figure::Failures(Failures::Wrong)),
    ("timeouts", Figure::Failures(Failures::Timeouts)),
    ("refused", Figure::Failures(Failures::Refused)),
    ("dropped", Figure::Failures(Failures::Dropped)),
    ("generator", Figure::Generator),
];
const ALLOWED: &str = "p50, p75, p90, p95, p99, p99.9, p99.99, max, mean (of one duration: response.p99, service.p99, \
                       first-byte.p99, send-lag.p99, connect.p99, handshake.p99), rate, achieved, errors, wrong, \
                       timeouts, refused, dropped, generator";
/// A bound of more digits is a slip of the hand.
const MOST_DIGITS: usize = 18;
/// Longest signs first.
const COMPARISONS: [Comparison; 5] =
    [Comparison::AtMost, Comparison::AtLeast, Comparison::Less, Comparison::Greater, Comparison::Equal];

/// Reads the conditions of `--fail-on`: figure, comparison, bound; separated by commas.
///
/// # Errors
/// When a part is not a condition; the error says what is allowed.
pub fn parse_conditions(text: &str) -> Result<Vec<Condition>, ConditionError> {
    text.split(',').map(str::parse).collect()
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ConditionError::Empty);
        }
        let condition = || text.to_owned();
        let Some((name, comparison, bound)) = split(text) else {
            return Err(ConditionError::NoComparison { condition: condition() });
        };
        let Some(figure) = figure(name) else {
            return Err(ConditionError::UnknownFigure {
                condition: condition(),
                found: name.to_owned(),
                hint: nearest(name).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default(),
                allowed: ALLOWED,
            });
        };
        let example = || format!("{name}{}{}", comparison.sign(), example_bound(figure));
        let digits = bound.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(bound.len());
        let (number, unit) = (&bound[..digits], bound[digits..].trim());
        let short = Some(number).filter(|number| number.len() <= MOST_DIGITS);
        let Some(value) = short.and_then(|number| number.parse::<f64>().ok()) else {
            return Err(ConditionError::NotANumber {
                condition: condition(),
                found: bound.to_owned(),
                example: example(),
            });
        };
        let Some((figure, factor)) = with_unit(figure, unit) else {
            let problem =
                if unit.is_empty() { "no unit".to_owned() } else { format!("unknown unit `{unit}`") };
            return Err(ConditionError::Unit {
                condition: condition(),
                problem,
                allowed: units(figure),
                example: example(),
            });
        };
        Ok(Self {
            text: condition(),
            figure,
            comparison,
            bound: value * factor,
            bound_words: format!(
                "{number}{}{unit}",
                if matches!(unit, "" | "k" | "/s" | "k/s") { "" } else { " " }
            ),
        })
    }
}

pub(crate) fn split(text: &str) -> Option<(&str, Comparison, &str)> {
    let at = text.find(['<', '>', '='])?;
    let (name, rest) = text.split_at(at);
    let comparison = COMPARISONS.into_iter().find(|comparison| rest.starts_with(comparison.sign()))?;
    Some((name.trim(), comparison, rest[comparison.sign().len()..].trim()))
}

fn figure(name: &str) -> Option<Figure> {
    if let Some((_, figure)) = OTHERS.iter().find(|(known, _)| *known == name) {
        return Some(*figure);
    }
    let prefixed = Time::ALL.iter().find_map(|time| {
        let statistic = name.strip_prefix(time.name())?.strip_prefix('.')?;
        Some((Some(*time), statistic))
    });
    let (time, statistic) = prefixed.unwrap_or((None, name));
    let (_, statistic) = STATISTICS.iter().find(|(known, _)| *known == statistic)?;
    Some(Figure::Time(time, *statistic))
}

/// The figure as its unit has it, and the factor to its own unit.
fn with_unit(figure: Figure, unit: &str) -> Option<(Figure, f64)> {
    let factor = match (figure, unit) {
        (Figure::Time(..), "us" | "µs") => 1e3,
        (Figure::Time(..), "ms") => 1e6,
        (Figure::Time(..), "s") => 1e9,
        (Figure::Rate, "" | "/s") | (Figure::Failures(_), "") => 1.0,
        (Figure::Rate, "k" | "k/s") | (Figure::Failures(_), "k") => 1e3,
        (Figure::Achieved | Figure::Generator, "%") => 0.01,
        (Figure::Failures(failures), "%") => return Some((Figure::FailureShare(failures), 0.01)),
        _ => return None,
    };
    Some((figure, factor))
}

fn units(figure: Figure) -> &'static str {
    match figure {
        Figure::Time(..) => "us, ms or s",
        Figure::Rate => "requests per second, plain or with k for thousands",
        Figure::Achieved | Figure::Generator => "%",
        Figure::Failures(_) | Figure::FailureShare(_) => "a count, plain or with k for thousands, or %",
    }
}

fn example_bound(figure: Figure) -> &'static str {
    match figure {
        Figure::Time(..) => "20ms",
        Figure::Rate => "5k",
        Figure::Achieved => "99%",
        Figure::Generator => "85%",
        Figure::Failures(_) | Figure::FailureShare(_) => "0",
    }
}

/// The figure whose name differs in a few letters at most.
fn nearest(name: &str) -> Option<String> {
    const LONGEST: usize = 40;
    if name.len() > LONGEST {
        return None;
    }
    let statistics = || STATISTICS.iter().map(|(name, _)| *name);
    let plain = statistics().chain(OTHERS.iter().map(|(name, _)| *name)).map(str::to_owned);
    let prefixed =
        Time::ALL.iter().flat_map(|time| statistics().map(|name| format!("{}.{name}", time.name())));
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    plain
        .chain(prefixed)
        .enumerate()
        .map(|(index, candidate)| (strsim::damerau_levenshtein(name, &candidate), Reverse(index), candidate))
        .filter(|(distance, ..)| *distance <= allowed)
        // Of percentiles that are equally near the higher one: `p999` is a p99.9.
        .min_by_key(|(distance, index, _)| (*distance, *index))
        .map(|(.., candidate)| candidate)
}
