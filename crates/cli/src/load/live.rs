//! What is shown while a load is under way, and what was seen part by part.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use velo_load::{Live, LiveCounts};
use velo_record::LoadMoment;
use velo_report::load::{LiveFigures, live_line};

use super::record::process_cpu_ns;
use super::timeline::Timeline;
use crate::out;

/// The columns of a line that is written somewhere else than to a terminal.
const LINE: usize = 79;
const REDRAWN: Duration = Duration::from_millis(500);
const A_LINE: Duration = Duration::from_secs(5);
/// A part of a load that nobody sees while it is under way.
const A_PART: Duration = Duration::from_secs(1);
/// How often it is looked whether all workers have left their counts: they look for the question every 50 ms themselves.
const ANSWERED: Duration = Duration::from_millis(20);

/// What a watcher needs to know of the load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watched {
    /// Whether times count from an intended start.
    pub(crate) is_open: bool,
    /// The CPUs that the generator's threads may use.
    pub(crate) cpus: f64,
    /// Load before the counted stretch.
    pub(crate) warm_up_ns: u64,
    /// Whether it is told while it is under way.
    pub(crate) is_told: bool,
    /// How long it lasts, where that is known.
    pub(crate) whole_ns: Option<u64>,
}

/// Watches until told to end.
pub(crate) struct Watch {
    end: mpsc::Sender<()>,
    thread: JoinHandle<Vec<LoadMoment>>,
}

impl Watch {
    /// Begins.
    pub(crate) fn begin(live: Arc<Live>, watched: Watched) -> Self {
        let (end, ended) = mpsc::channel();
        let thread = thread::spawn(move || watch(&live, watched, &ended));
        Self { end, thread }
    }

    /// Removes the line, and hands out what was seen part by part.
    pub(crate) fn end(self) -> Vec<LoadMoment> {
        drop(self.end);
        // A watcher that panicked has shown so; the load itself is not touched by it.
        self.thread.join().unwrap_or_default()
    }
}

fn watch(live: &Live, watched: Watched, ended: &mpsc::Receiver<()>) -> Vec<LoadMoment> {
    let waits = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    let on_terminal = watched.is_told && out::talks_to_terminal();
    let pause = if on_terminal { REDRAWN } else { A_PART };
    let bar = on_terminal.then(line);
    let mut timeline = Timeline::default();
    let mut told = Instant::now();
    let mut before: Option<(LiveCounts, Own)> = None;
    let began = Own::now();
    'lines: while waits(pause) {
        live.ask();
        // Counts of different times would make rates that never were, so all of them are waited for.
        let counts = loop {
            if !waits(ANSWERED) {
                break 'lines;
            }
            if let Some(counts) = live.counts() {
                break counts;
            }
        };
        let own = Own::now();
        let (earlier, own_before) =
            before.as_ref().map_or((None, &began), |(counts, own)| (Some(counts), own));
        // Without time between them there is nothing new to show.
        if let Some(rate_per_s) = counts.rate_per_s(earlier) {
            let failed = counts.tally.all().failed();
            timeline.push(counts.elapsed_ns(), rate_per_s, failed);
            let examples = [&counts.tally.wrong_examples, &counts.tally.settling_examples];
            let failed_before = earlier.map_or(0, |earlier| earlier.tally.all().failed());
            let figures = LiveFigures {
                failing: (failed > failed_before)
                    .then(|| examples.iter().find_map(|examples| examples.last().cloned()))
                    .flatten(),
                ..figures(&counts, rate_per_s, own.share(own_before, watched.cpus), watched)
            };
            let text = live_line(&figures, if on_terminal { out::width() - 1 } else { LINE });
            match &bar {
                Some(bar) => bar.set_message(text),
                None if watched.is_told && told.elapsed() + A_PART / 2 >= A_LINE => {
                    told = Instant::now();
                    out::talk(&format!("{text}\n"));
                }
                None => {}
            }
            before = Some((counts, own));
        }
    }
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    timeline.moments
}

