use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;
use velo_model::{
    Bound, CallSettings, Claim, ClaimFigure, ClaimLoad, ContenderName, FIGURES, FigureKind, KindLoads,
    LoadCondition, Side, Subject,
};
use velo_request::{SourceFile, SpecError};

use super::{calls, checks};

/// `[[claim]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireClaim {
    says: Spanned<String>,
    figure: Spanned<String>,
    rate_per_s: Option<Spanned<f64>>,
    requests: Option<Spanned<u64>>,
    first_alone: Option<Spanned<bool>>,
    call: Option<Spanned<String>>,
    calls: Option<Spanned<Vec<Spanned<String>>>>,
    ratio: Option<Spanned<Vec<Spanned<String>>>>,
    order: Option<Spanned<Vec<Spanned<String>>>>,
    value: Option<Spanned<String>>,
    printed: Option<Spanned<f64>>,
    holds: Spanned<String>,
}

/// What a claim calls goodput relative to the workload's baseline.
const SCORE: &str = "score";

/// Checks a claim of the workload with this name.
pub(super) fn read(
    file: &SourceFile,
    wire: WireClaim,
    workload: &str,
    calls: &[CallSettings],
) -> Result<Claim, SpecError> {
    let printed =
        wire.printed.as_ref().map(|value| checks::positive(file, value, "claim.printed")).transpose()?;
    let figure = figure(file, &wire, calls)?;
    let subject = match (wire.ratio, wire.order, wire.value) {
        // One contender under two conditions is two sides.
        (Some(sides), None, None) => {
            ratio(file, sides, workload, figure.under.is_some_and(ClaimLoad::differs_by_side))?
        }
        (None, Some(sides), None) => order(file, sides, workload)?,
        (None, None, Some(side)) if figure.of.kind() == FigureKind::Burst => value(file, &side, workload)?,
        (None, None, Some(side)) => {
            return Err(file.at(&side, "claim.value").wrong(
                "`value` is given, but the figure is not `makespan`",
                "expected a claim about a ratio or an order: other figures depend on the machine",
            ));
        }
        _ => {
            return Err(file.at(&wire.says, "claim").wrong(
                "a claim needs either `ratio` or `order`, or `value` where the figure is `makespan`",
                "expected `ratio = [\"go/gin\", \"ruby/rack-thin\"]` or `order = [...]`, the highest figure first",
            ));
        }
    };
    if let (Subject::Order(_), Some(printed)) = (&subject, &wire.printed) {
        let problem = "`printed` is given beside `order`, which has no one figure";
        return Err(file.at(printed, "claim.printed").wrong(problem, "expected `printed` with `ratio` only"));
    }
    Ok(Claim {
        says: checks::sentence(file, wire.says, "claim.says")?,
        figure,
        subject,
        printed,
        bound: bound(&wire.holds, printed).map_err(|fault| {
            file.at(&wire.holds, "claim.holds")
                .wrong(format!("`claim.holds` is `{}`", wire.holds.get_ref()), fault)
        })?,
    })
}

/// The figure, and under which of the loads that its kind has.
fn figure(file: &SourceFile, wire: &WireClaim, calls: &[CallSettings]) -> Result<ClaimFigure, SpecError> {
    let name = wire.figure.get_ref().as_str();
    let row = FIGURES.iter().find(|row| row.claimed_as == Some(name));
    let figure = match row {
        Some(row) => ClaimFigure::of(row.figure),
        None if name == SCORE => ClaimFigure::SCORE,
        None => {
            let known: Vec<&str> = FIGURES.iter().filter_map(|row| row.claimed_as).chain([SCORE]).collect();
            return Err(file.at(&wire.figure, "claim.figure").wrong(
                format!("`claim.figure` is `{name}`"),
                format!("expected one of: {}", known.join(", ")),
            ));
        }
    };
    let loads = figure.of.kind().row().loads;
    for (key, at, of) in wire.keys_of_loads() {
        if of != loads {
            let with = FIGURES.iter().filter(|row| row.kind.row().loads == of);
            let with: Vec<String> = with.filter_map(|row| Some(format!("`{}`", row.claimed_as?))).collect();
            let problem = format!("`{key}` is given, but the figure is not {}", with.join(" or "));
            return Err(file.wrong(
                at,
                &format!("claim.{key}"),
                problem,
                "expected it with that figure only",
            ));
        }
    }
    let under = match loads {
        KindLoads::One => None,
        KindLoads::Rates => rate(file, wire)?,
        KindLoads::Bursts => Some(burst(file, wire)?),
        KindLoads::Calls => Some(call(file, wire, calls)?),
    };
    Ok(ClaimFigure { under, ..figure })
}

