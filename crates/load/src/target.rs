//! A server to load.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use crate::check::BodyChecker;
use crate::mix::Mix;
use crate::protocol::Limits;
use crate::request::Protocol;
use crate::tls::TlsSettings;

/// A server to load.
#[derive(Clone)]
pub struct Target {
    /// Where it listens: connections take these in turn. At least one.
    pub endpoints: Vec<Endpoint>,
    /// TLS on every connection.
    pub tls: Option<Arc<TlsSettings>>,
    /// Own addresses that connections are made from, in turn, when the system runs out of ports for one; may be empty.
    pub sources: Vec<IpAddr>,
    /// What may be asked of it, all in one protocol: each window uses one of these.
    pub plans: Vec<(Arc<Mix>, Arc<dyn BodyChecker>)>,
    /// How long its answers may be.
    pub limits: Limits,
    /// The seed of the requests' values.
    pub seed: u64,
}

impl Target {
    /// What is spoken with it: what its requests were rendered for.
    pub(crate) fn protocol(&self) -> Protocol {
        self.plans.first().map_or(Protocol::Http1, |(mix, _)| mix.protocol())
    }
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// TCP, IPv4 or IPv6.
    Tcp(SocketAddr),
    /// A Unix domain socket: its path, or `@` and the name of one that is no file.
    Unix(PathBuf),
}

impl From<SocketAddr> for Endpoint {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
