//! What is judged of one workload.

use velo_model::{ContenderName, Figure, Link, LoadCondition, Protocol, Source};

use crate::calls::CallTable;
use crate::claims::claim::JudgedClaim;
use crate::claims::published::ComparedRow;
use crate::doubt::control::Control;
use crate::doubt::reason::Reason;
use crate::doubt::strictness::StrictnessCase;
use crate::measure::estimate::Estimate;
use crate::rank::cost::Cost;
use crate::rank::pairs::{FigurePairs, Pairs};
use crate::rank::tax::Tax;
use crate::rows::bursts::JudgedBurst;
use crate::rows::row::Row;
use crate::table::series::{Series, SeriesPoint};
use crate::tasks::TaskTable;
use crate::words::as_json::some_in_words;
use serde::Serialize;

/// A workload of a judged run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgedWorkload {
    /// Its name, or that of one of its loads.
    pub name: String,
    /// The name that `velo run` takes: that of the workload, where `name` is that of one of several loads.
    pub listed_as: String,
    /// One line: what is asked.
    pub question: String,
    /// The published comparison that it reproduces.
    pub source: Source,
    /// Connections, each with [`JudgedWorkload::streams`] requests in flight.
    pub connections: u32,
    /// What was spoken on them.
    pub protocol: Protocol,
    /// Requests in flight on each.
    pub streams: u32,
    /// Connections were closed after so many requests; left out where they were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_connection: Option<u32>,
    /// The link between load and contender, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// The workload's own rate of an open loop, in place of a closed one.
    pub rate_per_s: Option<f64>,
    /// The contender that scores are relative to.
    pub baseline: ContenderName,
    /// Why there are no scores, when there are none.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub baseline_fault: Option<Reason>,
    /// The generator's ceiling on this host: the reference's goodput.
    pub ceiling_per_s: Option<Estimate>,
    /// The reference against itself.
    pub controls: Vec<Control>,
    /// One row a contender: ranked ones first, best first.
    pub rows: Vec<Row>,
    /// What its contenders are compared by, each in the same shape; the one that ranks them first.
    pub series: Vec<Series>,
    /// How those compare that are ranked, by each figure that at least two are ranked by.
    pub pairs: Vec<FigurePairs>,
    /// What a stated load would cost, when that was asked.
    pub cost: Option<Cost>,
    /// Programs without a server; none where the run has none.
    pub tasks: Option<TaskTable>,
    /// Single calls; none where the run has none.
    pub calls: Option<CallTable>,
    /// Requests sent at once, and the sweep of connections.
    pub bursts: Vec<JudgedBurst>,
    /// What frameworks cost over the raw contender, and gRPC over REST.
    pub taxes: Vec<Tax>,
    /// The published table beside the measured one.
    pub published: Vec<ComparedRow>,
    /// The published claims and their verdicts.
    pub claims: Vec<JudgedClaim>,
    /// What contenders do with input that the workload leaves to them.
    pub strictness: Vec<StrictnessCase>,
}

impl JudgedWorkload {
    /// How those compare that are ranked by a figure; `under`: under this load, else under the first that it has. `None` where fewer than
    /// two are.
    pub fn pairs_by(&self, figure: Figure, under: Option<LoadCondition>) -> Option<&Pairs> {
        let is_meant = |own: LoadCondition| under.is_none_or(|under| own == under);
        let own = self.pairs.iter().find(|own| own.of == figure && is_meant(own.under));
        own.map(|own| &own.pairs)
    }

    /// The series of a figure under a load that is meant.
    pub fn series_of(&self, figure: Figure, is_meant: impl Fn(LoadCondition) -> bool) -> Option<&Series> {
        self.series.iter().find(|own| own.of == figure && is_meant(own.under))
    }

    /// A contender's place in the series of a figure; `None` where it has none.
    pub fn point(&self, figure: Figure, contender: &ContenderName) -> Option<&SeriesPoint> {
        let series = self.series_of(figure, |_| true)?;
        series.points.iter().find(|point| point.contender == *contender)
    }

    /// Whether a contender of it is a service of gRPC.
    pub fn is_grpc(&self, contender: &ContenderName) -> bool {
        let rows = self.rows.iter().map(|row| (&row.contender, row.protocol));
        let conditions = self.calls.iter().flat_map(|table| &table.conditions);
        let calls = conditions.flat_map(|under| &under.rows).map(|row| (&row.contender, row.protocol));
        rows.chain(calls).any(|(name, protocol)| name == contender && protocol.is_grpc())
    }
}
