use std::path::PathBuf;

use proptest::prelude::*;
use velo_load::{BodyChecker as _, Order, Toss};
use velo_model::{BodyExpectation, Request};

use super::*;
use crate::text::Folder;
use crate::{Checker, SourceFile, Tables, compile};

/// The requests of a file.
fn requests(text: &str) -> Result<(Vec<Request>, Tables), String> {
    let source = SourceFile::of("requests.toml", text);
    let file = RequestsFile::of(&source).map_err(|error| error.to_string())?;
    let mut reader = Reader::new(Origin::File(&source), Folder::From(PathBuf::new()));
    let requests = file.requests(&mut reader).map_err(|error| error.to_string())?;
    Ok((requests, Tables::of(&reader.into_csv())))
}

fn checker(keys: &str) -> std::sync::Arc<Checker> {
    let (requests, tables) =
        requests(&format!("[[request]]\n{keys}")).unwrap_or_else(|error| panic!("{error}"));
    compile(&requests, &tables, Order::Weighted, "host").expect("a mix").1
}

fn refused(keys: &str) -> String {
    requests(&format!("[values]\nid = \"1..9\"\ntext = \"a b|c\\nd\"\n[[request]]\n{keys}"))
        .map(|_| ())
        .expect_err(keys)
}

const SUM: &str = r#"
path   = "/sum/{x}/{y}/{e}"
values = { x = "-1000..1000", y = "0..9", e = "2|3|4" }
expect = { json = '{"sum": "<int ({x} + {y}) * {e}>"}' }
"#;

#[test]
fn a_sum_is_that_of_the_values_sent() {
    let checker = checker(SUM);
    let check = |values: &[u64], body: &str| checker.check(0, values, body.as_bytes());
    // Slots are numbered by the order of their names: e, of which the second choice is 3, then x and y.
    assert_eq!(check(&[1, (-7_i64).cast_unsigned(), 2], "{\"sum\": -15}"), Ok(None));
    assert_eq!(check(&[0, 7, 2], "{\"sum\": 18}"), Ok(None));
    let wrong = check(&[1, 7, 2], "{\"sum\": 18}").expect_err("wrong");
    assert!(wrong.contains("<int ({x} + {y}) * {e}>"), "{wrong}");
}

#[test]
fn a_sum_of_what_is_no_number_is_refused() {
    let with = |values: &str, formula: &str| {
        refused(&format!(
            "path = \"/{{v}}\"\nvalues = {{ v = {values} }}\nexpect = {{ json = '\"<int {formula}>\"' }}"
        ))
    };
    for (values, formula, what) in [
        ("\"2|x\"", "{v}", "{v} stands in `<int ...>` and may be `x`"),
        ("\"bool\"", "{v}", "none of the values that can be computed with"),
        ("\"counter\"", "{v} + 1", "none of the values that can be computed with"),
        ("\"0..18446744073709551615\"", "{v} + 1", "may lie outside"),
        ("\"1..9\"", "{v} / 2", "`/` has no meaning"),
        ("\"1..9\"", "{w}", "`{w}` is no value that is declared"),
    ] {
        let error = with(values, formula);
        assert!(error.contains(what) && error.contains("expect.json"), "{error}");
    }
}

const TOSS: &str = r#"
path       = "/coin"
json       = '{"bet": {bet}}'
values.bet = "bool"
expect     = { json = '{"win": "<bool>"}', coin = { bet = "bet", win = "win" } }
"#;

#[test]
fn the_draw_follows_from_bet_and_win() {
    let checker = checker(TOSS);
    for (bet, win, draw) in
        [(true, true, true), (true, false, false), (false, true, false), (false, false, true)]
    {
        let body = format!(" {{\n\"win\" :{win} }} \r\n");
        assert_eq!(checker.check(0, &[bet.into()], body.as_bytes()), Ok(Some(Toss { bet, draw })));
    }
    assert!(checker.check(0, &[], b"{\"win\":true}").expect_err("no bet").contains("no bet"));
    assert!(checker.check(1, &[1], b"{\"win\":true}").is_err(), "a request that is not there");
}

