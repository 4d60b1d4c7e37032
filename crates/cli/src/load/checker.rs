//! The check of bodies that the engine cannot compare by itself.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use velo_load::{BodyChecker, Toss};
use velo_spec::parse_json;

use super::expect::BodyCheck;
use super::files::excerpt;
use super::value::Values;

/// What each request of a mix must get.
pub(crate) struct Checker {
    values: Arc<Values>,
    requests: Vec<Checked>,
}

/// One request of the mix.
pub(crate) struct Checked {
    /// For each slot of the request its index among the values.
    pub(crate) slots: Vec<usize>,
    /// The body.
    pub(crate) body: BodyCheck,
}

impl Checker {
    pub(crate) fn new(values: Arc<Values>, requests: Vec<Checked>) -> Self {
        Self { values, requests }
    }
}

impl BodyChecker for Checker {
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        let Some(checked) = self.requests.get(request) else { return Err("no such request".to_owned()) };
        match &checked.body {
            // The engine looks after these by itself.
            BodyCheck::Any
            | BodyCheck::Empty
            | BodyCheck::Exact(_)
            | BodyCheck::Same
            | BodyCheck::Length(..) => Ok(None),
            BodyCheck::Regex(regex) if regex.is_match(body) => Ok(None),
            BodyCheck::Regex(regex) => Err(format!(
                "the body is `{}`, which `{}` does not match",
                excerpt(body),
                excerpt(regex.as_str().as_bytes())
            )),
            BodyCheck::Sha256(expected) => {
                let found: [u8; 32] = Sha256::digest(body).into();
                if found == *expected {
                    Ok(None)
                } else {
                    Err(format!("the body's SHA-256 is {}, expected {}", hex(&found), hex(expected)))
                }
            }
            BodyCheck::Json(shape) => {
                let found = parse_json(body)
                    .map_err(|reason| format!("the body `{}` is not JSON: {reason}", excerpt(body)))?;
                let value = |slot: usize| {
                    let own = checked.slots.iter().position(|&index| index == slot);
                    own.and_then(|own| values.get(own)).copied().unwrap_or_default()
                };
                if shape.fits(&found, &self.values, &value) {
                    Ok(None)
                } else {
                    Err(format!(
                        "the body is `{}`, expected `{}`",
                        excerpt(body),
                        excerpt(shape.written.as_bytes())
                    ))
                }
            }
        }
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use velo_load::Slot;

    use super::*;
    use crate::load::expect;
    use crate::load::json_shape::{JsonShape, Placeholders};

    fn checker(body: BodyCheck) -> Checker {
        let mut values = Values::default();
        for name in ["other", "id"] {
            values.declare(name.to_owned(), Slot::Int { min: 0, max: 99 }).expect("new");
        }
        Checker::new(Arc::new(values), vec![Checked { slots: vec![1], body }])
    }

    #[test]
    fn an_expression_matches_somewhere() {
        let checker = checker(BodyCheck::Regex(expect::regex("b+").expect("an expression")));
        assert_eq!(checker.check(0, &[], b"abbc"), Ok(None));
        assert!(checker.check(0, &[], b"ac\x1b").expect_err("no match").contains("`b+`"));
        assert!(checker.check(1, &[], b"b").is_err(), "a request that is not there");
    }

    #[test]
    fn a_sum_is_of_the_whole_body() {
        let sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        let checker = checker(BodyCheck::Sha256(expect::sha256(sum).expect("a sum")));
        assert_eq!(checker.check(0, &[], b"hello"), Ok(None));
        assert!(checker.check(0, &[], b"hello\n").expect_err("another").contains(sum));
    }

    #[test]
    fn json_has_the_requests_own_value() {
        let mut values = Values::default();
        for name in ["other", "id"] {
            values.declare(name.to_owned(), Slot::Int { min: 0, max: 99 }).expect("new");
        }
        let shape = JsonShape::parse(b"{\"id\": {id}}", &values, Placeholders::No).expect("a shape");
        let checker = checker(BodyCheck::Json(shape));
        assert_eq!(checker.check(0, &[7], b"{\"id\": 7}"), Ok(None));
        assert!(checker.check(0, &[7], b"{\"id\": 8}").expect_err("another").contains("{id}"));
        assert!(checker.check(0, &[7], b"{").expect_err("no JSON").contains("not JSON"));
    }

    fn expectations() -> Vec<Checker> {
        let mut values = Values::default();
        values.declare("other".to_owned(), Slot::Int { min: 0, max: 99 }).expect("new");
        values.declare("id".to_owned(), Slot::Int { min: 0, max: 99 }).expect("new");
        let shape = |text: &[u8]| JsonShape::parse(text, &values, Placeholders::Yes).expect("a shape");
        vec![
            checker(BodyCheck::Json(shape(b"{\"win\": \"<bool>\", \"id\": \"{id}\"}"))),
            checker(BodyCheck::Json(shape(b"[{id}, \"<any>\", \"user {id}\"]"))),
            checker(BodyCheck::Regex(expect::regex("^(a|b)*c$").expect("an expression"))),
            checker(BodyCheck::Sha256([7; 32])),
        ]
    }

    /// Pieces that make up a right answer often enough.
    fn piece() -> impl Strategy<Value = &'static [u8]> {
        prop::sample::select(vec![
            b"{\"win\":true,\"id\":7}".as_slice(),
            b"[7,null,\"user 7\"]",
            b"{\"win\":",
            b"true",
            b",\"id\":7",
            b"}",
            b"[",
            b"7",
            b"]",
            b"abc",
            b"\xff\x1b",
            b"1e999",
            b"{\"\\u001b\":1,\"\\u001b\":1}",
        ])
    }

    proptest! {
        #[test]
        fn any_body_gets_an_answer_that_is_safe_to_print(
            body in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..300),
                prop::collection::vec(piece(), 0..8).prop_map(|pieces| pieces.concat()),
            ],
            values in prop::collection::vec(any::<u64>(), 0..3),
        ) {
            for checker in expectations() {
                if let Err(reason) = checker.check(0, &values, &body) {
                    prop_assert!(reason.len() < 600, "{} bytes", reason.len());
                    prop_assert!(!reason.chars().any(char::is_control), "{:?}", reason);
                }
            }
        }

        #[test]
        fn json_is_right_exactly_when_its_parts_are(id in 0_u64..3, own in 0_u64..3, win: bool, more: bool) {
            let extra = if more { ",\"x\":0" } else { "" };
            let body = format!("{{\"id\":{id},\"win\":{win}{extra}}}");
            let checked = expectations()[0].check(0, &[own], body.as_bytes());
            prop_assert_eq!(checked.is_ok(), id == own && !more);
        }
    }
}
