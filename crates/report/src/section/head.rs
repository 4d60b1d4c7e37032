//! The run in a few lines, and how each workload was loaded.

use velo_judge::{JudgedWorkload, Judgement, LinkUse};
use velo_model::PartyRole;
use velo_record::{EndedBy, PartyCpus, RunState};

use super::phrases::{carried, cpus, distance, plural};
use crate::number::{binary_bytes, count, lasted_ns, percent, rate, time_ns};
use crate::text::clean;

/// The run in a few labelled lines.
pub(crate) fn head(judgement: &Judgement) -> Vec<(&'static str, String)> {
    let host = &judgement.host;
    let machine = host.virtualisation.as_ref().map(|hypervisor| format!(", virtual ({hypervisor})"));
    let model = host.cpu_model.as_deref().unwrap_or("unknown CPU");
    let is_other = |party: &&PartyCpus| !matches!(party.role, PartyRole::Contender | PartyRole::Generator);
    let others = host.placement.parties().iter().filter(is_other);
    let others = others.map(|party| format!(", {} on CPU {}", party.role, cpus(&party.cpus)));
    let mut lines = vec![
        (
            "run",
            format!("velo {}, seed {}, {}", judgement.identity.velo, judgement.seed, judgement.started_at),
        ),
        (
            "host",
            format!(
                "{model}, {}{}; server on CPU {}, load on CPU {}{}",
                plural(u64::from(host.cpus), "CPU", "CPUs"),
                machine.unwrap_or_default(),
                cpus(host.placement.cpus(PartyRole::Contender)),
                cpus(host.placement.cpus(PartyRole::Generator)),
                others.collect::<String>()
            ),
        ),
    ];
    if let Some(plan) = &judgement.plan {
        let launches = plural(u64::from(plan.launches), "launch", "launches");
        let blocks = plural(u64::from(plan.blocks), "block", "blocks");
        let built = lasted_ns(judgement.timings.build_ns);
        // The measuring time is only known of a run that has ended.
        let measured = match judgement.state {
            RunState::Running => String::new(),
            _ => format!(", measured in {}", lasted_ns(judgement.timings.measure_ns)),
        };
        let ended = ended(judgement);
        lines.push(("plan", format!("{launches} of {blocks}{ended}; built in {built}{measured}")));
    }
    if let Some(used) = &judgement.link {
        lines.push(("link", link(used)));
    }
    if let Some(limit) = judgement.memory_limit_bytes {
        lines.push(("memory", format!("limited to {} for each contender", binary_bytes(limit))));
    }
    lines.into_iter().map(|(label, text)| (label, clean(&text))).collect()
}

/// What lay between load and contenders, and what that did: `20 ms; forwarder 4.1 % busy, packets 61 µs late each way`.
fn link(used: &LinkUse) -> String {
    let mut parts = Vec::new();
    if let Some(share) = used.busy_share {
        parts.push(format!("its forwarder {} busy on the load's CPUs", percent(share)));
    }
    if let Some(late_ns) = used.late_ns {
        parts.push(format!("packets {} late each way", time_ns(late_ns)));
    }
    if let Some(share) = used.very_late_share.filter(|share| *share > 0.0) {
        parts.push(format!("{} of them by more than 1 ms", percent(share)));
    }
    if used.link.loss > 0.0 && used.packets > 0 {
        parts.push(format!("{} of {} lost at random", count(used.lost), count(used.packets)));
    }
    if used.overflowed > 0 {
        parts.push(format!("{} lost in a full queue", count(used.overflowed)));
    }
    let parts = if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) };
    format!("{} round trip{parts}", distance(&used.link))
}

/// Which of the two ended a run that could end early.
pub(super) fn ended(judgement: &Judgement) -> String {
    let could_end_early = judgement.plan.as_ref().is_some_and(|plan| plan.looks.len() > 1);
    match judgement.ended_by {
        Some(EndedBy::Precision { launch }) => {
            format!(", ended after launch {} by the precision reached", count(u64::from(launch)))
        }
        Some(EndedBy::Gate { launch }) => {
            format!(", ended after launch {} with the gate decided", count(u64::from(launch)))
        }
        Some(EndedBy::Plan) if could_end_early => ", ended by the plan".to_owned(),
        _ => String::new(),
    }
}

/// The line that says that nothing is ranked.
pub(crate) fn no_ranks(judgement: &Judgement) -> Option<String> {
    judgement.nothing_ranked.as_ref().map(|reason| format!("no ranks: {}", clean(&reason.to_string())))
}

/// What a workload asks, and how it was loaded.
pub(crate) fn load(workload: &JudgedWorkload) -> String {
    let over = |protocol| {
        let turns = workload.requests_per_connection;
        carried(workload.connections, turns, protocol, workload.streams, workload.link.as_ref())
    };
    let mut connections = over(workload.protocol);
    if workload.rows.iter().any(|row| row.protocol.is_grpc()) {
        connections.push_str(&format!(" (services of gRPC: {})", over(workload.protocol.as_grpc())));
    }
    if let Some(per_s) = workload.rate_per_s {
        return format!("{connections}, open loop at {} requests/s; see equal work", rate(per_s));
    }
    let score = match &workload.baseline_fault {
        None => format!("score: goodput against {}", workload.baseline),
        Some(fault) => format!("no scores: {}", clean(&fault.to_string())),
    };
    format!("{connections}, closed loop; {score}")
}

/// The workloads that there is something to say of: a run of tasks alone leaves a workload's further loads empty.
pub(crate) fn sections(judgement: &Judgement) -> impl Iterator<Item = &JudgedWorkload> {
    let has_tasks = judgement.workloads.iter().any(|workload| workload.tasks.is_some());
    let is_empty = |workload: &JudgedWorkload| workload.rows.is_empty() && workload.tasks.is_none();
    judgement.workloads.iter().filter(move |workload| !has_tasks || !is_empty(workload))
}

/// Whether there is anything to say of servers: a run may have tasks alone.
pub(crate) fn has_servers(workload: &JudgedWorkload) -> bool {
    !workload.rows.is_empty() || (workload.tasks.is_none() && workload.calls.is_none())
}
