//! Ctrl-C, Ctrl-\\ and SIGTERM: the first asks the run to end, another one ends `velo` at once (the lab's guard then ends
//! what was started).

use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::exit;
use velo_lab::Stop;

use crate::{exit as codes, out};

/// What comes so soon after the first signal is the same wish: `timeout` signals its child and then the group that the child
/// is in, a terminal and a shell may both send one, and nobody presses Ctrl-C twice so fast.
const SAME_WISH: Duration = Duration::from_millis(300);

/// What a command says that measures.
pub(crate) const MEASURED_IS_KEPT: &str = "\nstopping; what was measured is kept. Once more ends at once\n";

/// What a command says that builds and does not measure.
pub(crate) const BUILDS_ARE_KEPT: &str = "\nstopping; what was built is kept. Once more ends at once\n";

/// A flag that the signals set, of a command that measures.
pub(crate) fn stop_on_signals() -> anyhow::Result<Stop> {
    stop_saying(MEASURED_IS_KEPT)
}

/// The same, with what is said when it is set.
pub(crate) fn stop_saying(words: &'static str) -> anyhow::Result<Stop> {
    stop_telling(|| out::talk(words))
}

/// The same, with what is done when it is set, by another thread.
pub(crate) fn stop_telling(tell: impl Fn() + Send + 'static) -> anyhow::Result<Stop> {
    const ASKING: [i32; 4] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP];
    let stop = Stop::default();
    // First, so that none is taken for the first that sets the flag unseen.
    let mut seen = Signals::new(ASKING)?;
    for signal in ASKING {
        flag::register(signal, stop.flag())?;
    }
    thread::spawn(move || {
        let mut wishes = Wishes::default();
        for _ in seen.forever() {
            match wishes.after_signal(Instant::now()) {
                Wish::End => tell(),
                Wish::Same => {}
                Wish::EndAtOnce => exit(i32::from(codes::INTERRUPTED)),
            }
        }
    });
    Ok(stop)
}

/// What a signal means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// To end in order.
    End,
    /// The same again.
    Same,
    /// To end at once.
    EndAtOnce,
}

/// When the first signal came.
#[derive(Debug, Default)]
struct Wishes(Option<Instant>);

impl Wishes {
    fn after_signal(&mut self, now: Instant) -> Wish {
        match self.0 {
            None => {
                self.0 = Some(now);
                Wish::End
            }
            Some(first) if now.saturating_duration_since(first) < SAME_WISH => Wish::Same,
            Some(_) => Wish::EndAtOnce,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_in_quick_succession_are_one_wish() {
        let mut wishes = Wishes::default();
        let first = Instant::now();
        let mut after = |ms| wishes.after_signal(first + Duration::from_millis(ms));
        assert_eq!(after(0), Wish::End);
        assert_eq!([after(0), after(1), after(299)], [Wish::Same; 3]);
        assert_eq!([after(300), after(5_000)], [Wish::EndAtOnce; 2]);
    }
}
