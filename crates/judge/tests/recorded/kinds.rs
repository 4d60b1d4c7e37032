//! Tasks, clients, single calls and bursts as lines.

use velo_judge::{CallRow, CallTable, JudgedBurst, TaskRow, TaskTable};
use velo_model::{Figure, LoadCondition};

use crate::lines::{Lines, data, some, under, why};

pub(crate) fn tasks(lines: &mut Lines, workload: &str, table: &TaskTable) {
    let order: Vec<&str> = table.rows.iter().map(|row| row.contender.as_str()).collect();
    lines.say([workload, "order of tasks", &order.join(", ")]);
    table.rows.iter().for_each(|row| task(lines, workload, row));
    for share in &table.handler_shares {
        let server = share.server.as_ref().map_or("nobody", |server| server.as_str());
        let about = format!("{workload} | handler's share in {}, {} of {server}", share.language, share.task);
        let of = format!(
            "connections={} service p50={} share={}",
            some(share.connections),
            some(share.service_p50_ns),
            some(share.share)
        );
        lines.say([&about, &of, &why(share.reason.as_ref())]);
        lines.figure(&about, "handler", "ns", share.handler_ns);
    }
    table.batch.iter().for_each(|batch| lines.say([workload, "batch", &data(batch)]));
    for cost in &table.costs {
        let about = format!("{workload} | cost of a file | {}", cost.contender);
        lines.figure(&about, "start", "ns", cost.start_ns);
        lines.figure(&about, "request", "ns", cost.request_ns);
        lines.figure(&about, "megabyte", "ns", cost.megabyte_ns);
    }
}

fn task(lines: &mut Lines, workload: &str, row: &TaskRow) {
    let about = format!("{workload} | {}", row.contender);
    let variant = row.variant_of.as_ref().map_or_else(String::new, |whole| format!("variant of {whole}"));
    let version = row.version.as_deref().unwrap_or("none");
    lines.say([&about, "is", &data(&row.role), &data(&row.class), &variant, version]);
    lines.say([&about, "state", &row.state.in_words(), &data(&row.state)]);
    let counted =
        format!("processes={} dropped={} iterations={}", row.processes, row.dropped, row.iterations);
    lines.say([&about, "counted", &counted, &format!("wrong={}", row.wrong_answers)]);
    lines.figure(&about, &data(&Figure::IterationCold), "no load", row.cold_ns);
    lines.figure(&about, &data(&Figure::IterationSteady), "no load", row.steady_ns);
    lines.figure(&about, "whole process", "no load", row.process_ns);
    lines.figure(&about, "cpu-per-iteration", "no load", row.cpu_per_iteration_ns);
    lines.number(&about, "memory, peak, bytes", row.memory_peak_bytes);
    for (number, example) in row.wrong_examples.iter().enumerate() {
        lines.say([&about, &format!("wrong example {}", number + 1), example]);
    }
    lines.number(&about, "share read", row.read_share);
    lines.number(&about, "own clock's share", row.own_clock_share);
    lines.number(&about, "CPU time of the server of files, share", row.server_cpu_share);
    row.verdicts.iter().for_each(|verdict| lines.verdict(&about, verdict));
}

pub(crate) fn calls(lines: &mut Lines, workload: &str, table: &CallTable) {
    let people = format!("users={} calls of each={}", table.users, table.calls_per_user_per_year);
    lines.say([workload, "calls", &people]);
    table.left_out.iter().for_each(|left_out| lines.say([workload, "calls left out", left_out]));
    for condition in &table.conditions {
        let load = under(&LoadCondition::Call { condition: condition.condition });
        let order: Vec<&str> = condition.rows.iter().map(|row| row.contender.as_str()).collect();
        let least = format!("at least {} round trips", condition.least_round_trips);
        lines.say([workload, &load, &least, &format!("order {}", order.join(", "))]);
        condition.rows.iter().for_each(|row| call(lines, workload, &load, row));
    }
}

fn call(lines: &mut Lines, workload: &str, load: &str, row: &CallRow) {
    let about = format!("{workload} | {}", row.contender);
    let variant = row.variant_of.as_ref().map_or_else(String::new, |whole| format!("variant of {whole}"));
    lines.say([&about, load, "is", &data(&row.class), &row.protocol.to_string(), &variant]);
    lines.say([&about, load, "fault", &why(row.fault.as_ref())]);
    let counted = format!(
        "launches={} dropped={} counts disturbed={} calls={} sent again={} resumed={} unlike={} wrong={} failed={}",
        row.launches,
        row.dropped,
        row.counts_disturbed,
        row.calls,
        row.sent_again,
        row.resumed,
        row.unlike,
        row.wrong_answers,
        row.failed
    );
    lines.say([&about, load, "counted", &counted]);
    lines.figure(&about, &data(&Figure::Call), load, row.whole_ns);
    for (phase, mean_ns) in [
        ("connect", row.connect_ns),
        ("handshake", row.handshake_ns),
        ("first byte", row.first_byte_ns),
        ("rest", row.rest_ns),
    ] {
        lines.number(&about, &format!("{load} | mean of {phase}, ns"), mean_ns);
    }
    lines.figure(&about, "first call of a process", load, row.cold_ns);
    let carried = format!(
        "round trips: {}; on the link: {}; bytes={} and {}; on the link {}; segments {}; agreed {}",
        data(&row.round_trips),
        data(&row.link_round_trips),
        some(row.sent_bytes),
        some(row.received_bytes),
        some(row.link_bytes),
        some(row.segments),
        why(row.agreed.as_ref())
    );
    lines.say([&about, load, "carried", &carried]);
    for (number, example) in row.wrong_examples.iter().enumerate() {
        lines.say([&about, load, &format!("wrong example {}", number + 1), example]);
    }
    lines.number(&about, &format!("{load} | held back, ns"), row.held_back_ns);
    lines.number(&about, &format!("{load} | waiting, hours a year"), row.waiting_hours_per_year);
    lines.number(&about, &format!("{load} | more than the fastest, hours a year"), row.extra_hours_per_year);
}

pub(crate) fn burst(lines: &mut Lines, workload: &str, burst: &JudgedBurst) {
    let load = under(&LoadCondition::Burst {
        requests: burst.requests,
        connections: burst.connections,
        first_alone: burst.first_alone,
    });
    let order: Vec<&str> = burst.rows.iter().map(|row| row.contender.as_str()).collect();
    let of = format!("{} sweep={} wait={}", burst.request, burst.sweep, some(burst.wait_ns));
    lines.say([workload, &load, &of, &format!("order {}", order.join(", "))]);
    for row in &burst.rows {
        let about = format!("{workload} | {}", row.contender);
        lines.figure(&about, &data(&Figure::Makespan), &load, row.makespan_ns);
        lines.say([&about, &load, &data(&row.answers), &why(row.fault.as_ref())]);
        for (number, example) in row.examples.iter().enumerate() {
            lines.say([&about, &load, &format!("example {}", number + 1), example]);
        }
        lines.number(&about, &format!("{load} | at a time"), row.at_a_time);
        let kernel = format!(
            "listen overflows={} SYN retransmits={}",
            some(row.listen_overflows),
            some(row.syn_retransmits)
        );
        let memory = format!(
            "memory before={} waiting={} of a request={}",
            some(row.memory_before_bytes),
            some(row.memory_waiting_bytes),
            some(row.memory_per_request_bytes)
        );
        lines.say([&about, &load, &kernel, &memory]);
    }
}
