use schemars::JsonSchema;
use serde::Serialize;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Correct responses per second.
    Goodput,
    /// CPU time per correct response in the blocks, each contender at its own goodput.
    Cpu,
    /// CPU time per correct response at the one rate for all.
    EqualWorkCpu,
    /// The steady time of a task.
    Steady,
    /// From exec to the first correct answer.
    Startup,
}

impl Figure {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Goodput, Self::Cpu, Self::EqualWorkCpu, Self::Steady, Self::Startup];

    /// Whether more of it is better; of all others less is.
    pub fn more_is_better(self) -> bool {
        self == Self::Goodput
    }
}
