use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::thread;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::driver::DriverChoice;
use crate::live::Live;
use crate::order::{Connect, EdgeHook, WindowOrder, WorkerReport};
use crate::recorder::{Tally, WindowReport};
use crate::schedule::{Schedule, Think, WhenFull};
use crate::target::Target;
use crate::worker::WorkerTarget;

/// Names a target of a [`Generator`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TargetId(u64);

/// A window to be.
#[derive(Debug, Clone)]
pub struct WindowSettings {
    /// The index in [`Target::plans`].
    pub plan: usize,
    /// Connections at most, over all workers.
    pub connections: u32,
    /// Load before the window, not counted.
    pub settling_ns: u64,
    /// The window.
    pub duration_ns: u64,
    /// How long answers are waited for after the window. What is then still in flight stays so: the next window
    /// on the target takes it over, and its answer counts, but not its service time.
    pub drain_limit_ns: u64,
    /// A request without a whole answer after this long is a timeout; a request taken over is as old as the window.
    pub timeout_ns: u64,
    /// When requests are due.
    pub schedule: Schedule,
    /// What happens to a request that is due while no connection is free.
    pub when_full: WhenFull,
    /// The window ends early when so many requests of it have been sent, over all workers, and are answered. In an open loop it lasts
    /// until the next one would have been due.
    pub most_requests: Option<u64>,
    /// The window ends early when for so long no connection was open and each attempt to open one failed.
    pub give_up_ns: Option<u64>,
    /// The same while no worker has ever had a connection open in the window.
    pub give_up_unreached_ns: Option<u64>,
    /// Requests in flight on one connection, at least 1: in HTTP/1.1 a pipeline, in HTTP/2 streams, of which there are never
    /// more than the server takes.
    pub pipelining: u32,
    /// A connection is closed after so many requests; the caller puts `Connection: close` into requests that are alone on theirs.
    pub requests_per_connection: Option<u32>,
    /// When connections are opened. Where each request has a connection of its own that is on demand in any case.
    pub connect: Connect,
    /// In a closed loop: all requests are due when the window begins, so that a response time is how long after that an answer
    /// came.
    pub is_burst: bool,
    /// Waits for sockets without sleeping: precise, and burns each load CPU.
    pub busy_poll: bool,
    /// CPU time wasted with each request, to see whether the generator's cost matters; 0 but for that.
    pub slowed_ns: u64,
    /// The first answer that is whole and well-formed is kept: [`Tally::first_answer`].
    pub keeps_first_answer: bool,
    /// Where the counts so far are shown.
    pub live: Option<Arc<Live>>,
}

impl WindowSettings {
    /// A closed loop over so many connections without anything special.
    pub fn closed_loop(connections: u32, duration_ns: u64, timeout_ns: u64) -> Self {
        Self {
            plan: 0,
            connections,
            settling_ns: 0,
            duration_ns,
            drain_limit_ns: timeout_ns,
            timeout_ns,
            schedule: Schedule::Closed { think: Think::None },
            when_full: WhenFull::Queue,
            most_requests: None,
            give_up_ns: None,
            give_up_unreached_ns: None,
            pipelining: 1,
            requests_per_connection: None,
            connect: Connect::Ahead,
            is_burst: false,
            busy_poll: false,
            slowed_ns: 0,
            keeps_first_answer: false,
            live: None,
        }
    }
}

/// Why the generator cannot work.
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    /// No CPU was given.
    #[error("the generator needs at least one CPU")]
    NoCpu,
    /// A thread could not be made or pinned.
    #[error("the generator's thread for CPU {cpu} could not be started: {source}")]
    Thread {
        /// The CPU.
        cpu: u32,
        /// Why.
        source: std::io::Error,
    },
    /// The kernel put a thread elsewhere.
    #[error("the generator's thread for CPU {cpu} may run on CPUs {actual:?} instead")]
    Placement {
        /// The CPU.
        cpu: u32,
        /// Where the thread may run.
        actual: Vec<u32>,
    },
    /// A thread is gone, or a target is not there.
    #[error("a thread of the generator has ended")]
    Gone,
    /// A target whose plans are rendered for more than one protocol.
    #[error("the target's plans are for different protocols; each protocol needs a target of its own")]
    Protocols,
    /// The system does not give what moves the bytes.
    #[error("the driver cannot be had from this system: {0}")]
    Driver(std::io::Error),
}

