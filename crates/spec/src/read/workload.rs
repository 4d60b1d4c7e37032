use serde::Deserialize;
use toml::Spanned;
use velo_model::{
    AsPublished, BodyExpectation, CallSettings, Link, LinkProblem, LoadSettings, Protocol, PublishedFigure,
    PublishedRow, Request, Source, Workload,
};
use velo_request::read::{Origin, Reader, WireCsv, WireMap, WireRequest, WireValue};
use velo_request::text::Folder;
use velo_request::{SourceFile, SpecError, one_of};

use super::calls::{self, WireCalls, condition as call_condition};
use super::case::{self, WireCase};
use super::checks;
use super::claim::{self, WireClaim};
use super::data::{self, WireData};
use super::grpc::{self, WireGrpc};
use super::kinds::{self, WireBurst, WireDownload, WireTask};

/// More loads of one workload than this are a mistake.
const MAX_LOADS: usize = 4;
/// More tables of a kind than this are a mistake.
const MAX_TABLES: usize = 200;

/// `workload.toml` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    question: Spanned<String>,
    baseline: Spanned<String>,
    default: Spanned<Vec<Spanned<String>>>,
    source: WireSource,
    load: WireLoad,
    #[serde(default)]
    in_order: bool,
    #[serde(default)]
    values: WireMap<WireValue>,
    #[serde(default)]
    csv: Vec<WireCsv>,
    request: Option<Spanned<Vec<WireRequest>>>,
    #[serde(default)]
    data: Vec<WireData>,
    #[serde(default)]
    burst: Vec<WireBurst>,
    task: Option<WireTask>,
    #[serde(default)]
    download: Vec<WireDownload>,
    #[serde(default)]
    calls: Vec<WireCalls>,
    grpc: Option<WireGrpc>,
    #[serde(default)]
    case: Vec<WireCase>,
    #[serde(default)]
    published: Vec<WirePublished>,
    #[serde(default)]
    claim: Vec<WireClaim>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSource {
    title: Spanned<String>,
    author: Spanned<String>,
    year: Spanned<u64>,
    command: Spanned<String>,
    machine: Spanned<String>,
    #[serde(default)]
    notes: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLoad {
    connections: Option<Spanned<u64>>,
    protocol: Option<Spanned<String>>,
    streams: Option<Spanned<u64>>,
    link: Option<Spanned<String>>,
    connections_per_core: Option<Spanned<Vec<Spanned<u64>>>>,
    requests_per_connection: Option<Spanned<WireTurns>>,
    requests: Option<Spanned<String>>,
    rate_per_s: Option<Spanned<f64>>,
    budget_s: Option<Spanned<u64>>,
    warm_up_s: Option<Spanned<u64>>,
    as_published: Option<WireAsPublished>,
}

/// How long connections are kept, or several such for a load of each.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected requests, \"kept\", or a list of both, as in [1, \"kept\"]")]
enum WireTurns {
    One(WireTurn),
    Each(Vec<WireTurn>),
}

/// After how many requests a connection is closed, or `"kept"`.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum WireTurn {
    Requests(u64),
    Word(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireAsPublished {
    connections: Spanned<u64>,
    seconds: Spanned<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePublished {
    row: Spanned<String>,
    contender: Option<Spanned<String>>,
    requests_per_s: Option<Spanned<f64>>,
    requests: Option<Spanned<u64>>,
    seconds: Option<Spanned<f64>>,
    iteration_ms: Option<Spanned<f64>>,
    call_ms: Option<Spanned<f64>>,
    call: Option<Spanned<String>>,
}

/// Reads and checks a workload.
pub(super) fn read(
    file: &SourceFile,
    name: &str,
    hash: String,
    folder: Folder,
) -> Result<Workload, SpecError> {
    let wire: Wire = file.parse()?;
    if !checks::is_workload_name(name) {
        return Err(file.wrong(
            0..0,
            "name",
            format!("its folder is called `{name}`"),
            "expected lower-case letters, digits and hyphens",
        ));
    }
    let baseline = checks::contender(file, &wire.baseline, "baseline")?;
    let default = checks::contenders(file, wire.default.get_ref(), "default")?;
    if default.is_empty() {
        return Err(file
            .at(&wire.default, "default")
            .wrong("`default` is empty", "expected at least one contender"));
    }
    for (key, count) in [
        ("request", wire.request.as_ref().map_or(0, |requests| requests.get_ref().len())),
        ("case", wire.case.len()),
        ("data", wire.data.len()),
        ("burst", wire.burst.len()),
        ("download", wire.download.len()),
        ("calls", wire.calls.len()),
        ("published", wire.published.len()),
        ("claim", wire.claim.len()),
    ] {
        if count > MAX_TABLES {
            return Err(file.wrong(
                0..0,
                key,
                format!("{count} tables `{key}`"),
                format!("expected at most {MAX_TABLES}"),
            ));
        }
    }
    distinct(file, wire.case.iter().map(|case| &case.name), "case.name")?;
    distinct(file, wire.published.iter().map(|row| &row.row), "published.row")?;
    // A contender has a row for each burst.
    let one_row = wire.published.iter().filter(|row| row.requests.is_none());
    distinct(file, one_row.filter_map(|row| row.contender.as_ref()), "published.contender")?;
    distinct(file, wire.data.iter().map(|data| &data.file), "data.file")?;
    let data = wire.data.into_iter().map(|data| data::read(file, data)).collect::<Result<Vec<_>, _>>()?;
    let mut reader = Reader::new(Origin::File(file), folder.clone());
    reader.least_weight = 0;
    reader.keys = data.iter().enumerate().flat_map(data::keys).collect();
    reader.values(&wire.values)?;
    reader.csv(&wire.csv)?;
    let downloads = kinds::downloads(file, &wire.download, name)?;
    let requests = match (&wire.request, downloads.is_empty()) {
        (Some(requests), true) => checked_requests(file, requests, wire.in_order, &reader)?,
        (None, false) => Vec::new(),
        (None, true) => {
            return Err(file.wrong(
                0..0,
                "request",
                "missing key `request`",
                "expected `[[request]]` for servers, or `[[download]]` for clients",
            ));
        }
        (Some(requests), false) => {
            return Err(file.at(requests, "request").wrong(
                "`request` is given beside `download`",
                "expected one of them: a workload compares servers or clients",
            ));
        }
    };
    let mut cases = Vec::new();
    for case in wire.case {
        cases.push(case::read(file, case, &cases, &requests, &reader)?);
    }
    let grpc = wire.grpc.map(|wire| grpc::read(file, wire, &requests, &reader, &folder)).transpose()?;
    let calls = calls::read(file, &wire.calls, &requests)?;
    let published =
        wire.published.into_iter().map(|row| published(file, row, &calls)).collect::<Result<_, _>>()?;
    let claims = wire
        .claim
        .into_iter()
        .map(|claim| claim::read(file, claim, name, &calls))
        .collect::<Result<_, _>>()?;
    Ok(Workload {
        name: name.to_owned(),
        question: checks::sentence(file, wire.question, "question")?,
        source: source(file, wire.source)?,
        baseline,
        default,
        load: load(file, &wire.load, name, &requests, !downloads.is_empty())?,
        load_of: None,
        bursts: wire
            .burst
            .iter()
            .map(|burst| kinds::burst(file, burst, &requests))
            .collect::<Result<_, _>>()?,
        task: wire.task.as_ref().map(|task| kinds::task(file, task, &requests)).transpose()?,
        downloads,
        calls,
        data,
        grpc,
        cases,
        in_order: wire.in_order,
        tables: reader.into_csv(),
        requests,
        published,
        claims,
        hash,
    })
}

/// The mix, of which every answer is checked and some request is sent at random.
fn checked_requests(
    file: &SourceFile,
    written: &Spanned<Vec<WireRequest>>,
    in_order: bool,
    reader: &Reader<'_>,
) -> Result<Vec<Request>, SpecError> {
    let requests = reader.requests(written)?;
    for (request, wire) in requests.iter().zip(written.get_ref()) {
        if request.method != "HEAD" && request.expect.body == BodyExpectation::Any {
            return Err(file.at(&wire.path, "request.expect").wrong(
                "`request.expect` says nothing of the body",
                "expected one of body, empty, same, length, regex, sha256 and json: a workload checks every answer",
            ));
        }
    }
    let unsent = |request: &Request| request.weight == 0;
    if requests.iter().all(unsent) || (in_order && requests.iter().any(unsent)) {
        return Err(file.wrong(
            written.span(),
            "request.weight",
            if in_order {
                "a request sent in order has the weight 0"
            } else {
                "every request has the weight 0"
            },
            "expected at least one that is sent outside of bursts, at random",
        ));
    }
    Ok(requests)
}

fn distinct<'a>(
    file: &SourceFile,
    names: impl Iterator<Item = &'a Spanned<String>>,
    key: &str,
) -> Result<(), SpecError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name.get_ref()) {
            return Err(file
                .at(name, key)
                .wrong(format!("`{key}` is `{}` a second time", name.get_ref()), "expected each name once"));
        }
    }
    Ok(())
}

