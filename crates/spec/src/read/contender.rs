use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

use super::checks;
use super::source::SourceFile;
use crate::{Class, Contender, ContenderName, SpecError, Toolchain, Version};

const READY_SECONDS: u32 = 20;

/// `contender.toml` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    class: Class,
    raw: Option<Spanned<String>>,
    workloads: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    toolchain: OneOrMany,
    #[serde(default)]
    debian: Vec<Spanned<String>>,
    fetch: Option<Spanned<String>>,
    build: Option<Spanned<String>>,
    start: Spanned<String>,
    version: Spanned<String>,
    ready_seconds: Option<Spanned<u64>>,
}

/// A contender and where its manifest names the raw one.
pub(super) struct Read {
    pub(super) contender: Contender,
    pub(super) file: SourceFile,
    pub(super) raw_at: Option<Range<usize>>,
}

/// Reads and checks a manifest.
pub(super) fn read(file: SourceFile, name: ContenderName, dir: &Path) -> Result<Read, SpecError> {
    let wire: Wire = file.parse()?;
    let raw_at = wire.raw.as_ref().map(Spanned::span);
    let raw = wire.raw.map(|raw| raw_of(&file, &raw, wire.class)).transpose()?;
    let workloads = workloads(&file, wire.workloads)?;
    let toolchain = wire.toolchain.0.iter().map(|text| toolchain(&file, text)).collect::<Result<_, _>>()?;
    let debian =
        wire.debian.into_iter().map(|package| debian_package(&file, package)).collect::<Result<_, _>>()?;
    let ready_seconds = match wire.ready_seconds {
        Some(seconds) => checks::number(&file, &seconds, "ready_seconds", 1..=600)?,
        None => READY_SECONDS,
    };
    let contender = Contender {
        name,
        dir: dir.to_owned(),
        class: wire.class,
        raw,
        workloads,
        toolchain,
        debian,
        fetch: wire.fetch.map(|text| command(&file, text, "fetch")).transpose()?,
        build: wire.build.map(|text| command(&file, text, "build")).transpose()?,
        start: command(&file, wire.start, "start")?,
        version: command(&file, wire.version, "version")?,
        ready_seconds,
    };
    Ok(Read { contender, file, raw_at })
}

fn raw_of(file: &SourceFile, raw: &Spanned<String>, class: Class) -> Result<ContenderName, SpecError> {
    if matches!(class, Class::Raw | Class::Reference) {
        let problem = "`raw` is given, but the class is raw or reference";
        return Err(file
            .at(raw, "raw")
            .wrong(problem, "expected `raw` with the classes micro and framework only"));
    }
    checks::contender(file, raw, "raw")
}

fn workloads(file: &SourceFile, values: Spanned<Vec<Spanned<String>>>) -> Result<Vec<String>, SpecError> {
    let key = "workloads";
    if values.get_ref().is_empty() {
        return Err(file
            .at(&values, key)
            .wrong("`workloads` is empty", "expected at least one workload's name"));
    }
    let mut names = Vec::new();
    for value in values.into_inner() {
        let place = file.at(&value, key);
        let name = value.into_inner();
        if !checks::is_workload_name(&name) {
            return Err(place.wrong(
                format!("`workloads` holds `{name}`"),
                "expected a workload's name: lower-case letters, digits and hyphens",
            ));
        }
        if names.contains(&name) {
            return Err(place.wrong(format!("`workloads` names `{name}` twice"), "expected each name once"));
        }
        names.push(name);
    }
    Ok(names)
}

fn toolchain(file: &SourceFile, value: &Spanned<String>) -> Result<Toolchain, SpecError> {
    let (name, at_least) = match value.get_ref().split_once(">=") {
        Some((name, version)) => (name.trim(), Some(Version::parse(version.trim()))),
        None => (value.get_ref().trim(), None),
    };
    let named = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    match at_least {
        None if named => Ok(Toolchain { name: name.to_owned(), at_least: None }),
        Some(Some(version)) if named => Ok(Toolchain { name: name.to_owned(), at_least: Some(version) }),
        _ => Err(file.at(value, "toolchain").wrong(
            format!("`toolchain` holds `{}`", value.get_ref()),
            "expected a name, or a name and the least version, as in `go >= 1.24`",
        )),
    }
}

/// Package names are printed as a line to run, so nothing else may pass.
fn debian_package(file: &SourceFile, value: Spanned<String>) -> Result<String, SpecError> {
    let text = value.get_ref();
    let start = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if (2..=100).contains(&text.len())
        && text.bytes().next().is_some_and(start)
        && text.bytes().all(|byte| start(byte) || b"+.-".contains(&byte))
    {
        return Ok(value.into_inner());
    }
    Err(file.at(&value, "debian").wrong(
        format!("`debian` holds `{text}`"),
        "expected the names of Debian packages, as in `golang-go`",
    ))
}

fn command(file: &SourceFile, value: Spanned<String>, key: &str) -> Result<String, SpecError> {
    const LONGEST: usize = 16 * 1024;
    let text = value.get_ref();
    if text.trim().is_empty() || text.contains('\0') || text.len() > LONGEST {
        return Err(file.at(&value, key).wrong(
            format!("`{key}` is empty, too long or holds a zero byte"),
            "expected a command for /bin/sh",
        ));
    }
    Ok(value.into_inner())
}

/// A text, or a list of texts.
#[derive(Default)]
struct OneOrMany(Vec<Spanned<String>>);

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The span of a lone text is only to be had from outside; that of a list's items only from inside.
        let outer = Spanned::<Either>::deserialize(deserializer)?;
        let span = outer.span();
        Ok(Self(match outer.into_inner() {
            Either::One(text) => vec![Spanned::new(span, text)],
            Either::Many(texts) => texts,
        }))
    }
}

enum Either {
    One(String),
    Many(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for Either {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrManyVisitor;

        impl<'de> Visitor<'de> for OneOrManyVisitor {
            type Value = Either;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of strings")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Either, E> {
                Ok(Either::One(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Either, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = items.next_element()? {
                    texts.push(text);
                }
                Ok(Either::Many(texts))
            }
        }

        deserializer.deserialize_any(OneOrManyVisitor)
    }
}
