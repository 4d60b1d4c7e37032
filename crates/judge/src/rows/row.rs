//! One contender in one workload: its figures, what they are worth, and whether it may be ranked.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use velo_record::{Placement, RatePurpose, Stage, Window, WindowKind};
use velo_spec::{Class, ContenderName};

use super::verdicts;
use crate::checks::answers::Answers;
use crate::checks::coin::{self, CoinFinding};
use crate::checks::consistency::Consistency;
use crate::checks::fairness::{self, Fairness};
use crate::checks::limit::{self, Limit, LimitFinding};
use crate::checks::littles_law::{self, LittlesLaw};
use crate::checks::proof;
use crate::checks::steadiness::Steadiness;
use crate::checks::verdict::Verdict;
use crate::rows::counters::{self, Counters};
use crate::rows::latency::{self, Curve};
use crate::rows::launches::{self, Processes};
use crate::rows::paced::PacedFigures;
use crate::rows::service_time::{self, Percentiles};
use crate::rows::standing;
use crate::series::cell::Cell;
use crate::series::figures::{Estimate, Quantity, blocks, estimate, medians};

/// One contender in one workload.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// The contender.
    pub contender: ContenderName,
    /// What kind of program it is.
    pub class: Class,
    /// What its version command printed.
    pub version: Option<String>,
    /// Whether it is ranked, and where; else why not.
    pub state: RowState,
    /// Launches with at least one counted window.
    pub launches: u32,
    /// Counted windows.
    pub windows: u32,
    /// Correct responses per second.
    pub goodput_per_s: Option<Estimate>,
    /// True when the contender was not seen to be the limit: it could serve more, so the goodput is a lower bound.
    pub at_least: bool,
    /// CPU time of the process tree per correct response.
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
    pub answers: Answers,
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

/// Whether a row is ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum RowState {
    /// Ranked; ranks that were not told apart are shared.
    Ranked {
        /// One more than the number of contenders separated above.
        best: u32,
        /// The number of ranked contenders less those separated below.
        worst: u32,
    },
    /// Measured or about to be, but not ranked.
    NotRanked {
        /// Which rule keeps it out.
        cause: Cause,
        /// The same in words.
        reason: String,
    },
    /// Measures the generator's ceiling; never ranked.
    Reference,
    /// Not tried, for want of something.
    Skipped {
        /// One line.
        reason: String,
        /// What would cure it.
        cure: Option<String>,
    },
    /// Failed.
    Excluded {
        /// Where.
        stage: Stage,
        /// One line.
        reason: String,
        /// The file in the run's folder that holds the whole story.
        log: Option<String>,
    },
}

impl RowState {
    /// Whether the figures stand, ranked or not: nothing in the run is ranked, or there are too few launches.
    pub(crate) fn stands(&self) -> bool {
        matches!(self, Self::Ranked { .. } | Self::NotRanked { cause: Cause::Run | Cause::FewLaunches, .. })
    }

    /// The words about a contender in this state: `go/gin is not ranked: ...`.
    pub(crate) fn of(&self, contender: &ContenderName, words: &str) -> String {
        let verb = match self {
            Self::Skipped { .. } | Self::Excluded { .. } => "was",
            _ => "is",
        };
        format!("{contender} {verb} {words}")
    }

    /// The state in a word or two: `not ranked`.
    pub(crate) fn in_short(&self) -> &'static str {
        match self {
            Self::Ranked { .. } => "ranked",
            Self::NotRanked { .. } => "not ranked",
            Self::Reference => "the reference",
            Self::Skipped { .. } => "skipped",
            Self::Excluded { .. } => "excluded",
        }
    }

    /// `not ranked: the generator was busy 97 %`.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Ranked { best, worst } if best == worst => format!("ranked {best}"),
            Self::Ranked { best, worst } => format!("ranked {best} to {worst}"),
            Self::NotRanked { reason, .. } => format!("not ranked: {reason}"),
            Self::Reference => "the reference, never ranked".to_owned(),
            Self::Skipped { reason, .. } => format!("skipped: {reason}"),
            Self::Excluded { reason, .. } => format!("excluded: {reason}"),
        }
    }
}

