//! What one thread keeps of a target from window to window.

use std::sync::atomic::AtomicBool;

use crate::connection::Connection;
use crate::driver::{Driver, DriverChoice, Epoll, Opened, Uring};
use crate::known::Known;
use crate::loading::Loading;
use crate::order::{EdgeHook, WindowOrder, WorkerReport};
use crate::protocol::Session;
use crate::protocol::grpc::Grpc;
use crate::protocol::http1::Http1;
use crate::protocol::http2::Http2;
use crate::request::{Calls, Protocol};
use crate::target::Target;

/// A target, its connections, and what moves their bytes.
pub(crate) enum WorkerTarget {
    Http1(Box<Spoken<Http1>>),
    Http2(Box<Spoken<Http2>>),
    /// gRPC whose answers are one message each.
    Calls(Box<Spoken<Grpc<false>>>),
    /// gRPC whose answers are streams of messages.
    Streams(Box<Spoken<Grpc<true>>>),
}

/// The same in one protocol.
pub(crate) struct Spoken<S: Session> {
    known: Known<S>,
    choice: DriverChoice,
    engine: Option<Engine<S>>,
}

enum Engine<S> {
    Epoll(Box<Kept<Epoll, S>>),
    Uring(Box<Kept<Uring, S>>),
}

struct Kept<D, S> {
    driver: D,
    connections: Vec<Connection<S>>,
}

impl WorkerTarget {
    /// `worker` of `workers` threads shares the target's counters with the others.
    pub(crate) fn new(target: Target, choice: DriverChoice, worker: usize, workers: usize) -> Self {
        match target.protocol() {
            Protocol::Http1 => Self::Http1(Box::new(Spoken::new(target, choice, worker, workers))),
            Protocol::Http2 { .. } => Self::Http2(Box::new(Spoken::new(target, choice, worker, workers))),
            Protocol::Grpc(Calls { streams: false, .. }) => {
                Self::Calls(Box::new(Spoken::new(target, choice, worker, workers)))
            }
            Protocol::Grpc(_) => Self::Streams(Box::new(Spoken::new(target, choice, worker, workers))),
        }
    }

    pub(crate) fn has_plan(&self, plan: usize) -> bool {
        match self {
            Self::Http1(spoken) => plan < spoken.known.plans.len(),
            Self::Http2(spoken) => plan < spoken.known.plans.len(),
            Self::Calls(spoken) => plan < spoken.known.plans.len(),
            Self::Streams(spoken) => plan < spoken.known.plans.len(),
        }
    }

    /// Loads the target for one window.
    pub(crate) fn window(
        &mut self,
        order: &WindowOrder,
        hook: Option<&EdgeHook>,
        stop: &AtomicBool,
    ) -> std::io::Result<WorkerReport> {
        match self {
            Self::Http1(spoken) => spoken.window(order, hook, stop),
            Self::Http2(spoken) => spoken.window(order, hook, stop),
            Self::Calls(spoken) => spoken.window(order, hook, stop),
            Self::Streams(spoken) => spoken.window(order, hook, stop),
        }
    }
}

impl<S: Session> Spoken<S> {
    fn new(target: Target, choice: DriverChoice, worker: usize, workers: usize) -> Self {
        Self { known: Known::new(target, worker, workers), choice, engine: None }
    }

    fn window(
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

impl<S> Engine<S> {
    fn new(choice: DriverChoice, connections: usize) -> std::io::Result<Self> {
        Ok(match choice.open(connections)? {
            Opened::Epoll(driver) => Self::Epoll(Box::new(Kept { driver: *driver, connections: Vec::new() })),
            Opened::Uring(driver) => Self::Uring(Box::new(Kept { driver: *driver, connections: Vec::new() })),
        })
    }
}

impl<D: Driver, S: Session> Kept<D, S> {
    fn window(
        &mut self,
        known: &mut Known<S>,
        order: &WindowOrder,
        hook: Option<&EdgeHook>,
        stop: &AtomicBool,
    ) -> std::io::Result<WorkerReport> {
        self.connections.resize_with(self.connections.len().max(order.connections), Connection::default);
        self.driver.reserve(self.connections.len())?;
        Ok(Loading::new(&mut self.driver, &mut self.connections, known, order).run(hook, stop))
    }
}
