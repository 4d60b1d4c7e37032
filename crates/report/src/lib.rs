//! A judged run for people and programs: a terminal's table, Markdown, a picture, JSON.
#![forbid(unsafe_code)]

pub mod against;
mod document;
pub mod gate;
pub mod load;
mod number;
mod section;
pub mod shell;
pub mod site;
mod text;
mod verification;
mod words;
mod write;

pub use document::Weight;
pub use text::visible;
pub use verification::verification_junit;
pub use write::page::page;
#[cfg(feature = "schema")]
pub use write::page::page_schema;
pub use write::svg::svg;
pub use write::terminal::TerminalOptions;

use velo_judge::Judgement;

pub use section::{carried, load_in_words, turns};
pub use words::launches::{listens_on_all, log_cut};

/// The report for a terminal, the answer at its end: there it is on the screen when a run ends. Text from outside is stripped of
/// escape sequences and control characters.
pub fn terminal(judgement: &Judgement, options: &TerminalOptions) -> String {
    write::terminal::print(&section::run::document(judgement), options)
}

/// The report as Markdown (CommonMark with tables). Text from outside is escaped.
pub fn markdown(judgement: &Judgement) -> String {
    write::markdown::write(&section::run::document(judgement))
}

/// The report as JSON, as `schemas/judgement.schema.json` describes it.
pub fn json(judgement: &Judgement) -> String {
    // OK because a judgement has neither maps with keys that are not text nor types that fail to serialise.
    let mut text = serde_json::to_string_pretty(judgement).expect("a judgement is JSON");
    text.push('\n');
    text
}

/// What contenders do with odd input, without a run.
pub mod strictness {
    use velo_judge::StrictnessTable;

    use crate::TerminalOptions;

    /// For a terminal: for each case, who answers what. Text from outside is stripped of escape sequences and control characters.
    pub fn terminal(tables: &[StrictnessTable], options: &TerminalOptions) -> String {
        crate::write::terminal::print(&crate::section::strictness::document(tables), options)
    }

    /// As Markdown (CommonMark with tables): contenders by cases, and below it what their short forms leave out. Text from outside is
    /// escaped.
    pub fn markdown(tables: &[StrictnessTable]) -> String {
        crate::write::markdown::write(&crate::section::strictness::document(tables))
    }

    /// As JSON, as `schemas/strictness.schema.json` describes it.
    pub fn json(tables: &[StrictnessTable]) -> String {
        // OK because these are lists of texts and numbers.
        let mut text = serde_json::to_string_pretty(tables).expect("tables are JSON");
        text.push('\n');
        text
    }
}

/// A comparison of two runs, or of contenders within one, for people and programs.
pub mod comparison {
    use velo_judge::compare::Comparison;

    use crate::TerminalOptions;

    /// The comparison for a terminal; its first line says which question it answers. Text from outside is stripped of escape
    /// sequences and control characters.
    pub fn terminal(comparison: &Comparison, options: &TerminalOptions) -> String {
        crate::write::terminal::print(&crate::section::compared::document(comparison), options)
    }

    /// The comparison as Markdown (CommonMark with tables), to be put below a change: a verdict in a line, a table, notes. Text from
    /// outside is escaped.
    pub fn markdown(comparison: &Comparison) -> String {
        crate::write::markdown::write(&crate::section::compared::document(comparison))
    }

    /// The comparison as one HTML file without a script: the verdict, and a chart and a table for each figure. Text from outside is
    /// escaped.
    pub fn html(comparison: &Comparison) -> String {
        crate::write::html::write(
            &crate::section::compared::document(comparison),
            &crate::write::html::Frame::default(),
        )
    }

    /// The comparison as JSON, as `schemas/comparison.schema.json` describes it.
    pub fn json(comparison: &Comparison) -> String {
        // OK because a comparison has neither maps with keys that are not text nor types that fail to serialise.
        let mut text = serde_json::to_string_pretty(comparison).expect("a comparison is JSON");
        text.push('\n');
        text
    }
}
