//! What is measured of a contender: a table with a row for each figure, which everything that ranks, compares, claims or draws reads.

use serde::{Deserialize, Serialize};

use crate::LoadCondition;

/// A figure of a contender. What is known of it beside its name is in its row, [`Figure::row`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Correct responses per second.
    Goodput,
    /// CPU time of the process tree per correct response, under the workload's own load.
    CpuPerRequest,
    /// CPU time of the process tree per correct response at the common rate.
    CpuAtOneRate,
    /// The median response time at the common rate, from the intended start.
    ResponseP50,
    /// Its 99th percentile.
    ResponseP99,
    /// Resident set size of the process tree, shared pages once, after the last block.
    Memory,
    /// The median of the second half of a process's iterations.
    IterationSteady,
    /// The first iteration of a process.
    IterationCold,
    /// Of a client: from the start to the end of a process that is told one line.
    Process,
    /// The largest resident set size of a process.
    PeakMemory,
    /// From exec to the first correct answer.
    Startup,
    /// CPU time per request over that of the raw contender of the same language and host.
    Tax,
    /// CPU time per request of a service of gRPC over that of the contender of the same language that answers the same over REST.
    GrpcTax,
    /// From the first attempt to connect to the last answer of a burst.
    Makespan,
    /// A whole single call, with nothing else in flight.
    Call,
    /// Of it, opening TCP.
    CallConnect,
    /// Of it, the handshake of TLS.
    CallHandshake,
    /// Of it, from then to the first byte of the answer.
    CallFirstByte,
    /// Of it, from the first byte of the answer to its last.
    CallRest,
}

/// What is known of a figure beside its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FigureRow {
    /// Which.
    pub figure: Figure,
    /// What it is called inside a sentence.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    /// Which values are better.
    pub better: Better,
    /// What it is measured by.
    pub kind: FigureKind,
    /// Contenders are ranked by it.
    pub is_ranked: bool,
    /// It stands in the table of servers, beside the rank.
    pub is_main: bool,
    /// Two runs, or two contenders, are compared by it.
    pub is_compared: bool,
    /// The name that `velo compare --fail-on` has for it.
    pub fail_on: Option<&'static str>,
    /// The name that `velo gate --bound` has for it.
    pub gated_as: Option<&'static str>,
    /// The name that a claim has for it.
    pub claimed_as: Option<&'static str>,
    /// The figure that this one is a part of.
    pub part_of: Option<Figure>,
    /// Of a ratio, the figure of which it is one contender's over another's.
    pub ratio_of: Option<Figure>,
}

/// The kind of measurement that a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureKind {
    /// Blocks under the workload's own load.
    OwnLoad,
    /// An open loop at the rate that all of a group are given.
    CommonRate,
    /// A launch, once.
    Launch,
    /// A process of a task or a client.
    Process,
    /// Requests that are sent at once.
    Burst,
    /// Single calls.
    Call,
    /// Two other figures, one over the other.
    Ratio,
}

/// What is known of a kind of measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindRow {
    /// Where its figures stand among those of other kinds, the least first; the second number is for workloads that state a rate, at
    /// which a server has no goodput of its own, so that its times are what counts.
    pub place: [u32; 2],
    /// What tells the loads apart that a workload has for it.
    pub loads: KindLoads,
    /// A contender may have a figure under several of them, so that each is said with its load.
    pub has_several_loads: bool,
    /// It is measured while a server is under load.
    pub is_under_load: bool,
    /// The reference is measured beside it, so that the machine's own change can be taken out of it.
    pub has_reference: bool,
    /// Its launches are those of the run's plan: it is judged at the look that ended the run, and not where the plan was not kept.
    pub is_planned: bool,
}

/// What tells the loads of a kind of measurement apart, and is a key of claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindLoads {
    /// Nothing: there is one, or none.
    One,
    /// The rate of an open loop.
    Rates,
    /// The number of requests of a burst, and whether the first is answered before the others are sent.
    Bursts,
    /// The condition of single calls.
    Calls,
}

