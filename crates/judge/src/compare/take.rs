//! From a run to its snapshot.

use velo_record::{ContenderRecord, RatePurpose, RunFile, Window};
use velo_spec::{Class, Workload};

use super::snapshot::{
    Fault, LaunchFigure, SNAPSHOT_FORMAT, Snapshot, SnapshotContender, SnapshotEqualWork, SnapshotHost,
    SnapshotRow, SnapshotSettings, SnapshotTask, SnapshotWorkload,
};
use crate::checks::answers::FAILURES;
use crate::rank::equal_work;
use crate::rows::row::Row;
use crate::rows::state::LEAST_LAUNCHES;
use crate::rows::state::{Cause, RowState, Validity};
use crate::run::verdicts;
use crate::run::workload::JudgedWorkload;
use crate::series::blocks::Disturbed;
use crate::series::cell::{Cell, Cells};
use crate::series::figures::{Blocks, Launches, Quantity, paired_log_ratios};
use crate::series::launch_logs::LaunchLogs;
use crate::tasks;
use crate::words::{count, percent};

/// Figures of a debug build are worth nothing.
const DEBUG: &str = "debug build";

impl Snapshot {
    /// What a later comparison needs of a run: the numbers that the judge would make of it, launch by launch.
    pub fn of(file: &RunFile, windows: &[Window]) -> Self {
        let judgement = crate::judge(file, windows);
        let disturbed = Disturbed::find(windows.iter());
        let cells = Cells::new(file, windows.iter(), &disturbed);
        let is_debug = file.identity.build == "debug";
        let no_verdict = judgement.nothing_ranked.clone().or_else(|| is_debug.then(|| DEBUG.to_owned()));
        let no_task_verdict = verdicts::no_task_ranked(file).or_else(|| is_debug.then(|| DEBUG.to_owned()));
        let taker = Taker {
            file,
            cells: &cells,
            no_verdict: no_verdict.as_deref(),
            no_task_verdict: no_task_verdict.as_deref(),
        };
        let judged = judgement.workloads.iter().zip(&file.workloads);
        Self {
            format: SNAPSHOT_FORMAT,
            started_at: file.started_at.clone(),
            velo: file.identity.velo.clone(),
            driver: file.identity.driver.clone(),
            build: file.identity.build.clone(),
            host: SnapshotHost {
                cpu_model: file.host.cpu_model.clone(),
                cpus: file.host.cpus,
                kernel: file.host.kernel.clone(),
                virtualisation: file.host.virtualisation.clone(),
            },
            placement: file.placement.clone(),
            cpu_accounting: file.cpu_accounting,
            environment: file.environment.clone(),
            build_environment: file.build_environment.clone(),
            settings: SnapshotSettings {
                quick: file.settings.quick,
                as_published: file.settings.as_published,
                timeout_ns: file.settings.timeout_ns,
                memory_limit_bytes: file.settings.memory_limit_bytes,
                overrides: file.settings.overrides.clone(),
            },
            nothing_ranked: judgement.nothing_ranked.clone(),
            contenders: file
                .contenders
                .iter()
                .filter(|record| record.twin_of.is_none())
                .map(|record| taker.contender(record, &judgement.workloads))
                .collect(),
            workloads: judged.map(|(judged, workload)| taker.workload(judged, workload)).collect(),
        }
    }
}

struct Taker<'a> {
    file: &'a RunFile,
    cells: &'a Cells<'a>,
    /// Why no verdict may rest on any server of the run, when none may.
    no_verdict: Option<&'a str>,
    /// The same of tasks.
    no_task_verdict: Option<&'a str>,
}

