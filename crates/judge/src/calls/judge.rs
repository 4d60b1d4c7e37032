//! From the calls of a workload to its rows by condition.

use std::collections::BTreeMap;

use velo_model::{CallCondition, Class, ContenderName, Figure, LoadCondition, Workload};
use velo_record::{CallBlock, CallRecord, ContenderRecord, RunFile};
use velo_stats::{CONFIDENCE, Comparison, LEVEL, lower_median};

use super::held_back::held_back_ns;
use super::middle::{Phases, middle};
use super::row::{CallCount, CallRow};
use super::standing::{self, is_disturbed, is_like};
use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::reason::{CallFault, Reason};
use crate::measure::figures::Launches;
use crate::measure::launch_logs::{LaunchLogs, estimate};
use crate::rank::contest::{Candidate, contest};
use crate::rank::pairs::{self, FigurePairs};
use crate::table::measurement::Measurement;

/// With fewer launches there is no interval, so that those count in which others disturbed.
const LEAST_QUIET: usize = 3;
/// Wrong answers in words that a row keeps.
const EXAMPLES: usize = 3;
const NS_PER_HOUR: f64 = 3_600e9;

/// The calls of a workload with what claims need.
pub(crate) struct Calls {
    pub(super) conditions: Vec<UnderCondition>,
    pub(super) users: u64,
    pub(super) calls_per_user: u64,
}

/// The calls under one condition: those that can be compared first, the shortest first.
pub(super) struct UnderCondition {
    pub(super) condition: CallCondition,
    cells: Vec<CallCell>,
    comparison: Option<Comparison>,
}

struct CallCell {
    row: CallRow,
    whole_ns: LaunchLogs,
    /// The phases that took a time in each launch; ratios of others would be none.
    phases: Vec<(Figure, LaunchLogs)>,
}

/// Judges the calls of a workload; `None` where the run has none. `compares`: whether contenders are compared in it.
pub(crate) fn judge(workload: &Workload, file: &RunFile, compares: bool) -> Option<Calls> {
    /// Of the published comparison: 10,000 users with 1,000 calls a year each.
    const PUBLISHED: (u64, u64) = (10_000, 1_000);
    let own = || file.calls.iter().filter(|block| block.workload == workload.name);
    own().next()?;
    let question = file.settings.cost.as_ref();
    let asked = question.and_then(|question| question.users.zip(question.calls_per_user_per_year));
    let (users, calls_per_user) = asked.unwrap_or(PUBLISHED);
    let per_year = users as f64 * calls_per_user as f64;
    let conditions = workload.call_conditions().filter_map(|condition| {
        let blocks: Vec<&CallBlock> = own().filter(|block| block.condition == condition).collect();
        (!blocks.is_empty()).then(|| under(condition, &blocks, file, compares, per_year))
    });
    let mut conditions: Vec<UnderCondition> = conditions.collect();
    add_held_back(&mut conditions);
    Some(Calls { conditions, users, calls_per_user })
}

fn under(
    condition: CallCondition,
    blocks: &[&CallBlock],
    file: &RunFile,
    compares: bool,
    per_year: f64,
) -> UnderCondition {
    let records = file.contenders.iter().filter(|record| record.twin_of.is_none());
    let own: Vec<(&ContenderRecord, Vec<&CallBlock>)> = records
        .map(|record| {
            let is_own = |block: &&&CallBlock| block.contender == record.manifest.name;
            (record, blocks.iter().filter(is_own).copied().collect::<Vec<_>>())
        })
        .filter(|(_, blocks)| !blocks.is_empty())
        .collect();
    let phases: Vec<Vec<(u32, Phases)>> =
        own.iter().map(|(_, blocks)| by_launch(blocks, &condition)).collect();
    let whole: Vec<Launches> = phases
        .iter()
        .map(|launches| launches.iter().map(|(launch, phases)| (*launch, phases.whole)).collect())
        .collect();
    // Of all contenders together, so that a launch that one lacks is made up for by what it was to the others.
    let whole = LaunchLogs::fit_launches(&whole.iter().collect::<Vec<_>>());
    let mut cells: Vec<CallCell> = own
        .iter()
        .zip(phases)
        .zip(whole)
        .map(|(((record, blocks), phases), whole_ns)| CallCell {
            row: row(record, blocks, &phases, &whole_ns, &condition),
            phases: logs_of_phases(&phases),
            whole_ns,
        })
        .collect();
    let group = |cell: &CallCell| match (cell.row.is_comparable(), cell.row.has_figures()) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let whole_of = |cell: &CallCell| cell.row.whole_ns.map_or(f64::INFINITY, |whole| whole.value);
    cells.sort_by(|a, b| {
        group(a)
            .cmp(&group(b))
            .then(whole_of(a).total_cmp(&whole_of(b)))
            .then_with(|| a.row.contender.cmp(&b.row.contender))
    });
    add_hours(&mut cells, per_year);
    let candidates = cells
        .iter()
        .take_while(|cell| cell.row.is_comparable() && cell.row.launches >= LEAST_LAUNCHES)
        .map(|cell| &cell.whole_ns);
    let candidates = Candidate::together(candidates);
    let comparison =
        (compares && candidates.len() > 1).then(|| contest(Figure::Call, &candidates, LEVEL).comparison);
    UnderCondition { condition, cells, comparison }
}

