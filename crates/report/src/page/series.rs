//! The words for a series on the page: its name in the address, its heading, what it is, and who has no point in it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use velo_judge::{JudgedWorkload, Judgement, Series, SeriesLoad, SeriesOf};
use velo_model::ContenderName;

use crate::svg;
use crate::view::series::{label, without};

/// The words for one of a workload's series.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SeriesWords {
    /// Its name in addresses and in files with columns: letters, digits and hyphens, once in a workload.
    pub(crate) id: String,
    /// Its heading.
    pub(crate) label: String,
    /// What it is, in a few words below the chart.
    pub(crate) about: String,
    /// Contenders without a point: who and why.
    pub(crate) without: Vec<(ContenderName, String)>,
    /// Its chart as a file of its own.
    pub(crate) svg: String,
}

/// The words for each series of a workload, in its order.
pub(super) fn words(judgement: &Judgement, workload: &JudgedWorkload) -> Vec<SeriesWords> {
    let mut taken = BTreeSet::new();
    let words = workload.series.iter().map(|series| {
        let mut id = id(series);
        while !taken.insert(id.clone()) {
            id.push_str("-more");
        }
        let (label, about) = label(series, workload);
        SeriesWords {
            id,
            label,
            about: about.to_owned(),
            without: without(series, workload),
            svg: svg::of_series(judgement, workload, series),
        }
    });
    words.collect()
}

fn id(series: &Series) -> String {
    let name = match series.of {
        SeriesOf::Goodput => "goodput",
        SeriesOf::CpuPerRequest => "cpu",
        SeriesOf::CpuAtOneRate => "cpu-at-rate",
        SeriesOf::ResponseP50 => "p50",
        SeriesOf::ResponseP99 => "p99",
        SeriesOf::Memory => "memory",
        SeriesOf::Startup => "startup",
        SeriesOf::Tax => "tax",
        SeriesOf::GrpcTax => "grpc-over-rest",
        SeriesOf::IterationSteady => "task-steady",
        SeriesOf::IterationCold => "task-cold",
        SeriesOf::Makespan => "burst",
        SeriesOf::Call => "call",
        SeriesOf::CallConnect => "call-connect",
        SeriesOf::CallHandshake => "call-tls",
        SeriesOf::CallFirstByte => "call-first-byte",
        SeriesOf::CallRest => "call-rest",
    };
    match series.under {
        SeriesLoad::Burst { requests, connections, first_alone } => {
            let ab = if first_alone { "-ab" } else { "" };
            format!("{name}-{requests}-{connections}{ab}")
        }
        _ => name.to_owned(),
    }
}
