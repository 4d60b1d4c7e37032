//! Judges a run: from what it left on disk to estimates, ranks, verdicts and the state of published claims.
//!
//! Pure: no process, no socket, no clock. The same code judges a run that has just ended and an old one.
#![forbid(unsafe_code)]

mod answers;
mod blocks;
mod bursts;
mod cell;
mod claim;
mod coin;
mod control;
mod cost;
mod counters;
mod data;
mod detail;
mod disturber;
mod equal_work;
mod fairness;
mod figures;
mod geometric;
mod host;
mod impossible;
mod judgement;
mod latency;
mod launch_cost;
mod launch_logs;
mod launches;
mod limit;
mod littles_law;
mod logs;
mod looks;
mod paced;
mod pairs;
mod placement;
mod proof;
mod published;
mod rank;
mod row;
mod row_verdicts;
mod run_verdicts;
mod schema;
mod service_time;
mod so_far;
mod standing;
mod steadiness;
mod strictness;
mod tasks;
mod tax;
mod verdict;
mod words;

pub mod compare;
pub mod consistency;
pub mod load;
pub mod simulate;

pub use answers::Answers;
pub use blocks::DroppedBy;
pub use bursts::{BurstRow, JudgedBurst};
pub use claim::{Holds, JudgedClaim, JudgedPair};
pub use coin::{CoinFinding, CoinScatter, CoinTest, ScatterOver};
pub use consistency::{Consistency, ConsistencyFinding, ConsistencyOf};
pub use control::Control;
pub use cost::{Basis, Cost, CostRow};
pub use counters::Counters;
pub use detail::{
    BurstDetail, ContenderDetail, Distribution, DistributionOf, FigureRatios, PairRatio, ProcessDetail,
    RatioOf, WindowColumns, WorkloadDetail, detail,
};
pub use equal_work::{EqualWorkGroup, EqualWorkPair, EqualWorkRanking, EqualWorkRow};
pub use fairness::{Fairness, Starved};
pub use figures::Estimate;
pub use geometric::{ContenderMean, GeometricMean};
pub use host::HostSummary;
pub use judgement::{JudgedWorkload, Judgement};
pub use latency::{Curve, Knee, KneeReason};
pub use launch_cost::{MOST_LAUNCHES, PLANNED_SHARE, USUAL_BLOCKS};
pub use launches::{Processes, Span};
pub use limit::{Limit, LimitFinding};
pub use littles_law::LittlesLaw;
pub use looks::precision_reached;
pub use paced::{PacedFigures, ResponseTimes};
pub use pairs::{ComparedPair, Pairs, Standing, WouldTell};
pub use proof::{Proof, ProofFound};
pub use published::ComparedRow;
pub use row::{Cause, Cold, Connections, Row, RowState};
pub use schema::judgement_schema;
pub use service_time::Percentiles;
pub use so_far::{unfit_for_tasks, unfit_host};
pub use steadiness::{Steadiness, Steady, SteadyFigure};
pub use strictness::{StrictnessAnswer, StrictnessCase};
pub use tasks::{HandlerShare, TaskRow, TaskTable};
pub use tax::{Tax, Told};
pub use verdict::{Check, Kind, Verdict};

use velo_record::{RunFile, Window};
use velo_spec::{Class, ContenderName, Workload};
use velo_stats::Comparison;

use crate::blocks::Disturbed;
use crate::cell::Cells;
use crate::claim::{Evidence, RowsByWorkload};
use crate::figures::Quantity;
use crate::launch_cost::LaunchCost;
use crate::published::Measured;
use crate::rank::Ranking;
use crate::row::RunContext;
use crate::tasks::Tasks;

/// The version of the judgement's format.
pub const FORMAT: u32 = 1;

