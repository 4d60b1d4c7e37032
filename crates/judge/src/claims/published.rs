//! The published table beside the measured one, as scores against the same baseline.

use serde::Serialize;
use velo_model::{
    CallCondition, ClaimLoad, ContenderName, Figure, LoadCondition, PublishedFigure, PublishedRow, Workload,
};

use crate::doubt::reason::Reason;
use crate::measure::estimate::Estimate;
use crate::rows::row::Row;
use crate::table::Table;
use crate::table::measurement::Measurement;
use crate::words::as_json::some_in_words;

/// One row of the published table, and what was measured here.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedRow {
    /// The row's name as published.
    pub row: String,
    /// The contender that stands for it here.
    pub contender: Option<ContenderName>,
    /// What was published of it.
    #[serde(flatten)]
    pub figure: PublishedFigure,
    /// The published score: its rate over the published baseline's. Of a burst: seconds; of a task or a call: milliseconds.
    pub there: Option<f64>,
    /// The same, measured here; of a burst as `ab` does it, of a task its steady time.
    pub here: Option<Estimate>,
    /// Seconds of the burst with all connections opened at once.
    pub at_once: Option<Estimate>,
    /// Milliseconds of a task's first iteration.
    pub cold: Option<Estimate>,
    /// A task's published time over that of the published baseline, where that is a task.
    pub times_baseline: Option<f64>,
    /// True when the contender was not the limit here, so that its score is a lower bound.
    pub at_least: bool,
    /// Why there is no figure here.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<Reason>,
}

/// What was measured here for a published row.
#[derive(Default)]
struct Here {
    figure: Option<Estimate>,
    at_once: Option<Estimate>,
    cold: Option<Estimate>,
    at_least: bool,
}

/// What the rows of a published table are compared with.
pub(crate) struct Measured<'a> {
    pub(crate) rows: &'a [Row],
    pub(crate) table: &'a Table,
    pub(crate) baseline_fault: Option<&'a Reason>,
}

pub(crate) fn compare(workload: &Workload, measured: &Measured<'_>) -> Vec<ComparedRow> {
    let rate = |row: &PublishedRow| match row.figure {
        PublishedFigure::RequestsPerS(rate) => Some(rate),
        PublishedFigure::Makespan { .. } | PublishedFigure::IterationMs(_) | PublishedFigure::Call { .. } => {
            None
        }
    };
    let base = workload.published.iter().find(|row| row.contender.as_ref() == Some(&workload.baseline));
    let base = base.and_then(rate).filter(|rate| *rate > 0.0);
    let compared = workload.published.iter().map(|published| {
        let contender = published.contender.as_ref();
        let (there, here) = match published.figure {
            PublishedFigure::RequestsPerS(rate) => {
                let there = base.map(|base| rate / base).filter(|score| score.is_finite());
                (there, score(contender, measured))
            }
            PublishedFigure::Makespan { requests, seconds } => {
                (Some(seconds), makespan(contender, requests, workload, measured.table))
            }
            PublishedFigure::IterationMs(ms) => {
                (Some(ms), iteration(contender, &workload.name, measured.table))
            }
            PublishedFigure::Call { ms, condition } => {
                (Some(ms), call(contender, condition, &workload.name, measured.table))
            }
        };
        let (here, reason) = match here {
            Ok(here) => (here, None),
            Err(Reason::NotInRun) => (Here::default(), Some(not_in_run(published))),
            Err(reason) => (Here::default(), Some(reason)),
        };
        ComparedRow {
            row: published.row.clone(),
            contender: published.contender.clone(),
            figure: published.figure,
            there,
            here: here.figure,
            at_once: here.at_once,
            cold: here.cold,
            times_baseline: times_baseline(published, workload),
            at_least: here.at_least,
            reason,
        }
    });
    compared.collect()
}

fn not_in_run(published: &PublishedRow) -> Reason {
    published.not_measured.clone().map_or(Reason::NotInRun, |why| Reason::NotMeasured { why })
}

