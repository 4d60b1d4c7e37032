//! The end of a contender's processes.

use std::io;
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

/// Asks the processes of a cage to end, ends them if they do not, ends those that have left it, and removes the cage. `child`: the first
/// of them.
pub(crate) fn end(cage: &Cage, child: &mut Child) -> StopRecord {
    cage.thaw();
    let mut strays = cage.kill_strays();
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
    // Some are found only when those that they were started by have ended.
    strays.extend(cage.kill_strays());
    // Also what came between the last look and now.
    cage.kill();
    let removed = cage.remove();
    StopRecord { by_sigterm, duration_ns, fault: fault(&strays, removed) }
}

fn fault(strays: &[String], removed: io::Result<()>) -> Option<String> {
    if !strays.is_empty() {
        return Some(format!("{} {LEFT}", strays.join(", ")));
    }
    removed.err().map(|error| format!("its control group cannot be removed: {error}"))
}

/// What is said behind the names of processes that did so.
pub(crate) const LEFT: &str = "left the control group in which CPU time and memory are counted: a contender has to stay where it was started";

/// Takes the first process off the kernel's list, where it would stay until `velo` ends.
fn reap(child: &mut Child) {
    let began = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && began.elapsed() < REAP_LIMIT {
        std::thread::sleep(END_POLL);
    }
}
