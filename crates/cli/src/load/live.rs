//! What is shown while a load is under way, and what was seen part by part.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use velo_load::{Arrivals, Live, LiveCounts};
use velo_record::{LoadMoment, Outcomes};
use velo_report::load::{LiveFigures, LiveView, live_line, live_view};
use velo_stats::Histogram;

use super::flags::LiveShown;
use super::record::process_cpu_ns;
use super::timeline::Timeline;
use crate::out;
use crate::screen::Screen;

/// The columns of a line that is written somewhere else than to a terminal.
const LINE: usize = 79;
const REDRAWN: Duration = Duration::from_millis(500);
const A_LINE: Duration = Duration::from_secs(5);
/// A part of a load that nobody sees while it is under way.
const A_PART: Duration = Duration::from_secs(1);
/// How often it is looked whether all workers have left their counts: they look for the question every 50 ms themselves.
const ANSWERED: Duration = Duration::from_millis(20);
/// A view's figures of now are of the stretch since the counts that are at least so old.
const NOW_NS: u64 = 900_000_000;

/// Where it is told how a load goes.
#[derive(Debug, Clone)]
pub(crate) enum Shown {
    /// In lines that are drawn again.
    View(Arc<Screen>),
    /// In a line every so often.
    Lines(Duration),
    /// Nowhere.
    Nothing,
}

impl Shown {
    /// What a flag asks for, where standard error leads.
    pub(crate) fn of(asked: LiveShown) -> Self {
        match asked {
            LiveShown::Auto if out::talks_to_terminal() => Self::View(Arc::new(Screen::new())),
            LiveShown::Auto => Self::Lines(A_LINE),
            LiveShown::Plain => Self::Lines(A_PART),
            LiveShown::Off => Self::Nothing,
        }
    }

    /// Removes what is drawn, and says that the load ends because somebody asked for it.
    pub(crate) fn stop(&self, words: &str) {
        match self {
            Self::View(screen) if screen.close() => out::talk(words.trim_start()),
            _ => out::talk(words),
        }
    }
}

/// What a watcher needs to know of the load.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    /// When requests are due, from the beginning of the load on; `None` for a closed loop.
    pub(crate) arrivals: Option<Arrivals>,
    /// The CPUs that the generator's threads may use.
    pub(crate) cpus: f64,
    /// Load before the counted stretch.
    pub(crate) warm_up_ns: u64,
    /// Where it is told while it is under way.
    pub(crate) shown: Shown,
    /// How long it lasts, where that is known.
    pub(crate) whole_ns: Option<u64>,
    /// The number of requests that ends it.
    pub(crate) most_requests: Option<u64>,
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
        let thread = thread::spawn(move || watch(&live, &watched, &ended));
        Self { end, thread }
    }

    /// Removes what is drawn, and hands out what was seen part by part.
    pub(crate) fn end(self) -> Vec<LoadMoment> {
        drop(self.end);
        // A watcher that panicked has shown so; the load itself is not touched by it.
        self.thread.join().unwrap_or_default()
    }
}

/// Counts and when they were taken.
#[derive(Debug)]
struct Seen {
    counts: LiveCounts,
    own: Own,
}

