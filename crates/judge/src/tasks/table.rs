//! The tasks of a workload as data.

use serde::Serialize;
use velo_model::Workload;

use super::costs::DownloadCost;
use super::handler_share::HandlerShare;
use super::judge::Tasks;
use super::row::TaskRow;

/// Several files that a client fetches with one line: its times are those of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Batch {
    /// How many, two or more.
    pub files: u32,
    /// How many of them may be fetched at the same time.
    pub at_once: u32,
}

impl Batch {
    fn of(workload: &Workload) -> Option<Self> {
        let download = workload.download.as_ref().filter(|download| download.files > 1)?;
        Some(Self { files: download.files, at_once: download.at_once })
    }
}

/// The tasks of a workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskTable {
    /// One row a task: ranked ones first, the shortest steady time first.
    pub rows: Vec<TaskRow>,
    /// What share of a server's answer is its handler's: the task of the same language beside each server.
    pub handler_shares: Vec<HandlerShare>,
    /// Of clients: where an iteration is of several files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
    /// Of clients: what a file costs by parts; it stands with the first size.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<DownloadCost>,
}

impl TaskTable {
    /// Of tasks and of what share of a server's answer is theirs, or of clients and of what files cost them.
    pub(crate) fn new(
        workload: &Workload,
        tasks: &Tasks,
        handler_shares: Vec<HandlerShare>,
        costs: Vec<DownloadCost>,
    ) -> Self {
        let rows = tasks.rows().cloned().collect();
        Self { rows, handler_shares, batch: Batch::of(workload), costs }
    }
}
