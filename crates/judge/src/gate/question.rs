//! What a gate is asked: which two, by which figures, and how much worse each may be.

use velo_model::{ContenderName, FIGURES, Figure, FigureKind};
use velo_stats::{SequentialLook, sequential_looks};

use crate::words::typed::percentage;

/// The bounds of a gate that is given none. The fewer figures share the level, the smaller a change is found.
pub const USUAL_BOUNDS: &str = "cpu=3%,goodput=5%";

/// How much worse a figure may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Which.
    pub figure: Figure,
    /// As a share of the base's, above 0 and below 1.
    pub share: f64,
}

/// Two revisions, and what is asked of them.
#[derive(Debug, Clone, PartialEq)]
pub struct GateQuestion {
    /// The contender at the base.
    pub base: ContenderName,
    /// The contender at the head.
    pub head: ContenderName,
    /// The figures that can say "worse", each once; the level of the test is shared by all of them.
    pub bounds: Vec<Bound>,
    /// Figures of which a change for the worse is accepted.
    pub accepted: Vec<Figure>,
}

impl GateQuestion {
    /// When a run of `planned` launches is looked at, and at which levels.
    pub fn looks(&self, planned: u32) -> Vec<SequentialLook> {
        sequential_looks(planned, self.bounds.len() as u32)
    }

    /// Whether a bound is held against a figure at the common rate, so that windows at that rate are needed.
    pub fn needs_common_rate(&self) -> bool {
        self.bounds.iter().any(|bound| bound.figure.kind() == FigureKind::CommonRate)
    }
}

/// Why a text is no list of bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoundError {
    /// A part has no `=`.
    #[error("`{part}`: expected a figure and a percentage, as in cpu=3%")]
    NoBound {
        /// As it was typed.
        part: String,
    },
    /// There is no such figure.
    #[error("`{name}` is not a figure of a gate\n  expected one of: cpu, goodput, p99, startup, memory")]
    UnknownFigure {
        /// As it was typed.
        name: String,
    },
    /// The bound is no percentage.
    #[error("`{part}`: expected a percentage above 0 and below 100 %, as in {name}=3%")]
    NotAPercentage {
        /// As it was typed.
        part: String,
        /// Its figure.
        name: &'static str,
    },
    /// It stands there twice.
    #[error("`{name}` is there twice\n  expected each figure once")]
    Twice {
        /// Its figure.
        name: &'static str,
    },
}

/// Reads bounds: figure, equals sign, percentage; separated by commas.
///
/// # Errors
/// When a part is none; the error says what is expected.
pub fn parse_bounds(text: &str) -> Result<Vec<Bound>, BoundError> {
    let mut bounds: Vec<Bound> = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (name, share) =
            part.split_once('=').ok_or_else(|| BoundError::NoBound { part: part.to_owned() })?;
        let figure = figure_named(name.trim())?;
        let name = super::question::name(figure);
        if bounds.iter().any(|bound| bound.figure == figure) {
            return Err(BoundError::Twice { name });
        }
        let share = percentage(share.trim())
            .ok_or_else(|| BoundError::NotAPercentage { part: part.to_owned(), name })?;
        bounds.push(Bound { figure, share });
    }
    Ok(bounds)
}

/// The figure of this name: `cpu`, `goodput`, `p99`, `startup`, `memory`.
///
/// # Errors
/// When there is none.
pub fn figure_named(name: &str) -> Result<Figure, BoundError> {
    let found = FIGURES.iter().find(|row| row.gated_as == Some(name)).map(|row| row.figure);
    found.ok_or_else(|| BoundError::UnknownFigure { name: name.to_owned() })
}

/// The name of a figure that a bound may be held against.
pub(super) fn name(figure: Figure) -> &'static str {
    figure.row().gated_as.unwrap_or(figure.row().name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_figures_with_percentages() {
        let bounds = parse_bounds("cpu=3%, p99 = 12.5 %").unwrap();
        let share = |figure| bounds.iter().find(|bound| bound.figure == figure).map(|bound| bound.share);
        assert_eq!((share(Figure::CpuPerRequest), share(Figure::ResponseP99)), (Some(0.03), Some(0.125)));
        assert_eq!(parse_bounds(USUAL_BOUNDS).unwrap().len(), 2);
        for (text, told) in [
            ("", "expected a figure and a percentage"),
            ("cpu", "expected a figure and a percentage"),
            ("cpus=3%", "`cpus` is not a figure of a gate"),
            ("cpu=3", "as in cpu=3%"),
            ("cpu=0%", "above 0 and below 100 %"),
            ("cpu=100%", "above 0 and below 100 %"),
            ("cpu=1e1%", "above 0 and below 100 %"),
            ("cpu=3%,cpu=4%", "`cpu` is there twice"),
        ] {
            let error = parse_bounds(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn all_figures_at_once_share_the_level() {
        let names = FIGURES.iter().filter_map(|row| row.gated_as);
        let all: Vec<String> = names.map(|name| format!("{name}=5%")).collect();
        assert_eq!(all.len(), velo_stats::MOST_SEQUENTIAL_TESTS as usize, "more would share no level");
        let bounds = parse_bounds(&all.join(",")).unwrap();
        let of = |name: &str| ContenderName::new("go/shop").unwrap().at(name).unwrap();
        let question = GateQuestion { base: of("base"), head: of("head"), bounds, accepted: Vec::new() };
        assert_eq!(question.looks(21).len(), 9);
        assert!(question.needs_common_rate());
        assert!(
            !GateQuestion { bounds: parse_bounds(USUAL_BOUNDS).unwrap(), ..question }.needs_common_rate()
        );
    }
}
