//! What a contender costs over the one that it names to be compared with: CPU time per request over that one's. Of a framework that is
//! the raw contender of the same language and host, of a service of gRPC one that answers the same over REST.

use serde::Serialize;
use velo_model::{Contender, ContenderName, Figure, LoadCondition, Protocol};

use super::common_rate::{self, CommonRate, rate_fault};
use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::reason::Reason;
use crate::measure::cell::{Cell, Cells};
use crate::measure::estimate::Estimate;
use crate::rows::row::Row;
use crate::table::measurement::{Measurement, Point};
use crate::words::as_json::some_in_words;

/// What a contender costs over another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tax {
    /// The cost of what.
    pub of: TaxOf,
    /// The contender.
    pub contender: ContenderName,
    /// The one that it is compared with.
    pub base: ContenderName,
    /// CPU time per request over the other's, each at its own goodput over the same connections, paired by block.
    pub ratio: Option<Estimate>,
    /// What the interval tells.
    pub told: Told,
    /// Why there is no ratio, or why it tells nothing.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<Reason>,
    /// The same while both are given the same work, where both met a common rate.
    pub at_common_rate: Option<TaxAtRate>,
    /// What else differed between the two, and is in the ratio.
    pub unlike: Vec<Unlike>,
}

/// What costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TaxOf {
    /// A framework over the raw contender of the same language and host.
    Framework,
    /// A service of gRPC over the contender of the same language that answers the same over REST.
    Grpc,
}

/// A ratio at a rate that both were given.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaxAtRate {
    /// The rate.
    pub rate_per_s: f64,
    /// CPU time per request over the other's, paired by block.
    pub ratio: Estimate,
}

/// What differed between a contender and the one that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Unlike {
    /// What carried the requests: HTTP/2 or HTTP/1.1.
    Protocol {
        /// Spoken to the contender.
        contender: Protocol,
        /// Spoken to the other.
        base: Protocol,
    },
    /// The connections that were open.
    Connections {
        /// To the contender, the fewest at the end of a window.
        contender: u32,
        /// To the other.
        base: u32,
    },
}

/// What an interval around a ratio tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// It costs more.
    More,
    /// It costs less.
    Less,
    /// Cannot be told.
    Open,
}

impl TaxOf {
    /// Both, in the order to show them.
    pub const ALL: [Self; 2] = [Self::Framework, Self::Grpc];

    fn figure(self) -> Figure {
        match self {
            Self::Framework => Figure::Tax,
            Self::Grpc => Figure::GrpcTax,
        }
    }

    /// Whom a contender is compared with.
    fn base(self, contender: &Contender) -> Option<&ContenderName> {
        match self {
            Self::Framework => contender.raw.as_ref(),
            Self::Grpc => contender.rest.as_ref(),
        }
    }
}

impl Tax {
    /// As a figure beside the others.
    pub(crate) fn measurement(&self) -> Measurement {
        let point = Point { over: Some(self.base.clone()), reason: self.reason.clone(), ..Point::default() };
        Measurement::new(&self.contender, self.of.figure(), LoadCondition::None, self.ratio)
            .shown(Some(point))
    }
}

/// The taxes of a workload's measured rows, dearest first of each kind.
pub(crate) fn of_workload(
    cells: &Cells<'_>,
    workload: &str,
    rows: &[Row],
    common_rate: &CommonRate,
    confidence: f64,
) -> Vec<Tax> {
    let of_kind = |of: TaxOf| {
        let mut taxes: Vec<Tax> = rows
            .iter()
            .filter(|row| row.windows > 0)
            .filter_map(|row| {
                let cell = cells.get(workload, &row.contender)?;
                let base = of.base(&cell.record.manifest)?;
                let usable = usable((cell, row), base, rows, cells);
                Some(tax(of, (cell, row), base, usable, common_rate, confidence))
            })
            .collect();
        let value = |tax: &Tax| tax.ratio.map_or(0.0, |ratio| ratio.value);
        taxes.sort_by(|a, b| value(b).total_cmp(&value(a)));
        taxes
    };
    TaxOf::ALL.into_iter().flat_map(of_kind).collect()
}

fn tax(
    of: TaxOf,
    (cell, row): (&Cell<'_>, &Row),
    base: &ContenderName,
    pair: Result<(&Cell<'_>, &Row), Reason>,
    common_rate: &CommonRate,
    confidence: f64,
) -> Tax {
    let found = pair.as_ref().map_err(Clone::clone).and_then(|(base_cell, _)| {
        let over = of.figure().row().ratio_of.map(|of| cell.over(base_cell, of));
        over.and_then(|ratio| ratio.estimate(confidence)).ok_or(Reason::CpuTimesUnknown)
    });
    let at_common_rate = pair.as_ref().ok().and_then(|(base_cell, base_row)| {
        let rate_per_s = rate_of_both(row, base_row)?;
        // Where the two are compared as a pair at that rate, it is that pair's ratio.
        let pair = common_rate.ratio(rate_per_s, &row.contender, base);
        let own = || common_rate::over(cell, base_cell, rate_per_s).estimate(confidence);
        Some(TaxAtRate { rate_per_s, ratio: pair.or_else(own)? })
    });
    let unlike = pair.as_ref().map(|(_, base_row)| unlike(row, base_row)).unwrap_or_default();
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
    let contender = row.contender.clone();
    Tax { of, contender, base: base.clone(), ratio, told, reason, at_common_rate, unlike }
}

/// The one that a contender is compared with, where the CPU times of both can be used.
fn usable<'a>(
    (cell, row): (&Cell<'_>, &Row),
    base: &ContenderName,
    rows: &'a [Row],
    cells: &'a Cells<'_>,
) -> Result<(&'a Cell<'a>, &'a Row), Reason> {
    let absent = || Reason::Absent { contender: base.clone() };
    let base_row = rows.iter().find(|row| row.contender == *base).ok_or_else(absent)?;
    let fault = |row: &Row| row.cpu_fault().map(|fault| fault.of(&row.contender));
    fault(row).or_else(|| fault(base_row)).map_or(Ok(()), Err)?;
    let base_cell = cells.get(&cell.workload.name, base).ok_or_else(absent)?;
    Ok((base_cell, base_row))
}

/// The highest rate that both were given as the same work, and met.
fn rate_of_both(row: &Row, base: &Row) -> Option<f64> {
    let met = |row: &'_ Row| -> Vec<f64> {
        let met = row.at_common_rates().filter(|figures| rate_fault(figures).is_none());
        met.map(|figures| figures.rate_per_s).collect()
    };
    let rates = met(base);
    met(row).into_iter().filter(|rate| rates.contains(rate)).max_by(f64::total_cmp)
}

fn unlike(row: &Row, base: &Row) -> Vec<Unlike> {
    let (spoken, to_base) = (row.protocol, base.protocol);
    let is_other = spoken.is_http2() != to_base.is_http2() || spoken.is_encrypted() != to_base.is_encrypted();
    let protocol = is_other.then_some(Unlike::Protocol { contender: spoken, base: to_base });
    let open = row.connections.established_least.zip(base.connections.established_least);
    let connections = open
        .filter(|(contender, base)| contender != base)
        .map(|(contender, base)| Unlike::Connections { contender, base });
    protocol.into_iter().chain(connections).collect()
}
