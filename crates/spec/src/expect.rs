use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use crate::{SlotValue, TextTemplate, json};

/// The answer that a request must get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// The status code.
    pub status: u16,
    /// The media type of `Content-Type`, without parameters; `None`: anything, also none.
    pub content_type: Option<String>,
    /// The body.
    pub body: BodyExpectation,
    /// The slot, a whole number, of the milliseconds that must pass before the answer.
    #[serde(default)]
    pub not_before_ms: Option<usize>,
}

/// Timers of whole milliseconds, such as Node's, end up to one too early by a finer clock.
pub const EARLY_NS: u64 = 1_000_000;

impl Expectation {
    /// Whether an answer after so long came before it could be right; the nanoseconds that it had to wait, if so.
    pub fn is_too_early(&self, slots: &[SlotValue], elapsed_ns: u64) -> Option<u64> {
        let Some(SlotValue::Int(ms)) = self.not_before_ms.and_then(|slot| slots.get(slot)) else {
            return None;
        };
        let least_ns = ms.saturating_mul(1_000_000);
        (elapsed_ns.saturating_add(EARLY_NS) < least_ns).then_some(least_ns)
    }
}

/// A text made from a request's slots by a hash function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Digest {
    /// SHA-512 in lower-case hexadecimal digits.
    Sha512(TextTemplate),
}

impl Digest {
    /// The text for these slots.
    pub fn text(&self, slots: &[SlotValue]) -> String {
        let Self::Sha512(of) = self;
        let hash = sha2::Sha512::digest(of.render(slots).as_bytes());
        hash.iter().fold(String::with_capacity(128), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

/// What a body must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BodyExpectation {
    /// No byte.
    Empty,
    /// These bytes; may hold the request's slots.
    Exact(TextTemplate),
    /// JSON of this shape.
    Json(JsonShape),
}

/// JSON compared as JSON: an object with exactly these members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JsonShape {
    /// The value expected; a string `"<bool>"` in it stands for any boolean.
    pub value: serde_json::Value,
    /// Members of it whose text depends on the request.
    #[serde(default)]
    pub digests: BTreeMap<String, Digest>,
    /// For a workload with a coin: which slot is the bet and which member of the answer says that it won, so
    /// that the draw is `win ? bet : !bet`.
    pub coin: Option<Coin>,
}

/// Where the bet and the outcome of a toss are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coin {
    /// The index in [`crate::Request::slots`] of the bet, a boolean slot.
    pub bet_slot: usize,
    /// The member of the answer, a boolean.
    pub win_member: String,
}

/// A status, or all of a hundred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StatusExpectation {
    /// This code.
    Code(u16),
    /// Any code with this first digit: 4 for 400 to 499.
    Class(u8),
}

impl StatusExpectation {
    /// Whether a status is as expected.
    pub fn accepts(&self, status: u16) -> bool {
        match self {
            Self::Code(code) => status == *code,
            Self::Class(class) => status / 100 == u16::from(*class),
        }
    }
}

impl fmt::Display for StatusExpectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "{code}"),
            Self::Class(class) => write!(f, "{class}xx"),
        }
    }
}

/// Whether a `Content-Type` header names the expected media type; parameters and case do not count.
pub fn content_type_matches(expected: &str, header: &str) -> bool {
    let media_type = header.split(';').next().unwrap_or_default();
    media_type.trim_matches([' ', '\t']).eq_ignore_ascii_case(expected)
}

/// What a look at a body found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedBody {
    /// As expected.
    Correct {
        /// Which side the coin fell on, where the workload has one.
        draw: Option<bool>,
    },
    /// Not as expected; why, in a few words.
    Wrong(String),
}

impl BodyExpectation {
    /// Compares a body with what the request with these slot values must get.
    pub fn check(&self, slots: &[SlotValue], body: &[u8]) -> CheckedBody {
        match self {
            Self::Empty if body.is_empty() => CheckedBody::Correct { draw: None },
            Self::Empty => CheckedBody::Wrong(format!("the body is `{}`, expected none", excerpt(body))),
            Self::Exact(template) => {
                let expected = template.render(slots);
                if body == expected.as_bytes() {
                    CheckedBody::Correct { draw: None }
                } else {
                    let expected = excerpt(expected.as_bytes());
                    CheckedBody::Wrong(format!("the body is `{}`, expected `{expected}`", excerpt(body)))
                }
            }
            Self::Json(shape) => shape.check(slots, body),
        }
    }
}

