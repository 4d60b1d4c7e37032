//! What a later comparison needs of a run, in one small file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use velo_model::{ContenderName, Figure, Link, LoadCondition, Protocol};
use velo_record::{Bounds, CpuAccounting, Placement};

use crate::measure::launch_logs::LaunchLogs;

/// The version of a snapshot's format; a reader refuses another.
pub const SNAPSHOT_FORMAT: u32 = 3;

/// A run as one number a launch: what `velo compare --save` writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// [`SNAPSHOT_FORMAT`].
    pub format: u32,
    /// When the run began, RFC 3339, UTC.
    pub started_at: String,
    /// The version of `velo` that measured.
    pub velo: String,
    /// The generator's driver: `epoll` or `io_uring`.
    pub driver: String,
    /// `release`, or `debug`.
    pub build: String,
    /// The machine.
    pub host: SnapshotHost,
    /// Which CPUs served and which loaded.
    pub placement: Placement,
    /// Where the contenders' CPU time was read.
    pub cpu_accounting: CpuAccounting,
    /// What servers and tasks were given of the environment of `velo`; empty where that was not recorded.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The names of what fetching and building were given of it in addition.
    #[serde(default)]
    pub build_environment: Vec<String>,
    /// What was asked of the run, as far as figures depend on it.
    pub settings: SnapshotSettings,
    /// Why nothing in it is ranked, when nothing is: partial, a quick look, a disturbed host.
    pub nothing_ranked: Option<String>,
    /// The contenders, whatever they were measured on.
    pub contenders: Vec<SnapshotContender>,
    /// What was measured of contenders outside of any workload.
    pub series: Vec<SnapshotSeries>,
    /// The workloads, in the order asked.
    pub workloads: Vec<SnapshotWorkload>,
}

/// The machine of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotHost {
    /// The CPU's model.
    pub cpu_model: Option<String>,
    /// CPUs online.
    pub cpus: u32,
    /// The kernel's release.
    pub kernel: String,
    /// The hypervisor; `None`: none seen.
    pub virtualisation: Option<String>,
}

/// What was asked of a run, as far as figures depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotSettings {
    /// A quick look.
    pub quick: bool,
    /// The source's own load.
    pub as_published: bool,
    /// A request without an answer after this long was a timeout.
    pub timeout_ns: u64,
    /// What the processes of a contender could have in memory together.
    pub memory_limit_bytes: Option<u64>,
    /// Settings that departed from the workloads' own, each in words.
    pub overrides: Vec<String>,
}

/// What a contender was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotContender {
    /// Its name.
    pub name: ContenderName,
    /// What its version command printed.
    pub version: Option<String>,
    /// SHA-256 over its folder, lower-case hex; `None` of one that was not built.
    pub content_hash: Option<String>,
    /// The versions of the toolchains that it needs.
    pub toolchains: Vec<String>,
}

/// A workload of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotWorkload {
    /// Its name.
    pub name: String,
    /// SHA-256 over its folder, lower-case hex.
    pub hash: String,
    /// Connections.
    pub connections: u32,
    /// A connection was closed after so many requests; left out where they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_connection: Option<u32>,
    /// What was spoken on them.
    #[serde(default)]
    pub protocol: Protocol,
    /// Requests in flight on each.
    #[serde(default = "one")]
    pub streams: u32,
    /// The link between load and contender, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Its own rate of an open loop, in place of a closed one.
    pub rate_per_s: Option<f64>,
    /// The reference that `log_over_reference` is over; `None` when the run has none that can be used.
    pub reference: Option<ContenderName>,
    /// What was measured on it.
    pub series: Vec<SnapshotSeries>,
}

/// Of a snapshot from before there were streams.
fn one() -> u32 {
    1
}

/// A quantity under a load, of all contenders that have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotSeries {
    /// What was measured.
    pub of: Figure,
    /// Under which load.
    pub under: LoadCondition,
    /// The contenders.
    pub points: Vec<SnapshotPoint>,
}

/// A contender in a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotPoint {
    /// The contender.
    pub contender: ContenderName,
    /// It shows the level of the machine and is not compared itself.
    pub is_reference: bool,
    /// Its numbers, in the unit of what was measured.
    pub figure: LaunchFigure,
}

/// A figure of a contender: one number a launch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaunchFigure {
    /// Why it cannot be compared; then it has no numbers.
    pub fault: Option<Fault>,
    /// Why no verdict may rest on it, though it may be shown.
    pub doubt: Option<String>,
    /// One number for each launch, from its blocks, in the figure's unit, above 0; empty where it was not measured.
    pub launches: Vec<f64>,
    /// The logarithm of the figure that the run's own report prints: the mean of those of the launches, where launches that this
    /// contender lacks are made up for by the others. Snapshots of older versions have none.
    #[serde(default)]
    pub log_mean: Option<f64>,
    /// In each launch that has both ln(figure / the reference's), paired by block;
    /// empty without a reference.
    pub log_over_reference: Vec<f64>,
    /// By how much, in logarithms, CPU time that others took in the run may have moved the figure.
    #[serde(default)]
    pub allowance: f64,
    /// The same of the ratio over the reference.
    #[serde(default)]
    pub allowance_over_reference: f64,
}

/// Why a figure cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// One line.
    pub reason: String,
    /// Whether the contender itself failed (excluded, wrong answers, ...), so that it is no matter of the lab.
    pub is_failure: bool,
}

impl LaunchFigure {
    /// Its logarithms, with the mean that the run's own report has.
    pub(super) fn logs(&self) -> LaunchLogs {
        LaunchLogs::of_another_run(&self.launches, self.log_mean)
    }
}

/// Why bytes are not a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// It was written by another version.
    #[error(
        "format {0}, expected {SNAPSHOT_FORMAT}: write it again with this version's velo compare RUN --save FILE"
    )]
    Format(u64),
    /// It holds something else.
    #[error("not a snapshot: {0}\n  expected what velo compare RUN --save FILE wrote, or a run's folder")]
    Json(String),
}

impl Snapshot {
    /// Reads a snapshot. Any bytes get an answer; an error does not name the file.
    ///
    /// # Errors
    /// When the bytes are of another format, or anything else than a snapshot.
    pub fn from_json(bytes: &[u8]) -> Result<Self, SnapshotError> {
        /// Looked at first, so that another version's file is named as one and not as a broken one.
        #[derive(Deserialize)]
        struct Versioned {
            format: u64,
        }

        let Versioned { format } = serde_json::from_slice(bytes).map_err(|error| not_json(&error))?;
        if format != u64::from(SNAPSHOT_FORMAT) {
            return Err(SnapshotError::Format(format));
        }
        Bounds::SNAPSHOT.check(bytes).map_err(|error| not_json(&error))?;
        serde_json::from_slice(bytes).map_err(|error| not_json(&error))
    }

    /// The file's text, as `schemas/snapshot.schema.json` describes it.
    pub fn to_json(&self) -> String {
        // OK because the names in its maps are texts, and its numbers are finite or were read from JSON.
        let mut text = serde_json::to_string_pretty(self).expect("a snapshot is JSON");
        text.push('\n');
        text
    }
}

/// What a damaged file holds may be long and unprintable.
fn not_json(error: &serde_json::Error) -> SnapshotError {
    let sentence = error.to_string();
    let short =
        sentence.chars().take(300).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    SnapshotError::Json(short.collect())
}

/// The JSON Schema of a [`Snapshot`] as it is written: every member is there, missing ones as null.
#[cfg(feature = "schema")]
pub fn snapshot_schema() -> serde_json::Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<Snapshot>().to_value()
}
