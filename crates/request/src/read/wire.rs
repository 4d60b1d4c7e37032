//! The keys of a request, as written.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// Texts by name, with their places.
pub type WireMap<T = String> = BTreeMap<Spanned<String>, Spanned<T>>;

/// `[[request]]`, or what flags say of one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "docs/workloads.md is their reference")]
pub struct WireRequest {
    pub name: Option<Spanned<String>>,
    pub weight: Option<Spanned<u64>>,
    pub method: Option<Spanned<String>>,
    pub path: Spanned<String>,
    #[serde(default)]
    pub headers: WireMap,
    pub content_type: Option<Spanned<String>>,
    pub body: Option<Spanned<String>>,
    pub json: Option<Spanned<String>>,
    #[serde(default)]
    pub values: WireMap<WireValue>,
    #[serde(default)]
    pub expect: WireExpect,
}

impl WireRequest {
    /// A request of nothing but its path.
    pub fn to(path: Spanned<String>) -> Self {
        Self {
            name: None,
            weight: None,
            method: None,
            path,
            headers: WireMap::new(),
            content_type: None,
            body: None,
            json: None,
            values: WireMap::new(),
            expect: WireExpect::default(),
        }
    }
}

/// `expect`: the keys are the flags without `--expect-`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "docs/workloads.md is their reference")]
pub struct WireExpect {
    pub status: Option<Spanned<WireStatus>>,
    pub content_type: Option<Spanned<String>>,
    #[serde(default)]
    pub headers: WireMap<WireHeader>,
    pub body: Option<Spanned<String>>,
    pub empty: Option<Spanned<bool>>,
    pub same: Option<Spanned<bool>>,
    pub length: Option<Spanned<WireLength>>,
    pub regex: Option<Spanned<String>>,
    pub sha256: Option<Spanned<String>>,
    pub json: Option<Spanned<WireJson>>,
    pub coin: Option<WireCoin>,
    pub not_before_ms: Option<Spanned<String>>,
}

/// A status, several, or a text as behind the flag.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected a status, as in 200, a text, as in \"200,3xx\", or a list of them")]
#[expect(missing_docs, reason = "the names say it")]
pub enum WireStatus {
    Code(u16),
    Text(String),
    List(Vec<WireStatus>),
}

impl WireStatus {
    /// As behind the flag.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Code(code) => code.to_string(),
            Self::Text(text) => text.clone(),
            Self::List(list) => list.iter().map(Self::text).collect::<Vec<_>>().join(","),
        }
    }
}

/// A header's value, several that must all be there, or `true` for any.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected the header's value, a list of values, or true for any")]
#[expect(missing_docs, reason = "the names say it")]
pub enum WireHeader {
    Any(bool),
    Value(String),
    All(Vec<String>),
}

/// `13`, or a text as behind the flag.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected bytes, as in 13, or a text, as in \"10..2000\"")]
#[expect(missing_docs, reason = "the names say it")]
pub enum WireLength {
    Bytes(usize),
    Text(String),
}

/// JSON is written as a text, so that a value can stand where JSON has none of its kind.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected JSON as a text, as in json = '{\"id\": {id}, \"win\": \"<bool>\"}'")]
#[expect(missing_docs, reason = "the name says it")]
pub enum WireJson {
    Text(String),
}

/// `coin = { bet = "bet", win = "win" }`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "docs/workloads.md is their reference")]
pub struct WireCoin {
    pub bet: Spanned<String>,
    pub win: Spanned<String>,
}

/// What a value may hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text, as in \"1..1000\", \"bool\", \"red|green\" or \"counter\", or a key of a data file, \
                 as in { file = \"user.json\", value = \"id\" }"
)]
#[expect(missing_docs, reason = "docs/workloads.md is their reference")]
pub enum WireValue {
    Text(String),
    Data(WireData),
}

/// A key of a data file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "docs/workloads.md is their reference")]
pub struct WireData {
    pub file: String,
    pub value: String,
}

/// `[[csv]]`: a table of values.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "docs/workloads.md is their reference")]
pub struct WireCsv {
    pub file: Spanned<String>,
    #[serde(default)]
    pub random: bool,
}
