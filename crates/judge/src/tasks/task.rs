//! Tasks: programs without a server, by the time of an iteration. Cold and steady are two figures.

use schemars::JsonSchema;
use serde::Serialize;
use velo_record::{ContenderRecord, RunFile, TaskIteration, TaskProcess};
use velo_spec::{Class, ContenderName, Side, Workload};
use velo_stats::{CONFIDENCE, Comparison, LEVEL, PairRules, median, rank_ranges};

use super::handler_share::HandlerShare;
use crate::checks::verdict::{Check, Kind, Verdict};
use crate::rank::pairs::{self, Pairs};
use crate::rows::row::RowState;
use crate::series::blocks::{OTHERS, STEAL};
use crate::series::figures::{Estimate, Launches, estimate, ratio};
use crate::series::launch_logs::{LaunchLogs, difference};
use crate::series::logs::{compare, pairs as pairs_of};
use crate::words::{count, percent};

/// An iteration may take this much longer by the lab's clock than by its own: two pipes, and waking up twice.
const OUTSIDE_NS: u64 = 1_000_000;
/// A change within a process of more than this is no steady state.
const STILL: f64 = 0.02;
/// The first wrong answers in words that a row keeps.
const EXAMPLES: usize = 3;

/// The tasks of a workload.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TaskTable {
    /// One row a task: ranked ones first, the shortest steady time first.
    pub rows: Vec<TaskRow>,
    /// How the ranked ones compare by steady time, where the greater one is the longer one; none when there are fewer than
    /// two. Their `launches` are processes.
    pub pairs: Option<Pairs>,
    /// What share of a server's answer is its handler's: the task of the same language beside each server.
    pub handler_shares: Vec<HandlerShare>,
}

/// A task in a workload. Figures are of processes in which nobody disturbed and all lines were answered; the `launches` of
/// an estimate are processes, and its interval is one of 95 %.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TaskRow {
    /// The contender.
    pub contender: ContenderName,
    /// What kind of program it is.
    pub class: Class,
    /// The contender of the same folder that this one differs from in some keys.
    pub variant_of: Option<ContenderName>,
    /// What its version command printed.
    pub version: Option<String>,
    /// Whether it is ranked by steady time, and where; else why not.
    pub state: RowState,
    /// Processes that count.
    pub processes: u32,
    /// Processes that do not, because others or the hypervisor took CPU time meanwhile.
    pub dropped: u32,
    /// Right answers in all processes.
    pub iterations: u64,
    /// The first iteration of a process, by its own clock; mean over processes.
    pub cold_ns: Option<Estimate>,
    /// In each process the median of the second half of its iterations, by its own clock; mean over processes.
    pub steady_ns: Option<Estimate>,
    /// CPU time of the process tree over its answers, its start included; mean over processes.
    pub cpu_per_iteration_ns: Option<Estimate>,
    /// The largest resident size, summed over processes, median.
    pub memory_peak_bytes: Option<u64>,
    /// Lines that it answered wrongly, in all processes.
    pub wrong_answers: u64,
    /// The first of them in words, a few at most.
    pub wrong_examples: Vec<String>,
    /// What it read over what its iterations must read, the least of all processes; `None` where that is not known or it
    /// need read nothing.
    pub read_share: Option<f64>,
    /// Its own times over those of the lab's clock, without the first iteration of a process, before which it starts.
    pub own_clock_share: Option<f64>,
    /// What else is to be known.
    pub verdicts: Vec<Verdict>,
}

/// A task with its figures process by process.
pub(crate) struct TaskCell {
    pub(crate) row: TaskRow,
    cold_ns: Launches,
    steady_ns: LaunchLogs,
}

/// The tasks of a workload with what claims need.
pub(crate) struct Tasks {
    cells: Vec<TaskCell>,
    comparison: Option<Comparison>,
}

/// Which time of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskTime {
    Cold,
    Steady,
}

