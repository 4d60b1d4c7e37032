//! From the windows of a contender in a workload to its row.

use std::collections::BTreeMap;
use velo_model::Figure;

use velo_record::{Outcomes, Window, WindowKind};

use super::row::{Cold, Connections, Row};
use super::{counters, latency, launches, service_time, standing, verdicts};
use crate::doubt::answers;
use crate::doubt::context::RunContext;
use crate::doubt::limit;
use crate::doubt::state::RowState;
use crate::doubt::{coin, fairness, littles_law, proof};
use crate::measure::cell::Cell;
use crate::measure::figures::{blocks, medians};
use crate::measure::launch_logs::estimate;

/// Judges a cell by itself: ranks, ratios and what needs the other rows are set once all rows are there.
pub(crate) fn judge(cell: &Cell<'_>, run: &RunContext<'_>) -> Row {
    let (all, counted) = (&cell.windows, &cell.blocks);
    let confidence = 1.0 - run.level;
    let goodput = cell.logs(Figure::Goodput);
    let (service_time, unreadable) = service_time::merge(counted);
    let placement = &*cell.record.placement(run.placement);
    let limit = (!counted.is_empty())
        .then(|| limit::find(counted, placement, cell.record.idle_cpu_share, proof::check(all)));
    let mut latency = latency::judge(&cell.paced, all, placement);
    for figures in latency.at_rates.iter_mut().filter(|one| one.purpose.is_common()) {
        figures.cpu_per_request_ns =
            cell.logs_at(Figure::CpuAtOneRate, figures.rate_per_s).estimate(confidence);
    }
    let processes = launches::summarise(cell.record);
    let mut row = Row {
        contender: cell.record.manifest.name.clone(),
        class: cell.record.manifest.class,
        protocol: cell.record.manifest.spoken(cell.workload.load.protocol),
        version: cell.record.version.clone(),
        // Replaced below, when the row's figures are there to be judged.
        state: RowState::Reference,
        launches: u32::try_from(goodput.len()).unwrap_or(u32::MAX),
        windows: u32::try_from(counted.len()).unwrap_or(u32::MAX),
        goodput_per_s: goodput.estimate(confidence),
        at_least: limit.as_ref().is_some_and(|finding| !finding.is_contenders()),
        cpu_per_request_ns: cell.logs(Figure::CpuPerRequest).estimate(confidence),
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
        answers: answers(all, &cell.apart),
        wrong_examples: wrong_examples(all, &cell.apart),
        littles_law: littles_law::check(counted, cell.workload.load.streams),
        coin: coin::find(all, run.coin_level),
        fairness: fairness::check(counted, processes.processes.map(|span| span.most)),
        processes,
        connections: Connections {
            closed_after: cell.workload.load.requests_per_connection,
            ..connections(all, counted)
        },
        verdicts: Vec::new(),
    };
    row.state = standing::of(&row, cell, run);
    row.verdicts = verdicts::of(&row, cell.record.idle_cpu_share, unreadable);
    row.verdicts.extend(row.consistency.iter().flat_map(verdicts::of_consistency));
    row.verdicts.extend(latency.verdicts);
    row.verdicts.extend(launches::verdicts(cell.record, &cell.workload.name, placement));
    row
}

/// A server that is overloaded on purpose may refuse or be late; what it answers must be right all the same.
fn answers(all: &[&Window], apart: &[&Window]) -> Outcomes {
    let (overloaded, others): (Vec<&Window>, Vec<&Window>) =
        all.iter().chain(apart).copied().partition(|window| window.kind().may_overload());
    let mut answers = answers::of(&others);
    let Outcomes { correct, wrong_answer, .. } = answers::of(&overloaded);
    answers.add(&Outcomes { correct, wrong_answer, ..Outcomes::default() });
    answers
}

/// The examples of a window apart may be of failures, which are no wrong answers.
fn wrong_examples(all: &[&Window], apart: &[&Window]) -> Vec<String> {
    let wrong = apart.iter().filter(|window| window.all().wrong_answer > 0);
    all.iter().chain(wrong).flat_map(|window| &window.wrong_examples).take(3).cloned().collect()
}

fn cold(all: &[&Window], confidence: f64) -> Option<Cold> {
    let cold: Vec<&Window> = all.iter().copied().filter(|window| window.kind() == WindowKind::Cold).collect();
    let figure = |quantity| estimate(&medians(&blocks(&cold, WindowKind::Cold, quantity)), confidence);
    (!cold.is_empty()).then(|| Cold {
        goodput_per_s: figure(Figure::Goodput),
        cpu_per_request_ns: figure(Figure::CpuPerRequest),
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
        let answers = window.all().correct;
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
