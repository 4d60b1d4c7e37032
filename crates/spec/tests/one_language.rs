//! The same requests in a workload and in a file of `velo load` are the same to the load engine.

use std::path::PathBuf;

use proptest::prelude::*;
use velo_load::{BodyChecker as _, Example, Order};
use velo_model::Request;
use velo_request::read::{Origin, Reader, RequestsFile};
use velo_request::text::Folder;
use velo_request::{SourceFile, Tables, compile};
use velo_spec::read;

const TOP: &str = r#"question = "Are they the same?"
baseline = "go/net-http"
default = ["go/net-http"]
"#;

const REST: &str = r#"
[source]
title = "A table"
author = "Somebody"
year = 2020
command = "wrk"
machine = "a desk"
[[load]]
connections = 64
"#;

const VALUES: &str = r#"
[values]
id = "1..1000"
bet = "true|false"
colour = "red|green|blue"
n = "counter:7"
[[request]]
name = "all"
path = "/{id}/{bet}/{colour}/{n}"
expect.same = true
"#;

/// What a workload, and what a file of requests makes of the same text.
fn both(in_order: bool, requests: &str) -> [Vec<Request>; 2] {
    let order = if in_order { "in_order = true\n" } else { "" };
    let workload = format!("{TOP}{order}{REST}{VALUES}{requests}");
    let workload = read::workload_of("same", &[("workload.toml", workload.as_bytes())])
        .unwrap_or_else(|error| panic!("{error}\n{workload}"));
    assert_eq!(workload.in_order, in_order);
    let file = format!("{order}{VALUES}{requests}");
    let source = SourceFile::of("requests.toml", &file);
    let file = RequestsFile::of(&source).expect("a file");
    assert_eq!(file.in_order, in_order);
    let mut reader = Reader::new(Origin::File(&source), Folder::From(PathBuf::new()));
    [workload.requests, file.requests(&mut reader).expect("requests")]
}

fn request() -> impl Strategy<Value = String> {
    let path = prop::sample::select(vec!["/", "/user/{id}", "/{colour}?n={n}", "/{n}/{id}", "/coin/{bet}"]);
    let body = prop::sample::select(vec![
        "",
        "body = \"{{id} {id}\"\ncontent_type = \"text/plain\"\n",
        "json = '{\"bet\": {bet}, \"id\": \"{id}\"}'\n",
        "headers = { X-N = \"{n}\", Accept = \"*/*\" }\nmethod = \"PUT\"\n",
    ]);
    let expect = prop::sample::select(vec![
        "body = \"\"",
        "length = \"1..3\"",
        "status = [200, \"3xx\"]\nexpect.regex = \"^[0-9]+$\"",
        "json = '{\"win\": \"<bool>\"}'",
        "json = '[\"<int>\", \"<sha512 x>\"]'\nexpect.content_type = \"application/json\"",
        "sha256 = \"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\"",
        "headers = { ETag = true, Vary = \"x\" }\nexpect.empty = true",
    ]);
    (path, body, expect, 1..9_u32).prop_map(|(path, body, expect, weight)| {
        format!("[[request]]\nweight = {weight}\npath = \"{path}\"\n{body}expect.{expect}\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_workload_and_a_file_send_and_expect_the_same(
        requests in prop::collection::vec(request(), 1..5),
        in_order: bool,
        seed: u64,
        bodies in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![&b"{\"win\":true}"[..], b"hello", b"42", b"", b"[1,\"x\"]", b"{"])
                    .prop_map(<[u8]>::to_vec),
                prop::collection::vec(any::<u8>(), 0..20),
            ],
            1..6,
        ),
    ) {
        let [one, other] = both(in_order, &requests.concat());
        prop_assert_eq!(&one, &other);
        let order = if in_order { Order::InOrder } else { Order::Weighted };
        let mixes = [one, other].map(|requests| {
            compile(&requests, &Tables::default(), order, "host:80").expect("a mix")
        });
        let [(one, a), (other, b)] = &mixes;
        for (one, other) in Example::all(one, seed).zip(Example::all(other, seed)).take(20) {
            prop_assert_eq!(&one.bytes, &other.bytes);
            prop_assert_eq!((one.request, &one.values), (other.request, &other.values));
            for body in &bodies {
                let verdicts =
                    [a.check(one.request, &one.values, body), b.check(other.request, &other.values, body)];
                prop_assert_eq!(&verdicts[0], &verdicts[1]);
            }
        }
    }
}

#[test]
fn values_of_a_csv_file_are_for_workloads_too() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("table");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("users.csv"), "id,name\n1,Ada\n2,Bob\n").expect("a file");
    std::fs::write(folder.join("body.json"), "{\"name\": \"{name}\"}").expect("a file");
    let request = "[[csv]]\nfile = \"users.csv\"\n[[request]]\npath = \"/{id}\"\njson = \"@body.json\"\nexpect.body = \"{name}\"\n";
    std::fs::write(folder.join("workload.toml"), format!("{TOP}{REST}{request}")).expect("a file");
    let workload = read::workload(&folder).unwrap_or_else(|error| panic!("{error}"));
    let tables = Tables::of(&workload.tables);
    let (mix, checker) = compile(&workload.requests, &tables, Order::Weighted, "h").expect("a mix");
    let sent: Vec<Vec<String>> = Example::all(&mix, 1)
        .take(3)
        .map(|example| {
            let texts = checker.texts(0, &example.values);
            texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect()
        })
        .collect();
    assert_eq!(sent, [["1", "Ada"], ["2", "Bob"], ["1", "Ada"]], "row by row, and again from the first");
    let kept = serde_json::to_string(&workload).expect("it can be kept");
    assert!(!kept.contains("Ada"), "a record has no rows");
    for (from, to, said) in [
        ("users.csv", "nobody.csv", "nobody.csv cannot be read"),
        ("users.csv", "../users.csv", "not in the definition's own folder"),
    ] {
        let text = format!("{TOP}{REST}{request}").replace(from, to);
        std::fs::write(folder.join("workload.toml"), text).expect("a file");
        let message = read::workload(&folder).map(|_| ()).expect_err("no table").to_string();
        assert!(message.contains("workload.toml:") && message.contains(said), "{message}");
    }
}
