use velo_link::LinkError;
use velo_record::HostFacts;

use crate::host::doctor::check::{Check, CheckState};
use crate::host::doctor::words::thousands;

/// Connections of a large run, the contender's side and some room.
const OPEN_FILES_NEEDED: u64 = 4_096;
/// Enough for a server that closes each connection, for a window or two.
const PORTS_NEEDED: u32 = 10_000;
/// As many connections as the published tables used come at once.
const BACKLOG_NEEDED: u32 = 512;
/// What loopback has unless somebody has changed it.
const LOOPBACK_MTU_BYTES: u32 = 65_536;

pub(super) fn files(facts: &HostFacts) -> Check {
    let limit = |limit: Option<u64>| limit.map_or_else(|| "none".to_owned(), thousands);
    let (soft, hard) = (facts.open_files_limit, facts.open_files_hard_limit);
    let raised = if soft == hard { "" } else { ", raised by velo" };
    let found = format!("soft limit {}, hard {}{raised}", limit(soft), limit(hard));
    if hard.is_none_or(|hard| hard >= OPEN_FILES_NEEDED) {
        Check::new("files", found, CheckState::Ok)
    } else {
        Check::new("files", found, CheckState::Note)
            .advise("bounds the connections of a run: raise it, ulimit -Hn 65536")
    }
}

pub(super) fn ports(facts: &HostFacts) -> Check {
    let Some(ports) = facts.local_ports else {
        return Check::new("ports", "not visible", CheckState::Unknown);
    };
    let mut found = format!("{} local ports", thousands(u64::from(ports)));
    found.push_str(match facts.port_reuse {
        Some(1 | 2) => ", reuse on",
        Some(_) => ", reuse off",
        None => "",
    });
    let backlog = facts.accept_backlog;
    found.extend(
        backlog.map(|backlog| format!(", {} may wait to be accepted", thousands(u64::from(backlog)))),
    );
    if ports < PORTS_NEEDED {
        Check::new("ports", found, CheckState::Note)
            .advise("few, where a server closes each connection: widen net.ipv4.ip_local_port_range")
    } else if backlog.is_some_and(|backlog| backlog < BACKLOG_NEEDED) {
        Check::new("ports", found, CheckState::Note).advise(
            "many connections at once would wait a second for a second try: sysctl net.core.somaxconn=4096",
        )
    } else {
        Check::new("ports", found, CheckState::Ok)
    }
}

pub(super) fn loopback(facts: &HostFacts) -> Option<Check> {
    let mtu = facts.loopback_mtu_bytes?;
    let found = format!("packets of up to {} bytes", thousands(u64::from(mtu)));
    Some(if mtu < LOOPBACK_MTU_BYTES {
        Check::new("loopback", found, CheckState::Note)
            .advise("large answers cost more packets than elsewhere: ip link set lo mtu 65536")
    } else {
        Check::new("loopback", found, CheckState::Ok)
    })
}

/// Whether distance can be put between load and contenders. `opened`: what became of a link that was tried.
pub(super) fn links(opened: Result<(), &LinkError>) -> Check {
    match opened {
        Ok(()) => Check::new("links", "can be made: calls at a distance, --link", CheckState::Ok),
        Err(error) => Check::new("links", error.to_string(), CheckState::Note).advise(error.cure()),
    }
}
