//! One contender in one workload: its figures, what they are worth, and whether it may be ranked.

use serde::Serialize;
use velo_model::{Class, ContenderName, Figure, Protocol};
use velo_record::Outcomes;

use super::counters::Counters;
use super::latency::Curve;
use super::launches::Processes;
use super::paced::PacedFigures;
use super::service_time::Percentiles;
use crate::doubt::cause::Cause;
use crate::doubt::coin::CoinFinding;
use crate::doubt::consistency::Consistency;
use crate::doubt::fairness::Fairness;
use crate::doubt::limit::LimitFinding;
use crate::doubt::littles_law::LittlesLaw;
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::doubt::steadiness::Steadiness;
use crate::doubt::verdict::Verdict;
use crate::measure::estimate::Estimate;

/// One contender in one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// The contender.
    pub contender: ContenderName,
    /// What kind of program it is.
    pub class: Class,
    /// What was spoken to it: of a service of gRPC that, whatever the workload's own protocol.
    pub protocol: Protocol,
    /// What its version command printed.
    pub version: Option<String>,
    /// Whether it is ranked, and where; else why not.
    pub state: RowState,
    /// Launches with at least one counted window.
    pub launches: u32,
    /// Counted windows.
    pub windows: u32,
    /// Correct responses per second. As JSON it stands in the series of the workload, as do all figures that contenders are compared by.
    #[serde(skip)]
    pub goodput_per_s: Option<Estimate>,
    /// True when the contender was not seen to be the limit: it could serve more, so the goodput is a lower bound.
    pub at_least: bool,
    /// CPU time of the process tree per correct response. As JSON it stands in the series.
    #[serde(skip)]
    pub cpu_per_request_ns: Option<Estimate>,
    /// Instructions and cycles, where the CPU counts them for us.
    pub counters: Counters,
    /// Goodput over the baseline's, paired by block.
    pub against_baseline: Option<Estimate>,
    /// Processes, threads, memory, startup.
    pub processes: Processes,
    /// The first windows after process start.
    pub cold: Option<Cold>,
    /// Service time over all counted windows.
    pub service_time: Option<Percentiles>,
    /// Who was the limit; `None` without counted windows.
    pub limit: Option<LimitFinding>,
    /// Response times in an open loop, and CPU per request, at stated rates; empty when none was tried.
    pub latency: Vec<PacedFigures>,
    /// Response times against the rate, where that was tried.
    pub curve: Option<Curve>,
    /// Whether goodput, or CPU time per request at a stated rate, held still over a launch; `None` without counted windows.
    pub steadiness: Option<Steadiness>,
    /// Whether that figure was the same in the warm-up, and from launch to launch; `None` without counted windows.
    pub consistency: Option<Consistency>,
    /// What became of all requests. Those of open loops and bursts that failed otherwise than by a wrong answer are not in it: there
    /// the rate may have been too high, and they stand with its figures.
    pub answers: Outcomes,
    /// The first wrong answers in words, a few at most.
    pub wrong_examples: Vec<String>,
    /// Little's law.
    pub littles_law: LittlesLaw,
    /// Draws of a coin, where the workload has one.
    pub coin: Option<CoinFinding>,
    /// Shares of the connections, where there is enough to tell.
    pub fairness: Option<Fairness>,
    /// Connections.
    pub connections: Connections,
    /// What else is to be known.
    pub verdicts: Vec<Verdict>,
}

/// The rows of each workload of a run, with its name.
pub(crate) type RowsByWorkload<'a> = Vec<(&'a str, &'a [Row])>;

/// Figures of the first windows after process start.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cold {
    /// Correct responses per second.
    pub goodput_per_s: Option<Estimate>,
    /// CPU time per correct response.
    pub cpu_per_request_ns: Option<Estimate>,
    /// Service time.
    pub service_time: Option<Percentiles>,
}

/// Connections of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Connections {
    /// Asked for in a window, at most.
    pub asked: u32,
    /// Closed by the load after so many requests, as the workload wants it; `None`: kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_after: Option<u32>,
    /// The fewest open at the end of a counted window.
    pub established_least: Option<u32>,
    /// The fewest that got any correct answer in the counted windows of a launch.
    pub answered_least: Option<u32>,
    /// Reopened before windows because the contender had closed them while it was stopped.
    pub reopened_after_stop: u64,
    /// Reopened under load.
    pub reconnects: u64,
    /// Correct answers in the same windows.
    pub answers: u64,
}

impl Connections {
    /// How often one was opened again, as a share of the answers.
    pub(crate) fn reopened_share(&self) -> f64 {
        self.reconnects as f64 / self.answers.max(1) as f64
    }
}

impl Row {
    /// Why the goodput cannot be used as the contender's own; `None` when it can.
    pub(crate) fn goodput_fault(&self) -> Option<Reason> {
        if self.state.stands() { None } else { Some(self.fault()) }
    }

    /// Its open loops at rates that are common to several contenders.
    pub(crate) fn at_common_rates(&self) -> impl Iterator<Item = &PacedFigures> {
        self.latency.iter().filter(|figures| figures.purpose.is_common())
    }

    /// A figure that its own load gives; `None` of others too.
    pub(crate) fn estimate(&self, figure: Figure) -> Option<Estimate> {
        match figure {
            Figure::Goodput => self.goodput_per_s,
            Figure::CpuPerRequest => self.cpu_per_request_ns,
            _ => None,
        }
    }

    /// Why the CPU time per request cannot be used; `None` when it can: any row with correct answers will do.
    pub(crate) fn cpu_fault(&self) -> Option<Reason> {
        match &self.state {
            RowState::Reference if self.answers.wrong_answer > 0 => Some(self.fault()),
            RowState::NotRanked { cause: Cause::NotServerBound { .. } | Cause::StatedRate { .. } }
            | RowState::Reference => None,
            _ => self.goodput_fault(),
        }
    }

    /// Why nothing that it answered can be used; `None` when it can, whether or not it is ranked.
    pub(crate) fn answers_fault(&self) -> Option<Reason> {
        let is_out = match &self.state {
            RowState::Skipped { .. } | RowState::Excluded { .. } => true,
            RowState::NotRanked { cause } => {
                matches!(cause, Cause::StaleData { .. } | Cause::NotRead { .. })
            }
            RowState::Ranked { .. } | RowState::Reference => false,
        };
        (is_out || self.answers.wrong_answer > 0).then(|| self.fault())
    }

    fn fault(&self) -> Reason {
        Reason::Standing(Box::new(self.state.clone()))
    }

    /// The row's state in words: `not ranked: the generator was busy 97 %`.
    pub fn standing(&self) -> String {
        self.state.in_words()
    }

    /// Whether the figures mean what they say, ranked or not.
    pub fn has_figures(&self) -> bool {
        self.state.has_figures() && self.answers.wrong_answer == 0
    }

    /// True when the row's figures stand, though nothing in the run is ranked or there are too few launches.
    pub fn is_comparable(&self) -> bool {
        self.goodput_fault().is_none()
    }
}
