//! The machine: its time, what its CPUs do, and what is known of each contender on it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use velo_model::ContenderName;
use velo_record::Canary;

use crate::clock::Clock;
use crate::host::doctor::busy::Seen;
use crate::host::host_cpu::Ticks;
use crate::host::machine::Host;
use crate::host::network_counts::NetworkCounts;
use crate::progress::Stop;

/// How a contender serves.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// Requests a second that it can answer; each takes the CPU that long.
    pub(crate) per_s: f64,
    /// Half-width of the noise of a window, as a share.
    pub(crate) noise: f64,
    /// From its start to its first answer.
    pub(crate) starts_in: Duration,
    /// What goes wrong in which of its lives, which are counted from 1.
    pub(crate) faults: Vec<(u32, Fault)>,
}

/// What goes wrong in a life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It never answers.
    DoesNotStart,
    /// Its first process ends before it answers, when somebody connects at once.
    CannotBearEarlyConnections,
    /// Its first process ends when it has answered so many requests.
    DiesAfter(u64),
    /// It gets another process when it has answered so many requests.
    ForksAfter(u64),
    /// It answers nothing under load.
    IsSilent,
    /// It answers nothing until it was loaded for so long.
    IsSilentFor(Duration),
    /// It does not heed SIGTERM.
    DoesNotLeave,
    /// Its files cannot be replaced.
    KeepsItsFiles,
    /// It serves a window at half its speed when the workload is another than before, until it has seen so many changes: a compiler that
    /// takes for granted what it has seen so far.
    AdaptsFor(u32),
    /// It serves at a tenth of its speed.
    IsSlow,
    /// The same, but in a window before which nobody asked it anything for a while: so in those that count, and not in the warm-up.
    IsSlowWithoutPause,
}

/// Longer than between two windows of the warm-up, shorter than another contender's window.
const PAUSE: Duration = Duration::from_millis(50);

impl Model {
    /// One that serves at a rate, with half a per cent of noise.
    pub(crate) fn new(per_s: f64) -> Self {
        Self { per_s, noise: 0.005, starts_in: Duration::from_millis(40), faults: Vec::new() }
    }

    /// The same with a fault in one of its lives.
    #[must_use]
    pub(crate) fn fault(mut self, life: u32, fault: Fault) -> Self {
        self.faults.push((life, fault));
        self
    }
}

/// The processes of a contender from its start to its end.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) model: Model,
    /// Which of its lives this is.
    pub(super) number: u32,
    pub(super) cpu_ns: u64,
    pub(super) answered: u64,
    /// How long it was loaded.
    pub(super) loaded: Duration,
    /// When it was last asked something.
    pub(super) asked_at: Duration,
    /// The plan that it was loaded by last, and how often that was another.
    pub(super) plan: Option<usize>,
    pub(super) changes: u32,
    /// It was started here.
    pub(super) is_own: bool,
    pub(super) is_frozen: bool,
    pub(super) has_died: bool,
    pub(super) has_ended: bool,
}

impl Life {
    pub(super) fn has(&self, fault: Fault) -> bool {
        self.model.faults.contains(&(self.number, fault))
    }

    /// How long it must be loaded yet before it answers anything, as one of its faults says.
    pub(super) fn silence(&self) -> Duration {
        let own = |&(life, fault): &(u32, Fault)| match fault {
            Fault::IsSilent if life == self.number => Some(Duration::MAX),
            Fault::IsSilentFor(most) if life == self.number => Some(most.saturating_sub(self.loaded)),
            _ => None,
        };
        self.model.faults.iter().find_map(own).unwrap_or_default()
    }

    /// Whether it has forked, as one of its faults says.
    pub(super) fn has_forked(&self) -> bool {
        self.model.faults.iter().any(|&(life, fault)| {
            life == self.number && matches!(fault, Fault::ForksAfter(most) if self.answered >= most)
        })
    }

