//! prost-reflect as the oracle of what a call sends: the same JSON, with the values that were drawn put in as text. The tests of bodies and
//! the fuzzer `grpc_message` hold the writer against it.

use std::path::PathBuf;
use std::sync::OnceLock;

use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde::de::DeserializeSeed as _;
use velo_grpc::{Bodies, EncodeError, Method, Schema};
use velo_load::{
    BodyExpect, Calls, Example, Expect, Mix, Order, Part, Protocol, RequestSpec, Slot, Template,
};

/// What became of a message.
#[derive(Debug)]
pub(crate) enum Compared {
    /// It was written as the oracle writes it, or reads as the same.
    Same,
    /// It was not written, and this says why.
    Refused(EncodeError),
}

/// Where the protos lie, for this package and for the fuzzers'.
fn folder() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let own = package.join("tests");
    if own.is_dir() { own } else { package.join("../crates/grpc/tests") }
}

/// Compiled once: unoptimised, it takes its time.
pub(crate) fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| Schema::compile(&[folder().join("tried.proto")], &[]).expect("protos that compile"))
}

pub(crate) fn method(name: &str) -> Method {
    schema().method(&format!("tried.Tried/{name}")).expect("a method")
}

/// The message that the methods take and give.
pub(crate) fn all() -> MessageDescriptor {
    static POOL: OnceLock<DescriptorPool> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let set = protox::compile([folder().join("tried.proto")], [folder()]).expect("protos that compile");
        DescriptorPool::from_file_descriptor_set(set).expect("a pool")
    });
    pool.get_message_by_name("tried.All").expect("a message")
}

/// Text with `{0}` and so on for slots; other braces are themselves.
pub(crate) fn template(text: &str) -> Template {
    let mut parts = Vec::new();
    let mut rest = text;
    let is_slot = |rest: &str, at: usize| {
        let behind = &rest.as_bytes()[at + 1..];
        matches!(behind, [digit, b'}', ..] if digit.is_ascii_digit())
    };
    while let Some(at) = rest.match_indices('{').map(|(at, _)| at).find(|&at| is_slot(rest, at)) {
        parts.push(Part::Bytes(rest.as_bytes()[..at].to_vec()));
        parts.push(Part::Slot(usize::from(rest.as_bytes()[at + 1] - b'0')));
        rest = &rest[at + 3..];
    }
    parts.push(Part::Bytes(rest.as_bytes().to_vec()));
    Template(parts)
}

/// What a slot holds, by the engine's own value of it.
fn text_of(slot: &Slot, value: u64) -> String {
    let bytes = match slot {
        Slot::Choice(texts) => texts[value as usize].clone(),
        Slot::Cell { table, column } => table.rows[value as usize][*column].clone(),
        Slot::Int { .. } | Slot::Counter { .. } => value.to_string().into_bytes(),
        Slot::Signed { .. } => value.cast_signed().to_string().into_bytes(),
    };
    String::from_utf8(bytes).expect("UTF-8")
}

/// Draws some calls and compares each with the oracle; where `exact`, byte by byte.
///
/// # Errors
/// Says what differs.
pub(crate) fn compare(json: &str, slots: &[Slot], seed: u64, exact: bool) -> Result<Compared, String> {
    let one = Bodies { messages: 1, gzip: false };
    let body = match method("Unary").body(&template(json), slots, one) {
        Ok(body) => body,
        Err(error) => return Ok(Compared::Refused(error)),
    };
    let mix =
        Mix::for_protocol(vec![request(body, slots)], Order::InOrder, "h", Protocol::Grpc(Calls::default()))
            .map_err(|error| format!("no mix: {error}"))?;
    for example in Example::all(&mix, seed).take(5) {
        let filled = slots
            .iter()
            .zip(&example.values)
            .enumerate()
            .fold(json.to_owned(), |json, (at, (slot, &value))| {
                json.replace(&format!("{{{at}}}"), &text_of(slot, value))
            });
        let body = example.body(&mix);
        same(&filled, &body, exact).map_err(|what| format!("{filled}: {what}"))?;
    }
    Ok(Compared::Same)
}

fn request(body: Template, slots: &[Slot]) -> RequestSpec {
    let expect = Expect {
        status: 0.into(),
        content_type: None,
        headers: vec![],
        body: BodyExpect::Any,
        not_before_ms: None,
    };
    RequestSpec {
        name: "it".into(),
        weight: 1,
        method: "POST".into(),
        path: Template(vec![Part::Bytes(b"/tried.Tried/Unary".to_vec())]),
        headers: vec![],
        body: Some(body),
        slots: slots.to_vec(),
        expect,
    }
}

fn same(filled: &str, body: &[u8], exact: bool) -> Result<(), String> {
    // Of two members of one name the last counts, as it does for most readers of JSON.
    let value: serde_json::Value =
        serde_json::from_str(filled).map_err(|error| format!("no JSON: {error}"))?;
    let wanted = all().deserialize(value).map_err(|error| format!("the oracle refuses it: {error}"))?;
    let (prefix, message) = body.split_first_chunk::<5>().ok_or("there is no prefix")?;
    let length = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]) as usize;
    if prefix[0] != 0 || length != message.len() {
        return Err(format!("the prefix {prefix:?} of a message of {} bytes", message.len()));
    }
    let found = DynamicMessage::decode(all(), message).map_err(|error| format!("no message: {error}"))?;
    // A field that holds its default and one that is not there are the same to a reader; the order of a map says nothing.
    let json = |message: &DynamicMessage| serde_json::to_value(message).expect("JSON");
    if json(&found) != json(&wanted) {
        return Err(format!("{} was written, and {} was asked for", json(&found), json(&wanted)));
    }
    if exact && message != wanted.encode_to_vec() {
        return Err(format!("{message:?} was written, and {:?} was asked for", wanted.encode_to_vec()));
    }
    Ok(())
}