impl WireClaim {
    /// The keys that say under which load, as far as they are given, with the loads that have them.
    fn keys_of_loads(&self) -> impl Iterator<Item = (&'static str, Range<usize>, KindLoads)> {
        fn at<T>(key: &Option<Spanned<T>>) -> Option<Range<usize>> {
            key.as_ref().map(Spanned::span)
        }
        let keys = [
            ("rate_per_s", at(&self.rate_per_s), KindLoads::Rates),
            ("requests", at(&self.requests), KindLoads::Bursts),
            ("first_alone", at(&self.first_alone), KindLoads::Bursts),
            ("call", at(&self.call), KindLoads::Calls),
            ("calls", at(&self.calls), KindLoads::Calls),
        ];
        keys.into_iter().filter_map(|(key, at, of)| Some((key, at?, of)))
    }
}

/// An open loop at a rate; without one the first that there is.
fn rate(file: &SourceFile, wire: &WireClaim) -> Result<Option<ClaimLoad>, SpecError> {
    let rate = wire.rate_per_s.as_ref().map(|rate| checks::positive(file, rate, "claim.rate_per_s"));
    Ok(rate.transpose()?.map(|rate_per_s| ClaimLoad::Load(LoadCondition::OpenLoop { rate_per_s })))
}

/// A burst of so many requests.
fn burst(file: &SourceFile, wire: &WireClaim) -> Result<ClaimLoad, SpecError> {
    let Some(requests) = &wire.requests else {
        return Err(file.at(&wire.figure, "claim.requests").wrong(
            "a claim about a makespan needs `requests`",
            "expected the `requests` of one of the workload's bursts",
        ));
    };
    let requests = checks::number(file, requests, "claim.requests", 1..=1_000_000)?;
    let first_alone = wire.first_alone.as_ref().is_some_and(|first_alone| *first_alone.get_ref());
    Ok(ClaimLoad::Burst { requests, first_alone })
}

/// Single calls under one condition, or under one for each side.
fn call(file: &SourceFile, wire: &WireClaim, known: &[CallSettings]) -> Result<ClaimLoad, SpecError> {
    match (&wire.call, &wire.calls) {
        (Some(both), None) => {
            let both = calls::condition(file, both, "claim.call", known)?;
            Ok(ClaimLoad::Call { over: both, under: both })
        }
        (None, Some(two)) => match two.get_ref().as_slice() {
            [over, under] if wire.ratio.is_some() => {
                let condition = |text| calls::condition(file, text, "claim.calls", known);
                Ok(ClaimLoad::Call { over: condition(over)?, under: condition(under)? })
            }
            _ => Err(file.at(two, "claim.calls").wrong(
                "`claim.calls` fits no two sides of a ratio",
                "expected two conditions with `ratio`, one for each side; else `call` with one for all",
            )),
        },
        _ => Err(file.at(&wire.figure, "claim.call").wrong(
            "a claim about a call needs either `call` or `calls`",
            "expected a condition, as in `call = \"h2 new tls1.3 100ms\"`, or `calls` with one for each side of a ratio",
        )),
    }
}

fn value(file: &SourceFile, text: &Spanned<String>, workload: &str) -> Result<Subject, SpecError> {
    side(text.get_ref(), workload).map(Subject::Value).ok_or_else(|| {
        file.at(text, "claim.value").wrong(
            format!("`claim.value` is `{}`", text.get_ref()),
            "expected a contender's name, as in `go/gin`",
        )
    })
}

fn ratio(
    file: &SourceFile,
    sides: Spanned<Vec<Spanned<String>>>,
    workload: &str,
    may_be_one: bool,
) -> Result<Subject, SpecError> {
    let at = sides.span();
    let sides = sides_of(file, sides, workload, "claim.ratio", may_be_one)?;
    match <[Side; 2]>::try_from(sides) {
        Ok([over, under]) => Ok(Subject::Ratio(over, under)),
        Err(sides) => {
            Err(count_wrong(file, at, "claim.ratio", sides.len(), "two sides: the first over the second"))
        }
    }
}

fn order(
    file: &SourceFile,
    sides: Spanned<Vec<Spanned<String>>>,
    workload: &str,
) -> Result<Subject, SpecError> {
    let at = sides.span();
    let sides = sides_of(file, sides, workload, "claim.order", false)?;
    if sides.len() < 2 {
        return Err(count_wrong(
            file,
            at,
            "claim.order",
            sides.len(),
            "at least two, the highest figure first",
        ));
    }
    Ok(Subject::Order(sides))
}

fn count_wrong(file: &SourceFile, at: Range<usize>, key: &str, count: usize, expected: &str) -> SpecError {
    file.wrong(at, key, format!("`{key}` names {count}"), format!("expected {expected}"))
}

