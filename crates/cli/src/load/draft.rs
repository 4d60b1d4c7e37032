//! A request as it was asked for, checked and turned into what the engine takes.

use sha2::{Digest as _, Sha256};
use velo_load::{BodyExpect, Expect, Part, RequestSpec, Slot, Template};

use super::checker::Checked;
use super::expect::{BodyCheck, Expectation};
use super::files::excerpt;
use super::header::{is_token, is_value};
use super::problem::Problem;
use super::url::{encoded, unfit_for_path};
use super::value::{self, Values};
use super::{template, url};

/// A request whose slots are indices among all values.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    /// Its name in the counts.
    pub(crate) name: String,
    /// Its share of the mix.
    pub(crate) weight: u32,
    /// The method.
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) path: Template,
    /// Headers beside `Host` and `Content-Length`.
    pub(crate) headers: Vec<(String, Template)>,
    /// The body.
    pub(crate) body: Option<Template>,
    /// The answer.
    pub(crate) expect: Expectation,
}

impl Draft {
    /// Checks it and numbers its slots anew, from 0. What the engine checks by itself is left to it.
    ///
    /// # Errors
    /// When the request cannot be sent as it is, or expects what it cannot get.
    pub(crate) fn finish(self, values: &Values) -> Result<(RequestSpec, Checked), Problem> {
        self.check_parts(values)?;
        let slots = self.slots();
        if let Some(foreign) = self.expect.slots().into_iter().find(|slot| !slots.contains(slot)) {
            let name = &values.names()[foreign];
            return Err(Problem::new(
                format!("its expectation holds {{{name}}}, which the request itself does not"),
                format!("expected {{{name}}} in path, header or body too"),
            ));
        }
        let own = |template: &Template| renumbered(template, &slots);
        let body = match &self.expect.body {
            BodyCheck::Any => BodyExpect::Any,
            BodyCheck::Empty => BodyExpect::Empty,
            BodyCheck::Exact(expected) => BodyExpect::Exact(own(expected)),
            BodyCheck::Same => BodyExpect::Same,
            BodyCheck::Length(min, max) => BodyExpect::Length { min: *min, max: *max },
            BodyCheck::Regex(_) | BodyCheck::Sha256(_) | BodyCheck::Json(_) => BodyExpect::Checked,
        };
        let spec = RequestSpec {
            path: own(&self.path),
            headers: self.headers.iter().map(|(name, value)| (name.clone(), own(value))).collect(),
            body: self.body.as_ref().map(own),
            // OK because templates hold indices of values only.
            slots: slots.iter().filter_map(|&slot| values.slot(slot)).cloned().collect(),
            expect: Expect {
                status: self.expect.status,
                content_type: self.expect.content_type,
                headers: self.expect.headers,
                body,
                not_before_ms: None,
            },
            name: self.name,
            weight: self.weight,
            method: self.method,
        };
        Ok((spec, Checked { slots, body: self.expect.body }))
    }

