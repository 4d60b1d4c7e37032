//! What a client is to make of a fault.

use super::fault::Fault;
use super::truth::Truth;

/// A class of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Everything as expected.
    Correct,
    /// Another body than expected, or an answer that breaks the rules of HTTP/2 or of gRPC.
    WrongAnswer,
    /// Another status than expected, of HTTP or of gRPC.
    HttpError,
    /// The stream or the connection ended inside the answer.
    Truncated,
    /// No whole answer in time.
    Timeout,
    /// The stream or the connection ended before any byte of the answer.
    ClosedByServer,
    /// The server said that it had not looked at the request.
    Refused,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Correct,
        Self::WrongAnswer,
        Self::HttpError,
        Self::Truncated,
        Self::Timeout,
        Self::ClosedByServer,
        Self::Refused,
    ];

    /// The fewest and the most that there must be, as the server with this fault knows, of so many requests that the client says
    /// it sent.
    pub fn in_truth(self, fault: Fault, truth: &Truth, sent: u64) -> (u64, u64) {
        let exactly = |count| (count, count);
        // What was on its way to a connection that ended was never read. Of a connection that is left in order it was refused
        // before, with all that came behind the last one; one that the client ends for its own sake it gives up.
        let unread = sent.saturating_sub(truth.begun);
        let (unread_lost, unread_refused, unread_given_up) = match fault {
            Fault::GracefulGoAway => (0, unread, 0),
            Fault::EndlessBody | Fault::EndlessInterim => (0, 0, unread),
            _ => (unread, 0, 0),
        };
        match self {
            Self::Correct => (truth.correct, truth.correct + truth.doubtful),
            Self::WrongAnswer => {
                let sure = truth.wrong_bodies + truth.malformed + truth.endless;
                (sure, sure + truth.doubtful)
            }
            Self::HttpError => exactly(truth.other_statuses),
            Self::Truncated => exactly(truth.truncated),
            Self::Timeout => exactly(truth.unanswered + truth.unfinished() + unread_given_up),
            Self::ClosedByServer => {
                exactly(truth.lost + truth.reset + truth.after_close + truth.undelivered + unread_lost)
            }
            Self::Refused => exactly(truth.refused + unread_refused),
        }
    }
}

/// How many of a class a fault leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// As many.
    Is(u64),
    /// All that were asked for.
    All,
    /// At least one.
    Some,
    /// None or more.
    Any,
}

impl Count {
    /// Whether a count is as expected, of so many requests.
    pub fn holds(self, counted: u64, requests: u64) -> bool {
        match self {
            Self::Is(count) => counted == count,
            Self::All => counted == requests,
            Self::Some => counted > 0,
            Self::Any => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fate_is_in_one_class_and_doubt_in_two() {
        let truth = Truth {
            begun: 26,
            requests: 24,
            correct: 1,
            wrong_bodies: 1,
            malformed: 1,
            doubtful: 3,
            endless: 1,
            other_statuses: 2,
            truncated: 3,
            unanswered: 4,
            lost: 1,
            reset: 2,
            refused: 3,
            after_close: 1,
            undelivered: 1,
            ..Truth::default()
        };
        assert_eq!(truth.accounted(), truth.requests);
        let faults =
            [(Fault::None, 6, 6, 3), (Fault::GracefulGoAway, 6, 5, 4), (Fault::EndlessBody, 7, 5, 3)];
        for (fault, timeout, closed, refused) in faults {
            let bounds = Class::ALL.map(|class| class.in_truth(fault, &truth, 27));
            let ends = [(closed, closed), (refused, refused)];
            assert_eq!(bounds[..5], [(1, 4), (3, 6), (2, 2), (3, 3), (timeout, timeout)]);
            assert_eq!(bounds[5..], ends);
            let fewest: u64 = bounds.iter().map(|(fewest, _)| fewest).sum();
            assert_eq!(fewest + truth.doubtful, 27);
        }
    }

    #[test]
    fn counts() {
        assert!(Count::All.holds(5, 5) && !Count::All.holds(4, 5));
        assert!(Count::Is(4).holds(4, 5) && !Count::Is(4).holds(5, 5));
        assert!(Count::Some.holds(1, 5) && !Count::Some.holds(0, 5));
        assert!(Count::Any.holds(0, 5));
    }
}
