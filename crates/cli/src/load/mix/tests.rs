use std::path::PathBuf;

use clap::Parser as _;
use velo_model::{SlotKind, TextTemplate};
use velo_request::value::names;

use super::*;
use crate::args::{Args, Verb};

const URL: &str = "http://127.0.0.1:3000";

/// The arguments behind `velo load`, the URL last.
fn args(line: &[&str]) -> LoadArgs {
    let Verb::Load(load) =
        Args::try_parse_from(["velo", "load"].iter().chain(line)).expect("a command line").verb
    else {
        panic!("another verb")
    };
    *load
}

fn made(line: &[&str]) -> Said {
    said(&args(line), None).unwrap_or_else(|error| panic!("{line:?}: {error}"))
}

fn refused(line: &[&str]) -> String {
    match read(&args(line)) {
        Ok(asked) => panic!("{line:?}: {}", asked.words),
        Err(error) => error.to_string(),
    }
}

/// A request as a person would write it down.
fn shown(asked: &Said, index: usize) -> String {
    let draft = &asked.requests[index];
    let names = names(&draft.slots);
    let written = |template: &TextTemplate| template.written(&names);
    let mut text = format!("{}*{} {}", draft.weight, draft.method, written(&draft.path));
    for header in &draft.headers {
        text.push_str(&format!(" | {}: {}", header.name, written(&header.value)));
    }
    if let Some(body) = &draft.body {
        text.push_str(&format!(" | {}", written(body)));
    }
    text
}

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).expect("a file");
    }
    dir
}

fn path(dir: &tempfile::TempDir, name: &str) -> String {
    dir.path().join(name).display().to_string()
}

#[test]
fn the_url_alone_is_a_get() {
    let asked = made(&["http://127.0.0.1:3000/a?b=c"]);
    assert_eq!(shown(&asked, 0), "1*GET /a?b=c");
    assert_eq!(asked.requests[0].name, "GET /a?b=c");
    let ready = read(&args(&[URL])).expect("a mix");
    assert_eq!((ready.words.as_str(), ready.checks_bodies, ready.hash.len()), ("GET /", false, 64));
}

#[test]
fn a_body_is_posted_unless_said_otherwise() {
    assert_eq!(shown(&made(&["--body", "x=1", URL]), 0), "1*POST / | x=1");
    assert_eq!(
        shown(&made(&["--body", "x", "-m", "PUT", "-T", "text/plain", URL]), 0),
        "1*PUT / | Content-Type: text/plain | x"
    );
    let json = made(&["--json-body", "{\"a\": {\"b\": 1}}", URL]);
    assert_eq!(shown(&json, 0), "1*POST / | Content-Type: application/json | {\"a\": {\"b\": 1}}");
    let dir = folder(&[("body", "from a file\n")]);
    assert_eq!(
        shown(&made(&["--body", &format!("@{}", path(&dir, "body")), URL]), 0),
        "1*POST / | from a file\n"
    );
}

#[test]
fn headers_are_sent_host_too() {
    let dir = folder(&[("token", "Bearer abc\n")]);
    let token = format!("Authorization: @{}", path(&dir, "token"));
    let asked =
        made(&["-H", "Host: example.com", "-H", &token, "-H", "X-N: {n}", "--value", "n=counter", URL]);
    assert_eq!(shown(&asked, 0), "1*GET / | Host: example.com | Authorization: Bearer abc | X-N: {n}");
    let closing = made(&["--no-keepalive", URL]);
    assert_eq!(shown(&closing, 0), "1*GET / | Connection: close");
    let own = made(&["--no-keepalive", "-H", "connection: upgrade", URL]);
    assert_eq!(shown(&own, 0), "1*GET / | connection: upgrade");
}

