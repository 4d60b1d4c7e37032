use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use velo_model::{Class, Contender, ContenderName, KNOWN_TOOLCHAINS, Protocol, Role, Toolchain, Version};
use velo_request::{SourceFile, SpecError, one_of};

use super::checks;
use super::cross::Base;

const READY_SECONDS: u32 = 20;
/// More of one folder are a mistake.
const MOST_VARIANTS: usize = 20;

/// `contender.toml` as written, and `[variant.NAME]`, which has what stands in place of the manifest's own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    class: Option<WireClass>,
    raw: Option<Spanned<String>>,
    rest: Option<Spanned<String>>,
    workloads: Option<Spanned<Vec<Spanned<String>>>>,
    protocols: Option<Spanned<Vec<Spanned<String>>>>,
    other_protocols: Option<Spanned<String>>,
    toolchain: Option<OneOrMany>,
    debian: Option<Vec<Spanned<String>>>,
    borrows: Option<Vec<Spanned<String>>>,
    fetch: Option<Spanned<String>>,
    build: Option<Spanned<String>>,
    start: Option<Spanned<String>>,
    task: Option<Spanned<String>>,
    serve: Option<Spanned<String>>,
    get: Option<Spanned<String>>,
    version: Option<Spanned<String>>,
    ready_seconds: Option<Spanned<u64>>,
    variant: Option<Spanned<BTreeMap<Spanned<String>, Keys>>>,
}

/// The classes that a manifest may name.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum WireClass {
    Reference,
    Raw,
    Micro,
    Framework,
    Library,
}

impl From<WireClass> for Class {
    fn from(class: WireClass) -> Self {
        match class {
            WireClass::Reference => Self::Reference,
            WireClass::Raw => Self::Raw,
            WireClass::Micro => Self::Micro,
            WireClass::Framework => Self::Framework,
            WireClass::Library => Self::Library,
        }
    }
}

impl Keys {
    /// The keys of a variant, with those of the manifest where it has none.
    fn variant(&self, own: Self) -> Self {
        // Another class may have no raw contender, and another program is the one thing or the other.
        let is_other_program = [&own.start, &own.task, &own.serve, &own.get].into_iter().any(Option::is_some);
        let inherited = |key: &Option<Spanned<String>>| if is_other_program { None } else { key.clone() };
        let speaks_alike = own.protocols.is_none() && own.task.is_none();
        let raw_fits = !own.class.is_some_and(WireClass::has_no_raw);
        Self {
            class: own.class.or(self.class),
            raw: own.raw.or_else(|| self.raw.clone().filter(|_| raw_fits)),
            rest: own.rest.or_else(|| self.rest.clone().filter(|_| speaks_alike)),
            workloads: own.workloads.or_else(|| self.workloads.clone()),
            // A variant may be another program, without a server.
            protocols: own.protocols.or_else(|| self.protocols.clone().filter(|_| own.task.is_none())),
            other_protocols: own
                .other_protocols
                .or_else(|| self.other_protocols.clone().filter(|_| speaks_alike)),
            toolchain: own.toolchain.or_else(|| self.toolchain.clone()),
            debian: own.debian.or_else(|| self.debian.clone()),
            borrows: own.borrows.or_else(|| self.borrows.clone()),
            fetch: own.fetch.or_else(|| self.fetch.clone()),
            build: own.build.or_else(|| self.build.clone()),
            start: own.start.or_else(|| inherited(&self.start)),
            task: own.task.or_else(|| inherited(&self.task)),
            serve: own.serve.or_else(|| inherited(&self.serve)),
            get: own.get.or_else(|| inherited(&self.get)),
            version: own.version.or_else(|| self.version.clone()),
            ready_seconds: own.ready_seconds.or_else(|| self.ready_seconds.clone()),
            variant: None,
        }
    }
}

impl WireClass {
    fn has_no_raw(self) -> bool {
        matches!(self, Self::Raw | Self::Reference)
    }
}

