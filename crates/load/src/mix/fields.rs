//! Requests as HTTP/2 carries them: a list of fields and a body. What does not change is kept by both sides of a connection after
//! the first time, so that a number stands for it; what is drawn is written each time and kept by nobody.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::drawn::{Drawn, Source};
use super::pieces::{Piece, Pieces};
use crate::hpack::{USUAL_TABLE_BYTES, field_bytes, number, write};
use crate::request::{Protocol, RequestSpec, Template};

/// The fields of a request with its choices made, before it is known which of them are kept.
#[derive(Debug)]
pub(super) struct Listed {
    fields: Vec<(String, Pieces)>,
    body: Pieces,
}

/// All requests of a mix as HTTP/2 carries them; none, when they are rendered for another protocol.
#[derive(Debug)]
pub(crate) struct Carried {
    /// No other mix has it: what a connection keeps is of one mix.
    pub(crate) id: u64,
    /// What is worth keeping: together within a table of the usual size, what is used most first.
    pub(crate) keepable: Vec<Keepable>,
    /// By request and variant.
    requests: Vec<Vec<Fields>>,
}

/// A field that is worth keeping.
#[derive(Debug)]
pub(crate) struct Keepable {
    /// As it is written for the other side to keep it.
    pub(crate) kept: Vec<u8>,
    /// As it is written where there is no room to keep it.
    pub(crate) not_kept: Vec<u8>,
    /// What it takes in the table, with all before it.
    pub(crate) bytes_so_far: usize,
}

/// A request with its choices made.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) parts: Vec<Part>,
    body: Pieces,
    is_fixed: bool,
}

/// A part of a request's fields.
#[derive(Debug)]
pub(crate) enum Part {
    /// Written already.
    Bytes(Vec<u8>),
    /// The keepable field at this index.
    Keepable(u16),
    /// A field whose value is drawn.
    Drawn(Value),
}

/// A field whose value is drawn.
#[derive(Debug)]
pub(crate) struct Value {
    /// Written already.
    name: Vec<u8>,
    value: Pieces,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Listed {
    pub(super) fn new(
        spec: &RequestSpec,
        sources: &[Source],
        choices: &[u64],
        host: &str,
        protocol: Protocol,
    ) -> Self {
        let is_https = match protocol {
            Protocol::Http1 => false,
            Protocol::Http2 { is_https } => is_https,
            Protocol::Grpc(calls) => calls.is_https,
        };
        let fill = |template: &Template| Pieces::of(template, spec, sources, choices);
        let text = |text: &str| Pieces(vec![Piece::Bytes(text.as_bytes().to_vec())]);
        let is_host = |name: &str| name.eq_ignore_ascii_case("host");
        let own_host = spec.headers.iter().find(|(name, _)| is_host(name));
        let mut fields = vec![
            (":method".to_owned(), text(&spec.method)),
            (":scheme".to_owned(), text(if is_https { "https" } else { "http" })),
            (":path".to_owned(), fill(&spec.path)),
            (":authority".to_owned(), own_host.map_or_else(|| text(host), |(_, value)| trimmed(fill(value)))),
        ];
        for (name, value) in spec.headers.iter().filter(|(name, _)| !is_host(name)) {
            fields.push((name.to_ascii_lowercase(), trimmed(fill(value))));
        }
        let body = spec.body.as_ref().map(fill).unwrap_or_default();
        // A method that usually carries a body says so even when it is empty (RFC 9110, 8.6). No client of gRPC does.
        let says_length = !matches!(protocol, Protocol::Grpc(_));
        if says_length && (spec.body.is_some() || matches!(spec.method.as_str(), "POST" | "PUT" | "PATCH")) {
            let length = body.fixed_length().map(|bytes| Piece::Bytes(bytes.to_string().into_bytes()));
            fields.push(("content-length".to_owned(), Pieces(vec![length.unwrap_or(Piece::BodyLength)])));
        }
        Self { fields, body }
    }
}

/// Without blanks at the ends, which HTTP/1.1 ignores and HTTP/2 forbids.
fn trimmed(mut value: Pieces) -> Pieces {
    if let Some(Piece::Bytes(bytes)) = value.0.first_mut() {
        let blanks = bytes.len() - bytes.trim_ascii_start().len();
        bytes.drain(..blanks);
    }
    if let Some(Piece::Bytes(bytes)) = value.0.last_mut() {
        bytes.truncate(bytes.trim_ascii_end().len());
    }
    value
}

impl Carried {
    pub(super) fn new(requests: Vec<Vec<Listed>>) -> Self {
        let keepable = worth_keeping(&requests);
        let places: HashMap<(&str, &[u8]), u16> =
            (0..).zip(&keepable).map(|(at, (name, value))| ((name.as_str(), value.as_slice()), at)).collect();
        let fields = |listed: &Listed| Fields::new(listed, &places);
        let requests =
            requests.iter().map(|variants| variants.iter().map(fields).collect()).collect::<Vec<_>>();
        let mut bytes = 0;
        let keepable = keepable
            .iter()
            .map(|(name, value)| {
                bytes += field_bytes(name.len(), value.len());
                let (mut kept, mut not_kept) = (Vec::new(), Vec::new());
                write::kept(name, value, &mut kept);
                write::not_kept(name, value, &mut not_kept);
                Keepable { kept, not_kept, bytes_so_far: bytes }
            })
            .collect();
        Self { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), keepable, requests }
    }