impl FigureKind {
    /// Its row.
    pub fn row(self) -> KindRow {
        let row = KindRow {
            place: [0, 0],
            loads: KindLoads::One,
            has_several_loads: false,
            is_under_load: false,
            has_reference: false,
            is_planned: true,
        };
        match self {
            Self::OwnLoad => KindRow { place: [1, 3], is_under_load: true, has_reference: true, ..row },
            Self::Process => KindRow { place: [0, 4], is_planned: false, ..row },
            Self::CommonRate => KindRow {
                place: [2, 2],
                loads: KindLoads::Rates,
                is_under_load: true,
                has_reference: true,
                ..row
            },
            Self::Burst => KindRow {
                place: [3, 1],
                loads: KindLoads::Bursts,
                has_several_loads: true,
                has_reference: true,
                ..row
            },
            Self::Launch => KindRow { place: [4, 5], ..row },
            Self::Ratio => KindRow { place: [5, 6], has_reference: true, ..row },
            Self::Call => KindRow {
                place: [6, 7],
                loads: KindLoads::Calls,
                has_several_loads: true,
                is_planned: false,
                ..row
            },
        }
    }
}

/// The unit of a figure's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Per second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// A ratio, of which 1 is no difference.
    Ratio,
}

/// Which of two values is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// The greater one.
    More,
    /// The smaller one.
    Less,
}

impl FigureRow {
    const fn new(figure: Figure, name: &'static str, kind: FigureKind, unit: Unit) -> Self {
        Self {
            figure,
            name,
            unit,
            better: Better::Less,
            kind,
            is_ranked: false,
            is_main: false,
            is_compared: false,
            fail_on: None,
            gated_as: None,
            claimed_as: None,
            part_of: None,
            ratio_of: None,
        }
    }

    const fn more_is_better(self) -> Self {
        Self { better: Better::More, ..self }
    }

    const fn ranked(self) -> Self {
        Self { is_ranked: true, ..self }
    }

    const fn main(self) -> Self {
        Self { is_main: true, ..self }
    }

    const fn compared(self) -> Self {
        Self { is_compared: true, ..self }
    }

    const fn fails_on(self, name: &'static str) -> Self {
        Self { fail_on: Some(name), ..self }
    }

    const fn gated_as(self, name: &'static str) -> Self {
        Self { gated_as: Some(name), ..self }
    }

    const fn claimed_as(self, name: &'static str) -> Self {
        Self { claimed_as: Some(name), ..self }
    }

    const fn ratio_of(self, figure: Figure) -> Self {
        Self { ratio_of: Some(figure), ..self }
    }

    const fn part_of(self, whole: Figure) -> Self {
        Self { part_of: Some(whole), ..self }
    }
}

