use serde::Deserialize;
use toml::Spanned;
use velo_model::{BodyExpectation, CallSettings, PublishedFigure, PublishedRow, Request, Source, Workload};
use velo_request::read::{Origin, Reader, WireCsv, WireMap, WireRequest, WireValue};
use velo_request::text::Folder;
use velo_request::{SourceFile, SpecError};

use super::calls::{self, WireCalls, condition as call_condition};
use super::case::{self, WireCase};
use super::checks;
use super::claim::{self, WireClaim};
use super::data::{self, WireData};
use super::grpc::{self, WireGrpc};
use super::kinds::{self, WireBurst, WireTask};
use super::load::{self, WireLoad, WireRun};

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
    #[serde(default)]
    run: WireRun,
    load: Spanned<Vec<Spanned<WireLoad>>>,
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
struct WirePublished {
    row: Spanned<String>,
    contender: Option<Spanned<String>>,
    not_measured: Option<Spanned<String>>,
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
    distinct(file, wire.load.get_ref().iter().filter_map(|load| load.get_ref().name.as_ref()), "load.name")?;
    let data = wire.data.into_iter().map(|data| data::read(file, data)).collect::<Result<Vec<_>, _>>()?;
    let mut reader = Reader::new(Origin::File(file), folder.clone());
    reader.least_weight = 0;
    reader.keys = data.iter().enumerate().flat_map(data::keys).collect();
    reader.values(&wire.values)?;
    reader.csv(&wire.csv)?;
    let of_clients = wire.load.get_ref().iter().find_map(|load| load.get_ref().of_clients());
    let requests = match (&wire.request, of_clients) {
        (Some(requests), None) => checked_requests(file, requests, wire.in_order, &reader)?,
        (None, Some(_)) => Vec::new(),
        (None, None) => {
            return Err(file.wrong(
                0..0,
                "request",
                "missing key `request`",
                "expected `[[request]]` for servers, or `bytes` in `[[load]]` for clients",
            ));
        }
        (Some(_), Some((at, key))) => {
            return Err(file.wrong(
                at,
                key,
                format!("`{key}` is given beside `request`"),
                "expected one of them: a workload compares servers or clients",
            ));
        }
    };
    let mut loads = load::read(file, &wire.load, &wire.run, name, &requests)?;
    let first = loads.remove(0);
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
        load: first.settings,
        further: loads,
        load_of: None,
        bursts: wire
            .burst
            .iter()
            .map(|burst| kinds::burst(file, burst, &requests))
            .collect::<Result<_, _>>()?,
        task: wire.task.as_ref().map(|task| kinds::task(file, task, &requests)).transpose()?,
        download: first.download,
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
    if let (Some(reason), None) = (&row.not_measured, &row.contender) {
        return Err(file.at(reason, "published.not_measured").wrong(
            "`published.not_measured` without `contender`",
            "expected the contender that is not measured beside it",
        ));
    }
    Ok(PublishedRow {
        not_measured: row
            .not_measured
            .map(|reason| checks::sentence(file, reason, "published.not_measured"))
            .transpose()?,
        contender: row
            .contender
            .map(|contender| checks::contender(file, &contender, "published.contender"))
            .transpose()?,
        figure,
        row: checks::sentence(file, row.row, "published.row")?,
    })
}