fn source(file: &SourceFile, wire: WireSource) -> Result<Source, SpecError> {
    let year = checks::number(file, &wire.year, "source.year", 1990..=2100)?;
    Ok(Source {
        title: checks::sentence(file, wire.title, "source.title")?,
        author: checks::sentence(file, wire.author, "source.author")?,
        // OK because it is at most 2100.
        year: u16::try_from(year).expect("a year fits"),
        command: checks::sentence(file, wire.command, "source.command")?,
        machine: checks::sentence(file, wire.machine, "source.machine")?,
        notes: wire
            .notes
            .into_iter()
            .map(|note| checks::sentence(file, note, "source.notes"))
            .collect::<Result<_, _>>()?,
    })
}

fn load(
    file: &SourceFile,
    wire: &WireLoad,
    workload: &str,
    requests: &[Request],
    is_of_clients: bool,
) -> Result<LoadSettings, SpecError> {
    let number = |value: &Spanned<u64>, key: &str| checks::number(file, value, key, 1..=65_535);
    let (connections, connections_per_core) = match (&wire.connections, &wire.connections_per_core) {
        (Some(connections), None) => (number(connections, "load.connections")?, Vec::new()),
        (None, Some(each)) if (1..=MAX_LOADS).contains(&each.get_ref().len()) => {
            let key = "load.connections_per_core";
            let each =
                each.get_ref().iter().map(|value| number(value, key)).collect::<Result<Vec<_>, _>>()?;
            (each[0], each)
        }
        // A client opens what connections it wants.
        (None, None) if is_of_clients => (1, Vec::new()),
        (None, Some(each)) => {
            return Err(file.at(each, "load.connections_per_core").wrong(
                format!("`load.connections_per_core` holds {} numbers", each.get_ref().len()),
                format!("expected 1 to {MAX_LOADS}"),
            ));
        }
        _ => {
            return Err(file.wrong(
                0..0,
                "load.connections",
                "`load` needs either `connections` or `connections_per_core`",
                "expected one of them, as in `connections = 64` or `connections_per_core = [1, 4]`",
            ));
        }
    };
    let turns = wire.requests_per_connection.as_ref();
    let mut turns = turns.map_or(Ok(Vec::new()), |turns| requests_per_connection(file, turns))?;
    if let (Some(at), 2.., 1..) = (&wire.requests_per_connection, turns.len(), connections_per_core.len()) {
        return Err(file.at(at, "load.requests_per_connection").wrong(
            "`load.requests_per_connection` makes several loads beside `load.connections_per_core`",
            "expected several loads by one of them: `connections` beside this list, or one number beside that one",
        ));
    }
    let has_loads = turns.len() > 1 || !connections_per_core.is_empty();
    let each_request = each_request(file, wire, has_loads, workload, requests)?;
    let requests_per_connection = turns.first().copied().flatten();
    if turns.len() == 1 {
        turns.clear();
    }
    let rate_per_s = wire.rate_per_s.as_ref();
    let protocol = protocol(file, wire)?;
    if is_of_clients && let Some((at, key)) = of_servers_alone(wire) {
        return Err(file.wrong(
            at,
            &format!("load.{key}"),
            format!("`load.{key}` is given beside `download`"),
            "leave it out: clients fetch files over HTTP/1.1 from next door, one after the other",
        ));
    }
    Ok(LoadSettings {
        connections,
        protocol,
        streams: streams(file, wire, protocol)?,
        link: wire.link.as_ref().map(|text| link(file, text)).transpose()?,
        connections_per_core,
        requests_per_connection,
        requests_per_connection_each: turns,
        each_request,
        rate_per_s: rate_per_s.map(|rate| checks::positive(file, rate, "load.rate_per_s")).transpose()?,
        budget_s: wire
            .budget_s
            .as_ref()
            .map(|budget| checks::number(file, budget, "load.budget_s", 10..=86_400))
            .transpose()?,
        warm_up_s: wire.warm_up_s.as_ref().map(|warm_up| warm_up_s(file, wire, warm_up)).transpose()?,
        as_published: wire.as_published.as_ref().map(|wire| as_published(file, wire)).transpose()?,
    })
}