impl Taker<'_> {
    fn contender(&self, record: &ContenderRecord, workloads: &[JudgedWorkload]) -> SnapshotContender {
        let rows = workloads.iter().flat_map(|workload| &workload.rows);
        let own = rows.filter(|row| row.contender == record.manifest.name);
        let failure = own.filter_map(fault).find(|fault| fault.is_failure);
        let launches = record.launches.iter();
        let startup_ns: Launches =
            launches.filter_map(|launch| Some((launch.launch, launch.startup_ns? as f64))).collect();
        SnapshotContender {
            name: record.manifest.name.clone(),
            version: record.version.clone(),
            content_hash: record.build.as_ref().map(|build| build.content_hash.clone()),
            toolchains: record.toolchains.clone(),
            startup_ns: self.figure(failure, &LaunchLogs::of_figures(&startup_ns), &Launches::new()),
        }
    }

    fn workload(&self, judged: &JudgedWorkload, workload: &Workload) -> SnapshotWorkload {
        let is_measured = |row: &Row| row.windows > 0 || !row.latency.is_empty();
        let reference = judged
            .rows
            .iter()
            .find(|row| row.class == Class::Reference && is_measured(row) && reference_fault(row).is_none());
        let reference_cell = reference.and_then(|row| self.cell(judged, row));
        let tasks = tasks::judge(workload, self.file, self.no_task_verdict);
        SnapshotWorkload {
            name: judged.name.clone(),
            hash: workload.hash.clone(),
            connections: workload.load.connections,
            rate_per_s: workload.load.rate_per_s,
            reference: reference.map(|row| row.contender.clone()),
            rows: judged
                .rows
                .iter()
                .filter_map(|row| {
                    let over = reference_cell.filter(|_| row.class != Class::Reference);
                    Some(self.row(row, self.cell(judged, row)?, over))
                })
                .collect(),
            tasks: tasks
                .iter()
                .flat_map(tasks::Tasks::steady)
                .map(|(row, steady_ns)| SnapshotTask {
                    contender: row.contender.clone(),
                    steady_ns: launch_figure(
                        (!row.is_comparable()).then(|| of_state(&row.state)),
                        doubt(self.no_task_verdict, steady_ns, ["process", "processes"]),
                        steady_ns,
                        &Launches::new(),
                    ),
                })
                .collect(),
        }
    }

    fn cell(&self, judged: &JudgedWorkload, row: &Row) -> Option<&Cell<'_>> {
        self.cells.get(&judged.name, &row.contender)
    }

    fn row(&self, row: &Row, cell: &Cell<'_>, reference: Option<&Cell<'_>>) -> SnapshotRow {
        let is_reference = row.class == Class::Reference;
        let [goodput, cpu] = if is_reference {
            [reference_fault(row), reference_fault(row)]
        } else {
            [fault(row), row.cpu_fault().map(|_| of_state(&row.state))]
        };
        let of_blocks = |fault: Option<Fault>, quantity: Quantity| {
            let over = reference.map(|reference| cell.over(reference, quantity)).unwrap_or_default();
            self.figure(fault, &cell.logs(quantity), over.logs())
        };
        SnapshotRow {
            contender: row.contender.clone(),
            class: row.class,
            goodput_per_s: of_blocks(goodput, Quantity::Goodput),
            cpu_per_request_ns: of_blocks(cpu.clone(), Quantity::CpuPerRequest),
            equal_work: self.equal_work(row, cell, reference, cpu),
        }
    }

    fn equal_work(
        &self,
        row: &Row,
        cell: &Cell<'_>,
        reference: Option<&Cell<'_>>,
        fault: Option<Fault>,
    ) -> Option<SnapshotEqualWork> {
        let figures = row.latency.iter().find(|figures| figures.purpose == RatePurpose::EqualWork)?;
        let own = cell.cpu_ns_at(figures.rate_per_s);
        let at_rate = |reason| Fault { reason, is_failure: false };
        let fault = fault.or_else(|| equal_work::rate_fault(figures).map(at_rate));
        let over = reference.map(reference_cpu_ns);
        let over = over.map(|over| paired_log_ratios(&own, &over)).unwrap_or_default();
        Some(SnapshotEqualWork {
            rate_per_s: figures.rate_per_s,
            cpu_per_request_ns: self.figure(fault, &cell.logs_at(figures.rate_per_s), &over),
        })
    }

    fn figure(&self, fault: Option<Fault>, launches: &LaunchLogs, over: &Launches) -> LaunchFigure {
        launch_figure(fault, doubt(self.no_verdict, launches, ["launch", "launches"]), launches, over)
    }
}