/// Whether so few launches were quiet that all have to count.
fn counts_disturbed(blocks: &[&CallBlock]) -> bool {
    let whole = || blocks.iter().filter(|block| block.ended_early.is_none());
    let quiet = whole().filter(|block| !is_disturbed(block)).count();
    quiet < LEAST_QUIET && quiet < whole().count()
}

/// Of each launch that counts, what its calls took.
fn by_launch(blocks: &[&CallBlock], condition: &CallCondition) -> Vec<(u32, Phases)> {
    let all_count = counts_disturbed(blocks);
    let counted =
        blocks.iter().filter(|block| block.ended_early.is_none() && (all_count || !is_disturbed(block)));
    let of_block = |block: &&CallBlock| {
        let like: Vec<&CallRecord> = block.calls.iter().filter(|call| is_like(call, condition)).collect();
        Some((block.launch, middle(&like)?))
    };
    counted.filter_map(of_block).collect()
}

/// A phase shorter than a nanosecond is none.
fn logs_of_phases(launches: &[(u32, Phases)]) -> Vec<(Figure, LaunchLogs)> {
    type Phase = fn(&Phases) -> Option<f64>;
    let all: [(Figure, Phase); 4] = [
        (Figure::CallConnect, |phases| phases.connect),
        (Figure::CallHandshake, |phases| phases.handshake),
        (Figure::CallFirstByte, |phases| Some(phases.first_byte)),
        (Figure::CallRest, |phases| Some(phases.rest)),
    ];
    let logs = |(of, phase): (Figure, Phase)| {
        let figure =
            |(launch, phases): &(u32, Phases)| Some((*launch, phase(phases).filter(|ns| *ns >= 1.0)?));
        let figures: Option<Launches> = launches.iter().map(figure).collect();
        Some((of, LaunchLogs::of_figures(&figures.filter(|figures| !figures.is_empty())?)))
    };
    all.into_iter().filter_map(logs).collect()
}

fn row(
    record: &ContenderRecord,
    blocks: &[&CallBlock],
    launches: &[(u32, Phases)],
    whole_ns: &LaunchLogs,
    condition: &CallCondition,
) -> CallRow {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let all = || blocks.iter().flat_map(|block| &block.calls);
    let like = || all().filter(|call| is_like(call, condition));
    let mean = |phase: &dyn Fn(&Phases) -> Option<f64>| {
        let found: Vec<f64> = launches.iter().filter_map(|(_, phases)| phase(phases)).collect();
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    };
    let all_count = counts_disturbed(blocks);
    let cold: Launches = blocks
        .iter()
        .filter(|block| all_count || !is_disturbed(block))
        .filter_map(|block| Some((block.launch, block.cold.as_ref()?.whole_ns() as f64)))
        .collect();
    let disturbed = blocks.iter().filter(|block| block.ended_early.is_none() && is_disturbed(block)).count();
    let nothing = || launches.is_empty().then_some(Reason::Call(CallFault::NotMeasured));
    let fault = standing::fault(blocks, condition).or_else(nothing);
    let is_disturbed = fault.is_none() && all_count;
    let of_disturbed = || CallFault::Disturbed { launches: number(disturbed), of: number(blocks.len()) };
    let sum = |of: fn(&CallBlock) -> u64| blocks.iter().map(|block| of(block)).fold(0, u64::saturating_add);
    CallRow {
        contender: record.manifest.name.clone(),
        class: record.manifest.class,
        protocol: record.manifest.spoken(condition.protocol),
        variant_of: record.manifest.variant_of.clone(),
        fault: fault.or_else(|| is_disturbed.then(|| Reason::Call(of_disturbed()))),
        launches: number(launches.len()),
        dropped: if all_count { 0 } else { number(disturbed) },
        counts_disturbed: is_disturbed,
        calls: all().count() as u64,
        whole_ns: whole_ns.estimate(CONFIDENCE),
        connect_ns: mean(&|phases| phases.connect),
        handshake_ns: mean(&|phases| phases.handshake),
        first_byte_ns: mean(&|phases| Some(phases.first_byte)),
        rest_ns: mean(&|phases| Some(phases.rest)),
        cold_ns: estimate(&cold, CONFIDENCE),
        round_trips: counted(like().map(|call| Some(call.round_trips))),
        link_round_trips: counted(like().map(|call| call.link_round_trips)),
        sent_bytes: lower_median(like().map(|call| call.sent_bytes)),
        received_bytes: lower_median(like().map(|call| call.received_bytes)),
        link_bytes: both(like().filter_map(|call| call.link_bytes)),
        segments: both(like().filter_map(|call| call.segments)),
        sent_again: all().filter_map(|call| call.sent_again).map(u64::from).fold(0, u64::saturating_add),
        agreed: like().find_map(|call| call.tls.as_ref()).map(|agreed| match &agreed.alpn {
            Some(alpn) => format!("{}, {alpn}", agreed.version),
            None => agreed.version.clone(),
        }),
        resumed: all().filter(|call| call.tls.as_ref().is_some_and(|agreed| agreed.is_resumed)).count()
            as u64,
        unlike: (all().count() - like().count()) as u64,
        wrong_answers: sum(|block| block.wrong_answers),
        failed: sum(|block| block.failed),
        wrong_examples: blocks
            .iter()
            .flat_map(|block| &block.wrong_examples)
            .take(EXAMPLES)
            .cloned()
            .collect(),
        held_back_ns: None,
        waiting_hours_per_year: None,
        extra_hours_per_year: None,
    }
}

