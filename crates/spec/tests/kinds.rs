//! Variants, programs without a server, data files, bursts: what is read, and what each refusal says.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use velo_load::{BodyChecker as _, Order, Pick, Table};
use velo_model::{
    Burst, CallCondition, ClaimFigure, ClaimLoad, Class, Contender, DataSlotKind, Figure, LoadCondition,
    PublishedFigure, Role, SlotKind, Subject, Workload,
};
use velo_request::{Tables, compile, digest_text};
use velo_spec::read;

const CONTENDER: &str = r#"class     = "framework"
raw       = "java/jetty"
workloads = ["wait", "users"]
toolchain = ["java >= 17", "maven"]
debian    = ["maven"]
build     = "mvn package"
start     = "java -jar server.jar"
version   = "java --version"
[variant.virtual-threads]
toolchain = "java >= 21"
start     = "java -jar server.jar --virtual"
[variant.program]
class     = "raw"
workloads = ["users"]
task      = "java -cp server.jar Program"
"#;

const WORKLOAD: &str = r#"question = "Who waits?"
baseline = "go/net-http"
default = ["go/net-http"]

[source]
title = "A table"
author = "Somebody"
year = 2021
command = "ab"
machine = "a desk"

[[load]]
connections_per_core = 4
rate_per_s = 100

[run]
budget_s = 600
warm_up_s = 40

[[data]]
file = "user.json"
records = 20
record = '{"id": {id}, "name": "{name}", "on": {on}, "age": {age}}'
values = { id = "key", name = "word", on = "bool", age = "18..90" }

[[request]]
name = "hash"
method = "PUT"
path = "/users/{id}/{ms}"
values = { id = { file = "user.json", value = "id" }, ms = "5..9" }
[request.expect]
status = 200
json = '{"hash": "<sha512 {id}-{ms}>", "ok": true}'
not_before_ms = "ms"

[[request]]
name = "burst"
weight = 0
method = "GET"
path = "/"
[request.expect]
status = 200
body = ""

[[burst]]
request = "burst"
requests = 40
connections = 10
each_launch = true
contenders = ["go/net-http"]

[task]
request = "hash"
input = "{id}\t{ms}"
output = "<sha512 {id}>"
iterations = 12

[[published]]
row = "40 at once"
contender = "go/net-http"
requests = 40
seconds = 11

[[published]]
row = "once"
iteration_ms = 20.3

[[claim]]
says = "It takes 11 seconds"
figure = "makespan"
requests = 40
first_alone = true
value = "go/net-http"
printed = 11
holds = "within 5 %"

[[claim]]
says = "It is slow at first"
figure = "cold"
ratio = ["go/net-http", "go/gin"]
holds = "at least 2"

[[claim]]
says = "At 100/s it costs twice as much"
figure = "cpu-at-common-rate"
rate_per_s = 100
ratio = ["go/net-http", "go/gin"]
holds = "at least 2"
"#;

fn read_contenders(text: &str) -> Result<Vec<Contender>, String> {
    let root = tempfile::tempdir().expect("a folder");
    let dir = root.path().join("contenders/java/spring");
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join("contender.toml"), text).expect("a file");
    read::contender(&dir).map_err(|error| relative(&error, root.path()))
}

fn read_workload(text: &str) -> Result<Workload, String> {
    let root = tempfile::tempdir().expect("a folder");
    let dir = root.path().join("workloads/wait");
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join("workload.toml"), text).expect("a file");
    read::workload(&dir).map_err(|error| relative(&error, root.path()))
}

fn relative(error: &dyn std::fmt::Display, root: &Path) -> String {
    error.to_string().replace(&format!("{}/", root.display()), "")
}

