use serde::{Deserialize, Serialize};

use crate::{Expectation, Slot, SlotKind, TextTemplate};

/// One kind of request of a mix, and the answer that it must get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Request {
    /// Its name; counts are kept by it.
    pub name: String,
    /// Its share of the mix, relative to the other requests' weights; 0 for one that is sent in bursts only.
    pub weight: u32,
    /// The method.
    pub method: String,
    /// The path with its query; may hold slots.
    pub path: TextTemplate,
    /// Headers beside `Host` and `Content-Length`.
    pub headers: Vec<Header>,
    /// The body; may hold slots.
    pub body: Option<TextTemplate>,
    /// What changes from request to request.
    pub slots: Vec<Slot>,
    /// The answer that counts as correct.
    pub expect: Expectation,
}

/// A header that is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value; may hold slots.
    pub value: TextTemplate,
}

impl Header {
    /// One without slots.
    pub fn fixed(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), value: TextTemplate::fixed(value) }
    }
}

impl Request {
    /// The least and the greatest time that must pass before its answer, in nanoseconds; `None` where none must.
    pub fn wait_ns(&self) -> Option<(u64, u64)> {
        match self.slots.get(self.expect.not_before_ms?)?.kind {
            SlotKind::Int { min, max } => {
                Some((min.saturating_mul(1_000_000), max.saturating_mul(1_000_000)))
            }
            _ => None,
        }
    }

    /// The text with slots that stand in the request itself.
    pub fn sent(&self) -> impl Iterator<Item = &TextTemplate> {
        let headers = self.headers.iter().map(|header| &header.value);
        std::iter::once(&self.path).chain(headers).chain(&self.body)
    }

    /// The same, to change it.
    pub fn sent_mut(&mut self) -> impl Iterator<Item = &mut TextTemplate> {
        let headers = self.headers.iter_mut().map(|header| &mut header.value);
        std::iter::once(&mut self.path).chain(headers).chain(&mut self.body)
    }
}
