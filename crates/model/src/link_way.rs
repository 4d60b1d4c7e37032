use serde::{Deserialize, Serialize};

/// What came to one direction of a link. All of them only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkWay {
    /// IP packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Of the packets, lost at random, as was asked.
    pub lost: u64,
    /// Of the packets, lost because the queue before the rate was full.
    pub overflowed: u64,
    /// Packets handed over at the other end.
    pub delivered: u64,
    /// How much later than due those were handed over, summed.
    pub late_ns: u64,
    /// Of those, later than a millisecond.
    pub very_late: u64,
}

impl LinkWay {
    /// What was added since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let less = |get: fn(&Self) -> u64| get(self).saturating_sub(get(earlier));
        Self {
            packets: less(|way| way.packets),
            bytes: less(|way| way.bytes),
            lost: less(|way| way.lost),
            overflowed: less(|way| way.overflowed),
            delivered: less(|way| way.delivered),
            late_ns: less(|way| way.late_ns),
            very_late: less(|way| way.very_late),
        }
    }
}