/// Judges the tasks of a workload; `None` where the run has none. `nothing_ranked`: why none of the run is ranked, if so.
pub(crate) fn judge(workload: &Workload, file: &RunFile, nothing_ranked: Option<&str>) -> Option<Tasks> {
    let own = file.contenders.iter().filter(|record| record.manifest.is_task);
    let own: Vec<&ContenderRecord> = own.filter(|record| workload.is_for(&record.manifest)).collect();
    // Of all tasks together, so that a process that one lacks is made up for by what it was to the others.
    let steady: Vec<Launches> = own.iter().map(|record| steady_ns(record, &workload.name)).collect();
    let steady = LaunchLogs::fit_launches(&steady.iter().collect::<Vec<_>>());
    let mut cells: Vec<TaskCell> = own
        .iter()
        .zip(steady)
        .map(|(record, steady_ns)| cell(record, &workload.name, steady_ns, nothing_ranked))
        .collect();
    if cells.is_empty() {
        return None;
    }
    sort(&mut cells);
    let candidates = cells.iter().take_while(|cell| is_ranked(&cell.row)).count();
    let comparison = (candidates > 1).then(|| compare_steady(&cells[..candidates]));
    if let Some(comparison) = &comparison {
        // The longer time is the worse one.
        let ranges =
            rank_ranges(u32::try_from(candidates).unwrap_or(u32::MAX), |i, j| comparison.is_above(j, i));
        for (cell, range) in cells.iter_mut().zip(ranges) {
            cell.row.state = RowState::Ranked { best: range.best, worst: range.worst };
        }
    }
    Some(Tasks { cells, comparison })
}

fn is_ranked(row: &TaskRow) -> bool {
    matches!(row.state, RowState::Ranked { .. })
}

/// A process is to a task what a launch is to a server, and has one number.
fn compare_steady(cells: &[TaskCell]) -> Comparison {
    let figures: Vec<&LaunchLogs> = cells.iter().map(|cell| &cell.steady_ns).collect();
    compare(&pairs_of(&figures, |_, _| true), PairRules::at_level(LEVEL))
}

/// Ranked ones first, then those with figures, then the others, the shorter steady time first.
fn sort(cells: &mut [TaskCell]) {
    let group = |cell: &TaskCell| match &cell.row.state {
        RowState::Ranked { .. } => 0,
        RowState::NotRanked { .. } if cell.row.is_comparable() => 1,
        RowState::NotRanked { .. } | RowState::Reference => 2,
        RowState::Excluded { .. } => 3,
        RowState::Skipped { .. } => 4,
    };
    let steady = |cell: &TaskCell| cell.row.steady_ns.map_or(f64::INFINITY, |steady| steady.value);
    cells.sort_by(|a, b| {
        let by_time = steady(a).total_cmp(&steady(b));
        group(a).cmp(&group(b)).then(by_time).then_with(|| a.row.contender.cmp(&b.row.contender))
    });
}

/// The processes that count: whole, and not disturbed.
fn counted<'r>(record: &'r ContenderRecord, workload: &str) -> Vec<&'r TaskProcess> {
    let own = record.tasks.iter().filter(|process| process.workload == workload);
    own.filter(|process| process.ended_early.is_none() && !is_disturbed(process)).collect()
}

fn steady_ns(record: &ContenderRecord, workload: &str) -> Launches {
    let steady = |process: &TaskProcess| median_ns(&process.iterations[process.iterations.len() / 2..]);
    counted(record, workload)
        .into_iter()
        .filter_map(|process| Some((process.process, steady(process)?)))
        .collect()
}