#[test]
fn variants_differ_in_what_they_say_and_share_the_rest() {
    let contenders = read_contenders(CONTENDER).expect("contenders");
    let names: Vec<&str> = contenders.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["java/spring", "java/spring-program", "java/spring-virtual-threads"]);
    let [own, program, threads] = contenders.try_into().expect("three");
    assert_eq!((own.variant_of.as_ref(), own.role), (None, Role::Server));
    assert_eq!(threads.variant_of.as_ref(), Some(&own.name));
    assert_eq!((threads.start.as_str(), threads.role), ("java -jar server.jar --virtual", Role::Server));
    assert_eq!((&threads.build, &threads.workloads, &threads.raw), (&own.build, &own.workloads, &own.raw));
    assert_eq!(threads.toolchain.len(), 1);
    assert_eq!((program.role, program.start.as_str()), (Role::Task, "java -cp server.jar Program"));
    assert_eq!((program.class, program.raw), (Class::Raw, None), "of class raw there is no raw one");
}

#[test]
fn a_contender_is_a_server_or_a_program() {
    for (from, to, said) in [
        ("start     = \"java -jar server.jar\"\n", "", "missing key `start`"),
        ("debian ", "task = \"x\"\ndebian ", "`task` is given beside `start`"),
        ("[variant.program]", "[variant.Program]", "`Program` is not a variant's name"),
        ("task      = \"java", "taks = \"java", "unknown key `taks`"),
    ] {
        assert!(CONTENDER.contains(from), "{from}");
        let message = read_contenders(&CONTENDER.replacen(from, to, 1)).expect_err("it was accepted");
        assert!(message.starts_with("contenders/java/spring/contender.toml"), "{message}");
        assert!(message.contains(said), "{from} -> {to}\n{message}");
    }
}

#[test]
fn all_kinds_of_measurement_are_read() {
    let workload = read_workload(WORKLOAD).expect("a workload");
    assert_eq!((workload.load.connections_per_core, workload.further.len()), (Some(4), 0));
    assert_eq!(workload.loads(3)[0].load.connections, 12);
    assert_eq!((workload.load.rate_per_s, workload.load.budget_s), (Some(100.0), Some(600)));
    assert_eq!(workload.load.warm_up_s, Some(40));
    let data = &workload.data[0];
    assert_eq!((data.file.as_str(), data.records), ("user.json", 20));
    let kind = |name: &str| data.slots.iter().find(|slot| slot.name == name).map(|slot| slot.kind.clone());
    assert_eq!(kind("id"), Some(DataSlotKind::Key));
    assert_eq!(kind("age"), Some(DataSlotKind::Int { min: 18, max: 90 }));
    let request = &workload.requests[0];
    let id = request.slots.iter().position(|slot| slot.name == "id").expect("a slot");
    assert!(matches!(request.slots[id].kind, SlotKind::Data { file: 0, .. }));
    let ms = request.slots.iter().position(|slot| slot.name == "ms");
    assert_eq!(request.expect.not_before_ms, ms);
    assert_eq!(
        workload.bursts,
        [Burst {
            request: 1,
            requests: 40,
            connections: 10,
            each_launch: true,
            contenders: vec!["go/net-http".to_owned().try_into().expect("a name")],
        }]
    );
    let task = workload.task.as_ref().expect("a task");
    assert_eq!((task.request, task.iterations), (0, 12));
    assert_eq!(workload.published[0].figure, PublishedFigure::Makespan { requests: 40, seconds: 11.0 });
    assert_eq!(workload.published[1].figure, PublishedFigure::IterationMs(20.3));
    assert_eq!(workload.claims[0].figure, ClaimFigure::makespan(40, true));
    assert!(matches!(workload.claims[0].subject, Subject::Value(_)));
    assert_eq!(workload.claims[1].figure, ClaimFigure::of(Figure::IterationCold));
    let at_rate = Some(ClaimLoad::Load(LoadCondition::OpenLoop { rate_per_s: 100.0 }));
    assert_eq!(
        workload.claims[2].figure,
        ClaimFigure { under: at_rate, ..ClaimFigure::of(Figure::CpuAtOneRate) }
    );
}

