use serde::{Deserialize, Serialize};

/// How far back draws on a connection are compared.
pub const LAGS: usize = 8;

/// Draws of a coin that answers tell of, settling and draining included; 0 stands for false and 1 for true.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoinCounts {
    /// `[bet][draw]`.
    pub draws: [[u64; 2]; 2],
    /// `[draw][next draw on the same connection]`.
    pub successive: [[u64; 2]; 2],
    /// Draws unlike, and like, that so many draws before on the same connection: the first of one draw before, the last of eight.
    pub lags: [[u64; 2]; LAGS],
}

impl CoinCounts {
    /// Adds the counts of another worker or window. Sums saturate, because counts may come from a file that somebody made up.
    pub fn add(&mut self, more: &Self) {
        let counts = [more.draws, more.successive].into_iter().flatten().chain(more.lags).flatten();
        let sums = self.draws.iter_mut().chain(&mut self.successive).chain(&mut self.lags).flatten();
        sums.zip(counts).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }
}
