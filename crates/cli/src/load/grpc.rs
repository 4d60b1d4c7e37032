//! `--grpc`: the method that is called, and its calls.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use velo_grpc::{Bodies, Method, NoCall, Schema, Server, reflect};
use velo_load::{BodyChecker, Calls, Endpoint, RequestSpec, StatusSet, TlsSettings};
use velo_model::Request;
use velo_record::LoadGrpc;
use velo_request::{Problem, header, text};

use super::flags::{ExpectFlags, GrpcFlags, LoadArgs};
use super::shape::nanoseconds;
use super::{target, tls};
use crate::exit::{at, usage};

/// How long a server may take to say what it has.
const REFLECTION: Duration = Duration::from_secs(30);

/// How a method is called.
pub(crate) struct Call {
    pub(crate) method: Method,
    bodies: Bodies,
    metadata: Vec<(String, String)>,
    deadline: Option<Duration>,
    statuses: StatusSet,
    expected_messages: Option<u64>,
}

/// Reads what the flags say of a method; `None` when they say nothing.
///
/// # Errors
/// When the method is not there, or a flag does not fit it.
pub(crate) fn read(args: &LoadArgs) -> anyhow::Result<Option<Call>> {
    let flags = &args.grpc;
    let Some(name) = &flags.method else {
        return match (&flags.data, flags.gzip) {
            (Some(_), _) => Err(usage(
                "--data is the message of --grpc\n  a body is --body TEXT or --body @FILE, JSON is --json-body",
            )),
            (_, true) => Err(usage(
                "--gzip packs the messages of --grpc\n  compressed bodies are asked for with -H 'Accept-Encoding: gzip'",
            )),
            (None, false) => Ok(None),
        };
    };
    refuse_expectations(&args.expect)?;
    let mut metadata = Vec::new();
    for text in &flags.metadata {
        let (name, value) = header::split(text).map_err(|problem| at(&problem, "--metadata"))?;
        if let Some(file) = value.strip_prefix('@').filter(|file| !file.is_empty() && !file.starts_with('@'))
        {
            // What is there may be a pipe, which can be read once.
            std::fs::metadata(file).map_err(|error| {
                let what = format!("{file} cannot be read: {error}");
                at(&Problem::new(what, "expected an existing file"), "--metadata")
            })?;
        }
        metadata.push((name, value));
    }
    let method = method(args, name, &metadata)?;
    let messages = flags.messages.unwrap_or(1);
    if flags.messages.is_some() && !method.client_streams() {
        return Err(usage(format!(
            "--messages {messages}: a call of {} sends one message\n  it is for methods whose client streams",
            method.name()
        )));
    }
    if let Some(messages) = flags.expect_messages
        && !method.server_streams()
    {
        return Err(usage(format!(
            "--expect-messages {messages}: an answer of {} is one message\n  it is for methods whose server streams",
            method.name()
        )));
    }
    let statuses = flags.expect_grpc_status.as_deref().map_or(Ok(0.into()), statuses)?;
    let bodies = Bodies { messages, gzip: flags.gzip };
    Ok(Some(Call {
        method,
        bodies,
        metadata,
        deadline: flags.deadline,
        statuses,
        expected_messages: flags.expect_messages,
    }))
}

/// The method, from where the flags say that it is defined.
fn method(args: &LoadArgs, name: &str, metadata: &[(String, String)]) -> anyhow::Result<Method> {
    let flags: &GrpcFlags = &args.grpc;
    let (schema, flag) = if !flags.proto.is_empty() {
        (Schema::compile(&flags.proto, &flags.import_path), "--proto")
    } else if let Some(path) = &flags.protoset {
        let bytes = text::read(path).map_err(|problem| at(&problem, "--protoset"))?;
        (Schema::from_set(&bytes), "--protoset")
    } else if flags.reflect {
        let server = server(args, &read_from_files(metadata)?)?;
        (reflect(&server, name).map(|reflected| reflected.schema), "--reflect")
    } else {
        return Err(usage(format!(
            "--grpc {name}: nothing defines the method\n  expected --proto FILE, --protoset FILE or --reflect"
        )));
    };
    let schema = schema.map_err(|error| usage(format!("{flag}: {error}")))?;
    schema.method(name).map_err(|error| usage(format!("--grpc: {error}")))
}