fn line() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    // OK to go on with the usual style: the template is fixed.
    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
        bar.set_style(style);
    }
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(4));
    bar
}

/// This process's CPU time, and when that was.
#[derive(Debug, Clone, Copy)]
struct Own {
    at: Instant,
    cpu_ns: u64,
}

impl Own {
    fn now() -> Self {
        Self { at: Instant::now(), cpu_ns: process_cpu_ns() }
    }

    /// The share of the CPU time that may be used which was used since then.
    fn share(&self, before: &Self, cpus: f64) -> Option<f64> {
        let seconds = (self.at - before.at).as_secs_f64();
        let cpu_s = self.cpu_ns.saturating_sub(before.cpu_ns) as f64 / 1e9;
        (seconds > 0.0).then(|| cpu_s / seconds / cpus)
    }
}

fn figures(
    counts: &LiveCounts,
    rate_per_s: f64,
    own_cpu_share: Option<f64>,
    watched: Watched,
) -> LiveFigures {
    let tally = &counts.tally;
    let times = if watched.is_open { &tally.response_time } else { &tally.service_time };
    let is_warm_up = counts.elapsed_ns() < watched.warm_up_ns;
    LiveFigures {
        is_warm_up,
        elapsed_ns: counts.elapsed_ns(),
        rate_per_s,
        p50_ns: times.quantile_ns(0.5),
        p99_ns: times.quantile_ns(0.99),
        errors: if is_warm_up { tally.all() } else { tally.outcomes }.failed(),
        connections: tally.established,
        own_cpu_share,
        whole_ns: watched.whole_ns,
        failing: None,
    }
}

#[cfg(test)]
mod tests {
    use velo_load::{LiveMoment, Tally};

    use super::*;

    const CLOSED: Watched = Watched {
        is_open: false,
        cpus: 2.0,
        warm_up_ns: 1_000,
        is_told: false,
        whole_ns: Some(10_000_000_000),
    };

    #[test]
    fn figures_are_of_all_so_far_but_for_the_rate() {
        let mut tally = Tally::default();
        tally.outcomes.correct = 900;
        tally.outcomes.timeout = 3;
        tally.settling.timeout = 4;
        tally.established = 7;
        (0..100).for_each(|_| tally.service_time.record(1_000));
        (0..100).for_each(|_| tally.response_time.record(9_000));
        let moment = LiveMoment { start_ns: 5, at_ns: 3_000_000_005, answers: 900, has_ended: false };
        let counts = LiveCounts { moments: vec![moment], tally };
        let closed = figures(&counts, 200.0, Some(0.25), CLOSED);
        assert_eq!((closed.rate_per_s, closed.errors, closed.connections), (200.0, 3, 7));
        assert!(!closed.is_warm_up, "it is over");
        let warming = Watched { warm_up_ns: 3_000_000_001, ..CLOSED };
        assert!(figures(&counts, 200.0, None, warming).is_warm_up);
        assert_eq!((closed.elapsed_ns, closed.own_cpu_share), (3_000_000_000, Some(0.25)));
        assert_eq!(closed.whole_ns, CLOSED.whole_ns);
        assert!(closed.p50_ns.is_some_and(|p50| p50.abs_diff(1_000) <= 1));
        let open = figures(&counts, 200.0, None, Watched { is_open: true, ..CLOSED });
        assert!(open.p50_ns.is_some_and(|p50| p50.abs_diff(9_000) <= 9));
    }

    #[test]
    fn the_own_share_is_of_the_time_of_all_threads() {
        let before = Own { at: Instant::now(), cpu_ns: 1_000_000_000 };
        let later = |seconds| Own { at: before.at + Duration::from_secs(seconds), cpu_ns: 2_000_000_000 };
        assert_eq!(later(2).share(&before, 2.0), Some(0.25));
        assert_eq!(later(0).share(&before, 2.0), None);
    }

    #[test]
    fn a_watch_ends_when_it_is_told_to() {
        Watch::begin(Arc::new(Live::default()), CLOSED).end();
    }
}