#[test]
fn several_requests_have_weights_and_names() {
    let line = [
        "--request",
        "9*GET /user/{id}",
        "--request",
        "POST /user {\"id\": {id}} ",
        "--request",
        "GET /user/{id}",
    ];
    let more = ["--value", "id=1..9", "-T", "application/json", URL];
    let asked = made(&[line.as_slice(), more.as_slice()].concat());
    assert_eq!(shown(&asked, 0), "9*GET /user/{id}");
    assert_eq!(shown(&asked, 1), "1*POST /user | Content-Type: application/json | {\"id\": {id}} ");
    let names: Vec<&str> = asked.requests.iter().map(|draft| draft.name.as_str()).collect();
    assert_eq!(names, ["GET /user/{id}", "POST /user", "GET /user/{id} (2)"]);
    assert_eq!(read(&args(&[line.as_slice(), more.as_slice()].concat())).expect("a mix").words, "3 requests");
}

#[test]
fn values_come_from_a_table() {
    let dir = folder(&[("values.csv", "id,name\n1,Ada\n2,Bob\n")]);
    let csv = path(&dir, "values.csv");
    let asked = made(&["--csv-values", &csv, "--csv-random", "http://h/{id}"]);
    assert_eq!(asked.requests[0].slots[0].kind, SlotKind::Cell { table: 0, column: 0 });
    assert_eq!((asked.tables[0].random, asked.tables[0].rows), (true, 2));
    assert!(refused(&["--csv-values", &csv, URL]).contains("expected one of: id, name"));
    assert!(refused(&["--csv-values", &csv, "--value", "id=1..2", "http://h/{id}"]).contains("twice"));
    assert!(refused(&["--csv-values", "nowhere.csv", URL]).contains("nowhere.csv cannot be read"));
}

#[test]
fn expectations_are_of_every_request() {
    let asked = made(&[
        "--request",
        "GET /a",
        "--request",
        "GET /b",
        "--expect-status",
        "200,3xx",
        "--expect-header",
        "ETag",
        "--expect-content-type",
        "Text/Plain",
        "--expect-body",
        "hello",
        URL,
    ]);
    for draft in &asked.requests {
        assert!(draft.expect.status.contains(302) && !draft.expect.status.contains(201));
        assert_eq!(draft.expect.content_type.as_deref(), Some("text/plain"));
        assert_eq!(draft.expect.headers[0].name, "ETag");
        assert!(matches!(draft.expect.body, BodyExpectation::Exact(_)));
    }
    for (line, checks) in [
        (&["--expect-length", "3", URL][..], true),
        (&["--expect-length", "2000000", "--limit-body", "2M", URL], true),
        (&["--expect-empty", URL], true),
        (&["-m", "HEAD", URL], true),
        (&["--expect-status", "204", URL], false),
    ] {
        assert_eq!(read(&args(line)).expect("a mix").checks_bodies, checks, "{line:?}");
    }
}

#[test]
fn what_cannot_be_of_a_call_is_refused_by_its_own_flag() {
    let proto =
        "syntax = \"proto3\";\nmessage M { int32 user_id = 1; }\nservice S { rpc E (M) returns (M); }\n";
    let dir = folder(&[("good.proto", proto), ("deep.proto", &"message A {\n".repeat(3_000))]);
    let (good, deep) = (path(&dir, "good.proto"), path(&dir, "deep.proto"));
    let call = |proto: &'static str, more: &[&str]| {
        let proto = if proto == "deep" { &deep } else { &good };
        refused(&[&["--grpc", "S/E", "--proto", proto], more, &[URL]].concat())
    };
    for (proto, more, flag, wanted) in [
        ("good", &["--data", "@nosuch.json"][..], "--data: ", "nosuch.json cannot be read"),
        ("good", &["--data", "{\"nr\": 1}"], "--data: ", "field name 'nr'"),
        ("good", &["--metadata", "a: @nosuch"], "--metadata: ", "nosuch cannot be read"),
        ("good", &["-H", "a: @nosuch"], "--header: ", "nosuch cannot be read"),
        ("good", &["--expect-json", "{\"user_nr\": 1}"], "--expect-json: ", "expected one of: userId"),
        ("deep", &[], "--proto: deep.proto:101: ", "nested more than 100 deep"),
    ] {
        let error = call(proto, more);
        assert!(error.starts_with(flag) && error.contains(wanted), "{more:?}: {error}");
    }
    let line = ["--grpc", "S/E", "--proto", &good, "--expect-json", "{\"user_id\": \"1\"}", URL];
    assert!(read(&args(&line)).is_ok());
}

