use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use std::fmt;
use toml::Spanned;

use super::checks;
use super::expect::{self, WireExpect};
use super::request::content_type;
use super::source::{SourceFile, did_you_mean};
use crate::{Case, CaseRequest, Delivery, Request, SpecError, StatusExpectation};

/// `[[case]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireCase {
    pub(super) name: Spanned<String>,
    like: Option<Spanned<String>>,
    method: Option<Spanned<String>>,
    path: Option<Spanned<String>>,
    content_type: Option<Spanned<String>>,
    body: Option<Spanned<String>>,
    status: Option<Spanned<Vec<StatusExpectationWire>>>,
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
pub(super) fn read(file: &SourceFile, mut wire: WireCase, requests: &[Request]) -> Result<Case, SpecError> {
    let send = match wire.like.take() {
        Some(like) => valid(file, &like, &wire, requests)?,
        None => own(file, &mut wire)?,
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
    ];
    let said_again = texts
        .into_iter()
        .find_map(|(key, text)| text.as_ref().map(|text| (key, text.span())))
        .or_else(|| wire.status.as_ref().map(|status| ("status", status.span())))
        .or_else(|| wire.expect.as_ref().map(|expect| ("expect", expect.span())));
    if let Some((key, at)) = said_again {
        let problem = format!("`{key}` is given beside `like`, which has its own");
        return Err(file.wrong(at, &format!("case.{key}"), problem, "expected one of the two"));
    }
    let name = like.get_ref();
    let request = requests.iter().position(|request| request.name == *name).ok_or_else(|| {
        let names = || requests.iter().map(|request| request.name.as_str());
        file.at(like, "case.like").wrong(
            format!("`case.like` names the request `{name}`, which there is not"),
            format!(
                "expected one of: {}{}",
                names().collect::<Vec<_>>().join(", "),
                did_you_mean(name, names())
            ),
        )
    })?;
    Ok(CaseRequest::Valid { request })
}

fn own(file: &SourceFile, wire: &mut WireCase) -> Result<CaseRequest, SpecError> {
    let missing = |key: &str| {
        let problem = format!("missing key `{key}`");
        file.at(&wire.name, &format!("case.{key}"))
            .wrong(problem, format!("expected `{key}`, or `like` alone"))
    };
    let method = wire.method.take().ok_or_else(|| missing("method"))?;
    let path = wire.path.take().ok_or_else(|| missing("path"))?;
    checks::path(file, &path, "case.path")?;
    let expect =
        wire.expect.take().map(|expect| expect::read(file, expect, &[], "case.expect")).transpose()?;
    let status = match (wire.status.take(), &expect) {
        (Some(status), None) if !status.get_ref().is_empty() => {
            status.into_inner().into_iter().map(|status| status.0).collect()
        }
        (None, Some(expect)) => vec![StatusExpectation::Code(expect.status)],
        (Some(status), _) => {
            return Err(file.at(&status, "case.status").wrong(
                "`case.status` is empty, or given beside `expect`, which has its own",
                "expected the statuses accepted, as in [404, \"4xx\"]",
            ));
        }
        (None, None) => return Err(missing("status")),
    };
    let content_type =
        content_type(file, wire.content_type.take(), wire.body.is_some(), "case.content_type")?;
    Ok(CaseRequest::Own {
        method: checks::method(file, method, "case.method")?,
        path: path.into_inner(),
        content_type,
        body: wire.body.take().map(Spanned::into_inner),
        status,
        expect,
    })
}

/// `404` or `"4xx"`.
struct StatusExpectationWire(StatusExpectation);

impl<'de> Deserialize<'de> for StatusExpectationWire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StatusVisitor;

        impl Visitor<'_> for StatusVisitor {
            type Value = StatusExpectation;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a status from 200 to 599, or \"2xx\", \"3xx\", \"4xx\" or \"5xx\"")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<StatusExpectation, E> {
                match u16::try_from(number) {
                    Ok(code @ 200..=599) => Ok(StatusExpectation::Code(code)),
                    _ => Err(E::invalid_value(de::Unexpected::Signed(number), &self)),
                }
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<StatusExpectation, E> {
                match text.as_bytes() {
                    [class @ b'2'..=b'5', b'x', b'x'] => Ok(StatusExpectation::Class(class - b'0')),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }

        deserializer.deserialize_any(StatusVisitor).map(Self)
    }
}