/// The workload with other loads.
fn with_loads(loads: &str) -> Result<Workload, String> {
    read_workload(&WORKLOAD.replacen("[[load]]\nconnections_per_core = 4\nrate_per_s = 100\n", loads, 1))
}

#[test]
fn each_load_is_a_workload_of_which_the_first_keeps_the_name_and_the_claims() {
    let workload = with_loads(
        "[[load]]\nconnections = 3\nrequests_per_connection = 1\n\
         [[load]]\nname = \"kept\"\nconnections_per_core = 4\nrate_per_s = 50\n\
         [[load]]\nname = \"2\"\nconnections = 5\nrequests_per_connection = 100\n",
    );
    let workload = workload.unwrap_or_else(|error| panic!("{error}"));
    let loads = workload.loads(2);
    let told: Vec<_> = loads
        .iter()
        .map(|load| {
            let settings = &load.load;
            let turns = settings.requests_per_connection;
            (load.name.as_str(), settings.connections, turns, settings.rate_per_s, load.claims.len())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("wait", 3, Some(1), None, 3),
            ("wait-kept", 8, None, Some(50.0), 0),
            ("wait-2", 5, Some(100), None, 0),
        ]
    );
    for load in &loads {
        assert_eq!((load.listed_as(), &load.cases), ("wait", &loads[0].cases));
        assert_eq!((load.load.budget_s, load.load.warm_up_s), (Some(600), Some(40)));
        assert_eq!(load.question, "Who waits?");
        assert_eq!(load.loads(2), std::slice::from_ref(load), "a load has none of its own");
    }
    assert!(loads[0].task.is_some() && loads[1..].iter().all(|load| load.task.is_none()));
}

#[test]
fn a_load_may_send_one_request_alone() {
    let workload = with_loads(
        "[[load]]\nconnections = 3\nrequest = \"hash\"\n\
         [[load]]\nname = \"burst\"\nconnections = 3\nrequest = \"burst\"\n",
    );
    let loads = workload.unwrap_or_else(|error| panic!("{error}")).loads(2);
    let weights = |load: &Workload| load.requests.iter().map(|request| request.weight).collect::<Vec<_>>();
    let named: Vec<_> = loads.iter().map(|load| (load.name.as_str(), weights(load))).collect();
    assert_eq!(named, [("wait", vec![1, 0]), ("wait-burst", vec![0, 1])]);
    assert_eq!(loads[1].question, "Who waits? (burst alone)");
}

#[test]
fn loads_that_fit_nothing_are_refused() {
    let further = |keys: &str| format!("[[load]]\nconnections = 3\n[[load]]\nconnections = 4\n{keys}\n");
    let many: String =
        (1..5).map(|number| format!("[[load]]\nname = \"n{number}\"\nconnections = 3\n")).collect();
    for (loads, said) in [
        (further(""), "workload.toml:14: missing key `name` (in `load.name`)"),
        (further("name = \"A\""), "`load.name` is `A`"),
        (
            further("name = \"a\"\n[[load]]\nname = \"a\"\nconnections = 1"),
            "`load.name` is `a` a second time",
        ),
        (further("name = \"a\"\nrequest = \"brust\""), "did you mean `burst`?"),
        (further("name = \"a\"\nbytes = 1"), "`load.bytes` is given beside `request`"),
        (further("name = \"a\"\nstreams = 2"), "`load.streams` beside the protocol http1"),
        (further("name = \"a\"\nconnections_per_core = 1"), "needs either `connections` or"),
        ("[[load]]\n".to_owned(), "needs either `connections` or"),
        (String::new(), "missing key `load`"),
        (format!("[[load]]\nconnections = 3\n{many}"), "there are 5 tables `load`"),
        ("[[load]]\nname = \"a\"\nconnections = 1\n".to_owned(), "`load.name` is given for the first load"),
        (
            "[[load]]\nconnections = 3\nrequests_per_connection = 0\n".to_owned(),
            "`load.requests_per_connection` is 0",
        ),
    ] {
        let refused = with_loads(&loads).expect_err(said);
        assert!(refused.contains(said), "{loads}: {refused}");
    }
}

