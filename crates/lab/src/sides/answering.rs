//! Who answers in a contender's place: a process that is measured, or one that is not.

use std::fs;
use std::net::SocketAddr;

use rustix::process::Signal;

use crate::host::network::Network;
use crate::process::end::LEFT;
use crate::process::listening::{listeners, owners};
use crate::process::tree;
use crate::sides::started::Started;

/// Looks whether who answers at an address is among the processes that are measured, and where those listen on its port. A process that is
/// not measured is ended as far as it is this contender's. The error is one line.
pub(crate) fn look(started: &Started, at: SocketAddr, network: &Network) -> Result<Vec<SocketAddr>, String> {
    let strays = started.cage.kill_strays();
    if !strays.is_empty() {
        return Err(format!("{} {LEFT}", strays.join(", ")));
    }
    let pids = started.pids();
    // Where it cannot be looked for nobody is seen to listen.
    let own = network.at_contenders(|| listeners(&pids)).unwrap_or_default();
    let own: Vec<SocketAddr> = own.into_iter().filter(|own| own.port() == at.port()).collect();
    if !own.is_empty() {
        return Ok(own);
    }
    let others = network.at_contenders(|| owners(at.port())).unwrap_or_default();
    let others: Vec<tree::Process> = others.into_iter().filter_map(tree::process).collect();
    let names: Vec<String> = others
        .iter()
        .filter_map(|other| Some(format!("{} (process {})", tree::name(other.pid)?, other.pid)))
        .collect();
    let ours: Vec<u32> = others
        .iter()
        .filter(|other| other.start_ticks >= started.began_ticks && is_told(other.pid, at.port()))
        .map(|other| other.pid)
        .collect();
    for held in tree::hold(&ours) {
        held.signal(Signal::KILL);
    }
    match (names.is_empty(), pids.is_empty()) {
        (false, _) => Err(format!(
            "{} answers on its port, and was not started by its start command: a program that another one starts for it, as a service \
             manager or a container runtime does, cannot be measured",
            names.join(", ")
        )),
        (true, true) => Err("it answers, and none of its processes is there".to_owned()),
        // The sockets of another user's processes cannot be seen.
        (true, false) => Ok(Vec::new()),
    }
}

/// Whether a process was given this port in its arguments or its environment.
fn is_told(pid: u32, port: u16) -> bool {
    let port = port.to_string();
    ["cmdline", "environ"].iter().any(|file| {
        let text = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.split(|c: char| !c.is_ascii_digit()).any(|number| number == port)
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_process_that_was_given_a_port_is_told_from_others() {
        let mut child = Command::new("sleep").arg("600").env("PORT", "45123").spawn().unwrap();
        // The kernel tells of a new program before it tells of its arguments and environment.
        let deadline = Instant::now() + Duration::from_secs(30);
        while fs::read(format!("/proc/{}/environ", child.id())).unwrap().is_empty() {
            assert!(Instant::now() < deadline, "no environment");
            std::thread::sleep(Duration::from_millis(1));
        }
        let told = [45123, 4512, 600].map(|port| is_told(child.id(), port));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(told, [true, false, true]);
        assert!(!is_told(u32::MAX, 1));
    }
}