/// Metadata whose values may be `@FILE`.
fn read_from_files(metadata: &[(String, String)]) -> anyhow::Result<Vec<(String, String)>> {
    let folder = text::Folder::From(PathBuf::new());
    let read = |(name, value): &(String, String)| {
        let bytes = folder.text(value).map_err(|problem| at(&problem, "--metadata"))?;
        let value = String::from_utf8(bytes)
            .map_err(|_| usage(format!("--metadata: the value of `{name}` is not UTF-8\n  expected text")))?;
        Ok((name.clone(), value.trim_end().to_owned()))
    };
    metadata.iter().map(read).collect()
}

/// The server as reflection is asked of it.
fn server(args: &LoadArgs, metadata: &[(String, String)]) -> anyhow::Result<Server> {
    let tls: Option<Arc<TlsSettings>> = tls::settings(&args.https, &args.url, true)?;
    target::wait(&args.url, &args.connections, !args.result.quiet)?;
    let endpoints = target::endpoints(&args.url, &args.connections)?;
    let address = endpoints.all.iter().find_map(|endpoint| match endpoint {
        Endpoint::Tcp(address) => Some(*address),
        Endpoint::Unix(_) => None,
    });
    let address = address.ok_or_else(|| {
        usage("--reflect does not ask over a Unix socket\n  expected --proto FILE or --protoset FILE")
    })?;
    Ok(Server {
        address,
        authority: args.url.authority(),
        tls,
        metadata: metadata.to_vec(),
        timeout: args.connections.timeout,
        limit: REFLECTION,
    })
}

/// What is said of HTTP's answers and of bytes does not fit messages.
fn refuse_expectations(flags: &ExpectFlags) -> anyhow::Result<()> {
    let given = [
        (
            "--expect-status",
            flags.status.is_some(),
            "HTTP's status is 200 anyway; a call's is --expect-grpc-status",
        ),
        ("--expect-content-type", flags.content_type.is_some(), "it is application/grpc anyway"),
        ("--expect-body", flags.body.is_some(), "a message is --expect-json, or --expect-same"),
        ("--expect-regex", flags.regex.is_some(), "a message is --expect-json, or --expect-same"),
        ("--expect-sha256", flags.sha256.is_some(), "a message is --expect-json, or --expect-same"),
    ];
    match given.into_iter().find(|(_, given, _)| *given) {
        Some((flag, _, instead)) => Err(usage(format!("{flag} is not for --grpc\n  {instead}"))),
        None => Ok(()),
    }
}

/// `0`, `NOT_FOUND`, and several of them with commas between.
fn statuses(text: &str) -> anyhow::Result<StatusSet> {
    let code = |part: &str| {
        velo_load::grpc_status_code(part).or_else(|| part.parse().ok().filter(|&code: &u16| code <= 16))
    };
    text.split(',').map(str::trim).try_fold(StatusSet::EMPTY, |set, part| match code(part) {
        Some(code) => Ok(set.and(code.into())),
        None => Err(usage(format!(
            "--expect-grpc-status: `{part}` is no status of gRPC\n  expected 0 to 16, or a name as NOT_FOUND"
        ))),
    })
}

impl Call {
    /// How the engine makes them.
    pub(crate) fn calls(&self, is_https: bool) -> Calls {
        Calls {
            is_https,
            streams: self.method.server_streams(),
            messages: self.expected_messages,
            takes_gzip: self.bodies.gzip,
            deadline_ns: self.deadline.map(nanoseconds),
        }
    }

