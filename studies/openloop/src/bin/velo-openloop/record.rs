use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::canary::Canary;
use crate::cell::Cell;
use crate::figures::Figures;

/// A line of the runs' file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Line {
    /// The tools that were found, with their versions, and the others, with nothing.
    Tools(BTreeMap<String, Option<String>>),
    /// A run.
    Run(Box<Run>),
}

/// One tool's load on one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) cell: Cell,
    pub(crate) tool: String,
    pub(crate) round: u32,
    pub(crate) seconds: u32,
    /// What the tool says, or why there is nothing.
    pub(crate) figures: Result<Figures, String>,
    /// CPU time of the tool's whole process tree over the seconds asked for.
    pub(crate) cpu_share: f64,
    /// What the server says.
    pub(crate) server: Served,
    pub(crate) canary: Canary,
}

/// The paced server's own report, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Served {
    pub(crate) requests: u64,
    pub(crate) busy_ns: u64,
    pub(crate) alone_requests: u64,
    pub(crate) alone_busy_ns: u64,
    pub(crate) cpu_ns: u64,
    pub(crate) frozen_ns: u64,
    pub(crate) late_ns: u64,
}

/// So few requests have no meaningful mean.
const FEW: u64 = 50;

impl Served {
    /// The mean time for which a request that came alone occupied the server; of all, when none did.
    pub(crate) fn service_ns(&self) -> Option<f64> {
        mean_ns(self.alone_busy_ns, self.alone_requests).or_else(|| mean_ns(self.busy_ns, self.requests))
    }

    /// That of the others; of all, when there were hardly any.
    pub(crate) fn queued_service_ns(&self) -> Option<f64> {
        let requests = self.requests.saturating_sub(self.alone_requests);
        mean_ns(self.busy_ns.saturating_sub(self.alone_busy_ns), requests)
            .or_else(|| mean_ns(self.busy_ns, self.requests))
    }
}

fn mean_ns(sum_ns: u64, count: u64) -> Option<f64> {
    (count >= FEW).then(|| sum_ns as f64 / count as f64)
}

pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join("runs.ndjson")
}

pub(crate) fn append(file: &Path, line: &Line) -> Outcome<()> {
    let mut out = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    writeln!(out, "{}", serde_json::to_string(line)?)?;
    Ok(())
}

pub(crate) fn read(file: &Path) -> Outcome<Vec<Line>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}