    /// At which share of its speed it serves a window of a plan that begins now.
    pub(super) fn pace_on(&mut self, plan: usize, now: Duration) -> f64 {
        let is_other = self.plan.replace(plan).is_some_and(|before| before != plan);
        self.changes += u32::from(is_other);
        let (life, changes) = (self.number, self.changes);
        let adapts = |&(own, fault): &(u32, Fault)| {
            own == life && matches!(fault, Fault::AdaptsFor(most) if is_other && changes <= most)
        };
        let is_slow = self.has(Fault::IsSlow)
            || (self.has(Fault::IsSlowWithoutPause) && now.saturating_sub(self.asked_at) < PAUSE);
        if is_slow {
            0.1
        } else if self.model.faults.iter().any(adapts) {
            0.5
        } else {
            1.0
        }
    }

    /// How many requests it still answers before it dies; `None`: it does not.
    pub(super) fn left(&self) -> Option<u64> {
        self.model.faults.iter().find_map(|&(life, fault)| match fault {
            Fault::DiesAfter(most) if life == self.number => Some(most.saturating_sub(self.answered)),
            _ => None,
        })
    }
}

/// The machine. Clones are the same one.
#[derive(Clone)]
pub(crate) struct World(Arc<Mutex<State>>);

pub(super) struct State {
    pub(super) now: Duration,
    /// The signal to end the run comes at that time.
    stop_at: Option<Duration>,
    stop: Stop,
    /// From then on others use that share of all CPUs.
    others_from: Option<(Duration, f64)>,
    others_ns: f64,
    /// CPU time of `velo` itself.
    pub(super) own_ns: u64,
    pub(super) models: BTreeMap<ContenderName, Model>,
    /// All lives so far, by the number of the process.
    pub(super) lives: BTreeMap<u32, Life>,
    /// How many lives a contender has had.
    pub(super) counts: BTreeMap<ContenderName, u32>,
    /// Lives that nobody has ended: the processes were killed when what stood for them went.
    pub(super) abandoned: usize,
    /// The load side is gone after so many windows.
    pub(super) windows_left: Option<u64>,
    /// The process of each target; `None` of one that was removed.
    pub(super) targets: Vec<Option<u32>>,
    random: ChaCha8Rng,
}

/// CPUs of the machine: one serves and one loads.
const CPUS: u32 = 2;
/// No process of a real machine has a number above this (`PID_MAX_LIMIT` of Linux).
const FIRST_PROCESS: u32 = 4_194_304;
const FIRST_PORT: u16 = 1024;

impl World {
    /// A machine on which nobody has been started.
    pub(crate) fn new(models: impl IntoIterator<Item = (ContenderName, Model)>, stop: &Stop) -> Self {
        Self(Arc::new(Mutex::new(State {
            now: Duration::from_secs(1000),
            stop_at: None,
            stop: stop.clone(),
            others_from: None,
            others_ns: 0.0,
            own_ns: 0,
            models: models.into_iter().collect(),
            lives: BTreeMap::new(),
            counts: BTreeMap::new(),
            abandoned: 0,
            windows_left: None,
            targets: Vec::new(),
            random: ChaCha8Rng::seed_from_u64(1),
        })))
    }

    /// The signal to end the run comes so much later.
    pub(crate) fn stop_after(&self, duration: Duration) {
        let mut state = self.state();
        state.stop_at = Some(state.now + duration);
    }

    /// Others begin to use a share of all CPUs so much later.
    pub(crate) fn disturb_after(&self, duration: Duration, share: f64) {
        let mut state = self.state();
        state.others_from = Some((state.now + duration, share));
    }

    /// The load side is gone after so many windows.
    pub(crate) fn lose_load_after(&self, windows: u64) {
        self.state().windows_left = Some(windows);
    }

    /// Lives that nobody has ended in order.
    pub(crate) fn abandoned(&self) -> usize {
        self.state().abandoned
    }

    /// Processes that were started and have not ended.
    pub(crate) fn running(&self) -> usize {
        self.state().lives.values().filter(|life| life.is_own && !life.has_ended).count()
    }