/// A key of the load that says nothing to clients, and where it stands.
fn of_servers_alone(wire: &WireLoad) -> Option<(std::ops::Range<usize>, &'static str)> {
    [
        ("connections", wire.connections.as_ref().map(Spanned::span)),
        ("connections_per_core", wire.connections_per_core.as_ref().map(Spanned::span)),
        ("requests_per_connection", wire.requests_per_connection.as_ref().map(Spanned::span)),
        ("requests", wire.requests.as_ref().map(Spanned::span)),
        ("protocol", wire.protocol.as_ref().map(Spanned::span)),
        ("link", wire.link.as_ref().map(Spanned::span)),
        ("rate_per_s", wire.rate_per_s.as_ref().map(Spanned::span)),
    ]
    .into_iter()
    .find_map(|(key, at)| Some((at?, key)))
}

/// Whether each request is a load of its own, whose name has the request's.
fn each_request(
    file: &SourceFile,
    wire: &WireLoad,
    has_loads: bool,
    workload: &str,
    requests: &[Request],
) -> Result<bool, SpecError> {
    let key = "load.requests";
    let Some(requested) = &wire.requests else { return Ok(false) };
    let refuse = |problem: &str, expected: &str| Err(file.at(requested, key).wrong(problem, expected));
    match requested.get_ref().as_str() {
        "mixed" => return Ok(false),
        "each" => {}
        other => return refuse(&format!("`{key}` is `{other}`"), "expected \"mixed\" or \"each\""),
    }
    if has_loads {
        let problem = "`load.requests` makes several loads beside another list of them";
        return refuse(problem, "expected one number of connections, and one way in which they are kept");
    }
    let sent = || requests.iter().filter(|request| request.weight > 0);
    if sent().count() > MAX_LOADS {
        let problem = format!("`{key}` makes {} loads", sent().count());
        return refuse(&problem, &format!("expected at most {MAX_LOADS}"));
    }
    match sent().find(|request| !checks::is_workload_name(&format!("{workload}-{}", request.name))) {
        None => Ok(true),
        Some(request) => refuse(
            &format!("`{key}` names a load by the request `{}`", request.name),
            "expected requests whose names have lower-case letters, digits and hyphens",
        ),
    }
}