fn cell(
    record: &ContenderRecord,
    workload: &str,
    steady_ns: LaunchLogs,
    nothing_ranked: Option<&str>,
) -> TaskCell {
    let all: Vec<&TaskProcess> = record.tasks.iter().filter(|process| process.workload == workload).collect();
    let whole = || all.iter().copied().filter(|process| process.ended_early.is_none());
    let counted = counted(record, workload);
    let by_process = |figure: &dyn Fn(&TaskProcess) -> Option<f64>| -> Launches {
        counted.iter().filter_map(|process| Some((process.process, figure(process)?))).collect()
    };
    let cold_ns = by_process(&|process| Some(process.iterations.first()?.own_ns as f64));
    let mut row = TaskRow {
        contender: record.manifest.name.clone(),
        class: record.manifest.class,
        variant_of: record.manifest.variant_of.clone(),
        version: record.version.clone(),
        // Replaced below, when the figures are there to be judged.
        state: RowState::Reference,
        processes: u32::try_from(steady_ns.len()).unwrap_or(u32::MAX),
        dropped: u32::try_from(whole().filter(|process| is_disturbed(process)).count()).unwrap_or(u32::MAX),
        iterations: all.iter().map(|process| process.iterations.len() as u64).sum(),
        cold_ns: estimate(&cold_ns, CONFIDENCE),
        steady_ns: steady_ns.estimate(CONFIDENCE),
        cpu_per_iteration_ns: estimate(&by_process(&cpu_per_iteration_ns), CONFIDENCE),
        memory_peak_bytes: middle(counted.iter().filter_map(|process| process.memory_peak_bytes)),
        wrong_answers: all.iter().map(|process| process.wrong_answers).fold(0, u64::saturating_add),
        wrong_examples: all
            .iter()
            .flat_map(|process| &process.wrong_examples)
            .take(EXAMPLES)
            .cloned()
            .collect(),
        read_share: all.iter().filter_map(|process| read_share(process)).reduce(f64::min),
        own_clock_share: Clocks::of(&all).share(),
        verdicts: Vec::new(),
    };
    row.state = super::standing::of(&row, record, &all, nothing_ranked);
    row.verdicts = verdicts(&row, &all, change(&counted));
    TaskCell { row, cold_ns, steady_ns }
}

pub(crate) fn is_disturbed(process: &TaskProcess) -> bool {
    let reaches = |share: Option<f64>, bound: f64| share.is_some_and(|share| share >= bound);
    reaches(process.others_share, OTHERS) || reaches(process.steal_share, STEAL)
}

fn median_ns(iterations: &[TaskIteration]) -> Option<f64> {
    median(&iterations.iter().map(|iteration| iteration.own_ns as f64).collect::<Vec<_>>())
}

fn answers(process: &TaskProcess) -> f64 {
    process.iterations.len() as f64 + process.wrong_answers as f64
}

fn cpu_per_iteration_ns(process: &TaskProcess) -> Option<f64> {
    let cpu_ns = process.cpu_ns? as f64;
    (answers(process) > 0.0).then(|| cpu_ns / answers(process))
}

fn read_share(process: &TaskProcess) -> Option<f64> {
    let needed = answers(process) * process.file_bytes as f64;
    (needed > 0.0).then_some(process.read_bytes? as f64 / needed)
}

/// The times of a task by its own clock and by the lab's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clocks {
    pub(super) own_ns: f64,
    pub(super) outside_ns: f64,
    /// Without what pipes may cost.
    pub(super) accountable_ns: f64,
}

impl Clocks {
    /// The program starts while its first line waits, so that only the others tell of its clock.
    pub(super) fn of(all: &[&TaskProcess]) -> Self {
        let sum = |ns: fn(&TaskIteration) -> u64| -> f64 {
            all.iter().flat_map(|process| process.iterations.iter().skip(1)).map(|one| ns(one) as f64).sum()
        };
        Self {
            own_ns: sum(|iteration| iteration.own_ns),
            outside_ns: sum(|iteration| iteration.outside_ns),
            accountable_ns: sum(|iteration| iteration.outside_ns.saturating_sub(OUTSIDE_NS)),
        }
    }

    pub(super) fn share(self) -> Option<f64> {
        (self.outside_ns > 0.0).then_some(self.own_ns / self.outside_ns)
    }
}