#[test]
fn a_digest_is_that_of_the_request() {
    let workload = read_workload(WORKLOAD).expect("a workload");
    let request = &workload.requests[0];
    let texts: Vec<&str> =
        request.slots.iter().map(|slot| if slot.name == "id" { "7" } else { "9" }).collect();
    // printf 7-9 | sha512sum
    let hash = "65ac3a4ff8e22099c76ac302c5279450d96be63521c56282eac8041867a6ee62fbefa9fdf223aa3d7f2061f2c10bf45d0cc9976e7a7dc23fd58b2a45d39bcbe4";
    let body = |hash: &str| format!("{{\"hash\": \"{hash}\", \"ok\": true}}");
    let keys = Table { rows: vec![vec![b"7".to_vec(); 4]], pick: Pick::Random };
    let tables = Tables { csv: vec![], data: vec![Arc::new(keys)] };
    let (_, checker) = compile(&workload.requests, &tables, Order::Weighted, "h").expect("a mix");
    // The key's value is its row, that of a number the number.
    let values: Vec<u64> = texts.iter().map(|&text| if text == "7" { 0 } else { 9 }).collect();
    assert_eq!(checker.texts(0, &values), texts.iter().map(|text| text.as_bytes()).collect::<Vec<_>>());
    assert_eq!(checker.check(0, &values, body(hash).as_bytes()), Ok(None));
    assert!(checker.check(0, &values, body(&hash.to_uppercase()).as_bytes()).is_err());
    assert_eq!(digest_text(&workload.task.as_ref().expect("a task").output, &texts).len(), 128);
    assert_eq!(request.wait_ns(), Some((5_000_000, 9_000_000)));
}

#[test]
fn what_does_not_fit_is_named() {
    for (from, to, said) in [
        (
            "file = \"user.json\"\nrecords",
            "file = \"../user.json\"\nrecords",
            "`data.file` is `../user.json`",
        ),
        ("\"name\": \"{name}\"", "\"name\": {name}x", "`data.record` is not JSON"),
        ("id = \"key\"", "id = \"kye\"", "`kye` is no value of a record"),
        ("value = \"id\" }", "value = \"age\" }", "`age` of the file `user.json` is no key"),
        (
            "{ file = \"user.json\", value",
            "{ file = \"users.json\", value",
            "`id` of the file `users.json` is no key",
        ),
        ("ms = \"5..9\"", "ms = { min = 5, max = 9 }", "expected a text, as in \"1..1000\""),
        ("<sha512 {id}-{ms}>", "<sha512 {idd}-{ms}>", ""),
        ("not_before_ms = \"ms\"", "not_before_ms = \"id\"", "which is not a whole number of this request"),
        ("weight = 0\nmethod", "weight = 1\nmethod", ""),
        ("request = \"burst\"\nrequests", "request = \"brust\"\nrequests", "did you mean `burst`?"),
        ("connections = 10", "connections = 41", "41 connections for 40 requests"),
        ("output = \"<sha512 {id}>\"", "output = \"{id}\"", "`task.output` is `{id}`"),
        ("input = \"{id}\\t{ms}\"", "input = \"{id}\\n{ms}\"", "holds the end of a line"),
        ("seconds = 11", "", "a published row needs one figure"),
        ("figure = \"makespan\"\nrequests = 40", "figure = \"makespan\"", "needs `requests`"),
        (
            "figure = \"makespan\"",
            "figure = \"goodput\"",
            "`requests` is given, but the figure is not `makespan`",
        ),
        ("rate_per_s = 100\nratio", "rate_per_s = 0\nratio", "`claim.rate_per_s` is 0"),
        (
            "figure = \"cold\"",
            "figure = \"cold\"\nrate_per_s = 100",
            "`rate_per_s` is given, but the figure is not `cpu-at-common-rate`",
        ),
    ] {
        assert!(WORKLOAD.contains(from), "{from}");
        let read = read_workload(&WORKLOAD.replacen(from, to, 1));
        match read {
            Ok(_) => assert!(said.is_empty(), "{from} -> {to} was accepted"),
            Err(message) => assert!(!said.is_empty() && message.contains(said), "{from} -> {to}\n{message}"),
        }
    }
    let only_bursts = WORKLOAD.replacen("name = \"hash\"\n", "name = \"hash\"\nweight = 0\n", 1);
    assert!(
        read_workload(&only_bursts).expect_err("it was accepted").contains("every request has the weight 0")
    );
}