fn watch(live: &Live, watched: &Watched, ended: &mpsc::Receiver<()>) -> Vec<LoadMoment> {
    let waits = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    // A line is of the part that it ends.
    let (pause, now_ns) =
        if matches!(watched.shown, Shown::View(_)) { (REDRAWN, NOW_NS) } else { (A_PART, 0) };
    let mut timeline = Timeline::default();
    let mut told = Instant::now();
    // From the counts that the figures of now begin with to the last ones.
    let mut before: VecDeque<Seen> = VecDeque::new();
    let began = Own::now();
    'parts: while waits(pause) {
        live.ask();
        // Counts of different times would make rates that never were, so all of them are waited for.
        let counts = loop {
            if !waits(ANSWERED) {
                break 'parts;
            }
            if let Some(counts) = live.counts() {
                break counts;
            }
        };
        let now = Seen { counts, own: Own::now() };
        let last = before.back().map(|seen| &seen.counts);
        // Without time between them there is nothing new to show.
        let Some(rate_per_s) = now.counts.rate_per_s(last) else { continue };
        let (moment, times) = part(&now.counts, last, rate_per_s, watched);
        timeline.push(moment, &times);
        let is_old = |seen: &Seen| now.counts.elapsed_ns().saturating_sub(seen.counts.elapsed_ns()) >= now_ns;
        while before.get(1).is_some_and(is_old) {
            before.pop_front();
        }
        let figures = figures(&now, before.front(), &began, watched);
        match &watched.shown {
            Shown::View(screen) => {
                if let Some((columns, lines)) = screen.room() {
                    let last = last_times(&now.counts, before.front(), watched);
                    let moments = timeline.moments();
                    let view = view(figures, &now.counts, before.front(), &last, &moments, watched);
                    screen.draw(&live_view(&view, columns, lines, out::talks_in_colour()));
                }
            }
            Shown::Lines(every) if told.elapsed() + A_PART / 2 >= *every => {
                told = Instant::now();
                let failing = example(&now.counts).filter(|_| moment.failed > 0);
                out::talk(&format!("{}\n", live_line(&LiveFigures { failing, ..figures }, LINE)));
            }
            Shown::Lines(_) | Shown::Nothing => {}
        }
        before.push_back(now);
    }
    if let Shown::View(screen) = &watched.shown {
        screen.close();
    }
    timeline.moments()
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

/// What failed last, in words.
fn example(counts: &LiveCounts) -> Option<String> {
    let examples = [&counts.tally.wrong_examples, &counts.tally.settling_examples];
    examples.iter().find_map(|examples| examples.last().cloned())
}

/// The figures of all until now, and the rates since `before` or, without it, since the load began.
fn figures(now: &Seen, before: Option<&Seen>, began: &Own, watched: &Watched) -> LiveFigures {
    let (counts, tally) = (&now.counts, &now.counts.tally);
    let times = watched.times(counts);
    let own_before = before.map_or(began, |seen| &seen.own);
    LiveFigures {
        is_warm_up: watched.is_warm_up(counts),
        elapsed_ns: counts.elapsed_ns(),
        rate_per_s: counts.rate_per_s(before.map(|seen| &seen.counts)).unwrap_or(0.0),
        p50_ns: times.quantile_ns(0.5),
        p99_ns: times.quantile_ns(0.99),
        errors: watched.outcomes(counts).failed(),
        connections: tally.established,
        own_cpu_share: now.own.share(own_before, watched.cpus),
        whole_ns: watched.whole_ns,
        failing: None,
    }
}

/// The durations since `before`, and how long ago that was.
fn last_times(counts: &LiveCounts, before: Option<&Seen>, watched: &Watched) -> (Histogram, u64) {
    let mut times = watched.times(counts).clone();
    let Some(before) = before else { return (times, counts.elapsed_ns()) };
    times.take_back(watched.times(&before.counts));
    (times, counts.elapsed_ns().saturating_sub(before.counts.elapsed_ns()))
}

fn view<'a>(
    figures: LiveFigures,
    counts: &'a LiveCounts,
    before: Option<&Seen>,
    (last, last_ns): &'a (Histogram, u64),
    moments: &'a [LoadMoment],
    watched: &Watched,
) -> LiveView<'a> {
    // What is due in the warm-up is not counted.
    let is_counted = watched.is_open()
        && (watched.warm_up_ns == 0 || before.is_some_and(|before| !watched.is_warm_up(&before.counts)));
    let before = before.map(|seen| &seen.counts);
    LiveView {
        offered_per_s: counts.offered_per_s(before).filter(|_| is_counted),
        requests: watched.most_requests.map(|most| {
            let Outcomes { dropped, .. } = counts.tally.outcomes;
            (counts.tally.outcomes.requests().saturating_add(dropped), most)
        }),
        outcomes: watched.outcomes(counts),
        example: example(counts),
        in_flight: counts.in_flight(),
        time: if watched.is_open() { "response" } else { "service" },
        all: watched.times(counts),
        last: (last, *last_ns),
        moments,
        figures,
    }
}

