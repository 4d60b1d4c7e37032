//! From windows to one number a launch, and from those to an estimate.

pub(crate) mod blocks;
pub(crate) mod cell;
pub(crate) mod figures;
pub(crate) mod launch_logs;
pub(crate) mod logs;