fn score(contender: Option<&ContenderName>, all: &Measured<'_>) -> Result<Here, Reason> {
    let row = measured(contender, all.rows)?;
    let fault = || all.baseline_fault.cloned().unwrap_or(Reason::NoScore);
    let score = row.against_baseline.ok_or_else(fault)?;
    Ok(Here { figure: Some(score), at_least: row.at_least, ..Here::default() })
}

/// Both ways of a burst; when one of them says nothing the other stands alone.
fn makespan(
    contender: Option<&ContenderName>,
    requests: u32,
    workload: &Workload,
    table: &Table,
) -> Result<Here, Reason> {
    let contender = contender.ok_or(Reason::Unmapped)?;
    let row = table.of(&workload.name, contender, Figure::Startup, |_| true).ok_or(Reason::NotInRun)?;
    row.usable()?;
    let [as_ab, at_once] = [true, false].map(|first_alone| {
        let is_meant = |load| ClaimLoad::Burst { requests, first_alone }.means(load, true);
        let found = table.of(&workload.name, contender, Figure::Makespan, is_meant);
        found.ok_or_else(|| Reason::NoBurst { contender: contender.clone(), requests })?.usable()
    });
    let seconds = |one: &Measurement| one.estimate.and_then(|ns| ns.times(1e-9));
    match (as_ab, at_once) {
        (Err(reason), Err(_)) => Err(reason),
        (as_ab, at_once) => Ok(Here {
            figure: as_ab.ok().and_then(seconds),
            at_once: at_once.ok().and_then(seconds),
            ..Here::default()
        }),
    }
}

/// Milliseconds of a task.
fn iteration(contender: Option<&ContenderName>, workload: &str, table: &Table) -> Result<Here, Reason> {
    let contender = contender.ok_or(Reason::Unmapped)?;
    let ms = |figure| {
        let found = table.of(workload, contender, figure, |_| true).ok_or(Reason::NotInRun)?;
        Ok::<_, Reason>(found.usable()?.estimate.and_then(|ns| ns.times(1e-6)))
    };
    Ok(Here { figure: ms(Figure::IterationSteady)?, cold: ms(Figure::IterationCold)?, ..Here::default() })
}

/// Milliseconds of a single call.
fn call(
    contender: Option<&ContenderName>,
    condition: CallCondition,
    workload: &str,
    table: &Table,
) -> Result<Here, Reason> {
    let contender = contender.ok_or(Reason::Unmapped)?;
    let is_meant = |load: LoadCondition| load.call() == Some(condition);
    let found = table.of(workload, contender, Figure::Call, is_meant).ok_or(Reason::NotInRun)?;
    found.fault.clone().map_or(Ok(()), Err)?;
    Ok(Here { figure: found.estimate.and_then(|ns| ns.times(1e-6)), ..Here::default() })
}

fn times_baseline(published: &PublishedRow, workload: &Workload) -> Option<f64> {
    let ms = |row: &PublishedRow| match row.figure {
        PublishedFigure::IterationMs(ms) => Some(ms),
        PublishedFigure::RequestsPerS(_)
        | PublishedFigure::Makespan { .. }
        | PublishedFigure::Call { .. } => None,
    };
    let is_baseline = |row: &&PublishedRow| row.contender.as_ref() == Some(&workload.baseline);
    let baseline = workload.published.iter().filter(is_baseline).find_map(ms)?;
    Some(ms(published)? / baseline).filter(|ratio| ratio.is_finite())
}

fn measured<'r>(contender: Option<&ContenderName>, rows: &'r [Row]) -> Result<&'r Row, Reason> {
    let contender = contender.ok_or(Reason::Unmapped)?;
    let row = rows.iter().find(|row| row.contender == *contender).ok_or(Reason::NotInRun)?;
    if row.against_baseline.is_some() {
        return Ok(row);
    }
    if row.is_comparable() { Ok(row) } else { Err(Reason::Standing(Box::new(row.state.clone()))) }
}
