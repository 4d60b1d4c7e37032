//! From what was read to what the load engine takes.

use std::borrow::Cow;
use std::sync::Arc;

use regex::bytes::Regex;
use sha2::{Digest as _, Sha256};
use velo_load::{
    BodyChecker, BodyExpect, Expect, HeaderExpect, Mix, MixError, Order, Protocol, RequestSpec, Slot, Toss,
};
use velo_model::{BodyExpectation, Coin, ExpectedHeader, Request};

use crate::expect::{self, hex, status_set};
use crate::json::parse as parse_json;
use crate::shape::Shape;
use crate::template::compiled;
use crate::text::excerpt;
use crate::value::{Tables, names, text_of};

/// Renders requests for HTTP/1.1 and a host, and hands over the check of their bodies.
///
/// # Errors
/// When a request cannot be rendered.
pub fn compile(
    requests: &[Request],
    tables: &Tables,
    order: Order,
    host: &str,
) -> Result<(Arc<Mix>, Arc<Checker>), MixError> {
    compile_for(requests, tables, order, host, Protocol::Http1)
}

/// The same for a protocol; [`compile`] renders for HTTP/1.1.
///
/// # Errors
/// When a request cannot be rendered, or the protocol cannot carry it.
pub fn compile_for(
    requests: &[Request],
    tables: &Tables,
    order: Order,
    host: &str,
    protocol: Protocol,
) -> Result<(Arc<Mix>, Arc<Checker>), MixError> {
    let (specs, checker) = prepare(requests, tables);
    Ok((Arc::new(Mix::for_protocol(specs, order, host, protocol)?), Arc::new(checker)))
}

/// Requests before they are rendered, and the check of their bodies: for a caller that changes them.
pub fn prepare(requests: &[Request], tables: &Tables) -> (Vec<RequestSpec>, Checker) {
    let specs: Vec<RequestSpec> = requests.iter().map(|request| spec(request, tables)).collect();
    let checked = requests.iter().zip(&specs);
    let checked =
        checked.map(|(request, spec)| Checked { slots: spec.slots.clone(), body: Body::of(request) });
    let checker = Checker(checked.collect());
    (specs, checker)
}

fn spec(request: &Request, tables: &Tables) -> RequestSpec {
    let expect = &request.expect;
    let header =
        |header: &ExpectedHeader| HeaderExpect { name: header.name.clone(), value: header.value.clone() };
    RequestSpec {
        name: request.name.clone(),
        weight: request.weight,
        method: request.method.clone(),
        path: compiled(&request.path),
        headers: request.headers.iter().map(|own| (own.name.clone(), compiled(&own.value))).collect(),
        body: request.body.as_ref().map(compiled),
        slots: request.slots.iter().map(|slot| tables.slot(&slot.kind)).collect(),
        expect: Expect {
            status: status_set(&expect.status),
            content_type: expect.content_type.as_ref().map(|text| text.to_ascii_lowercase()),
            headers: expect.headers.iter().map(header).collect(),
            body: match &expect.body {
                BodyExpectation::Any => BodyExpect::Any,
                BodyExpectation::Empty => BodyExpect::Empty,
                BodyExpectation::Exact(body) => BodyExpect::Exact(compiled(body)),
                BodyExpectation::Same => BodyExpect::Same,
                BodyExpectation::Length { min, max } => BodyExpect::Length { min: *min, max: *max },
                BodyExpectation::Regex(_) | BodyExpectation::Sha256(_) | BodyExpectation::Json(_) => {
                    BodyExpect::Checked
                }
            },
            not_before_ms: expect.not_before_ms,
        },
    }
}

/// The check of bodies that the engine cannot compare by itself.
pub struct Checker(Vec<Checked>);

/// One request of the mix.
struct Checked {
    slots: Vec<Slot>,
    body: Body,
}

enum Body {
    /// The engine looks after it.
    Engine,
    Regex(Regex),
    Sha256(String),
    Json {
        shape: Shape,
        text: String,
        coin: Option<Coin>,
    },
    /// Not validated: nothing is right.
    Odd(String),
}

impl Body {
    fn of(request: &Request) -> Self {
        match &request.expect.body {
            BodyExpectation::Regex(regex) => expect::regex(regex).map_or_else(Self::Odd, Self::Regex),
            BodyExpectation::Sha256(sum) => Self::Sha256(sum.clone()),
            BodyExpectation::Json(json) => {
                let names = names(&request.slots);
                let (text, coin) = (json.text.written(&names), json.coin.clone());
                match Shape::parse(&json.text, &names) {
                    Ok(shape) => Self::Json { shape, text, coin },
                    Err(problem) => Self::Odd(problem.what),
                }
            }
            _ => Self::Engine,
        }
    }
}

impl Checker {
    /// What the slots of a request held, from what the engine says of them.
    pub fn texts(&self, request: usize, values: &[u64]) -> Vec<Cow<'_, [u8]>> {
        let slots = self.0.get(request).map_or(&[][..], |checked| &checked.slots);
        slots.iter().zip(values).map(|(slot, &value)| text_of(slot, value).unwrap_or_default()).collect()
    }
}

/// What is wrong is said without the body, which the engine shows behind it.
impl BodyChecker for Checker {
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        let Some(checked) = self.0.get(request) else { return Err("no such request".to_owned()) };
        match &checked.body {
            Body::Engine => Ok(None),
            Body::Regex(regex) if regex.is_match(body) => Ok(None),
            Body::Regex(regex) => Err(format!("`{}` does not match", excerpt(regex.as_str().as_bytes()))),
            Body::Sha256(expected) => {
                let found = hex(&Sha256::digest(body));
                if found == *expected {
                    Ok(None)
                } else {
                    Err(format!("the body's SHA-256 is {found}, expected {expected}"))
                }
            }
            Body::Json { shape, text, coin } => {
                let found = parse_json(body).map_err(|reason| format!("the body is not JSON: {reason}"))?;
                let texts = self.texts(request, values);
                if !shape.fits(&found, &texts) {
                    return Err(format!("expected `{}`", excerpt(text.as_bytes())));
                }
                let Some(coin) = coin else { return Ok(None) };
                let Some(bet) = texts.get(coin.bet_slot).map(|bet| **bet == *b"true") else {
                    return Err(format!("the request has no bet in slot {}", coin.bet_slot));
                };
                let win = found.get(&coin.win_member).and_then(serde_json::Value::as_bool);
                let win = win.ok_or_else(|| format!("the body has no boolean `{}`", coin.win_member))?;
                Ok(Some(Toss { bet, draw: win == bet }))
            }
            Body::Odd(why) => Err(why.clone()),
        }
    }
}
