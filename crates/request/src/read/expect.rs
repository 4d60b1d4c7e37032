//! `expect`: what is a correct answer.

use toml::Spanned;
use velo_model::{BodyExpectation, Coin, Expectation, ExpectedHeader, JsonShape, Slot, SlotKind, Statuses};

use super::context::Context;
use super::wire::{WireCoin, WireExpect, WireHeader, WireJson, WireLength};
use crate::error::SpecError;
use crate::expect;
use crate::formula::whole_number;
use crate::header::{is_token, is_value, media_type};
use crate::problem::Problem;
use crate::shape::Shape;
use crate::source::one_of;
use crate::text::excerpt;
use velo_load::Slot as Drawn;

const BODIES: &str = "expected one of body, empty, same, length, regex, sha256 and json";

impl WireExpect {
    /// With what another says of what this one leaves open.
    #[must_use]
    pub(super) fn or(&self, default: &Self) -> Self {
        let own = self.clone();
        let mut headers = default.headers.clone();
        headers.extend(own.headers);
        let says_body = own.body.is_some()
            || own.empty.is_some()
            || own.same.is_some()
            || own.length.is_some()
            || own.regex.is_some()
            || own.sha256.is_some()
            || own.json.is_some();
        let body = if says_body { self.clone() } else { default.clone() };
        Self {
            status: own.status.or_else(|| default.status.clone()),
            content_type: own.content_type.or_else(|| default.content_type.clone()),
            headers,
            coin: own.coin,
            not_before_ms: own.not_before_ms,
            ..body
        }
    }
}

/// Checks an expected answer. Its slots are indices among all that are declared.
pub(super) fn read(context: &Context, wire: &WireExpect, key: &str) -> Result<Expectation, SpecError> {
    let origin = context.origin;
    let within = |name: &str| format!("{key}.{name}");
    let status = match &wire.status {
        None => Statuses::successes(),
        Some(status) => Statuses::of(&status.get_ref().text())
            .map_err(|expected| origin.refused(status, &within("status"), expected))?,
    };
    let content_type = wire.content_type.as_ref().map(|text| {
        media_type(text.get_ref()).map_err(|expected| origin.refused(text, &within("content_type"), expected))
    });
    let mut headers = Vec::new();
    for (name, value) in &wire.headers {
        let values = match value.get_ref() {
            WireHeader::Any(true) => vec![None],
            WireHeader::Value(text) => vec![Some(text.clone())],
            WireHeader::All(texts) => texts.iter().cloned().map(Some).collect(),
            WireHeader::Any(false) => Vec::new(),
        };
        if values.is_empty() || values.iter().flatten().any(|text| !is_value(text.as_bytes())) {
            return Err(origin.refused(value, &within("headers"), "expected one line of text, or true"));
        }
        if !is_token(name.get_ref().as_bytes()) {
            return Err(origin.refused(name, &within("headers"), "expected the name of a header"));
        }
        headers
            .extend(values.into_iter().map(|value| ExpectedHeader { name: name.get_ref().clone(), value }));
    }
    let mut body = body(context, wire, key)?;
    if let Some(coin) = &wire.coin {
        toss(context, &mut body, coin, &within("coin"))?;
    }
    let wait = wire.not_before_ms.as_ref();
    let is_int = |kind: &SlotKind| matches!(kind, SlotKind::Int { .. });
    let wait = wait.map(|name| slot(context, name, &within("not_before_ms"), "a whole number", is_int));
    Ok(Expectation {
        status,
        content_type: content_type.transpose()?,
        headers,
        body,
        not_before_ms: wait.transpose()?,
    })
}

fn body(context: &Context, wire: &WireExpect, key: &str) -> Result<BodyExpectation, SpecError> {
    let origin = context.origin;
    let json = wire.json.as_ref().map(|json| {
        let WireJson::Text(text) = json.get_ref();
        Spanned::new(json.span(), text.clone())
    });
    let mut found = Vec::new();
    let texts = [("body", &wire.body), ("regex", &wire.regex), ("sha256", &wire.sha256), ("json", &json)];
    for (name, text) in texts {
        let Some(text) = text else { continue };
        let body = of_text(context, name, text.get_ref())
            .map_err(|problem| origin.wrong(text.span(), &format!("{key}.{name}"), problem))?;
        found.push((text.span(), body));
    }
    let flags = [("empty", &wire.empty, BodyExpectation::Empty), ("same", &wire.same, BodyExpectation::Same)];
    for (name, flag, body) in flags {
        let Some(flag) = flag else { continue };
        if !*flag.get_ref() {
            let problem = Problem::new("`false` says nothing", "expected `true`, or the key left out");
            return Err(origin.wrong(flag.span(), &format!("{key}.{name}"), problem));
        }
        found.push((flag.span(), body));
    }
    if let Some(length) = &wire.length {
        let (min, max) = match length.get_ref() {
            WireLength::Bytes(bytes) => (*bytes, *bytes),
            WireLength::Text(text) => expect::length(text)
                .map_err(|expected| origin.refused(length, &format!("{key}.length"), expected))?,
        };
        if max > Expectation::LONGEST_BODY_BYTES {
            let expected = format!("expected at most {} bytes", Expectation::LONGEST_BODY_BYTES);
            return Err(origin.refused(length, &format!("{key}.length"), expected));
        }
        found.push((length.span(), BodyExpectation::Length { min, max }));
    }
    found.sort_by_key(|(at, _)| at.start);
    if let [_, (at, _), ..] = found.as_slice() {
        return Err(origin.wrong(at.clone(), key, Problem::new("two expectations of the body", BODIES)));
    }
    Ok(found.pop().map_or(BodyExpectation::Any, |(_, body)| body))
}

