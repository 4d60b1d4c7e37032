//! `[[load]]` and `[run]`: the loads of a workload, and what they have in common.

use serde::Deserialize;
use toml::Spanned;
use velo_model::{AsPublished, Download, Link, LinkProblem, Load, LoadSettings, Protocol, Request};
use velo_request::{SourceFile, SpecError, one_of};

use super::checks;
use super::kinds;

/// More loads of one workload than this are a mistake.
const MAX_LOADS: usize = 4;
/// The largest file, and the most of all files of a line: they are held in memory, where temporary files are, twice.
const MAX_BYTES: u32 = 4_000_000_000;
/// The most files of a line: it holds an address and a name of each.
const MAX_FILES: u32 = 1_000;

/// `[run]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireRun {
    protocol: Option<Spanned<String>>,
    link: Option<Spanned<String>>,
    budget_s: Option<Spanned<u64>>,
    warm_up_s: Option<Spanned<u64>>,
    as_published: Option<WireAsPublished>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireAsPublished {
    connections: Spanned<u64>,
    seconds: Spanned<u64>,
}

/// `[[load]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireLoad {
    pub(super) name: Option<Spanned<String>>,
    connections: Option<Spanned<u64>>,
    connections_per_core: Option<Spanned<u64>>,
    streams: Option<Spanned<u64>>,
    requests_per_connection: Option<Spanned<u64>>,
    request: Option<Spanned<String>>,
    rate_per_s: Option<Spanned<f64>>,
    bytes: Option<Spanned<u64>>,
    files: Option<Spanned<u64>>,
    at_once: Option<Spanned<u64>>,
    iterations: Option<Spanned<u64>>,
}