enum Command {
    /// The last two: which worker this is, of how many.
    Add(TargetId, Box<Target>, usize, usize),
    /// The last is dropped when it is done.
    Remove(TargetId, mpsc::Sender<()>),
    Window(TargetId, Box<WindowOrder>, Option<EdgeHook>, Arc<AtomicBool>),
}

struct Worker {
    commands: mpsc::Sender<Command>,
    reports: mpsc::Receiver<Option<std::io::Result<WorkerReport>>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// Threads that load, one for each CPU, and their connections, which stay open from window to window.
pub struct Generator {
    workers: Vec<Worker>,
    next_target: u64,
}

impl Generator {
    /// Starts a thread on each CPU and reads back from the kernel that it is there.
    ///
    /// # Errors
    /// When a thread cannot be started or pinned.
    pub fn new(cpus: &[u32], driver: DriverChoice) -> Result<Self, GeneratorError> {
        if cpus.is_empty() {
            return Err(GeneratorError::NoCpu);
        }
        let workers = cpus.iter().map(|&cpu| start_worker(cpu, driver)).collect::<Result<_, _>>()?;
        Ok(Self { workers, next_target: 0 })
    }

    /// Makes a target known; connections are opened by its first window.
    ///
    /// # Errors
    /// When a thread has ended, or the target's plans are not all in one protocol.
    pub fn add(&mut self, target: &Target) -> Result<TargetId, GeneratorError> {
        if target.plans.iter().any(|(mix, _)| mix.protocol() != target.protocol()) {
            return Err(GeneratorError::Protocols);
        }
        let id = TargetId(self.next_target);
        self.next_target += 1;
        let workers = self.workers.len();
        for (index, worker) in self.workers.iter().enumerate() {
            let command = Command::Add(id, Box::new(target.clone()), index, workers);
            worker.commands.send(command).map_err(|_| GeneratorError::Gone)?;
        }
        Ok(id)
    }

    /// Closes a target's connections, and returns when they are closed.
    pub fn remove(&mut self, id: TargetId) {
        let (done, all_done) = mpsc::channel();
        for worker in &self.workers {
            // A worker that is gone has closed them.
            let _ = worker.commands.send(Command::Remove(id, done.clone()));
        }
        drop(done);
        // Nothing is ever sent: it ends with the last worker that holds the other end.
        let _ = all_done.recv();
    }

    /// Loads a target for one window, and returns when the last answer has come or the limit of
    /// draining is reached; soon after `stop` becomes true, and then what was counted until then.
    ///
    /// # Errors
    /// When a thread has ended, or the target is unknown.
    pub fn window(
        &mut self,
        id: TargetId,
        settings: &WindowSettings,
        hook: Option<&EdgeHook>,
        stop: &Arc<AtomicBool>,
    ) -> Result<WindowReport, GeneratorError> {
        let workers = self.workers.len();
        // A worker without a connection has nothing to do, and no part of the requests.
        let working = workers.min(settings.connections.max(1) as usize);
        if let Some(live) = &settings.live {
            live.begin(working);
        }
        let reached = Arc::new(AtomicBool::new(false));
        for (index, worker) in self.workers.iter().enumerate().take(working) {
            let share =
                |whole: u64| whole / working as u64 + u64::from((index as u64) < whole % working as u64);
            let order = WindowOrder {
                plan: settings.plan,
                worker: index,
                workers: working,
                connections: share(u64::from(settings.connections)) as usize,
                settling_ns: settings.settling_ns,
                duration_ns: settings.duration_ns,
                drain_limit_ns: settings.drain_limit_ns,
                timeout_ns: settings.timeout_ns,
                schedule: settings.schedule.clone(),
                when_full: settings.when_full,
                most_requests: settings.most_requests.map_or(u64::MAX, share),
                give_up_ns: settings.give_up_ns.unwrap_or(u64::MAX),
                give_up_unreached_ns: settings.give_up_unreached_ns.unwrap_or(u64::MAX),
                reached: Arc::clone(&reached),
                pipelining: settings.pipelining.max(1) as usize,
                requests_per_connection: settings.requests_per_connection.unwrap_or(u32::MAX).max(1),
                connect: match settings.requests_per_connection {
                    Some(..=1) => Connect::OnDemand,
                    _ => settings.connect,
                },
                is_burst: settings.is_burst,
                busy_poll: settings.busy_poll,
                slowed_ns: settings.slowed_ns,
                keeps_first_answer: settings.keeps_first_answer,
                live: settings.live.clone(),
            };
            let hook = hook.filter(|_| index == 0).cloned();
            let command = Command::Window(id, Box::new(order), hook, Arc::clone(stop));
            worker.commands.send(command).map_err(|_| GeneratorError::Gone)?;
        }
        let mut report = WindowReport {
            tally: Tally::default(),
            asked: settings.connections,
            settling_ns: settings.settling_ns,
            duration_ns: 0,
            scheduled_ns: None,
            drain_ns: 0,
            interrupted: false,
            driver: "none",
            thread_cpu_ns: Vec::new(),
            thread_cpu_total_ns: Vec::new(),
        };
        // All reports are taken before an error is returned, so that none is left for the next window.
        let parts: Vec<_> = self.workers.iter().take(working).map(|worker| worker.reports.recv()).collect();
        let mut tallies = Vec::with_capacity(parts.len());
        for part in parts {
            let part = part.ok().flatten().ok_or(GeneratorError::Gone)?.map_err(GeneratorError::Driver)?;
            report.driver = part.driver;
            report.interrupted |= part.interrupted;
            report.duration_ns = report.duration_ns.max(part.duration_ns);
            report.scheduled_ns = [report.scheduled_ns, part.scheduled_ns].into_iter().flatten().min();
            tallies.push(part.tally);
            report.drain_ns = report.drain_ns.max(part.drain_ns);
            report.thread_cpu_ns.push(part.cpu_ns);
            report.thread_cpu_total_ns.push(part.cpu_total_ns);
        }
        report.tally = Tally::of_all(tallies);
        Ok(report)
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let (closed, _) = mpsc::channel();
            worker.commands = closed;
            if let Some(thread) = worker.thread.take() {
                // A worker that panicked has said so on standard error already.
                let _ = thread.join();
            }
        }
    }
}

