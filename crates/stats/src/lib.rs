//! Statistics: histograms, quantiles, estimates, ranks. Pure: no input or output, no clock, no unsafe code.
#![forbid(unsafe_code)]

pub mod estimate;
mod histogram;

pub use histogram::{Histogram, HistogramError};

mod batches;
mod binomial;
mod dispersion;
mod fair_coin;
mod gamma;
mod geometric;
mod holm;
mod interval_log;
mod jain;
mod knee;
mod looks;
mod median;
mod moments;
mod noncentral;
pub mod number;
mod pairs;
mod percentile;
mod power;
mod rank;
mod sequential;
mod shift;
mod splitmix;
mod squeeze;
mod steadiness;
mod student;
mod two_way;
mod welch;

pub use batches::{batch_medians, batch_of, batches};
pub use binomial::binomial_at_most;
pub use dispersion::{Dispersion, LEAST_GROUP, dispersion};
pub use estimate::{CONFIDENCE, Interval, LEAST_FOR_INTERVAL, allowing};
pub use fair_coin::fair_coin_p_value;
pub use geometric::{GeometricMeans, LogsByWorkload, geometric_means};
pub use holm::holm_adjusted;
pub use interval_log::{LogInterval, interval_log};
pub use jain::jains_index;
pub use knee::{KNEE_FACTOR, Knee, KneeEnd, LoadPoint, knee};
pub use looks::{LEVEL, Look, look_at_the_end, looks};
pub use median::{lower_median, median};
pub use noncentral::{noncentral_t_cdf, noncentrality_for_power};
pub use pairs::{Comparison, FEW_VARIANCES, Pair, PairLogs, PairRules, PairState, PairTest, compare_pairs};
pub use percentile::percentile_over_launches;
pub use rank::{RankRange, rank_ranges};
pub use sequential::{
    MOST_SEQUENTIAL_TESTS, SEQUENTIAL_LEVEL, SEQUENTIAL_MISS, SequentialLook, SequentialState,
    SequentialTest, sequential_looks, sequential_test,
};
pub use shift::{LEAST_SPREAD, LogsByLaunch, SHIFT_CONFIDENCE, Shift, Slope, shift, slope};
pub use splitmix::SplitMix64;
pub use squeeze::{Prior, SampleVariance, fit_prior};
pub use steadiness::{LaunchBlocks, STEADY_WITHIN, Steadiness, SteadyState, steadiness};
pub use student::{LEAST_DF, StudentT};
pub use two_way::{levels_in_launch, means_over_launches};
pub use welch::{Welch, welch};