/// What was seen since `earlier`, or since the load began, and the durations of its answers.
fn part(
    counts: &LiveCounts,
    earlier: Option<&LiveCounts>,
    correct_per_s: f64,
    watched: &Watched,
) -> (LoadMoment, Histogram) {
    let mut times = watched.times(counts).clone();
    if let Some(earlier) = earlier {
        times.take_back(watched.times(earlier));
    }
    let failed_before = earlier.map_or(0, |earlier| earlier.tally.all().failed());
    let (from_ns, at_ns) = (earlier.map_or(0, LiveCounts::elapsed_ns), counts.elapsed_ns());
    let seconds = at_ns.saturating_sub(from_ns) as f64 / 1e9;
    let due = watched.due(at_ns).zip(watched.due(from_ns)).filter(|_| seconds > 0.0);
    let moment = LoadMoment {
        at_ns,
        correct_per_s,
        failed: counts.tally.all().failed().saturating_sub(failed_before),
        offered_per_s: due.map(|(until, before)| (until - before) / seconds),
        sent_per_s: counts.sent_per_s(earlier),
        ..LoadMoment::default()
    };
    (moment, times)
}

impl Watched {
    fn is_open(&self) -> bool {
        self.arrivals.is_some()
    }

    /// The requests that are due until then, on average. Counts do not know those that still wait for a connection.
    fn due(&self, elapsed_ns: u64) -> Option<f64> {
        let arrivals = self.arrivals.as_ref()?;
        let due = arrivals.expected(elapsed_ns.min(self.whole_ns.unwrap_or(u64::MAX)));
        let most = self.most_requests.map_or(f64::INFINITY, |most| most as f64);
        Some(due.min(arrivals.expected(self.warm_up_ns) + most))
    }

    fn is_warm_up(&self, counts: &LiveCounts) -> bool {
        counts.elapsed_ns() < self.warm_up_ns
    }

    /// The durations of the headline.
    fn times<'a>(&self, counts: &'a LiveCounts) -> &'a Histogram {
        if self.is_open() { &counts.tally.response_time } else { &counts.tally.service_time }
    }

    /// Those of the counted stretch, or of the warm-up as long as that lasts.
    fn outcomes(&self, counts: &LiveCounts) -> Outcomes {
        if self.is_warm_up(counts) { counts.tally.all() } else { counts.tally.outcomes }
    }
}

#[cfg(test)]
mod tests {
    use velo_load::{LiveMoment, Shape, Spacing, Tally};

    use super::*;

    const S: u64 = 1_000_000_000;

    fn closed() -> Watched {
        Watched {
            arrivals: None,
            cpus: 2.0,
            warm_up_ns: 1_000,
            shown: Shown::Nothing,
            whole_ns: Some(10 * S),
            most_requests: None,
        }
    }

    /// So many answers, each after 1 us from its send and 9 us from its intended start, after so many seconds.
    fn seen(seconds: u64, answers: u64) -> Seen {
        let mut tally = Tally::default();
        tally.outcomes.correct = answers;
        tally.outcomes.timeout = 3;
        tally.settling.timeout = 4;
        tally.established = 7;
        tally.service_time.record_many(1_000, answers);
        tally.response_time.record_many(9_000, answers);
        let moment = LiveMoment {
            start_ns: 5,
            at_ns: seconds * S + 5,
            answers,
            sent: 0,
            offered: 2 * answers,
            in_flight: 6,
            has_ended: false,
        };
        let counts = LiveCounts { moments: vec![moment], tally };
        Seen { counts, own: Own { at: Instant::now(), cpu_ns: 0 } }
    }

