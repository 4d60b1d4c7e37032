//! A judged run for people and programs: a terminal's table, Markdown, a picture, JSON.
#![forbid(unsafe_code)]

pub mod comparison;
pub mod load;
mod markdown;
mod number;
mod page;
pub mod site;
mod svg;
mod terminal;
mod text;
mod view;
mod words;

pub use markdown::markdown;
pub use page::{page, page_schema};
pub use svg::svg;
pub use terminal::{TerminalOptions, terminal};

use velo_judge::Judgement;

/// The report as JSON, as `schemas/judgement.schema.json` describes it.
pub fn json(judgement: &Judgement) -> String {
    // OK because a judgement has neither maps with keys that are not text nor types that fail to serialise.
    let mut text = serde_json::to_string_pretty(judgement).expect("a judgement is JSON");
    text.push('\n');
    text
}
