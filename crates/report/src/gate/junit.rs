use std::time::Duration;

use velo_judge::gate::{GateFigure, GateRun, GateState, GateVerdict};

use crate::section::gate::{in_words, state, verdict};
use crate::write::junit::{Case, Outcome, Suite, write};

/// A case for each figure; of a gate that was not measured one for the verdict.
pub fn junit(gate: &GateRun) -> String {
    let class = format!("velo.gate.{}", gate.contender);
    let case = |name: &str, outcome: Outcome| Case { class: class.clone(), name: name.to_owned(), outcome };
    let cases = match gate.verdict {
        GateVerdict::HeadBroken => vec![case("verdict", Outcome::Failed(verdict(gate)))],
        GateVerdict::BaseBroken | GateVerdict::Unfit | GateVerdict::Interrupted | GateVerdict::New => {
            vec![case("verdict", Outcome::Skipped(verdict(gate)))]
        }
        _ => gate.figures.iter().map(|one| case(one.figure.row().name, outcome(one))).collect(),
    };
    let suite = Suite {
        name: format!("velo gate: {} on {}", gate.contender, gate.workload),
        took: Duration::from_nanos(gate.measured_ns),
        cases,
    };
    write("velo gate", &[suite])
}

fn outcome(one: &GateFigure) -> Outcome {
    match one.state {
        GateState::Worse if !one.is_accepted => Outcome::Failed(format!("worse: {}", in_words(one))),
        GateState::Worse | GateState::Undecided => {
            Outcome::Skipped(format!("{}: {}", state(one), in_words(one)))
        }
        GateState::Missing => {
            Outcome::Skipped(one.reason.as_ref().map_or_else(|| state(one).to_owned(), ToString::to_string))
        }
        GateState::Better | GateState::Within => Outcome::Passed,
    }
}
