//! `[[burst]]`, `[task]` and `[[download]]`: what a workload measures beside its load, or in place of one.

use serde::Deserialize;
use toml::Spanned;
use velo_model::{Burst, Digest, Download, Request, TaskSettings};
use velo_request::{SourceFile, SpecError, one_of, parse_template, value};

use super::checks;

/// `[[burst]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireBurst {
    request: Spanned<String>,
    requests: Spanned<u64>,
    connections: Spanned<u64>,
    #[serde(default)]
    each_launch: bool,
    #[serde(default)]
    contenders: Vec<Spanned<String>>,
}

/// `[task]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireTask {
    request: Spanned<String>,
    input: Spanned<String>,
    output: Spanned<String>,
    iterations: Spanned<u64>,
}

/// `[[download]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireDownload {
    name: Spanned<String>,
    bytes: Spanned<u64>,
    files: Option<Spanned<u64>>,
    at_once: Option<Spanned<u64>>,
    iterations: Spanned<u64>,
}

/// More sizes than this are a mistake: each is a load of its own.
const MAX_DOWNLOADS: usize = 4;
/// The largest file, and the most of all files of a line: they are held in memory, where temporary files are, twice.
const MAX_BYTES: u32 = 4_000_000_000;
/// The most files of a line: it holds an address and a name of each.
const MAX_FILES: u32 = 1_000;

/// Checks the files that clients fetch.
pub(super) fn downloads(
    file: &SourceFile,
    wire: &[WireDownload],
    workload: &str,
) -> Result<Vec<Download>, SpecError> {
    let mut downloads: Vec<Download> = Vec::new();
    for one in wire {
        let name = one.name.get_ref();
        if !checks::is_workload_name(&format!("{workload}-{name}")) || downloads.len() == MAX_DOWNLOADS {
            return Err(file.at(&one.name, "download.name").wrong(
                format!("`download.name` is `{name}`, or there are more than {MAX_DOWNLOADS}"),
                "expected lower-case letters, digits and hyphens: it ends the name of a load",
            ));
        }
        if downloads.iter().any(|other| other.name == *name) {
            let problem = format!("`download.name` is `{name}` a second time");
            return Err(file.at(&one.name, "download.name").wrong(problem, "expected each name once"));
        }
        let bytes = checks::number(file, &one.bytes, "download.bytes", 1..=MAX_BYTES)?;
        let count = |value: &Option<Spanned<u64>>, key, most| match value {
            Some(value) => checks::number(file, value, key, 1..=most),
            None => Ok(1),
        };
        let files = count(&one.files, "download.files", MAX_FILES.min(MAX_BYTES / bytes))?;
        downloads.push(Download {
            name: name.clone(),
            bytes: bytes.into(),
            files,
            at_once: count(&one.at_once, "download.at_once", files)?,
            iterations: checks::number(file, &one.iterations, "download.iterations", 5..=10_000)?,
        });
    }
    Ok(downloads)
}

/// Checks a burst.
pub(super) fn burst(file: &SourceFile, wire: &WireBurst, requests: &[Request]) -> Result<Burst, SpecError> {
    let burst = Burst {
        request: request(file, &wire.request, requests, "burst.request")?,
        requests: checks::number(file, &wire.requests, "burst.requests", 1..=100_000)?,
        connections: checks::number(file, &wire.connections, "burst.connections", 1..=65_535)?,
        each_launch: wire.each_launch,
        contenders: checks::contenders(file, &wire.contenders, "burst.contenders")?,
    };
    if burst.connections > burst.requests {
        return Err(file.at(&wire.connections, "burst.connections").wrong(
            format!("{} connections for {} requests", burst.connections, burst.requests),
            "expected at most one connection for each request",
        ));
    }
    Ok(burst)
}

/// Checks what programs without a server do.
pub(super) fn task(
    file: &SourceFile,
    wire: &WireTask,
    requests: &[Request],
) -> Result<TaskSettings, SpecError> {
    let index = request(file, &wire.request, requests, "task.request")?;
    let names = value::names(&requests[index].slots);
    let text = |text: &str, at: &Spanned<String>, key: &str| {
        parse_template(text.as_bytes(), &names)
            .map_err(|problem| file.at(at, key).wrong(problem.what, problem.cure))
    };
    let input = text(wire.input.get_ref(), &wire.input, "task.input")?;
    if wire.input.get_ref().contains(['\n', '\r']) {
        let problem = "`task.input` holds the end of a line";
        return Err(file.at(&wire.input, "task.input").wrong(problem, "expected one line"));
    }
    let of = Digest::argument(wire.output.get_ref()).ok_or_else(|| {
        file.at(&wire.output, "task.output").wrong(
            format!("`task.output` is `{}`", wire.output.get_ref()),
            "expected `<sha512 TEXT>` with values of the request",
        )
    })?;
    let output = Digest::Sha512(text(of, &wire.output, "task.output")?);
    Ok(TaskSettings {
        request: index,
        input,
        output,
        iterations: checks::number(file, &wire.iterations, "task.iterations", 5..=10_000)?,
    })
}

/// The index of the request that a text names.
pub(super) fn request(
    file: &SourceFile,
    name: &Spanned<String>,
    requests: &[Request],
    key: &str,
) -> Result<usize, SpecError> {
    requests.iter().position(|request| request.name == *name.get_ref()).ok_or_else(|| {
        let names = requests.iter().map(|request| request.name.as_str());
        file.at(name, key).wrong(
            format!("`{key}` names the request `{}`, which there is not", name.get_ref()),
            one_of(name.get_ref(), names),
        )
    })
}