#[test]
fn what_does_nothing_or_cannot_be_is_refused() {
    let several = ["--request", "GET /", "--request", "GET /b"];
    for (line, wanted) in [
        (&["--value", "id=1..9", URL][..], "stands in no request"),
        (&["-T", "text/plain", URL], "--body"),
        (&["--in-order", URL], "one request"),
        (&["--expect-length", "0..2000000", URL], "use --limit-body 2000000"),
        (&["--json-body", "{bet}", URL], "not JSON"),
        (&["--json-body", "{\"a\": {idd}}", "--value", "idx=1..2", URL], "did you mean `{idx}`"),
        (&["-H", "Accept", URL], "Name: value"),
        (&["-H", "Content-Length: 3", URL], "Content-Length"),
        (&["-H", "Content-Type: a/b", "--json-body", "1", URL], "different values of Content-Type"),
        (&["-H", "Content-Type: a/b", "-T", "a/c", "--body", "1", URL], "different values of Content-Type"),
        (&["-m", "10", URL], "--pipelining"),
        (&["http://h/a b"], "/a%20b"),
        (&["http://h/{id}"], "brace"),
        (&["--request", "GET", URL], "is no request"),
        (&["--request", "POST", URL], "-m"),
        (&["--request", "0*GET /", URL], "weight"),
        (&["--request", "GET user", URL], "begin with `/`"),
        (&[&several[..2], &["http://h/path"]].concat(), "each request has its own"),
        (&["--expect-body", "{id}", "--value", "id=1..2", URL], "{id}"),
        (&["-m", "HEAD", "--expect-body", "x", URL], "HEAD"),
        (&["--expect-json", "{", URL], "--expect-json"),
    ] {
        let error = refused(line);
        assert!(error.contains(wanted), "{line:?}: {error}");
    }
    assert!(Args::try_parse_from(["velo", "load", "--expect-empty", "--expect-body", "x", URL]).is_err());
    assert!(Args::try_parse_from(["velo", "load", "--body", "x", "--json-body", "1", URL]).is_err());
    assert!(Args::try_parse_from(["velo", "load", "--body", "x", "--request", "GET /", URL]).is_err());
}

#[test]
fn another_order_or_expectation_is_another_hash() {
    let hash = |line: &[&str]| read(&args(line)).expect("a mix").hash;
    let several = ["--request", "GET /", "--request", "GET /b", URL];
    assert_eq!(hash(&several), hash(&several));
    assert_eq!(hash(&[URL]), hash(&["http://other:80/"]), "the host is not part of it");
    assert_ne!(hash(&several), hash(&[&["--in-order"], several.as_slice()].concat()));
    assert_ne!(hash(&several), hash(&[&["--expect-empty"], several.as_slice()].concat()));
}

#[test]
fn the_hash_tells_requests_apart_but_for_their_names() {
    let dir = folder(&[]);
    let hash = |request: &str| {
        let path =
            file(&dir, &format!("[values]\nid = \"1..9\"\n[[request]]\npath = \"/user/{{id}}\"\n{request}"));
        read(&args(&["--requests-file", &path.display().to_string(), URL])).expect("a mix").hash
    };
    assert_eq!(hash(""), hash("name = \"renamed\""));
    let others = [
        "weight = 2",
        "method = \"PUT\"",
        "body = \"\"",
        "headers.A = \"b\"",
        "expect.empty = true",
        "expect.status = 201",
    ];
    let mut hashes: Vec<String> = others.into_iter().chain([""]).map(hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), others.len() + 1);
}