impl JsonShape {
    /// Compares a body with this shape, as JSON: white space and the order of members do not count.
    pub fn check(&self, slots: &[SlotValue], body: &[u8]) -> CheckedBody {
        let found = match json::parse(body) {
            Ok(found) => found,
            Err(reason) => {
                return CheckedBody::Wrong(format!("the body `{}` is not JSON: {reason}", excerpt(body)));
            }
        };
        let mut value = Cow::Borrowed(&self.value);
        for (member, digest) in &self.digests {
            value.to_mut()[member.as_str()] = digest.text(slots).into();
        }
        if !json::fits(&value, &found) {
            let expected = excerpt(value.to_string().as_bytes());
            return CheckedBody::Wrong(format!("the body is `{}`, expected `{expected}`", excerpt(body)));
        }
        let Some(coin) = &self.coin else { return CheckedBody::Correct { draw: None } };
        let bet = match slots.get(coin.bet_slot) {
            Some(SlotValue::Bool(bet)) => *bet,
            _ => return CheckedBody::Wrong(format!("the request has no bet in slot {}", coin.bet_slot)),
        };
        match found.get(&coin.win_member).and_then(serde_json::Value::as_bool) {
            Some(win) => CheckedBody::Correct { draw: Some(if win { bet } else { !bet }) },
            None => CheckedBody::Wrong(format!("the body has no boolean `{}`", coin.win_member)),
        }
    }
}