/// One for each load; `None` where connections are kept.
fn requests_per_connection(
    file: &SourceFile,
    wire: &Spanned<WireTurns>,
) -> Result<Vec<Option<u32>>, SpecError> {
    let key = "load.requests_per_connection";
    let each = match wire.get_ref() {
        WireTurns::One(one) => std::slice::from_ref(one),
        WireTurns::Each(each) => each.as_slice(),
    };
    if !(1..=MAX_LOADS).contains(&each.len()) {
        return Err(file
            .at(wire, key)
            .wrong(format!("`{key}` holds {} numbers", each.len()), format!("expected 1 to {MAX_LOADS}")));
    }
    let mut turns = Vec::new();
    for one in each {
        let turn = match one {
            WireTurn::Word(word) if word == "kept" => None,
            WireTurn::Requests(requests) => {
                let requests = Spanned::new(wire.span(), *requests);
                Some(checks::number(file, &requests, key, 1..=1_000_000)?)
            }
            WireTurn::Word(word) => {
                return Err(file
                    .at(wire, key)
                    .wrong(format!("`{key}` is `{word}`"), "expected a number of requests, or \"kept\""));
            }
        };
        if turns.contains(&turn) {
            return Err(file
                .at(wire, key)
                .wrong(format!("`{key}` holds one load twice"), "expected each once"));
        }
        turns.push(turn);
    }
    Ok(turns)
}

