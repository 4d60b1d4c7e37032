//! From a run to its snapshot.

use velo_model::{Class, ContenderName, Figure, FigureKind, LoadCondition, Workload};
use velo_record::{ContenderRecord, RunFile, Window};

use super::comparable::{self, Comparable};
use super::snapshot::{
    Fault, LaunchFigure, SNAPSHOT_FORMAT, Snapshot, SnapshotContender, SnapshotHost, SnapshotPoint,
    SnapshotSeries, SnapshotSettings, SnapshotWorkload,
};
use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::measure::cell::{Cell, Cells};
use crate::measure::figures::{Blocks, paired_log_ratios};
use crate::measure::launch_logs::LaunchLogs;
use crate::rows::row::Row;
use crate::run::judge::{JudgedRun, judge_run};
use crate::run::workload::JudgedWorkload;
use crate::table::Table;
use crate::table::measurement::Measurement;
use crate::words::count;

impl Snapshot {
    /// What a later comparison needs of a run: the numbers that the judge would make of it, launch by launch.
    pub fn of(file: &RunFile, windows: &[Window]) -> Self {
        let JudgedRun { judgement, cells, table, no_task_ranked, .. } = judge_run(file, windows);
        let is_debug = file.identity.build == "debug";
        let debug = || is_debug.then_some(NothingRanked::DebugBuild);
        let no_verdict = judgement.nothing_ranked.clone().or_else(debug);
        let no_task_verdict = no_task_ranked.or_else(debug);
        let taker = Taker {
            file,
            cells: &cells,
            table: &table,
            no_verdict: no_verdict.as_ref(),
            no_task_verdict: no_task_verdict.as_ref(),
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
            nothing_ranked: judgement.nothing_ranked.as_ref().map(ToString::to_string),
            contenders: file
                .contenders
                .iter()
                .filter(|record| record.twin_of.is_none())
                .map(contender)
                .collect(),
            series: Figure::of_kind(FigureKind::Launch)
                .filter(|of| of.row().is_compared)
                .map(|of| taker.once_a_launch(of, &judgement.workloads))
                .collect(),
            workloads: judged.map(|(judged, workload)| taker.workload(judged, workload)).collect(),
        }
    }
}

fn contender(record: &ContenderRecord) -> SnapshotContender {
    SnapshotContender {
        name: record.manifest.name.clone(),
        version: record.version.clone(),
        content_hash: record.build.as_ref().map(|build| build.content_hash.clone()),
        toolchains: record.toolchains.clone(),
    }
}

struct Taker<'a> {
    file: &'a RunFile,
    cells: &'a Cells<'a>,
    table: &'a Table,
    /// Why no verdict may rest on any server of the run, when none may.
    no_verdict: Option<&'a NothingRanked>,
    /// The same of tasks.
    no_task_verdict: Option<&'a NothingRanked>,
}

