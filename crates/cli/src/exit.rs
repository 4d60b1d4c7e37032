//! Exit codes.

use velo_judge::{Cause, Judgement, RowState};
use velo_lab::LabError;
use velo_record::RecordError;
use velo_request::{Problem, SpecError};

/// Done; also when a contender was skipped because a toolchain or a fetch is missing.
pub(crate) const DONE: u8 = 0;
/// A check failed: a contender was excluded, or a row is invalid.
pub(crate) const CHECK_FAILED: u8 = 1;
/// The command line, a definition or a result file is not one. `clap` uses the same code.
pub(crate) const USAGE: u8 = 2;
/// The environment is unfit: too few CPUs, a folder that cannot be written.
pub(crate) const UNFIT: u8 = 3;
/// With `--strict`: a condition is undecided.
pub(crate) const UNDECIDED: u8 = 4;
/// Interrupted by SIGINT, SIGQUIT, SIGTERM or SIGHUP; what was measured is kept.
pub(crate) const INTERRUPTED: u8 = 130;

/// A command line that parses but asks for what cannot be.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error about the command line: what is wrong, and what to do.
pub(crate) fn usage(what: impl Into<String>) -> anyhow::Error {
    Usage(what.into()).into()
}

/// The error of a flag, or of another place that is named in front.
pub(crate) fn at(problem: &Problem, place: &str) -> anyhow::Error {
    usage(format!("{place}: {}\n  {}", problem.what, problem.cure))
}

/// The code of an error.
pub(crate) fn code(error: &anyhow::Error) -> u8 {
    let is_about_input = error.chain().any(|cause| {
        cause.is::<Usage>()
            || cause.is::<SpecError>()
            || (cause.is::<RecordError>() && !error.is::<LabError>())
    });
    if is_about_input { USAGE } else { UNFIT }
}

/// Whether a check failed: a contender was excluded, or its row is worth nothing.
pub(crate) fn verdict(judgement: &Judgement) -> u8 {
    let servers = judgement.workloads.iter().flat_map(|workload| &workload.rows).map(|row| &row.state);
    let tasks = judgement.workloads.iter().filter_map(|workload| workload.tasks.as_ref());
    let tasks = tasks.flat_map(|table| &table.rows).map(|row| &row.state);
    let fails = |state: &RowState| match state {
        RowState::Excluded { .. } => true,
        RowState::NotRanked { cause } => matches!(
            cause,
            Cause::WrongAnswers { .. }
                | Cause::UnfairCoin { .. }
                | Cause::Failures { .. }
                | Cause::ProcessEndedEarly { .. }
                | Cause::LittlesLaw { .. }
                | Cause::StaleData { .. }
                | Cause::NotRead { .. }
                | Cause::OwnClock { .. }
                | Cause::OutsideCpus { .. }
                | Cause::ImpossibleCpuTime { .. }
        ),
        RowState::Ranked { .. } | RowState::Reference | RowState::Skipped { .. } => false,
    };
    if servers.chain(tasks).any(fails) { CHECK_FAILED } else { DONE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn what_was_typed_wrong_is_usage_and_the_rest_is_the_machine() {
        assert_eq!(code(&usage("no such workload")), USAGE);
        let unfit = LabError::Unfit { what: "1 CPU".to_owned(), cure: "use more".to_owned() };
        assert_eq!(code(&anyhow::Error::from(unfit)), UNFIT);
        let io: Result<(), _> = Err(std::io::Error::other("disk full"));
        assert_eq!(code(&io.context("results/run.json cannot be written").expect_err("an error")), UNFIT);
        let record = RecordError::Histogram("odd".to_owned());
        assert_eq!(code(&anyhow::Error::from(record)), USAGE);
        let record = RecordError::Histogram("odd".to_owned());
        assert_eq!(code(&anyhow::Error::from(LabError::Record(record))), UNFIT);
    }
}
