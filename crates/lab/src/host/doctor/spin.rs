use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};
use velo_record::Canary;

/// About 1 ms on a CPU of today: short enough for every block of a run, long enough for the clock.
const STEPS: u32 = 400_000;

/// The CPUs that this process may use, in order; empty when the kernel does not say.
pub(super) fn own_cpus() -> Vec<u32> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).filter_map(|cpu| u32::try_from(cpu).ok()).collect()
}

pub(super) fn on_each_cpu() -> Vec<Canary> {
    let on = |cpu: u32| Some(Canary { cpu, duration_ns: u64::try_from(on_cpu(cpu)?.as_nanos()).ok()? });
    own_cpus().into_iter().filter_map(on).collect()
}

/// On a thread of its own, so that the caller stays where it was.
fn on_cpu(cpu: u32) -> Option<Duration> {
    let spin = move || {
        stay_on(cpu)?;
        let began = Instant::now();
        once();
        Some(began.elapsed())
    };
    thread::Builder::new().name("canary".to_owned()).spawn(spin).ok()?.join().ok()?
}

/// Keeps the calling thread on a CPU; `None`: it may not run there.
pub(super) fn stay_on(cpu: u32) -> Option<()> {
    let cpu = usize::try_from(cpu).ok().filter(|&cpu| cpu < CpuSet::MAX_CPU)?;
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).ok()
}

/// The work that the canary times, wherever the calling thread is.
pub(super) fn once() {
    black_box(spin(black_box(STEPS)));
}

/// Each step needs the one before, so that neither compiler nor CPU can shorten it.
fn spin(steps: u32) -> u64 {
    (0..steps).fold(0x9e37_79b9_7f4a_7c15, |mut x: u64, _| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^ (x << 17)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cpu_is_timed_and_the_caller_stays_where_it_was() {
        let before = own_cpus();
        let canaries = on_each_cpu();
        assert_eq!(canaries.iter().map(|canary| canary.cpu).collect::<Vec<_>>(), before);
        assert!(canaries.iter().all(|canary| canary.duration_ns > 10_000), "{canaries:?}");
        assert_eq!(own_cpus(), before);
    }

    #[test]
    fn a_cpu_that_is_not_there_is_left_out() {
        assert_eq!(on_cpu(1023), None);
    }

    #[test]
    fn every_step_counts() {
        assert_ne!(spin(1_000), spin(1_001));
    }
}
