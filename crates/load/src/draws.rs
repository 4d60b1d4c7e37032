//! What the answers say was drawn, as counts of what followed what on a connection: whether draws are independent.

use velo_model::{CoinCounts, LAGS};

use crate::check::Toss;

/// So many draws are remembered: the latest, and as many before it as there are lags.
const MOST: u32 = LAGS as u32 + 1;
/// As many as there are values of [`Draws`].
const PATTERNS: usize = 1 << (MOST + 1);

/// The last draws on a connection, the latest in the lowest bit, below a bit that tells how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draws(u16);

impl Default for Draws {
    fn default() -> Self {
        Self(1)
    }
}

impl Draws {
    /// One more draw, and the place of what is now remembered among all that can be.
    fn push(&mut self, draw: bool) -> usize {
        let more = self.0 << 1 | u16::from(draw);
        let full = 1 << MOST;
        self.0 = if more >= 2 * full { more & (full - 1) | full } else { more };
        usize::from(self.0)
    }
}

/// Counts each toss by what was drawn before it on its connection: one addition a toss, for all lags.
#[derive(Debug, Clone)]
pub(crate) struct DrawCounter {
    draws: [[u64; 2]; 2],
    patterns: [u64; PATTERNS],
}

impl Default for DrawCounter {
    fn default() -> Self {
        Self { draws: [[0; 2]; 2], patterns: [0; PATTERNS] }
    }
}

impl DrawCounter {
    pub(crate) fn toss(&mut self, toss: Toss, before: &mut Draws) {
        self.draws[usize::from(toss.bet)][usize::from(toss.draw)] += 1;
        self.patterns[before.push(toss.draw) % PATTERNS] += 1;
    }

    /// What the patterns come to; `None` when nothing was tossed.
    pub(crate) fn counts(&self) -> Option<CoinCounts> {
        if self.draws == [[0; 2]; 2] {
            return None;
        }
        let mut coin = CoinCounts { draws: self.draws, ..CoinCounts::default() };
        for (pattern, &count) in self.patterns.iter().enumerate().skip(2).filter(|(_, count)| **count > 0) {
            let (known, latest) = (pattern.ilog2() as usize, pattern & 1);
            for lag in 1..known {
                coin.lags[lag - 1][usize::from(pattern >> lag & 1 == latest)] += count;
            }
            if known > 1 {
                coin.successive[pattern >> 1 & 1][latest] += count;
            }
        }
        Some(coin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(draws: &[bool]) -> CoinCounts {
        let (mut counter, mut before) = (DrawCounter::default(), Draws::default());
        draws.iter().for_each(|&draw| counter.toss(Toss { bet: true, draw }, &mut before));
        counter.counts().expect("something was tossed")
    }

    #[test]
    fn without_a_toss_there_are_no_counts() {
        assert_eq!(DrawCounter::default().counts(), None);
    }

    #[test]
    fn a_pattern_that_repeats_shows_at_its_length() {
        let pairs: Vec<bool> = (0..400).map(|i| i % 4 >= 2).collect();
        let coin = counted(&pairs);
        assert_eq!((coin.lags[1], coin.lags[3]), ([398, 0], [0, 396]));
        assert_eq!(coin.successive, [[100, 100], [99, 100]]);
        let eight = [false, false, false, true, false, true, true, true];
        let coin = counted(&eight.repeat(50));
        assert_eq!(coin.lags[7], [0, 392]);
        assert_eq!(coin.lags[0][0] + coin.lags[0][1], 399);
    }

    proptest! {
        /// The oracle looks back into the list.
        #[test]
        fn counts_what_a_list_of_all_draws_shows(draws in proptest::collection::vec(any::<bool>(), 1..200)) {
            let coin = counted(&draws);
            let mut expected = CoinCounts::default();
            for (at, &draw) in draws.iter().enumerate() {
                expected.draws[1][usize::from(draw)] += 1;
                for lag in 1..=LAGS.min(at) {
                    expected.lags[lag - 1][usize::from(draws[at - lag] == draw)] += 1;
                }
                if at > 0 {
                    expected.successive[usize::from(draws[at - 1])][usize::from(draw)] += 1;
                }
            }
            prop_assert_eq!(coin, expected);
        }
    }
}
