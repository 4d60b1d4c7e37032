//! Statistics: histograms, quantiles, estimates, ranks. Pure: no input or output, no clock, no unsafe code.
#![forbid(unsafe_code)]

mod histogram;

pub use histogram::{Histogram, HistogramError};

mod fair_coin;
mod interval;
mod interval_log;
mod jain;
mod median;
mod rank;

pub use fair_coin::fair_coin_p_value;
pub use interval::{Estimate, over_launches, ratio_over_launches};
pub use interval_log::{LogInterval, interval_log};
pub use jain::jains_index;
pub use median::median;
pub use rank::{RankRange, rank_ranges};
