//! Definitions on disk: what is read, and what each refusal says.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use velo_model::{Class, Contender, ContenderName, Delivery, Protocol, Toolchain, Version, Workload};
use velo_spec::read;

const CONTENDER: &str = r#"class     = "raw"
workloads = ["toss"]
toolchain = "go >= 1.24"
start     = "exec ./server"
version   = "go version"
"#;

const WORKLOAD: &str = r#"question = "Who wins?"
baseline = "go/net-http"
default = ["go/net-http"]

[source]
title = "A table"
author = "Somebody"
year = 2020
command = "wrk"
machine = "a desk"

[[load]]
connections = 64

[[request]]
name = "bet"
method = "POST"
path = "/coin"
headers.accept = "application/json"
json = '{"bet": {bet}}'
values.bet = "bool"
[request.expect]
status = 200
json = '{"win": "<bool>"}'
coin = { bet = "bet", win = "win" }

[[case]]
name = "a bet"
like = "bet"

[[case]]
name = "no route"
method = "GET"
path = "/none"
expect.status = [404]

[[published]]
row = "Net"
contender = "go/net-http"
requests_per_s = 10

[[claim]]
says = "It is what it is"
figure = "goodput"
ratio = ["go/net-http", "void:go/net-http"]
printed = 1
holds = "within 15 %"
"#;

/// A checkout with these files.
fn checkout(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    root
}

fn read_contender(text: &str) -> Result<Contender, String> {
    let root = checkout(&[("contenders/go/net-http/contender.toml", text)]);
    read::contender(&root.path().join("contenders/go/net-http"))
        .map(|mut contenders| contenders.remove(0))
        .map_err(|error| relative(&error, root.path()))
}

fn read_workload(text: &str) -> Result<Workload, String> {
    let root = checkout(&[("workloads/toss/workload.toml", text)]);
    read::workload(&root.path().join("workloads/toss")).map_err(|error| relative(&error, root.path()))
}

fn relative(error: &dyn std::fmt::Display, root: &Path) -> String {
    error.to_string().replace(&format!("{}/", root.display()), "")
}

/// The message for a manifest with one change.
fn contender_refusal(from: &str, to: &str) -> String {
    assert!(CONTENDER.contains(from), "{from}");
    read_contender(&CONTENDER.replacen(from, to, 1)).map(|_| ()).expect_err("it was accepted")
}

/// The message for a workload with one change.
fn workload_refusal(from: &str, to: &str) -> String {
    assert!(WORKLOAD.contains(from), "{from}");
    read_workload(&WORKLOAD.replacen(from, to, 1)).map(|_| ()).expect_err("it was accepted")
}

#[test]
fn a_plain_contender() {
    let contender = read_contender(CONTENDER).expect("a contender");
    assert_eq!(contender.name.as_str(), "go/net-http");
    assert_eq!(contender.class, Class::Raw);
    assert_eq!(
        contender.toolchain,
        [Toolchain { name: "go".to_owned(), at_least: Some(Version(vec![1, 24])) }]
    );
    assert_eq!(contender.ready_seconds, 20);
    assert_eq!((contender.fetch, contender.build), (None, None));
}

#[test]
fn a_plain_workload() {
    let workload = read_workload(WORKLOAD).expect("a workload");
    assert_eq!(workload.name, "toss");
    assert_eq!(workload.requests[0].weight, 1);
    assert_eq!(workload.cases[0].delivery, Delivery::Whole);
    assert!(workload.cases[0].required);
    assert_eq!(workload.hash.len(), 64);
}

#[test]
fn the_hash_is_that_of_the_folder() {
    let changed = WORKLOAD.replace("Who wins?", "Who won?");
    let (first, second) = (read_workload(WORKLOAD).expect("one"), read_workload(&changed).expect("another"));
    assert_ne!(first.hash, second.hash);
    assert_eq!(first.hash, read_workload(WORKLOAD).expect("the first again").hash);
}

#[test]
fn an_unknown_key_is_named_with_what_was_meant() {
    assert_eq!(
        contender_refusal("class     = \"raw\"", "\nclas = \"raw\""),
        "contenders/go/net-http/contender.toml:2: unknown key `clas`\n  expected one of: class, raw, rest, workloads, \
         protocols, other_protocols, toolchain, debian, borrows, fetch, build, start, task, serve, get, version, ready_seconds, variant; did you mean `class`?"
    );
    assert_eq!(
        workload_refusal("connections = 64", "conections = 64"),
        "workloads/toss/workload.toml:13: unknown key `conections` (in `load`)\n  expected one of: \
         name, connections, connections_per_core, streams, requests_per_connection, request, rate_per_s, bytes, files, at_once, iterations; did you mean `connections`?"
    );
}

