//! A judged run as Markdown.

use velo_judge::{JudgedWorkload, Judgement, Row, Span};

use super::document::{Document, Rows};
use super::notes::add_notes;
use super::{bursts, cost, counters, latency, pairs, tasks};
use crate::number::{bytes, percent, plus_minus, time_ns};
use crate::view::{self, class};

/// The report as Markdown (CommonMark with tables). Text from outside is escaped.
pub fn markdown(judgement: &Judgement) -> String {
    let mut document = Document::default();
    let names: Vec<&str> = judgement.workloads.iter().map(|workload| workload.name.as_str()).collect();
    document.heading(1, &format!("velo run {}", names.join(" ")));
    for (label, text) in view::head(judgement) {
        document.item(&format!("{label}: {text}"));
    }
    document.item(&format!("command: velo {}", judgement.command.join(" ")));
    document.end();
    if let Some(reason) = view::no_ranks(judgement) {
        document.strong(&reason);
    }
    for workload in view::sections(judgement) {
        add_workload(workload, judgement, &mut document);
    }
    pairs::add_geometric_means(judgement, &mut document);
    document.heading(2, "What it is worth");
    view::worth(judgement).iter().for_each(|line| document.item(line));
    add_notes(&view::run_notes(judgement), &mut document);
    document.end();
    document.text
}

fn add_workload(workload: &JudgedWorkload, judgement: &Judgement, document: &mut Document) {
    document.heading(2, &format!("{}: {}", workload.name, workload.question));
    if let Some(answer) = view::answer::answer(judgement, workload) {
        document.paragraph(&answer);
    }
    if view::has_servers(workload) {
        document.paragraph(&view::load(workload));
    }
    let mut table = Rows::new("r l r r r r");
    for row in view::table_rows(workload) {
        let cpu = row.cpu_per_request_ns.map(|cpu| {
            format!("{} {}", time_ns(cpu.value), plus_minus(&cpu, time_ns).unwrap_or_default())
                .trim_end()
                .to_owned()
        });
        table.row([
            Some(view::rank(row)),
            Some(row.contender.to_string()),
            view::goodput(row),
            view::score(row, workload),
            cpu,
            row.processes.memory_steady_bytes.map(bytes),
        ]);
    }
    document.table(["rank", "contender", "goodput/s", "score", "CPU/request", "memory"], table);

    let mut outside = Rows::new("l r l");
    for row in view::outside(workload) {
        let reason = row.more.map_or_else(|| row.reason.clone(), |more| format!("{}; {more}", row.reason));
        outside.row([Some(row.name), Some(row.what), Some(reason)]);
    }
    document.table(["not ranked", "figure", "why"], outside);
    add_notes(&view::notes(workload), document);
    document.end();
    pairs::add(workload, document);
    add_taxes(workload, document);
    latency::add_equal_work(workload, judgement.nothing_ranked.as_deref(), document);
    latency::add(workload, document);
    bursts::add(workload, document);
    cost::add(workload, document);
    tasks::add(workload, document);
    add_published(workload, document);
    add_details(workload, document);
    add_strictness(workload, document);
}

fn add_taxes(workload: &JudgedWorkload, document: &mut Document) {
    let mut taxes = Rows::new("l l");
    for tax in &workload.taxes {
        let (pair, words) = view::tax(tax);
        taxes.row([Some(pair), Some(words)]);
    }
    document.table(["framework tax", "CPU/request over the raw contender's"], taxes);
}

