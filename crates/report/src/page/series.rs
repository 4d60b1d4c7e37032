//! The words for a series: its name in the page's address, its heading, what it is, and who has no point in it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use velo_judge::{JudgedWorkload, RowState, Series, SeriesLoad, SeriesOf};
use velo_spec::ContenderName;

use crate::number::{count, rate};
use crate::text::clean;

/// The words for one of a workload's series.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SeriesWords {
    /// Its name in addresses and in files with columns: letters, digits and hyphens, once in a workload.
    pub(crate) id: String,
    /// Its heading.
    pub(crate) label: String,
    /// What it is, in a few words below the chart.
    pub(crate) about: String,
    /// Contenders without a point: who and why.
    pub(crate) without: Vec<(ContenderName, String)>,
}

/// The words for each series of a workload, in its order.
pub(super) fn words(workload: &JudgedWorkload) -> Vec<SeriesWords> {
    let mut taken = BTreeSet::new();
    let words = workload.series.iter().map(|series| {
        let mut id = id(series);
        while !taken.insert(id.clone()) {
            id.push_str("-more");
        }
        let (label, about) = label(series, workload);
        SeriesWords { id, label, about: about.to_owned(), without: without(series, workload) }
    });
    words.collect()
}

fn id(series: &Series) -> String {
    let name = match series.of {
        SeriesOf::Goodput => "goodput",
        SeriesOf::CpuPerRequest => "cpu",
        SeriesOf::CpuAtOneRate => "cpu-at-rate",
        SeriesOf::ResponseP50 => "p50",
        SeriesOf::ResponseP99 => "p99",
        SeriesOf::Memory => "memory",
        SeriesOf::Startup => "startup",
        SeriesOf::Tax => "tax",
        SeriesOf::IterationSteady => "task-steady",
        SeriesOf::IterationCold => "task-cold",
        SeriesOf::Makespan => "burst",
    };
    match series.under {
        SeriesLoad::Burst { requests, connections, first_alone } => {
            let ab = if first_alone { "-ab" } else { "" };
            format!("{name}-{requests}-{connections}{ab}")
        }
        _ => name.to_owned(),
    }
}

fn label(series: &Series, workload: &JudgedWorkload) -> (String, &'static str) {
    let has_several_rates = workload.equal_work.groups.len() > 1;
    let at_one_rate = match series.under {
        SeriesLoad::OpenLoop { rate_per_s } if has_several_rates => format!(" at {}/s", rate(rate_per_s)),
        _ => " at one rate".to_owned(),
    };
    let (label, about) = match series.of {
        SeriesOf::Goodput => ("Goodput", "correct responses per second, closed loop; more is better"),
        SeriesOf::CpuPerRequest => (
            "CPU per request",
            "CPU time of all its processes for each correct response, under the load of the workload; less is better",
        ),
        SeriesOf::CpuAtOneRate => (
            "CPU per request",
            "CPU time for each correct response while all are given the same work; less is better",
        ),
        SeriesOf::ResponseP50 => ("Median response time", RESPONSE),
        SeriesOf::ResponseP99 => ("p99 response time", RESPONSE),
        SeriesOf::Memory => (
            "Memory",
            "proportional set size of all its processes after the last block, median over launches; less is better",
        ),
        SeriesOf::Startup => ("Startup", "from exec to the first correct answer; less is better"),
        SeriesOf::Tax => (
            "Framework tax",
            "CPU per request over that of the raw contender of the same language and host; less is better",
        ),
        SeriesOf::IterationSteady => (
            "Task, steady",
            "an iteration once warm: the median of the second half of a process's iterations; less is better",
        ),
        SeriesOf::IterationCold => {
            ("Task, cold", "the first iteration of a process, by the program's own clock; less is better")
        }
        SeriesOf::Makespan => {
            ("Makespan", "from the first attempt to connect to the last answer; less is better")
        }
    };
    let label = match (series.of, series.under) {
        (SeriesOf::CpuAtOneRate | SeriesOf::ResponseP50 | SeriesOf::ResponseP99, _) => {
            format!("{label}{at_one_rate}")
        }
        (_, SeriesLoad::Burst { requests, connections, first_alone }) => {
            let (requests, connections) = (count(requests.into()), count(connections.into()));
            let how = if first_alone { ", one answered before the others" } else { "" };
            format!("{label}: {requests} requests over {connections} connections{how}")
        }
        _ => label.to_owned(),
    };
    (label, about)
}

const RESPONSE: &str =
    "response time from the intended start, open loop, all at the same rate; less is better";

/// Those that were measured or should have been, and have no point.
fn without(series: &Series, workload: &JudgedWorkload) -> Vec<(ContenderName, String)> {
    let has_point: BTreeSet<&ContenderName> = series.points.iter().map(|point| &point.contender).collect();
    let servers = workload.rows.iter().map(|row| (&row.contender, &row.state));
    let tasks = workload.tasks.iter().flat_map(|table| &table.rows).map(|row| (&row.contender, &row.state));
    let others = servers.chain(tasks).filter(|(contender, _)| !has_point.contains(contender));
    others.filter_map(|(contender, state)| Some((contender.clone(), reason(state)?))).collect()
}

/// Why a contender has no point; `None` where its state does not say.
fn reason(state: &RowState) -> Option<String> {
    let words = match state {
        RowState::Ranked { .. } | RowState::Reference => return None,
        RowState::NotRanked { reason, .. } => reason.clone(),
        RowState::Skipped { reason, cure } => {
            let cure = cure.as_ref().map(|cure| format!(" ({cure})")).unwrap_or_default();
            format!("skipped: {reason}{cure}")
        }
        RowState::Excluded { reason, .. } => format!("failed: {reason}"),
    };
    Some(clean(&words))
}