#[test]
fn protocols_are_read_and_inherited() {
    let protocols = |manifest: &str| {
        let root = checkout(&[("contenders/go/net-http/contender.toml", manifest)]);
        let contenders = read::contender(&root.path().join("contenders/go/net-http")).expect("a manifest");
        contenders.into_iter().map(|one| one.protocols).collect::<Vec<_>>()
    };
    assert_eq!(protocols(CONTENDER), [[Protocol::Http1]]);
    let variants = format!(
        "protocols = [\"h2\", \"http1\"]\n{CONTENDER}\n[variant.same]\nversion = \"echo 1\"\n\n[variant.other]\nprotocols = [\"h2c\"]\n"
    );
    let read = protocols(&variants);
    let (own, same) = (vec![Protocol::H2, Protocol::Http1], vec![Protocol::H2, Protocol::Http1]);
    assert_eq!(read, [own, vec![Protocol::H2c], same]);
    let workload = read_workload(&WORKLOAD.replace("64", "64\nstreams = 8\n[run]\nprotocol = \"h2\""))
        .expect("a workload");
    assert_eq!((workload.load.protocol, workload.load.streams), (Protocol::H2, 8));
}

#[test]
fn what_is_borrowed_lies_beside_the_folder_and_not_in_it() {
    let root = tempfile::tempdir().expect("a folder");
    let dir = root.path().join("contenders/csharp/own");
    fs::create_dir_all(&dir).expect("a folder");
    fs::create_dir_all(dir.join("../owner/kit")).expect("a folder");
    fs::write(dir.join("contender.toml"), format!("borrows = [\"owner/kit\"]\n{CONTENDER}[variant.same]\n"))
        .expect("a file");
    let contenders = read::contender(&dir).expect("a contender");
    assert!(contenders.len() == 2 && contenders.iter().all(|one| one.borrows == ["owner/kit"]));
    fs::create_dir(dir.join("kit")).expect("a folder");
    let refusal = read::contender(&dir).expect_err("two folders of one name").to_string();
    assert!(
        refusal.contains("contender.toml:1: `borrows` holds `owner/kit`, but `kit` is there already"),
        "{refusal}"
    );
}

#[test]
fn why_there_are_no_other_protocols_is_of_those_that_are_named_beside_it() {
    let manifest = format!(
        "protocols = [\"h2\"]\nother_protocols = \"no TLS without it\"\n{CONTENDER}\n[variant.same]\nversion = \"echo 1\"\n\n\
         [variant.other]\nprotocols = [\"h2c\"]\n"
    );
    let root = checkout(&[("contenders/go/net-http/contender.toml", &manifest)]);
    let contenders = read::contender(&root.path().join("contenders/go/net-http")).expect("a manifest");
    let why: Vec<_> = contenders.iter().map(|one| one.other_protocols.as_deref()).collect();
    assert_eq!(why, [Some("no TLS without it"), None, Some("no TLS without it")]);
}

#[test]
fn a_link_is_read_or_refused_with_its_line() {
    let workload =
        read_workload(&WORKLOAD.replace("64", "64\n[run]\nlink = \"rtt=20ms,loss=1%\"")).expect("a workload");
    let link = workload.load.link.expect("a link");
    assert_eq!((link.rtt_ns, link.rate_bits_per_s, link.loss), (20_000_000, None, 0.01));
    assert_eq!(
        workload_refusal("64", "64\n[run]\nlink = \"rtt=20\""),
        "workloads/toss/workload.toml:15: `run.link`: `rtt` is `20`\n  expected a time from 0 to 10s, as in 20ms or 500us"
    );
}

#[test]
fn a_missing_key_is_named() {
    assert_eq!(
        contender_refusal("version   = \"go version\"\n", ""),
        "contenders/go/net-http/contender.toml:1: missing key `version`\n  expected a command that prints the version"
    );
    assert_eq!(
        workload_refusal("says = \"It is what it is\"\n", ""),
        "workloads/toss/workload.toml:42: missing key `says` (in `claim`)"
    );
}

