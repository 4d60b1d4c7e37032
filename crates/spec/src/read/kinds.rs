//! `[[burst]]` and `[task]`: what a workload measures beside its load.

use serde::Deserialize;
use toml::Spanned;
use velo_model::{Burst, Digest, Request, TaskSettings};
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
