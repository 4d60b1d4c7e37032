//! The kinds of measurement of a workload: each is judged by itself, and adds what it measured to the table.

use velo_model::{Class, ContenderName, Figure, LoadCondition, Workload};
use velo_record::RunFile;
use velo_stats::Comparison;

use super::workload::JudgedWorkload;
use crate::calls::{self, CallTable, Calls};
use crate::claims::claim::Evidence;
use crate::claims::published::Measured;
use crate::claims::{claim, published};
use crate::doubt::context::RunContext;
use crate::doubt::nothing_ranked::{self, NothingRanked};
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::doubt::{control, steadiness, strictness};
use crate::measure::cell::Cells;
use crate::planning::Promise;
use crate::rank::common_rate::{self, CommonRate};
use crate::rank::contest::Contest;
use crate::rank::cost;
use crate::rank::pairs::{self, FigurePairs};
use crate::rank::ranking::{self, Ranking};
use crate::rank::tax::{self, Tax};
use crate::rows::bursts::{self, JudgedBurst};
use crate::rows::row::{Row, RowsByWorkload};
use crate::rows::verdicts::of_steadiness;
use crate::rows::{launch_apart, measurements};
use crate::table::measurement::Measurement;
use crate::table::{Table, series};
use crate::tasks::{self, TaskTable, Tasks};

/// What was measured of a workload, kind by kind.
pub(super) struct Kinds<'a> {
    pub(super) workload: &'a Workload,
    pub(super) rows: Vec<Row>,
    /// How the first rows compare; `None` where fewer than two are ranked.
    comparison: Option<Comparison>,
    /// The same by CPU time per request, on a busy machine.
    by_cpu: Option<Contest>,
    common_rate: CommonRate,
    taxes: Vec<Tax>,
    bursts: Vec<JudgedBurst>,
    makespans: Vec<Measurement>,
    tasks: Option<Tasks>,
    calls: Option<Calls>,
}

impl<'a> Kinds<'a> {
    pub(super) fn judge(
        workload: &'a Workload,
        file: &RunFile,
        cells: &Cells<'_>,
        context: &RunContext<'_>,
        (promise, no_task_ranked): (Option<&Promise>, Option<&NothingRanked>),
    ) -> Self {
        let Ranking { mut rows, comparison, by_cpu } = judge_rows(workload, cells, context);
        if nothing_ranked::has_only_calls(file) {
            // Nobody was loaded: that is worth a row only where a contender was not measured at all.
            let is_out =
                |state: &RowState| matches!(state, RowState::Excluded { .. } | RowState::Skipped { .. });
            rows.retain(|row| is_out(&row.state));
        }
        let confidence = 1.0 - context.level;
        let common_rate = common_rate::rank(cells, &workload.name, &rows, context, promise);
        let taxes = tax::of_workload(cells, &workload.name, &rows, &common_rate, confidence);
        let (bursts, makespans) = bursts::of_workload(workload, &rows, cells, confidence);
        Self {
            workload,
            comparison,
            by_cpu,
            common_rate,
            taxes,
            bursts,
            makespans,
            tasks: tasks::judge(workload, file, no_task_ranked),
            calls: calls::judge(workload, file, no_task_ranked.is_none()),
            rows,
        }
    }

    /// Adds what was measured to the table.
    pub(super) fn add_to(&self, table: &mut Table, cells: &Cells<'_>) {
        let Self { workload, rows, common_rate, tasks, calls, .. } = self;
        let name = &workload.name;
        let cpu_ranges = self.by_cpu.as_ref().map_or(&[][..], |contest| &contest.ranges);
        table.add(name, measurements::of_rows(workload, rows, self.own(), cells, cpu_ranges));
        table.add(name, common_rate.measurements.iter().cloned());
        table.add(name, measurements::response_times(rows));
        table.add(name, self.makespans.iter().cloned());
        table.add(name, tasks.iter().flat_map(Tasks::measurements));
        table.add(name, calls.iter().flat_map(Calls::measurements));
        table.add(name, self.taxes.iter().map(Tax::measurement));
        for (of, comparison) in self.comparisons() {
            let ranked = rows.iter().map(|row| row.contender.clone());
            table.add_comparison(name, (of, self.own()), ranked.collect(), comparison.clone());
        }
    }

