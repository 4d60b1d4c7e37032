//! Ctrl-C and SIGTERM: the first asks the run to end, the second ends `velo` at once (the lab's guard then ends
//! what was started).

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::thread;
use velo_lab::Stop;

use crate::{exit, out};

/// A flag that the signals set.
pub(crate) fn stop_on_signals() -> anyhow::Result<Stop> {
    const ASKING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
    let stop = Stop::default();
    for signal in ASKING {
        // In this order: the first signal finds the flag down, and sets it.
        flag::register_conditional_shutdown(signal, i32::from(exit::INTERRUPTED), stop.flag())?;
        flag::register(signal, stop.flag())?;
    }
    let mut seen = Signals::new(ASKING)?;
    thread::spawn(move || {
        if seen.forever().next().is_some() {
            out::talk("\nstopping; what was measured is kept. Once more ends at once\n");
        }
    });
    Ok(stop)
}
