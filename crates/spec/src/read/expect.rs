use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

use super::checks;
use super::request::text;
use super::source::{SourceFile, did_you_mean};
use super::template::{NearMiss, template};
use crate::json::ANY_BOOL;
use crate::{BodyExpectation, Coin, Digest, Expectation, JsonShape, Slot, SlotKind, SpecError};

/// `expect` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireExpect {
    status: Spanned<u64>,
    content_type: Option<Spanned<String>>,
    body: Option<Spanned<String>>,
    json: Option<Spanned<toml::Value>>,
    coin: Option<WireCoin>,
    not_before_ms: Option<Spanned<String>>,
}

/// `coin` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCoin {
    bet: Spanned<String>,
    win: Spanned<String>,
}

/// Checks an expected answer; `key` is the table that holds it.
pub(super) fn read(
    file: &SourceFile,
    wire: Spanned<WireExpect>,
    slots: &[Slot],
    key: &str,
) -> Result<Expectation, SpecError> {
    let place = file.at(&wire, key);
    let wire = wire.into_inner();
    let within = |name: &str| format!("{key}.{name}");
    let status = checks::number(file, &wire.status, &within("status"), 200..=599)?;
    let body = match (wire.body, wire.json) {
        (Some(body), None) if body.get_ref().is_empty() => BodyExpectation::Empty,
        (Some(body), None) => BodyExpectation::Exact(text(file, &body, &within("body"), slots)?),
        (None, Some(value)) => {
            let at = value.span();
            let value = to_json(file, value, &within("json"))?;
            let digests = digests(file, &value, at, slots, &within("json"))?;
            BodyExpectation::Json(JsonShape { value, digests, coin: None })
        }
        _ => {
            return Err(place.wrong(
                format!("`{key}` needs either `body` or `json`"),
                "expected one of them; `body = \"\"` is an empty body",
            ));
        }
    };
    Ok(Expectation {
        // OK because it is at most 599.
        status: u16::try_from(status).expect("a status fits"),
        content_type: wire
            .content_type
            .map(|value| checks::media_type(file, value, &within("content_type")))
            .transpose()?,
        body: match wire.coin {
            Some(coin) => with_coin(file, body, &coin, slots, &within("coin"))?,
            None => body,
        },
        not_before_ms: wire
            .not_before_ms
            .map(|slot| int_slot(file, &slot, slots, &within("not_before_ms")))
            .transpose()?,
    })
}

fn int_slot(
    file: &SourceFile,
    name: &Spanned<String>,
    slots: &[Slot],
    key: &str,
) -> Result<usize, SpecError> {
    let is_int = |slot: &Slot| matches!(slot.kind, SlotKind::Int { .. });
    slots.iter().position(|slot| slot.name == *name.get_ref() && is_int(slot)).ok_or_else(|| {
        let ints = || slots.iter().filter(|slot| is_int(slot)).map(|slot| slot.name.as_str());
        let expected = ints().collect::<Vec<_>>().join(", ");
        file.at(name, key).wrong(
            format!(
                "`{key}` names the slot `{}`, which is not a whole number of this request",
                name.get_ref()
            ),
            format!("expected one of: {expected}{}", did_you_mean(name.get_ref(), ints())),
        )
    })
}

/// What a member that begins so is made of.
const SHA512: &str = "<sha512 ";

/// `<sha512 TEXT>` as a digest of a text with slots; `None` for any other text.
pub(super) fn digest(text: &str, slots: &[Slot]) -> Option<Result<Digest, NearMiss>> {
    let of = text.strip_prefix(SHA512)?.strip_suffix('>')?;
    Some(template(of, slots).map(Digest::Sha512))
}

/// The members of an expected object that are digests.
fn digests(
    file: &SourceFile,
    value: &serde_json::Value,
    at: Range<usize>,
    slots: &[Slot],
    key: &str,
) -> Result<BTreeMap<String, Digest>, SpecError> {
    let members = value.as_object().into_iter().flatten();
    members
        .filter_map(|(member, value)| Some((member, digest(value.as_str()?, slots)?)))
        .map(|(member, digest)| match digest {
            Ok(digest) => Ok((member.clone(), digest)),
            Err(miss) => Err(file.wrong(
                at.clone(),
                key,
                format!("`{key}` holds `{{{}}}`, but no slot has that name", miss.found),
                format!("did you mean `{{{}}}`?", miss.slot),
            )),
        })
        .collect()
}

fn with_coin(
    file: &SourceFile,
    body: BodyExpectation,
    wire: &WireCoin,
    slots: &[Slot],
    key: &str,
) -> Result<BodyExpectation, SpecError> {
    let bet = wire.bet.get_ref();
    let bet_slot =
        slots.iter().position(|slot| slot.name == *bet && slot.kind == SlotKind::Bool).ok_or_else(|| {
            let bools =
                || slots.iter().filter(|slot| slot.kind == SlotKind::Bool).map(|slot| slot.name.as_str());
            let expected = bools().collect::<Vec<_>>().join(", ");
            file.at(&wire.bet, key).wrong(
                format!("`{key}` names the slot `{bet}`, which is not a boolean slot of this request"),
                format!("expected one of: {expected}{}", did_you_mean(bet, bools())),
            )
        })?;
    let win = wire.win.get_ref();
    match body {
        BodyExpectation::Json(JsonShape { value, digests, .. })
            if value.get(win).is_some_and(|member| member == ANY_BOOL) =>
        {
            let coin = Some(Coin { bet_slot, win_member: win.clone() });
            Ok(BodyExpectation::Json(JsonShape { value, digests, coin }))
        }
        _ => Err(file.at(&wire.win, key).wrong(
            format!("`{key}` names the member `{win}`, which is not any boolean of the answer"),
            format!("expected `json` with `{win} = \"{ANY_BOOL}\"`"),
        )),
    }
}

/// The expected JSON: an object, of what TOML and JSON both have.
fn to_json(
    file: &SourceFile,
    value: Spanned<toml::Value>,
    key: &str,
) -> Result<serde_json::Value, SpecError> {
    let place = file.at(&value, key);
    match convert(value.into_inner()) {
        Some(value) if value.is_object() => Ok(value),
        Some(_) => {
            Err(place.wrong(format!("`{key}` is not a table"), "expected a table: an object's members"))
        }
        None => Err(place.wrong(
            format!("`{key}` holds what JSON does not have"),
            "expected strings, finite numbers, booleans, arrays and tables",
        )),
    }
}

fn convert(value: toml::Value) -> Option<serde_json::Value> {
    Some(match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => serde_json::Number::from_f64(number)?.into(),
        toml::Value::Boolean(value) => value.into(),
        toml::Value::Datetime(_) => return None,
        toml::Value::Array(items) => items.into_iter().map(convert).collect::<Option<Vec<_>>>()?.into(),
        toml::Value::Table(members) => serde_json::Value::Object(
            members.into_iter().map(|(key, value)| Some((key, convert(value)?))).collect::<Option<_>>()?,
        ),
    })
}
