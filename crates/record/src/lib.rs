//! What a run leaves on disk: its types, their writer and reader, their JSON Schemas.
//!
//! A run is a folder: `run.json` (what was asked, the host, each contender's story; replaced whole at each change
//! of state), `windows.ndjson` (one line a window, appended before the next window begins), `calls.ndjson` (the same of single
//! calls, where there are some) and `logs/`. An archive has the files of one in a single file.

mod against;
mod archive;
mod bounds;
mod call;
#[cfg(feature = "load")]
mod counted;
mod error;
mod folder;
mod histogram;
mod host;
mod load;
mod party;
mod placement;
mod read;
mod run;
#[cfg(feature = "schema")]
mod schema;
mod task;
mod whole;
mod window;
mod write;

pub use against::{AgainstBlock, AgainstRecord, AgainstService, AgainstSide, AgainstWindow};
pub use archive::{Archive, is_archive, read_archive};
pub use bounds::Bounds;
pub use call::{CallAgreed, CallBlock, CallRecord};
#[cfg(feature = "load")]
pub use counted::spans_in_order;
pub use error::RecordError;
pub use folder::FORMAT;
pub use histogram::EncodedHistogram;
pub use host::{BusyProcess, Canary, HardwareCounters, HostFacts, Pressure, ToolchainFact};
pub use load::{
    LoadConnections, LoadCpuLimit, LoadGrpc, LoadGrpcError, LoadMoment, LoadProtocol, LoadRecord,
    LoadSchedule, LoadSettings, LoadTarget, LoadTls,
};
pub use party::Party;
pub use placement::{PartyCpus, Placement};
pub use read::{Run, read_run};
pub use run::{
    BuildRecord, CaseRecord, ContenderRecord, ContenderState, CostQuestion, Costs, CpuAccounting, EndedBy,
    ExpectedPrecision, External, GroupRate, Identity, LaunchRecord, Look, Plan, PlannedTime, RunFile,
    RunState, Settings, Stage, StopRecord, Timings, WarmUpRecord,
};
#[cfg(feature = "schema")]
pub use schema::{call_schema, run_schema, window_schema};
pub use task::{TaskIteration, TaskProcess};
pub use velo_model::{CoinCounts, LinkWay, Outcomes, RequestSpan};
pub use whole::{ResultFile, write_whole};
pub use window::{
    BurstSaturation, BurstShape, BurstWindow, ConnectionCounts, DRAIN_NS, DataWindow, HostWindow, LinkWindow,
    PacedWindow, Purpose, RatePurpose, RequestCounts, Window, WindowKind,
};
pub use write::RunWriter;
