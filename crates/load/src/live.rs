//! The counts of a window under way, for those who look on.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::recorder::Tally;

/// The counts of a window under way. Each worker leaves a copy of its own when it is asked for one.
#[derive(Debug, Default)]
pub struct Live {
    asked: AtomicU64,
    left: Mutex<Left>,
}

#[derive(Debug, Default)]
struct Left {
    workers: usize,
    copies: BTreeMap<usize, Kept>,
}

#[derive(Debug)]
struct Kept {
    /// The question that it answers.
    asked: u64,
    moment: LiveMoment,
    tally: Tally,
}

/// One worker's counts and when they were taken, on the clock that all workers share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveMoment {
    /// When its load began.
    pub start_ns: u64,
    /// When the counts were taken.
    pub at_ns: u64,
    /// Correct answers until then, those outside of the window included.
    pub answers: u64,
    /// Requests sent until then, those outside of the window included.
    pub sent: u64,
    /// Requests that were due within the window until then; of a closed loop, those that were sent.
    pub offered: u64,
    /// Requests that had no outcome yet.
    pub in_flight: u64,
    /// Its load has ended: the counts stay as they are.
    pub has_ended: bool,
}

/// The counts of all workers, each with its time.
#[derive(Debug, Clone, Default)]
pub struct LiveCounts {
    /// For each worker, in their order.
    pub moments: Vec<LiveMoment>,
    /// All counts together.
    pub tally: Tally,
}

impl Live {
    /// Asks the workers for a copy of their counts; it is there some milliseconds later.
    pub fn ask(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// The counts of all workers as they last left them.
    pub fn tally(&self) -> Tally {
        sum(self.left().copies.values())
    }

    /// The counts of all workers, once each of them has left a copy since they were asked last; none before that.
    pub fn counts(&self) -> Option<LiveCounts> {
        let (asked, left) = (self.asked(), self.left());
        let is_new = |copy: &Kept| copy.asked >= asked || copy.moment.has_ended;
        if left.workers == 0 || left.copies.len() < left.workers || !left.copies.values().all(is_new) {
            return None;
        }
        let moments = left.copies.values().map(|copy| copy.moment).collect();
        Some(LiveCounts { moments, tally: sum(left.copies.values()) })
    }

    /// A window begins on so many workers.
    pub(crate) fn begin(&self, workers: usize) {
        *self.left() = Left { workers, copies: BTreeMap::new() };
    }

    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// What a worker has counted so far.
    pub(crate) fn leave(&self, worker: usize, asked: u64, mut moment: LiveMoment, tally: Tally) {
        moment.answers = tally.all().correct;
        (moment.sent, moment.offered) = (tally.sent, tally.offered);
        self.left().copies.insert(worker, Kept { asked, moment, tally });
    }

    fn left(&self) -> std::sync::MutexGuard<'_, Left> {
        // A worker that panicked while it wrote has left a copy that is whole or none.
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn sum<'a>(copies: impl Iterator<Item = &'a Kept>) -> Tally {
    let mut sum = Tally::default();
    copies.for_each(|copy| sum.merge(&copy.tally));
    sum
}

impl LiveCounts {
    /// Correct answers per second since `before`, the counts of the same window some time earlier (or none, for its start): each
    /// worker's own answers over its own time, since the workers' copies are not taken at one moment.
    pub fn rate_per_s(&self, before: Option<&Self>) -> Option<f64> {
        self.per_s(before, |moment| moment.answers)
    }

    /// Requests sent per second since `before`, in the same way.
    pub fn sent_per_s(&self, before: Option<&Self>) -> Option<f64> {
        self.per_s(before, |moment| moment.sent)
    }

    /// Requests per second that were due since `before`, in the same way; those outside of the window are not counted.
    pub fn offered_per_s(&self, before: Option<&Self>) -> Option<f64> {
        self.per_s(before, |moment| moment.offered)
    }

