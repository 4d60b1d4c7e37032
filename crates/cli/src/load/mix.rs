//! What to send and what to expect, from flags and files.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use velo_load::{BodyChecker, BodyExpect, Mix, Order, Pick, RequestSpec, Template};
use velo_spec::parse_json;

use super::checker::{Checker, hex};
use super::csv_values;
use super::draft::Draft;
use super::expect::Expectation;
use super::flags::{LoadArgs, RequestFlags};
use super::problem::Problem;
use super::requests_file;
use super::url::Url;
use super::value::{Values, sample};
use super::{files, header, template};
use crate::exit::usage;

/// The media type of bodies that are said to be JSON.
pub(crate) const JSON: &str = "application/json";

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
}

/// Reads and checks all that flags and files say of requests.
///
/// # Errors
/// When something of it cannot be sent or expected.
pub(crate) fn read(args: &LoadArgs) -> anyhow::Result<Asked> {
    finish(drafts(args)?, &args.url.authority())
}

/// Requests before they are rendered.
struct Drafts {
    requests: Vec<Draft>,
    values: Values,
    in_order: bool,
}

fn drafts(args: &LoadArgs) -> anyhow::Result<Drafts> {
    let file = args.requests.file.as_deref().map(requests_file::read).transpose()?;
    let values = declared(&args.requests, file.as_ref())?;
    let expectation = Expectation::of_flags(&args.expect, &values)?;
    let headers = shared_headers(args, &values)?;
    let shared = Shared { url: &args.url, headers, expectation, values: &values };
    let in_order = args.requests.in_order || file.as_ref().is_some_and(requests_file::Requests::in_order);
    let mut requests = match &file {
        Some(file) => {
            no_path(&args.url, "--requests-file")?;
            file.drafts(&shared, args.requests.content_type.as_deref())?
        }
        None if !args.requests.request.is_empty() => several(&shared, &args.requests)?,
        None => vec![single(&shared, &args.requests)?],
    };
    all_used(&values, &requests, &args.requests)?;
    if in_order && requests.len() == 1 {
        return Err(usage(
            "--in-order does nothing with one request\n  it is for several --request or --requests-file",
        ));
    }
    number_same_names(&mut requests);
    Ok(Drafts { requests, values, in_order })
}

/// What all requests have in common.
pub(crate) struct Shared<'a> {
    url: &'a Url,
    /// Headers of `-H`.
    pub(crate) headers: Vec<(String, Template)>,
    /// What `--expect-*` says.
    pub(crate) expectation: Expectation,
    /// All values.
    pub(crate) values: &'a Values,
}

fn declared(flags: &RequestFlags, file: Option<&requests_file::Requests>) -> anyhow::Result<Values> {
    let mut values = Values::default();
    for (name, slot) in &flags.value {
        values.declare(name.clone(), slot.clone()).map_err(|problem| problem.at("--value"))?;
    }
    if let Some(path) = &flags.csv_values {
        let place = format!("--csv-values {}", path.display());
        let pick = if flags.csv_random { Pick::Random } else { Pick::InOrder };
        let columns = csv_values::read(path, pick).map_err(|problem| problem.at(&place))?;
        for (name, slot) in columns {
            values.declare(name, slot).map_err(|problem| problem.at(&place))?;
        }
    }
    if let Some(file) = file {
        file.declare(&mut values)?;
    }
    Ok(values)
}

/// The headers of `-H`, and what other flags add to every request.
fn shared_headers(args: &LoadArgs, values: &Values) -> anyhow::Result<Vec<(String, Template)>> {
    let at = |problem: Problem| problem.at("--header");
    let mut headers = Vec::new();
    for text in &args.requests.header {
        let (name, value) = header::split(text).map_err(at)?;
        let value = header_value(&value, Path::new(""), values).map_err(at)?;
        headers.push((name, value));
    }
    if let Some(content_type) = &args.requests.content_type {
        if args.requests.body.is_none() && args.requests.request.is_empty() && args.requests.file.is_none() {
            return Err(usage(
                "--content-type does nothing without a body\n  expected --body TEXT or --body @FILE",
            ));
        }
        refuse_second(&headers, "--content-type", content_type)?;
    }
    if args.requests.json_body.is_some() {
        refuse_second(&headers, "--json-body", JSON)?;
    }
    // The only request of a connection says so (RFC 9112, 9.6), unless the caller has said something else.
    let alone = args.connections.requests_per_connection() == Some(1);
    if alone && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("connection")) {
        headers.push(("Connection".to_owned(), Template(vec![velo_load::Part::Bytes(b"close".to_vec())])));
    }
    Ok(headers)
}