/// The start of a body, safe to print on one line.
fn excerpt(body: &[u8]) -> String {
    const SHOWN_BYTES: usize = 80;
    let shown = &body[..body.len().min(SHOWN_BYTES)];
    let mut text: String = String::from_utf8_lossy(shown)
        .chars()
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if body.len() > SHOWN_BYTES {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::TextPart;

    fn toss() -> BodyExpectation {
        BodyExpectation::Json(JsonShape {
            value: serde_json::json!({ "win": "<bool>" }),
            digests: BTreeMap::new(),
            coin: Some(Coin { bet_slot: 0, win_member: "win".to_owned() }),
        })
    }

    fn wrong(expectation: &BodyExpectation, body: &str) -> String {
        match expectation.check(&[SlotValue::Bool(true)], body.as_bytes()) {
            CheckedBody::Wrong(reason) => reason,
            CheckedBody::Correct { .. } => panic!("`{body}` was accepted"),
        }
    }

    #[test]
    fn the_draw_follows_from_bet_and_win() {
        for (bet, win, draw) in
            [(true, true, true), (true, false, false), (false, true, false), (false, false, true)]
        {
            let body = format!("{{\"win\": {win}}}");
            let checked = toss().check(&[SlotValue::Bool(bet)], body.as_bytes());
            assert_eq!(checked, CheckedBody::Correct { draw: Some(draw) });
        }
    }

    #[test]
    fn white_space_in_json_does_not_count() {
        let checked = toss().check(&[SlotValue::Bool(true)], b" {\n\"win\" :true } \r\n");
        assert_eq!(checked, CheckedBody::Correct { draw: Some(true) });
    }

    #[test]
    fn other_json_is_wrong() {
        for body in [
            "",
            "{}",
            "{\"win\":1}",
            "{\"win\":\"true\"}",
            "{\"win\":null}",
            "{\"Win\":true}",
            "{\"win\":true,\"x\":1}",
            "[true]",
            "true",
            "{\"win\":true}{\"win\":true}",
            "{\"win\":true",
            "{\"win\":true,\"win\":true}",
        ] {
            wrong(&toss(), body);
        }
        assert!(wrong(&toss(), "{\"win\":true,\"win\":false}").contains("`win` stands twice"));
    }

    #[test]
    fn a_coin_without_a_bet_is_wrong_not_a_panic() {
        let CheckedBody::Wrong(reason) = toss().check(&[], b"{\"win\":true}") else { panic!("accepted") };
        assert!(reason.contains("no bet"), "{reason}");
    }

    #[test]
    fn an_exact_body_holds_the_requests_slots() {
        let body = BodyExpectation::Exact(TextTemplate { parts: vec![TextPart::Slot(0)] });
        assert_eq!(body.check(&[SlotValue::Int(42)], b"42"), CheckedBody::Correct { draw: None });
        assert!(matches!(body.check(&[SlotValue::Int(42)], b"43"), CheckedBody::Wrong(_)));
        assert!(matches!(body.check(&[SlotValue::Int(42)], b"42\n"), CheckedBody::Wrong(_)));
    }

    #[test]
    fn an_empty_body_holds_no_byte() {
        assert_eq!(BodyExpectation::Empty.check(&[], b""), CheckedBody::Correct { draw: None });
        assert!(matches!(BodyExpectation::Empty.check(&[], b" "), CheckedBody::Wrong(_)));
    }

    #[test]
    fn a_reason_is_short_and_on_one_line() {
        let reason = wrong(&toss(), &"\u{1b}[31m\n\u{e9}".repeat(100_000));
        assert!(reason.len() < 400, "{} bytes", reason.len());
        assert!(!reason.chars().any(char::is_control), "{reason:?}");
        let reason = wrong(&toss(), "{\"\\u001b[31m\":1,\"\\u001b[31m\":2}");
        assert!(reason.contains("stands twice") && !reason.chars().any(char::is_control), "{reason:?}");
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(wrong(&toss(), &"[".repeat(1_000_000)).contains("not JSON"));
    }

    #[test]
    fn media_types_are_compared_without_parameters_and_case() {
        assert!(content_type_matches("application/json", "application/json"));
        assert!(content_type_matches("application/json", "Application/JSON ; charset=utf-8"));
        assert!(!content_type_matches("application/json", "application/json5"));
        assert!(!content_type_matches("application/json", "text/html"));
        assert!(!content_type_matches("application/json", ""));
    }

    #[test]
    fn a_class_of_status_is_its_hundred() {
        let accepted = |status: u16| StatusExpectation::Class(4).accepts(status);
        assert!(accepted(400) && accepted(499));
        assert!(!accepted(399) && !accepted(500));
        assert!(StatusExpectation::Code(404).accepts(404));
        assert!(!StatusExpectation::Code(404).accepts(405));
    }

    proptest! {
        #[test]
        fn any_bytes_get_an_answer(body in prop::collection::vec(any::<u8>(), 0..200), bet: bool) {
            prop_assert!(matches!(toss().check(&[SlotValue::Bool(bet)], &body), CheckedBody::Wrong(_)));
        }

        #[test]
        fn exactly_one_win_is_accepted(pieces in prop::collection::vec(piece(), 0..7), bet: bool) {
            let body = pieces.concat();
            let oracle = match body.replace(' ', "").as_str() {
                "{\"win\":true}" => Some(bet),
                "{\"win\":false}" => Some(!bet),
                _ => None,
            };
            match toss().check(&[SlotValue::Bool(bet)], body.as_bytes()) {
                CheckedBody::Correct { draw } => prop_assert_eq!(draw, oracle),
                CheckedBody::Wrong(_) => prop_assert_eq!(oracle, None),
            }
        }

        #[test]
        fn json_fits_itself_and_nothing_else(a in json_value(), b in json_value()) {
            prop_assert!(json::fits(&a, &a));
            prop_assert_eq!(json::fits(&a, &b), a == b);
            prop_assert_eq!(json::parse(a.to_string().as_bytes()), Ok(a));
        }
    }

    /// Pieces that make up a right answer often enough.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "{\"win\"",
            "{\"win\":",
            ":true",
            ":",
            "true",
            "false",
            "}",
            "{",
            " ",
            ",\"win\":true",
        ])
    }

    fn json_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            "[a-z]{0,3}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(serde_json::Value::from),
                prop::collection::btree_map("[a-c]", inner, 0..3)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }
}
