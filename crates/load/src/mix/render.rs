//! From a request's definition to what is sent of it, with gaps for what is drawn.

use std::sync::OnceLock;

use super::drawn::{Drawn, LiveValue, Source, live_values};
use super::error::RequestProblem;
use super::fields::Listed;
use super::limits::MOST_LIVE;
use super::pieces::{Piece, Pieces};
use super::validate::{check_fields, check_text, validate};
use crate::request::{BodyExpect, Expect, Protocol, RequestSpec, Slot, Template};

/// A request with its choices made.
#[derive(Debug)]
pub(super) struct Variant {
    /// For each slot, the index of its choice.
    pub(super) choices: Box<[u64]>,
    request: Pieces,
    /// Where among the pieces the body starts, when its length changes; else behind them.
    body_from: usize,
    /// The body of the answer, for [`BodyExpect::Exact`].
    expected: Pieces,
}

/// A rendered request of a mix.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(super) name: String,
    /// The answer.
    pub(crate) expect: Expect,
    pub(super) is_head: bool,
    pub(super) variants: Vec<Variant>,
    pub(super) live: Vec<LiveValue>,
    pub(super) sources: Vec<Source>,
    /// The body of the first correct answer, for [`BodyExpect::Same`]; all workers share it.
    pub(crate) first_body: OnceLock<Box<[u8]>>,
}

impl Rendered {
    /// With the fields of each variant, where the protocol carries those.
    pub(super) fn new(
        spec: RequestSpec,
        host: &str,
        protocol: Protocol,
    ) -> Result<(Self, Vec<Listed>), RequestProblem> {
        let variants = validate(&spec)?;
        let (live, sources) = live_values(&spec);
        if live.len() > MOST_LIVE {
            return Err(RequestProblem::TooManyLive(live.len()));
        }
        let mut listed = Vec::new();
        if protocol == Protocol::Http1 {
            check_text(&spec)?;
        } else {
            check_fields(&spec)?;
            let list = |index| Listed::new(&spec, &sources, &choices(&spec, index), host, protocol);
            listed = (0..variants).map(list).collect();
        }
        let lines = (protocol == Protocol::Http1).then_some(host);
        let variants = (0..variants).map(|index| Variant::new(&spec, &sources, lines, index)).collect();
        let rendered = Self {
            name: spec.name,
            expect: spec.expect,
            is_head: spec.method == "HEAD",
            variants,
            live,
            sources,
            first_body: OnceLock::new(),
        };
        Ok((rendered, listed))
    }

    #[inline]
    pub(super) fn variant(&self, drawn: &Drawn) -> &Variant {
        &self.variants[usize::from(drawn.variant)]
    }

    /// How many variants its choices make.
    pub(crate) fn variant_count(&self) -> usize {
        self.variants.len()
    }

    /// Whether nothing but the variant tells one such request from another.
    pub(crate) fn is_fixed(&self) -> bool {
        self.live.is_empty()
    }
}

impl Variant {
    /// The variant with this index; the request is written where its host is given.
    fn new(spec: &RequestSpec, sources: &[Source], host: Option<&str>, index: usize) -> Self {
        let choices = choices(spec, index);
        let fill = |template: &Template| Pieces::of(template, spec, sources, &choices);
        let expected = match &spec.expect.body {
            BodyExpect::Exact(template) => fill(template),
            _ => Pieces::default(),
        };
        let (request, body_from) = match host {
            Some(host) => lines(spec, host, fill),
            None => Default::default(),
        };
        Self { choices, request, body_from, expected }
    }

    /// The whole request, when nothing in it is drawn.
    #[inline]
    pub(super) fn fixed(&self) -> Option<&[u8]> {
        if let [Piece::Bytes(bytes)] = self.request.0.as_slice() { Some(bytes) } else { None }
    }

    pub(super) fn write(&self, values: &[u64; MOST_LIVE], out: &mut Vec<u8>) {
        let mut digits = [0; 20];
        let body = &self.request.0[self.body_from..];
        let body_bytes = body.iter().map(|piece| piece.text(values, 0, &mut digits).len()).sum::<usize>();
        for piece in &self.request.0 {
            out.extend_from_slice(piece.text(values, body_bytes, &mut digits));
        }
    }

    pub(super) fn write_expected(&self, values: &[u64; MOST_LIVE], out: &mut Vec<u8>) {
        let mut digits = [0; 20];
        for piece in &self.expected.0 {
            out.extend_from_slice(piece.text(values, 0, &mut digits));
        }
    }

    #[inline]
    pub(super) fn is_expected(&self, values: &[u64; MOST_LIVE], mut body: &[u8]) -> bool {
        let mut digits = [0; 20];
        for piece in &self.expected.0 {
            match body.strip_prefix(piece.text(values, 0, &mut digits)) {
                Some(rest) => body = rest,
                None => return false,
            }
        }
        body.is_empty()
    }
}

/// What is chosen in the variant with this index, counted as a number whose digits are the choices.
fn choices(spec: &RequestSpec, index: usize) -> Box<[u64]> {
    let mut rest = index;
    spec.slots
        .iter()
        .map(|slot| {
            let Slot::Choice(values) = slot else { return 0 };
            let choice = rest % values.len();
            rest /= values.len();
            choice as u64
        })
        .collect()
}

/// A request as HTTP/1.1 carries it, and where among the pieces its body starts when that has no fixed length.
fn lines(spec: &RequestSpec, host: &str, fill: impl Fn(&Template) -> Pieces) -> (Pieces, usize) {
    let mut request = Pieces::default();
    request.text(&spec.method);
    request.text(" ");
    request.extend(fill(&spec.path));
    request.text(" HTTP/1.1\r\n");
    let mut field = |name: &str, value: Pieces| {
        request.text(name);
        request.text(": ");
        request.extend(value);
        request.text("\r\n");
    };
    let (hosts, others): (Vec<_>, Vec<_>) =
        spec.headers.iter().partition(|(name, _)| name.eq_ignore_ascii_case("host"));
    if hosts.is_empty() {
        field("Host", Pieces(vec![Piece::Bytes(host.as_bytes().to_vec())]));
    }
    for (name, value) in hosts.into_iter().chain(others) {
        field(name, fill(value));
    }

    let body = spec.body.as_ref().map(fill).unwrap_or_default();
    let fixed_length = body.fixed_length();
    // A method that usually carries a body says so even when it is empty (RFC 9110, 8.6).
    if spec.body.is_some() || matches!(spec.method.as_str(), "POST" | "PUT" | "PATCH") {
        let length = fixed_length.map(|bytes| Piece::Bytes(bytes.to_string().into_bytes()));
        field("Content-Length", Pieces(vec![length.unwrap_or(Piece::BodyLength)]));
    }
    request.text("\r\n");
    let body_from = if fixed_length.is_some() {
        request.extend(body);
        request.0.len()
    } else {
        let start = request.0.len();
        request.0.extend(body.0);
        start
    };
    (request, body_from)
}