/// Judges a run by its file and its windows.
pub fn judge(file: &RunFile, windows: &[Window]) -> Judgement {
    let disturbed = Disturbed::find(windows.iter());
    let cells = Cells::new(file, windows.iter(), &disturbed);
    let nothing_ranked = run_verdicts::nothing_ranked(file).or_else(|| disturbed.unfit());
    let nothing_ranked = nothing_ranked.as_deref();
    let look = looks::decisive(file);
    let context = run_context(file, &cells, nothing_ranked, look.level);

    let (rows, comparisons): (RowsByWorkload<'_>, Vec<Option<Comparison>>) = file
        .workloads
        .iter()
        .map(|workload| {
            let (rows, comparison) = judge_rows(workload, &cells, &context);
            ((workload.name.as_str(), rows), comparison)
        })
        .unzip();
    let cost = LaunchCost::of(file, windows);
    let confidence = 1.0 - look.level;
    let no_task_ranked = run_verdicts::no_task_ranked(file);
    let no_task_ranked = no_task_ranked.as_deref();
    let tasks: Vec<(&str, Option<Tasks>)> = file
        .workloads
        .iter()
        .map(|workload| (workload.name.as_str(), tasks::judge(workload, file, no_task_ranked)))
        .collect();
    let evidence = Evidence {
        file,
        cells: &cells,
        rows: &rows,
        nothing_ranked,
        tasks: &tasks,
        no_task_ranked,
        confidence,
    };
    let workloads: Vec<JudgedWorkload> = file
        .workloads
        .iter()
        .zip(rows.iter().zip(&comparisons).zip(&tasks))
        .map(|(workload, (((_, rows), comparison), (_, tasks)))| {
            let names: Vec<ContenderName> = rows.iter().map(|row| row.contender.clone()).collect();
            let pairs = comparison.as_ref().map(|comparison| pairs::describe(comparison, &names, cost));
            judge_workload(workload, rows, pairs, tasks.as_ref(), &evidence, &context)
        })
        .collect();

    let mut answers = Answers::default();
    for row in workloads.iter().flat_map(|workload| &workload.rows) {
        answers.add(&row.answers);
    }
    for twin in cells.all().filter(|cell| cell.record.twin_of.is_some()) {
        answers.add(&row::judge(twin, &context).answers);
    }
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
        nothing_ranked: nothing_ranked.map(str::to_owned),
        answers,
        littles_law_worst: rows
            .iter()
            .flat_map(|(_, rows)| rows)
            .filter_map(|row| row.littles_law.worst)
            .reduce(f64::max),
        memory_limit_bytes: file.settings.memory_limit_bytes,
        overrides: file.settings.overrides.clone(),
        verdicts: run_verdicts::of(file, &host, &workloads),
        host,
        geometric_mean: geometric::over(&workloads, &cells, confidence),
        workloads,
    }
}

fn run_context<'a>(
    file: &'a RunFile,
    cells: &Cells<'_>,
    nothing_ranked: Option<&'a str>,
    level: f64,
) -> RunContext<'a> {
    let coins = cells.all().filter(|cell| coin::sum(&cell.windows).is_some()).count();
    RunContext {
        placement: &file.placement,
        nothing_ranked,
        coin_level: coin::level(coins),
        level,
        consistency: consistency::of_all(cells, &file.workloads),
    }
}

fn judge_rows(
    workload: &Workload,
    cells: &Cells<'_>,
    context: &RunContext<'_>,
) -> (Vec<Row>, Option<Comparison>) {
    let Ranking { mut rows, comparison } = rank::rows(workload, cells, context);
    if baseline_fault(workload, &rows).is_none()
        && let Some(baseline) = cells.get(&workload.name, &workload.baseline)
    {
        for row in &mut rows {
            // A row that was not the limit has a lower bound; one with wrong answers has nothing.
            let usable = row.cpu_fault().is_none();
            if let Some(cell) = cells.get(&workload.name, &row.contender).filter(|_| usable) {
                row.against_baseline = cell.over(baseline, Quantity::Goodput).estimate(1.0 - context.level);
            }
        }
    }
    steadiness::add(cells, &workload.name, &mut rows);
    disturber::add(cells, &workload.name, context.placement, &mut rows);
    (rows, comparison)
}

/// Why there are no scores, when there are none.
fn baseline_fault(workload: &Workload, rows: &[Row]) -> Option<String> {
    match rows.iter().find(|row| row.contender == workload.baseline) {
        Some(row) => row.goodput_fault(),
        None => Some(format!("{} was not in this run", workload.baseline)),
    }
}

fn judge_workload(
    workload: &Workload,
    rows: &[Row],
    pairs: Option<Pairs>,
    tasks: Option<&Tasks>,
    evidence: &Evidence<'_>,
    context: &RunContext<'_>,
) -> JudgedWorkload {
    let baseline_fault = baseline_fault(workload, rows);
    let ceiling = rows.iter().find(|row| row.class == Class::Reference && row.cpu_fault().is_none());
    JudgedWorkload {
        name: workload.name.clone(),
        question: workload.question.clone(),
        source: workload.source.clone(),
        rate_per_s: workload.load.rate_per_s,
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
        equal_work: equal_work::rank(evidence.cells, &workload.name, rows, context),
        cost: evidence.file.settings.cost.as_ref().map(|question| cost::answer(question, rows)),
        tasks: tasks.map(|tasks| {
            let shares = tasks::shares(workload, tasks, &evidence.file.workloads, evidence.rows);
            tasks.table(shares)
        }),
        bursts: bursts::of_workload(workload, evidence.cells, evidence.confidence),
        taxes: tax::of_workload(evidence, &workload.name, rows),
        published: published::compare(
            workload,
            &Measured {
                rows,
                cells: evidence.cells,
                tasks,
                baseline_fault: baseline_fault.as_deref(),
                confidence: evidence.confidence,
            },
        ),
        baseline_fault,
        claims: workload.claims.iter().map(|claim| claim::judge(claim, evidence)).collect(),
        strictness: strictness::of_workload(evidence.file, &workload.name),
        rows: rows.to_vec(),
    }
}