/// Single calls behind the other kinds, with a published row and a claim about them.
const CALLS: &str = r#"
[[calls]]
request = "hash"
protocols = ["http1", "h2"]
connections = ["new", "kept", "resumed"]
tls = ["1.3", "1.2"]
rtt_ms = [0, 100]
calls = 7

[[calls]]
request = "burst"
protocols = ["http1"]
connections = ["kept"]
sending = ["apart", "apart-nagle"]

[[published]]
row = "REST, far away"
call_ms = 182
call = "h2 new 100ms"

[[claim]]
says = "The gain is HTTP/2's"
figure = "call"
ratio = ["go/net-http", "go/net-http"]
calls = ["h2 kept tls1.2 100ms", "http1 new 100ms"]
printed = 0.56
holds = "within 30 %"

[[claim]]
says = "In this order"
figure = "call"
order = ["go/gin", "go/net-http"]
call = "http1 kept apart"
holds = "at least 1"
"#;

#[test]
fn single_calls_are_read() {
    let workload = read_workload(&format!("{WORKLOAD}{CALLS}")).expect("a workload");
    // HTTP/1.1 in clear has nothing to resume: 2, and 2 times 3, at two distances.
    let [first, second] = workload.calls.as_slice() else { panic!("{:?}", workload.calls) };
    assert_eq!((first.request, first.calls, first.conditions.len()), (0, 7, 2 * (2 + 6)));
    assert_eq!((second.request, second.calls, second.conditions.len()), (1, 10, 2));
    let texts: Vec<String> = workload.call_conditions().map(|condition| condition.to_string()).collect();
    assert_eq!(texts[..3], ["http1 new", "http1 kept", "h2 new tls1.3"]);
    assert_eq!(texts[17], "http1 kept apart-nagle");
    let condition = |text: &str| text.parse::<CallCondition>().expect("a condition");
    let published = PublishedFigure::Call { ms: 182.0, condition: condition("h2 new tls1.3 100ms") };
    assert_eq!(workload.published[2].figure, published);
    let (over, under) = (condition("h2 kept tls1.2 100ms"), condition("http1 new 100ms"));
    assert_eq!(workload.claims[3].figure, ClaimFigure::call(over, under));
    let both = condition("http1 kept apart");
    assert_eq!(workload.claims[4].figure, ClaimFigure::call(both, both));
}

