//! The processes behind an address where a server runs already, so that they are counted as those of a contender.

use std::collections::BTreeMap;

use velo_model::ContenderName;
use velo_record::External;

use crate::process::found::FoundTree;
use crate::process::listening::{listeners, owners, reaches};
use crate::process::tree;
use crate::sides::origin::Peer;

/// What is known of externally started servers, and what is to be done with them.
#[derive(Debug, Clone, Default)]
pub struct ExternalServers {
    /// The processes that were named.
    pub pids: BTreeMap<ContenderName, u32>,
    /// Moves their threads to the CPUs of contenders, and back at the end.
    pub pins: bool,
}

/// Programs that listen on behalf of a container: what they use is not what the server uses.
const PROXIES: [&str; 4] = ["docker-proxy", "rootlessport", "rootlesskit", "slirp4netns"];

/// Finds the processes behind an address, or takes those that were named by their first one; else why nothing is seen of them.
pub(crate) fn find(peer: &Peer, named: Option<u32>) -> Result<FoundTree, External> {
    let unseen = |reason: String, cure: &str| External::Unseen { reason, cure: cure.to_owned() };
    if !peer.is_here() {
        return Err(unseen(
            format!("{} is not an address of this machine", peer.address.ip()),
            "run velo on the server's machine",
        ));
    }
    if let Some(pid) = named {
        let found = FoundTree::of(&[pid]).ok_or_else(|| {
            unseen(format!("there is no process {pid}"), "--url-pid takes the number of a process that runs")
        })?;
        return match found.pids().contains(&std::process::id()) {
            false => Ok(found),
            true => Err(unseen(
                format!("process {pid} has started velo itself"),
                "--url-pid takes the number of the server's own process",
            )),
        };
    }
    let port = peer.address.port();
    let mut pids = owners(port);
    pids.retain(|&pid| listeners(&[pid]).iter().any(|at| reaches(*at, peer.address)));
    if let Some(proxy) =
        pids.iter().filter_map(|&pid| tree::name(pid)).find(|name| PROXIES.contains(&name.as_str()))
    {
        return Err(unseen(
            format!("{proxy} listens on port {port} for a container"),
            "--url-pid NAME=PID names the server's process",
        ));
    }
    FoundTree::of(&pids).ok_or_else(|| {
        unseen(
            format!("no process that this user may look into listens on port {port}"),
            "run velo as the server's user or as root, or name its process with --url-pid NAME=PID",
        )
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn reason(found: Result<FoundTree, External>) -> String {
        match found {
            Err(External::Unseen { reason, cure }) => format!("{reason}\n{cure}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn who_listens_at_an_address_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let peer = |authority: String| Peer::find(&authority).unwrap();
        let here = peer(listener.local_addr().unwrap().to_string());
        assert!(find(&here, None).unwrap().pids().contains(&std::process::id()));
        assert!(reason(find(&here, Some(std::process::id()))).contains("has started velo itself"));
        assert!(reason(find(&here, Some(u32::MAX / 2))).contains("there is no process"));
        assert!(
            reason(find(&peer("192.0.2.1:3000".to_owned()), None)).contains("not an address of this machine")
        );
        let port = here.address.port();
        drop(listener);
        assert!(reason(find(&here, None)).contains(&format!("listens on port {port}\nrun velo as")));
    }
}
