//! Several requests from a TOML file: wire types first, then checks, as for workloads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use velo_load::Template;
use velo_spec::SpecError;
use velo_spec::read::SourceFile;

use super::draft::Draft;
use super::expect::{self, BodyCheck, Expectation};
use super::json_shape::Placeholders;
use super::mix::{self, Shared};
use super::problem::Problem;
use super::value::{self, Values};
use super::{files, header, template};

/// A file, read but not yet checked against values.
pub(crate) struct Requests {
    source: SourceFile,
    /// Where `@FILE` is looked for.
    folder: PathBuf,
    wire: Wire,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default)]
    in_order: bool,
    #[serde(default)]
    values: BTreeMap<Spanned<String>, Spanned<String>>,
    request: Spanned<Vec<WireRequest>>,
}

/// `[[request]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRequest {
    name: Option<Spanned<String>>,
    weight: Option<Spanned<u64>>,
    method: Option<Spanned<String>>,
    path: Spanned<String>,
    #[serde(default)]
    headers: BTreeMap<Spanned<String>, Spanned<String>>,
    body: Option<Spanned<String>>,
    json: Option<Spanned<String>>,
    #[serde(default)]
    expect: WireExpect,
}

/// `expect`: the keys are the flags without `--expect-`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireExpect {
    status: Option<Spanned<Status>>,
    #[serde(rename = "type")]
    media_type: Option<Spanned<String>>,
    #[serde(default)]
    headers: BTreeMap<Spanned<String>, Spanned<String>>,
    body: Option<Spanned<String>>,
    empty: Option<Spanned<bool>>,
    same: Option<Spanned<bool>>,
    length: Option<Spanned<Length>>,
    regex: Option<Spanned<String>>,
    sha256: Option<Spanned<String>>,
    json: Option<Spanned<String>>,
    json_slots: Option<Spanned<String>>,
}

/// `200`, or a text as behind the flag.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a status, as in 200, or a text, as in \"200,3xx\"")]
enum Status {
    Code(u16),
    Text(String),
}

/// `13`, or a text as behind the flag.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected bytes, as in 13, or a text, as in \"10..2000\"")]
enum Length {
    Bytes(usize),
    Text(String),
}

/// Reads a file; its values and requests are checked later.
///
/// # Errors
/// When it cannot be read, or is not TOML of the right keys.
pub(crate) fn read(path: &Path) -> Result<Requests, SpecError> {
    let source = SourceFile::read(path)?;
    let wire = source.parse()?;
    Ok(Requests { source, wire, folder: path.parent().unwrap_or(Path::new("")).to_owned() })
}

impl Requests {
    /// Whether the requests go one after the other.
    pub(crate) fn in_order(&self) -> bool {
        self.wire.in_order
    }

    /// Adds the file's values.
    ///
    /// # Errors
    /// When one is not a value, or declared already.
    pub(crate) fn declare(&self, values: &mut Values) -> Result<(), SpecError> {
        for (name, text) in &self.wire.values {
            if !value::is_name(name.get_ref()) {
                let problem = format!("`{}` is no name", name.get_ref());
                return Err(self.source.wrong(name.span(), "values", problem, value::NAME_EXPECTED));
            }
            let slot =
                value::slot(text.get_ref()).map_err(|expected| self.expected(text, "values", expected))?;
            values
                .declare(name.get_ref().clone(), slot)
                .map_err(|problem| self.at(name, "values", problem))?;
        }
        Ok(())
    }

    /// The requests. What the file leaves open is as the flags say.
    ///
    /// # Errors
    /// When one cannot be sent, or expects what cannot be.
    pub(crate) fn drafts(
        &self,
        shared: &Shared,
        content_type: Option<&str>,
    ) -> Result<Vec<Draft>, SpecError> {
        let requests = self.wire.request.get_ref();
        if requests.is_empty() {
            let span = self.wire.request.span();
            return Err(self.source.wrong(
                span,
                "request",
                "it has no request",
                "expected at least one [[request]]",
            ));
        }
        let mut drafts: Vec<Draft> = Vec::new();
        for wire in requests {
            let draft = self.draft(wire, shared, content_type)?;
            if let Some(name) =
                wire.name.as_ref().filter(|_| drafts.iter().any(|other| other.name == draft.name))
            {
                let problem = Problem::new(
                    format!("two requests are called `{}`", draft.name),
                    "expected each name once",
                );
                return Err(self.at(name, "request.name", problem));
            }
            // What is wrong with a request as a whole is told with its place too.
            draft
                .clone()
                .finish(shared.values)
                .map_err(|problem| self.at(&wire.path, "request.path", problem))?;
            drafts.push(draft);
        }
        Ok(drafts)
    }

