//! Whether the machine was itself during a run: a spin of known length on both CPUs before and after it, and during it
//! a look each millisecond at how late a sleeping thread of high priority is woken on each CPU, at what the hypervisor
//! took, and at what other processes used.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};
use serde::{Deserialize, Serialize};
use velo_stats::Histogram;
use velo_tests::child::this_thread_on_cpu;

use crate::{LOAD_CPU, Outcome, SERVER_CPU};

const TICK_NS: u64 = 1_000_000;
const SPINS: usize = 400;
const STEPS_OF_A_SPIN: u32 = 100_000;

/// What was seen on one CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// The median length of the spins, before and after the run.
    pub(crate) spin_ns: [u64; 2],
    /// By how much all spins were longer than their median, as a share of their time.
    pub(crate) spin_lost_share: [f64; 2],
    /// How late the wake-ups during the run came: the median, the 99.9th percentile if there were enough, the greatest.
    pub(crate) late_p50_ns: Option<u64>,
    pub(crate) late_p999_ns: Option<u64>,
    pub(crate) late_max_ns: Option<u64>,
    /// The share of the run's time that the hypervisor gave to others.
    pub(crate) steal_share: f64,
}

/// What was seen on both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Canary {
    pub(crate) server_cpu: Seen,
    pub(crate) load_cpu: Seen,
    /// CPU time, on both CPUs together, that neither the server nor the tool nor this program used, over the run's time.
    pub(crate) others_share: f64,
}

/// A canary at work.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    threads: [JoinHandle<Histogram>; 2],
    before: [Spin; 2],
    start: Stamp,
}

#[derive(Clone, Copy)]
struct Spin {
    median_ns: u64,
    lost_share: f64,
}

impl Watch {
    pub(crate) fn start() -> Outcome<Self> {
        let before = spin_both()?;
        let stop = Arc::new(AtomicBool::new(false));
        let tick = |cpu| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || tick_until(&stop, cpu))
        };
        let threads = [tick(SERVER_CPU), tick(LOAD_CPU)];
        Ok(Self { stop, threads, before, start: Stamp::now()? })
    }

    /// `known_ns`: the CPU time of the run's own processes.
    pub(crate) fn end(self, known_ns: u64) -> Outcome<Canary> {
        let (start, end) = (self.start, Stamp::now()?);
        self.stop.store(true, Ordering::Relaxed);
        let [server, load] = self.threads.map(JoinHandle::join);
        let late = [server.map_err(|_| "a canary died")?, load.map_err(|_| "a canary died")?];
        let (before, after) = (self.before, spin_both()?);
        let wall_ns = (end.wall_ns - start.wall_ns) as f64;
        let seen = |place: usize| Seen {
            spin_ns: [before[place].median_ns, after[place].median_ns],
            spin_lost_share: [before[place].lost_share, after[place].lost_share],
            late_p50_ns: late[place].quantile_ns(0.5),
            late_p999_ns: late[place].quantile_ns(0.999),
            late_max_ns: late[place].max_ns(),
            steal_share: (end.steal_ns[place].saturating_sub(start.steal_ns[place])) as f64 / wall_ns,
        };
        let idle_ns: u64 =
            (0..2).map(|place| end.unused_ns[place].saturating_sub(start.unused_ns[place])).sum();
        let used_ns = 2.0 * wall_ns - idle_ns as f64;
        let own_ns = end.own_cpu_ns - start.own_cpu_ns;
        let others_ns = used_ns - known_ns as f64 - own_ns as f64;
        Ok(Canary { server_cpu: seen(0), load_cpu: seen(1), others_share: (others_ns / wall_ns).max(0.0) })
    }
}

/// Counters of the kernel at one moment.
struct Stamp {
    wall_ns: u64,
    own_cpu_ns: u64,
    /// For the server's CPU and the load's: taken by the hypervisor; idle, waiting or taken.
    steal_ns: [u64; 2],
    unused_ns: [u64; 2],
}

impl Stamp {
    fn now() -> Outcome<Self> {
        let text = std::fs::read_to_string("/proc/stat")?;
        let line = |cpu: usize| -> Outcome<[u64; 2]> {
            let name = format!("cpu{cpu} ");
            let numbers = text.lines().find_map(|line| line.strip_prefix(&name)).ok_or("no such CPU")?;
            let ticks: Vec<u64> = numbers.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            // user, nice, system, idle, iowait, irq, softirq, steal: in hundredths of a second.
            let at = |index: usize| ticks.get(index).copied().unwrap_or(0) * 10_000_000;
            Ok([at(7), at(3) + at(4) + at(7)])
        };
        let [server, load] = [line(SERVER_CPU)?, line(LOAD_CPU)?];
        Ok(Self {
            wall_ns: ns(clock_gettime(ClockId::Monotonic)),
            own_cpu_ns: ns(clock_gettime(ClockId::ProcessCPUTime)),
            steal_ns: [server[0], load[0]],
            unused_ns: [server[1], load[1]],
        })
    }
}

fn ns(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn spin_both() -> Outcome<[Spin; 2]> {
    let spin = |cpu| thread::spawn(move || spin_on(cpu));
    let threads = [spin(SERVER_CPU), spin(LOAD_CPU)];
    let [server, load] = threads.map(JoinHandle::join);
    Ok([server.map_err(|_| "a spin died")??, load.map_err(|_| "a spin died")??])
}

fn spin_on(cpu: usize) -> io::Result<Spin> {
    this_thread_on_cpu(cpu)?;
    let mut lengths_ns: Vec<u64> = Vec::with_capacity(SPINS);
    let mut value = 1_u64;
    for _ in 0..SPINS {
        let start = Instant::now();
        for _ in 0..STEPS_OF_A_SPIN {
            // Each step needs the one before, so that its length is the CPU's latency and nothing else.
            value = std::hint::black_box(value.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        }
        lengths_ns.push(start.elapsed().as_nanos() as u64);
    }
    lengths_ns.sort_unstable();
    let median_ns = lengths_ns[SPINS / 2];
    let lost_ns: u64 = lengths_ns.iter().map(|length_ns| length_ns.saturating_sub(median_ns)).sum();
    Ok(Spin { median_ns, lost_share: lost_ns as f64 / lengths_ns.iter().sum::<u64>() as f64 })
}

/// How late a thread is woken that sleeps from tick to tick. A stall is counted once for each tick that it covers, as
/// requests would feel it.
fn tick_until(stop: &AtomicBool, cpu: usize) -> Histogram {
    let mut late = Histogram::new();
    if this_thread_on_cpu(cpu).is_err() {
        return late;
    }
    // Without the right to it, the thread waits for its turn as the others do, and what they use is seen as lateness.
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: the parameter is valid for reading; 0 is this thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) };
    let mut due_ns = ns(clock_gettime(ClockId::Monotonic));
    while !stop.load(Ordering::Relaxed) {
        due_ns += TICK_NS;
        let due =
            Timespec { tv_sec: (due_ns / 1_000_000_000) as i64, tv_nsec: (due_ns % 1_000_000_000) as i64 };
        // A signal may wake it early, which is no lateness.
        if clock_nanosleep_absolute(ClockId::Monotonic, &due).is_ok() {
            late.record(ns(clock_gettime(ClockId::Monotonic)).saturating_sub(due_ns));
        }
    }
    late
}