/// The lower of two middle values, so that a figure is one that was read.
fn middle(values: impl Iterator<Item = u64>) -> Option<u64> {
    let mut sorted: Vec<u64> = values.collect();
    sorted.sort_unstable();
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// The last quarter of a process over the quarter before it: a run-time that still compiles is not steady yet.
fn change(counted: &[&TaskProcess]) -> Option<Estimate> {
    let log_ratio = |process: &&TaskProcess| {
        let (all, quarter) = (&process.iterations, process.iterations.len() / 4);
        let third = median_ns(all.get(all.len() - 2 * quarter..all.len() - quarter)?)?;
        let last = median_ns(&all[all.len() - quarter..])?;
        Some((process.process, (last / third).ln()))
    };
    ratio(counted.iter().filter_map(log_ratio).collect(), CONFIDENCE)
}

fn verdicts(row: &TaskRow, all: &[&TaskProcess], change: Option<Estimate>) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for process in all {
        if let Some(reason) = &process.ended_early {
            let words = format!("process {} ended early: {reason}", process.process);
            verdicts.push(Verdict::new(Kind::Warning, Check::Launches, words));
        }
    }
    if row.dropped > 0 {
        let all = count(all.len(), "process", "processes");
        let words = format!("{} of {all} dropped: others or the hypervisor took CPU time", row.dropped);
        verdicts.push(Verdict::new(Kind::Hint, Check::Host, words).of(f64::from(row.dropped), 0.0));
    }
    let is_unread = |process: &&TaskProcess| process.ended_early.is_none() && process.file_bytes > 0;
    if row.read_share.is_none() && all.iter().any(is_unread) {
        let words = "what it read is not known, so that one that keeps its files would not be seen";
        verdicts.push(Verdict::new(Kind::Hint, Check::Record, words));
    }
    if let Some((change, (low, high))) = change.and_then(|change| Some((change, change.interval()?)))
        && (high < 1.0 - STILL || low > 1.0 + STILL)
    {
        let direction = if change.value < 1.0 { "faster" } else { "slower" };
        let words = format!(
            "not steady yet: still {} {direction} in the last quarter of its iterations",
            percent((change.value - 1.0).abs())
        );
        verdicts.push(Verdict::new(Kind::Warning, Check::Steady, words).of(change.value, 1.0));
    }
    verdicts
}

impl TaskRow {
    /// Why its times cannot be used; `None` when they can.
    pub(crate) fn fault(&self) -> Option<String> {
        (!self.is_comparable()).then(|| self.state.of(&self.contender, &self.state.in_words()))
    }

    /// True when its times stand, though nothing in the run is ranked or there are too few processes.
    pub fn is_comparable(&self) -> bool {
        self.state.stands()
    }
}

impl Tasks {
    /// As data.
    pub(crate) fn table(&self, handler_shares: Vec<HandlerShare>) -> TaskTable {
        let rows: Vec<TaskRow> = self.rows().cloned().collect();
        let names: Vec<ContenderName> = rows.iter().map(|row| row.contender.clone()).collect();
        let pairs = self.comparison.as_ref().map(|comparison| pairs::describe(comparison, &names, None));
        TaskTable { rows, pairs, handler_shares }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &TaskRow> {
        self.cells.iter().map(|cell| &cell.row)
    }

    /// Each task with its steady time, process by process.
    pub(crate) fn steady(&self) -> impl Iterator<Item = (&TaskRow, &LaunchLogs)> {
        self.cells.iter().map(|cell| (&cell.row, &cell.steady_ns))
    }

    fn times(&self, contender: &ContenderName, time: TaskTime) -> Result<LaunchLogs, String> {
        let cell = self.cells.iter().find(|cell| cell.row.contender == *contender);
        let cell = cell.ok_or_else(|| format!("{contender} was not in this run"))?;
        cell.row.fault().map_or(Ok(()), Err)?;
        Ok(match time {
            TaskTime::Cold => LaunchLogs::of_figures(&cell.cold_ns),
            TaskTime::Steady => cell.steady_ns.clone(),
        })
    }
}

/// The logarithms of the first task's time over the second's, process by process; else why there are none. `tasks`: those of
/// all workloads, by name.
pub(crate) fn log_ratios(
    tasks: &[(&str, Option<Tasks>)],
    over: &Side,
    under: &Side,
    time: TaskTime,
) -> Result<LaunchLogs, String> {
    let times = |side: &Side| {
        let found = tasks.iter().find(|(name, _)| *name == side.workload);
        let found = found.ok_or_else(|| format!("{} was not run", side.workload))?;
        let tasks = found.1.as_ref().ok_or_else(|| format!("{} has no tasks in this run", side.workload))?;
        tasks.times(&side.contender, time)
    };
    let is_one_fit = time == TaskTime::Steady && over.workload == under.workload;
    let (over, under) = (times(over)?, times(under)?);
    Ok(match is_one_fit {
        true => over.over(&under),
        false => LaunchLogs::alone(difference(over.logs(), under.logs())),
    })
}