    /// How many lives each contender has had.
    pub(crate) fn lives(&self) -> BTreeMap<String, u32> {
        self.state().counts.iter().map(|(name, &count)| (name.to_string(), count)).collect()
    }

    /// The port that a process listens on.
    pub(super) fn port_of(process: u32) -> u16 {
        (process - FIRST_PROCESS) as u16 + FIRST_PORT
    }

    /// The process that listens on a port.
    pub(super) fn process_at(port: u16) -> u32 {
        FIRST_PROCESS + u32::from(port - FIRST_PORT)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Lets time pass, until the run is to end if that comes first. How much has passed.
    pub(super) fn pass(&mut self, duration: Duration) -> Duration {
        let mut end = self.now + duration;
        if let Some(stop_at) = self.stop_at.filter(|&at| at <= end) {
            self.stop.flag().store(true, std::sync::atomic::Ordering::Relaxed);
            self.stop_at = None;
            end = stop_at.max(self.now);
        }
        if let Some((from, share)) = self.others_from {
            let used = end.saturating_sub(from.max(self.now));
            self.others_ns += share * f64::from(CPUS) * used.as_nanos() as f64;
        }
        let passed = end - self.now;
        self.now = end;
        passed
    }

    /// All of a duration passes, whether or not the run is to end.
    pub(super) fn pass_all(&mut self, duration: Duration) {
        let passed = self.pass(duration);
        self.pass(duration - passed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.asked()
    }

    /// A factor about 1.
    pub(super) fn noise(&mut self, half_width: f64) -> f64 {
        1.0 + half_width * (2.0 * self.random.random::<f64>() - 1.0)
    }

    /// The life that a model begins with, and the number of its process.
    pub(super) fn begin_life(&mut self, contender: &ContenderName, model: Model) -> u32 {
        let number = self.counts.entry(contender.clone()).or_default();
        *number += 1;
        let life = Life {
            model,
            number: *number,
            // Starting takes CPU time.
            cpu_ns: 20_000_000,
            answered: 0,
            loaded: Duration::ZERO,
            asked_at: self.now,
            plan: None,
            changes: 0,
            is_own: true,
            is_frozen: false,
            has_died: false,
            has_ended: false,
        };
        let process = FIRST_PROCESS + 1 + self.lives.len() as u32;
        self.lives.insert(process, life);
        process
    }

    pub(super) fn life(&mut self, process: u32) -> &mut Life {
        self.lives.get_mut(&process).expect("it was started")
    }
}

impl Clock for World {
    fn now(&self) -> Duration {
        self.state().now
    }

    fn sleep(&self, duration: Duration) {
        self.state().pass_all(duration);
    }
}

impl Host for World {
    fn ticks(&self) -> Option<Ticks> {
        let state = self.state();
        let contenders_ns: u64 = state.lives.values().map(|life| life.cpu_ns).sum();
        let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        // Others are on both alike.
        let others_ns = state.others_ns as u64;
        let [all, server, load] = [
            contenders_ns + state.own_ns + others_ns,
            contenders_ns + others_ns / 2,
            state.own_ns + others_ns / 2,
        ]
        .map(|used_ns| used_ns / tick_ns);
        Ticks::parse(&format!(
            "cpu  {all} 0 0 0 0 0 0 0\ncpu0 {server} 0 0 0 0 0 0 0\ncpu1 {load} 0 0 0 0 0 0 0\n"
        ))
    }

    fn own_cpu_ns(&self) -> u64 {
        self.state().own_ns
    }

    fn pressure_us(&self) -> Option<u64> {
        None
    }

    fn watch(&self, _: &[u32]) -> Option<Seen> {
        None
    }

    fn canary(&self) -> Vec<Canary> {
        let mut state = self.state();
        state.pass_all(Duration::from_millis(2));
        (0..CPUS).map(|cpu| Canary { cpu, duration_ns: 1_000_000 }).collect()
    }

    fn network(&self) -> NetworkCounts {
        NetworkCounts::default()
    }
}