#[test]
fn a_wrong_type_is_named() {
    assert_eq!(
        contender_refusal("\"exec ./server\"", "4"),
        "contenders/go/net-http/contender.toml:4: invalid type: integer `4` (in `start`)\n  expected a string"
    );
}

#[test]
fn contenders_are_refused_with_line_and_key() {
    for (from, to, line, said) in [
        ("\"raw\"", "\"rwa\"", 1, "unknown value `rwa`"),
        ("\"raw\"", "\"raw\"\nraw = \"go/gin\"", 2, "`raw` is given, but the class is raw or reference"),
        ("\"raw\"", "\"raw\"\nrest = \"go/gin\"", 2, "`rest` is given, but `protocols` has no gRPC"),
        ("[\"toss\"]", "[]", 2, "`workloads` is empty"),
        ("[\"toss\"]", "[\"toss\", \"toss\"]", 2, "`workloads` names `toss` twice"),
        ("[\"toss\"]", "[\"Toss\"]", 2, "`workloads` holds `Toss`"),
        (
            "toolchain",
            "protocols = []\ntoolchain",
            3,
            "`protocols` is empty\n  expected at least one of http1, https1, h2c, h2, grpc, grpcs",
        ),
        (
            "toolchain",
            "protocols = [\"http1\",\n\"http2\"]\ntoolchain",
            4,
            "`protocols` holds `http2`\n  expected one of: http1, https1, h2c, h2, grpc, grpcs; did you mean",
        ),
        ("toolchain", "protocols = [\"h2\", \"h2\"]\ntoolchain", 3, "`protocols` names `h2` twice"),
        (
            "start ",
            "protocols = [\"h2\"]\ntask ",
            4,
            "`protocols` is given, but a task has no network\n  leave it out",
        ),
        (
            "start ",
            "other_protocols = \"none\"\ntask ",
            4,
            "`other_protocols` is given, but a task has no network\n  leave it out",
        ),
        (
            "toolchain",
            "protocols = [\"http1\", \"https1\", \"h2c\", \"h2\"]\nother_protocols = \"none\"\ntoolchain",
            4,
            "`other_protocols` is given, but every protocol is spoken\n  leave it out",
        ),
        (
            "toolchain",
            "other_protocols = \"\"\ntoolchain",
            3,
            "`other_protocols` is empty, too long or not one line\n  expected why it speaks no others",
        ),
        ("go >= 1.24", "go > 1.24", 3, "`toolchain` holds `go > 1.24`"),
        ("\"go >= 1.24\"", "[\"go\",\n\"a >= b\"]", 4, "`toolchain` holds `a >= b`"),
        (
            "go >= 1.24",
            "gcc >= 12",
            3,
            "`toolchain` names `gcc`, of which velo cannot tell whether it is here\n  leave it out: a build that lacks it \
             fails with a message of its own; expected one of go, node, npm, python,",
        ),
        ("\"go >= 1.24\"", "[\"go\",\n\"gcc\"]", 4, "`toolchain` names `gcc`"),
        ("\"go >= 1.24\"", "4", 3, "(in `toolchain`)\n  expected a string or a list of strings"),
        ("start ", "debian = [\"a; b\"]\nstart", 4, "`debian` holds `a; b`"),
        (
            "start ",
            "borrows = [\"kit\"]\nstart",
            4,
            "`borrows` holds `kit`\n  expected a folder of another contender",
        ),
        (
            "start ",
            "borrows = [\"../kit\"]\nstart",
            4,
            "`borrows` holds `../kit`\n  expected a folder of another",
        ),
        (
            "start ",
            "borrows = [\"gin/kit\"]\nstart",
            4,
            "`borrows` holds `gin/kit`, but there is no such folder",
        ),
        ("start ", "ready_seconds = 0\nstart", 4, "`ready_seconds` is 0\n  expected 1 to 600"),
        ("exec ./server", " ", 4, "`start` is empty"),
        ("go version", "\\u0000", 5, "`version` is empty, too long or holds a zero byte"),
        ("start ", "class = \"raw\"\nstart", 4, "duplicate key"),
    ] {
        let message = contender_refusal(from, to);
        let start = format!("contenders/go/net-http/contender.toml:{line}: ");
        assert!(message.starts_with(&start) && message.contains(said), "{from} -> {to}\n{message}");
    }
}

