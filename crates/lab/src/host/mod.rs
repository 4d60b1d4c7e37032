//! The machine: its CPUs, what else runs on it, and what its kernel counts.

pub(crate) mod counters;
pub(crate) mod host_cpu;
pub(crate) mod machine;
pub(crate) mod network;
pub(crate) mod network_counts;
pub(crate) mod placement;
pub(crate) mod sampling;
pub(crate) mod strict;

pub mod doctor;
pub mod toolchain;