impl Taker<'_> {
    /// A figure of a contender's launches, on whichever workload.
    fn once_a_launch(&self, of: Figure, workloads: &[JudgedWorkload]) -> SnapshotSeries {
        let points = self.file.contenders.iter().filter(|record| record.twin_of.is_none()).map(|record| {
            let rows = workloads.iter().flat_map(|workload| &workload.rows);
            let own = rows.filter(|row| row.contender == record.manifest.name);
            let on = |workload: &JudgedWorkload| {
                self.table.of(&workload.name, &record.manifest.name, of, |_| true)
            };
            let logs = workloads.iter().find_map(on).map(|one| one.logs.clone()).unwrap_or_default();
            let fault = own.filter_map(comparable::failure).next();
            SnapshotPoint {
                contender: record.manifest.name.clone(),
                is_reference: false,
                figure: self.figure(of, fault, &logs, &LaunchLogs::default()),
            }
        });
        SnapshotSeries { of, under: LoadCondition::None, points: points.collect() }
    }

    fn workload(&self, judged: &JudgedWorkload, workload: &Workload) -> SnapshotWorkload {
        let is_measured = |row: &Row| row.windows > 0 || !row.latency.is_empty();
        let reference = judged.rows.iter().find(|row| {
            row.class == Class::Reference && is_measured(row) && comparable::reference_fault(row).is_none()
        });
        let reference = reference.map(|row| &row.contender);
        let mut series: Vec<SnapshotSeries> = Vec::new();
        let is_of_load = |one: &Comparable<'_>| one.measured.of.kind() != FigureKind::Launch;
        let comparable = comparable::of_workload(judged, self.table, false).into_iter().filter(is_of_load);
        for Comparable { measured, is_reference, fault, .. } in comparable {
            let (of, under) = (measured.of, measured.under);
            let over = reference.filter(|_| !is_reference).map(|name| self.over(judged, measured, name));
            let figure = self.figure(of, fault, &measured.logs, &over.unwrap_or_default());
            let point = SnapshotPoint { contender: measured.contender.clone(), is_reference, figure };
            match series.iter_mut().find(|series| (series.of, series.under) == (of, under)) {
                Some(series) => series.points.push(point),
                None => series.push(SnapshotSeries { of, under, points: vec![point] }),
            }
        }
        SnapshotWorkload {
            name: judged.name.clone(),
            hash: workload.hash.clone(),
            connections: workload.load.connections,
            requests_per_connection: workload.load.requests_per_connection,
            protocol: workload.load.protocol,
            streams: workload.load.streams,
            link: workload.load.link,
            rate_per_s: workload.load.rate_per_s,
            reference: reference.cloned(),
            series,
        }
    }

    /// A contender's numbers over the reference's in the same blocks; none where the reference has no part in them.
    fn over(&self, judged: &JudgedWorkload, one: &Measurement, reference: &ContenderName) -> LaunchLogs {
        let cell = |name| self.cells.get(&judged.name, name);
        let Some((own, reference)) = cell(&one.contender).zip(cell(reference)) else {
            return LaunchLogs::default();
        };
        match (one.of.kind(), one.under) {
            (FigureKind::OwnLoad, _) => own.over(reference, one.of),
            (FigureKind::CommonRate, LoadCondition::OpenLoop { rate_per_s }) => {
                let figures =
                    paired_log_ratios(&own.of_rate(one.of, rate_per_s), &of_reference(one.of, reference));
                one.logs.beside(&reference.logs(Figure::LEAST_DISTURBED), figures)
            }
            _ => LaunchLogs::default(),
        }
    }

    fn figure(&self, of: Figure, fault: Option<Fault>, logs: &LaunchLogs, over: &LaunchLogs) -> LaunchFigure {
        let no_verdict = if of.kind().row().is_planned { self.no_verdict } else { self.no_task_verdict };
        let names = match of.kind() {
            FigureKind::Process => ["process", "processes"],
            _ => ["launch", "launches"],
        };
        launch_figure(fault, doubt(no_verdict, logs, names), logs, over)
    }
}

/// What a figure at the common rate is measured in, of the reference, by launch and block: in its own closed loop, which shows the level
/// of the machine in the same block; of a workload with a stated rate, where there is none, at that rate. Which of the two follows from
/// the workload, so that it is the same in two runs.
fn of_reference(figure: Figure, reference: &Cell<'_>) -> Blocks {
    match reference.workload.load.rate_per_s {
        Some(rate_per_s) => reference.of_rate(figure, rate_per_s),
        None => reference.of_blocks(figure),
    }
}

fn launch_figure(
    fault: Option<Fault>,
    doubt: Option<String>,
    logs: &LaunchLogs,
    over: &LaunchLogs,
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
            log_over_reference: if over.logs().values().all(|log_ratio| log_ratio.is_finite()) {
                over.logs().values().copied().collect()
            } else {
                Vec::new()
            },
            allowance: logs.allowance(),
            allowance_over_reference: over.allowance(),
        },
    }
}

/// Why no verdict may rest on these launches (of tasks: processes), when none may.
fn doubt(no_verdict: Option<&NothingRanked>, launches: &LaunchLogs, name: [&str; 2]) -> Option<String> {
    no_verdict.map(ToString::to_string).or_else(|| {
        (launches.len() < LEAST_LAUNCHES as usize).then(|| {
            let had = count(launches.len(), name[0], name[1]);
            format!("{had}, and a verdict needs {LEAST_LAUNCHES}")
        })
    })
}
