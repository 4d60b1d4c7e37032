//! Whether all connections were open, kept busy, kept alive and served alike.

use super::answers::FAILURES;
use super::bounds::REOPENED;
use super::fairness::{Fairness, STARVED};
use super::finding::{Finding, IdleCause};
use super::littles_law::KEPT_BUSY;
use super::verdict::{Check, Kind, Verdict};

/// What is counted on the connections of a closed loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    /// Asked for.
    pub(crate) asked: u32,
    /// Those that got an answer, where that is not all.
    pub(crate) answered: Option<u32>,
    /// Those that were open at the end, where that is not all.
    pub(crate) open: Option<u32>,
    /// Whether more than a few were opened again.
    pub(crate) is_reopening: bool,
    /// Failures, as a share of the requests.
    pub(crate) failed_share: Option<f64>,
}

impl Counted {
    /// Why connections had no request in flight. Only when every one of them was open and got answers it is left to the generator.
    fn idle_cause(self) -> IdleCause {
        let Self { asked, answered, open, .. } = self;
        if answered.is_some() || open.is_some() {
            IdleCause::Unserved { answered, open, asked }
        } else if self.is_reopening {
            IdleCause::Reopening
        } else if self.failed_share.is_some_and(|share| share > FAILURES) {
            IdleCause::AfterFailures
        } else {
            IdleCause::GeneratorHeldBack
        }
    }
}

/// That less than nearly all places for a request were in use.
pub(crate) fn idle(busy_share: Option<f64>, counted: Counted) -> Option<Verdict> {
    let busy_share = busy_share.filter(|share| *share < KEPT_BUSY)?;
    let finding = Finding::ConnectionsIdle { busy_share, cause: counted.idle_cause() };
    Some(Verdict::new(Kind::Hint, Check::HeldBack, finding).of(busy_share, KEPT_BUSY))
}

/// That fewer were open at the end than were asked for.
pub(crate) fn missing(open: u32, asked: u32) -> Option<Verdict> {
    (open < asked).then(|| {
        let finding = Finding::ConnectionsMissing { open, asked };
        Verdict::new(Kind::Warning, Check::Connections, finding).of(f64::from(open), f64::from(asked))
    })
}

/// That connections were closed under load and opened again more often than a few times.
pub(crate) fn reopened(times: u64, answers: u64) -> Option<Verdict> {
    let share = times as f64 / answers.max(1) as f64;
    (share > REOPENED).then(|| {
        let each_answers = (1.0 / share).round() as u64;
        let finding = Finding::ConnectionsReopened { times, each_answers };
        Verdict::new(Kind::Hint, Check::Connections, finding).of(share, REOPENED)
    })
}

/// That connections got far less than the others.
pub(crate) fn starved(fairness: Option<&Fairness>) -> Option<Verdict> {
    let fairness = fairness.filter(|fairness| !fairness.starved.is_empty())?;
    let finding = Finding::ConnectionsStarved { fairness: fairness.clone(), below_share: STARVED };
    Some(Verdict::new(Kind::Warning, Check::Fairness, finding).of(fairness.jains_index, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: Counted =
        Counted { asked: 64, answered: None, open: None, is_reopening: false, failed_share: Some(0.001) };

    fn cause(counted: Counted) -> Option<IdleCause> {
        match idle(Some(0.979), counted)?.finding {
            Finding::ConnectionsIdle { cause, .. } => Some(cause),
            _ => None,
        }
    }

    #[test]
    fn the_generator_is_blamed_only_when_nothing_else_was_seen() {
        assert_eq!(idle(Some(0.98), BUSY), None);
        assert_eq!(idle(None, BUSY), None, "not known");
        assert_eq!(cause(BUSY), Some(IdleCause::GeneratorHeldBack));
        let failing = Counted { failed_share: Some(0.002), ..BUSY };
        assert_eq!(cause(failing), Some(IdleCause::AfterFailures));
        let reopening = Counted { is_reopening: true, ..failing };
        assert_eq!(cause(reopening), Some(IdleCause::Reopening));
        let unserved = Counted { answered: Some(3), ..reopening };
        let expected = IdleCause::Unserved { answered: Some(3), open: None, asked: 64 };
        assert_eq!(cause(unserved), Some(expected));
    }

    #[test]
    fn connections_that_are_missing_or_opened_again_are_counted() {
        assert_eq!(missing(64, 64), None);
        let expected = Finding::ConnectionsMissing { open: 63, asked: 64 };
        assert_eq!(missing(63, 64).map(|verdict| verdict.finding), Some(expected));
        assert_eq!(reopened(5, 1000), None);
        let expected = Finding::ConnectionsReopened { times: 6, each_answers: 167 };
        assert_eq!(reopened(6, 1000).map(|verdict| verdict.finding), Some(expected));
        assert!(reopened(1, 0).is_some(), "without any answer");
    }
}