/// Each once, unless one contender may stand on both sides.
fn sides_of(
    file: &SourceFile,
    values: Spanned<Vec<Spanned<String>>>,
    workload: &str,
    key: &str,
    may_be_one: bool,
) -> Result<Vec<Side>, SpecError> {
    const MOST: usize = 100;
    let mut sides = Vec::new();
    for value in values.into_inner() {
        let side = side(value.get_ref(), workload).ok_or_else(|| {
            file.at(&value, key).wrong(
                format!("`{key}` holds `{}`", value.get_ref()),
                "expected a contender's name, as in `go/gin`, or with its workload, as in `void:go/gin`",
            )
        })?;
        if (sides.contains(&side) && !may_be_one) || sides.len() == MOST {
            let problem = format!("`{key}` names `{}` twice, or more than {MOST} sides", value.get_ref());
            return Err(file.at(&value, key).wrong(problem, "expected each side once"));
        }
        sides.push(side);
    }
    Ok(sides)
}

fn side(text: &str, own_workload: &str) -> Option<Side> {
    let (workload, contender) = text.split_once(':').unwrap_or((own_workload, text));
    let contender = ContenderName::new(contender).ok()?;
    checks::is_workload_name(workload).then(|| Side { workload: workload.to_owned(), contender })
}

/// Reads `within 15 %` (of the printed figure), `at least X`, `at most X` or `between X and Y`.
fn bound(text: &Spanned<String>, printed: Option<f64>) -> Result<Bound, &'static str> {
    const FORMS: &str =
        "expected `within 15 %` (of `printed`), `at least 0.9`, `at most 0.8` or `between 0.9 and 1.1`";
    let positive = |text: &str| {
        text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0).ok_or(FORMS)
    };
    let text = text.get_ref().trim();
    if let Some(rest) = text.strip_prefix("within ") {
        let percent = positive(rest.trim_end().strip_suffix('%').ok_or(FORMS)?)?;
        let printed = printed.ok_or("expected `printed` beside it: `within` is relative to it")?;
        if percent >= 100.0 {
            return Err("expected less than 100 %");
        }
        let width = printed * percent / 100.0;
        return Ok(Bound { low: Some(printed - width), high: Some(printed + width) });
    }
    if let Some(rest) = text.strip_prefix("at least ") {
        return Ok(Bound { low: Some(positive(rest)?), high: None });
    }
    if let Some(rest) = text.strip_prefix("at most ") {
        return Ok(Bound { low: None, high: Some(positive(rest)?) });
    }
    let (low, high) = text.strip_prefix("between ").and_then(|rest| rest.split_once(" and ")).ok_or(FORMS)?;
    let (low, high) = (positive(low)?, positive(high)?);
    if low > high {
        return Err("expected the lower bound first");
    }
    Ok(Bound { low: Some(low), high: Some(high) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str, printed: Option<f64>) -> Result<Bound, &'static str> {
        bound(&Spanned::new(0..0, text.to_owned()), printed)
    }

    #[test]
    fn bounds_are_read() {
        assert_eq!(parsed("at least 0.9", None), Ok(Bound { low: Some(0.9), high: None }));
        assert_eq!(parsed("at most 0.8", Some(2.0)), Ok(Bound { low: None, high: Some(0.8) }));
        assert_eq!(parsed("between 0.9 and 1.1", None), Ok(Bound { low: Some(0.9), high: Some(1.1) }));
        assert_eq!(parsed("within 50 %", Some(4.0)), Ok(Bound { low: Some(2.0), high: Some(6.0) }));
        assert_eq!(parsed("within 50%", Some(4.0)), Ok(Bound { low: Some(2.0), high: Some(6.0) }));
    }

    #[test]
    fn other_bounds_are_refused() {
        for text in [
            "",
            "within",
            "within 15",
            "within x %",
            "within 0 %",
            "within -5 %",
            "within 100 %",
            "at least",
            "at least nan",
            "at most inf",
            "at least 0",
            "between 2 and 1",
            "between 1",
            "about 5",
        ] {
            assert!(parsed(text, Some(1.0)).is_err(), "{text}");
        }
        assert!(parsed("within 15 %", None).is_err());
    }

    proptest! {
        #[test]
        fn within_holds_the_printed_figure(printed in 1e-3..1e6_f64, percent in 0.1..99.9_f64) {
            let bound = parsed(&format!("within {percent} %"), Some(printed)).expect("a bound");
            let (low, high) = (bound.low.expect("a low end"), bound.high.expect("a high end"));
            prop_assert!(0.0 < low && low < printed && printed < high);
        }
    }
}
