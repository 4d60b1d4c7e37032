//! What is counted of requests and links: plain types that the load engine fills, a run's record keeps and judging reads.

mod coin;
mod grpc;
mod link;
mod outcomes;
mod span;

pub use coin::{CoinCounts, LAGS};
pub use grpc::{grpc_status_code, grpc_status_name};
pub use link::LinkWay;
pub use outcomes::Outcomes;
pub use span::RequestSpan;
