//! What definitions are called on disk.

/// The file that defines a workload, in its folder.
pub(super) const WORKLOAD_FILE: &str = "workload.toml";
/// The file that defines a contender, in its folder.
pub(super) const CONTENDER_FILE: &str = "contender.toml";