/// The contenders of a manifest, the one without a variant's name first.
pub(super) struct Read {
    pub(super) file: SourceFile,
    pub(super) contenders: Vec<ReadContender>,
}

/// A contender and where its manifest names those that it is compared with.
pub(super) struct ReadContender {
    pub(super) contender: Contender,
    raw_at: Option<Range<usize>>,
    rest_at: Option<Range<usize>>,
}

impl ReadContender {
    /// Where the manifest has what is wrong.
    pub(super) fn at(&self, base: Base) -> Range<usize> {
        let at = match base {
            Base::Raw => &self.raw_at,
            Base::Rest => &self.rest_at,
        };
        at.clone().unwrap_or_default()
    }
}

/// A file with settings of `velo`, of which this is one table.
#[derive(Deserialize)]
struct Config {
    contender: Option<Keys>,
}

/// Reads and checks a manifest.
pub(super) fn read(file: SourceFile, name: &ContenderName, dir: &Path) -> Result<Read, SpecError> {
    let own: Keys = file.parse()?;
    checked(file, own, name, dir)
}

/// The same of the table `contender` in a file of settings; `None` where it has none.
pub(super) fn read_config(
    file: SourceFile,
    name: &ContenderName,
    dir: &Path,
) -> Result<Option<Read>, SpecError> {
    let config: Config = file.parse()?;
    config.contender.map(|own| checked(file, own, name, dir)).transpose()
}

