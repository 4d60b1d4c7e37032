//! From the processes of a workload's tasks to their rows.

use velo_model::{ContenderName, Figure, LoadCondition, Workload};
use velo_record::{ContenderRecord, RunFile, TaskProcess};
use velo_stats::{CONFIDENCE, Comparison, LEVEL, lower_median};

use super::own_clock::{LeftOut, left_out};
use super::process::{
    Clocks, counted, cpu_per_iteration_ns, is_disturbed, later, median_ns, read_share, server_cpu_share,
};
use super::row::TaskRow;
use super::standing;
use super::verdicts::{change, verdicts};
use crate::doubt::nothing_ranked::NothingRanked;
use crate::doubt::state::RowState;
use crate::measure::estimate::Estimate;
use crate::measure::figures::Launches;
use crate::measure::launch_logs::{LaunchLogs, estimate};
use crate::rank::contest::{Candidate, contest};
use crate::rank::pairs::{self, FigurePairs};
use crate::table::measurement::{Measurement, Point};

/// The first wrong answers in words that a row keeps.
const EXAMPLES: usize = 3;

/// A task with its figures process by process.
pub(crate) struct TaskCell {
    pub(crate) row: TaskRow,
    cold_ns: Launches,
    alone_ns: Launches,
    memory_bytes: Launches,
    steady_ns: LaunchLogs,
}

/// The tasks of a workload with what claims need.
pub(crate) struct Tasks {
    cells: Vec<TaskCell>,
    comparison: Option<Comparison>,
}

/// Judges the tasks of a workload; `None` where the run has none. `nothing_ranked`: why none of the run is ranked, if so.
pub(crate) fn judge(
    workload: &Workload,
    file: &RunFile,
    nothing_ranked: Option<&NothingRanked>,
) -> Option<Tasks> {
    let own = file.contenders.iter().filter(|record| !record.manifest.role.is_server());
    let own: Vec<&ContenderRecord> = own.filter(|record| workload.is_for(&record.manifest)).collect();
    // Of all tasks together, so that a process that one lacks is made up for by what it was to the others.
    let steady: Vec<Launches> = own.iter().map(|record| steady_ns(record, &workload.name)).collect();
    let steady = LaunchLogs::fit_launches(&steady.iter().collect::<Vec<_>>());
    let mut cells: Vec<TaskCell> = own
        .iter()
        .zip(steady)
        .map(|(record, steady_ns)| {
            let left_out = left_out(record, workload, &file.workloads);
            cell((record, left_out), &workload.name, steady_ns, nothing_ranked)
        })
        .collect();
    if cells.is_empty() {
        return None;
    }
    sort(&mut cells);
    let candidates = cells.iter().take_while(|cell| is_ranked(&cell.row)).count();
    // A process is to a task what a launch is to a server, and has one number.
    let contest = (candidates > 1).then(|| {
        let steady = cells[..candidates].iter().map(|cell| &cell.steady_ns);
        contest(Figure::IterationSteady, &Candidate::together(steady), LEVEL)
    });
    for (cell, range) in cells.iter_mut().zip(contest.iter().flat_map(|contest| &contest.ranges)) {
        cell.row.state = RowState::Ranked { best: range.best, worst: range.worst };
    }
    Some(Tasks { cells, comparison: contest.map(|contest| contest.comparison) })
}

fn is_ranked(row: &TaskRow) -> bool {
    matches!(row.state, RowState::Ranked { .. })
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

fn steady_ns(record: &ContenderRecord, workload: &str) -> Launches {
    counted(record, workload)
        .into_iter()
        .filter_map(|process| Some((process.process, median_ns(later(process))?)))
        .collect()
}

fn cell(
    (record, left_out): (&ContenderRecord, Option<LeftOut>),
    workload: &str,
    steady_ns: LaunchLogs,
    nothing_ranked: Option<&NothingRanked>,
) -> TaskCell {
    let all: Vec<&TaskProcess> = record.tasks.iter().filter(|process| process.workload == workload).collect();
    let whole = || all.iter().copied().filter(|process| process.ended_early.is_none());
    let counted = counted(record, workload);
    let by_process = |figure: &dyn Fn(&TaskProcess) -> Option<f64>| -> Launches {
        counted.iter().filter_map(|process| Some((process.process, figure(process)?))).collect()
    };
    let cold_ns = by_process(&|process| Some(process.iterations.first()?.own_ns as f64));
    let alone_ns = by_process(&|process| process.alone_ns.map(|ns| ns as f64));
    let memory_bytes = by_process(&|process| process.memory_peak_bytes.map(|bytes| bytes as f64));
    let mut row = TaskRow {
        contender: record.manifest.name.clone(),
        role: record.manifest.role,
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
        process_ns: estimate(&alone_ns, CONFIDENCE),
        cpu_per_iteration_ns: estimate(&by_process(&cpu_per_iteration_ns), CONFIDENCE),
        memory_peak_bytes: lower_median(counted.iter().filter_map(|process| process.memory_peak_bytes)),
        wrong_answers: all.iter().map(|process| process.wrong_answers).fold(0, u64::saturating_add),
        wrong_examples: all
            .iter()
            .flat_map(|process| &process.wrong_examples)
            .take(EXAMPLES)
            .cloned()
            .collect(),
        read_share: all.iter().filter_map(|process| read_share(process)).reduce(f64::min),
        own_clock_share: Clocks::of(&all).and_then(Clocks::share),
        server_cpu_share: server_cpu_share(&counted),
        verdicts: Vec::new(),
    };
    row.state = standing::of(&row, record, &all, left_out, nothing_ranked);
    row.verdicts = verdicts(&row, &all, change(&counted));
    TaskCell { row, cold_ns, alone_ns, memory_bytes, steady_ns }
}

impl Tasks {
    pub(crate) fn rows(&self) -> impl Iterator<Item = &TaskRow> {
        self.cells.iter().map(|cell| &cell.row)
    }

    /// How those compare that are ranked. The launches of a task are processes.
    pub(crate) fn pairs(&self) -> Option<FigurePairs> {
        let names: Vec<ContenderName> = self.rows().map(|row| row.contender.clone()).collect();
        Some(FigurePairs {
            of: Figure::IterationSteady,
            under: LoadCondition::None,
            pairs: pairs::describe(self.comparison.as_ref()?, &names, None),
        })
    }

    /// What was measured, in the order of the rows. Tasks are ranked by their steady time alone.
    pub(crate) fn measurements(&self) -> impl Iterator<Item = Measurement> {
        self.cells.iter().flat_map(|cell| {
            let TaskCell { row, steady_ns, cold_ns, alone_ns, memory_bytes } = cell;
            let has_figures = row.state.has_figures();
            let of = |figure, estimate: Option<Estimate>, point: Option<Point>| {
                let measurement = Measurement::new(&row.contender, figure, LoadCondition::None, estimate);
                measurement.unless(row.fault()).shown(point.filter(|_| has_figures))
            };
            let alone = LaunchLogs::of_figures;
            let memory = estimate(memory_bytes, CONFIDENCE);
            [
                of(Figure::IterationSteady, row.steady_ns, Some(Point::ranked_by(&row.state)))
                    .fitted(steady_ns.clone()),
                of(Figure::IterationCold, row.cold_ns, Some(Point::default())).of_launches(alone(cold_ns)),
                of(Figure::Process, row.process_ns, None).of_launches(alone(alone_ns)),
                of(Figure::PeakMemory, memory, None).of_launches(alone(memory_bytes)),
            ]
        })
    }
}
