//! The end of a contender's processes.

use std::process::Child;
use std::time::{Duration, Instant};

use velo_record::StopRecord;

use super::cage::Cage;

/// How long a contender may take to end after SIGTERM, or after the end of its input.
pub(crate) const STOP_LIMIT: Duration = Duration::from_secs(5);
/// Between two looks whether they are gone.
const END_POLL: Duration = Duration::from_millis(2);

/// A first process that was ended may have threads that are still on their way out: it cannot be waited for before they are gone.
const REAP_LIMIT: Duration = Duration::from_secs(1);

/// Asks the processes of a cage to end, ends them if they do not, and removes the cage. `child`: the first of them.
pub(crate) fn end(cage: &Cage, child: &mut Child) -> StopRecord {
    cage.thaw();
    let began = Instant::now();
    cage.terminate();
    let mut by_sigterm = true;
    loop {
        // Reaps the first process, which would otherwise stay a zombie.
        let _ = child.try_wait();
        if cage.pids().is_empty() {
            break;
        }
        by_sigterm &= began.elapsed() <= STOP_LIMIT;
        if !by_sigterm {
            cage.kill();
        }
        if began.elapsed() > STOP_LIMIT * 2 {
            break;
        }
        std::thread::sleep(END_POLL);
    }
    let duration_ns = began.elapsed().as_nanos() as u64;
    reap(child);
    cage.remove();
    StopRecord { by_sigterm, duration_ns }
}

/// Takes the first process off the kernel's list, where it would stay until `velo` ends.
fn reap(child: &mut Child) {
    let began = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && began.elapsed() < REAP_LIMIT {
        std::thread::sleep(END_POLL);
    }
}
