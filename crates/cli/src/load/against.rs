//! The second of two services, and whose CPU time is read.

use std::net::{IpAddr, UdpSocket};

use velo_lab::ServiceChoice;
use velo_load::Endpoint;

use super::flags::LoadArgs;
use super::url::Url;
use crate::exit::usage;

/// The same flags for the other service.
pub(crate) fn other(args: &LoadArgs, url: &Url) -> LoadArgs {
    let path = if url.path == "/" { args.url.path.clone() } else { url.path.clone() };
    LoadArgs { url: Url { path, ..url.clone() }, ..args.clone() }
}

/// Which processes are the service's, that is asked at these places.
///
/// # Errors
/// When there is no such process.
pub(crate) fn service(flag: &str, pid: Option<u32>, endpoints: &[Endpoint]) -> anyhow::Result<ServiceChoice> {
    if let Some(pid) = pid {
        if !std::path::Path::new(&format!("/proc/{pid}")).exists() {
            return Err(usage(format!("{flag} {pid}: there is no such process\n  expected one that runs")));
        }
        return Ok(ServiceChoice::Pid(pid));
    }
    let here = endpoints.iter().find_map(|endpoint| match endpoint {
        Endpoint::Tcp(address) if is_here(address.ip()) => Some(ServiceChoice::ListeningAt(*address)),
        Endpoint::Tcp(_) | Endpoint::Unix(_) => None,
    });
    Ok(here.unwrap_or(ServiceChoice::Elsewhere))
}

/// Whether an address is one of this machine.
fn is_here(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback() || UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_of_this_machine_is_who_listens() {
        let at = |text: &str| Endpoint::Tcp(text.parse().expect("an address"));
        let found = |places: &[Endpoint]| service("--pid", None, places).expect("a choice");
        let local = "127.0.0.3:80".parse().expect("an address");
        assert_eq!(found(&[at("127.0.0.3:80")]), ServiceChoice::ListeningAt(local));
        // For documentation only (RFC 5737).
        assert_eq!(found(&[at("192.0.2.1:80")]), ServiceChoice::Elsewhere);
        let own = std::process::id();
        assert_eq!(service("--pid", Some(own), &[]).expect("this one"), ServiceChoice::Pid(own));
        let why = service("--pid", Some(u32::MAX), &[]).expect_err("nobody").to_string();
        assert!(why.contains("--pid 4294967295: there is no such process"), "{why}");
    }
}
