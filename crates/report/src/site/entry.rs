//! What a site keeps of a contender in a workload of a run.

use std::collections::BTreeMap;

use velo_judge::{Estimate, JudgedWorkload, Row, RowState, TaskRow, Validity};
use velo_model::{Class, ContenderName};

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
    pub(super) at_rate: Option<AtRate>,
    /// Why it is not ranked by that.
    pub(super) at_rate_fault: Option<String>,
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

/// What a ranked contender needs at a rate that all of its group were given.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtRate {
    pub(super) rate_per_s: f64,
    pub(super) rank: Rank,
    pub(super) cpu_ns: Figure,
}

/// The contenders of a workload: servers first, then tasks, in the order of the judgement.
pub(super) fn entries(workload: &JudgedWorkload) -> Vec<Entry> {
    let mut at_rates = at_rates(workload);
    let servers =
        workload.rows.iter().map(|row| server(row, at_rates.remove(&row.contender).unwrap_or(Err(None))));
    let tasks = workload.tasks.iter().flat_map(|table| &table.rows).map(task);
    servers.chain(tasks).collect()
}

/// `at_rate`: what it needs at a rate for all, else why it is not ranked by that, where that was tried.
fn server(row: &Row, at_rate: Result<AtRate, Option<String>>) -> Entry {
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
        at_rate: at_rate.as_ref().ok().copied(),
        at_rate_fault: at_rate.err().flatten(),
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
        at_rate: None,
        at_rate_fault: None,
        steady_ns: figure(row.steady_ns),
        cold_ns: figure(row.cold_ns),
        memory_bytes: row.memory_peak_bytes,
    }
}

/// What contenders need at the rate of their group, else why they are not ranked; of one in several groups that of the main
/// one.
fn at_rates(workload: &JudgedWorkload) -> BTreeMap<ContenderName, Result<AtRate, Option<String>>> {
    let mut found = BTreeMap::new();
    let groups = workload.series.iter().filter(|series| series.of == velo_model::Figure::CpuAtOneRate);
    for group in at_main_rate(workload).into_iter().chain(groups) {
        let Some(rate_per_s) = group.under.rate_per_s() else { continue };
        for point in &group.points {
            let rank = point.best.zip(point.worst).map(|(best, worst)| Rank { best, worst });
            let at_rate = match rank.zip(Figure::of(point.estimate, false)) {
                Some((rank, cpu_ns)) => Ok(AtRate { rate_per_s, rank, cpu_ns }),
                None => Err(point.reason.as_ref().map(|reason| clean(&reason.to_string()))),
            };
            found.entry(point.contender.clone()).or_insert(at_rate);
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
