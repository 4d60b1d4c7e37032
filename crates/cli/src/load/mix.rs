//! What to send and what to expect, from flags and files.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use velo_grpc::Method;
use velo_load::{BodyChecker, Mix, Order, Protocol};
use velo_model::{BodyExpectation, CsvTable, Request};
use velo_record::LoadGrpc;
use velo_request::read::{
    Origin, Reader, RequestsFile, WireCsv, WireExpect, WireHeader, WireJson, WireLength, WireMap,
    WireRequest, WireStatus, typed,
};
use velo_request::text::{Folder, excerpt};
use velo_request::{Problem, Tables, header, hex, prepare};

use super::flags::{ExpectFlags, LoadArgs};
use super::grpc::{self, Call};
use super::url::Url;
use crate::exit::{at, usage};

/// Everything about requests, ready for the engine.
pub(crate) struct Asked {
    /// The requests, rendered.
    pub(crate) mix: Arc<Mix>,
    /// The check of their bodies.
    pub(crate) checker: Arc<dyn BodyChecker>,
    /// The requests in words: `GET /`, or `3 requests`.
    pub(crate) words: String,
    /// SHA-256 over requests and expectations.
    pub(crate) hash: String,
    /// Whether every body is compared with something.
    pub(crate) checks_bodies: bool,
    /// How a method of gRPC is called, if one is.
    pub(crate) grpc: Option<LoadGrpc>,
    /// That method.
    pub(crate) method: Option<Method>,
}

/// Reads and checks all that flags and files say of requests.
///
/// # Errors
/// When something of it cannot be sent or expected.
pub(crate) fn read(args: &LoadArgs) -> anyhow::Result<Asked> {
    let call = grpc::read(args)?;
    let protocol = match &call {
        Some(call) => Protocol::Grpc(call.calls(args.url.is_https)),
        None if args.connections.http2 => Protocol::Http2 { is_https: args.url.is_https },
        None => Protocol::Http1,
    };
    finish(said(args, call.as_ref())?, &args.url.authority(), protocol, call)
}

/// Requests before they are rendered.
struct Said {
    requests: Vec<Request>,
    tables: Vec<CsvTable>,
    in_order: bool,
}

fn said(args: &LoadArgs, call: Option<&Call>) -> anyhow::Result<Said> {
    let flags = &args.requests;
    let file = flags.file.as_deref().map(RequestsFile::read).transpose()?;
    let mut reader = Reader::new(Origin::Flags { several: false }, Folder::From(PathBuf::new()));
    for (name, kind) in &flags.value {
        reader.declare(&typed(name.clone()), kind.clone(), "values")?;
    }
    if let Some(path) = &flags.csv_values {
        let file = typed(path.to_string_lossy().into_owned());
        reader.csv(&[WireCsv { file, random: flags.csv_random }])?;
    }
    reader.defaults.headers = shared_headers(args)?;
    for (name, value) in call.map(Call::headers).unwrap_or_default() {
        reader.defaults.headers.push((name, rooted(&value)));
    }
    reader.defaults.content_type = flags.content_type.clone().map(typed);
    reader.defaults.expect = expectation(&args.expect)?;
    let in_order = flags.in_order || file.as_ref().is_some_and(|(_, file)| file.in_order);
    let requests = if let (Some((source, file)), Some(path)) = (&file, &flags.file) {
        no_path(&args.url, "--requests-file")?;
        reader.origin = Origin::File(source);
        reader.folder = Folder::From(path.parent().unwrap_or(Path::new("")).to_owned());
        file.requests(&mut reader)?
    } else if let Some(call) = call {
        no_path(&args.url, "--grpc")?;
        reader.origin = Origin::Call;
        let data = args.grpc.data.clone().unwrap_or_else(|| "{}".to_owned());
        let (method, body) = (Some(typed("POST".to_owned())), Some(typed(data)));
        let one = WireRequest { method, body, ..WireRequest::to(typed(call.method.path())) };
        reader.requests(&typed(vec![one]))?
    } else if flags.request.is_empty() {
        let text = |text: &Option<String>| text.clone().map(typed);
        let (method, body, json) = (text(&flags.method), text(&flags.body()), text(&flags.json_body));
        let one = WireRequest { method, body, json, ..WireRequest::to(typed(args.url.path.clone())) };
        reader.requests(&typed(vec![one]))?
    } else {
        no_path(&args.url, "--request")?;
        reader.origin = Origin::Flags { several: true };
        let several: Vec<WireRequest> =
            flags.request.iter().map(|text| one_of_several(text)).collect::<anyhow::Result<_>>()?;
        if flags.content_type.is_some() && several.iter().all(|one| one.body.is_none()) {
            return Err(usage("--content-type does nothing: no request has a body"));
        }
        reader.requests(&typed(several))?
    };
    if in_order && requests.len() == 1 {
        return Err(usage(
            "--in-order does nothing with one request\n  it is for several --request or --requests-file",
        ));
    }
    let limit = args.engine.limit_body;
    let longest = requests.iter().filter_map(|request| request.expect.longest_body_bytes()).max();
    if let Some(longest) = longest.filter(|&longest| longest > limit) {
        return Err(usage(format!(
            "the expected body of up to {longest} bytes is longer than --limit-body, {limit}\n  use --limit-body {longest}"
        )));
    }
    Ok(Said { requests, tables: reader.into_csv(), in_order })
}