    fn per_s(&self, before: Option<&Self>, counted: impl Fn(&LiveMoment) -> u64) -> Option<f64> {
        let last_ns = self.moments.iter().map(|moment| moment.at_ns).max()?;
        let mut rate_per_s = 0.0;
        for (worker, now) in self.moments.iter().enumerate() {
            let earlier = before.and_then(|before| before.moments.get(worker));
            let (from_ns, earlier) = earlier.map_or((now.start_ns, 0), |then| (then.at_ns, counted(then)));
            // A worker that has ended answers nothing more, while the others' time goes on.
            let until_ns = if now.has_ended { last_ns } else { now.at_ns };
            let seconds = until_ns.checked_sub(from_ns).filter(|&ns| ns > 0)? as f64 / 1e9;
            rate_per_s += counted(now).saturating_sub(earlier) as f64 / seconds;
        }
        Some(rate_per_s)
    }

    /// Requests of all workers without an outcome.
    pub fn in_flight(&self) -> u64 {
        self.moments.iter().map(|moment| moment.in_flight).sum()
    }

    /// From the first worker's start to the last worker's copy.
    pub fn elapsed_ns(&self) -> u64 {
        let start_ns = self.moments.iter().map(|moment| moment.start_ns).min().unwrap_or(0);
        let at_ns = self.moments.iter().map(|moment| moment.at_ns).max().unwrap_or(0);
        at_ns.saturating_sub(start_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn moment(start_ns: u64, at_ns: u64, answers: u64) -> LiveMoment {
        let (sent, offered) = (3 * answers, 2 * answers);
        LiveMoment { start_ns, at_ns, answers, sent, offered, in_flight: 3, has_ended: false }
    }

    fn counts(moments: &[LiveMoment]) -> LiveCounts {
        LiveCounts { moments: moments.to_vec(), tally: Tally::default() }
    }

    #[test]
    fn counts_are_there_when_every_worker_has_left_its_own() {
        let live = Live::default();
        assert!(live.counts().is_none(), "nothing has begun");
        live.begin(2);
        live.ask();
        live.leave(0, 1, moment(0, S, 0), Tally::default());
        assert!(live.counts().is_none(), "one is missing");
        live.leave(1, 1, moment(0, S, 0), Tally::default());
        assert_eq!(live.counts().unwrap().moments.len(), 2);
        live.ask();
        assert!(live.counts().is_none(), "both are old");
        live.leave(0, 2, moment(0, 2 * S, 0), Tally::default());
        live.leave(1, 1, LiveMoment { has_ended: true, ..moment(0, S, 0) }, Tally::default());
        assert!(live.counts().is_some(), "one that has ended will leave no other");
        live.begin(1);
        assert!(live.counts().is_none(), "another window");
    }

    #[test]
    fn a_rate_is_of_the_time_between_the_copies_of_each_worker() {
        let before = counts(&[moment(S, 2 * S, 100), moment(S, 3 * S, 500)]);
        let now = counts(&[moment(S, 4 * S, 300), moment(S, 4 * S, 800)]);
        assert_eq!(now.rate_per_s(Some(&before)), Some(100.0 + 300.0));
        assert_eq!(now.rate_per_s(None), Some(100.0 + 800.0 / 3.0), "from the start");
        assert_eq!(now.sent_per_s(Some(&before)), Some(3.0 * (100.0 + 300.0)));
        assert_eq!(now.offered_per_s(Some(&before)), Some(2.0 * (100.0 + 300.0)));
        assert_eq!((before.elapsed_ns(), now.elapsed_ns()), (2 * S, 3 * S));
        assert_eq!((now.in_flight(), LiveCounts::default().in_flight()), (6, 0));
        assert_eq!(now.rate_per_s(Some(&now)), None, "no time has passed");
        let ended = LiveMoment { has_ended: true, ..moment(S, 5 * S / 2, 150) };
        let now = counts(&[ended, moment(S, 4 * S, 800)]);
        assert_eq!(now.rate_per_s(Some(&before)), Some(25.0 + 300.0));
        assert_eq!(LiveCounts::default().rate_per_s(None), None);
    }
}