/// `VALUE`, or `@FILE` for a file's content without the line's end, which an editor puts there.
pub(crate) fn header_value(text: &str, folder: &Path, values: &Values) -> Result<Template, Problem> {
    let mut value = files::text_or_file(text, folder)?;
    if text.starts_with('@') {
        let kept = value.trim_ascii_end().len();
        value.truncate(kept);
    }
    template::parse(&value, values)
}

fn refuse_second(headers: &[(String, Template)], flag: &str, content_type: &str) -> anyhow::Result<()> {
    if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        return Err(usage(format!(
            "{flag} and --header both give Content-Type\n  expected one; {flag} sends {content_type}"
        )));
    }
    Ok(())
}

/// The header.
pub(crate) fn content_type(value: &str) -> (String, Template) {
    ("Content-Type".to_owned(), Template(vec![velo_load::Part::Bytes(value.as_bytes().to_vec())]))
}

/// The request that URL, `-m` and `--body` make.
fn single(shared: &Shared, flags: &RequestFlags) -> anyhow::Result<Draft> {
    let here = Path::new("");
    let values = shared.values;
    let mut headers = shared.headers.clone();
    let body = match (&flags.body, &flags.json_body) {
        (Some(text), _) => {
            headers.extend(flags.content_type.as_deref().map(content_type));
            let body = files::text_or_file(text, here).and_then(|body| template::parse(&body, values));
            Some(body.map_err(|problem| problem.at("--body"))?)
        }
        (None, Some(text)) => {
            headers.push(content_type(JSON));
            let body = files::text_or_file(text, here).and_then(|body| template::parse(&body, values));
            let body = body.and_then(|body| must_be_json(&body, values).map(|()| body));
            Some(body.map_err(|problem| problem.at("--json-body"))?)
        }
        (None, None) => None,
    };
    let usual = if body.is_some() { "POST" } else { "GET" };
    let method = flags.method.clone().unwrap_or_else(|| usual.to_owned());
    let path =
        template::parse(shared.url.path.as_bytes(), values).map_err(|problem| problem.at("the URL"))?;
    let name = name(&method, &path, values);
    Ok(Draft { name, weight: 1, method, path, headers, body, expect: shared.expectation.clone() })
}

/// The requests of `--request`.
fn several(shared: &Shared, flags: &RequestFlags) -> anyhow::Result<Vec<Draft>> {
    no_path(shared.url, "--request")?;
    let mut drafts: Vec<Draft> = Vec::new();
    for text in &flags.request {
        let draft = one_of_several(text, shared, flags.content_type.as_deref())
            .map_err(|problem| problem.at("--request"))?;
        drafts.push(draft);
    }
    if flags.content_type.is_some() && drafts.iter().all(|draft| draft.body.is_none()) {
        return Err(usage("--content-type does nothing: no request has a body"));
    }
    Ok(drafts)
}

/// `[WEIGHT*]METHOD PATH [BODY|@FILE]`.
fn one_of_several(text: &str, shared: &Shared, media_type: Option<&str>) -> Result<Draft, Problem> {
    let expected = "expected [WEIGHT*]METHOD PATH [BODY], as in 'GET /' or '9*POST /user {\"a\": 1}'; \
                    the method of the URL's own request (curl: --request) is -m";
    let (first, rest) = text.trim_start().split_once(' ').ok_or_else(|| {
        Problem::new(format!("`{}` is no request", files::excerpt(text.as_bytes())), expected)
    })?;
    let (weight, method) = match first.split_once('*') {
        Some((weight, method)) => {
            let weight = weight.parse().ok().filter(|weight| (1..=1_000_000).contains(weight));
            (weight.ok_or_else(|| Problem::new("expected a weight from 1 to 1,000,000", expected))?, method)
        }
        None => (1, first),
    };
    let rest = rest.trim_start();
    let (path, body) = rest.split_once(' ').map_or((rest, None), |(path, body)| (path, Some(body)));
    let values = shared.values;
    let path = template::parse(path.as_bytes(), values)?;
    let body = match body {
        Some(body) => Some(template::parse(&files::text_or_file(body, Path::new(""))?, values)?),
        None => None,
    };
    let mut headers = shared.headers.clone();
    if body.is_some() {
        headers.extend(media_type.map(content_type));
    }
    let name = name(method, &path, values);
    Ok(Draft {
        name,
        weight,
        method: method.to_owned(),
        path,
        headers,
        body,
        expect: shared.expectation.clone(),
    })
}