/// What the flags say of answers.
fn expectation(flags: &ExpectFlags) -> anyhow::Result<WireExpect> {
    let text = |text: &Option<String>| text.clone().map(typed);
    let mut headers = WireMap::new();
    for text in &flags.header {
        if header::is_token(text.as_bytes()) {
            headers.entry(typed(text.clone())).or_insert(typed(WireHeader::Any(true)));
            continue;
        }
        let (name, value) = header::split(text).map_err(|problem| at(&problem, "--expect-header"))?;
        match headers.entry(typed(name)).or_insert(typed(WireHeader::Any(true))).get_mut() {
            WireHeader::All(values) => values.push(value),
            other => *other = WireHeader::All(vec![value]),
        }
    }
    Ok(WireExpect {
        status: flags.status.clone().map(WireStatus::Text).map(typed),
        content_type: text(&flags.content_type),
        headers,
        body: flags.body.as_deref().map(rooted).map(typed),
        empty: flags.empty.then(|| typed(true)),
        same: flags.same.then(|| typed(true)),
        length: flags.length.clone().map(WireLength::Text).map(typed),
        regex: text(&flags.regex),
        sha256: text(&flags.sha256),
        json: flags.json.as_deref().map(rooted).map(WireJson::Text).map(typed),
        coin: None,
        not_before_ms: None,
    })
}

/// `@FILE` of a flag is looked for from here, also where a file's own are from its folder.
fn rooted(text: &str) -> String {
    match text.strip_prefix('@').filter(|path| !path.is_empty() && !path.starts_with('@')) {
        Some(path) => match std::path::absolute(path) {
            Ok(path) => format!("@{}", path.display()),
            Err(_) => text.to_owned(),
        },
        None => text.to_owned(),
    }
}

/// The headers of `-H`, and what other flags add to every request.
fn shared_headers(args: &LoadArgs) -> anyhow::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    for text in &args.requests.header {
        let (name, value) = header::split(text).map_err(|problem| at(&problem, "--header"))?;
        headers.push((name, rooted(&value)));
    }
    if let Some(content_type) = &args.requests.content_type {
        if args.requests.body().is_none() && args.requests.request.is_empty() && args.requests.file.is_none()
        {
            return Err(usage(
                "--content-type does nothing without a body\n  expected --body TEXT or --body @FILE",
            ));
        }
        refuse_another(&headers, "--content-type", content_type)?;
    }
    if args.requests.json_body.is_some() {
        refuse_another(&headers, "--json-body", "application/json")?;
    }
    // The only request of a connection says so (RFC 9112, 9.6), unless the caller has said something else; HTTP/2 has no words for it.
    let alone = args.requests_per_connection() == Some(1) && !args.speaks_http2();
    if alone && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("connection")) {
        headers.push(("Connection".to_owned(), "close".to_owned()));
    }
    Ok(headers)
}

