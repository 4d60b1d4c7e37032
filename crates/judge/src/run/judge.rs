//! From what a run left on disk to its judgement.

use velo_model::{Class, ContenderName, Figure, Workload};
use velo_record::{Outcomes, RunFile, Window};
use velo_stats::Comparison;

use super::judgement::{FORMAT, Judgement};
use super::workload::JudgedWorkload;
use super::{host, link, looks, series, verdicts};
use crate::calls::{self, CallTable, Calls};
use crate::claims::claim::{Evidence, RowsByWorkload};
use crate::claims::published::Measured;
use crate::claims::{claim, published};
use crate::doubt::context::RunContext;
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::doubt::{control, nothing_ranked, steadiness, strictness};
use crate::measure::blocks::Disturbed;
use crate::measure::cell::Cells;
use crate::planning::Promise;
use crate::rank::geometric::Scored;
use crate::rank::pairs::{self, Pairs};
use crate::rank::ranking::{self, Ranking};
use crate::rank::{cost, equal_work, geometric, tax};
use crate::rows;
use crate::rows::bursts;
use crate::rows::row::Row;
use crate::rows::verdicts::of_steadiness;
use crate::rows::{disturber, launch_apart};
use crate::tasks::{self, TaskTable, Tasks};

/// Judges a run by its file and its windows.
pub fn judge(file: &RunFile, windows: &[Window]) -> Judgement {
    let disturbed = Disturbed::find(&file.settings, windows.iter());
    let cells = Cells::new(file, windows.iter(), &disturbed);
    let nothing_ranked = nothing_ranked::of_run(file, &disturbed);
    let nothing_ranked = nothing_ranked.as_ref();
    let look = looks::decisive(file);
    let context = RunContext::of(file, &cells, nothing_ranked, disturbed.is_unfit(), look.level);

    let (rows, comparisons): (RowsByWorkload<'_>, Vec<Option<Comparison>>) = file
        .workloads
        .iter()
        .map(|workload| {
            let (mut rows, comparison) = judge_rows(workload, &cells, &context);
            if nothing_ranked::has_only_calls(file) {
                // Nobody was loaded: that is worth a row only where a contender was not measured at all.
                let is_out =
                    |state: &RowState| matches!(state, RowState::Excluded { .. } | RowState::Skipped { .. });
                rows.retain(|row| is_out(&row.state));
            }
            ((workload.name.as_str(), rows), comparison)
        })
        .unzip();
    let promise = Promise::of(file);
    let confidence = 1.0 - look.level;
    let no_task_ranked = nothing_ranked::of_tasks(file);
    let no_task_ranked = no_task_ranked.as_ref();
    let tasks: Vec<(&str, Option<Tasks>)> = file
        .workloads
        .iter()
        .map(|workload| (workload.name.as_str(), tasks::judge(workload, file, no_task_ranked)))
        .collect();
    let calls: Vec<(&str, Option<Calls>)> = file
        .workloads
        .iter()
        .map(|workload| (workload.name.as_str(), calls::judge(workload, file, no_task_ranked.is_none())))
        .collect();
    let evidence = Evidence {
        file,
        cells: &cells,
        rows: &rows,
        comparisons: &comparisons,
        nothing_ranked,
        tasks: &tasks,
        calls: &calls,
        no_task_ranked,
        confidence,
    };
    let workloads: Vec<JudgedWorkload> = file
        .workloads
        .iter()
        .zip(rows.iter().zip(&comparisons).zip(tasks.iter().zip(&calls)))
        .map(|(workload, (((_, rows), comparison), ((_, tasks), (_, calls))))| {
            let names: Vec<ContenderName> = rows.iter().map(|row| row.contender.clone()).collect();
            let pairs =
                comparison.as_ref().map(|comparison| pairs::describe(comparison, &names, promise.as_ref()));
            let beside = (tasks.as_ref(), calls.as_ref());
            judge_workload(workload, rows, (pairs, promise.as_ref()), beside, &evidence, &context)
        })
        .collect();

    let mut answers = Outcomes::default();
    for row in workloads.iter().flat_map(|workload| &workload.rows) {
        answers.add(&row.answers);
    }
    for twin in cells.all().filter(|cell| cell.record.twin_of.is_some()) {
        answers.add(&rows::judge::judge(twin, &context).answers);
    }
    let scored = workloads.iter().filter(|workload| workload.baseline_fault.is_none());
    let scored: Vec<Scored<'_>> =
        scored.map(|JudgedWorkload { name, baseline, rows, .. }| Scored { name, baseline, rows }).collect();
    let host = host::summarise(file, windows, &disturbed);
    Judgement {
        format: FORMAT,
        started_at: file.started_at.clone(),
        command: file.command.clone(),
        seed: file.settings.seed,
        identity: file.identity.clone(),
        state: file.state,
        plan: file.plan.clone(),
        ended_by: file.ended_by,
        confidence,
        timings: file.timings.clone(),
        nothing_ranked: nothing_ranked.cloned(),
        answers,
        littles_law_worst: rows
            .iter()
            .flat_map(|(_, rows)| rows)
            .filter_map(|row| row.littles_law.worst)
            .reduce(f64::max),
        memory_limit_bytes: file.settings.memory_limit_bytes,
        link: link::used(&file.workloads, windows),
        overrides: file.settings.overrides.clone(),
        verdicts: verdicts::of(file, &host, &workloads),
        host,
        geometric_mean: geometric::over(&scored, &cells, confidence),
        workloads,
    }
}

fn judge_rows(
    workload: &Workload,
    cells: &Cells<'_>,
    context: &RunContext<'_>,
) -> (Vec<Row>, Option<Comparison>) {
    let Ranking { mut rows, comparison } = ranking::rows(workload, cells, context);
    let ranked: Vec<ContenderName> = rows.iter().map(|row| row.contender.clone()).collect();
    if baseline_fault(workload, &rows).is_none()
        && let Some(baseline) = cells.get(&workload.name, &workload.baseline)
    {
        for row in &mut rows {
            // A row that was not the limit has a lower bound; one with wrong answers has nothing.
            let usable = row.cpu_fault().is_none();
            if let Some(cell) = cells.get(&workload.name, &row.contender).filter(|_| usable) {
                // Where the two are compared as a pair, the score is that pair's ratio.
                let pair = comparison.as_ref().and_then(|comparison| {
                    let place = |name| ranked.iter().position(|ranked| ranked == name);
                    comparison.between(place(&row.contender)?, place(&workload.baseline)?)
                });
                let own = || cell.over(baseline, Figure::Goodput).estimate(1.0 - context.level);
                row.against_baseline = pair.and_then(|pair| pair.ratio()).map(Into::into).or_else(own);
            }
        }
    }
    add_steadiness(cells, &workload.name, &mut rows);
    launch_apart::add(cells, &workload.name, &mut rows);
    disturber::add(cells, &workload.name, context.placement, &mut rows);
    (rows, comparison)
}

fn add_steadiness(cells: &Cells<'_>, workload: &str, rows: &mut [Row]) {
    for (contender, found, launches) in steadiness::of_workload(cells, workload) {
        if let Some(row) = rows.iter_mut().find(|row| row.contender == *contender) {
            row.verdicts.extend(of_steadiness(&found, launches));
            row.steadiness = Some(found);
        }
    }
}

/// Why there are no scores, when there are none.
fn baseline_fault(workload: &Workload, rows: &[Row]) -> Option<Reason> {
    match rows.iter().find(|row| row.contender == workload.baseline) {
        Some(row) => row.goodput_fault(),
        None => Some(Reason::Absent { contender: workload.baseline.clone() }),
    }
}

fn judge_workload(
    workload: &Workload,
    rows: &[Row],
    (pairs, promise): (Option<Pairs>, Option<&Promise>),
    (tasks, calls): (Option<&Tasks>, Option<&Calls>),
    evidence: &Evidence<'_>,
    context: &RunContext<'_>,
) -> JudgedWorkload {
    let baseline_fault = baseline_fault(workload, rows);
    let ceiling = rows.iter().find(|row| row.class == Class::Reference && row.cpu_fault().is_none());
    let equal_work = equal_work::rank(evidence.cells, &workload.name, rows, context, promise);
    let mut judged = JudgedWorkload {
        name: workload.name.clone(),
        listed_as: workload.listed_as().to_owned(),
        question: workload.question.clone(),
        source: workload.source.clone(),
        rate_per_s: workload.load.rate_per_s,
        protocol: workload.load.protocol,
        streams: workload.load.streams,
        requests_per_connection: workload.load.requests_per_connection,
        link: workload.load.link,
        connections: rows
            .iter()
            .map(|row| row.connections.asked)
            .max()
            .filter(|asked| *asked > 0)
            .unwrap_or(workload.load.connections),
        baseline: workload.baseline.clone(),
        ceiling_per_s: ceiling.and_then(|row| row.goodput_per_s),
        controls: control::of_workload(evidence.cells, &workload.name),
        pairs,
        taxes: tax::of_workload(evidence.cells, &workload.name, rows, &equal_work, evidence.confidence),
        equal_work,
        cost: evidence.file.settings.cost.as_ref().map(|question| cost::answer(question, rows)),
        tasks: tasks.map(|tasks| {
            let shares = tasks::shares(workload, tasks, &evidence.file.workloads, evidence.rows);
            let costs = tasks::costs(workload, &evidence.file.workloads, evidence.tasks);
            TaskTable::new(workload, tasks, shares, costs)
        }),
        calls: calls.map(|calls| CallTable::new(calls, &evidence.file.calls_left_out)),
        bursts: bursts::of_workload(workload, evidence.cells, evidence.confidence),
        published: published::compare(
            workload,
            &Measured {
                rows,
                cells: evidence.cells,
                tasks,
                calls,
                baseline_fault: baseline_fault.as_ref(),
                confidence: evidence.confidence,
            },
        ),
        baseline_fault,
        claims: workload.claims.iter().map(|claim| claim::judge(claim, evidence)).collect(),
        strictness: strictness::strictness(workload, &evidence.file.contenders),
        rows: rows.to_vec(),
        series: Vec::new(),
    };
    judged.series = series::of_workload(&judged, evidence.cells);
    judged
}