    /// The values that the request itself holds, each once.
    pub(crate) fn slots(&self) -> Vec<usize> {
        let headers = self.headers.iter().map(|(_, value)| value);
        let templates = [Some(&self.path), self.body.as_ref()].into_iter().flatten().chain(headers);
        let mut slots: Vec<usize> = templates.flat_map(template::slots).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    fn check_parts(&self, values: &Values) -> Result<(), Problem> {
        check_method(&self.method)?;
        check_path(&self.path, values)?;
        for (name, value) in &self.headers {
            check_header(name, value, values)?;
        }
        let is_head = self.method == "HEAD";
        if is_head && !matches!(self.expect.body, BodyCheck::Any | BodyCheck::Empty) {
            return Err(Problem::new("an answer to HEAD has no body", "expected no expectation of one"));
        }
        Ok(())
    }

    /// Adds everything that tells this request from another, each part with its length.
    pub(crate) fn hash_into(&self, hash: &mut Sha256, values: &Values) {
        let mut field = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        let written = |template: &Template| template::written(template, values);
        field(&self.weight.to_be_bytes());
        field(self.method.as_bytes());
        field(written(&self.path).as_bytes());
        for (name, value) in &self.headers {
            field(name.to_ascii_lowercase().as_bytes());
            field(written(value).as_bytes());
        }
        field(if self.body.is_some() { b"body" } else { b"none" });
        for part in self.body.iter().flat_map(|body| &body.0) {
            match part {
                Part::Bytes(bytes) => field(bytes),
                Part::Slot(slot) => field(&slot.to_be_bytes()),
            }
        }
        for slot in self.slots().into_iter().filter_map(|slot| values.slot(slot)) {
            match slot {
                Slot::Choice(choices) => choices.iter().for_each(|choice| field(choice)),
                Slot::Int { min, max } => field(format!("{min}..{max}").as_bytes()),
                Slot::Counter { first } => field(format!("counter:{first}").as_bytes()),
                Slot::Cell { table, column } => {
                    table.rows.iter().filter_map(|row| row.get(*column)).for_each(|cell| field(cell));
                }
            }
        }
        let expect = &self.expect;
        let statuses: Vec<u8> = (0..960).map(|code| u8::from(expect.status.contains(code))).collect();
        field(&statuses);
        field(expect.content_type.as_deref().unwrap_or_default().as_bytes());
        for header in &expect.headers {
            field(header.name.to_ascii_lowercase().as_bytes());
            field(header.value.as_deref().unwrap_or("*").as_bytes());
        }
        let (kind, content) = match &expect.body {
            BodyCheck::Any => ("any", Vec::new()),
            BodyCheck::Empty => ("empty", Vec::new()),
            BodyCheck::Same => ("same", Vec::new()),
            BodyCheck::Exact(body) => ("exact", written(body).into_bytes()),
            BodyCheck::Length(min, max) => ("length", format!("{min}..{max}").into_bytes()),
            BodyCheck::Regex(regex) => ("regex", regex.as_str().as_bytes().to_vec()),
            BodyCheck::Sha256(sum) => ("sha256", sum.to_vec()),
            BodyCheck::Json(shape) => ("json", shape.written.clone().into_bytes()),
        };
        field(kind.as_bytes());
        field(&content);
    }
}

impl Expectation {
    fn slots(&self) -> Vec<usize> {
        match &self.body {
            BodyCheck::Exact(body) => template::slots(body).collect(),
            BodyCheck::Json(shape) => shape.slots(),
            _ => Vec::new(),
        }
    }
}

fn check_method(method: &str) -> Result<(), Problem> {
    let expected = "expected a method, as in GET or POST";
    if method.bytes().all(|byte| byte.is_ascii_digit()) && !method.is_empty() {
        return Err(Problem::new(
            format!("`{}` is no method", excerpt(method.as_bytes())),
            format!("{expected}; requests in flight on a connection (h2load: -m) are --pipelining"),
        ));
    }
    if !is_token(method.as_bytes()) {
        return Err(Problem::new(format!("`{}` is no method", excerpt(method.as_bytes())), expected));
    }
    if method == "CONNECT" {
        return Err(Problem::new("CONNECT has no answer that could be checked", expected));
    }
    if method.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Err(Problem::new(
            format!("`{}` is in lower case, and methods are told by case", excerpt(method.as_bytes())),
            format!("did you mean {}?", excerpt(method.to_ascii_uppercase().as_bytes())),
        ));
    }
    Ok(())
}

fn check_path(path: &Template, values: &Values) -> Result<(), Problem> {
    if !matches!(path.0.first(), Some(Part::Bytes(bytes)) if bytes.starts_with(b"/")) {
        let written = template::written(path, values);
        return Err(Problem::new(
            format!("the path `{}` does not begin with `/`", excerpt(written.as_bytes())),
            "expected a path as in /user/1?full=yes",
        ));
    }
    for literal in template::literals(path) {
        if let Some(brace) = literal.iter().find(|byte| matches!(byte, b'{' | b'}')) {
            return Err(Problem::new(
                format!(
                    "the path `{}` has a brace that belongs to no value",
                    excerpt(template::written(path, values).as_bytes())
                ),
                format!(
                    "expected {{name}} of a value declared ({}), or %{brace:02X} for the brace itself",
                    values.listed()
                ),
            ));
        }
        if unfit_for_path(literal).is_some() {
            return Err(Problem::new(
                format!("the path has what a path cannot hold: `{}`", excerpt(literal)),
                format!("did you mean `{}`?", excerpt(encoded(literal).as_bytes())),
            ));
        }
    }
    for slot in template::slots(path) {
        let Some(kind) = values.slot(slot) else { continue };
        if let Some(text) = value::unfit(kind, |text| url::unfit_for_path(text).is_none()) {
            return Err(Problem::new(
                format!(
                    "{{{}}} stands in a path and may be `{}`, which a path cannot hold",
                    values.names()[slot],
                    excerpt(text)
                ),
                format!("expected it encoded: `{}`", excerpt(encoded(text).as_bytes())),
            ));
        }
    }
    Ok(())
}

fn check_header(name: &str, value: &Template, values: &Values) -> Result<(), Problem> {
    let control = || {
        Problem::new(format!("the value of `{name}` has a control character"), "expected text on one line")
    };
    if !template::literals(value).all(is_value) {
        return Err(control());
    }
    for slot in template::slots(value) {
        if values.slot(slot).and_then(|kind| value::unfit(kind, is_value)).is_some() {
            return Err(control());
        }
    }
    Ok(())
}

