//! A judged load for people and programs.

mod bins;
mod blocks;
mod comparison;
mod csv;
mod distribution;
mod document;
mod figures;
mod grpc;
mod hdr;
mod histogram;
mod live;
mod live_view;
mod over_time;
mod plan;
mod terminal;
#[cfg(test)]
mod tests;

pub use comparison::comparison;
pub use csv::csv;
pub use distribution::distribution;
pub use hdr::hdr_log;
pub use live::{LiveFigures, live_line};
pub use live_view::{LiveView, live_view};
pub use plan::plan_line;
pub use terminal::{hints, terminal};

use velo_judge::load::LoadResult;

use crate::write::html::{Frame, write};

/// The result as one HTML file without a script and without anything from elsewhere. Text from outside is escaped.
pub fn html(result: &LoadResult) -> String {
    let frame = Frame { footer: document::made_by(result), ..Frame::default() };
    write(&document::document(result), &frame)
}

/// The result as JSON, as `schemas/load.schema.json` describes it.
pub fn json(result: &LoadResult) -> String {
    // OK because a result has neither maps with keys that are not text or numbers nor types that fail to serialise.
    let mut text = serde_json::to_string_pretty(result).expect("a load result is JSON");
    text.push('\n');
    text
}
