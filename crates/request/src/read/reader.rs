//! Values are declared, then requests are read with them.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use velo_model::{CsvTable, Header, Request, Slot, SlotKind, TextTemplate};

use super::check;
use super::context::Context;
use super::expect;
use super::origin::Origin;
use super::wire::{WireCsv, WireExpect, WireMap, WireRequest, WireValue};
use crate::csv_values;
use crate::error::SpecError;
use crate::header::is_value;
use crate::json::parse as parse_json;
use crate::problem::Problem;
use crate::template::parse as parse_template;
use crate::text::{Folder, excerpt};
use crate::value::{self, NAME_EXPECTED, Tables, sample, text_of};

const JSON: &str = "application/json";
const MOST_WEIGHT: u32 = 1_000_000;

/// Reads requests that share values.
pub struct Reader<'a> {
    /// Where what is read now comes from.
    pub origin: Origin<'a>,
    /// Where its files lie.
    pub folder: Folder,
    /// What requests have that do not say otherwise.
    pub defaults: Defaults,
    /// The keys of data files: file and name, with their places.
    pub keys: BTreeMap<(String, String), (usize, usize)>,
    /// The least weight of a request; 0 where one may be sent in bursts only.
    pub least_weight: u32,
    slots: Vec<Slot>,
    /// Where each is declared.
    places: Vec<(Range<usize>, &'static str)>,
    csv: Vec<CsvTable>,
    tables: Tables,
}

/// What requests have that do not say otherwise.
#[derive(Debug, Clone, Default)]
pub struct Defaults {
    /// Headers; a request's own replace those of the same name.
    pub headers: Vec<(String, String)>,
    /// The media type of bodies.
    pub content_type: Option<Spanned<String>>,
    /// The answer.
    pub expect: WireExpect,
}

impl<'a> Reader<'a> {
    /// One that knows no value.
    pub fn new(origin: Origin<'a>, folder: Folder) -> Self {
        Self {
            origin,
            folder,
            defaults: Defaults::default(),
            keys: BTreeMap::new(),
            least_weight: 1,
            slots: Vec::new(),
            places: Vec::new(),
            csv: Vec::new(),
            tables: Tables::default(),
        }
    }

    /// Declares a value for all requests.
    ///
    /// # Errors
    /// When the name is declared already.
    pub fn declare(
        &mut self,
        name: &Spanned<String>,
        kind: SlotKind,
        key: &'static str,
    ) -> Result<(), SpecError> {
        add(&mut self.slots, name.get_ref(), kind)
            .map_err(|problem| self.origin.wrong(name.span(), key, problem))?;
        self.places.push((name.span(), key));
        Ok(())
    }

    /// Declares `[values]`.
    ///
    /// # Errors
    /// When one is not a value, or declared already.
    pub fn values(&mut self, values: &WireMap<WireValue>) -> Result<(), SpecError> {
        for (name, wire) in values {
            self.declare(name, self.kind(name, wire, "values")?, "values")?;
        }
        Ok(())
    }

    /// Declares the columns of CSV files.
    ///
    /// # Errors
    /// When a file is no table, or a column's name is declared already.
    pub fn csv(&mut self, files: &[WireCsv]) -> Result<(), SpecError> {
        for wire in files {
            let file = wire.file.get_ref();
            let table = self
                .folder
                .read(file)
                .and_then(|bytes| csv_values::read(&bytes, file, wire.random))
                .map_err(|mut problem| {
                    problem.what = format!("{file}: {}", problem.what);
                    self.origin.wrong(wire.file.span(), "csv", problem)
                })?;
            for (column, name) in table.columns.iter().enumerate().filter(|(_, name)| value::is_name(name)) {
                let kind = SlotKind::Cell { table: self.csv.len(), column };
                self.declare(&Spanned::new(wire.file.span(), name.clone()), kind, "csv")?;
            }
            self.tables.csv.extend(table.cells.clone());
            self.csv.push(table);
        }
        Ok(())
    }

