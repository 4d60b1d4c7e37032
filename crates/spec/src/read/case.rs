use serde::Deserialize;
use toml::Spanned;
use velo_model::{Case, CaseRequest, Delivery, Request};
use velo_request::read::{Reader, WireExpect, WireMap, WireRequest, WireValue};
use velo_request::{SourceFile, SpecError};

use super::{checks, kinds};

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
    operation: Option<Spanned<String>>,
    shows: Option<Spanned<String>>,
    secret: Option<Spanned<String>>,
}

fn whole() -> Delivery {
    Delivery::Whole
}

fn required() -> bool {
    true
}

/// Checks a conformance case; `before` are those that stand above it.
pub(super) fn read(
    file: &SourceFile,
    mut wire: WireCase,
    before: &[Case],
    requests: &[Request],
    reader: &Reader,
) -> Result<Case, SpecError> {
    not_beside_required(file, &wire)?;
    let send = match wire.like.take() {
        Some(like) => valid(file, &like, &wire, requests)?,
        None => own(file, &mut wire, reader)?,
    };
    if let Some(operation) = &wire.operation {
        check_operation(file, operation, &send, before)?;
    }
    let sentence = |text: Option<Spanned<String>>, key: &str| {
        text.map(|text| checks::sentence(file, text, key)).transpose()
    };
    Ok(Case {
        name: checks::sentence(file, wire.name, "case.name")?,
        send,
        delivery: wire.delivery,
        repeat: wire.repeat.map_or(Ok(1), |repeat| checks::number(file, &repeat, "case.repeat", 1..=1000))?,
        required: wire.required,
        operation: sentence(wire.operation, "case.operation")?,
        shows: sentence(wire.shows, "case.shows")?,
        secret: sentence(wire.secret, "case.secret")?,
    })
}

/// What is for the strictness table alone: a case that must pass says what it wants in `expect`.
fn not_beside_required(file: &SourceFile, wire: &WireCase) -> Result<(), SpecError> {
    let keys = [("operation", &wire.operation), ("shows", &wire.shows), ("secret", &wire.secret)];
    match keys.into_iter().find_map(|(key, text)| text.as_ref().map(|text| (key, text))) {
        Some((key, text)) if wire.required => {
            let problem = format!("`{key}` is of cases that only record");
            let cure = format!("expected `required = false` in the same case, or no `{key}`");
            Err(file.wrong(text.span(), &format!("case.{key}"), problem, cure))
        }
        _ => Ok(()),
    }
}

/// The first case of an operation tells whether a contender offers it, so that a 404 must not be what it asks for.
fn check_operation(
    file: &SourceFile,
    operation: &Spanned<String>,
    send: &CaseRequest,
    before: &[Case],
) -> Result<(), SpecError> {
    let is_first = !before.iter().any(|case| case.operation.as_ref() == Some(operation.get_ref()));
    match send {
        CaseRequest::Own(request) if is_first && request.expect.status.contains(Case::NOT_OFFERED) => {
            Err(file.at(operation, "case.operation").wrong(
                format!(
                    "the first case of `{}` accepts {}, which tells that an operation is not offered",
                    operation.get_ref(),
                    Case::NOT_OFFERED
                ),
                "expected as the first one a case that is answered otherwise",
            ))
        }
        _ => Ok(()),
    }
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
