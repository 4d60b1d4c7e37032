//! Requests for tests.

use std::sync::Arc;

use velo_model::{Pick, Table};

use super::{Drawn, Mix};
use crate::request::{BodyExpect, Expect, Order, Part, RequestSpec, Slot, Template};

/// A template in which `{0}`, `{1}`, ... are slots.
pub(crate) fn template(text: &str) -> Template {
    let mut parts = Vec::new();
    for piece in text.split_inclusive('}') {
        match piece
            .rsplit_once('{')
            .and_then(|(text, slot)| Some((text, slot.strip_suffix('}')?.parse().ok()?)))
        {
            Some((text, slot)) => parts.extend([Part::Bytes(text.as_bytes().to_vec()), Part::Slot(slot)]),
            None => parts.push(Part::Bytes(piece.as_bytes().to_vec())),
        }
    }
    Template(parts)
}

/// `GET` of a path, with any answer of status 200.
pub(crate) fn get(path: &str, slots: Vec<Slot>) -> RequestSpec {
    RequestSpec {
        name: "it".into(),
        weight: 1,
        method: "GET".into(),
        path: template(path),
        headers: vec![],
        body: None,
        slots,
        expect: Expect {
            status: 200.into(),
            content_type: None,
            headers: vec![],
            body: BodyExpect::Any,
            not_before_ms: None,
        },
    }
}

/// `POST` of a body.
pub(crate) fn post(body: &str, slots: Vec<Slot>) -> RequestSpec {
    RequestSpec { method: "POST".into(), body: Some(template(body)), ..get("/", slots) }
}

pub(crate) fn choice(values: &[&str]) -> Slot {
    Slot::Choice(values.iter().map(|value| value.as_bytes().to_vec()).collect())
}

pub(crate) fn table(rows: &[&[&str]], pick: Pick) -> Arc<Table> {
    let row = |row: &&[&str]| row.iter().map(|cell| cell.as_bytes().to_vec()).collect();
    Arc::new(Table { rows: rows.iter().map(row).collect(), pick })
}

/// A mix of one request.
pub(crate) fn only(spec: RequestSpec) -> Mix {
    Mix::new(vec![spec], Order::Weighted, "h:1").unwrap()
}

/// The only request of a mix with these choices and values.
pub(crate) fn drawn(variant: u16, values: &[u64]) -> Drawn {
    let mut drawn = Drawn { variant, ..Drawn::default() };
    drawn.values[..values.len()].copy_from_slice(values);
    drawn
}