/// CPU time per request of the reference, by launch and block: in its own closed loop, which shows the level of the machine in
/// the same block; of a workload with a stated rate, where there is none, at that rate. Which of the two follows from the workload,
/// so that it is the same in two runs.
fn reference_cpu_ns(reference: &Cell<'_>) -> Blocks {
    match reference.workload.load.rate_per_s {
        Some(rate_per_s) => reference.cpu_ns_at(rate_per_s),
        None => reference.quantity(Quantity::CpuPerRequest),
    }
}

fn launch_figure(
    fault: Option<Fault>,
    doubt: Option<String>,
    logs: &LaunchLogs,
    over: &Launches,
) -> LaunchFigure {
    let launches = logs.figures();
    let odd = launches.iter().find(|(_, value)| !(value.is_finite() && **value > 0.0));
    let odd = odd.map(|(launch, _)| Fault {
        reason: format!("its figure in launch {launch} is 0 or no number"),
        is_failure: false,
    });
    match fault.or(odd) {
        Some(fault) => LaunchFigure { fault: Some(fault), ..LaunchFigure::default() },
        None => LaunchFigure {
            fault: None,
            doubt: doubt.filter(|_| !launches.is_empty()),
            launches: launches.values().copied().collect(),
            log_mean: logs.mean(),
            log_over_reference: if over.values().all(|log_ratio| log_ratio.is_finite()) {
                over.values().copied().collect()
            } else {
                Vec::new()
            },
        },
    }
}

/// Why no verdict may rest on these launches (of tasks: processes), when none may.
fn doubt(no_verdict: Option<&str>, launches: &LaunchLogs, name: [&str; 2]) -> Option<String> {
    no_verdict.map(str::to_owned).or_else(|| {
        (launches.len() < LEAST_LAUNCHES as usize).then(|| {
            let had = count(launches.len(), name[0], name[1]);
            format!("{had}, and a verdict needs {LEAST_LAUNCHES}")
        })
    })
}

/// Why the goodput of a row is not its own; `None` when it is, and at a stated rate, where there is none.
fn fault(row: &Row) -> Option<Fault> {
    let has_none = matches!(row.state, RowState::NotRanked { cause: Cause::StatedRate, .. });
    (!row.is_comparable() && row.class != Class::Reference && !has_none).then(|| of_state(&row.state))
}

/// Why the reference says nothing of the machine; `None` when it does. It need not be the limit: as long as it is the same
/// program, its level is that of the machine and the generator.
fn reference_fault(row: &Row) -> Option<Fault> {
    let answers = &row.answers;
    let failed = answers.share(answers.failures()).filter(|share| *share > FAILURES);
    let reason = match &row.state {
        RowState::Reference if answers.wrong_answer > 0 => format!("{} wrong answers", answers.wrong_answer),
        RowState::Reference => format!("{} of its requests failed", percent(failed?)),
        _ => row.standing(),
    };
    Some(Fault { reason, is_failure: is_failure(&row.state) })
}

fn of_state(state: &RowState) -> Fault {
    Fault { reason: state.in_words(), is_failure: is_failure(state) }
}

/// Whether the contender itself is at fault.
fn is_failure(state: &RowState) -> bool {
    let has_failed =
        matches!(state, RowState::Excluded { .. } | RowState::NotRanked { cause: Cause::Failures, .. });
    has_failed || state.validity() == Validity::Invalid
}
