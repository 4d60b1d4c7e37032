//! What is counted of requests: plain types that the load engine fills, a run's record keeps and judging reads.

mod coin;
mod outcomes;
mod span;

pub use coin::{CoinCounts, LAGS};
pub use outcomes::Outcomes;
pub use span::RequestSpan;
