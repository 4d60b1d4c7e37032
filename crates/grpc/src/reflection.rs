//! Asking a server what it has: reflection, in its version 1 and in the alpha version before.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prost::Message as _;
use prost_reflect::prost_types::{FileDescriptorProto, FileDescriptorSet};
use protox::file::{FileResolver as _, GoogleFileResolver};
use velo_load::{
    BodyExpect, Calls, Example, Exchange, Expect, Mix, Order, Part, Pieces, Protocol, RequestSpec, StatusSet,
    Template, TlsSettings,
};

use crate::error::SchemaError;
use crate::schema::{Schema, split};

/// Whom to ask, and how.
#[derive(Clone)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// What stands in `:authority`.
    pub authority: String,
    /// TLS, where it is spoken.
    pub tls: Option<Arc<TlsSettings>>,
    /// What every call carries beside its own fields.
    pub metadata: Vec<(String, String)>,
    /// How long each answer may take.
    pub timeout: Duration,
    /// How long all of them may take together.
    pub limit: Duration,
}

/// What a server said.
#[derive(Debug)]
pub struct Reflected {
    /// Its services and messages.
    pub schema: Schema,
    /// Which version of reflection it speaks, as in `v1`.
    pub version: &'static str,
}

/// The most files that a server may send, and their bytes.
const MOST_FILES: usize = 2000;
const MOST_BYTES: usize = 32 << 20;