#[test]
fn other_json_is_wrong() {
    let checker = checker(TOSS);
    let wrong = |body: &str| checker.check(0, &[1], body.as_bytes()).expect_err(body);
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
        wrong(body);
    }
    assert!(wrong("{\"win\":true,\"win\":false}").contains("`win` stands twice"));
    assert!(wrong(&"[".repeat(1_000_000)).contains("not JSON"), "deep nesting is refused");
    for odd in ["\u{1b}[31m\n\u{e9}".repeat(100_000), "{\"\\u001b[31m\":1,\"\\u001b[31m\":2}".to_owned()] {
        let reason = wrong(&odd);
        assert!(reason.len() < 400, "{} bytes", reason.len());
        assert!(!reason.chars().any(char::is_control), "{reason:?}");
    }
}

#[test]
fn expressions_and_sums_are_of_the_body() {
    let matches = checker("path = \"/\"\nexpect.regex = \"b+\"");
    assert_eq!(matches.check(0, &[], b"abbc"), Ok(None));
    assert!(matches.check(0, &[], b"ac\x1b").expect_err("no match").contains("`b+`"));
    let sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    let sums = checker(&format!("path = \"/\"\nexpect.sha256 = \"{}\"", sum.to_uppercase()));
    assert_eq!(sums.check(0, &[], b"hello"), Ok(None));
    assert!(sums.check(0, &[], b"hello\n").expect_err("another").contains(sum));
}

#[test]
fn json_has_the_requests_own_value() {
    let text = "[values]\nother = \"1..9\"\nid = \"0..99\"\n[[request]]\npath = \"/{id}\"\n\
                expect.json = '{\"id\": {id}}'\n[[request]]\npath = \"/{other}\"\n";
    let (requests, tables) = requests(text).expect("requests");
    // Slots are numbered within the request.
    assert_eq!((requests[0].slots.len(), requests[0].slots[0].name.as_str()), (1, "id"));
    let (_, checker) = compile(&requests, &tables, Order::Weighted, "host").expect("a mix");
    assert_eq!(checker.check(0, &[7], b"{\"id\": 7}"), Ok(None));
    assert!(checker.check(0, &[7], b"{\"id\": 8}").expect_err("another").contains("{id}"));
    assert!(checker.check(0, &[7], b"{").expect_err("no JSON").contains("not JSON"));
}

#[test]
fn a_name_that_is_escaped_stays_so_in_a_request_without_that_value() {
    let text = "[values]\nid = \"0..9\"\nn = \"0..9\"\n[[request]]\npath = \"/{n}\"\n[[request]]\npath = \"/{id}\"\n\
                expect.json = '{\"of\": \"{{n}\", \"id\": \"{{{id}\"}'\n";
    let (requests, tables) = requests(text).expect("requests");
    let (_, checker) = compile(&requests, &tables, Order::Weighted, "host").expect("a mix");
    assert_eq!(checker.check(1, &[7], b"{\"of\": \"{n}\", \"id\": \"{7\"}"), Ok(None));
    assert!(checker.check(1, &[7], b"{\"of\": \"{{n}\", \"id\": \"{7\"}").is_err());
}

#[test]
fn slots_of_the_expectation_are_numbered_as_those_of_the_request() {
    let keys = "path = \"/{ms}\"\nvalues = { ms = \"5..9\" }\nexpect = { body = \"waited {ms}\", not_before_ms = \"ms\" }";
    let text = format!("[values]\nid = \"1..9\"\n[[request]]\npath = \"/{{id}}\"\n[[request]]\n{keys}");
    let (requests, _) = requests(&text).expect("requests");
    let BodyExpectation::Exact(body) = &requests[1].expect.body else { panic!("another body") };
    assert_eq!((body.written(&["ms"]).as_str(), requests[1].expect.not_before_ms), ("waited {ms}", Some(0)));
    assert_eq!(requests[1].wait_ns(), Some((5_000_000, 9_000_000)));
}