    /// The tables that were declared.
    pub fn into_csv(self) -> Vec<CsvTable> {
        self.csv
    }

    /// Reads requests that go together.
    ///
    /// # Errors
    /// When one cannot be sent or expects what cannot be, when two have the same name, or when a value is in none.
    pub fn requests(&self, wire: &Spanned<Vec<WireRequest>>) -> Result<Vec<Request>, SpecError> {
        if wire.get_ref().is_empty() {
            let problem = Problem::new("it has no request", "expected at least one [[request]]");
            return Err(self.origin.wrong(wire.span(), "request", problem));
        }
        let mut requests: Vec<Request> = Vec::new();
        for one in wire.get_ref() {
            let mut request = self.request(one, "request")?;
            let same = |name: &str| requests.iter().any(|other| other.name == name);
            if let Some(name) = one.name.as_ref().filter(|name| same(name.get_ref())) {
                let problem = format!("two requests are called `{}`", name.get_ref());
                let problem = Problem::new(problem, "expected each name once");
                return Err(self.origin.wrong(name.span(), "request.name", problem));
            }
            // Counts are kept by name, so that two of one name would not be told apart.
            let name = std::mem::take(&mut request.name);
            let numbered = (2..).map(|number| format!("{name} ({number})"));
            request.name =
                std::iter::once(name.clone()).chain(numbered).find(|name| !same(name)).unwrap_or(name);
            requests.push(request);
        }
        self.all_used(&requests)?;
        Ok(requests)
    }

    /// Reads one request; `key` is the table that it stands in.
    ///
    /// # Errors
    /// When it cannot be sent, or expects what cannot be.
    pub fn request(&self, wire: &WireRequest, key: &str) -> Result<Request, SpecError> {
        let origin = self.origin;
        let within = |name: &str| format!("{key}.{name}");
        let mut slots = self.slots.clone();
        for (name, value) in &wire.values {
            let kind = self.kind(name, value, &within("values"))?;
            add(&mut slots, name.get_ref(), kind)
                .map_err(|problem| origin.wrong(name.span(), &within("values"), problem))?;
        }
        let context = Context { origin, folder: &self.folder, slots: &slots, tables: &self.tables };
        let at =
            |text: &Spanned<String>, name: &str, problem| origin.wrong(text.span(), &within(name), problem);
        // A path is never the content of a file.
        let path = parse_template(wire.path.get_ref().as_bytes(), &context.names())
            .map_err(|problem| at(&wire.path, "path", problem))?;
        let (body, body_key) = match (&wire.body, &wire.json) {
            (Some(_), Some(json)) => {
                let problem = Problem::new("`json` is given beside `body`", "expected one of the two");
                return Err(at(json, "json", problem));
            }
            (Some(body), None) => (Some(body), "body"),
            (None, json) => (json.as_ref(), "json"),
        };
        let template = body.map(|text| {
            let body = context.template(text.get_ref()).and_then(|body| match &wire.json {
                Some(_) => must_be_json(body, &context),
                None => Ok(body),
            });
            body.map_err(|problem| at(text, body_key, problem))
        });
        let body = template.transpose()?;
        let usual = if body.is_some() { "POST" } else { "GET" };
        let method = wire.method.as_ref().map_or(usual, |method| method.get_ref());
        let place = wire.method.as_ref().unwrap_or(&wire.path);
        check::method(method).map_err(|problem| at(place, "method", problem))?;
        let name = match &wire.name {
            Some(name) => line(name).ok_or_else(|| {
                origin.refused(name, &within("name"), "expected one line of at most 200 bytes")
            })?,
            None => format!("{method} {}", path.written(&context.names())),
        };
        let expect = wire.expect.or(&self.defaults.expect);
        let request = Request {
            name,
            weight: self.weight(wire, &within("weight"))?,
            method: method.to_owned(),
            path,
            headers: self.headers(wire, &context, body.is_some(), key)?,
            body,
            slots: Vec::new(),
            expect: expect::read(&context, &expect, &within("expect"))?,
        };
        // What is wrong with a request as a whole is told with its place too.
        let request = check::settle(request, &context).map_err(|problem| at(&wire.path, "path", problem))?;
        let is_used = |name: &Spanned<String>| request.slots.iter().any(|slot| slot.name == *name.get_ref());
        match wire.values.keys().find(|name| !is_used(name)) {
            Some(unused) => Err(origin.wrong(unused.span(), &within("values"), nowhere(unused.get_ref()))),
            None => Ok(request),
        }
    }

