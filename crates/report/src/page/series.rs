//! The words for a series on the page: its name in the address, its heading, what it is, and who has no point in it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use velo_judge::{JudgedWorkload, Judgement, Series};
use velo_model::{ContenderName, LoadCondition};

use crate::svg;
use crate::view::series::{label, without};
use crate::words::figures;

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
    let name = figures::of(series.of).id;
    match series.under {
        LoadCondition::Burst { requests, connections, first_alone } => {
            let ab = if first_alone { "-ab" } else { "" };
            format!("{name}-{requests}-{connections}{ab}")
        }
        _ => name.to_owned(),
    }
}