#[test]
fn an_empty_text_is_an_empty_body() {
    let (requests, _) = requests("[[request]]\npath = \"/\"\nexpect.body = \"\"").expect("requests");
    assert_eq!(requests[0].expect.body, BodyExpectation::Empty);
}

#[test]
fn what_cannot_be_sent_or_expected_is_refused() {
    for (keys, wanted) in [
        ("path = \"/a b\"", "/a%20b"),
        ("path = \"/{nobody}\"", "id, text"),
        ("path = \"/{text}\"", "a%20b"),
        ("path = \"user\"", "begin with `/`"),
        ("path = \"/\"\nmethod = \"10\"", "--pipelining"),
        ("path = \"/\"\nmethod = \"get\"", "GET"),
        ("path = \"/\"\nmethod = \"G T\"", "no method"),
        ("path = \"/\"\nmethod = \"\"", "no method"),
        ("path = \"/\"\nmethod = \"CONNECT\"", "CONNECT"),
        ("path = \"/\"\nheaders.X = \"a\\r\\nB: c\"", "control"),
        ("path = \"/\"\nheaders.X = \"{text}\"", "control"),
        ("path = \"/\"\nheaders.Content-Length = \"3\"", "Content-Length"),
        ("path = \"/\"\nheaders.Host = \"a\"\nheaders.host = \"b\"", "two headers `Host`"),
        ("path = \"/\"\nexpect.body = \"{id}\"", "{id}"),
        ("path = \"/\"\nmethod = \"HEAD\"\nexpect.same = true", "HEAD"),
        ("path = \"/{id}\"", "the value `text` stands in no request"),
        ("path = \"/{id}\"\nvalues.id = \"1..2\"", "declared twice"),
        ("path = \"/{id}\"\nvalues.own = \"1..2\"", "the value `own` stands in no request"),
        ("path = \"/{id}\"\njson = \"1\"\ncontent_type = \"a/b\"", "beside `json`"),
        (
            "path = \"/{id}\"\nbody = \"1\"\ncontent_type = \"a/b\"\nheaders.content-type = \"a/c\"",
            "one of the two",
        ),
        ("path = \"/{id}\"\nexpect.headers.ETag = false", "or true"),
        ("path = \"/{id}\"\nexpect.not_before_ms = \"idd\"", "did you mean `id`"),
    ] {
        let message = refused(keys);
        assert!(message.starts_with("requests.toml:") && message.contains(wanted), "{keys}\n{message}");
    }
}

#[test]
fn what_the_engine_does_not_take_is_refused_with_its_place() {
    let many: Vec<String> = (0..5).map(|n| format!("v{n} = \"1..9\"")).collect();
    let text = format!(
        "[[request]]\npath = \"/{{v0}}{{v1}}{{v2}}{{v3}}{{v4}}\"\nvalues = {{ {} }}",
        many.join(", ")
    );
    let message = requests(&text).expect_err("too many");
    assert!(message.starts_with("requests.toml:2: 5 of its slots"), "{message}");
}

const FILE: &str = r#"
in_order = true
[values]
id  = "1..9"
bet = "true|false"
[[request]]
name   = "user"
weight = 3
path   = "/user/{id}"
expect = { status = [200, "3xx"], body = "{id}", headers = { ETag = true, Vary = "x" } }
[[request]]
path    = "/coin"
headers = { Accept = "application/json", "X-Id" = "{id}" }
json    = '{"bet": {bet}}'
expect  = { content_type = "application/json", json = '{"win": "<bool>", "h": "<sha512 {id}>"}' }
[[request]]
method = "PUT"
path   = "/{n}"
values.n = "counter:7"
body   = "text"
expect = { status = "201,204", length = "1..3" }
"#;

#[test]
fn the_file_that_is_mutated_is_one() {
    let (requests, _) = requests(FILE).expect("requests");
    let names: Vec<&str> = requests.iter().map(|request| request.name.as_str()).collect();
    assert_eq!(names, ["user", "POST /coin", "PUT /{n}"]);
    let kept = serde_json::to_string(&requests).expect("they can be kept");
    assert_eq!(serde_json::from_str::<Vec<Request>>(&kept).expect("they can be read again"), requests);
}