/// Which rule keeps a row from being ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// There is no counted window with an answer.
    NotMeasured,
    /// An answer was wrong.
    WrongAnswers,
    /// The coin is not fair.
    UnfairCoin,
    /// Too many requests failed.
    Failures,
    /// The counted windows are unlike the warm-up of the same launch.
    Inconsistent,
    /// Its figure rose or fell while it was measured.
    Unsteady,
    /// Requests in flight and service times disagree.
    LittlesLaw,
    /// It ran already: its CPU time cannot be read, so nobody knows who was the limit.
    RanAlready,
    /// The contender was not seen to be the limit.
    NotServerBound,
    /// Its answers came from files as they were before they were changed.
    StaleData,
    /// It has not read its files for each request.
    NotRead,
    /// The workload has a stated rate in place of a closed loop: contenders compare by what they use at that rate.
    StatedRate,
    /// It ran outside of the CPUs that it was given, or used more CPU time than these have.
    OutsideCpus,
    /// Its CPU time per request is not possible for the work: others did it.
    ImpossibleCpuTime,
    /// Its own clock leaves out most of the time.
    OwnClock,
    /// Too few launches; of a task too few processes.
    FewLaunches,
    /// Nothing is ranked in this run.
    Run,
}

/// Figures of the first windows after process start.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cold {
    /// Correct responses per second.
    pub goodput_per_s: Option<Estimate>,
    /// CPU time per correct response.
    pub cpu_per_request_ns: Option<Estimate>,
    /// Service time.
    pub service_time: Option<Percentiles>,
}

/// Connections of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Connections {
    /// Asked for in a window, at most.
    pub asked: u32,
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

/// What a row needs to know of its run.
pub(crate) struct RunContext<'a> {
    pub(crate) placement: &'a Placement,
    /// Why nothing is ranked, when nothing is.
    pub(crate) nothing_ranked: Option<&'a str>,
    pub(crate) coin_level: f64,
    /// The family-wise level of the look that decides; intervals have a confidence of 1 - level.
    pub(crate) level: f64,
    /// By workload and contender.
    pub(crate) consistency: BTreeMap<(String, String), Consistency>,
}

/// Judges a cell by itself: ranks, ratios and what needs the other rows are set once all rows are there.
pub(crate) fn judge(cell: &Cell<'_>, run: &RunContext<'_>) -> Row {
    let (all, counted) = (&cell.windows, &cell.blocks);
    let server_cpus = run.placement.server_cpus.len();
    let confidence = 1.0 - run.level;
    let goodput = cell.logs(Quantity::Goodput);
    let (service_time, unreadable) = service_time::merge(counted);
    let limit = (!counted.is_empty())
        .then(|| limit::find(counted, server_cpus, cell.record.idle_cpu_share, proof::check(all)));
    let mut latency = latency::judge(&cell.paced, all, server_cpus);
    for figures in latency.at_rates.iter_mut().filter(|one| one.purpose == RatePurpose::EqualWork) {
        figures.cpu_per_request_ns = cell.logs_at(figures.rate_per_s).estimate(confidence);
    }
    let processes = launches::summarise(cell.record);
    let mut row = Row {
        contender: cell.record.manifest.name.clone(),
        class: cell.record.manifest.class,
        version: cell.record.version.clone(),
        // Replaced below, when the row's figures are there to be judged.
        state: RowState::Reference,
        launches: u32::try_from(goodput.len()).unwrap_or(u32::MAX),
        windows: u32::try_from(counted.len()).unwrap_or(u32::MAX),
        goodput_per_s: goodput.estimate(confidence),
        at_least: limit.as_ref().is_some_and(|finding| finding.limit != Limit::Server),
        cpu_per_request_ns: cell.logs(Quantity::CpuPerRequest).estimate(confidence),
        counters: counters::of(counted, confidence),
        against_baseline: None,
        cold: cold(all, confidence),
        service_time,
        limit,
        latency: latency.at_rates,
        curve: latency.curve,
        steadiness: None,
        consistency: run
            .consistency
            .get(&(cell.workload.name.clone(), cell.record.manifest.name.as_str().to_owned()))
            .cloned(),
        answers: answers(all, &cell.bursts),
        wrong_examples: wrong_examples(all, &cell.bursts),
        littles_law: littles_law::check(counted),
        coin: coin::find(all, run.coin_level),
        fairness: fairness::check(counted, processes.processes.map(|span| span.most)),
        processes,
        connections: connections(all, counted),
        verdicts: Vec::new(),
    };
    row.state = standing::of(&row, cell, run);
    row.verdicts = verdicts::of(&row, cell.record.idle_cpu_share, unreadable);
    row.verdicts.extend(row.consistency.iter().flat_map(Consistency::verdicts));
    row.verdicts.extend(latency.verdicts);
    row.verdicts.extend(launches::verdicts(cell.record, &cell.workload.name, run.placement));
    row
}

