use serde::Deserialize;
use toml::Spanned;
use velo_request::SourceFile;
use velo_request::read::{Reader, WireExpect, WireMap, WireRequest, WireValue};

use super::{checks, kinds};
use crate::{Case, CaseRequest, Delivery, Request, SpecError};

/// `[[case]]` as written: a request, or the name of one, and how it is sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireCase {
    pub(super) name: Spanned<String>,
    like: Option<Spanned<String>>,
    method: Option<Spanned<String>>,
    path: Option<Spanned<String>>,
    #[serde(default)]
    headers: WireMap,
    content_type: Option<Spanned<String>>,
    body: Option<Spanned<String>>,
    json: Option<Spanned<String>>,
    #[serde(default)]
    values: WireMap<WireValue>,
    expect: Option<Spanned<WireExpect>>,
    repeat: Option<Spanned<u64>>,
    #[serde(default = "whole")]
    delivery: Delivery,
    #[serde(default = "required")]
    required: bool,
}

fn whole() -> Delivery {
    Delivery::Whole
}

fn required() -> bool {
    true
}

/// Checks a conformance case.
pub(super) fn read(
    file: &SourceFile,
    mut wire: WireCase,
    requests: &[Request],
    reader: &Reader,
) -> Result<Case, SpecError> {
    let send = match wire.like.take() {
        Some(like) => valid(file, &like, &wire, requests)?,
        None => own(file, &mut wire, reader)?,
    };
    Ok(Case {
        name: checks::sentence(file, wire.name, "case.name")?,
        send,
        delivery: wire.delivery,
        repeat: wire.repeat.map_or(Ok(1), |repeat| checks::number(file, &repeat, "case.repeat", 1..=1000))?,
        required: wire.required,
    })
}

/// A request of the mix; then nothing of the request may be said again.
fn valid(
    file: &SourceFile,
    like: &Spanned<String>,
    wire: &WireCase,
    requests: &[Request],
) -> Result<CaseRequest, SpecError> {
    let texts = [
        ("method", &wire.method),
        ("path", &wire.path),
        ("content_type", &wire.content_type),
        ("body", &wire.body),
        ("json", &wire.json),
    ];
    let said_again = texts
        .into_iter()
        .find_map(|(key, text)| text.as_ref().map(|text| (key, text.span())))
        .or_else(|| wire.headers.keys().next().map(|name| ("headers", name.span())))
        .or_else(|| wire.values.keys().next().map(|name| ("values", name.span())))
        .or_else(|| wire.expect.as_ref().map(|expect| ("expect", expect.span())));
    if let Some((key, at)) = said_again {
        let problem = format!("`{key}` is given beside `like`, which has its own");
        return Err(file.wrong(at, &format!("case.{key}"), problem, "expected one of the two"));
    }
    Ok(CaseRequest::Valid { request: kinds::request(file, like, requests, "case.like")? })
}

fn own(file: &SourceFile, wire: &mut WireCase, reader: &Reader) -> Result<CaseRequest, SpecError> {
    let missing = |name: &Spanned<String>, key: &str| {
        let problem = format!("missing key `{key}`");
        file.at(name, &format!("case.{key}")).wrong(problem, format!("expected `{key}`, or `like` alone"))
    };
    let path = wire.path.take().ok_or_else(|| missing(&wire.name, "path"))?;
    let expect = wire.expect.take().ok_or_else(|| missing(&wire.name, "expect"))?;
    let request = WireRequest {
        name: Some(wire.name.clone()),
        method: wire.method.take(),
        headers: std::mem::take(&mut wire.headers),
        content_type: wire.content_type.take(),
        body: wire.body.take(),
        json: wire.json.take(),
        values: std::mem::take(&mut wire.values),
        expect: expect.into_inner(),
        ..WireRequest::to(path)
    };
    Ok(CaseRequest::Own(Box::new(reader.request(&request, "case")?)))
}
