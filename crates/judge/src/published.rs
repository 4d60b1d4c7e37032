//! The published table beside the measured one, as scores against the same baseline.

use schemars::JsonSchema;
use serde::Serialize;
use velo_spec::{ContenderName, Workload};

use crate::figures::Estimate;
use crate::row::Row;

/// One row of the published table, and what was measured here.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ComparedRow {
    /// The row's name as published.
    pub row: String,
    /// The contender that stands for it here.
    pub contender: Option<ContenderName>,
    /// Requests per second as published.
    pub requests_per_s: f64,
    /// The published score: its rate over the published baseline's.
    pub there: Option<f64>,
    /// The score measured here.
    pub here: Option<Estimate>,
    /// True when the contender was not the limit here, so that its score is a lower bound.
    pub at_least: bool,
    /// Why there is no score here.
    pub reason: Option<String>,
}

pub(crate) fn compare(workload: &Workload, rows: &[Row], baseline_fault: Option<&str>) -> Vec<ComparedRow> {
    let base = workload.published.iter().find(|row| row.contender.as_ref() == Some(&workload.baseline));
    let base = base.map(|row| row.requests_per_s).filter(|rate| *rate > 0.0);
    let compared = workload.published.iter().map(|published| {
        let (here, at_least, reason) = match measured(published.contender.as_ref(), rows) {
            Ok(row) => match row.against_baseline {
                Some(score) => (Some(score), row.at_least, None),
                None => (None, false, Some(baseline_fault.unwrap_or("there is no score").to_owned())),
            },
            Err(reason) => (None, false, Some(reason)),
        };
        ComparedRow {
            row: published.row.clone(),
            contender: published.contender.clone(),
            requests_per_s: published.requests_per_s,
            there: base.map(|base| published.requests_per_s / base).filter(|score| score.is_finite()),
            here,
            at_least,
            reason,
        }
    });
    compared.collect()
}

fn measured<'r>(contender: Option<&ContenderName>, rows: &'r [Row]) -> Result<&'r Row, String> {
    let contender = contender.ok_or("no contender stands for it")?;
    let row = rows.iter().find(|row| row.contender == *contender).ok_or("not in this run")?;
    if row.against_baseline.is_some() {
        return Ok(row);
    }
    if row.is_comparable() { Ok(row) } else { Err(row.standing()) }
}
