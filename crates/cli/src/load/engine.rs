//! The generator's threads and their CPUs.

use anyhow::bail;
use rustix::thread::{CpuSet, sched_getaffinity};
use velo_load::DriverChoice;

use super::flags::{Driver, EngineFlags, ModelFlags};
use crate::exit::usage;
use crate::values;

/// The driver asked for.
pub(crate) fn driver(flags: &EngineFlags) -> DriverChoice {
    match flags.driver {
        Driver::Auto => DriverChoice::Auto,
        Driver::Epoll => DriverChoice::Epoll,
        Driver::IoUring => DriverChoice::IoUring,
    }
}

/// The CPUs of the threads, and what there is to say of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Threads {
    /// One thread each.
    pub(crate) cpus: Vec<u32>,
    /// What was asked for and is not so.
    pub(crate) warning: Option<String>,
}

/// Chooses CPUs among those that this process may use.
///
/// # Errors
/// When CPUs were asked for that it may not, or the flags contradict each other.
pub(crate) fn threads(model: &ModelFlags, engine: &EngineFlags, connections: u32) -> anyhow::Result<Threads> {
    choose(&allowed()?, model.threads, engine.cpus.as_ref().map(|cpus| cpus.0.as_slice()), connections)
}

fn allowed() -> anyhow::Result<Vec<u32>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).map(|cpu| cpu as u32).collect())
}

fn choose(
    allowed: &[u32],
    threads: Option<u32>,
    asked: Option<&[u32]>,
    connections: u32,
) -> anyhow::Result<Threads> {
    let most = asked.map_or(allowed, |asked| asked);
    if let Some(foreign) = most.iter().find(|cpu| !allowed.contains(cpu)) {
        bail!(
            "--cpus: CPU {foreign} is not one that this process may use ({})\n  name others",
            values::cpus_in_words(allowed)
        );
    }
    let usual = asked.map_or(1, <[u32]>::len);
    let wanted = threads.map_or(usual, |threads| threads as usize);
    if let (Some(asked), true) = (asked, wanted > most.len()) {
        return Err(usage(format!(
            "-t {wanted} is more than {} of --cpus\n  expected a CPU for each thread",
            values::count(asked.len(), "CPU")
        )));
    }
    let count = wanted.min(most.len()).min(connections as usize).max(1);
    let warning = (threads.is_some() && count < wanted).then(|| {
        let reason = if most.len() < wanted {
            format!("this process may use {}", values::count(most.len(), "CPU"))
        } else {
            format!("there {} to share", if connections == 1 { "is 1 connection".to_owned() } else { format!("are {connections} connections") })
        };
        format!(
            "-t {wanted}: {reason}, so there {}; -t is threads, as in wrk: a duration (ab: -t) is -d, a timeout (oha, hey: -t) --timeout",
            if count == 1 { "is 1 thread".to_owned() } else { format!("are {count} threads") }
        )
    });
    // The first CPU is where most systems put interrupts, and where a server pinned by hand usually is.
    let cpus = if asked.is_some() { &most[..count] } else { &most[most.len() - count..] };
    Ok(Threads { cpus: cpus.to_vec(), warning })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus(allowed: &[u32], threads: Option<u32>, asked: Option<&[u32]>, connections: u32) -> Vec<u32> {
        let threads = choose(allowed, threads, asked, connections).expect("threads");
        assert_eq!(threads.warning, None);
        threads.cpus
    }

    #[test]
    fn one_thread_on_the_last_cpu_unless_asked_otherwise() {
        assert_eq!(cpus(&[0, 1, 4], None, None, 64), [4]);
        assert_eq!(cpus(&[0, 1, 4], Some(2), None, 64), [1, 4]);
        assert_eq!(cpus(&[0, 1, 4], None, Some(&[0, 1]), 64), [0, 1]);
        assert_eq!(cpus(&[0, 1, 4], Some(1), Some(&[0, 1]), 64), [0]);
        assert_eq!(cpus(&[0, 1], None, Some(&[0, 1]), 1), [0]);
    }

    #[test]
    fn more_threads_than_cpus_are_explained() {
        let threads = choose(&[0, 1], Some(30), None, 64).expect("threads");
        assert_eq!(threads.cpus, [0, 1]);
        let hint = threads.warning.expect("a warning");
        assert!(hint.contains("2 CPUs") && hint.contains("-d") && hint.contains("2 threads"), "{hint}");
        let threads = choose(&[0, 1], Some(2), None, 1).expect("threads");
        assert!(threads.warning.expect("a warning").contains("1 connection"));
    }

    #[test]
    fn cpus_that_are_not_there_are_refused() {
        assert!(choose(&[0, 1], None, Some(&[2]), 1).expect_err("none").to_string().contains("CPU 2"));
        assert!(choose(&[0, 1], Some(2), Some(&[0]), 9).expect_err("few").to_string().contains("--cpus"));
    }
}
