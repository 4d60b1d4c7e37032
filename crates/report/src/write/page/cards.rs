//! A card for each contender of a workload: its proof, its versions and commands.

use serde::Serialize;
use velo_judge::{JudgedWorkload, LimitFinding, Row, RowState, Span, TaskRow, WorkloadDetail};
use velo_model::ContenderName;
use velo_record::{ContenderRecord, External};

use crate::document::{Block, Named};
use crate::number::{bytes, count, plus_minus, time_ns};
use crate::section::{self, charts, class, plural, with_interval};
use crate::text::clean;

/// A contender in a workload.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Card {
    /// The contender.
    pub(crate) contender: ContenderName,
    /// Its name, and what it is beside that.
    pub(crate) title: String,
    /// Its figure and its rank in one line, else why it has none.
    pub(crate) headline: String,
    /// What stands behind its figures.
    pub(crate) blocks: Vec<Block>,
}

/// Each contender of a workload once, servers first.
pub(super) fn cards(workload: &JudgedWorkload, detail: &WorkloadDetail) -> Vec<Card> {
    let servers = workload.rows.iter().map(|row| Card {
        contender: row.contender.clone(),
        title: section::name_of(row),
        headline: joined(
            section::goodput(row)
                .filter(|_| row.has_figures())
                .map(|goodput| format!("{goodput} requests/s")),
            &row.state,
        ),
        blocks: blocks(
            row.verdicts.iter().map(section::note).collect(),
            detail,
            &row.contender,
            of_server(row),
        ),
    });
    let tasks = workload.tasks.iter().flat_map(|table| &table.rows).map(|row| Card {
        contender: row.contender.clone(),
        title: row.contender.to_string(),
        headline: joined(
            row.steady_ns.map(|steady| format!("{} an iteration", time_ns(steady.value))),
            &row.state,
        ),
        blocks: blocks(
            row.verdicts.iter().map(section::note).collect(),
            detail,
            &row.contender,
            of_task(row),
        ),
    });
    servers.chain(tasks).collect()
}

fn blocks(
    notes: Vec<crate::document::Note>,
    detail: &WorkloadDetail,
    contender: &ContenderName,
    facts: Vec<(String, String)>,
) -> Vec<Block> {
    let own = detail.contenders.iter().find(|one| one.contender == *contender);
    let charts = own.into_iter().flat_map(charts::of_contender);
    [Block::Notes { notes }]
        .into_iter()
        .chain(charts)
        .chain([Block::Named(Named::new(["fact", "value"], facts))])
        .collect()
}

fn joined(figure: Option<String>, state: &RowState) -> String {
    let rank = match state {
        RowState::Ranked { .. } => format!("rank {}", section::rank_of(state)),
        state => state.in_words(),
    };
    clean(&figure.into_iter().chain([rank]).collect::<Vec<_>>().join("; "))
}

/// Names and texts, without those that are not known.
fn known<const N: usize>(facts: [(&str, Option<String>); N]) -> Vec<(String, String)> {
    let known = facts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), clean(&text?))));
    known.filter(|(_, text)| !text.is_empty()).collect()
}

fn of_server(row: &Row) -> Vec<(String, String)> {
    let span = |span: Option<Span>| {
        span.map(
            |Span { least, most }| {
                if least == most { least.to_string() } else { format!("{least} to {most}") }
            },
        )
    };
    let processes = &row.processes;
    known([
        ("processes", span(processes.processes)),
        ("threads", span(processes.threads)),
        ("startup", processes.startup_ns.map(|startup| time_ns(startup.value))),
        ("memory", processes.memory_steady_bytes.map(bytes)),
        ("bottleneck", row.limit.as_ref().map(LimitFinding::in_words)),
        (
            "windows",
            (row.windows > 0).then(|| {
                let launches = plural(u64::from(row.launches), "launch", "launches");
                format!("{} in {launches}", count(u64::from(row.windows)))
            }),
        ),
    ])
}

fn of_task(row: &TaskRow) -> Vec<(String, String)> {
    let time = |ns: Option<velo_judge::Estimate>| {
        ns.map(|ns| with_interval(time_ns(ns.value), false, plus_minus(&ns, time_ns)))
    };
    known([
        ("processes", Some(format!("{} counted, {} dropped", row.processes, row.dropped))),
        ("iterations", Some(count(row.iterations))),
        ("cold", time(row.cold_ns)),
        ("steady", time(row.steady_ns)),
        ("memory, peak", row.memory_peak_bytes.map(bytes)),
    ])
}

/// `4711, 4712 (node) on CPUs 0, 1`, or why nothing is seen.
fn external(seen: &External) -> String {
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match seen {
        External::Unseen { reason, .. } => reason.clone(),
        External::Seen { pids, program, cpus, is_pinned } => {
            let program = program.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
            let moved = if *is_pinned { ", moved there for the run" } else { "" };
            format!("{}{program} on CPUs {}{moved}", list(pids), list(cpus))
        }
    }
}

/// How anybody can make a contender again.
pub(super) fn facts(record: &ContenderRecord) -> Vec<(String, String)> {
    let manifest = &record.manifest;
    let required = || record.cases.iter().filter(|case| case.required);
    let verified = (required().count() > 0).then(|| {
        let passed = required().filter(|case| case.passed).count();
        format!("{passed} of {} required cases", required().count())
    });
    known([
        ("version", record.version.clone()),
        ("toolchains", Some(record.toolchains.join(", "))),
        ("class", Some(class::kind(manifest.role, manifest.class).to_owned())),
        ("variant of", manifest.variant_of.as_ref().map(ToString::to_string)),
        ("externally started at", manifest.runs_at.clone()),
        ("processes", record.external.as_ref().map(external)),
        ("fetch", manifest.fetch.clone()),
        ("build", manifest.build.clone()),
        (class::command(manifest.role), Some(manifest.start.clone())),
        ("content", record.build.as_ref().and_then(|build| build.content_hash.get(..16)).map(str::to_owned)),
        ("verified", verified),
    ])
}