/// A request's name when nobody has given one.
pub(crate) fn name(method: &str, path: &Template, values: &Values) -> String {
    format!("{method} {}", template::written(path, values))
}

/// JSON once its slots are filled in with a value each.
pub(crate) fn must_be_json(body: &Template, values: &Values) -> Result<(), Problem> {
    let filled = template::render(body, values, |slot| values.slot(slot).map_or(0, sample));
    parse_json(&filled).map(drop).map_err(|reason| {
        Problem::new(
            format!("`{}` is not JSON: {reason}", files::excerpt(&filled)),
            "expected JSON; a body of another kind is --body with -T TYPE",
        )
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

/// A value that no request holds is a slip, but for the columns of a table, of which one is enough.
fn all_used(values: &Values, drafts: &[Draft], flags: &RequestFlags) -> anyhow::Result<()> {
    let used = |name: &str| {
        let index = values.names().iter().position(|declared| declared == name);
        index.is_some_and(|index| drafts.iter().any(|draft| draft.slots().contains(&index)))
    };
    let is_cell = |name: &String| {
        let index = values.names().iter().position(|declared| declared == name);
        index
            .and_then(|index| values.slot(index))
            .is_some_and(|slot| matches!(slot, velo_load::Slot::Cell { .. }))
    };
    if let Some(unused) = values.names().iter().filter(|name| !is_cell(name)).find(|name| !used(name)) {
        return Err(usage(format!(
            "the value `{unused}` stands in no request\n  expected {{{unused}}} in a path, a header or a body"
        )));
    }
    let columns: Vec<&str> = values.names().iter().filter(|name| is_cell(name)).map(String::as_str).collect();
    if let (Some(path), false) = (&flags.csv_values, columns.iter().any(|name| used(name))) {
        return Err(usage(format!(
            "--csv-values {}: none of its columns stands in a request\n  expected one of: {}",
            path.display(),
            columns.join(", ")
        )));
    }
    Ok(())
}

fn finish(asked: Drafts, host: &str) -> anyhow::Result<Asked> {
    let Drafts { requests: drafts, values, in_order } = asked;
    let mut hash = Sha256::new();
    hash.update([u8::from(in_order)]);
    for draft in &drafts {
        draft.hash_into(&mut hash, &values);
    }
    let words = match drafts.as_slice() {
        [one] => one.name.clone(),
        several => format!("{} requests", several.len()),
    };
    let mut specs: Vec<RequestSpec> = Vec::new();
    let mut checked = Vec::new();
    for draft in drafts {
        let name = draft.name.clone();
        let (spec, check) =
            draft.finish(&values).map_err(|problem| problem.at(&format!("request `{name}`")))?;
        specs.push(spec);
        checked.push(check);
    }
    let checks_bodies =
        specs.iter().all(|spec| spec.method == "HEAD" || !matches!(spec.expect.body, BodyExpect::Any));
    let order = if in_order { Order::InOrder } else { Order::Weighted };
    let mix = Mix::new(specs, order, host).map_err(|error| usage(error.to_string()))?;
    Ok(Asked {
        mix: Arc::new(mix),
        checker: Arc::new(Checker::new(Arc::new(values), checked)),
        words,
        hash: hex(&hash.finalize()),
        checks_bodies,
    })
}

/// Counts are kept by name, so that two of one name would not be told apart.
fn number_same_names(drafts: &mut [Draft]) {
    for index in 1..drafts.len() {
        let same = drafts[..index].iter().filter(|earlier| {
            earlier.name == drafts[index].name
                || earlier.name.starts_with(&format!("{} (", drafts[index].name))
        });
        let same = same.count();
        if same > 0 {
            drafts[index].name = format!("{} ({})", drafts[index].name, same + 1);
        }
    }
}