#[test]
fn single_calls_that_do_not_fit_are_named() {
    let whole = format!("{WORKLOAD}{CALLS}");
    for (from, to, said) in [
        ("request = \"hash\"\nprotocols", "request = \"hahs\"\nprotocols", "did you mean `hash`?"),
        ("protocols = [\"http1\", \"h2\"]", "protocols = [\"http2\"]", "`calls.protocols` holds `http2`"),
        ("protocols = [\"http1\", \"h2\"]", "protocols = []", "`calls.protocols` is empty"),
        ("protocols = [\"http1\", \"h2\"]", "protocols = [\"http1\"]", "and no protocol has TLS"),
        ("[\"new\", \"kept\", \"resumed\"]", "[\"new\", \"new\"]", "`calls.connections` holds `new` twice"),
        ("tls = [\"1.3\", \"1.2\"]", "tls = [\"1.1\"]", "expected one of: 1.2, 1.3"),
        ("rtt_ms = [0, 100]", "rtt_ms = [5000]", "expected 0 to 1000"),
        ("calls = 7", "calls = 1", "`calls.calls` is 1"),
        ("sending = [\"apart\", \"apart-nagle\"]", "sending = [\"nagle\"]", "`calls.sending` holds `nagle`"),
        (
            "sending = [\"apart\", \"apart-nagle\"]\n",
            "",
            "a second table `calls` has the condition `http1 kept`",
        ),
        ("call = \"h2 new 100ms\"", "", "without the condition that stands for it"),
        ("call_ms = 182\n", "iteration_ms = 3\n", "`published.call` without `call_ms`"),
        (
            "call_ms = 182\n",
            "call_ms = 182\nnot_measured = \"no server\"\n",
            "`published.not_measured` without `contender`",
        ),
        ("\"http1 new 100ms\"", "\"http1 new 20ms\"", "no table `calls` of the workload has the condition"),
        ("\"http1 new 100ms\"", "\"http1 old\"", "`old` is no part of a condition"),
        (", \"http1 new 100ms\"]", "]", "fits no two sides of a ratio"),
        ("call = \"http1 kept apart\"\n", "", "needs either `call` or `calls`"),
        (
            "figure = \"call\"\norder",
            "figure = \"cold\"\norder",
            "`call` is given, but the figure is not `call`",
        ),
        (
            "calls = [\"h2 kept tls1.2 100ms\", \"http1 new 100ms\"]",
            "call = \"http1 new\"",
            "expected each side once",
        ),
    ] {
        assert!(whole.contains(from), "{from}");
        let message = read_workload(&whole.replacen(from, to, 1)).expect_err(&format!("{from} -> {to}"));
        assert!(message.contains(said), "{from} -> {to}\n{message}");
    }
}

const CLIENT: &str = r#"class     = "library"
workloads = ["download"]
serve     = "java -cp client.jar Get"
version   = "java --version"
[variant.each]
get       = "java -cp client.jar GetOne"
"#;

#[test]
fn a_client_fetches_file_after_file_or_has_a_process_for_each() {
    let [serve, each] = read_contenders(CLIENT).expect("contenders").try_into().expect("two");
    assert_eq!((serve.role, serve.process_for_each, serve.class), (Role::Client, false, Class::Library));
    assert_eq!(serve.start, "java -cp client.jar Get");
    assert_eq!((each.role, each.process_for_each), (Role::Client, true));
    assert_eq!(each.start, "java -cp client.jar GetOne");
    assert!(serve.speaks(velo_model::Protocol::Http1) && !serve.speaks(velo_model::Protocol::H2));
    for (from, to, said) in [
        ("version ", "start = \"x\"\nversion ", "`serve` is given beside `start`"),
        ("serve     = \"java -cp client.jar Get\"", "serve = \"\"", "`serve` is empty"),
        ("version ", "protocols = [\"http1\"]\nversion ", "clients fetch files over HTTP/1.1"),
    ] {
        let refused = read_contenders(&CLIENT.replacen(from, to, 1)).expect_err(said);
        assert!(refused.contains(said), "{refused}");
    }
}

const DOWNLOADS: &str = r#"question = "GET a file"
baseline = "c/curl"
default = ["c/curl"]

[source]
title = "A table"
author = "Somebody"
year = 2013
command = "curl"
machine = "a desk"

[run]
budget_s = 600

[[load]]
name = "small"
bytes = 80_000
iterations = 40

[[load]]
name = "large"
bytes = 30_000_000
iterations = 6

[[claim]]
says = "curl is fastest"
figure = "process"
ratio = ["wait-large:java/okhttp", "wait-large:c/curl"]
holds = "at least 1"

[[claim]]
says = "and smallest"
figure = "peak-memory"
ratio = ["java/okhttp", "c/curl"]
holds = "at least 2"
"#;

