//! How a server comes to be there: the lab starts it, or it runs already.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use velo_load::TlsSettings;

use crate::build::builder::Built;
use crate::host::network::Network;
use crate::process::found::FoundTree;

/// How a server comes to be there.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// It is started.
    Built(Built),
    /// It runs already.
    Running {
        /// Where.
        peer: Peer,
        /// Its processes, where they are seen.
        found: Option<Arc<FoundTree>>,
    },
}

/// Where a server listens, and what requests call it.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    /// The value of `Host`.
    pub(crate) authority: String,
    /// How connections are encrypted, where they are.
    pub(crate) tls: Option<Arc<TlsSettings>>,
    /// What lies between.
    pub(crate) network: Network,
}

/// Of a URL without one.
const PORT: u16 = 80;
/// For each address of a name that has several.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);

impl Peer {
    /// A server that the lab started.
    pub(crate) fn own(address: SocketAddr, tls: Option<Arc<TlsSettings>>, network: Network) -> Self {
        Self { address, authority: address.to_string(), tls, network }
    }

    /// Looks `host[:port]` up: the first of its addresses that takes a connection, as `localhost` may have one that nobody
    /// listens on, else the first. The error is one line.
    pub(crate) fn find(authority: &str) -> Result<Self, String> {
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let text = if has_port { authority.to_owned() } else { format!("{authority}:{PORT}") };
        let found = text.to_socket_addrs().map_err(|error| format!("{authority} is not known: {error}"))?;
        let found: Vec<SocketAddr> = found.collect();
        let first = found.first().ok_or_else(|| format!("{authority} has no address"))?;
        let listens = |address: &&SocketAddr| TcpStream::connect_timeout(address, CONNECT_LIMIT).is_ok();
        let address = match found.as_slice() {
            [only] => *only,
            several => *several.iter().find(listens).unwrap_or(first),
        };
        Ok(Self { address, authority: authority.to_owned(), tls: None, network: Network::default() })
    }

    /// Whether it is on this machine: only such an address can be bound.
    pub(crate) fn is_here(&self) -> bool {
        UdpSocket::bind((self.address.ip(), 0)).is_ok()
    }
}

impl Origin {
    /// Whether it uses CPU time here that cannot be told from that of others.
    pub(crate) fn is_stranger_here(&self) -> bool {
        matches!(self, Self::Running { peer, found: None } if peer.is_here())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_found_with_and_without_a_port() {
        for (authority, address) in [
            ("127.0.0.1:3000", "127.0.0.1:3000"),
            ("127.0.0.1", "127.0.0.1:80"),
            ("[::1]", "[::1]:80"),
            ("[::1]:8080", "[::1]:8080"),
        ] {
            let peer = Peer::find(authority).expect("a peer");
            assert_eq!((peer.address.to_string().as_str(), peer.authority.as_str()), (address, authority));
        }
        assert!(Peer::find("no.such.host.invalid:1").is_err());
    }

    #[test]
    fn of_the_addresses_of_a_name_one_that_listens_is_taken() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let peer = Peer::find(&format!("localhost:{}", address.port())).expect("a peer");
        assert_eq!(peer.address, address);
    }

    #[test]
    fn only_an_address_of_this_machine_is_here() {
        let is_here = |authority| Peer::find(authority).expect("a peer").is_here();
        assert!(is_here("127.0.0.1:3000"));
        // Kept for documentation (RFC 5737): no machine has it.
        assert!(!is_here("192.0.2.1:3000"));
    }
}
