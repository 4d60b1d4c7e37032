//! What a page shows of a run window by window, beside the judgement.

mod distribution;
mod workload;

pub use distribution::{Distribution, DistributionOf, quantiles};
pub use workload::{
    BurstDetail, ContenderDetail, FigureRatios, PairRatio, ProcessDetail, WindowColumns, WorkloadDetail,
};