#[test]
fn mixes_are_refused_with_line_and_key() {
    for (from, to, line, said) in [
        ("go/net-http", "net-http", 2, "`baseline` holds `net-http`, which is not a contender's name"),
        ("[\"go/net-http\"]", "[]", 3, "`default` is empty"),
        ("[\"go/net-http\"]", "[\"go/net-http\", \"go/net-http\"]", 3, "`default` names `go/net-http` twice"),
        ("2020", "1066", 8, "`source.year` is 1066\n  expected 1990 to 2100"),
        ("64", "0", 13, "`load.connections` is 0\n  expected 1 to 65535"),
        ("64", "65536", 13, "expected 1 to 65535"),
        (
            "64",
            "64\n[run]\nprotocol = \"h3\"",
            15,
            "`run.protocol` is `h3`\n  expected one of: http1, https1, h2c, h2",
        ),
        ("64", "64\nstreams = 2", 14, "`load.streams` beside the protocol http1"),
        ("64", "64\nstreams = 0\n[run]\nprotocol = \"h2c\"", 14, "`load.streams` is 0\n  expected 1 to 1000"),
        ("method = \"POST\"", "method = \"POST\"\nweight = 0", 15, "every request has the weight 0"),
        ("\"POST\"", "\"Post\"", 17, "methods are told by case (in `request.method`)\n  did you mean POST?"),
        ("\"/coin\"", "\"coin\"", 18, "the path `coin` does not begin with `/`"),
        ("\"/coin\"", "\"/co in\"", 18, "did you mean `/co%20in`?"),
        ("\"/coin\"", "\"/coin/{x}\"", 18, "a brace that belongs to no value"),
        (
            "application/json",
            "application/json\\r\\nX: y",
            19,
            "the value of `accept` has a control character",
        ),
        ("{bet}}", "{bett}}", 20, "`{bett}` is no value, but `{bet}` is"),
        ("{bet}}", "{bet}", 20, "is not JSON"),
        ("{bet}}", "true}", 18, "its expectation holds {bet}, which the request itself does not"),
        ("\"bool\"", "\"boolean\"", 21, "expected a range (1..1000), counter"),
        ("\"bool\"", "\"2..1\"", 21, "expected whole numbers, the least first"),
        ("\"bool\"", "\"0..1\"", 25, "which is not a boolean of this request"),
        (
            "status = 200",
            "status = 99",
            23,
            "`request.expect.status` will not do\n  expected statuses from 200 to 599",
        ),
        ("json = '{\"win", "body = \"x\"\njson = '{\"win", 25, "two expectations of the body"),
        ("json = '{\"win\": \"<bool>\"}'\n", "", 24, "`request.expect.coin` names the member `win`"),
        (
            "json = '{\"win\": \"<bool>\"}'\ncoin = { bet = \"bet\", win = \"win\" }\n",
            "",
            18,
            "`request.expect` says nothing of the body",
        ),
        ("\"win\": \"<bool>\"", "\"win\": true", 25, "`request.expect.coin` names the member `win`"),
        ("\"win\": \"<bool>\"", "\"win\": nan", 24, "is not JSON"),
        ("\"win\": \"<bool>\"", "\"win\": \"<boolean>\"", 24, "stands for nothing"),
        ("[[claim]]", "[[claims]]", 42, "unknown key `claims`"),
        ("[[load]]", "[load", 12, "unclosed table"),
    ] {
        let message = workload_refusal(from, to);
        let start = format!("workloads/toss/workload.toml:{line}: ");
        assert!(message.starts_with(&start) && message.contains(said), "{from} -> {to}\n{message}");
    }
}

#[test]
fn what_was_written_another_way_once_is_refused_with_what_to_write() {
    for (from, to, line, said) in [
        ("values.bet", "slots.bet", 21, "unknown key `slots` (in `request`)\n  it is called `values` now"),
        ("\"bool\"", "{ min = 0, max = 1 }", 21, "expected a text, as in \"1..1000\""),
        (
            "\"bool\"",
            "{ file = \"user.json\", slot = \"id\" }",
            21,
            "as in { file = \"user.json\", value = \"id\" }",
        ),
        ("'{\"win\": \"<bool>\"}'", "{ win = \"<bool>\" }", 24, "expected JSON as a text, as in json = '{"),
        ("json = '{\"win", "json_slots = '{\"win", 24, "unknown key `json_slots`"),
        ("json = '{\"win", "type = \"text/plain\"\njson = '{\"win", 24, "it is called `content_type` now"),
        ("expect.status = [404]", "status = [404]", 35, "it is a key of `expect` now"),
    ] {
        let message = workload_refusal(from, to);
        let start = format!("workloads/toss/workload.toml:{line}: ");
        assert!(message.starts_with(&start) && message.contains(said), "{from} -> {to}\n{message}");
    }
}