    fn weight(&self, wire: &WireRequest, key: &str) -> Result<u32, SpecError> {
        let Some(weight) = &wire.weight else { return Ok(1) };
        let number = u32::try_from(*weight.get_ref()).ok();
        let expected = || format!("expected {} to 1,000,000", self.least_weight);
        number
            .filter(|number| (self.least_weight..=MOST_WEIGHT).contains(number))
            .ok_or_else(|| self.origin.refused(weight, key, expected()))
    }

    /// Those of all requests, then the request's own, which replace those of the same name, then the body's type.
    fn headers(
        &self,
        wire: &WireRequest,
        context: &Context,
        has_body: bool,
        key: &str,
    ) -> Result<Vec<Header>, SpecError> {
        let own = |name: &str| wire.headers.keys().any(|own| own.get_ref().eq_ignore_ascii_case(name));
        let shared = self.defaults.headers.iter().filter(|(name, _)| !own(name));
        let shared = shared.map(|(name, text)| (name, text, 0..0));
        let own = wire.headers.iter().map(|(name, text)| (name.get_ref(), text.get_ref(), text.span()));
        let mut headers = Vec::new();
        for (name, text, at) in shared.chain(own) {
            let wrong = |problem| self.origin.wrong(at.clone(), &format!("{key}.headers"), problem);
            let value = self
                .folder
                .text(text)
                .map(|mut value| {
                    // An editor puts an end of line there.
                    if text.starts_with('@') {
                        value.truncate(value.trim_ascii_end().len());
                    }
                    value
                })
                .and_then(|value| parse_template(&value, &context.names()))
                .and_then(|value| check::header(name, &value, context).map(|()| value))
                .map_err(wrong)?;
            let is_host = |name: &str| name.eq_ignore_ascii_case("host");
            if is_host(name) && headers.iter().any(|other: &Header| is_host(&other.name)) {
                return Err(wrong(Problem::new(
                    "two headers `Host`",
                    "expected one: a server must refuse a request with two (RFC 9112, 3.2)",
                )));
            }
            headers.push(Header { name: name.clone(), value });
        }
        let key = format!("{key}.content_type");
        if let Some(own) = &wire.content_type {
            let text = own.get_ref();
            if !has_body || wire.json.is_some() {
                let problem = Problem::new(
                    format!("`{key}` is given {}", if has_body { "beside `json`" } else { "without a body" }),
                    "expected `body` beside it; `body = \"\"` is an empty one",
                );
                return Err(self.origin.wrong(own.span(), &key, problem));
            }
            if !text.contains('/') || !is_value(text.as_bytes()) {
                return Err(self.origin.refused(own, &key, "expected a media type, as in application/json"));
            }
        }
        let typed = headers.iter().any(|header| header.name.eq_ignore_ascii_case("content-type"));
        let usual = wire.content_type.as_ref().or(self.defaults.content_type.as_ref());
        let content_type =
            if wire.json.is_some() { Some(JSON) } else { usual.map(|text| text.get_ref().as_str()) };
        match content_type.filter(|_| has_body) {
            Some(_) if typed && wire.content_type.is_some() => {
                let at = wire.content_type.as_ref().map_or(0..0, Spanned::span);
                let problem = Problem::new("Content-Type is also among `headers`", "expected one of the two");
                return Err(self.origin.wrong(at, &key, problem));
            }
            Some(text) if !typed => headers.push(Header::fixed("Content-Type", text)),
            _ => {}
        }
        Ok(headers)
    }

