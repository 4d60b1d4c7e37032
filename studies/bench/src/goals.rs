//! What velo is held to, written under the tables with what was measured.

/// Whether a goal is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    NotMet,
    /// A tool is missing, or there are too few rounds.
    Undecided,
}

/// A goal with its verdict.
#[derive(Debug)]
pub(crate) struct Goal {
    text: String,
    verdict: Verdict,
    figures: String,
}

impl Goal {
    /// One that all these figures must meet; `None` is a figure that is missing.
    pub(crate) fn all(text: &str, figures: &[(String, Option<bool>)]) -> Self {
        let verdict = if figures.iter().any(|(_, met)| *met == Some(false)) {
            Verdict::NotMet
        } else if figures.is_empty() || figures.iter().any(|(_, met)| met.is_none()) {
            Verdict::Undecided
        } else {
            Verdict::Met
        };
        let figures = figures.iter().map(|(figure, _)| figure.as_str()).collect::<Vec<_>>().join(", ");
        Self {
            text: text.to_owned(),
            verdict,
            figures: if figures.is_empty() { "nothing measured".to_owned() } else { figures },
        }
    }
}

/// A list of them.
pub(crate) fn list(goals: &[Goal]) -> String {
    let word = |verdict| match verdict {
        Verdict::Met => "met",
        Verdict::NotMet => "**not met**",
        Verdict::Undecided => "not decided",
    };
    goals.iter().map(|goal| format!("- {}: {}: {}\n", word(goal.verdict), goal.text, goal.figures)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_figure_that_fails_decides_and_one_that_is_missing_undoes() {
        let verdict = |met: &[Option<bool>]| {
            let figures: Vec<_> = met.iter().map(|met| ("0.7".to_owned(), *met)).collect();
            Goal::all("below", &figures).verdict
        };
        assert_eq!(verdict(&[Some(true), Some(true)]), Verdict::Met);
        assert_eq!(verdict(&[Some(true), None]), Verdict::Undecided);
        assert_eq!(verdict(&[None, Some(false)]), Verdict::NotMet);
        assert_eq!(verdict(&[]), Verdict::Undecided);
        let text = list(&[Goal::all("below 0.8", &[("0.9 with 64".to_owned(), Some(false))])]);
        assert_eq!(text, "- **not met**: below 0.8: 0.9 with 64\n");
    }
}