#[derive(Clone, PartialEq, prost::Message)]
struct Question {
    #[prost(string, optional, tag = "3")]
    file_by_filename: Option<String>,
    #[prost(string, optional, tag = "4")]
    file_containing_symbol: Option<String>,
    #[prost(string, optional, tag = "7")]
    list_services: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Answer {
    #[prost(message, optional, tag = "4")]
    files: Option<Files>,
    #[prost(message, optional, tag = "6")]
    services: Option<Services>,
    #[prost(message, optional, tag = "7")]
    error: Option<Failure>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Files {
    #[prost(bytes = "vec", repeated, tag = "1")]
    protos: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Services {
    #[prost(message, repeated, tag = "1")]
    services: Vec<Named>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Named {
    #[prost(string, tag = "1")]
    name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Failure {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

/// Asks a server for the service of a method and all that it needs.
///
/// # Errors
/// When the server does not answer, does not speak reflection, or does not know the service.
pub fn reflect(server: &Server, method: &str) -> Result<Reflected, SchemaError> {
    let (service, _) = split(method)?;
    let mut asking = Asking::begin(server)?;
    let mut files = BTreeMap::new();
    let question = Question { file_containing_symbol: Some(service.to_owned()), ..Question::default() };
    match asking.ask(&question) {
        Ok(answer) => take(&answer, &mut files)?,
        Err(Refused::Unknown) => {
            return Err(SchemaError::NoService { service: service.to_owned(), known: asking.services()? });
        }
        Err(Refused::Failed(why)) => return Err(why),
    }
    while let Some(missing) = missing(&files) {
        let question = Question { file_by_filename: Some(missing.clone()), ..Question::default() };
        let answer = match asking.ask(&question) {
            Ok(answer) => Some(answer),
            // What every compiler brings along, some servers do not send.
            Err(Refused::Unknown) => None,
            Err(Refused::Failed(why)) => return Err(why),
        };
        match answer {
            Some(answer) => take(&answer, &mut files)?,
            None => {
                let file = GoogleFileResolver::new().open_file(&missing).map_err(|_| {
                    SchemaError::Reflection(format!(
                        "the server does not have `{missing}`, which its own protos import"
                    ))
                })?;
                files.insert(missing.clone(), file.file_descriptor_proto().clone());
            }
        }
        if !files.contains_key(&missing) {
            return Err(SchemaError::Reflection(format!(
                "asked for `{missing}`, the server sent other files"
            )));
        }
    }
    let set = FileDescriptorSet { file: files.into_values().collect() };
    let schema = Schema::of(set)?;
    Ok(Reflected { schema, version: asking.version })
}

/// A file that another one imports and that has not come.
fn missing(files: &BTreeMap<String, FileDescriptorProto>) -> Option<String> {
    let wanted: BTreeSet<&String> = files.values().flat_map(|file| &file.dependency).collect();
    wanted.into_iter().find(|name| !files.contains_key(*name)).cloned()
}

fn take(answer: &Answer, files: &mut BTreeMap<String, FileDescriptorProto>) -> Result<(), SchemaError> {
    for bytes in answer.files.iter().flat_map(|files| &files.protos) {
        let file = FileDescriptorProto::decode(bytes.as_slice()).map_err(|error| {
            SchemaError::Reflection(format!("the server sent no file of protos: {error}"))
        })?;
        files.insert(file.name().to_owned(), file);
    }
    let bytes: usize = files.values().map(prost::Message::encoded_len).sum();
    if files.len() > MOST_FILES || bytes > MOST_BYTES {
        return Err(SchemaError::Reflection(format!(
            "the server sends more than {MOST_FILES} files or {} MiB\n  expected less: --proto or --protoset can take more",
            MOST_BYTES >> 20
        )));
    }
    Ok(())
}

/// Why there is no answer to a question.
enum Refused {
    /// The server does not know what was asked for.
    Unknown,
    Failed(SchemaError),
}

/// A server that speaks reflection.
struct Asking<'a> {
    server: &'a Server,
    version: &'static str,
    /// When it must have said all.
    until: Instant,
}

const VERSIONS: [&str; 2] = ["v1", "v1alpha"];
const UNIMPLEMENTED: u16 = 12;
const NOT_FOUND: i32 = 5;

impl<'a> Asking<'a> {
    /// Finds the version that the server speaks.
    fn begin(server: &'a Server) -> Result<Self, SchemaError> {
        let list = Question { list_services: Some(String::new()), ..Question::default() };
        let until = Instant::now() + server.limit;
        for version in VERSIONS {
            let asking = Self { server, version, until };
            match asking.call(&list)? {
                Ok(_) => return Ok(asking),
                Err(UNIMPLEMENTED) => {}
                Err(code) => return Err(asking.status(code)),
            }
        }
        Err(SchemaError::Reflection(
            "the server does not speak reflection, neither v1 nor v1alpha\n  expected --proto FILE or --protoset FILE"
                .to_owned(),
        ))
    }

    fn services(&self) -> Result<Vec<String>, SchemaError> {
        let list = Question { list_services: Some(String::new()), ..Question::default() };
        let answer = self.call(&list)?.map_err(|code| self.status(code))?;
        Ok(answer.services.into_iter().flat_map(|list| list.services).map(|service| service.name).collect())
    }

    fn status(&self, code: u16) -> SchemaError {
        SchemaError::Reflection(format!("reflection {} was answered with grpc-status {code}", self.version))
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Refused> {
        let answer = self.call(question).map_err(Refused::Failed)?;
        let answer = answer.map_err(|code| Refused::Failed(self.status(code)))?;
        match answer.error {
            Some(Failure { code: NOT_FOUND, .. }) => Err(Refused::Unknown),
            Some(error) => Err(Refused::Failed(SchemaError::Reflection(format!(
                "reflection {} was answered with error {}: {}",
                self.version,
                error.code,
                error.message.escape_debug()
            )))),
            None => Ok(answer),
        }
    }

    /// How long an answer may take now.
    fn left(&self) -> Result<Duration, SchemaError> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(SchemaError::Reflection(format!(
                "the server has not sent all that defines the method within {} s\n  expected --proto FILE or --protoset FILE",
                self.server.limit.as_secs_f64()
            )));
        }
        Ok(left.min(self.server.timeout))
    }

    /// One question on a connection of its own: the answer, or the status of a call that failed.
    fn call(&self, question: &Question) -> Result<Result<Answer, u16>, SchemaError> {
        // What was too slow in the end is told as such, and not as an answer that was.
        self.exchange(question).map_err(|error| self.left().err().unwrap_or(error))
    }

    fn exchange(&self, question: &Question) -> Result<Result<Answer, u16>, SchemaError> {
        let service = format!("grpc.reflection.{}.ServerReflection", self.version);
        let failed = |what: String| SchemaError::Reflection(format!("{service}: {what}"));
        let message = question.encode_to_vec();
        let body = [&[0], (message.len() as u32).to_be_bytes().as_slice(), &message].concat();
        let text = |text: &str| Template(vec![Part::Bytes(text.as_bytes().to_vec())]);
        let own = [("content-type", "application/grpc"), ("te", "trailers")];
        let own = own.iter().map(|(name, value)| ((*name).to_owned(), text(value)));
        let metadata = self.server.metadata.iter().map(|(name, value)| (name.clone(), text(value)));
        let spec = RequestSpec {
            name: "reflection".to_owned(),
            weight: 1,
            method: "POST".to_owned(),
            path: text(&format!("/{service}/ServerReflectionInfo")),
            headers: own.chain(metadata).collect(),
            body: Some(Template(vec![Part::Bytes(body)])),
            slots: Vec::new(),
            expect: Expect {
                status: StatusSet::range(0, 16),
                content_type: None,
                headers: Vec::new(),
                body: BodyExpect::Any,
                not_before_ms: None,
            },
        };
        let calls = Calls { is_https: self.server.tls.is_some(), ..Calls::default() };
        let protocol = Protocol::Grpc(calls);
        let mix = Mix::for_protocol(vec![spec], Order::InOrder, &self.server.authority, protocol)
            .map_err(|error| failed(error.to_string()))?;
        let Some(example) = Example::all(&mix, 0).next() else { return Err(failed("nothing to ask".into())) };
        let mut exchange =
            Exchange::connect(self.server.address, protocol, self.server.tls.as_deref(), self.left()?)
                .map_err(|error| failed(error.to_string()))?;
        let answer = exchange
            .send(&mix, &example, Pieces::Whole, self.left()?)
            .map_err(|error| failed(error.to_string()))?;
        match answer.grpc_status() {
            Ok(0) => {
                let answer = Answer::decode(answer.body.as_slice());
                answer.map(Ok).map_err(|error| failed(format!("the answer cannot be read: {error}")))
            }
            Ok(code) => Ok(Err(code)),
            Err(why) => Err(failed(why)),
        }
    }
}