fn checked(file: SourceFile, mut own: Keys, name: &ContenderName, dir: &Path) -> Result<Read, SpecError> {
    let variants = own.variant.take().map(Spanned::into_inner).unwrap_or_default();
    if variants.len() > MOST_VARIANTS {
        let problem = format!("{} variants", variants.len());
        return Err(file.wrong(0..0, "variant", problem, format!("expected at most {MOST_VARIANTS}")));
    }
    let variants = variants
        .into_iter()
        .map(|(label, keys)| {
            if let Some(inner) = &keys.variant {
                return Err(file
                    .at(inner, "variant")
                    .wrong("a variant has variants", "expected them in the manifest itself"));
            }
            let of_variant = ContenderName::new(&format!("{name}-{}", label.get_ref())).map_err(|_| {
                file.at(&label, "variant").wrong(
                    format!("`{}` is not a variant's name", label.get_ref()),
                    "expected lower-case letters, digits and hyphens, as in `[variant.virtual-threads]`",
                )
            })?;
            check(&file, own.variant(keys), of_variant, Some(name), dir)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut contenders = vec![check(&file, own, name.clone(), None, dir)?];
    contenders.extend(variants);
    Ok(Read { file, contenders })
}

fn check(
    file: &SourceFile,
    keys: Keys,
    name: ContenderName,
    variant_of: Option<&ContenderName>,
    dir: &Path,
) -> Result<ReadContender, SpecError> {
    let missing = |key: &str, expected: &str| file.wrong(0..0, key, format!("missing key `{key}`"), expected);
    let class: Class = keys
        .class
        .ok_or_else(|| missing("class", "expected reference, raw, micro, framework or library"))?
        .into();
    let raw_at = keys.raw.as_ref().map(Spanned::span);
    let raw = keys.raw.map(|raw| raw_of(file, &raw, class)).transpose()?;
    let rest_at = keys.rest.as_ref().map(Spanned::span);
    let names =
        keys.workloads.ok_or_else(|| missing("workloads", "expected the workloads that it answers"))?;
    let workloads = workloads(file, names)?;
    let toolchains = keys.toolchain.unwrap_or_default().0;
    let toolchain = toolchains.iter().map(|text| toolchain(file, text)).collect::<Result<_, _>>()?;
    let packages = keys.debian.unwrap_or_default();
    let debian =
        packages.into_iter().map(|package| debian_package(file, package)).collect::<Result<_, _>>()?;
    let borrows = borrows(file, keys.borrows.unwrap_or_default(), dir)?;
    let version =
        keys.version.ok_or_else(|| missing("version", "expected a command that prints the version"))?;
    let ready_seconds = match keys.ready_seconds {
        Some(seconds) => checks::number(file, &seconds, "ready_seconds", 1..=600)?,
        None => READY_SECONDS,
    };
    let process_for_each = keys.get.is_some();
    let (start, role) = program(file, [keys.start, keys.task, keys.serve, keys.get])?;
    let protocols = protocols(file, keys.protocols.as_ref(), role)?;
    let rest = keys.rest.map(|rest| rest_of(file, &rest, &protocols)).transpose()?;
    let other_protocols = keys
        .other_protocols
        .map(|why| other_protocols(file, why, role, protocols.len() == Protocol::OF_RUNS.len()))
        .transpose()?;
    let contender = Contender {
        name,
        variant_of: variant_of.cloned(),
        role,
        dir: dir.to_owned(),
        borrows,
        runs_at: None,
        class,
        raw,
        rest,
        workloads,
        protocols,
        other_protocols,
        toolchain,
        debian,
        fetch: keys.fetch.map(|text| command(file, text, "fetch")).transpose()?,
        build: keys.build.map(|text| command(file, text, "build")).transpose()?,
        start,
        process_for_each,
        version: command(file, version, "version")?,
        ready_seconds,
    };
    Ok(ReadContender { contender, raw_at, rest_at })
}

/// The command that starts a contender, under the key that says what it is.
fn program(file: &SourceFile, commands: [Option<Spanned<String>>; 4]) -> Result<(String, Role), SpecError> {
    const KEYS: [(&str, Role); 4] =
        [("start", Role::Server), ("task", Role::Task), ("serve", Role::Client), ("get", Role::Client)];
    const EXPECTED: &str =
        "expected `start` for a server, `task` for a program without one, or for a client `serve` or `get`";
    let mut given = KEYS.into_iter().zip(commands).filter_map(|(key, text)| Some((key, text?)));
    let Some(((key, role), text)) = given.next() else {
        return Err(file.wrong(0..0, "start", "missing key `start`", EXPECTED));
    };
    if let Some(((other, _), second)) = given.next() {
        let problem = format!("`{other}` is given beside `{key}`");
        return Err(file.at(&second, other).wrong(problem, "expected one of the two"));
    }
    Ok((command(file, text, key)?, role))
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

fn rest_of(
    file: &SourceFile,
    rest: &Spanned<String>,
    protocols: &[Protocol],
) -> Result<ContenderName, SpecError> {
    if !protocols.iter().any(|protocol| protocol.is_grpc()) {
        let problem = "`rest` is given, but `protocols` has no gRPC";
        return Err(file.at(rest, "rest").wrong(problem, "expected `rest` of services of gRPC only"));
    }
    checks::contender(file, rest, "rest")
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

/// HTTP/1.1 in clear unless the manifest says otherwise.
fn protocols(
    file: &SourceFile,
    values: Option<&Spanned<Vec<Spanned<String>>>>,
    role: Role,
) -> Result<Vec<Protocol>, SpecError> {
    let key = "protocols";
    let Some(values) = values else { return Ok(vec![Protocol::Http1]) };
    let names = Protocol::names();
    if !role.is_server() {
        let problem = format!("`protocols` is given, but {}", no_choice(role));
        return Err(file.at(values, key).wrong(problem, "leave it out, or give `start` for a server"));
    }
    if values.get_ref().is_empty() {
        return Err(file
            .at(values, key)
            .wrong("`protocols` is empty", format!("expected at least one of {}", names.join(", "))));
    }
    let mut protocols = Vec::new();
    for value in values.get_ref() {
        let name = value.get_ref();
        let Some(protocol) = Protocol::named(name) else {
            return Err(file
                .at(value, key)
                .wrong(format!("`protocols` holds `{name}`"), one_of(name, names.into_iter())));
        };
        if protocols.contains(&protocol) {
            return Err(file
                .at(value, key)
                .wrong(format!("`protocols` names `{name}` twice"), "expected each name once"));
        }
        protocols.push(protocol);
    }
    if protocols.iter().any(|one| one.is_grpc() != protocols[0].is_grpc()) {
        return Err(file.at(values, key).wrong(
            "`protocols` holds gRPC and others",
            "expected grpc and grpcs alone: a service of gRPC is a contender of its own",
        ));
    }
    Ok(protocols)
}

/// Why a program that is no server has no protocols to choose from.
fn no_choice(role: Role) -> &'static str {
    if role == Role::Client { "clients fetch files over HTTP/1.1" } else { "a task has no network" }
}

/// Why there are no other protocols; it is printed behind what is spoken.
fn other_protocols(
    file: &SourceFile,
    why: Spanned<String>,
    role: Role,
    speaks_all: bool,
) -> Result<String, SpecError> {
    const LONGEST: usize = 200;
    let key = "other_protocols";
    let text = why.get_ref();
    if !role.is_server() || speaks_all {
        let who = if speaks_all { "every protocol is spoken" } else { no_choice(role) };
        return Err(file.at(&why, key).wrong(format!("`{key}` is given, but {who}"), "leave it out"));
    }
    if text.trim() != text || text.is_empty() || text.len() > LONGEST || text.chars().any(char::is_control) {
        return Err(file.at(&why, key).wrong(
            format!("`{key}` is empty, too long or not one line"),
            format!(
                "expected why it speaks no others in at most {LONGEST} bytes, as in `puma has no HTTP/2`"
            ),
        ));
    }
    Ok(why.into_inner())
}

fn toolchain(file: &SourceFile, value: &Spanned<String>) -> Result<Toolchain, SpecError> {
    let (name, at_least) = match value.get_ref().split_once(">=") {
        Some((name, version)) => (name.trim(), Some(Version::parse(version.trim()))),
        None => (value.get_ref().trim(), None),
    };
    let named = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if named && at_least != Some(None) && !KNOWN_TOOLCHAINS.contains(&name) {
        return Err(file.at(value, "toolchain").wrong(
            format!("`toolchain` names `{name}`, of which velo cannot tell whether it is here"),
            format!(
                "leave it out: a build that lacks it fails with a message of its own; expected one of {}",
                KNOWN_TOOLCHAINS.join(", ")
            ),
        ));
    }
    match at_least {
        None if named => Ok(Toolchain { name: name.to_owned(), at_least: None }),
        Some(Some(version)) if named => Ok(Toolchain { name: name.to_owned(), at_least: Some(version) }),
        _ => Err(file.at(value, "toolchain").wrong(
            format!("`toolchain` holds `{}`", value.get_ref()),
            "expected a name, or a name and the least version, as in `go >= 1.24`",
        )),
    }
}

/// What is borrowed lies beside the contender's own folder, and is copied into that under its last name.
fn borrows(file: &SourceFile, values: Vec<Spanned<String>>, dir: &Path) -> Result<Vec<String>, SpecError> {
    let key = "borrows";
    let mut places = Vec::new();
    let mut names = Vec::new();
    for value in values {
        let place = file.at(&value, key);
        let text = value.get_ref();
        let plain = |part: &str| {
            let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            !part.is_empty() && part.bytes().all(allowed)
        };
        let Some((_, name)) = text.split_once('/').filter(|(owner, name)| plain(owner) && plain(name)) else {
            return Err(place.wrong(
                format!("`{key}` holds `{text}`"),
                "expected a folder of another contender of the same language, as in `aspnet/kit`",
            ));
        };
        if !dir.join("..").join(text).is_dir() {
            return Err(place.wrong(
                format!("`{key}` holds `{text}`, but there is no such folder"),
                "expected a folder beside this contender's own, as in `aspnet/kit`",
            ));
        }
        if names.iter().any(|other| other == name) || dir.join(name).exists() {
            return Err(place.wrong(
                format!("`{key}` holds `{text}`, but `{name}` is there already"),
                format!("expected nothing else that is called `{name}` in this contender's folder"),
            ));
        }
        names.push(name.to_owned());
        places.push(value.into_inner());
    }
    Ok(places)
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
#[derive(Clone, Default)]
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