fn of_text(context: &Context, name: &str, text: &str) -> Result<BodyExpectation, Problem> {
    Ok(match name {
        "regex" => {
            expect::regex(text).map_err(|what| Problem::new(what, "expected a regular expression"))?;
            BodyExpectation::Regex(text.to_owned())
        }
        "sha256" => BodyExpectation::Sha256(
            expect::sha256(text).map_err(|expected| Problem::new("it is no SHA-256", expected))?,
        ),
        "json" => {
            let text = context.template(text)?;
            Shape::parse(&text, &context.names())?.check_computed(&|slot| numbers(context, slot))?;
            BodyExpectation::Json(JsonShape { text, coin: None })
        }
        _ => match context.template(text)? {
            body if body.parts.is_empty() => BodyExpectation::Empty,
            body => BodyExpectation::Exact(body),
        },
    })
}

/// The least and the greatest number that a value may be.
fn numbers(context: &Context, slot: usize) -> Result<(i128, i128), Problem> {
    let Slot { name, kind } = &context.slots[slot];
    let number = |text: &[u8]| {
        whole_number(text).ok_or_else(|| {
            Problem::new(
                format!("{{{name}}} stands in `<int ...>` and may be `{}`", excerpt(text)),
                "expected whole numbers only",
            )
        })
    };
    let numbers: Vec<i128> = match (kind, context.tables.slot(kind)) {
        (SlotKind::Int { min, max }, _) => return Ok(((*min).into(), (*max).into())),
        (SlotKind::Signed { min, max }, _) => return Ok(((*min).into(), (*max).into())),
        (SlotKind::Choice(texts), _) => {
            texts.iter().map(|text| number(text.as_bytes())).collect::<Result<_, _>>()?
        }
        (SlotKind::Cell { .. }, Drawn::Cell { table, column }) => {
            let cells = table.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| number(cell)).collect::<Result<_, _>>()?
        }
        _ => Vec::new(),
    };
    let ends = numbers.iter().copied().min().zip(numbers.iter().copied().max());
    ends.ok_or_else(|| {
        Problem::new(
            format!("{{{name}}} stands in `<int ...>` and is none of the values that can be computed with"),
            "expected a range (1..9, -50..50), choices (2|3|4) or a column of whole numbers",
        )
    })
}

fn toss(context: &Context, body: &mut BodyExpectation, wire: &WireCoin, key: &str) -> Result<(), SpecError> {
    let bet_slot = slot(context, &wire.bet, key, "a boolean", |kind| *kind == SlotKind::Bool)?;
    let win = wire.win.get_ref();
    if let BodyExpectation::Json(json) = body
        && Shape::parse(&json.text, &context.names()).is_ok_and(|shape| shape.has_bool(win))
    {
        json.coin = Some(Coin { bet_slot, win_member: win.clone() });
        return Ok(());
    }
    Err(context.origin.wrong(
        wire.win.span(),
        key,
        Problem::new(
            format!("`{key}` names the member `{win}`, which is not any boolean of the answer"),
            format!("expected `json` with \"{win}\": \"<bool>\""),
        ),
    ))
}

/// The index of a declared value of a kind.
fn slot(
    context: &Context,
    name: &Spanned<String>,
    key: &str,
    kind: &str,
    fits: impl Fn(&SlotKind) -> bool,
) -> Result<usize, SpecError> {
    let found = context.slots.iter().position(|slot| slot.name == *name.get_ref() && fits(&slot.kind));
    found.ok_or_else(|| {
        let of_kind = context.slots.iter().filter(|slot| fits(&slot.kind)).map(|slot| slot.name.as_str());
        let problem =
            format!("`{key}` names the value `{}`, which is not {kind} of this request", name.get_ref());
        context.origin.wrong(name.span(), key, Problem::new(problem, one_of(name.get_ref(), of_kind)))
    })
}