#[test]
fn cases_and_claims_are_refused_with_line_and_key() {
    for (from, to, line, said) in [
        ("\"a bet\"", "\"no route\"", 32, "`case.name` is `no route` a second time"),
        ("like = \"bet\"", "like = \"bte\"", 29, "expected one of: bet; did you mean `bet`?"),
        ("like = \"bet\"", "like = \"bet\"\npath = \"/\"", 30, "`path` is given beside `like`"),
        ("like = \"bet\"", "like = \"bet\"\nrepeat = 0", 30, "`case.repeat` is 0"),
        ("like = \"bet\"", "like = \"bet\"\ndelivery = \"splt\"", 30, "unknown value `splt`"),
        ("like = \"bet\"", "like = \"bet\"\nsecret = \"x\"", 30, "`secret` is of cases that only record"),
        (
            "[404]",
            "[404]\noperation = \"flags\"",
            36,
            "expected `required = false` in the same case, or no `operation`",
        ),
        (
            "[404]",
            "\"4xx\"\nrequired = false\noperation = \"flags\"",
            37,
            "the first case of `flags` accepts 404",
        ),
        ("[404]", "[400]\nrequired = false\nshows = \"\"", 37, "`case.shows` is empty"),
        ("expect.status = [404]\n", "", 32, "missing key `expect`"),
        ("[404]", "[]", 35, "`case.expect.status` will not do"),
        ("[404]", "[\"4x\"]", 35, "expected statuses from 200 to 599"),
        ("[404]", "[600]", 35, "expected statuses from 200 to 599"),
        ("[404]", "[404]\ncontent_type = \"text/plain\"", 36, "`case.content_type` is given without a body"),
        ("requests_per_s = 10", "requests_per_s = -1", 40, "expected a number above 0"),
        ("requests_per_s = 10", "requests_per_s = nan", 40, "expected a number above 0"),
        ("\"goodput\"", "\"speed\"", 44, "`claim.figure` is `speed`\n  expected one of: goodput"),
        ("\"void:go/net-http\"", "\"go/net-http\"", 45, "names `go/net-http` twice"),
        ("\"void:go/net-http\"", "\"Void:go/net-http\"", 45, "`claim.ratio` holds `Void:go/net-http`"),
        (", \"void:go/net-http\"", "", 45, "`claim.ratio` names 1\n  expected two sides"),
        ("ratio =", "order =", 46, "`printed` is given beside `order`"),
        (
            "ratio =",
            "order = [\"go/gin\", \"go/chi\"]\nratio =",
            43,
            "a claim needs either `ratio` or `order`",
        ),
        ("printed = 1\n", "", 46, "expected `printed` beside it"),
        ("within 15 %", "about 15 %", 47, "`claim.holds` is `about 15 %`"),
    ] {
        let message = workload_refusal(from, to);
        let start = format!("workloads/toss/workload.toml:{line}: ");
        assert!(message.starts_with(&start) && message.contains(said), "{from} -> {to}\n{message}");
    }
}

#[test]
fn files_that_are_no_text_are_refused() {
    let large = format!("#{}", "x".repeat(1024 * 1024));
    let message = read_contender(&large).expect_err("it was accepted");
    assert!(message.starts_with("contenders/go/net-http/contender.toml: larger than 1 MiB"), "{message}");

    let root = checkout(&[]);
    let dir = root.path().join("contenders/go/net-http");
    let message = read::contender(&dir).expect_err("it was accepted").to_string();
    assert!(message.contains("contender.toml: cannot be read"), "{message}");

    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join("contender.toml"), b"class = \"raw\"\n# \xff\n").expect("a file");
    let message = read::contender(&dir).expect_err("it was accepted").to_string();
    assert!(message.contains("contender.toml:2: not UTF-8"), "{message}");
}

#[test]
fn names_come_from_folders() {
    let root = checkout(&[("contenders/go/Net_HTTP/contender.toml", CONTENDER)]);
    let message = read::contender(&root.path().join("contenders/go/Net_HTTP"))
        .expect_err("it was accepted")
        .to_string();
    assert!(message.contains("its folder's name will not do: `go/Net_HTTP`"), "{message}");

    let root = checkout(&[("workloads/Toss/workload.toml", WORKLOAD)]);
    let message =
        read::workload(&root.path().join("workloads/Toss")).expect_err("it was accepted").to_string();
    assert!(message.contains("its folder is called `Toss`"), "{message}");
}

