//! A thread on the generator's CPUs, at the load's end of a network.

use std::io;
use std::thread;

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::host::network::Network;

/// Does something there, and waits for it.
///
/// # Errors
/// When the thread cannot be started, kept on its CPUs, or put into the link's namespace.
pub(crate) fn near<T: Send>(
    network: &Network,
    cpus: &[u32],
    act: impl FnOnce() -> T + Send,
) -> io::Result<T> {
    let pinned = || {
        let mut set = CpuSet::new();
        for &cpu in cpus {
            set.set(cpu as usize);
        }
        sched_setaffinity(None, &set)?;
        Ok(act())
    };
    if network.is_apart() {
        // Which has a thread of its own for it.
        return network.at_load(pinned)?;
    }
    thread::scope(|scope| {
        let started = thread::Builder::new().name("calls".to_owned()).spawn_scoped(scope, pinned)?;
        started.join().unwrap_or_else(|panicked| std::panic::resume_unwind(panicked))
    })
}