fn protocol(file: &SourceFile, wire: &WireLoad) -> Result<Protocol, SpecError> {
    let Some(name) = &wire.protocol else { return Ok(Protocol::default()) };
    Protocol::of_run(name.get_ref()).ok_or_else(|| {
        let what = format!("`load.protocol` is `{}`", name.get_ref());
        file.at(name, "load.protocol")
            .wrong(what, one_of(name.get_ref(), Protocol::names_of_runs().into_iter()))
    })
}

fn link(file: &SourceFile, text: &Spanned<String>) -> Result<Link, SpecError> {
    let key = "load.link";
    text.get_ref().parse().map_err(|problem: LinkProblem| {
        file.at(text, key).wrong(format!("`{key}`: {}", problem.what), problem.expected)
    })
}

/// Requests in flight on each connection: in HTTP/1.1 there is one.
fn streams(file: &SourceFile, wire: &WireLoad, protocol: Protocol) -> Result<u32, SpecError> {
    let Some(streams) = &wire.streams else { return Ok(1) };
    let key = "load.streams";
    if !protocol.is_http2() {
        return Err(file.at(streams, key).wrong(
            format!("`load.streams` beside the protocol {protocol}"),
            "expected it with `protocol = \"h2c\"` or `\"h2\"` only",
        ));
    }
    checks::number(file, streams, key, 1..=LoadSettings::MOST_STREAMS)
}

/// It is a part of the budget, so that one is needed beside it.
fn warm_up_s(file: &SourceFile, wire: &WireLoad, warm_up: &Spanned<u64>) -> Result<u32, SpecError> {
    if wire.budget_s.is_none() {
        return Err(file.at(warm_up, "load.warm_up_s").wrong(
            "`load.warm_up_s` without `load.budget_s`",
            "expected also the `budget_s` that launches with such a warm-up need",
        ));
    }
    checks::number(file, warm_up, "load.warm_up_s", 1..=600)
}

fn as_published(file: &SourceFile, wire: &WireAsPublished) -> Result<AsPublished, SpecError> {
    Ok(AsPublished {
        connections: checks::number(file, &wire.connections, "load.as_published.connections", 1..=65_535)?,
        seconds: checks::number(file, &wire.seconds, "load.as_published.seconds", 1..=86_400)?,
    })
}

fn published(
    file: &SourceFile,
    row: WirePublished,
    calls: &[CallSettings],
) -> Result<PublishedRow, SpecError> {
    let figure = match (&row.requests_per_s, &row.requests, &row.seconds, &row.iteration_ms, &row.call_ms) {
        (Some(rate), None, None, None, None) => {
            PublishedFigure::RequestsPerS(checks::positive(file, rate, "published.requests_per_s")?)
        }
        (None, Some(requests), Some(seconds), None, None) => PublishedFigure::Makespan {
            requests: checks::number(file, requests, "published.requests", 1..=1_000_000)?,
            seconds: checks::positive(file, seconds, "published.seconds")?,
        },
        (None, None, None, Some(time), None) => {
            PublishedFigure::IterationMs(checks::positive(file, time, "published.iteration_ms")?)
        }
        (None, None, None, None, Some(time)) => {
            let Some(condition) = &row.call else {
                return Err(file.at(time, "published.call").wrong(
                    "`published.call_ms` without the condition that stands for it here",
                    "expected `call` beside it, as in `call = \"https1 new tls1.3 100ms\"`",
                ));
            };
            PublishedFigure::Call {
                ms: checks::positive(file, time, "published.call_ms")?,
                condition: call_condition(file, condition, "published.call", calls)?,
            }
        }
        _ => {
            return Err(file.at(&row.row, "published").wrong(
                "a published row needs one figure",
                "expected `requests_per_s`, or `requests` with `seconds`, or `iteration_ms`, or `call_ms` with `call`",
            ));
        }
    };
    if let (Some(call), None) = (&row.call, &row.call_ms) {
        return Err(file
            .at(call, "published.call")
            .wrong("`published.call` without `call_ms`", "expected the milliseconds of a call beside it"));
    }
    Ok(PublishedRow {
        contender: row
            .contender
            .map(|contender| checks::contender(file, &contender, "published.contender"))
            .transpose()?,
        figure,
        row: checks::sentence(file, row.row, "published.row")?,
    })
}
