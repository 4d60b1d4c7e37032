//! Framework tax: CPU time per request over the raw contender of the same language and host.

use schemars::JsonSchema;
use serde::Serialize;
use velo_spec::ContenderName;

use crate::checks::bounds::LEAST_LAUNCHES;
use crate::claims::claim::Evidence;
use crate::rows::reason::Reason;
use crate::rows::row::Row;
use crate::series::cell::Cell;
use crate::series::estimate::Estimate;
use crate::series::figures::Quantity;
use crate::words::as_json::some_in_words;

/// What a framework costs over the raw contender that it stands on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Tax {
    /// The framework.
    pub contender: ContenderName,
    /// The raw contender.
    pub raw: ContenderName,
    /// CPU time per request over the raw contender's, paired by block.
    pub ratio: Option<Estimate>,
    /// What the interval tells.
    pub told: Told,
    /// Why there is no ratio, or why it tells nothing.
    #[serde(serialize_with = "some_in_words")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<Reason>,
}

/// What an interval around a ratio tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// It costs more.
    More,
    /// It costs less.
    Less,
    /// Cannot be told.
    Open,
}

/// The taxes of a workload's measured rows, dearest first.
pub(crate) fn of_workload(evidence: &Evidence<'_>, workload: &str, rows: &[Row]) -> Vec<Tax> {
    let mut taxes: Vec<Tax> = rows
        .iter()
        .filter(|row| row.windows > 0)
        .filter_map(|row| {
            let cell = evidence.cells.get(workload, &row.contender)?;
            let raw = cell.record.manifest.raw.as_ref()?;
            Some(tax(cell, raw, row, rows, evidence))
        })
        .collect();
    let value = |tax: &Tax| tax.ratio.map_or(0.0, |ratio| ratio.value);
    taxes.sort_by(|a, b| value(b).total_cmp(&value(a)));
    taxes
}

fn tax(cell: &Cell<'_>, raw: &ContenderName, row: &Row, rows: &[Row], evidence: &Evidence<'_>) -> Tax {
    let absent = || Reason::Absent { contender: raw.clone() };
    let found = (|| {
        let raw_row = rows.iter().find(|row| row.contender == *raw);
        let raw_row = raw_row.ok_or_else(absent)?;
        row.cpu_fault().or_else(|| raw_row.cpu_fault()).map_or(Ok(()), Err)?;
        let raw_cell = evidence.cells.get(&cell.workload.name, raw);
        let raw_cell = raw_cell.ok_or_else(absent)?;
        cell.over(raw_cell, Quantity::CpuPerRequest)
            .estimate(evidence.confidence)
            .ok_or(Reason::CpuTimesUnknown)
    })();
    let (ratio, reason) = match found {
        Ok(ratio) => (Some(ratio), None),
        Err(reason) => (None, Some(reason)),
    };
    let few = ratio.is_some_and(|ratio| ratio.launches < LEAST_LAUNCHES);
    let told = match ratio.filter(|_| !few).and_then(|ratio| ratio.interval()) {
        Some((low, _)) if low > 1.0 => Told::More,
        Some((_, high)) if high < 1.0 => Told::Less,
        _ => Told::Open,
    };
    let reason = reason.or_else(|| few.then_some(Reason::FewerLaunches { needed: LEAST_LAUNCHES }));
    Tax { contender: row.contender.clone(), raw: raw.clone(), ratio, told, reason }
}
