//! The files of a run's folder, and how long they may be.

/// The version of the format; a reader refuses another.
pub const FORMAT: u32 = 5;

/// The file of everything but the windows.
pub(crate) const RUN_FILE: &str = "run.json";
/// The file with one line a window.
pub(crate) const WINDOWS_FILE: &str = "windows.ndjson";
/// The file with one line for single calls under a condition; there only where some were made.
pub(crate) const CALLS_FILE: &str = "calls.ndjson";
/// The folder of what builds and contenders printed.
pub(crate) const LOGS: &str = "logs";

/// A run file holds no windows: 60 contenders with 40 launches and all of their READMEs have less than 16 MiB.
pub(crate) const MAX_RUN_BYTES: u64 = 32 << 20;
/// Eight workloads with 60 contenders, 40 launches and 10 blocks, each of a window and one at a rate for all, have 1.5 GB; with
/// 100 blocks a single one has 1.9 GB. What reading takes is at most four times as much.
pub(crate) const MAX_WINDOWS_BYTES: u64 = 2 << 30;
/// 200,000 blocks, each with ten calls of 400 bytes.
pub(crate) const MAX_CALLS_BYTES: u64 = 1 << 30;
/// One window with its histogram and its counts for each connection.
pub(crate) const MAX_LINE_BYTES: usize = 4 << 20;