    #[inline]
    pub(super) fn fields(&self, drawn: &Drawn) -> &Fields {
        &self.requests[usize::from(drawn.request)][drawn.variant_index()]
    }
}

/// The fields that never change and that no number stands for yet, those that most variants have first, as many as a table of the
/// usual size holds.
fn worth_keeping(requests: &[Vec<Listed>]) -> Vec<(String, Vec<u8>)> {
    let mut uses: HashMap<(&str, &[u8]), (usize, usize)> = HashMap::new();
    for (name, value) in requests.iter().flatten().flat_map(|listed| &listed.fields) {
        if let Some(value) = value.fixed()
            && number(name, value).is_none()
        {
            let first_seen = uses.len();
            uses.entry((name, value)).or_insert((0, first_seen)).0 += 1;
        }
    }
    let mut all: Vec<_> = uses.into_iter().collect();
    all.sort_by_key(|(_, (count, first_seen))| (usize::MAX - count, *first_seen));
    let mut bytes = 0;
    all.into_iter()
        .map(|((name, value), _)| (name.to_owned(), value.to_vec()))
        .filter(|(name, value)| {
            let more = field_bytes(name.len(), value.len());
            let has_room = bytes + more <= USUAL_TABLE_BYTES;
            bytes += if has_room { more } else { 0 };
            has_room
        })
        .collect()
}

impl Fields {
    fn new(listed: &Listed, places: &HashMap<(&str, &[u8]), u16>) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for (name, value) in &listed.fields {
            let mut written = Vec::new();
            match value.fixed() {
                Some(value) => match (number(name, value), places.get(&(name.as_str(), value))) {
                    (Some(number), _) => write::indexed(number, &mut written),
                    (None, Some(&place)) => {
                        parts.push(Part::Keepable(place));
                        continue;
                    }
                    (None, None) => write::not_kept(name, value, &mut written),
                },
                None => {
                    write::not_kept_name(name, &mut written);
                    parts.push(Part::Drawn(Value { name: written, value: value.clone() }));
                    continue;
                }
            }
            match parts.last_mut() {
                Some(Part::Bytes(before)) => before.extend(written),
                _ => parts.push(Part::Bytes(written)),
            }
        }
        let is_fixed =
            listed.body.fixed().is_some() && !parts.iter().any(|part| matches!(part, Part::Drawn(_)));
        Self { parts, body: listed.body.clone(), is_fixed }
    }

    /// Whether nothing of it is drawn.
    #[inline]
    pub(crate) fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// How many bytes a drawn request's body has.
    #[inline]
    pub(crate) fn body_bytes(&self, drawn: &Drawn) -> usize {
        match self.body.fixed_length() {
            Some(bytes) => bytes,
            None => self.body.length(&drawn.values, 0),
        }
    }

    /// Appends the fields as they are written where the other side keeps none.
    pub(crate) fn write_alone(&self, mix: &Carried, drawn: &Drawn, out: &mut Vec<u8>) {
        let body_bytes = self.body_bytes(drawn);
        for part in &self.parts {
            match part {
                Part::Bytes(bytes) => out.extend_from_slice(bytes),
                Part::Keepable(place) => out.extend_from_slice(&mix.keepable[usize::from(*place)].not_kept),
                Part::Drawn(value) => value.write(drawn, body_bytes, out),
            }
        }
    }

    /// Appends a drawn request's body.
    #[inline]
    pub(crate) fn write_body(&self, drawn: &Drawn, out: &mut Vec<u8>) {
        self.body.write(&drawn.values, 0, out);
    }
}

impl Value {
    /// Appends the field of a drawn request whose body has so many bytes.
    pub(crate) fn write(&self, drawn: &Drawn, body_bytes: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.name);
        let bytes = self.value.length(&drawn.values, body_bytes);
        let start = out.len();
        write::plain_text_length(bytes, out);
        let value_start = out.len();
        self.value.write(&drawn.values, body_bytes, out);
        let value = &out[value_start..];
        if value.trim_ascii().len() < bytes {
            // HTTP/2 forbids blanks at the ends, which a table may hold.
            let value = value.trim_ascii().to_vec();
            out.truncate(start);
            write::plain_text_length(value.len(), out);
            out.extend_from_slice(&value);
        }
    }
}