/// `--header` may say the same as another flag, with parameters too, and then is what is sent.
fn refuse_another(headers: &[(String, String)], flag: &str, content_type: &str) -> anyhow::Result<()> {
    let media_type = |text: &[u8]| {
        text.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase()
    };
    let is_another = |value: &str| {
        let value = Folder::From(PathBuf::new()).text(value).unwrap_or_default();
        media_type(&value) != media_type(content_type.as_bytes())
    };
    if headers.iter().any(|(name, value)| name.eq_ignore_ascii_case("content-type") && is_another(value)) {
        return Err(usage(format!(
            "{flag} and --header give different values of Content-Type\n  expected one; {flag} sends {content_type}"
        )));
    }
    Ok(())
}

/// `[WEIGHT*]METHOD PATH [BODY|@FILE]`.
fn one_of_several(text: &str) -> anyhow::Result<WireRequest> {
    let expected = "expected [WEIGHT*]METHOD PATH [BODY], as in 'GET /' or '9*POST /user {\"a\": 1}'; \
                    the method of the URL's own request (curl: --request) is -m";
    let refused = |what: String| at(&Problem::new(what, expected), "--request");
    let (first, rest) = text
        .trim_start()
        .split_once(' ')
        .ok_or_else(|| refused(format!("`{}` is no request", excerpt(text.as_bytes()))))?;
    let (weight, method) = match first.split_once('*') {
        Some((weight, method)) => {
            let weight = weight.parse().ok().filter(|weight| (1..=1_000_000).contains(weight));
            let weight = weight.ok_or_else(|| refused("expected a weight from 1 to 1,000,000".to_owned()))?;
            (Some(typed(weight)), method)
        }
        None => (None, first),
    };
    let rest = rest.trim_start();
    let (path, body) = rest.split_once(' ').map_or((rest, None), |(path, body)| (path, Some(body)));
    Ok(WireRequest {
        weight,
        method: Some(typed(method.to_owned())),
        body: body.map(str::to_owned).map(typed),
        ..WireRequest::to(typed(path.to_owned()))
    })
}

fn no_path(url: &Url, flag: &str) -> anyhow::Result<()> {
    if url.path == "/" {
        return Ok(());
    }
    Err(usage(format!(
        "the URL has the path `{}`, but with {flag} each request has its own\n  expected the URL without it",
        url.path
    )))
}

fn finish(said: Said, host: &str, protocol: Protocol, call: Option<Call>) -> anyhow::Result<Asked> {
    let words = match said.requests.as_slice() {
        _ if call.is_some() => call.as_ref().map(|call| call.method.name()).unwrap_or_default(),
        [one] => one.name.clone(),
        several => format!("{} requests", several.len()),
    };
    let checks_bodies = said
        .requests
        .iter()
        .all(|request| request.method == "HEAD" || request.expect.body != BodyExpectation::Any);
    let order = if said.in_order { Order::InOrder } else { Order::Weighted };
    let tables = Tables::of(&said.tables);
    let (mut specs, checker) = prepare(&said.requests, &tables);
    let mut checker: Arc<dyn BodyChecker> = Arc::new(checker);
    let mut hash = requests_hash(&said)?;
    if let Some(call) = &call {
        for (request, spec) in said.requests.iter().zip(&mut specs) {
            checker = call.complete(request, spec, Arc::clone(&checker))?;
        }
        call.add_to(&mut hash);
    }
    let mix = Mix::for_protocol(specs, order, host, protocol).map_err(|error| usage(error.to_string()))?;
    Ok(Asked {
        mix: Arc::new(mix),
        checker,
        words,
        hash: hex(&hash.finalize()),
        checks_bodies,
        grpc: call.as_ref().map(Call::recorded),
        method: call.map(|call| call.method),
    })
}

/// Everything that tells these requests from others, but for their names.
fn requests_hash(said: &Said) -> anyhow::Result<Sha256> {
    let mut hash = Sha256::new();
    hash.update([u8::from(said.in_order)]);
    for request in &said.requests {
        let nameless = Request { name: String::new(), ..request.clone() };
        hash.update(serde_json::to_vec(&nameless)?);
    }
    for table in &said.tables {
        hash.update([u8::from(table.random)]);
        for cell in table.cells.iter().flat_map(|table| &table.rows).flatten() {
            hash.update((cell.len() as u64).to_be_bytes());
            hash.update(cell);
        }
    }
    Ok(hash)
}
