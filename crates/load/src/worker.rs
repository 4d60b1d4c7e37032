//! What one thread keeps of a target from window to window.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::check::BodyChecker;
use crate::connection::Connection;
use crate::driver::{Driver, Epoll, Uring};
use crate::generator::{DriverChoice, EdgeHook};
use crate::judge::Judge;
use crate::live::Live;
use crate::loading::Loading;
use crate::mix::{Drawer, Mix};
use crate::protocol::http1::{HeadCache, Limits};
use crate::recorder::Tally;
use crate::schedule::{Schedule, WhenFull};
use crate::target::{Endpoint, Target};
use crate::tls::TlsSettings;

/// One worker's part of a window. Times on the driver's clock.
#[derive(Clone)]
pub(crate) struct WindowOrder {
    pub(crate) plan: usize,
    pub(crate) worker: usize,
    pub(crate) workers: usize,
    pub(crate) connections: usize,
    pub(crate) settling_ns: u64,
    pub(crate) duration_ns: u64,
    pub(crate) drain_limit_ns: u64,
    pub(crate) timeout_ns: u64,
    pub(crate) schedule: Schedule,
    pub(crate) when_full: WhenFull,
    pub(crate) most_requests: u64,
    pub(crate) give_up_ns: u64,
    pub(crate) pipelining: usize,
    pub(crate) requests_per_connection: u32,
    pub(crate) opens_under_load: bool,
    pub(crate) is_burst: bool,
    pub(crate) busy_poll: bool,
    pub(crate) slowed_ns: u64,
    pub(crate) live: Option<Arc<Live>>,
}

pub(crate) struct WorkerReport {
    pub(crate) tally: Tally,
    pub(crate) duration_ns: u64,
    pub(crate) drain_ns: u64,
    pub(crate) cpu_ns: u64,
    pub(crate) cpu_total_ns: u64,
    /// Asked to end before its time.
    pub(crate) interrupted: bool,
    pub(crate) driver: &'static str,
}

/// What a worker knows of a target, whatever moves its bytes.
pub(crate) struct Known {
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) tls: Option<Arc<TlsSettings>>,
    pub(crate) sources: Sources,
    pub(crate) limits: Limits,
    pub(crate) plans: Vec<Plan>,
    pub(crate) heads: HeadCache,
    pub(crate) seed: u64,
    /// Connections opened so far, which take the endpoints in turn.
    pub(crate) opened: usize,
}

pub(crate) struct Plan {
    pub(crate) mix: Arc<Mix>,
    pub(crate) judge: Judge,
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

/// A target, its connections, and what moves their bytes.
pub(crate) struct WorkerTarget {
    known: Known,
    choice: DriverChoice,
    engine: Option<Engine>,
}

enum Engine {
    Epoll(Box<Kept<Epoll>>),
    Uring(Box<Kept<Uring>>),
}

struct Kept<D> {
    driver: D,
    connections: Vec<Connection>,
}

/// With fewer connections than this a wait returns one answer at a time, and io_uring has nothing to gather.
const FEWEST_FOR_URING: usize = 4;

impl WorkerTarget {
    /// `worker` of `workers` threads shares the target's counters with the others.
    pub(crate) fn new(target: Target, choice: DriverChoice, worker: usize, workers: usize) -> Self {
        let plan = |(mix, checker): (Arc<Mix>, Arc<dyn BodyChecker>)| Plan {
            judge: Judge::new(&mix, checker),
            drawer: mix.drawer(target.seed, worker, workers),
            mix,
        };
        let known = Known {
            plans: target.plans.into_iter().map(plan).collect(),
            endpoints: target.endpoints,
            tls: target.tls,
            sources: Sources { given: target.sources, tried: 0 },
            limits: target.limits,
            heads: HeadCache::default(),
            seed: target.seed,
            opened: worker,
        };
        Self { known, choice, engine: None }
    }

    pub(crate) fn has_plan(&self, plan: usize) -> bool {
        plan < self.known.plans.len()
    }

    /// Loads the target for one window.
    pub(crate) fn window(
        &mut self,
        order: &WindowOrder,
        hook: Option<&EdgeHook>,
        stop: &AtomicBool,
    ) -> std::io::Result<WorkerReport> {
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => none.insert(Engine::new(self.choice, order.connections)?),
        };
        match engine {
            Engine::Epoll(kept) => kept.window(&mut self.known, order, hook, stop),
            Engine::Uring(kept) => kept.window(&mut self.known, order, hook, stop),
        }
    }
}

impl Engine {
    fn new(choice: DriverChoice, connections: usize) -> std::io::Result<Self> {
        let epoll = || Ok(Self::Epoll(Box::new(Kept { driver: Epoll::new()?, connections: Vec::new() })));
        let uring = || Ok(Self::Uring(Box::new(Kept { driver: Uring::new()?, connections: Vec::new() })));
        match choice {
            DriverChoice::Epoll => epoll(),
            DriverChoice::IoUring => uring(),
            DriverChoice::Auto if connections < FEWEST_FOR_URING => epoll(),
            // An older kernel, or one where it is forbidden.
            DriverChoice::Auto => uring().or_else(|_: std::io::Error| epoll()),
        }
    }
}

pub(crate) fn driver_name(choice: DriverChoice, connections: usize) -> &'static str {
    match Engine::new(choice, connections) {
        Ok(Engine::Uring(_)) => Uring::NAME,
        Ok(Engine::Epoll(_)) | Err(_) => Epoll::NAME,
    }
}

impl<D: Driver> Kept<D> {
    fn window(
        &mut self,
        known: &mut Known,
        order: &WindowOrder,
        hook: Option<&EdgeHook>,
        stop: &AtomicBool,
    ) -> std::io::Result<WorkerReport> {
        self.connections.resize_with(self.connections.len().max(order.connections), Connection::default);
        self.driver.reserve(self.connections.len())?;
        Ok(Loading::new(&mut self.driver, &mut self.connections, known, order).run(hook, stop))
    }
}
