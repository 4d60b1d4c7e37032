#[path = "../crates/grpc/tests/oracle/mod.rs"]
mod oracle;

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use velo_grpc::Bodies;
use velo_load::Slot;

use oracle::{Compared, all, compare, method, schema, template};

/// Texts that a slot may hold: what fits some fields, as text or as bare JSON, and what fits none. Without quotes:
/// within a text these are themselves to the writer, and would end it in the oracle's JSON.
const TEXTS: [&str; 13] =
    ["", "a", "RED", "1", "-5", "true", "[]", "{}", "AAEC", "2026-01-02T00:00:00Z", "null", "\u{e9}", "1e3"];
const MOST_DEPTH: u32 = 4;

/// Bytes as slots and a message in which they stand, mostly one of fields as the schema has them: what is written is what prost-reflect
/// writes of the same JSON with the values in it, or it is refused. What is left of the bytes is read as a message and as descriptors.
pub(crate) fn grpc_message(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok((json, slots, seed)) = drawn(&mut u) else { return };
    // The order of a map's entries, and a field that holds its default, are left to the writer.
    match compare(&json, &slots, seed, false) {
        Ok(Compared::Same) => {}
        Ok(Compared::Refused(error)) => assert!(!error.to_string().is_empty()),
        Err(what) => panic!("{what} (slots {slots:?})"),
    }
    let _ = method("Up").body(&template(&json), &slots, Bodies { messages: 3, gzip: true });
    let rest = u.take_rest();
    let _ = method("Unary").checker(None, None).expect("a check").check(0, &[], rest);
    let _ = method("Unary").shown(rest);
    let _ = velo_grpc::Schema::from_set(rest);
    assert!(schema().method("tried.Tried/Unary").is_ok());
}

fn drawn(u: &mut Unstructured<'_>) -> Result<(String, Vec<Slot>, u64)> {
    let slots = (0..u.int_in_range(0..=3)?).map(|_| slot(u)).collect::<Result<Vec<_>>>()?;
    let seed = u.arbitrary()?;
    let json = if u.ratio(1, 8)? {
        let length = u.int_in_range(0..=40)?;
        String::from_utf8_lossy(u.bytes(length)?).into_owned()
    } else {
        message(u, &all(), slots.len(), 0)?
    };
    Ok((json, slots, seed))
}

fn slot(u: &mut Unstructured<'_>) -> Result<Slot> {
    Ok(match u.int_in_range(0..=2)? {
        0 => {
            // Whole numbers beyond 2^53 are rounded on the way through JSON where a field is no integer.
            let shift: u32 = u.int_in_range(11..=63)?;
            let (min, more): (u64, u64) = (u.arbitrary()?, u.arbitrary()?);
            let min = (min >> shift) / 2;
            Slot::Int { min, max: min + (more >> shift) / 2 }
        }
        1 => Slot::Counter { first: u.int_in_range(0..=1000)? },
        _ => {
            let count = u.int_in_range(1..=3)?;
            let text = |u: &mut Unstructured<'_>| Ok(u.choose(&TEXTS)?.as_bytes().to_vec());
            Slot::Choice((0..count).map(|_| text(u)).collect::<Result<_>>()?)
        }
    })
}

/// An object of some fields of a message. No name is there twice, as the writer would see the last one only.
fn message(
    u: &mut Unstructured<'_>,
    descriptor: &MessageDescriptor,
    slots: usize,
    depth: u32,
) -> Result<String> {
    let fields: Vec<FieldDescriptor> = descriptor.fields().collect();
    let mut members = BTreeMap::new();
    for _ in 0..u.int_in_range(0..=4)? {
        if fields.is_empty() || depth >= MOST_DEPTH {
            break;
        }
        let field = u.choose(&fields)?;
        let name = if u.ratio(1, 4)? { field.name() } else { field.json_name() };
        members.insert(name.to_owned(), value(u, field, slots, depth)?);
    }
    Ok(object(&members))
}

fn object(members: &BTreeMap<String, String>) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{{}}}", members.join(", "))
}

fn value(u: &mut Unstructured<'_>, field: &FieldDescriptor, slots: usize, depth: u32) -> Result<String> {
    if field.is_map() {
        let Kind::Message(entry) = field.kind() else { return Ok("{}".into()) };
        let mut entries = BTreeMap::new();
        for _ in 0..u.int_in_range(0..=3)? {
            let key = *u.choose(&["1", "7", "-2", "k"])?;
            entries.insert(key.to_owned(), singular(u, &entry.map_entry_value_field(), slots, depth)?);
        }
        return Ok(object(&entries));
    }
    if field.is_list() && !u.ratio(1, 8)? {
        let count = u.int_in_range(0..=3)?;
        let items = (0..count).map(|_| singular(u, field, slots, depth)).collect::<Result<Vec<_>>>()?;
        return Ok(format!("[{}]", items.join(", ")));
    }
    singular(u, field, slots, depth)
}

fn singular(u: &mut Unstructured<'_>, field: &FieldDescriptor, slots: usize, depth: u32) -> Result<String> {
    if u.ratio(1, 12)? {
        return Ok((*u.choose(&["null", "[]", "\"\"", "0", "{\"a\": 1}"])?).to_owned());
    }
    let is_drawn = slots > 0 && u.ratio(3, 4)?;
    let at = if slots > 0 { u.int_in_range(0..=slots - 1)? } else { 0 };
    let quoted = u.ratio(1, 4)?;
    Ok(match field.kind() {
        Kind::Message(inner) if !is_drawn || u.ratio(3, 4)? => message(u, &inner, slots, depth + 1)?,
        Kind::String | Kind::Bytes if is_drawn && u.ratio(1, 2)? => format!("\"a{{{at}}}\u{e9}{{{at}}}\""),
        Kind::String | Kind::Bytes | Kind::Enum(_) if is_drawn => format!("\"{{{at}}}\""),
        _ if is_drawn && quoted => format!("\"{{{at}}}\""),
        _ if is_drawn => format!("{{{at}}}"),
        Kind::String | Kind::Bytes => format!("\"{}\"", u.choose(&["", "AAEC", "x\\n", "\u{e9}"])?),
        Kind::Bool => u.arbitrary::<bool>()?.to_string(),
        _ => u.arbitrary::<i16>()?.to_string(),
    })
}
