//! What one thread keeps of a target from window to window.

use std::sync::atomic::AtomicBool;

use crate::connection::Connection;
use crate::driver::{Driver, DriverChoice, Epoll, Opened, Uring};
use crate::known::Known;
use crate::loading::Loading;
use crate::order::{EdgeHook, WindowOrder, WorkerReport};
use crate::protocol::http1::Http1;
use crate::target::Target;

/// A target, its connections, and what moves their bytes.
pub(crate) struct WorkerTarget {
    known: Known<Http1>,
    choice: DriverChoice,
    engine: Option<Engine>,
}

enum Engine {
    Epoll(Box<Kept<Epoll>>),
    Uring(Box<Kept<Uring>>),
}

struct Kept<D> {
    driver: D,
    connections: Vec<Connection<Http1>>,
}

impl WorkerTarget {
    /// `worker` of `workers` threads shares the target's counters with the others.
    pub(crate) fn new(target: Target, choice: DriverChoice, worker: usize, workers: usize) -> Self {
        Self { known: Known::new(target, worker, workers), choice, engine: None }
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
        Ok(match choice.open(connections)? {
            Opened::Epoll(driver) => Self::Epoll(Box::new(Kept { driver: *driver, connections: Vec::new() })),
            Opened::Uring(driver) => Self::Uring(Box::new(Kept { driver: *driver, connections: Vec::new() })),
        })
    }
}

impl<D: Driver> Kept<D> {
    fn window(
        &mut self,
        known: &mut Known<Http1>,
        order: &WindowOrder,
        hook: Option<&EdgeHook>,
        stop: &AtomicBool,
    ) -> std::io::Result<WorkerReport> {
        self.connections.resize_with(self.connections.len().max(order.connections), Connection::default);
        self.driver.reserve(self.connections.len())?;
        Ok(Loading::new(&mut self.driver, &mut self.connections, known, order).run(hook, stop))
    }
}