/// Where a key stands, and its name.
type Key = (std::ops::Range<usize>, &'static str);

impl WireLoad {
    /// The first key that says nothing to servers.
    pub(super) fn of_clients(&self) -> Option<Key> {
        first([
            ("load.bytes", self.bytes.as_ref().map(Spanned::span)),
            ("load.files", self.files.as_ref().map(Spanned::span)),
            ("load.at_once", self.at_once.as_ref().map(Spanned::span)),
            ("load.iterations", self.iterations.as_ref().map(Spanned::span)),
        ])
    }

    /// The first key that says nothing to clients.
    fn of_servers(&self) -> Option<Key> {
        first([
            ("load.connections", self.connections.as_ref().map(Spanned::span)),
            ("load.connections_per_core", self.connections_per_core.as_ref().map(Spanned::span)),
            ("load.streams", self.streams.as_ref().map(Spanned::span)),
            ("load.requests_per_connection", self.requests_per_connection.as_ref().map(Spanned::span)),
            ("load.request", self.request.as_ref().map(Spanned::span)),
            ("load.rate_per_s", self.rate_per_s.as_ref().map(Spanned::span)),
        ])
    }
}

fn first<const N: usize>(keys: [(&'static str, Option<std::ops::Range<usize>>); N]) -> Option<Key> {
    keys.into_iter().find_map(|(key, at)| Some((at?, key)))
}

/// Checks the loads, of which there is one at least. Without `requests` they are of clients, which fetch files.
pub(super) fn read(
    file: &SourceFile,
    wire: &Spanned<Vec<Spanned<WireLoad>>>,
    run: &WireRun,
    workload: &str,
    requests: &[Request],
) -> Result<Vec<Load>, SpecError> {
    let count = wire.get_ref().len();
    if !(1..=MAX_LOADS).contains(&count) {
        let problem = format!("there are {count} tables `load`");
        return Err(file.at(wire, "load").wrong(problem, format!("expected 1 to {MAX_LOADS}")));
    }
    let is_of_clients = requests.is_empty();
    let common = common(file, run, is_of_clients)?;
    let mut loads = Vec::new();
    for load in wire.get_ref() {
        let has_name = is_of_clients || !loads.is_empty();
        let name = name(file, load, has_name, workload)?;
        let (settings, download) = match is_of_clients {
            true => (common.clone(), Some(download(file, load, name.clone())?)),
            false => (of_servers(file, load, &common, requests)?, None),
        };
        loads.push(Load { name, settings, download });
    }
    Ok(loads)
}

/// What a load is called beside its workload: nothing, where it has the workload's name.
fn name(
    file: &SourceFile,
    load: &Spanned<WireLoad>,
    has_name: bool,
    workload: &str,
) -> Result<String, SpecError> {
    let key = "load.name";
    match &load.get_ref().name {
        None if has_name => {
            let expected = "expected what tells it from the other loads, as in `name = \"kept\"`";
            Err(file.at(load, key).wrong("missing key `name`", expected))
        }
        None => Ok(String::new()),
        Some(name) if !has_name => Err(file.at(name, key).wrong(
            format!("`{key}` is given for the first load, which has the workload's name"),
            "leave it out: further loads have a name of their own",
        )),
        Some(name) if !checks::is_workload_name(&format!("{workload}-{}", name.get_ref())) => {
            Err(file.at(name, key).wrong(
                format!("`{key}` is `{}`", name.get_ref()),
                "expected lower-case letters, digits and hyphens: it ends the name of a load",
            ))
        }
        Some(name) => Ok(name.get_ref().clone()),
    }
}

/// What all loads have in common; a client opens what connections it wants.
fn common(file: &SourceFile, wire: &WireRun, is_of_clients: bool) -> Result<LoadSettings, SpecError> {
    let of_servers = first([
        ("run.protocol", wire.protocol.as_ref().map(Spanned::span)),
        ("run.link", wire.link.as_ref().map(Spanned::span)),
    ]);
    if let Some((at, key)) = of_servers.filter(|_| is_of_clients) {
        let expected = "leave it out: clients fetch files over HTTP/1.1 from next door";
        return Err(file.wrong(at, key, format!("`{key}` is given for clients"), expected));
    }
    let budget_s = wire.budget_s.as_ref();
    let budget_s = budget_s.map(|budget| checks::number(file, budget, "run.budget_s", 10..=86_400));
    Ok(LoadSettings {
        connections: 1,
        protocol: protocol(file, wire)?,
        streams: 1,
        link: wire.link.as_ref().map(|text| link(file, text)).transpose()?,
        connections_per_core: None,
        requests_per_connection: None,
        request: None,
        rate_per_s: None,
        budget_s: budget_s.transpose()?,
        warm_up_s: wire.warm_up_s.as_ref().map(|warm_up| warm_up_s(file, wire, warm_up)).transpose()?,
        as_published: wire.as_published.as_ref().map(|wire| as_published(file, wire)).transpose()?,
    })
}

fn of_servers(
    file: &SourceFile,
    load: &Spanned<WireLoad>,
    common: &LoadSettings,
    requests: &[Request],
) -> Result<LoadSettings, SpecError> {
    let wire = load.get_ref();
    let number = |value: &Spanned<u64>, key: &str| checks::number(file, value, key, 1..=65_535);
    let (connections, connections_per_core) = match (&wire.connections, &wire.connections_per_core) {
        (Some(connections), None) => (number(connections, "load.connections")?, None),
        (None, Some(per_core)) => {
            let per_core = number(per_core, "load.connections_per_core")?;
            (per_core, Some(per_core))
        }
        _ => {
            return Err(file.at(load, "load.connections").wrong(
                "`load` needs either `connections` or `connections_per_core`",
                "expected one of them, as in `connections = 64` or `connections_per_core = 4`",
            ));
        }
    };
    let turns = wire.requests_per_connection.as_ref();
    let turns = turns.map(|turns| checks::number(file, turns, "load.requests_per_connection", 1..=1_000_000));
    let request = wire.request.as_ref();
    let rate_per_s = wire.rate_per_s.as_ref();
    Ok(LoadSettings {
        connections,
        connections_per_core,
        streams: streams(file, wire, common.protocol)?,
        requests_per_connection: turns.transpose()?,
        request: request.map(|name| kinds::request(file, name, requests, "load.request")).transpose()?,
        rate_per_s: rate_per_s.map(|rate| checks::positive(file, rate, "load.rate_per_s")).transpose()?,
        ..common.clone()
    })
}

/// Checks the files that clients fetch.
fn download(file: &SourceFile, load: &Spanned<WireLoad>, name: String) -> Result<Download, SpecError> {
    let wire = load.get_ref();
    if let Some((at, key)) = wire.of_servers() {
        let expected = "leave it out: clients fetch files over HTTP/1.1, on what connections they open";
        return Err(file.wrong(at, key, format!("`{key}` is given for clients"), expected));
    }
    let missing = |key: &str, expected: &str| {
        file.at(load, &format!("load.{key}")).wrong(format!("missing key `{key}`"), expected)
    };
    let bytes = wire
        .bytes
        .as_ref()
        .ok_or_else(|| missing("bytes", "expected the length of the file that clients fetch"))?;
    let bytes = checks::number(file, bytes, "load.bytes", 1..=MAX_BYTES)?;
    let count = |value: &Option<Spanned<u64>>, key, most| match value {
        Some(value) => checks::number(file, value, key, 1..=most),
        None => Ok(1),
    };
    let files = count(&wire.files, "load.files", MAX_FILES.min(MAX_BYTES / bytes))?;
    let iterations = wire.iterations.as_ref();
    let iterations =
        iterations.ok_or_else(|| missing("iterations", "expected how many lines each process is given"))?;
    Ok(Download {
        name,
        bytes: bytes.into(),
        files,
        at_once: count(&wire.at_once, "load.at_once", files)?,
        iterations: checks::number(file, iterations, "load.iterations", 5..=10_000)?,
    })
}

fn protocol(file: &SourceFile, wire: &WireRun) -> Result<Protocol, SpecError> {
    let Some(name) = &wire.protocol else { return Ok(Protocol::default()) };
    Protocol::of_run(name.get_ref()).ok_or_else(|| {
        let what = format!("`run.protocol` is `{}`", name.get_ref());
        file.at(name, "run.protocol")
            .wrong(what, one_of(name.get_ref(), Protocol::names_of_runs().into_iter()))
    })
}

fn link(file: &SourceFile, text: &Spanned<String>) -> Result<Link, SpecError> {
    let key = "run.link";
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
            "expected it with `run.protocol = \"h2c\"` or `\"h2\"` only",
        ));
    }
    checks::number(file, streams, key, 1..=LoadSettings::MOST_STREAMS)
}

/// It is a part of the budget, so that one is needed beside it.
fn warm_up_s(file: &SourceFile, wire: &WireRun, warm_up: &Spanned<u64>) -> Result<u32, SpecError> {
    if wire.budget_s.is_none() {
        return Err(file.at(warm_up, "run.warm_up_s").wrong(
            "`run.warm_up_s` without `run.budget_s`",
            "expected also the `budget_s` that launches with such a warm-up need",
        ));
    }
    checks::number(file, warm_up, "run.warm_up_s", 1..=600)
}

fn as_published(file: &SourceFile, wire: &WireAsPublished) -> Result<AsPublished, SpecError> {
    Ok(AsPublished {
        connections: checks::number(file, &wire.connections, "run.as_published.connections", 1..=65_535)?,
        seconds: checks::number(file, &wire.seconds, "run.as_published.seconds", 1..=86_400)?,
    })
}