    fn kind(
        &self,
        name: &Spanned<String>,
        wire: &Spanned<WireValue>,
        key: &str,
    ) -> Result<SlotKind, SpecError> {
        if !value::is_name(name.get_ref()) {
            let problem = Problem::new(format!("`{}` is no name", name.get_ref()), NAME_EXPECTED);
            return Err(self.origin.wrong(name.span(), key, problem));
        }
        match wire.get_ref() {
            WireValue::Text(text) => {
                value::kind(text).map_err(|expected| self.origin.refused(wire, key, expected))
            }
            WireValue::Data(data) => {
                let found = self.keys.get(&(data.file.clone(), data.value.clone()));
                found.map(|&(file, slot)| SlotKind::Data { file, slot }).ok_or_else(|| {
                    let problem = Problem::new(
                        format!("`{}` of the file `{}` is no key of a data file", data.value, data.file),
                        "expected a `[[data]]` with that `file`, and a value of it that is \"key\"",
                    );
                    self.origin.wrong(wire.span(), key, problem)
                })
            }
        }
    }

    /// A value that no request holds is a slip, but for the columns of a table, of which one is enough.
    fn all_used(&self, requests: &[Request]) -> Result<(), SpecError> {
        let is_used = |slot: &Slot| requests.iter().any(|request| request.slots.contains(slot));
        let table =
            |slot: &Slot| if let SlotKind::Cell { table, .. } = slot.kind { Some(table) } else { None };
        for (slot, (at, key)) in self.slots.iter().zip(&self.places) {
            let of_table = |other: &&Slot| table(slot).is_some() && table(other) == table(slot);
            if is_used(slot) || self.slots.iter().filter(of_table).any(is_used) {
                continue;
            }
            let problem = match table(slot).and_then(|table| self.csv.get(table)) {
                None => nowhere(&slot.name),
                Some(table) => Problem::new(
                    format!("{}: none of its columns stands in a request", table.file),
                    format!("expected one of: {}", table.columns.join(", ")),
                ),
            };
            return Err(self.origin.wrong(at.clone(), key, problem));
        }
        Ok(())
    }
}

fn nowhere(name: &str) -> Problem {
    Problem::new(
        format!("the value `{name}` stands in no request"),
        format!("expected {{{name}}} in a path, a header or a body"),
    )
}

fn add(slots: &mut Vec<Slot>, name: &str, kind: SlotKind) -> Result<(), Problem> {
    if slots.iter().any(|slot| slot.name == name) {
        return Err(Problem::new(
            format!("the value `{name}` is declared twice"),
            "expected each name once: values of all requests, columns of CSV files and a request's own",
        ));
    }
    slots.push(Slot { name: name.to_owned(), kind });
    Ok(())
}

fn line(text: &Spanned<String>) -> Option<String> {
    let name = text.get_ref();
    let fits = !name.trim().is_empty() && name.len() <= 200 && !name.chars().any(char::is_control);
    fits.then(|| name.clone())
}

/// JSON once its slots are filled in with a value each.
fn must_be_json(body: TextTemplate, context: &Context) -> Result<TextTemplate, Problem> {
    let sample = |slot: &Slot| {
        let kind = context.tables.slot(&slot.kind);
        text_of(&kind, sample(&kind)).unwrap_or_default().into_owned()
    };
    let filled = body.render(&context.slots.iter().map(sample).collect::<Vec<_>>());
    match parse_json(&filled) {
        Ok(_) => Ok(body),
        Err(reason) => Err(Problem::new(
            format!("`{}` is not JSON: {reason}", excerpt(&filled)),
            "expected JSON; a body of another kind is `body` with its content type",
        )),
    }
}