fn renumbered(template: &Template, slots: &[usize]) -> Template {
    let part = |part: &Part| match part {
        Part::Bytes(bytes) => Part::Bytes(bytes.clone()),
        // OK because `slots` holds every slot of the request, and those of the expectation are among them.
        Part::Slot(slot) => Part::Slot(slots.iter().position(|own| own == slot).unwrap_or_default()),
    };
    Template(template.0.iter().map(part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::expect::successes;

    fn values() -> Values {
        let mut values = Values::default();
        for (name, slot) in [
            ("unused", Slot::Counter { first: 1 }),
            ("id", Slot::Int { min: 1, max: 9 }),
            ("text", Slot::Choice(vec![b"a b".to_vec(), b"c\nd".to_vec()])),
        ] {
            values.declare(name.to_owned(), slot).expect("new");
        }
        values
    }

    fn draft(path: &str) -> Draft {
        Draft {
            name: "one".to_owned(),
            weight: 1,
            method: "GET".to_owned(),
            path: template::parse(path.as_bytes(), &values()).expect("a path"),
            headers: vec![],
            body: None,
            expect: Expectation {
                status: successes(),
                content_type: None,
                headers: vec![],
                body: BodyCheck::Any,
            },
        }
    }

    fn text(text: &str) -> Template {
        template::parse(text.as_bytes(), &values()).expect("a template")
    }

    fn refused(draft: Draft) -> String {
        let problem = draft.finish(&values()).map(|_| ()).expect_err("refused");
        format!("{}\n{}", problem.what, problem.cure)
    }

    #[test]
    fn slots_are_numbered_within_the_request() {
        let mut draft = draft("/user/{id}");
        draft.expect.body = BodyCheck::Exact(text("{id}"));
        let (spec, checked) = draft.finish(&values()).expect("a request");
        assert_eq!(spec.path, Template(vec![Part::Bytes(b"/user/".to_vec()), Part::Slot(0)]));
        assert_eq!(spec.slots, [Slot::Int { min: 1, max: 9 }]);
        assert!(matches!(spec.expect.body, BodyExpect::Exact(body) if body == Template(vec![Part::Slot(0)])));
        assert_eq!(checked.slots, [1]);
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        assert!(refused(draft("/a b")).contains("/a%20b"));
        assert!(refused(draft("/{nobody}")).contains("id"));
        assert!(refused(draft("/{text}")).contains("a%20b"));
        assert!(refused(draft("user")).contains("begin with `/`"));
        for (method, wanted) in [
            ("10", "--pipelining"),
            ("get", "GET"),
            ("G T", "no method"),
            ("", "no method"),
            ("CONNECT", "CONNECT"),
        ] {
            assert!(refused(Draft { method: method.to_owned(), ..draft("/") }).contains(wanted), "{method}");
        }
        for (name, value, wanted) in [("X", "a\r\nB: c", "control"), ("X", "{text}", "control")] {
            let headers = vec![(name.to_owned(), text(value))];
            assert!(refused(Draft { headers, ..draft("/") }).contains(wanted), "{name}: {value}");
        }
    }

    #[test]
    fn an_expectation_fits_its_request() {
        let mut foreign = draft("/");
        foreign.expect.body = BodyCheck::Exact(text("{id}"));
        assert!(refused(foreign).contains("{id}"));
        let mut head = Draft { method: "HEAD".to_owned(), ..draft("/") };
        head.expect.body = BodyCheck::Same;
        assert!(refused(head).contains("HEAD"));
    }

    #[test]
    fn the_hash_tells_requests_apart() {
        let hash = |draft: &Draft| {
            let mut hash = Sha256::new();
            draft.hash_into(&mut hash, &values());
            hash.finalize()
        };
        let plain = draft("/user/{id}");
        let mut others = vec![draft("/user/1"), Draft { weight: 2, ..plain.clone() }];
        others.push(Draft { body: Some(text("")), ..plain.clone() });
        others.push(Draft { headers: vec![("A".to_owned(), text("b"))], ..plain.clone() });
        let mut expecting = plain.clone();
        expecting.expect.body = BodyCheck::Empty;
        others.push(expecting);
        assert_eq!(hash(&plain), hash(&plain.clone()));
        assert_eq!(hash(&plain), hash(&Draft { name: "renamed".to_owned(), ..plain.clone() }));
        for other in &others {
            assert_ne!(hash(&plain), hash(other), "{other:?}");
        }
    }
}
