//! What is wrong with a coin.

use velo_stats::number::decimals;

use crate::doubt::coin::{CoinFinding, CoinScatter, ScatterOver};
use crate::words::percent_1;

impl CoinScatter {
    /// `draws true differ between launches 31 times as much as a fair coin's`.
    fn in_words(&self) -> String {
        let over = match self.over {
            ScatterOver::Launches => "launches",
            ScatterOver::Windows => "windows",
        };
        let times = self.sum_of_squares / f64::from(self.groups.max(1));
        let times = decimals(times, if times < 10.0 { 2 } else { 0 });
        format!("{} differ between {over} {times} times as much as a fair coin's", self.counted)
    }
}

impl CoinFinding {
    /// What is wrong in words; of a fair coin nothing.
    pub fn in_words(&self) -> String {
        let uneven =
            self.tests.iter().filter(|test| !test.passed).map(|test| {
                format!("{} {}", test.counted, percent_1(test.successes as f64 / test.of as f64))
            });
        let scattered = self.scatter.iter().filter(|test| !test.passed).map(CoinScatter::in_words);
        let uneven: Vec<String> = uneven.collect();
        // A coin that is uneven scatters too, which tells nothing new.
        let failed = if uneven.is_empty() { scattered.collect() } else { uneven };
        format!("the coin is not fair: {}", failed.join(", "))
    }
}