fn framework(raw: &str) -> String {
    CONTENDER.replace("class     = \"raw\"", &format!("class     = \"framework\"\nraw = \"{raw}\""))
}

#[test]
fn a_raw_contender_must_be_there_raw_and_of_the_same_language() {
    for (raw, said) in [
        ("go/net-htp", "contenders/go/gin/contender.toml:2: there is no contender `go/net-htp`"),
        ("go/gin", "`raw` names `go/gin`, which is not of class raw"),
        ("rust/hyper", "`raw` names `rust/hyper`, which is in another language"),
    ] {
        let root = checkout(&[
            ("contenders/go/gin/contender.toml", &framework(raw)),
            ("contenders/go/net-http/contender.toml", CONTENDER),
            ("contenders/rust/hyper/contender.toml", CONTENDER),
        ]);
        let message = relative(&read::contenders(root.path()).expect_err("it was accepted"), root.path());
        assert!(message.contains(said), "{message}");
    }
}

/// A service of gRPC that names a REST contender.
fn service(rest: &str) -> String {
    CONTENDER.replace(
        "class     = \"raw\"",
        &format!("class     = \"framework\"\nrest = \"{rest}\"\nprotocols = [\"grpc\"]"),
    )
}

#[test]
fn a_rest_contender_is_there_of_the_same_language_and_no_service_of_grpc() {
    let read = |rest: &str| {
        let root = checkout(&[
            ("contenders/go/grpc/contender.toml", &service(rest)),
            ("contenders/go/net-http/contender.toml", CONTENDER),
            ("contenders/rust/hyper/contender.toml", CONTENDER),
        ]);
        read::contenders(root.path()).map_err(|error| relative(&error, root.path()))
    };
    for (rest, said) in [
        ("go/net-htp", "contenders/go/grpc/contender.toml:2: there is no contender `go/net-htp`"),
        ("go/grpc", "`rest` names `go/grpc`, which is a service of gRPC itself"),
        ("rust/hyper", "`rest` names `rust/hyper`, which is in another language"),
    ] {
        let message = read(rest).expect_err("it was accepted");
        assert!(message.contains(said), "{message}");
    }
    let contenders = read("go/net-http").expect("contenders");
    assert_eq!(contenders[0].rest.as_ref().map(ContenderName::as_str), Some("go/net-http"));
}

#[test]
fn a_variant_has_the_rest_contender_of_its_manifest_while_it_speaks_the_same() {
    let manifest = format!(
        "{}\n[variant.same]\nversion = \"echo 1\"\n\n[variant.other]\nprotocols = [\"h2c\"]\n",
        service("go/net-http")
    );
    let root = checkout(&[
        ("contenders/go/grpc/contender.toml", &manifest),
        ("contenders/go/net-http/contender.toml", CONTENDER),
    ]);
    let contenders = read::contenders(root.path()).expect("contenders");
    let rest: Vec<(&str, bool)> =
        contenders.iter().map(|one| (one.name.as_str(), one.rest.is_some())).collect();
    assert_eq!(
        rest,
        [("go/grpc", true), ("go/grpc-other", false), ("go/grpc-same", true), ("go/net-http", false)]
    );
}

#[test]
fn contenders_are_those_with_a_manifest_by_name() {
    let root = checkout(&[
        ("contenders/README.md", ""),
        ("contenders/rust/target/x", ""),
        ("contenders/rust/hyper/contender.toml", CONTENDER),
        ("contenders/go/net-http/contender.toml", CONTENDER),
        ("contenders/go/gin/contender.toml", &framework("go/net-http")),
    ]);
    let names: Vec<String> =
        read::contenders(root.path()).expect("contenders").iter().map(|one| one.name.to_string()).collect();
    assert_eq!(names, ["go/gin", "go/net-http", "rust/hyper"]);
}

