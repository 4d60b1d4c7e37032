//! What is shown while a load is under way.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use velo_load::{Live, Tally};
use velo_report::load::{LiveFigures, live_line};

use super::record::process_cpu_ns;
use crate::out;

const REDRAWN: Duration = Duration::from_millis(500);
const A_LINE: Duration = Duration::from_secs(5);
/// The workers leave their counts within this time of being asked.
const ANSWERED: Duration = Duration::from_millis(30);

/// What a watcher needs to know of the load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watched {
    /// Whether times count from an intended start.
    pub(crate) is_open: bool,
    /// The generator's threads.
    pub(crate) threads: usize,
}

/// Watches until told to end.
pub(crate) struct Watch {
    end: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Watch {
    /// Begins.
    pub(crate) fn begin(live: Arc<Live>, watched: Watched) -> Self {
        let (end, ended) = mpsc::channel();
        let thread = thread::spawn(move || watch(&live, watched, &ended));
        Self { end, thread }
    }

    /// Removes the line.
    pub(crate) fn end(self) {
        drop(self.end);
        // A watcher that panicked has shown so; the load itself is not touched by it.
        let _ = self.thread.join();
    }
}

fn watch(live: &Live, watched: Watched, ended: &mpsc::Receiver<()>) {
    let waits = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    let on_terminal = out::talks_to_terminal();
    let pause = if on_terminal { REDRAWN } else { A_LINE };
    let bar = on_terminal.then(line);
    let mut before = Moment::default();
    let began = Instant::now();
    while waits(pause) {
        live.ask();
        if !waits(ANSWERED) {
            break;
        }
        let tally = live.tally();
        let now = Moment { at: began.elapsed(), answers: answers(&tally), cpu_ns: process_cpu_ns() };
        let text = live_line(&figures(&tally, &before, &now, watched));
        match &bar {
            Some(bar) => bar.set_message(text),
            None => out::talk(&format!("{text}\n")),
        }
        before = now;
    }
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
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

/// What the next figures are told apart from.
#[derive(Debug, Default)]
struct Moment {
    at: Duration,
    answers: u64,
    cpu_ns: u64,
}

fn answers(tally: &Tally) -> u64 {
    tally.outcomes.correct + tally.correct_outside
}

fn failures(tally: &Tally) -> u64 {
    velo_lab::recorded_outcomes(&tally.outcomes).failed()
}

fn figures(tally: &Tally, before: &Moment, now: &Moment, watched: Watched) -> LiveFigures {
    let seconds = (now.at - before.at).as_secs_f64();
    let times = if watched.is_open { &tally.response_time } else { &tally.service_time };
    let answers = now.answers.saturating_sub(before.answers);
    let cpu_s = now.cpu_ns.saturating_sub(before.cpu_ns) as f64 / 1e9;
    LiveFigures {
        elapsed_ns: u64::try_from(now.at.as_nanos()).unwrap_or(u64::MAX),
        rate_per_s: if seconds > 0.0 { answers as f64 / seconds } else { 0.0 },
        p50_ns: times.quantile_ns(0.5),
        p99_ns: times.quantile_ns(0.99),
        errors: failures(tally),
        connections: tally.established,
        own_cpu_share: (seconds > 0.0).then(|| cpu_s / seconds / watched.threads.max(1) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSED: Watched = Watched { is_open: false, threads: 2 };

    #[test]
    fn figures_are_of_the_last_interval_and_of_all_so_far() {
        let mut tally = Tally::default();
        tally.outcomes.correct = 900;
        tally.correct_outside = 100;
        tally.outcomes.timeout = 3;
        tally.established = 7;
        (0..100).for_each(|_| tally.service_time.record(1_000));
        (0..100).for_each(|_| tally.response_time.record(9_000));
        let before = Moment { at: Duration::from_secs(1), answers: 600, cpu_ns: 1_000_000_000 };
        let now = Moment { at: Duration::from_secs(3), answers: answers(&tally), cpu_ns: 2_000_000_000 };
        let closed = figures(&tally, &before, &now, CLOSED);
        assert_eq!((closed.rate_per_s, closed.errors, closed.connections), (200.0, 3, 7));
        assert_eq!((closed.elapsed_ns, closed.own_cpu_share), (3_000_000_000, Some(0.25)));
        assert!(closed.p50_ns.is_some_and(|p50| p50.abs_diff(1_000) <= 1));
        let open = figures(&tally, &before, &now, Watched { is_open: true, ..CLOSED });
        assert!(open.p50_ns.is_some_and(|p50| p50.abs_diff(9_000) <= 9));
    }

    #[test]
    fn a_watch_ends_when_it_is_told_to() {
        Watch::begin(Arc::new(Live::default()), CLOSED).end();
    }
}
