//! A gate for people, and for what reads its results in CI.

mod annotations;
mod bencher;
mod github_benchmark;
mod junit;

pub use annotations::annotations;
pub use bencher::bencher;
pub use github_benchmark::github_benchmark;
pub use junit::junit;

use velo_judge::gate::GateRun;

use crate::TerminalOptions;

/// For a terminal, the verdict last. Text from outside is stripped of escape sequences and control
/// characters.
pub fn terminal(gate: &GateRun, options: &TerminalOptions) -> String {
    crate::write::terminal::print(&crate::section::gate::document(gate), options)
}

/// As Markdown (CommonMark with tables), for a job's summary. Text from outside is escaped.
pub fn markdown(gate: &GateRun) -> String {
    crate::write::markdown::write(&crate::section::gate::document(gate))
}

/// As JSON, as `schemas/gate.schema.json` describes it.
pub fn json(gate: &GateRun) -> String {
    // OK because a gate has neither maps nor types that fail to serialise.
    let mut text = serde_json::to_string_pretty(gate).expect("a gate is JSON");
    text.push('\n');
    text
}
