//! From what a run left on disk to its judgement.

use velo_record::{Outcomes, RunFile, Window};

use super::judgement::{FORMAT, Judgement};
use super::kinds::Kinds;
use super::workload::JudgedWorkload;
use super::{host, link, looks, verdicts};
use crate::claims::claim::Evidence;
use crate::doubt::context::RunContext;
use crate::doubt::nothing_ranked::{self, NothingRanked};
use crate::measure::blocks::Disturbed;
use crate::measure::cell::Cells;
use crate::planning::Promise;
use crate::rank::geometric::{self, Scored};
use crate::rows;
use crate::rows::row::RowsByWorkload;
use crate::table::Table;

/// Judges a run by its file and its windows.
pub fn judge(file: &RunFile, windows: &[Window]) -> Judgement {
    judge_run(file, windows).judgement
}

/// A run with its judgement, and what the judgement was made of.
pub struct JudgedRun<'a> {
    /// The judgement.
    pub judgement: Judgement,
    pub(crate) file: &'a RunFile,
    pub(crate) disturbed: Disturbed,
    pub(crate) cells: Cells<'a>,
    pub(crate) table: Table,
    /// Why no verdict may rest on any of its tasks and single calls, when none may.
    pub(crate) no_task_ranked: Option<NothingRanked>,
}

/// Judges a run for what asks more of it than its judgement says.
pub fn judge_run<'a>(file: &'a RunFile, windows: &'a [Window]) -> JudgedRun<'a> {
    let disturbed = Disturbed::find(&file.placement, windows.iter());
    let cells = Cells::new(file, windows.iter(), &disturbed);
    let nothing_ranked = nothing_ranked::of_run(file, &disturbed);
    let nothing_ranked = nothing_ranked.as_ref();
    let no_task_ranked = nothing_ranked::of_tasks(file);
    let look = looks::decisive(file);
    let context = RunContext::of(file, &cells, nothing_ranked, disturbed.is_unfit(), look.level);
    let promise = Promise::of(file);
    let confidence = 1.0 - look.level;

    let mut table = Table::default();
    let judged: Vec<Kinds<'_>> = file
        .workloads
        .iter()
        .map(|workload| {
            let kinds =
                Kinds::judge(workload, file, &cells, &context, (promise.as_ref(), no_task_ranked.as_ref()));
            kinds.add_to(&mut table, &cells);
            kinds
        })
        .collect();
    let evidence =
        Evidence { file, table: &table, nothing_ranked, no_task_ranked: no_task_ranked.as_ref(), confidence };
    let rows: RowsByWorkload<'_> =
        judged.iter().map(|kinds| (kinds.workload.name.as_str(), kinds.rows.as_slice())).collect();
    let littles_law = rows.iter().flat_map(|(_, rows)| *rows).filter_map(|row| row.littles_law.worst);
    let littles_law_worst = littles_law.reduce(f64::max);
    let workloads: Vec<JudgedWorkload> =
        judged.iter().map(|kinds| kinds.workload(&rows, promise.as_ref(), &cells, &evidence)).collect();

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
    let host = host::summarise(file, windows, &disturbed, &cells);
    let judgement = Judgement {
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
        littles_law_worst,
        memory_limit_bytes: file.settings.memory_limit_bytes,
        link: link::used(&file.workloads, windows),
        overrides: file.settings.overrides.clone(),
        verdicts: verdicts::of(file, &host, &workloads),
        host,
        geometric_mean: geometric::over(&scored, &cells, confidence),
        workloads,
    };
    JudgedRun { judgement, file, disturbed, cells, table, no_task_ranked }
}
