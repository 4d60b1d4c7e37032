//! What some calls took: the mean of the middle half, phase by phase.

use velo_record::CallRecord;

/// Times of a call in nanoseconds; `None`: it has no such phase.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Phases {
    pub(super) whole: f64,
    pub(super) connect: Option<f64>,
    pub(super) handshake: Option<f64>,
    pub(super) first_byte: f64,
    pub(super) rest: f64,
}

/// The mean of those calls that are left when a quarter of them, to the nearest one, is taken away at each end, by the whole call: of
/// three calls the one in the middle. So one that was held
/// up counts for nothing, as with a median, and the phases add up to the whole, as with a mean.
pub(super) fn middle(calls: &[&CallRecord]) -> Option<Phases> {
    let mut sorted = calls.to_vec();
    sorted.sort_by_key(|call| call.whole_ns());
    // Halves go down.
    let cut = (sorted.len() + 1) / 4;
    let half = sorted.get(cut..sorted.len() - cut).filter(|half| !half.is_empty())?;
    let mean = |ns: &dyn Fn(&CallRecord) -> u64| {
        half.iter().map(|call| ns(call) as f64).sum::<f64>() / half.len() as f64
    };
    // A phase that only some have is 0 in the others, so that the sum holds.
    let part = |ns: &dyn Fn(&CallRecord) -> Option<u64>| {
        half.iter().any(|call| ns(call).is_some()).then(|| mean(&|call| ns(call).unwrap_or(0)))
    };
    Some(Phases {
        whole: mean(&CallRecord::whole_ns),
        connect: part(&|call| call.connect_ns),
        handshake: part(&|call| call.handshake_ns),
        first_byte: mean(&|call| call.first_byte_ns),
        rest: mean(&|call| call.rest_ns),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call(connect_ns: Option<u64>, first_byte_ns: u64, rest_ns: u64) -> CallRecord {
        CallRecord {
            connect_ns,
            handshake_ns: None,
            first_byte_ns,
            rest_ns,
            sent_bytes: 0,
            received_bytes: 0,
            round_trips: 2,
            link_round_trips: None,
            link_bytes: None,
            segments: None,
            sent_again: None,
            tls: None,
        }
    }

    #[test]
    fn known_answers() {
        assert_eq!(middle(&[]), None);
        let calls = [1, 2, 3, 10, 20, 30, 1_000, 9_999].map(|ns| call(Some(1), ns, 0));
        let found = middle(&calls.iter().collect::<Vec<_>>()).unwrap();
        // Of 3, 10, 20 and 30.
        assert_eq!((found.first_byte, found.whole, found.connect), (15.75, 16.75, Some(1.0)));
        assert_eq!((found.handshake, found.rest), (None, 0.0));
        let mean_of = |count: u64| {
            let calls: Vec<CallRecord> = (1..=count).map(|n| call(None, n * n, 0)).collect();
            middle(&calls.iter().collect::<Vec<_>>()).unwrap().whole
        };
        // The second; the second and third; of six calls all but one at each end; of seven all but two.
        assert_eq!((mean_of(3), mean_of(4)), (4.0, 6.5));
        assert_eq!((mean_of(6), mean_of(7)), (13.5, (9.0 + 16.0 + 25.0) / 3.0));
        let one = call(None, 7, 3);
        assert_eq!(middle(&[&one]).unwrap().whole, 10.0);
    }

    proptest! {
        #[test]
        fn phases_add_up(calls in prop::collection::vec((any::<bool>(), 0..1_000_000_u64, 0..1_000_u64), 1..40)) {
            let calls: Vec<CallRecord> =
                calls.into_iter().map(|(new, first, rest)| call(new.then_some(500), first, rest)).collect();
            let all: Vec<&CallRecord> = calls.iter().collect();
            let found = middle(&all).unwrap();
            let sum = found.connect.unwrap_or(0.0) + found.first_byte + found.rest;
            prop_assert!((sum - found.whole).abs() < 1e-6 * found.whole.max(1.0));
            let least = calls.iter().map(CallRecord::whole_ns).min().unwrap() as f64;
            let most = calls.iter().map(CallRecord::whole_ns).max().unwrap() as f64;
            prop_assert!(least - 1e-6 <= found.whole && found.whole <= most + 1e-6);
        }

        /// One that was held up, however long, moves nothing but its place.
        #[test]
        fn a_quarter_that_was_held_up_counts_for_nothing(held in 1_000_u64..1_000_000_000) {
            let mut calls: Vec<CallRecord> = (0..12).map(|ns| call(None, 100 + ns, 0)).collect();
            calls[11].first_byte_ns += 1_000;
            let with = |calls: &[CallRecord]| middle(&calls.iter().collect::<Vec<_>>()).unwrap().whole;
            let before = with(&calls);
            calls[11].first_byte_ns += held;
            prop_assert_eq!(before, with(&calls));
        }
    }
}