    fn draft(
        &self,
        wire: &WireRequest,
        shared: &Shared,
        content_type: Option<&str>,
    ) -> Result<Draft, SpecError> {
        let values = shared.values;
        let path = template::parse(wire.path.get_ref().as_bytes(), values)
            .map_err(|problem| self.at(&wire.path, "request.path", problem))?;
        let weight = match &wire.weight {
            None => 1,
            Some(weight) => {
                let number =
                    u32::try_from(*weight.get_ref()).ok().filter(|number| (1..=1_000_000).contains(number));
                number.ok_or_else(|| {
                    self.expected(weight, "request.weight", "expected 1 to 1,000,000".to_owned())
                })?
            }
        };
        let (body, is_json) = self.body(wire, values)?;
        let method = wire
            .method
            .as_ref()
            .map_or(if body.is_some() { "POST" } else { "GET" }, |method| method.get_ref());
        let name = match &wire.name {
            Some(name) => self.line(name)?,
            None => mix::name(method, &path, values),
        };
        Ok(Draft {
            name,
            weight,
            method: method.to_owned(),
            path,
            headers: self.headers(
                wire,
                shared,
                body.is_some(),
                if is_json { Some(mix::JSON) } else { content_type },
            )?,
            body,
            expect: self.expectation(&wire.expect, shared)?,
        })
    }

    fn body(&self, wire: &WireRequest, values: &Values) -> Result<(Option<Template>, bool), SpecError> {
        let (text, key) = match (&wire.body, &wire.json) {
            (None, None) => return Ok((None, false)),
            (Some(text), None) => (text, "request.body"),
            (None, Some(text)) => (text, "request.json"),
            (Some(_), Some(text)) => {
                let problem = Problem::new("`json` is given beside `body`", "expected one of the two");
                return Err(self.at(text, "request.json", problem));
            }
        };
        let is_json = wire.json.is_some();
        let body = files::text_or_file(text.get_ref(), &self.folder)
            .and_then(|body| template::parse(&body, values))
            .and_then(
                |body| if is_json { mix::must_be_json(&body, values).map(|()| body) } else { Ok(body) },
            );
        Ok((Some(body.map_err(|problem| self.at(text, key, problem))?), is_json))
    }

    /// Those of the flags, then the request's own, which replace those of the same name.
    fn headers(
        &self,
        wire: &WireRequest,
        shared: &Shared,
        has_body: bool,
        content_type: Option<&str>,
    ) -> Result<Vec<(String, Template)>, SpecError> {
        let own = |name: &str| wire.headers.keys().any(|own| own.get_ref().eq_ignore_ascii_case(name));
        let mut headers: Vec<(String, Template)> =
            shared.headers.iter().filter(|(name, _)| !own(name)).cloned().collect();
        for (name, text) in &wire.headers {
            let value = mix::header_value(text.get_ref(), &self.folder, shared.values)
                .map_err(|problem| self.at(text, "request.headers", problem))?;
            headers.push((name.get_ref().clone(), value));
        }
        let typed = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if let Some(content_type) = content_type.filter(|_| has_body && !typed) {
            headers.push(mix::content_type(content_type));
        }
        Ok(headers)
    }