fn start_worker(cpu: u32, driver: DriverChoice) -> Result<Worker, GeneratorError> {
    let (commands, orders) = mpsc::channel();
    let (results, reports) = mpsc::channel();
    let (placed, placement) = mpsc::channel();
    let thread = thread::Builder::new()
        .name(format!("load-{cpu}"))
        .spawn(move || {
            let pinned = pin(cpu);
            // Waits end within a microsecond of their time instead of 50; where that is refused they end later.
            let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
            let fine = pinned.is_ok();
            if placed.send(pinned).is_ok() && fine {
                work(driver, &orders, &results);
            }
        })
        .map_err(|source| GeneratorError::Thread { cpu, source })?;
    placement.recv().map_err(|_| GeneratorError::Gone)??;
    Ok(Worker { commands, reports, thread: Some(thread) })
}

fn pin(cpu: u32) -> Result<(), GeneratorError> {
    let mut set = CpuSet::new();
    if cpu as usize >= CpuSet::MAX_CPU {
        return Err(GeneratorError::Placement { cpu, actual: Vec::new() });
    }
    set.set(cpu as usize);
    let failed = |error: rustix::io::Errno| GeneratorError::Thread { cpu, source: error.into() };
    sched_setaffinity(None, &set).map_err(failed)?;
    let actual = sched_getaffinity(None).map_err(failed)?;
    let actual: Vec<u32> =
        (0..CpuSet::MAX_CPU).filter(|&cpu| actual.is_set(cpu)).map(|cpu| cpu as u32).collect();
    if actual == [cpu] { Ok(()) } else { Err(GeneratorError::Placement { cpu, actual }) }
}

fn work(
    driver: DriverChoice,
    orders: &mpsc::Receiver<Command>,
    results: &mpsc::Sender<Option<std::io::Result<WorkerReport>>>,
) {
    let mut targets = std::collections::HashMap::new();
    for command in orders {
        match command {
            Command::Add(id, target, worker, workers) => {
                targets.insert(id, WorkerTarget::new(*target, driver, worker, workers));
            }
            Command::Remove(id, done) => {
                targets.remove(&id);
                drop(done);
            }
            Command::Window(id, order, hook, stop) => {
                let report = targets
                    .get_mut(&id)
                    .filter(|target| target.has_plan(order.plan))
                    .map(|target| target.window(&order, hook.as_ref(), &stop));
                if results.send(report).is_err() {
                    return;
                }
            }
        }
    }
}