/// Pieces that make up a right answer often enough.
fn piece() -> impl Strategy<Value = &'static [u8]> {
    prop::sample::select(vec![
        b"{\"win\"".as_slice(),
        b"{\"win\":true,\"id\":7}",
        b"[7,null,\"user 7\"]",
        b"{\"win\":",
        b":true",
        b":",
        b"true",
        b"false",
        b",\"id\":7",
        b",\"win\":true",
        b"}",
        b"{",
        b" ",
        b"[",
        b"7",
        b"]",
        b"abc",
        b"\xff\x1b",
        b"1e999",
        b"{\"\\u001b\":1,\"\\u001b\":1}",
    ])
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        prop::collection::vec(piece(), 0..8).prop_map(|pieces| pieces.concat()),
    ]
}

proptest! {
    #[test]
    fn any_body_gets_an_answer_that_is_safe_to_print(
        body in body(),
        values in prop::collection::vec(any::<u64>(), 0..3),
    ) {
        for expect in [
            "json = '{\"win\": \"<bool>\", \"id\": \"{id}\"}'",
            "json = '[{id}, \"<any>\", \"user {id}\"]'",
            "regex = \"^(a|b)*c$\"",
            "sha256 = \"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\"",
        ] {
            let checker = checker(&format!("path = \"/{{id}}\"\nvalues.id = \"0..99\"\nexpect.{expect}"));
            if let Err(reason) = checker.check(0, &values, &body) {
                prop_assert!(reason.len() < 600, "{} bytes", reason.len());
                prop_assert!(!reason.chars().any(char::is_control), "{:?}", reason);
            }
        }
    }

    #[test]
    fn json_is_right_exactly_when_its_parts_are(id in 0_u64..3, own in 0_u64..3, win: bool, more: bool) {
        let checker = checker(
            "path = \"/{id}\"\nvalues.id = \"0..99\"\nexpect.json = '{\"win\": \"<bool>\", \"id\": {id}}'",
        );
        let extra = if more { ",\"x\":0" } else { "" };
        let body = format!("{{\"id\":{id},\"win\":{win}{extra}}}");
        prop_assert_eq!(checker.check(0, &[own], body.as_bytes()).is_ok(), id == own && !more);
    }

    #[test]
    fn exactly_one_win_is_accepted(pieces in prop::collection::vec(piece(), 0..7), bet: bool) {
        let body = pieces.concat();
        let plain: Vec<u8> = body.iter().copied().filter(|byte| *byte != b' ').collect();
        let oracle = match plain.as_slice() {
            b"{\"win\":true}" => Some(bet),
            b"{\"win\":false}" => Some(!bet),
            _ => None,
        };
        match checker(TOSS).check(0, &[bet.into()], &body) {
            Ok(toss) => prop_assert_eq!(toss.map(|toss| toss.draw), oracle),
            Err(_) => prop_assert_eq!(oracle, None),
        }
    }

    #[test]
    fn a_mutated_file_gets_an_answer(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, "[a-z0-9{}\"'=.\\[\\]\\n\u{e9}]{0,6}"), 1..4),
    ) {
        let mut text: Vec<char> = FILE.chars().collect();
        for (start, length, insert) in changes {
            let start = start.index(text.len() + 1);
            let end = (start + length).min(text.len());
            text.splice(start..end, insert.chars());
        }
        match requests(&text.into_iter().collect::<String>()) {
            Ok((requests, tables)) => {
                let weighted = requests.iter().any(|request| request.weight > 0);
                prop_assert_eq!(compile(&requests, &tables, Order::Weighted, "host").is_ok(), weighted);
            }
            Err(message) => {
                prop_assert!(message.len() < 5000 && message.lines().count() <= 2, "{}", message);
                prop_assert!(!message.chars().any(|c| c.is_control() && c != '\n'), "{:?}", message);
            }
        }
    }
}
