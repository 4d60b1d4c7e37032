use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Expectation;

/// One kind of request of a workload's mix, and the answer that it must get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// Its name inside the workload; counts are kept by it.
    pub name: String,
    /// Its share of the mix, relative to the other requests' weights; 0 for one that is sent in bursts only.
    pub weight: u32,
    /// The method, upper case.
    pub method: String,
    /// The path with its query; may hold slots.
    pub path: TextTemplate,
    /// The value of `Content-Type`, when there is a body.
    pub content_type: Option<String>,
    /// The body; may hold slots.
    pub body: Option<TextTemplate>,
    /// What changes from request to request.
    pub slots: Vec<Slot>,
    /// The answer that counts as correct.
    pub expect: Expectation,
}

impl Request {
    /// The least and the greatest time that must pass before its answer, in nanoseconds; `None` where none must.
    pub fn wait_ns(&self) -> Option<(u64, u64)> {
        match self.slots.get(self.expect.not_before_ms?)?.kind {
            SlotKind::Int { min, max } => {
                Some((min.saturating_mul(1_000_000), max.saturating_mul(1_000_000)))
            }
            SlotKind::Bool | SlotKind::Data { .. } => None,
        }
    }
}

/// A named part of a request that is drawn anew for each request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slot {
    /// The name between braces in the templates.
    pub name: String,
    /// What it may hold.
    pub kind: SlotKind,
}

/// What a slot may hold; every value is equally likely.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlotKind {
    /// `true` or `false`.
    Bool,
    /// A whole number, both ends included, written in decimal.
    Int {
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
    /// The value that a slot of a data file has in one of its records.
    Data {
        /// The index in [`crate::Workload::data`].
        file: usize,
        /// The index in [`crate::DataFile::slots`]; a [`crate::DataSlotKind::Key`].
        slot: usize,
    },
}

/// The value that a slot took in one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotValue {
    /// Of a [`SlotKind::Bool`].
    Bool(bool),
    /// Of a [`SlotKind::Int`] or a [`SlotKind::Data`].
    Int(u64),
}

/// Text with slots: literal parts and slot names, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextTemplate {
    /// The parts in order.
    pub parts: Vec<TextPart>,
}

/// A part of a [`TextTemplate`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TextPart {
    /// Text as it is.
    Literal(String),
    /// The value of the slot with this index in [`Request::slots`].
    Slot(usize),
}

impl TextTemplate {
    /// The text with each slot replaced by its value.
    pub fn render(&self, values: &[SlotValue]) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                TextPart::Literal(literal) => text.push_str(literal),
                TextPart::Slot(index) => match values.get(*index) {
                    Some(SlotValue::Bool(value)) => text.push_str(if *value { "true" } else { "false" }),
                    Some(SlotValue::Int(value)) => text.push_str(&value.to_string()),
                    None => {}
                },
            }
        }
        text
    }
}