/// What the cross check says of a checkout with one change in its workload `toss`.
fn cross_refusal(from: &str, to: &str) -> String {
    assert!(WORKLOAD.contains(from), "{from}");
    let root = checkout(&[
        ("workloads/toss/workload.toml", &WORKLOAD.replacen(from, to, 1)),
        ("workloads/void/workload.toml", &WORKLOAD.replace("void:", "toss:")),
        ("contenders/go/net-http/contender.toml", &CONTENDER.replace("[\"toss\"]", "[\"toss\", \"void\"]")),
        ("contenders/go/gin/contender.toml", &CONTENDER.replace("[\"toss\"]", "[\"void\"]")),
    ]);
    let workloads = read::workloads(root.path()).expect("workloads");
    let contenders = read::contenders(root.path()).expect("contenders");
    relative(&read::cross_check(&workloads, &contenders).expect_err("it was accepted"), root.path())
}

#[test]
fn names_in_a_workload_must_be_somebodys() {
    assert_eq!(
        cross_refusal("baseline = \"go/net-http\"", "baseline = \"go/net-htp\""),
        "workloads/toss/workload.toml:2: there is no contender `go/net-htp` (in `baseline`)\n  expected one of: \
         go/gin, go/net-http; did you mean `go/net-http`?"
    );
    for (from, to, line, said) in [
        (
            "[\"go/net-http\"]",
            "[\"go/gin\"]",
            3,
            "`default` names `go/gin`, which does not list the workload `toss`",
        ),
        ("contender = \"go/net-http\"", "contender = \"go/x\"", 39, "there is no contender `go/x`"),
        ("\"void:go/net-http\"", "\"void:go/x\"", 45, "there is no contender `go/x`"),
        ("\"void:go/net-http\"", "\"vodi:go/net-http\"", 45, "did you mean `void`?"),
    ] {
        let message = cross_refusal(from, to);
        let start = format!("workloads/toss/workload.toml:{line}: ");
        assert!(message.starts_with(&start) && message.contains(said), "{from} -> {to}\n{message}");
    }
}

#[test]
fn a_contender_may_list_only_workloads_that_there_are() {
    let root = checkout(&[
        ("workloads/toss/workload.toml", &WORKLOAD.replace("void:go/net-http", "go/gin")),
        ("contenders/go/net-http/contender.toml", CONTENDER),
        ("contenders/go/gin/contender.toml", &CONTENDER.replace("\"toss\"", "\"tos\"")),
    ]);
    let workloads = read::workloads(root.path()).expect("workloads");
    let contenders = read::contenders(root.path()).expect("contenders");
    let message =
        relative(&read::cross_check(&workloads, &contenders).expect_err("it was accepted"), root.path());
    assert_eq!(
        message,
        "contenders/go/gin/contender.toml:2: there is no workload `tos` (in `workloads`)\n  expected one of: toss; \
         did you mean `toss`?"
    );
}

#[test]
fn the_same_name_twice_is_refused() {
    let root = checkout(&[
        ("contenders/go/net-http/contender.toml", CONTENDER),
        ("mine/go/net-http/contender.toml", CONTENDER),
    ]);
    let mut contenders = read::contenders(root.path()).expect("contenders");
    contenders.extend(read::contender(&root.path().join("mine/go/net-http")).expect("a contender"));
    let message = relative(&read::cross_check(&[], &contenders).expect_err("it was accepted"), root.path());
    assert!(
        message.starts_with("mine/go/net-http/contender.toml: a second definition of `go/net-http`"),
        "{message}"
    );
}

#[test]
fn a_file_of_settings_may_hold_a_contender_with_the_keys_of_a_manifest() {
    let name = ContenderName::new("service/shop").expect("a name");
    let read = |text: &str| {
        let root = checkout(&[("velo.toml", text)]);
        read::contender_of_config(&root.path().join("velo.toml"), &name)
            .map(|all| (all, root.path().to_owned()))
            .map_err(|error| relative(&error, root.path()))
    };
    let manifest = format!("[run]\nbudget = 3\n[contender]\n{CONTENDER}");
    let (all, dir) = read(&manifest).expect("a contender");
    let alone = checkout(&[("contenders/service/shop/contender.toml", CONTENDER)]);
    let own = read::contender(&alone.path().join("contenders/service/shop")).expect("a contender");
    assert_eq!(all, [Contender { dir, ..own[0].clone() }]);
    assert_eq!(read("[run]\nbudget = 3\n").expect("none").0, []);
    let error = read(&manifest.replace("start ", "strat ")).expect_err("it was accepted");
    assert!(error.starts_with("velo.toml:7: unknown key `strat` (in `contender`)"), "{error}");
}