#[test]
fn several_values_of_a_header_must_all_be_there() {
    let asked =
        made(&["--expect-header", "Vary", "--expect-header", "Vary: a", "--expect-header", "Vary: b", URL]);
    let values: Vec<_> =
        asked.requests[0].expect.headers.iter().map(|header| header.value.as_deref()).collect();
    assert_eq!(values, [Some("a"), Some("b")]);
}

const REQUESTS: &str = r#"
in_order = true

[values]
id  = "1..9"
bet = "true|false"

[[request]]
name   = "user"
weight = 3
path   = "/user/{id}"
expect = { status = 200, body = "{id}", headers = { ETag = "x" } }

[[request]]
path    = "/coin"
headers = { Accept = "application/json", "X-Id" = "{id}" }
json    = '{"bet": {bet}}'
expect  = { content_type = "application/json", json = '{"win": "<bool>"}' }

[[request]]
method = "PUT"
path   = "/file"
body   = "@body"
expect = { status = "201,204", empty = true }
"#;

fn file(dir: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = dir.path().join("requests.toml");
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn a_file_has_requests_with_values_and_expectations() {
    let dir = folder(&[("body", "content")]);
    let path = file(&dir, REQUESTS).display().to_string();
    let asked = made(&["--requests-file", &path, "-H", "accept: text/plain", "--expect-length", "0..9", URL]);
    assert!(asked.in_order);
    assert_eq!(shown(&asked, 0), "3*GET /user/{id} | accept: text/plain");
    assert_eq!(
        shown(&asked, 1),
        "1*POST /coin | Accept: application/json | X-Id: {id} | Content-Type: application/json | {\"bet\": {bet}}"
    );
    assert_eq!(shown(&asked, 2), "1*PUT /file | accept: text/plain | content");
    let names: Vec<&str> = asked.requests.iter().map(|draft| draft.name.as_str()).collect();
    assert_eq!(names, ["user", "POST /coin", "PUT /file"]);
    let expect = |index: usize| &asked.requests[index].expect;
    assert!(matches!(expect(0).body, BodyExpectation::Exact(_)) && !expect(0).status.contains(201));
    assert!(matches!(expect(1).body, BodyExpectation::Json(_)) && expect(1).status.contains(201));
    assert!(matches!(expect(2).body, BodyExpectation::Empty) && expect(2).status.contains(204));
    assert_eq!(read(&args(&["--requests-file", &path, URL])).expect("a mix").words, "3 requests");
}

#[test]
fn flags_say_what_a_file_leaves_open() {
    let dir = folder(&[]);
    let path = file(&dir, "[[request]]\npath = \"/a\"\n[[request]]\npath = \"/b\"\nexpect.empty = true\n");
    let path = path.display().to_string();
    let asked = made(&["--requests-file", &path, "--expect-status", "404", "--expect-regex", "^a", URL]);
    assert!(asked.requests.iter().all(|draft| draft.expect.status.contains(404)));
    assert!(matches!(asked.requests[0].expect.body, BodyExpectation::Regex(_)));
    assert!(matches!(asked.requests[1].expect.body, BodyExpectation::Empty));
}

#[test]
fn what_is_wrong_in_a_file_has_its_line() {
    let dir = folder(&[]);
    for (text, line, wanted) in [
        ("[[request]]\npth = \"/\"\n", 2, "did you mean `path`"),
        ("[[request]]\nmethod = \"GET\"\n", 1, "missing key `path`"),
        ("\nrequest = []\n", 2, "no request"),
        ("[[request]]\npath = \"user\"\n", 2, "begin with `/`"),
        ("[[request]]\npath = \"/{id}\"\n", 2, "brace"),
        ("[[request]]\npath = \"/\"\nweight = 0\n", 3, "1 to 1,000,000"),
        ("[[request]]\npath = \"/\"\nmethod = \"get\"\n", 3, "GET"),
        ("[[request]]\npath = \"/\"\njson = \"{\"\n", 3, "not JSON"),
        ("[[request]]\npath = \"/\"\nbody = \"a\"\njson = \"1\"\n", 4, "one of the two"),
        ("[[request]]\npath = \"/\"\nbody = \"@nowhere\"\n", 3, "cannot be read"),
        ("[[request]]\npath = \"/\"\nheaders.X = \"a\\nb\"\n", 3, "control"),
        ("[[request]]\npath = \"/\"\nexpect = { stat = 200 }\n", 3, "status"),
        ("[[request]]\npath = \"/\"\nexpect.status = 99\n", 3, "200 to 599"),
        ("[[request]]\npath = \"/\"\nexpect.status = { a = 1 }\n", 3, "a status"),
        ("[[request]]\npath = \"/\"\nexpect.body = \"a\"\nexpect.empty = true\n", 4, "two expectations"),
        ("[[request]]\npath = \"/\"\nexpect.same = false\n", 3, "says nothing"),
        ("[[request]]\npath = \"/\"\nexpect.regex = \"(\"\n", 3, "unclosed"),
        ("[[request]]\npath = \"/\"\nexpect.length = \"9..1\"\n", 3, "10..2000"),
        ("[[request]]\npath = \"/\"\nexpect.length = \"0..67108865\"\n", 3, "at most 67108864 bytes"),
        ("[[request]]\npath = \"/\"\nexpect.sha256 = \"ab\"\n", 3, "64"),
        ("[[request]]\npath = \"/\"\nexpect.json = '\"<bol>\"'\n", 3, "<bool>"),
        (
            "[[request]]\npath = \"/\"\nname = \"a\"\n[[request]]\npath = \"/\"\nname = \"a\"\n",
            6,
            "each name once",
        ),
        ("[values]\nid = \"1-9\"\n[[request]]\npath = \"/{id}\"\n", 2, "1..1000"),
        ("[values]\n\"i d\" = \"1..9\"\n[[request]]\npath = \"/\"\n", 2, "letter"),
    ] {
        let path = file(&dir, text).display().to_string();
        let error = refused(&["--requests-file", &path, URL]);
        assert!(error.contains(&format!("requests.toml:{line}: ")), "{text}\n{error}");
        assert!(error.contains(wanted), "{text}\n{error}");
    }
    let path = file(&dir, "[values]\nid = \"1..9\"\n[[request]]\npath = \"/\"\n").display().to_string();
    assert!(refused(&["--requests-file", &path, URL]).contains("`id` stands in no request"));
    assert!(refused(&["--requests-file", &path, "http://h/path"]).contains("each request has its own"));
    assert!(refused(&["--requests-file", "nowhere.toml", URL]).contains("nowhere.toml"));
}

#[test]
fn the_file_in_the_documents_is_one() {
    let page = include_str!("../../../../../docs/workloads.md");
    let section = page.split_once("\n## Requests\n").expect("the section").1;
    let text =
        section.split_once("```toml\n").and_then(|(_, rest)| rest.split_once("```")).expect("an example").0;
    let dir = folder(&[]);
    let path = file(&dir, text).display().to_string();
    let asked = made(&["--requests-file", &path, URL]);
    assert_eq!(shown(&asked, 0), "9*GET /user/{id} | Accept: text/plain");
    assert_eq!(shown(&asked, 1), "1*POST /coin | Content-Type: application/json | {\"bet\": {bet}}");
}

#[test]
fn a_header_may_say_what_a_flag_says() {
    for (line, shown_as) in [
        (
            &["-H", "Content-Type: application/json", "--json-body", "1", URL][..],
            "Content-Type: application/json",
        ),
        (
            &["-H", "content-type: Application/JSON; charset=utf-8", "--json-body", "1", URL],
            "content-type: Application/JSON; charset=utf-8",
        ),
        (&["-H", "Content-Type: a/b", "-T", "a/b", "--body", "1", URL], "Content-Type: a/b"),
        (&["-H", "Content-Type: a/b", "-T", "a/b", "--request", "POST / 1", URL], "Content-Type: a/b"),
    ] {
        let asked = made(line);
        assert_eq!(shown(&asked, 0), format!("1*POST / | {shown_as} | 1"), "once");
    }
}
