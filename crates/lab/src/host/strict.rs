//! `--strict`: no run on a host that would disturb its figures.

use crate::LabError;
use crate::host::doctor::{self, Check};

/// The refusal: what is wrong with the host, and what to do about each. `None` when nothing is.
pub(crate) fn refusal(checks: &[Check]) -> Option<LabError> {
    let wrong = doctor::unfit(checks);
    if wrong.is_empty() {
        return None;
    }
    let lines = wrong.iter().map(|check| match &check.advice {
        Some(advice) => format!("{}: {}\n    {advice}", check.name, check.found),
        None => format!("{}: {}", check.name, check.found),
    });
    let without = "without --strict the run goes on, and its report says what it saw".to_owned();
    Some(LabError::Unfit {
        what: "--strict: this host would disturb the figures".to_owned(),
        cure: lines.chain([without]).collect::<Vec<_>>().join("\n  "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::doctor::CheckState;

    fn check(name: &str, state: CheckState, advice: Option<&str>) -> Check {
        Check { name: name.to_owned(), found: "12 %".to_owned(), state, advice: advice.map(str::to_owned) }
    }

    #[test]
    fn a_fit_host_is_not_refused() {
        let checks =
            [CheckState::Ok, CheckState::Note, CheckState::Unknown].map(|state| check("x", state, None));
        assert!(refusal(&checks).is_none());
    }

    #[test]
    fn all_that_is_wrong_is_named_with_what_to_do() {
        let checks = [
            check("CPU", CheckState::Ok, None),
            check("others", CheckState::Warning, Some("end them")),
            check("steal", CheckState::Warning, None),
        ];
        assert_eq!(
            refusal(&checks).expect("a refusal").to_string(),
            "--strict: this host would disturb the figures\n  others: 12 %\n    end them\n  steal: 12 %\n  \
             without --strict the run goes on, and its report says what it saw"
        );
    }
}