#[test]
fn each_size_is_a_load_of_its_own_and_the_first_keeps_the_name_and_the_claims() {
    let workload = read_workload(DOWNLOADS).expect("a workload");
    assert!(workload.requests.is_empty());
    let figures: Vec<ClaimFigure> = workload.claims.iter().map(|claim| claim.figure).collect();
    assert_eq!(figures, [ClaimFigure::of(Figure::Process), ClaimFigure::of(Figure::PeakMemory)]);
    let loads = workload.loads(4);
    let told: Vec<(&str, u64, usize)> = loads
        .iter()
        .map(|load| (load.name.as_str(), load.download.as_ref().expect("a file").bytes, load.claims.len()))
        .collect();
    assert_eq!(told, [("wait", 80_000, 2), ("wait-large", 30_000_000, 0)]);
    assert!(loads.iter().all(|load| load.further.is_empty() && load.listed_as() == "wait"));
    let client = read_contenders(&CLIENT.replace("download", "wait")).expect("contenders").remove(0);
    let server = Contender { role: Role::Server, ..client.clone() };
    assert!(workload.is_for(&client) && !workload.is_for(&server), "servers have nothing to answer");
    assert!(loads.iter().all(|load| load.downloads().all(|one| (one.files, one.at_once) == (1, 1))));
}

#[test]
fn several_files_in_a_line_are_for_clients_whose_processes_stay() {
    let several = DOWNLOADS.replacen("iterations = 6", "iterations = 6\nfiles = 5\nat_once = 2", 1);
    let workload = read_workload(&several).expect("a workload");
    let told: Vec<(u32, u32)> = workload.downloads().map(|one| (one.files, one.at_once)).collect();
    assert!(told.contains(&(5, 2)) && told.contains(&(1, 1)), "{told:?}");
    let client = read_contenders(&CLIENT.replace("download", "wait")).expect("contenders").remove(0);
    let stays = Contender { process_for_each: false, ..client.clone() };
    let for_each = Contender { process_for_each: true, ..client };
    assert!(workload.is_for(&stays) && !workload.is_for(&for_each));
}

#[test]
fn downloads_that_fit_nothing_are_refused() {
    for (from, to, said) in [
        ("bytes = 80_000", "bytes = 80_000\nconnections = 4", "`load.connections` is given for clients"),
        ("budget_s = 600", "link = \"rtt=20ms\"", "`run.link` is given for clients"),
        ("name = \"large\"", "name = \"small\"", "a second time"),
        ("name = \"small\"\n", "", "missing key `name`"),
        ("bytes = 80_000\n", "", "missing key `bytes`"),
        ("iterations = 6\n", "", "missing key `iterations`"),
        ("name = \"large\"", "name = \"Large\"", "`load.name` is `Large`"),
        ("bytes = 80_000", "bytes = 0", "`load.bytes` is 0"),
        ("bytes = 80_000", "bytes = 5_000_000_000", "`load.bytes` is 5000000000"),
        ("iterations = 6", "iterations = 4", "`load.iterations` is 4"),
        ("iterations = 6", "iterations = 6\nfiles = 200", "`load.files` is 200"),
        ("iterations = 6", "iterations = 6\nfiles = 5\nat_once = 8", "`load.at_once` is 8"),
        (
            "[[claim]]",
            "[[request]]\nname = \"a\"\nmethod = \"GET\"\npath = \"/\"\nexpect.empty = true\n[[claim]]",
            "`load.bytes` is given beside `request`",
        ),
    ] {
        let refused = read_workload(&DOWNLOADS.replacen(from, to, 1)).expect_err(said);
        assert!(refused.contains(said), "{said}: {refused}");
    }
    let start = DOWNLOADS.find("[[load]]").expect("loads");
    let end = DOWNLOADS.find("[[claim]]").expect("claims");
    let neither = format!("{}[[load]]\nconnections = 4\n{}", &DOWNLOADS[..start], &DOWNLOADS[end..]);
    let refused = read_workload(&neither).expect_err("nothing is asked");
    assert!(
        refused.contains("missing key `request`") && refused.contains("`bytes` in `[[load]]`"),
        "{refused}"
    );
}
