//! The words for series: what they are of, and who has no point in one.

use std::collections::BTreeSet;

use velo_judge::{JudgedWorkload, RowState, Series, SeriesLoad, SeriesOf, SeriesUnit};
use velo_model::ContenderName;

use crate::number::{bytes, count, rate, ratio, time_ns};
use crate::text::clean;

/// Its name in a heading.
pub(crate) fn name(of: SeriesOf) -> &'static str {
    match of {
        SeriesOf::CpuAtOneRate => "equal work",
        SeriesOf::IterationSteady => "tasks",
        SeriesOf::IterationCold => "tasks, cold",
        _ => in_words(of),
    }
}

/// What stands under that name.
pub(crate) fn what(of: SeriesOf) -> &'static str {
    match of {
        SeriesOf::Goodput => "correct responses per second",
        SeriesOf::CpuPerRequest => "CPU time per correct response, each contender at its own goodput",
        SeriesOf::CpuAtOneRate => "CPU time per correct response at the common rate",
        SeriesOf::ResponseP50 => "median response time at the common rate, from the intended start",
        SeriesOf::ResponseP99 => {
            "99th percentile of response times at the common rate, from the intended start"
        }
        SeriesOf::Memory => "resident set size after the last block, shared pages once",
        SeriesOf::IterationSteady => "steady time of an iteration",
        SeriesOf::IterationCold => "first iteration of a process",
        SeriesOf::Startup => "from exec to the first correct answer",
        SeriesOf::Tax => "CPU time per request over that of the raw contender",
        SeriesOf::GrpcTax => "CPU time per request over that of the REST contender",
        SeriesOf::Makespan => "from the first attempt to connect to the last answer",
        SeriesOf::Call => "one request at a time, nothing else in flight: the whole call",
        SeriesOf::CallConnect => "of a single call: opening TCP",
        SeriesOf::CallHandshake => "of a single call: the handshake of TLS",
        SeriesOf::CallFirstByte => "of a single call: from then to the first byte of the answer",
        SeriesOf::CallRest => "of a single call: from the first byte of the answer to its last",
    }
}

/// Its name inside a sentence.
pub(crate) fn in_words(of: SeriesOf) -> &'static str {
    match of {
        SeriesOf::Goodput => "goodput",
        SeriesOf::CpuPerRequest => "CPU/request",
        SeriesOf::CpuAtOneRate => "CPU/request at the common rate",
        SeriesOf::ResponseP50 => "median response time",
        SeriesOf::ResponseP99 => "p99 response time",
        SeriesOf::Memory => "memory",
        SeriesOf::IterationSteady => "steady time",
        SeriesOf::IterationCold => "cold time",
        SeriesOf::Startup => "startup",
        SeriesOf::Tax => "framework tax",
        SeriesOf::GrpcTax => "gRPC over REST",
        SeriesOf::Makespan => "makespan",
        SeriesOf::Call => "whole call",
        SeriesOf::CallConnect => "call, connect",
        SeriesOf::CallHandshake => "call, TLS",
        SeriesOf::CallFirstByte => "call, first byte",
        SeriesOf::CallRest => "call, rest",
    }
}

/// A value with its unit.
pub(crate) fn value(unit: SeriesUnit, value: f64) -> String {
    match unit {
        SeriesUnit::PerSecond => rate(value),
        SeriesUnit::Nanoseconds => time_ns(value),
        SeriesUnit::Bytes => bytes(value as u64),
        SeriesUnit::Ratio => ratio(value),
    }
}

/// The heading of a chart, and what is drawn in it.
pub(crate) fn label(series: &Series, workload: &JudgedWorkload) -> (String, &'static str) {
    let has_several_rates = workload.equal_work.groups.len() > 1;
    let at_one_rate = match series.under {
        SeriesLoad::OpenLoop { rate_per_s } if has_several_rates => format!(" at {}/s", rate(rate_per_s)),
        _ => " at the common rate".to_owned(),
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
            "resident set size of all its processes after the last block, pages that they share counted once, median over launches; less is better",
        ),
        SeriesOf::Startup => ("Startup", "from exec to the first correct answer; less is better"),
        SeriesOf::Tax => (
            "Framework tax",
            "CPU per request over that of the raw contender of the same language and host; less is better",
        ),
        SeriesOf::GrpcTax => (
            "gRPC over REST",
            "CPU per request over that of the contender of the same language that answers the same over REST; less is better",
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
        SeriesOf::Call
        | SeriesOf::CallConnect
        | SeriesOf::CallHandshake
        | SeriesOf::CallFirstByte
        | SeriesOf::CallRest => ("Single call", what(series.of)),
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
        (of, SeriesLoad::Call { condition }) => format!("{}: {condition}", in_words(of)),
        _ => label.to_owned(),
    };
    (label, about)
}

const RESPONSE: &str =
    "response time from the intended start, open loop, all at the same rate; less is better";

/// Those that were measured or should have been, and have no point.
pub(crate) fn without(series: &Series, workload: &JudgedWorkload) -> Vec<(ContenderName, String)> {
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
        RowState::NotRanked { cause } => cause.to_string(),
        RowState::Skipped { reason, cure } => {
            let cure = cure.as_ref().map(|cure| format!(" ({cure})")).unwrap_or_default();
            format!("skipped: {reason}{cure}")
        }
        RowState::Excluded { reason, .. } => format!("failed: {reason}"),
    };
    Some(clean(&words))
}