    #[test]
    fn figures_are_of_all_so_far_but_for_the_rates() {
        let (before, now, began) = (seen(2, 700), seen(3, 900), Own::now());
        let of_closed = figures(&now, Some(&before), &began, &closed());
        assert_eq!((of_closed.rate_per_s, of_closed.errors, of_closed.connections), (200.0, 3, 7));
        assert!(!of_closed.is_warm_up, "it is over");
        assert_eq!(figures(&now, None, &began, &closed()).rate_per_s, 300.0, "from the start");
        let warming = Watched { warm_up_ns: 3 * S + 1, ..closed() };
        let of_warming = figures(&now, None, &began, &warming);
        assert_eq!((of_warming.is_warm_up, of_warming.errors), (true, 7));
        assert_eq!((of_closed.elapsed_ns, of_closed.whole_ns), (3 * S, Some(10 * S)));
        assert!(of_closed.p50_ns.is_some_and(|p50| p50.abs_diff(1_000) <= 1));
        let open = figures(&now, None, &began, &open_loop());
        assert!(open.p50_ns.is_some_and(|p50| p50.abs_diff(9_000) <= 9));
    }

    fn open_loop() -> Watched {
        let shape = Shape::Constant { per_s: 100.0 };
        Watched { arrivals: Some(Arrivals { shape, spacing: Spacing::Poisson, seed: 1 }), ..closed() }
    }

    #[test]
    fn a_part_is_what_was_seen_since_the_one_before() {
        let counts = |second: u64, sent: u64, failed: u64, times: &[(u64, u64)]| {
            let mut tally = Tally::default();
            (tally.outcomes.timeout, tally.settling.timeout) = (failed, 1);
            times.iter().for_each(|(ns, samples)| tally.response_time.record_many(*ns, *samples));
            let moment = LiveMoment { at_ns: second * S, sent, ..LiveMoment::default() };
            LiveCounts { moments: vec![moment], tally }
        };
        let (before, now) =
            (counts(4, 350, 2, &[(1_000, 50)]), counts(6, 500, 5, &[(1_000, 50), (9_000, 20)]));
        let (first, _) = part(&before, None, 80.0, &open_loop());
        assert_eq!((first.at_ns, first.failed, first.offered_per_s), (4 * S, 3, Some(100.0)));
        let (moment, times) = part(&now, Some(&before), 80.0, &open_loop());
        assert_eq!((moment.at_ns, moment.correct_per_s, moment.failed), (6 * S, 80.0, 3));
        assert_eq!((moment.offered_per_s, moment.sent_per_s), (Some(100.0), Some(75.0)));
        assert_eq!(times.count(), 20, "those before belong to the part before");
        let ended = Watched { most_requests: Some(500), ..open_loop() };
        let offered = part(&now, Some(&before), 80.0, &ended).0.offered_per_s;
        assert!(offered.is_some_and(|per_s| per_s < 50.1), "no more than the load has: {offered:?}");
        assert_eq!(part(&now, Some(&before), 80.0, &closed()).0.offered_per_s, None);
    }

    #[test]
    fn a_view_has_what_came_since_the_counts_before() {
        let (before, now, began) = (seen(2, 700), seen(3, 900), Own::now());
        let view_of = |before: Option<&Seen>, watched: &Watched| {
            let last = last_times(&now.counts, before, watched);
            let view = view(figures(&now, before, &began, watched), &now.counts, before, &last, &[], watched);
            (view.offered_per_s, view.last.0.count(), view.last.1, view.in_flight, view.time, view.requests)
        };
        let open = Watched { warm_up_ns: 0, most_requests: Some(1_000), ..open_loop() };
        let requests = Some((903, 1_000));
        assert_eq!(view_of(Some(&before), &open), (Some(400.0), 200, S, 6, "response", requests));
        assert_eq!(view_of(None, &open), (Some(600.0), 900, 3 * S, 6, "response", requests));
        assert_eq!(view_of(Some(&before), &closed()), (None, 200, S, 6, "service", None));
        // What was due in the warm-up was not counted, so that the part of it in the first stretch is not known.
        let warmed = Watched { warm_up_ns: 2 * S + 1, ..open };
        assert_eq!(view_of(Some(&before), &warmed).0, None);
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
        Watch::begin(Arc::new(Live::default()), closed()).end();
    }
}