    fn expectation(&self, wire: &WireExpect, shared: &Shared) -> Result<Expectation, SpecError> {
        let default = &shared.expectation;
        let status = match &wire.status {
            None => default.status,
            Some(status) => {
                let text = match status.get_ref() {
                    Status::Code(code) => code.to_string(),
                    Status::Text(text) => text.clone(),
                };
                expect::statuses(&text)
                    .map_err(|expected| self.expected(status, "expect.status", expected))?
            }
        };
        let content_type = match &wire.media_type {
            None => default.content_type.clone(),
            Some(text) => {
                let media_type = header::media_type(text.get_ref());
                Some(media_type.map_err(|expected| self.expected(text, "expect.type", expected))?)
            }
        };
        let mut headers = default.headers.clone();
        for (name, text) in &wire.headers {
            let written = format!("{}: {}", name.get_ref(), text.get_ref());
            let expected = header::expected(&written);
            headers.push(expected.map_err(|problem| self.at(text, "expect.headers", problem))?);
        }
        let body = match self.expected_body(wire, shared.values)? {
            Some(body) => body,
            None => default.body.clone(),
        };
        Ok(Expectation { status, content_type, headers, body })
    }

    /// What the file says of the body, if anything.
    fn expected_body(&self, wire: &WireExpect, values: &Values) -> Result<Option<BodyCheck>, SpecError> {
        let mut found: Option<BodyCheck> = None;
        let mut take = |place: std::ops::Range<usize>, body: BodyCheck| match found.replace(body) {
            None => Ok(()),
            Some(_) => Err(self.source.wrong(
                place,
                "expect",
                "two expectations of the body",
                "expected one of body, empty, same, length, regex, sha256, json and json_slots",
            )),
        };
        for (text, key, read) in self.texts_of_body(wire) {
            let Some(text) = text else { continue };
            let body =
                read(text.get_ref(), &self.folder, values).map_err(|problem| self.at(text, key, problem))?;
            take(text.span(), body)?;
        }
        for (flag, body) in [(&wire.empty, BodyCheck::Empty), (&wire.same, BodyCheck::Same)] {
            let Some(flag) = flag else { continue };
            if !*flag.get_ref() {
                let problem = Problem::new("`false` says nothing", "expected `true`, or the key left out");
                return Err(self.at(flag, "expect", problem));
            }
            take(flag.span(), body)?;
        }
        if let Some(length) = &wire.length {
            let (min, max) = match length.get_ref() {
                Length::Bytes(bytes) => (*bytes, *bytes),
                Length::Text(text) => expect::length(text)
                    .map_err(|expected| self.expected(length, "expect.length", expected))?,
            };
            take(length.span(), BodyCheck::Length(min, max))?;
        }
        Ok(found)
    }

    fn texts_of_body<'a>(
        &self,
        wire: &'a WireExpect,
    ) -> [(&'a Option<Spanned<String>>, &'static str, ReadBody); 5] {
        [
            (&wire.body, "expect.body", |text, folder, values| {
                expect::exact(text, folder, values).map(BodyCheck::Exact)
            }),
            (&wire.regex, "expect.regex", |text, _, _| {
                expect::regex(text)
                    .map(BodyCheck::Regex)
                    .map_err(|what| Problem::new(what, "expected a regular expression"))
            }),
            (&wire.sha256, "expect.sha256", |text, _, _| {
                expect::sha256(text).map(BodyCheck::Sha256).map_err(|expected| {
                    Problem::new(format!("`{}` is no SHA-256", files::excerpt(text.as_bytes())), expected)
                })
            }),
            (&wire.json, "expect.json", |text, folder, values| {
                expect::json(text, folder, values, Placeholders::No).map(BodyCheck::Json)
            }),
            (&wire.json_slots, "expect.json_slots", |text, folder, values| {
                expect::json(text, folder, values, Placeholders::Yes).map(BodyCheck::Json)
            }),
        ]
    }

    fn line(&self, text: &Spanned<String>) -> Result<String, SpecError> {
        let name = text.get_ref();
        if name.trim().is_empty() || name.len() > 200 || name.chars().any(char::is_control) {
            return Err(self.expected(
                text,
                "request.name",
                "expected one line of at most 200 bytes".to_owned(),
            ));
        }
        Ok(name.clone())
    }

    fn at<T>(&self, value: &Spanned<T>, key: &str, problem: Problem) -> SpecError {
        self.source.wrong(value.span(), key, problem.what, problem.cure)
    }

    fn expected<T>(&self, value: &Spanned<T>, key: &str, expected: String) -> SpecError {
        self.source.wrong(value.span(), key, format!("`{key}` will not do"), expected)
    }
}

type ReadBody = fn(&str, &Path, &Values) -> Result<BodyCheck, Problem>;
