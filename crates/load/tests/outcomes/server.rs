//! What servers do, and their log.

use std::sync::Mutex;
use std::time::Duration;

use proptest::prelude::*;

/// The body that is expected.
pub(crate) const BODY: &[u8] = b"right";
/// The same length, and wrong.
pub(crate) const WRONG_BODY: &[u8] = b"wrong";

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// The answer that is expected.
    Right,
    /// The status that is expected, with another body.
    Wrong,
    /// Status 500.
    Error,
    /// No answer.
    Never,
    /// The connection ends, or is reset, within the answer.
    Cut,
    /// The connection ends, or is reset, before the answer.
    Close,
    /// The answer that is expected, and with it the announcement that the connection ends.
    Last,
}

const DEEDS: [Deed; 7] =
    [Deed::Right, Deed::Wrong, Deed::Error, Deed::Never, Deed::Cut, Deed::Close, Deed::Last];

/// How a server behaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conduct {
    pub(crate) seed: u64,
    /// Of a hundred requests so many meet something else than the right answer.
    pub(crate) odd_percent: u64,
    /// Whether there is silence among it, which costs the time of a timeout each.
    pub(crate) is_silent_at_times: bool,
    /// A connection without a request for so long is ended, with a farewell.
    pub(crate) idle: Option<Duration>,
}

pub(crate) fn conducts() -> impl Strategy<Value = Conduct> {
    let idle = prop::option::of((1..40u64).prop_map(Duration::from_millis));
    let odd_percent = prop_oneof![Just(0), 1..40u64];
    (any::<u64>(), odd_percent, prop::bool::weighted(0.3), idle).prop_map(
        |(seed, odd_percent, is_silent_at_times, idle)| Conduct {
            seed,
            odd_percent,
            is_silent_at_times,
            idle,
        },
    )
}

impl Conduct {
    /// What becomes of the request with this number, over all connections.
    pub(crate) fn deed(&self, number: u64) -> Deed {
        // SplitMix64 (Steele, Lea, Flood 2014).
        let mut z = self.seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        if z % 100 >= self.odd_percent {
            return Deed::Right;
        }
        match DEEDS[1 + (z >> 32) as usize % (DEEDS.len() - 1)] {
            Deed::Never if !self.is_silent_at_times => Deed::Right,
            deed => deed,
        }
    }
}

/// What a server did.
#[derive(Debug, Default)]
pub(crate) struct Log {
    deeds: Mutex<[u64; DEEDS.len()]>,
}

impl Log {
    /// The next request has come; what is done with it.
    pub(crate) fn next(&self, conduct: &Conduct) -> Deed {
        let mut deeds = self.deeds.lock().unwrap();
        let deed = conduct.deed(deeds.iter().sum());
        deeds[deed as usize] += 1;
        deed
    }

    pub(crate) fn count(&self, deed: Deed) -> u64 {
        self.deeds.lock().unwrap()[deed as usize]
    }

    pub(crate) fn requests(&self) -> u64 {
        self.deeds.lock().unwrap().iter().sum()
    }
}
