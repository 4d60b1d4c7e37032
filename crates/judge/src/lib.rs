//! Judges a run: from what it left on disk to estimates, ranks, verdicts and the state of published claims.
//!
//! Pure: no process, no socket, no clock. The same code judges a run that has just ended and an old one.
#![forbid(unsafe_code)]

mod answers;
mod cell;
mod claim;
mod coin;
mod fairness;
mod figures;
mod host;
mod judgement;
mod launches;
mod limit;
mod littles_law;
mod published;
mod rank;
mod row;
mod row_verdicts;
mod run_verdicts;
mod schema;
mod service_time;
mod standing;
mod strictness;
mod tax;
mod verdict;
mod words;

pub mod load;
pub mod simulate;

pub use answers::Answers;
pub use claim::{Holds, JudgedClaim, JudgedPair};
pub use coin::{CoinFinding, CoinTest};
pub use fairness::{Fairness, Starved};
pub use figures::Estimate;
pub use host::HostSummary;
pub use judgement::{JudgedWorkload, Judgement};
pub use launches::{Processes, Span};
pub use limit::{Limit, LimitFinding};
pub use littles_law::LittlesLaw;
pub use published::ComparedRow;
pub use row::{Cause, Cold, Connections, Row, RowState};
pub use schema::judgement_schema;
pub use service_time::Percentiles;
pub use strictness::{StrictnessAnswer, StrictnessCase};
pub use tax::{Tax, Told};
pub use verdict::{Check, Kind, Verdict};

use velo_record::{RunFile, Window};
use velo_spec::{Class, Workload};

use crate::cell::Cells;
use crate::claim::Evidence;
use crate::figures::{Quantity, ratio};
use crate::row::RunContext;

/// The version of the judgement's format.
pub const FORMAT: u32 = 1;

/// Judges a run by its file and its windows.
pub fn judge(file: &RunFile, windows: &[Window]) -> Judgement {
    let cells = Cells::new(file, windows);
    let nothing_ranked = run_verdicts::nothing_ranked(file);
    let nothing_ranked = nothing_ranked.as_deref();
    let coins = cells.all().filter(|cell| coin::sum(&cell.windows).is_some()).count();
    let context = RunContext { placement: &file.placement, nothing_ranked, coin_level: coin::level(coins) };

    let rows: Vec<(&str, Vec<Row>)> = file
        .workloads
        .iter()
        .map(|workload| (workload.name.as_str(), judge_rows(workload, &cells, &context)))
        .collect();
    let evidence = Evidence { file, cells: &cells, rows: &rows, nothing_ranked };
    let workloads: Vec<JudgedWorkload> = file
        .workloads
        .iter()
        .zip(&rows)
        .map(|(workload, (_, rows))| judge_workload(workload, rows, &evidence))
        .collect();

    let mut answers = Answers::default();
    for row in workloads.iter().flat_map(|workload| &workload.rows) {
        answers.add(&row.answers);
    }
    let host = host::summarise(file, windows);
    Judgement {
        format: FORMAT,
        started_at: file.started_at.clone(),
        command: file.command.clone(),
        seed: file.settings.seed,
        identity: file.identity.clone(),
        state: file.state,
        plan: file.plan.clone(),
        timings: file.timings.clone(),
        nothing_ranked: nothing_ranked.map(str::to_owned),
        answers,
        littles_law_worst: rows
            .iter()
            .flat_map(|(_, rows)| rows)
            .filter_map(|row| row.littles_law.worst)
            .reduce(f64::max),
        overrides: file.settings.overrides.clone(),
        verdicts: run_verdicts::of(file, &host),
        host,
        workloads,
    }
}

fn judge_rows(workload: &Workload, cells: &Cells<'_>, context: &RunContext<'_>) -> Vec<Row> {
    let mut rows: Vec<Row> =
        cells.of_workload(&workload.name).map(|cell| row::judge(cell, context)).collect();
    rank::assign(&mut rows);
    if baseline_fault(workload, &rows).is_none()
        && let Some(baseline) = cells.get(&workload.name, &workload.baseline)
    {
        for row in &mut rows {
            // A row that was not the limit has a lower bound; one with wrong answers has nothing.
            let usable = row.cpu_fault().is_none();
            if let Some(cell) = cells.get(&workload.name, &row.contender).filter(|_| usable) {
                row.against_baseline = ratio(&cell.over(baseline, Quantity::Goodput));
            }
        }
    }
    rows
}

/// Why there are no scores, when there are none.
fn baseline_fault(workload: &Workload, rows: &[Row]) -> Option<String> {
    match rows.iter().find(|row| row.contender == workload.baseline) {
        Some(row) => row.goodput_fault(),
        None => Some(format!("{} was not in this run", workload.baseline)),
    }
}

fn judge_workload(workload: &Workload, rows: &[Row], evidence: &Evidence<'_>) -> JudgedWorkload {
    let baseline_fault = baseline_fault(workload, rows);
    let ceiling = rows.iter().find(|row| row.class == Class::Reference && row.cpu_fault().is_none());
    JudgedWorkload {
        name: workload.name.clone(),
        question: workload.question.clone(),
        source: workload.source.clone(),
        connections: rows
            .iter()
            .map(|row| row.connections.asked)
            .max()
            .filter(|asked| *asked > 0)
            .unwrap_or(workload.load.connections),
        baseline: workload.baseline.clone(),
        ceiling_per_s: ceiling.and_then(|row| row.goodput_per_s),
        taxes: tax::of_workload(evidence.cells, &workload.name, rows),
        published: published::compare(workload, rows, baseline_fault.as_deref()),
        baseline_fault,
        claims: workload.claims.iter().map(|claim| claim::judge(claim, evidence)).collect(),
        strictness: strictness::of_workload(evidence.file, &workload.name),
        rows: rows.to_vec(),
    }
}