/// A server that is overloaded on purpose may refuse or be late; what it answers must be right all the same.
fn answers(all: &[&Window], bursts: &[&Window]) -> Answers {
    let (paced, closed): (Vec<&Window>, Vec<&Window>) =
        all.iter().copied().partition(|window| window.kind == WindowKind::Paced);
    let mut answers = Answers::of(&closed);
    for overloaded in [paced.as_slice(), bursts] {
        let Answers { correct, wrong_answer, .. } = Answers::of(overloaded);
        answers.add(&Answers { correct, wrong_answer, ..Answers::default() });
    }
    answers
}

/// The examples of a burst may be of failures, which are no wrong answers.
fn wrong_examples(all: &[&Window], bursts: &[&Window]) -> Vec<String> {
    let wrong = bursts.iter().filter(|window| window.outcomes.wrong_answer > 0);
    all.iter().chain(wrong).flat_map(|window| &window.wrong_examples).take(3).cloned().collect()
}

fn cold(all: &[&Window], confidence: f64) -> Option<Cold> {
    let cold: Vec<&Window> = all.iter().copied().filter(|window| window.kind == WindowKind::Cold).collect();
    let figure = |quantity| estimate(&medians(&blocks(&cold, WindowKind::Cold, quantity)), confidence);
    (!cold.is_empty()).then(|| Cold {
        goodput_per_s: figure(Quantity::Goodput),
        cpu_per_request_ns: figure(Quantity::CpuPerRequest),
        service_time: service_time::merge(&cold).0,
    })
}

fn connections(all: &[&Window], counted: &[&Window]) -> Connections {
    let mut sum = Connections {
        asked: all.iter().map(|window| window.connections.asked).max().unwrap_or(0),
        established_least: counted.iter().map(|window| window.connections.established).min(),
        answered_least: answered_least(counted),
        ..Connections::default()
    };
    for window in all {
        let reopened = u64::from(window.connections.reopened_after_stop);
        sum.reopened_after_stop = sum.reopened_after_stop.saturating_add(reopened);
        sum.reconnects = sum.reconnects.saturating_add(window.connections.reconnects);
        let answers = window.outcomes.correct.saturating_add(window.correct_outside);
        sum.answers = sum.answers.saturating_add(answers);
    }
    sum
}

/// `None` where no launch counted its connections' answers.
fn answered_least(counted: &[&Window]) -> Option<u32> {
    let mut launches: BTreeMap<u32, Vec<bool>> = BTreeMap::new();
    for window in counted.iter().filter(|window| !window.connections.completions.is_empty()) {
        let answered = launches.entry(window.launch).or_default();
        let completions = &window.connections.completions;
        answered.resize(answered.len().max(completions.len()), false);
        for (answered, completed) in answered.iter_mut().zip(completions) {
            *answered |= *completed > 0;
        }
    }
    let answered = |launch: Vec<bool>| launch.into_iter().filter(|answered| *answered).count() as u32;
    launches.into_values().map(answered).min()
}

impl Connections {
    /// How often one was opened again, as a share of the answers.
    pub(crate) fn reopened_share(&self) -> f64 {
        self.reconnects as f64 / self.answers.max(1) as f64
    }
}

impl Row {
    /// Why the goodput cannot be used as the contender's own; `None` when it can.
    pub(crate) fn goodput_fault(&self) -> Option<String> {
        if self.state.stands() { None } else { Some(self.fault()) }
    }

    /// Why the CPU time per request cannot be used; `None` when it can: any row with correct answers will do.
    pub(crate) fn cpu_fault(&self) -> Option<String> {
        match &self.state {
            RowState::Reference if self.answers.wrong_answer > 0 => Some(self.fault()),
            RowState::NotRanked { cause: Cause::NotServerBound | Cause::StatedRate, .. }
            | RowState::Reference => None,
            _ => self.goodput_fault(),
        }
    }

    /// Why nothing that it answered can be used; `None` when it can, whether or not it is ranked.
    pub(crate) fn answers_fault(&self) -> Option<String> {
        let is_out = match &self.state {
            RowState::Skipped { .. } | RowState::Excluded { .. } => true,
            RowState::NotRanked { cause, .. } => matches!(cause, Cause::StaleData | Cause::NotRead),
            RowState::Ranked { .. } | RowState::Reference => false,
        };
        (is_out || self.answers.wrong_answer > 0).then(|| self.fault())
    }

    fn fault(&self) -> String {
        self.state.of(&self.contender, &self.standing())
    }

    /// The row's state in words: `not ranked: the generator was busy 97 %`.
    pub fn standing(&self) -> String {
        self.state.in_words()
    }

    /// True when the row's figures stand, though nothing in the run is ranked or there are too few launches.
    pub fn is_comparable(&self) -> bool {
        self.goodput_fault().is_none()
    }
}