    /// How the first rows compare, by each figure that they are ranked by; that of the answer first.
    fn comparisons(&self) -> impl Iterator<Item = (Figure, &Comparison)> {
        let by_cpu = self.by_cpu.as_ref().map(|contest| (Figure::LEAST_DISTURBED, &contest.comparison));
        let by_goodput = self.comparison.as_ref().map(|comparison| (Figure::Goodput, comparison));
        by_cpu.into_iter().chain(by_goodput)
    }

    /// The load that the workload itself makes.
    fn own(&self) -> LoadCondition {
        LoadCondition::own(self.connections(), self.workload.load.rate_per_s)
    }

    /// How those compare that are ranked, figure by figure.
    fn pairs(&self, promise: Option<&Promise>) -> Vec<FigurePairs> {
        let names: Vec<ContenderName> = self.rows.iter().map(|row| row.contender.clone()).collect();
        let own = self.comparisons().map(|(of, comparison)| FigurePairs {
            of,
            under: self.own(),
            pairs: pairs::describe(comparison, &names, promise),
        });
        let tasks = self.tasks.iter().filter_map(Tasks::pairs);
        let calls = self.calls.iter().flat_map(Calls::pairs);
        own.chain(self.common_rate.pairs.iter().cloned()).chain(tasks).chain(calls).collect()
    }

    fn connections(&self) -> u32 {
        let asked = self.rows.iter().map(|row| row.connections.asked).max();
        asked.filter(|asked| *asked > 0).unwrap_or(self.workload.load.connections)
    }

    /// The workload as it was judged. `rows`: those of all workloads of the run.
    pub(super) fn workload(
        &self,
        rows: &RowsByWorkload<'_>,
        promise: Option<&Promise>,
        cells: &Cells<'_>,
        evidence: &Evidence<'_>,
    ) -> JudgedWorkload {
        let Self { workload, tasks, calls, .. } = self;
        let baseline_fault = baseline_fault(workload, &self.rows);
        let ceiling = self.rows.iter().find(|row| row.class == Class::Reference && row.cpu_fault().is_none());
        let published =
            Measured { rows: &self.rows, table: evidence.table, baseline_fault: baseline_fault.as_ref() };
        JudgedWorkload {
            name: workload.name.clone(),
            listed_as: workload.listed_as().to_owned(),
            question: workload.question.clone(),
            source: workload.source.clone(),
            rate_per_s: workload.load.rate_per_s,
            protocol: workload.load.protocol,
            streams: workload.load.streams,
            requests_per_connection: workload.load.requests_per_connection,
            link: workload.load.link,
            connections: self.connections(),
            baseline: workload.baseline.clone(),
            ceiling_per_s: ceiling.and_then(|row| row.goodput_per_s),
            controls: control::of_workload(cells, &workload.name),
            pairs: self.pairs(promise),
            cost: evidence.file.settings.cost.as_ref().map(|question| cost::answer(question, &self.rows)),
            tasks: tasks.as_ref().map(|tasks| {
                let shares = tasks::shares(workload, tasks, &evidence.file.workloads, rows);
                let costs = tasks::costs(workload, &evidence.file.workloads, evidence.table);
                TaskTable::new(workload, tasks, shares, costs)
            }),
            calls: calls.as_ref().map(|calls| CallTable::new(calls, &evidence.file.calls_left_out)),
            published: published::compare(workload, &published),
            baseline_fault,
            claims: workload.claims.iter().map(|claim| claim::judge(claim, evidence)).collect(),
            strictness: strictness::strictness(workload, &evidence.file.contenders),
            series: series::of_workload(
                evidence.table.of_workload(&workload.name),
                workload.load.rate_per_s.is_some(),
            ),
            rows: self.rows.clone(),
            taxes: self.taxes.clone(),
            bursts: self.bursts.clone(),
        }
    }
}

fn judge_rows(workload: &Workload, cells: &Cells<'_>, context: &RunContext<'_>) -> Ranking {
    let Ranking { mut rows, comparison, by_cpu } = ranking::rows(workload, cells, context);
    let ranked: Vec<ContenderName> = rows.iter().map(|row| row.contender.clone()).collect();
    if baseline_fault(workload, &rows).is_none()
        && let Some(baseline) = cells.get(&workload.name, &workload.baseline)
    {
        for row in &mut rows {
            // A row that was not the limit has a lower bound; one with wrong answers has nothing.
            let usable = row.cpu_fault().is_none() && row.class != Class::Running;
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
    Ranking { rows, comparison, by_cpu }
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
        Some(row) => row.goodput_fault().map(|fault| fault.of(&row.contender)),
        None => Some(Reason::Absent { contender: workload.baseline.clone() }),
    }
}
