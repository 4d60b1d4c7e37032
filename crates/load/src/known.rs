//! What one worker knows of a target, whatever moves its bytes.

use std::net::IpAddr;
use std::sync::Arc;

use crate::check::BodyChecker;
use crate::classifier::Classifier;
use crate::mix::{Drawer, Mix};
use crate::protocol::Session;
use crate::target::{Endpoint, Target};
use crate::tls::TlsSettings;

/// What one worker knows of a target.
pub(crate) struct Known<S: Session> {
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) tls: Option<Arc<TlsSettings>>,
    pub(crate) sources: Sources,
    pub(crate) plans: Vec<Plan>,
    /// The bodies of answers decide whether they are correct.
    pub(crate) needs_bodies: bool,
    /// What its connections share.
    pub(crate) shared: S::Shared,
    pub(crate) seed: u64,
    /// Connections opened so far, which take the endpoints in turn.
    pub(crate) opened: usize,
}

/// What may be asked, and what this worker knows of the answers.
pub(crate) struct Plan {
    pub(crate) mix: Arc<Mix>,
    pub(crate) classifier: Classifier,
    pub(crate) drawer: Drawer,
}

/// Own addresses to connect from: the system's choice until it runs out of ports, then these.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    given: Vec<IpAddr>,
    tried: usize,
}

/// Every address of 127.0.0.0/8 is this machine's, so a loopback target never lacks ports.
const LOOPBACK_SOURCES: u8 = 250;

impl Sources {
    pub(crate) fn current(&self, endpoint: &Endpoint) -> Option<IpAddr> {
        if !self.given.is_empty() {
            return Some(self.given[self.tried % self.given.len()]);
        }
        match endpoint {
            Endpoint::Tcp(address) if self.tried > 0 && is_loopback_v4(address.ip()) => {
                Some(IpAddr::from([127, 0, 0, 1 + (self.tried % usize::from(LOOPBACK_SOURCES)) as u8]))
            }
            _ => None,
        }
    }

    /// Takes the next one; `None` when there is no other for this endpoint.
    pub(crate) fn next(&mut self, endpoint: &Endpoint) -> Option<()> {
        let others = match endpoint {
            Endpoint::Tcp(_) if !self.given.is_empty() => self.given.len() > 1,
            Endpoint::Tcp(address) => is_loopback_v4(address.ip()),
            Endpoint::Unix(_) => false,
        };
        self.tried += usize::from(others);
        others.then_some(())
    }
}

fn is_loopback_v4(address: IpAddr) -> bool {
    address.is_ipv4() && address.is_loopback()
}

impl<S: Session> Known<S> {
    /// What `worker` of `workers` threads knows before its first window.
    pub(crate) fn new(target: Target, worker: usize, workers: usize) -> Self {
        let plan = |(mix, checker): (Arc<Mix>, Arc<dyn BodyChecker>)| Plan {
            classifier: Classifier::new(&mix, checker),
            drawer: mix.drawer(target.seed, worker, workers),
            mix,
        };
        Self {
            needs_bodies: target.plans.iter().any(|(mix, _)| mix.needs_bodies()),
            plans: target.plans.into_iter().map(plan).collect(),
            endpoints: target.endpoints,
            tls: target.tls,
            sources: Sources { given: target.sources, tried: 0 },
            shared: target.limits.into(),
            seed: target.seed,
            opened: worker,
        }
    }
}