/// The least and the most; `None` where one call does not have it.
fn counted(counts: impl Iterator<Item = Option<u32>>) -> Option<CallCount> {
    let all: Option<Vec<u32>> = counts.collect();
    let all = all?;
    Some(CallCount { least: *all.iter().min()?, most: *all.iter().max()? })
}

fn both<T: Ord + Copy>(values: impl Iterator<Item = (T, T)>) -> Option<(T, T)> {
    let (first, second): (Vec<T>, Vec<T>) = values.unzip();
    Some((lower_median(first)?, lower_median(second)?))
}

/// Contender by contender, over all conditions.
fn add_held_back(conditions: &mut [UnderCondition]) {
    let mut by_contender: BTreeMap<ContenderName, Vec<(f64, &mut CallRow)>> = BTreeMap::new();
    for under in conditions {
        let rtt_ns = under.condition.rtt_ns() as f64;
        for row in under.cells.iter_mut().map(|cell| &mut cell.row).filter(|row| row.is_comparable()) {
            let trips = row.link_round_trips.or(row.round_trips).map(|trips| f64::from(trips.least));
            if let Some((whole, trips)) = row.whole_ns.zip(trips) {
                let rest = whole.value - trips * rtt_ns;
                by_contender.entry(row.contender.clone()).or_default().push((rest, row));
            }
        }
    }
    for own in by_contender.into_values() {
        let (rests, rows): (Vec<f64>, Vec<&mut CallRow>) = own.into_iter().unzip();
        rows.into_iter().zip(held_back_ns(&rests)).for_each(|(row, ns)| row.held_back_ns = ns);
    }
}

/// The sum of the published comparison: the time of a call x calls x users.
fn add_hours(cells: &mut [CallCell], per_year: f64) {
    let hours =
        |row: &CallRow| Some(row.whole_ns.filter(|_| row.has_figures())?.value * per_year / NS_PER_HOUR);
    // Nobody can choose the reference.
    let is_choice = |row: &CallRow| row.class != Class::Reference;
    let least = cells.iter().find(|cell| is_choice(&cell.row)).and_then(|cell| hours(&cell.row));
    for CallCell { row, .. } in cells {
        row.waiting_hours_per_year = hours(row).filter(|hours| hours.is_finite());
        let own = row.waiting_hours_per_year.filter(|_| is_choice(row));
        row.extra_hours_per_year = own.zip(least).map(|(own, least)| own - least);
    }
}

impl UnderCondition {
    pub(super) fn rows(&self) -> impl Iterator<Item = &CallRow> {
        self.cells.iter().map(|cell| &cell.row)
    }
}

impl Calls {
    /// How those compare that can be, condition by condition.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = FigurePairs> {
        self.conditions.iter().filter_map(|calls| {
            let names: Vec<ContenderName> = calls.rows().map(|row| row.contender.clone()).collect();
            Some(FigurePairs {
                of: Figure::Call,
                under: LoadCondition::Call { condition: calls.condition },
                pairs: pairs::describe(calls.comparison.as_ref()?, &names, None),
            })
        })
    }

    /// What was measured: whole calls, and the phases of those that have no fault.
    pub(crate) fn measurements(&self) -> impl Iterator<Item = Measurement> {
        self.conditions.iter().flat_map(|calls| {
            let under = LoadCondition::Call { condition: calls.condition };
            calls.cells.iter().flat_map(move |CallCell { row, whole_ns, phases }| {
                let whole = Measurement::new(&row.contender, Figure::Call, under, row.whole_ns);
                let phases = phases.iter().filter(|_| row.is_comparable()).map(move |(phase, logs)| {
                    let estimate = logs.estimate(CONFIDENCE);
                    Measurement::new(&row.contender, *phase, under, estimate).of_launches(logs.clone())
                });
                [whole.fitted(whole_ns.clone()).unless(row.fault.clone())].into_iter().chain(phases)
            })
        })
    }
}
