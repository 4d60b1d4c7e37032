//! From windows to one number a launch, and from those to an estimate.

pub(crate) mod billed_steal;
pub(crate) mod block_logs;
pub(crate) mod blocks;
pub(crate) mod busy;
pub(crate) mod cell;
pub(crate) mod estimate;
pub(crate) mod exposure;
pub(crate) mod figures;
pub(crate) mod launch_logs;
pub(crate) mod pair_ratios;
pub(crate) mod taken;
