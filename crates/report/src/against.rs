//! Two running services for people and programs.

use velo_judge::against::AgainstResult;

use crate::TerminalOptions;
use crate::number::{count, rate};
use crate::write::html::{Frame, write};

/// For a terminal, the answer last. Text from outside is stripped of escape sequences and control characters.
pub fn terminal(result: &AgainstResult, options: &TerminalOptions) -> String {
    crate::write::terminal::print(&crate::section::against::document(result), options)
}

/// As one HTML file without a script. Text from outside is escaped.
pub fn html(result: &AgainstResult) -> String {
    write(&crate::section::against::document(result), &Frame::default())
}

/// As JSON, as `schemas/against.schema.json` describes it.
pub fn json(result: &AgainstResult) -> String {
    // OK because a result has neither maps with keys that are not text nor types that fail to serialise.
    let mut text = serde_json::to_string_pretty(result).expect("a result is JSON");
    text.push('\n');
    text
}

/// A line while it is under way: correct answers per second of both so far.
pub fn live_line(blocks: u32, planned: u32, [a, b]: [f64; 2]) -> String {
    format!(
        "{} of {} blocks: A {}/s, B {}/s\n",
        count(u64::from(blocks)),
        count(u64::from(planned)),
        rate(a),
        rate(b)
    )
}