/// All figures, in the order in which they are shown.
pub static FIGURES: [FigureRow; 19] = {
    use Figure::*;
    use Unit::*;
    const fn row(figure: Figure, name: &'static str, kind: FigureKind, unit: Unit) -> FigureRow {
        FigureRow::new(figure, name, kind, unit)
    }
    [
        row(Goodput, "goodput", FigureKind::OwnLoad, PerSecond)
            .more_is_better()
            .ranked()
            .main()
            .compared()
            .fails_on("goodput")
            .gated_as("goodput")
            .claimed_as("goodput"),
        row(CpuPerRequest, "CPU time per request", FigureKind::OwnLoad, Nanoseconds)
            .main()
            .compared()
            .fails_on("cpu")
            .gated_as("cpu")
            .claimed_as("cpu-per-request"),
        row(CpuAtOneRate, "CPU time per request at the common rate", FigureKind::CommonRate, Nanoseconds)
            .ranked()
            .compared()
            .fails_on("cpu")
            .claimed_as("cpu-at-common-rate"),
        row(ResponseP50, "median response time", FigureKind::CommonRate, Nanoseconds),
        row(ResponseP99, "p99 response time", FigureKind::CommonRate, Nanoseconds).gated_as("p99"),
        row(Memory, "memory", FigureKind::Launch, Bytes).main().gated_as("memory"),
        row(IterationSteady, "steady time", FigureKind::Process, Nanoseconds)
            .ranked()
            .compared()
            .fails_on("steady")
            .claimed_as("steady"),
        row(IterationCold, "cold time", FigureKind::Process, Nanoseconds).claimed_as("cold"),
        row(Process, "time of a process", FigureKind::Process, Nanoseconds).claimed_as("process"),
        row(PeakMemory, "peak memory", FigureKind::Process, Bytes).claimed_as("peak-memory"),
        row(Startup, "startup", FigureKind::Launch, Nanoseconds)
            .compared()
            .fails_on("startup")
            .gated_as("startup"),
        row(Tax, "framework tax", FigureKind::Ratio, Ratio).ratio_of(CpuPerRequest),
        row(GrpcTax, "gRPC over REST", FigureKind::Ratio, Ratio).ratio_of(CpuPerRequest),
        row(Makespan, "makespan", FigureKind::Burst, Nanoseconds).claimed_as("makespan"),
        row(Call, "whole call", FigureKind::Call, Nanoseconds)
            .compared()
            .fails_on("calls")
            .claimed_as("call"),
        row(CallConnect, "call, connect", FigureKind::Call, Nanoseconds).compared().part_of(Call),
        row(CallHandshake, "call, TLS", FigureKind::Call, Nanoseconds).compared().part_of(Call),
        row(CallFirstByte, "call, first byte", FigureKind::Call, Nanoseconds).compared().part_of(Call),
        row(CallRest, "call, rest", FigureKind::Call, Nanoseconds).compared().part_of(Call),
    ]
};

impl Figure {
    /// The figure under a workload's own load that what others do disturbs least: CPU time leaves out theirs.
    pub const LEAST_DISTURBED: Self = Self::CpuPerRequest;

    /// Its row of the table.
    pub fn row(self) -> &'static FigureRow {
        &FIGURES[self as usize]
    }

    /// Those that `velo compare` compares, in the order in which they are shown.
    pub fn compared() -> impl Iterator<Item = Self> {
        FIGURES.iter().filter(|row| row.is_compared).map(|row| row.figure)
    }

    /// Those in the table of servers, in their order.
    pub fn main() -> impl Iterator<Item = Self> {
        FIGURES.iter().filter(|row| row.is_main).map(|row| row.figure)
    }

    /// Those of a kind, in the order in which they are shown.
    pub fn of_kind(kind: FigureKind) -> impl Iterator<Item = Self> {
        FIGURES.iter().filter(move |row| row.kind == kind).map(|row| row.figure)
    }

    /// The load, where a contender has the figure under several and none of them is its own; `None` where it need not be said.
    pub fn told_apart_by(self, under: LoadCondition) -> Option<LoadCondition> {
        self.kind().row().has_several_loads.then_some(under)
    }

    /// What it is measured by.
    pub fn kind(self) -> FigureKind {
        self.row().kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_its_own_row() {
        for (place, row) in FIGURES.iter().enumerate() {
            assert_eq!(row.figure as usize, place);
            assert_eq!(row.figure.row(), row);
        }
        // The last of the enum: one more would have no row.
        assert_eq!(Figure::CallRest as usize + 1, FIGURES.len());
    }

    #[test]
    fn what_fails_a_comparison_is_compared_and_parts_follow_their_whole() {
        for row in &FIGURES {
            assert!(row.fail_on.is_none() || row.is_compared, "{row:?}");
            assert!(!row.is_ranked || row.fail_on.is_some(), "{row:?}");
            assert!(row.part_of.is_none_or(|whole| whole < row.figure), "{row:?}");
            assert_eq!(row.ratio_of.is_some(), row.kind == FigureKind::Ratio, "{row:?}");
        }
    }
}
