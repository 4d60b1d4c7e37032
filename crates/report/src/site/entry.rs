//! What a site keeps of a contender in a workload of a run.

use velo_judge::{Estimate, JudgedWorkload, Row, RowState, Series, SeriesPoint, TaskRow, Validity};
use velo_model::{Class, ContenderName, FigureKind, LoadCondition};

use super::figures::Figure;
use crate::section::answer::at_main_rate;
use crate::section::{named, rank_range};
use crate::text::clean;

/// A contender in a workload of a run. All text is clean.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) contender: ContenderName,
    /// It is a service of gRPC.
    pub(super) is_grpc: bool,
    pub(super) is_task: bool,
    /// It measures the generator's ceiling and is in no ranking.
    pub(super) is_reference: bool,
    pub(super) class: &'static str,
    pub(super) version: Option<String>,
    /// Its place by goodput, or by steady time.
    pub(super) rank: Option<Rank>,
    /// Whether it is ranked and where, else why not.
    pub(super) standing: String,
    /// Correct responses per second, as far as they stand.
    pub(super) goodput_per_s: Option<Figure>,
    /// Of a request or an iteration, as far as it stands.
    pub(super) cpu_ns: Option<Figure>,
    /// What it is ranked by beside, or could be, in the order of the judgement. Of the rates of several groups that of the main one.
    pub(super) beside: Vec<Beside>,
    /// Of a task.
    pub(super) steady_ns: Option<Figure>,
    /// Of a task.
    pub(super) cold_ns: Option<Figure>,
    pub(super) memory_bytes: Option<u64>,
}

impl Entry {
    /// Its name in a row.
    pub(super) fn name(&self) -> String {
        named(&self.contender, self.is_grpc)
    }
}

/// The best and the worst place that a contender may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rank {
    pub(super) best: u32,
    pub(super) worst: u32,
}

impl Rank {
    /// `2`, `1-3`.
    pub(super) fn words(self) -> String {
        rank_range(self.best, self.worst)
    }

    fn of(state: &RowState) -> Option<Self> {
        match state {
            RowState::Ranked { best, worst } => Some(Self { best: *best, worst: *worst }),
            _ => None,
        }
    }
}

/// A figure under another load than the workload's own, that contenders are ranked by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Beside {
    pub(super) of: velo_model::Figure,
    pub(super) under: LoadCondition,
    /// Its place and its value, else why it is not ranked by that, where it is known.
    pub(super) place: Result<(Rank, Figure), Option<String>>,
}

impl Beside {
    fn of(series: &Series, point: &SeriesPoint) -> Self {
        let rank = point.best.zip(point.worst).map(|(best, worst)| Rank { best, worst });
        let place = rank.zip(Figure::of(point.estimate, point.at_least));
        let reason = || point.reason.as_ref().map(|reason| clean(&reason.to_string()));
        Self { of: series.of, under: series.under, place: place.ok_or_else(reason) }
    }

    /// Whether it is the same figure under the same load, as far as that is told apart.
    fn is_like(&self, other: &Self) -> bool {
        self.of == other.of && self.of.told_apart_by(self.under) == other.of.told_apart_by(other.under)
    }
}

/// The contenders of a workload: servers first, then tasks, in the order of the judgement.
pub(super) fn entries(workload: &JudgedWorkload) -> Vec<Entry> {
    let servers = workload.rows.iter().map(|row| server(row, beside(workload, &row.contender)));
    let tasks = workload.tasks.iter().flat_map(|table| &table.rows).map(task);
    servers.chain(tasks).collect()
}

fn server(row: &Row, beside: Vec<Beside>) -> Entry {
    let is_reference = row.class == Class::Reference;
    let stands = matches!(row.state.validity(), Validity::Stands | Validity::Bound);
    let figure = |estimate: Option<Estimate>, is_least| Figure::of(estimate.filter(|_| stands)?, is_least);
    Entry {
        contender: row.contender.clone(),
        is_grpc: row.protocol.is_grpc(),
        is_task: false,
        is_reference,
        class: row.class.name(),
        version: version(row.version.as_deref()),
        rank: Rank::of(&row.state),
        standing: clean(&row.standing()),
        goodput_per_s: figure(row.goodput_per_s, row.at_least),
        cpu_ns: figure(row.cpu_per_request_ns, false),
        beside,
        steady_ns: None,
        cold_ns: None,
        memory_bytes: row.processes.memory_steady_bytes,
    }
}

fn task(row: &TaskRow) -> Entry {
    let stands = row.is_comparable();
    let figure = |estimate: Option<Estimate>| Figure::of(estimate.filter(|_| stands)?, false);
    Entry {
        contender: row.contender.clone(),
        is_grpc: false,
        is_task: true,
        is_reference: row.class == Class::Reference,
        class: row.class.name(),
        version: version(row.version.as_deref()),
        rank: Rank::of(&row.state),
        standing: clean(&state(&row.state)),
        goodput_per_s: None,
        cpu_ns: figure(row.cpu_per_iteration_ns),
        beside: Vec::new(),
        steady_ns: figure(row.steady_ns),
        cold_ns: figure(row.cold_ns),
        memory_bytes: row.memory_peak_bytes,
    }
}

/// What a server is ranked by under other loads than the workload's own.
fn beside(workload: &JudgedWorkload, contender: &ContenderName) -> Vec<Beside> {
    let is_beside = |series: &&Series| {
        let kind = series.of.kind();
        series.of.row().is_ranked && !matches!(kind, FigureKind::OwnLoad | FigureKind::Process)
    };
    let mut found: Vec<Beside> = Vec::new();
    for series in at_main_rate(workload).into_iter().chain(workload.series.iter().filter(is_beside)) {
        let own = series.points.iter().filter(|point| point.contender == *contender);
        for one in own.map(|point| Beside::of(series, point)) {
            if !found.iter().any(|other| other.is_like(&one)) {
                found.push(one);
            }
        }
    }
    found
}

fn version(printed: Option<&str>) -> Option<String> {
    printed.map(clean).filter(|version| !version.is_empty())
}

fn state(state: &RowState) -> String {
    match state {
        RowState::Ranked { .. } => "ranked".to_owned(),
        RowState::NotRanked { cause } => format!("not ranked: {cause}"),
        RowState::Reference => "the reference".to_owned(),
        RowState::Skipped { reason, .. } => format!("skipped: {reason}"),
        RowState::Excluded { reason, .. } => format!("excluded: {reason}"),
    }
}
