//! What is known of each contender beside the ranking: programs, service times, the load, what the CPU counted.

use velo_judge::{Estimate, JudgedWorkload, Row, Span};

use super::class::class;
use super::names::name_of;
use super::phrases::with_interval;
use super::rows::fairness;
use super::section::{Block, Column, Section, Table};
use crate::number::{bytes, count, percent, plus_minus, rate, ratio, time_ns};

/// Of contenders that were measured; `None` where none was.
pub(crate) fn section(workload: &JudgedWorkload) -> Option<Section> {
    let measured: Vec<&Row> = workload.rows.iter().filter(|row| row.windows > 0).collect();
    if measured.is_empty() {
        return None;
    }
    let programs = [
        Column::text("contender"),
        Column::text("class"),
        Column::text("version"),
        Column::number("processes"),
        Column::number("threads"),
        Column::number("start to first answer"),
        Column::number("peak memory"),
    ];
    let times = [
        Column::text("service time"),
        Column::number("p50"),
        Column::number("p90"),
        Column::number("p99"),
        Column::number("p99.9"),
        Column::number("longest"),
        Column::number("cold p50"),
    ];
    let loads = [
        Column::text("load"),
        Column::number("launches"),
        Column::number("windows"),
        Column::number("contender busy"),
        Column::number("generator busy"),
        Column::number("reconnects"),
        Column::number("Jain's index"),
    ];
    let counters = [
        Column::text("counters"),
        Column::number("instructions/request"),
        Column::number("cycles/request"),
        Column::number("instructions/cycle"),
    ];
    let blocks = vec![
        Block::Table(Table::new(programs, measured.iter().map(|row| program(row)).collect())),
        Block::Table(Table::new(times, measured.iter().map(|row| service_times(row)).collect())),
        Block::Table(Table::new(loads, measured.iter().map(|row| load(row)).collect())),
        Block::Table(Table::new(counters, workload.rows.iter().filter_map(counted).collect())),
    ];
    Some(Section { is_detail: true, ..Section::new("details", String::new(), blocks) })
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
        Some(name_of(row)),
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
        Some(name_of(row)),
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
        Some(name_of(row)),
        Some(row.launches.to_string()),
        Some(row.windows.to_string()),
        limit.and_then(|limit| limit.server_busy_share).map(percent),
        limit.and_then(|limit| limit.generator_busy_share).map(percent),
        Some(count(row.connections.reconnects)),
        row.fairness.as_ref().map(fairness),
    ]
}

/// `None` where the CPU counted nothing.
fn counted(row: &Row) -> Option<[Option<String>; 4]> {
    let (instructions, cycles) = (row.counters.instructions_per_request, row.counters.cycles_per_request);
    if instructions.is_none() && cycles.is_none() {
        return None;
    }
    let words = |estimate: Estimate| with_interval(rate(estimate.value), false, plus_minus(&estimate, rate));
    let per_cycle = instructions.zip(cycles).filter(|(_, cycles)| cycles.value > 0.0);
    let per_cycle = per_cycle.map(|(instructions, cycles)| ratio(instructions.value / cycles.value));
    Some([Some(name_of(row)), instructions.map(words), cycles.map(words), per_cycle])
}