fn add_published(workload: &JudgedWorkload, document: &mut Document) {
    if workload.published.is_empty() && workload.claims.is_empty() {
        return;
    }
    document.heading(3, "Published");
    document.paragraph(&view::source(workload));
    workload.source.notes.iter().for_each(|note| document.item(note));
    document.end();
    let mut scores = Rows::new("l r r l");
    for row in view::published_scores(workload) {
        let (there, here) = view::there_and_here(row, workload);
        scores.row([Some(row.row.clone()), Some(there), Some(here), view::no_score(row, workload)]);
    }
    document.table(["score", "there", "here", "why not"], scores);
    bursts::add_published(workload, document);
    tasks::add_published(workload, document);
    let mut claims = Rows::new("l r r l l");
    for judged in &workload.claims {
        let figure = |value| view::claimed(judged, value);
        let here = judged.measured.map(|measured| match measured.interval() {
            Some((low, high)) => format!("{} ({} to {})", figure(measured.value), figure(low), figure(high)),
            None => figure(measured.value),
        });
        claims.row([
            Some(judged.claim.says.clone()),
            judged.claim.printed.map(figure),
            here,
            Some(view::holds(judged.holds).to_owned()),
            judged.reason.clone(),
        ]);
    }
    document.table(["claim", "there", "here", "verdict", "why"], claims);
}

fn add_details(workload: &JudgedWorkload, document: &mut Document) {
    if workload.rows.iter().all(|row| row.windows == 0) {
        return;
    }
    document.heading(3, "Details");
    let mut programs = Rows::new("l l l r r r r");
    let mut times = Rows::new("l r r r r r r");
    let mut loads = Rows::new("l r r r r r r");
    for row in workload.rows.iter().filter(|row| row.windows > 0) {
        programs.row(program(row));
        times.row(service_times(row));
        loads.row(load(row));
    }
    document.table(
        ["contender", "class", "version", "processes", "threads", "start to first answer", "peak memory"],
        programs,
    );
    document.table(["service time", "p50", "p90", "p99", "p99.9", "longest", "cold p50"], times);
    document.table(
        ["load", "launches", "windows", "contender busy", "generator busy", "reconnects", "Jain's index"],
        loads,
    );
    counters::add(workload, document);
}

fn program(row: &Row) -> [Option<String>; 7] {
    let span = |span: Option<Span>| {
        span.map(
            |Span { least, most }| {
                if least == most { least.to_string() } else { format!("{least} to {most}") }
            },
        )
    };
    [
        Some(row.contender.to_string()),
        Some(class(row.class).to_owned()),
        row.version.clone(),
        span(row.processes.processes),
        span(row.processes.threads),
        row.processes.startup_ns.map(|startup| time_ns(startup.value)),
        row.processes.memory_peak_bytes.map(bytes),
    ]
}

fn service_times(row: &Row) -> [Option<String>; 7] {
    let time = |ns: Option<u64>| ns.map(|ns| time_ns(ns as f64));
    let times = row.service_time.as_ref();
    let cold = row.cold.as_ref().and_then(|cold| cold.service_time.as_ref());
    [
        Some(row.contender.to_string()),
        time(times.and_then(|times| times.p50_ns)),
        time(times.and_then(|times| times.p90_ns)),
        time(times.and_then(|times| times.p99_ns)),
        time(times.and_then(|times| times.p999_ns)),
        time(times.and_then(|times| times.max_ns)),
        time(cold.and_then(|times| times.p50_ns)),
    ]
}

fn load(row: &Row) -> [Option<String>; 7] {
    let limit = row.limit.as_ref();
    [
        Some(row.contender.to_string()),
        Some(row.launches.to_string()),
        Some(row.windows.to_string()),
        limit.and_then(|limit| limit.server_busy_share).map(percent),
        limit.and_then(|limit| limit.generator_busy_share).map(percent),
        Some(crate::number::count(row.connections.reconnects)),
        row.fairness.as_ref().map(view::fairness),
    ]
}

fn add_strictness(workload: &JudgedWorkload, document: &mut Document) {
    if workload.strictness.is_empty() {
        return;
    }
    document.heading(3, "Strictness: recorded, excludes nobody");
    let mut cases = Rows::new("l l");
    for case in &workload.strictness {
        cases.row([Some(case.case.clone()), Some(view::strictness(case, usize::MAX))]);
    }
    document.table(["case", "answers"], cases);
}
