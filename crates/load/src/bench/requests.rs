use crate::check::{BodyChecker, Toss};
use crate::request::{BodyExpect, Expect, Part, RequestSpec, Slot, Template};

pub(super) const HOST: &str = "127.0.0.1:8080";
/// A bet as it is sent, at its shortest.
pub(super) const SHORTEST_BET: &str = concat!(
    "POST /coin HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n",
    "{\"bet\": true}"
);
/// Where the id begins in a `GET` of [`user`].
pub(super) const BEFORE_ID: &[u8] = b"GET /user/";

/// A bet, as the workload `coin` sends it.
pub(super) fn coin() -> RequestSpec {
    RequestSpec {
        name: "bet".into(),
        weight: 1,
        method: "POST".into(),
        path: text("/coin"),
        headers: vec![("Content-Type".into(), text("application/json"))],
        body: Some(Template(vec![bytes("{\"bet\": "), Part::Slot(0), bytes("}")])),
        slots: vec![Slot::Choice(vec![b"false".to_vec(), b"true".to_vec()])],
        expect: Expect {
            status: 200.into(),
            content_type: Some("application/json".into()),
            headers: vec![],
            body: BodyExpect::Checked,
            not_before_ms: None,
        },
    }
}

/// The same as a call of gRPC: a message of one field.
pub(super) fn toss() -> RequestSpec {
    let message = Template(vec![Part::Bytes(vec![0, 0, 0, 0, 2, 8]), Part::Slot(0)]);
    RequestSpec {
        path: text("/coin.Coin/Toss"),
        headers: vec![],
        body: Some(message),
        slots: vec![Slot::Choice(vec![vec![0], vec![1]])],
        // The status of a call.
        expect: Expect { status: 0.into(), content_type: None, ..coin().expect },
        ..coin()
    }
}

/// A user by number, answered with the number.
pub(super) fn user() -> RequestSpec {
    RequestSpec {
        name: "user".into(),
        weight: 1,
        method: "GET".into(),
        path: Template(vec![bytes("/user/"), Part::Slot(0)]),
        headers: vec![],
        body: None,
        slots: vec![Slot::Int { min: 1, max: 999_999 }],
        expect: Expect {
            status: 200.into(),
            content_type: None,
            headers: vec![],
            body: BodyExpect::Exact(Template(vec![Part::Slot(0)])),
            not_before_ms: None,
        },
    }
}

fn bytes(text: &str) -> Part {
    Part::Bytes(text.as_bytes().to_vec())
}

fn text(text: &str) -> Template {
    Template(vec![bytes(text)])
}

/// Accepts the answers of [`coin`] and [`toss`]; the bet that was won is what was drawn.
pub(super) struct IsCoin;

impl BodyChecker for IsCoin {
    fn check(&self, _: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        let win = match body {
            br#"{"win": true}"# | [8, 1] => true,
            br#"{"win": false}"# | [8, 0] => false,
            _ => return Err("not an answer to a bet".to_owned()),
        };
        let bet = values == [1];
        Ok(Some(Toss { bet, draw: bet == win }))
    }
}
