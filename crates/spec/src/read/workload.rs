use serde::Deserialize;
use toml::Spanned;

use super::case::{self, WireCase};
use super::checks;
use super::claim::{self, WireClaim};
use super::request::{self, WireRequest};
use super::source::SourceFile;
use crate::{AsPublished, LoadSettings, PublishedRow, Source, SpecError, Workload};

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
    request: Spanned<Vec<WireRequest>>,
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
    connections: Spanned<u64>,
    as_published: Option<WireAsPublished>,
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
    requests_per_s: Spanned<f64>,
}

/// Reads and checks a workload.
pub(super) fn read(file: &SourceFile, name: &str, hash: String) -> Result<Workload, SpecError> {
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
        ("request", wire.request.get_ref().len()),
        ("case", wire.case.len()),
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
    if wire.request.get_ref().is_empty() {
        return Err(file
            .at(&wire.request, "request")
            .wrong("`request` is empty", "expected at least one request"));
    }
    let requests = wire.request.into_inner();
    distinct(file, requests.iter().map(|request| &request.name), "request.name")?;
    distinct(file, wire.case.iter().map(|case| &case.name), "case.name")?;
    distinct(file, wire.published.iter().map(|row| &row.row), "published.row")?;
    distinct(file, wire.published.iter().filter_map(|row| row.contender.as_ref()), "published.contender")?;
    let requests =
        requests.into_iter().map(|request| request::read(file, request)).collect::<Result<Vec<_>, _>>()?;
    Ok(Workload {
        name: name.to_owned(),
        question: checks::sentence(file, wire.question, "question")?,
        source: source(file, wire.source)?,
        baseline,
        default,
        load: load(file, &wire.load)?,
        cases: wire
            .case
            .into_iter()
            .map(|case| case::read(file, case, &requests))
            .collect::<Result<_, _>>()?,
        requests,
        published: wire.published.into_iter().map(|row| published(file, row)).collect::<Result<_, _>>()?,
        claims: wire
            .claim
            .into_iter()
            .map(|claim| claim::read(file, claim, name))
            .collect::<Result<_, _>>()?,
        hash,
    })
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

fn load(file: &SourceFile, wire: &WireLoad) -> Result<LoadSettings, SpecError> {
    Ok(LoadSettings {
        connections: checks::number(file, &wire.connections, "load.connections", 1..=65_535)?,
        as_published: wire.as_published.as_ref().map(|wire| as_published(file, wire)).transpose()?,
    })
}

fn as_published(file: &SourceFile, wire: &WireAsPublished) -> Result<AsPublished, SpecError> {
    Ok(AsPublished {
        connections: checks::number(file, &wire.connections, "load.as_published.connections", 1..=65_535)?,
        seconds: checks::number(file, &wire.seconds, "load.as_published.seconds", 1..=86_400)?,
    })
}

fn published(file: &SourceFile, wire: WirePublished) -> Result<PublishedRow, SpecError> {
    Ok(PublishedRow {
        contender: wire
            .contender
            .map(|contender| checks::contender(file, &contender, "published.contender"))
            .transpose()?,
        requests_per_s: checks::positive(file, &wire.requests_per_s, "published.requests_per_s")?,
        row: checks::sentence(file, wire.row, "published.row")?,
    })
}
