//! Whether the rate of an open loop was offered, and whether it was met.

use velo_record::{Outcomes, Window};
use velo_stats::Histogram;

use super::answers::FAILURES;
use super::finding::{Finding, NotSent, StatedRate};
use super::verdict::{Check, Kind, Verdict};

/// A smaller share of the due requests means that the rate was not offered.
const ACHIEVED: f64 = 0.99;
/// At its end a window may be behind its schedule by this share of its length.
const BEHIND: f64 = 0.01;

/// What was sent of the requests that were due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Offered {
    /// Sent over due; `None` when nothing was due.
    pub(crate) achieved_share: Option<f64>,
    /// How far behind its schedule a window was at its end, as a share of its length; `None` where that does not show, as with a
    /// rate that changes.
    pub(crate) behind_share: Option<f64>,
    /// Due, but never sent.
    pub(crate) dropped: u64,
}

impl Offered {
    /// At least 99 % were sent, at most 1 % behind the schedule, at most 0.1 % failed, and no answer was wrong.
    pub(crate) fn is_met(&self, answers: &Outcomes) -> bool {
        self.achieved_share.is_some_and(|share| share >= ACHIEVED)
            && self.behind_share.is_some_and(|share| share <= BEHIND)
            && answers.share(answers.failures()).is_some_and(|share| share <= FAILURES)
            && answers.wrong_answer == 0
    }

    /// That not all was offered, or not in time.
    pub(crate) fn verdict(&self, at: Option<StatedRate>, cause: Option<NotSent>) -> Option<Verdict> {
        let sent_share = self.achieved_share?;
        let (finding, figure, bound) = if sent_share < ACHIEVED {
            (Finding::RateNotOffered { at, sent_share, cause }, sent_share, ACHIEVED)
        } else if let Some(behind_share) = self.behind_share.filter(|share| *share > BEHIND) {
            (Finding::RateOfferedLate { at, behind_share }, behind_share, BEHIND)
        } else if self.dropped > 0 {
            (Finding::NeverSent { at, requests: self.dropped, cause }, sent_share, ACHIEVED)
        } else {
            return None;
        };
        Some(Verdict::new(Kind::Warning, Check::Offered, finding).of(figure, bound))
    }
}

/// A part of the requests that were due.
pub(crate) fn achieved_share(sent: u64, due: u64) -> Option<f64> {
    (due > 0).then(|| sent as f64 / due as f64)
}

/// Twice the median send lag over the window's length. Requests that wait for a connection at the window's end are still
/// sent for a while, so that their number alone would take an overload for met. When load grows beyond what a server can
/// do, each request waits longer than the one before, and the one in the middle for half of what the window is behind at
/// its end; a short stall does not move that middle.
pub(crate) fn behind_share(send_lag: &Histogram, window_ns: f64) -> Option<f64> {
    let behind_ns = 2.0 * send_lag.quantile_ns(0.5)? as f64;
    (window_ns > 0.0).then(|| behind_ns / window_ns)
}

/// Whether a window of an open loop met its rate; false where its send lag cannot be read.
pub fn is_rate_met(window: &Window) -> bool {
    let Some((paced, send_lag)) =
        window.paced().and_then(|paced| Some((paced, paced.send_lag.decode().ok()?)))
    else {
        return false;
    };
    let offered = Offered {
        achieved_share: achieved_share(paced.sent, paced.offered),
        behind_share: behind_share(&send_lag, window.duration_ns as f64),
        dropped: window.outcomes.dropped,
    };
    offered.is_met(&window.all())
}

#[cfg(test)]
mod tests {
    use velo_fixtures::{Simulated, SimulatedOpenLoop, Simulation, paced_mut};
    use velo_record::{EncodedHistogram, RatePurpose};

    use super::*;

    /// A second at 1,000 requests a second, of which these were sent.
    fn window(send_lags_ns: impl Iterator<Item = u64>) -> Window {
        let (_, windows) = Simulation::new(vec![Simulated::new("go/net-http", 4000.0)]).run();
        let mut window = SimulatedOpenLoop::new(RatePurpose::Search, 1000.0).window(&windows[0]);
        window.duration_ns = 1_000_000_000;
        let mut send_lag = Histogram::new();
        send_lags_ns.for_each(|lag_ns| send_lag.record(lag_ns));
        let paced = paced_mut(&mut window.purpose);
        (paced.offered, paced.sent) = (1000, send_lag.count());
        paced.send_lag = EncodedHistogram::new(&send_lag);
        window
    }

    #[test]
    fn a_rate_is_met_when_requests_are_sent_as_they_are_due_and_answered() {
        let prompt = || std::iter::repeat_n(2_000, 1000);
        assert!(is_rate_met(&window(prompt())));
        assert!(is_rate_met(&window(prompt().take(990))));
        assert!(!is_rate_met(&window(prompt().take(989))), "not sent");
        assert!(!is_rate_met(&window(prompt().take(0))), "nothing sent");
        let mut answered = window(prompt());
        answered.outcomes = Outcomes { correct: 9_990, timeout: 10, ..Outcomes::default() };
        assert!(is_rate_met(&answered));
        answered.outcomes.timeout += 1;
        assert!(!is_rate_met(&answered), "too many failed");
        answered.outcomes = Outcomes { correct: 9_999, wrong_answer: 1, ..Outcomes::default() };
        assert!(!is_rate_met(&answered), "a wrong answer");
        let mut unreadable = window(prompt());
        paced_mut(&mut unreadable.purpose).send_lag = EncodedHistogram("no".to_owned());
        assert!(!is_rate_met(&unreadable));
    }

    #[test]
    fn a_growing_backlog_is_an_overload_and_a_stall_is_not() {
        let behind = |share: f64| (0..1000_u32).map(move |number| (f64::from(number) * 1e6 * share) as u64);
        assert!(is_rate_met(&window(behind(0.005))));
        assert!(!is_rate_met(&window(behind(0.02))));
        let stalled = (0..1000_u64).map(|number| number.saturating_sub(700) * 1_000_000);
        assert!(is_rate_met(&window(stalled)));
    }
}