    /// The fields of every call, those of gRPC first.
    pub(crate) fn headers(&self) -> Vec<(String, String)> {
        let mut headers = vec![
            ("content-type".to_owned(), "application/grpc".to_owned()),
            ("te".to_owned(), "trailers".to_owned()),
        ];
        if let Some(deadline) = self.deadline {
            headers.push(("grpc-timeout".to_owned(), timeout(deadline)));
        }
        if self.bodies.gzip {
            headers.push(("grpc-encoding".to_owned(), "gzip".to_owned()));
            headers.push(("grpc-accept-encoding".to_owned(), "gzip".to_owned()));
        }
        headers.extend(self.metadata.iter().cloned());
        headers
    }

    /// Makes of a request with JSON one with messages; the check of its answers.
    pub(crate) fn complete(
        &self,
        request: &Request,
        spec: &mut RequestSpec,
        inner: Arc<dyn BodyChecker>,
    ) -> anyhow::Result<Arc<dyn BodyChecker>> {
        spec.expect.status = self.statuses;
        let completed = self.method.complete(request, spec, self.bodies, inner);
        completed.map_err(|error| match error {
            NoCall::Body(error) => usage(format!("--data: {error}")),
            NoCall::Expected(error) => usage(format!("--expect-json: {error}")),
        })
    }

    /// What tells these calls from others beside their request.
    pub(crate) fn add_to(&self, hash: &mut Sha256) {
        hash.update(self.bodies.messages.to_be_bytes());
        hash.update([u8::from(self.bodies.gzip)]);
        let codes: Vec<u8> = (0..=16).filter(|&code| self.statuses.contains(u16::from(code))).collect();
        hash.update(codes);
        hash.update(self.expected_messages.map_or([0; 9], |messages| {
            let mut bytes = [1; 9];
            bytes[1..].copy_from_slice(&messages.to_be_bytes());
            bytes
        }));
    }

    /// For the record.
    pub(crate) fn recorded(&self) -> LoadGrpc {
        LoadGrpc {
            method: self.method.name(),
            client_streams: self.method.client_streams(),
            server_streams: self.method.server_streams(),
            messages: self.bodies.messages,
            deadline_ns: self.deadline.map(nanoseconds),
            gzip: self.bodies.gzip,
        }
    }
}

/// A deadline as `grpc-timeout` has it: at most eight digits and a unit, never shorter than what was asked.
fn timeout(deadline: Duration) -> String {
    const MOST: u128 = 99_999_999;
    let ns = deadline.as_nanos();
    let units = [(1, 'n'), (1_000, 'u'), (1_000_000, 'm'), (1_000_000_000, 'S'), (60_000_000_000, 'M')];
    let fits =
        units.into_iter().map(|(size, unit)| (ns.div_ceil(size), unit)).find(|(count, _)| *count <= MOST);
    let (count, unit) = fits.unwrap_or((ns.div_ceil(3_600_000_000_000).min(MOST), 'H'));
    format!("{count}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_at_most_eight_digits_and_never_shorter() {
        let written = |ns| timeout(Duration::from_nanos(ns));
        assert_eq!(written(1), "1n");
        assert_eq!(written(99_999_999), "99999999n");
        assert_eq!(written(100_000_001), "100001u");
        assert_eq!(written(5_000_000_000), "5000000u");
        assert_eq!(timeout(Duration::from_secs(3600)), "3600000m");
        assert_eq!(timeout(Duration::MAX).len(), 9);
    }

    #[test]
    fn statuses_are_numbers_and_names() {
        let set = statuses("0, not_found,16").expect("statuses");
        assert!((0..20).all(|code| set.contains(code) == [0, 5, 16].contains(&code)));
        for odd in ["", "17", "LOST", "0-5"] {
            assert!(statuses(odd).is_err(), "{odd}");
        }
    }
}
