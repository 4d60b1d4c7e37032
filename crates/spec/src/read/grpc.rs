use serde::Deserialize;
use toml::Spanned;
use velo_grpc::{Method, Schema};
use velo_model::{Case, CaseRequest, Delivery, GrpcCalls, Request, Statuses};
use velo_request::read::{Reader, WireExpect, WireMap, WireRequest, WireValue};
use velo_request::text::Folder;
use velo_request::{SourceFile, SpecError};

use super::{checks, kinds};

/// `[grpc]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireGrpc {
    proto: Spanned<String>,
    request: Spanned<Vec<WireCall>>,
    #[serde(default)]
    case: Vec<WireGrpcCase>,
}

/// `[[grpc.request]]` as written: a request of the workload as a call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCall {
    name: Spanned<String>,
    method: Spanned<String>,
    json: Option<Spanned<String>>,
    #[serde(default)]
    values: WireMap<WireValue>,
    status: Option<Spanned<String>>,
    expect: Option<WireExpect>,
}

/// `[[grpc.case]]` as written: a call, or the name of a request, and how often.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireGrpcCase {
    name: Spanned<String>,
    like: Option<Spanned<String>>,
    method: Option<Spanned<String>>,
    json: Option<Spanned<String>>,
    #[serde(default)]
    values: WireMap<WireValue>,
    status: Option<Spanned<String>>,
    expect: Option<WireExpect>,
    repeat: Option<Spanned<u64>>,
    delivery: Option<Delivery>,
}

/// Checks the calls of a workload. `requests`: what they stand for.
pub(super) fn read(
    file: &SourceFile,
    wire: WireGrpc,
    requests: &[Request],
    reader: &Reader,
    folder: &Folder,
) -> Result<GrpcCalls, SpecError> {
    let at_proto = |problem: String| {
        file.at(&wire.proto, "grpc.proto").wrong(problem, "expected a proto in the folder of the workload")
    };
    let proto =
        folder.text(&format!("@{}", wire.proto.get_ref())).map_err(|problem| at_proto(problem.what))?;
    let proto = String::from_utf8(proto).map_err(|_| at_proto("the proto is not UTF-8".to_owned()))?;
    let schema =
        Schema::of_text(wire.proto.get_ref(), &proto).map_err(|error| at_proto(error.to_string()))?;
    let reading = Reading { file, schema: &schema, reader };
    let mut calls = Vec::new();
    for request in requests {
        let named = |call: &&WireCall| *call.name.get_ref() == request.name;
        let Some(call) = wire.request.get_ref().iter().find(named) else {
            return Err(file.wrong(
                wire.request.span(),
                "grpc.request",
                format!("no `grpc.request` is called `{}`", request.name),
                "expected one for each `request`, by its name",
            ));
        };
        let own = reading.call(call, reading.method(&call.method)?.path())?;
        calls.push(Request { weight: request.weight, ..own });
    }
    if let Some(call) = wire
        .request
        .get_ref()
        .iter()
        .find(|call| !requests.iter().any(|request| request.name == *call.name.get_ref()))
    {
        let what = format!("no `request` is called `{}`", call.name.get_ref());
        return Err(file.at(&call.name, "grpc.request.name").wrong(what, "expected the name of one"));
    }
    let cases = wire.case.into_iter().map(|case| reading.case(case, &calls)).collect::<Result<_, _>>()?;
    Ok(GrpcCalls { proto_file: wire.proto.into_inner(), proto, requests: calls, cases })
}

struct Reading<'a, 'r> {
    file: &'a SourceFile,
    schema: &'a Schema,
    reader: &'a Reader<'r>,
}

impl Reading<'_, '_> {
    fn case(&self, wire: WireGrpcCase, calls: &[Request]) -> Result<Case, SpecError> {
        let send = match (wire.like, wire.method) {
            (Some(like), None) => {
                CaseRequest::Valid { request: kinds::request(self.file, &like, calls, "grpc.case.like")? }
            }
            (None, Some(method)) => {
                let call = WireCall {
                    name: wire.name.clone(),
                    method,
                    json: wire.json,
                    values: wire.values,
                    status: wire.status,
                    expect: wire.expect,
                };
                let path = match self.unknown_path(&call) {
                    Some(path) => path,
                    None => self.method(&call.method)?.path(),
                };
                CaseRequest::Own(Box::new(self.call(&call, path)?))
            }
            _ => {
                return Err(self
                    .file
                    .at(&wire.name, "grpc.case")
                    .wrong("a case needs either `like` or `method`", "expected one of the two"));
            }
        };
        let repeat = |repeat| checks::number(self.file, &repeat, "grpc.case.repeat", 1..=1000);
        Ok(Case {
            name: checks::sentence(self.file, wire.name, "grpc.case.name")?,
            send,
            delivery: wire.delivery.unwrap_or(Delivery::Whole),
            repeat: wire.repeat.map_or(Ok(1), repeat)?,
            required: true,
            operation: None,
            shows: None,
            secret: None,
        })
    }

    /// A call as the request that it is in the end.
    fn call(&self, wire: &WireCall, path: String) -> Result<Request, SpecError> {
        let place = |text: &Spanned<String>, inner: String| Spanned::new(text.span(), inner);
        let fixed = |name: &str, value: &str| {
            (place(&wire.method, name.to_owned()), place(&wire.method, value.to_owned()))
        };
        let message = wire.json.clone().unwrap_or_else(|| place(&wire.method, "{}".to_owned()));
        let request = WireRequest {
            name: Some(wire.name.clone()),
            method: Some(place(&wire.method, "POST".to_owned())),
            headers: [fixed("content-type", "application/grpc"), fixed("te", "trailers")].into(),
            body: Some(message),
            values: wire.values.clone(),
            expect: wire.expect.clone().unwrap_or_default(),
            ..WireRequest::to(place(&wire.method, path))
        };
        let mut request = self.reader.request(&request, "grpc.request")?;
        request.expect.status = self.status(wire.status.as_ref())?;
        Ok(request)
    }

    /// The path of a method that no service of the proto has, where that is what a case asks for: it expects to be told so, and sends
    /// an empty message.
    fn unknown_path(&self, wire: &WireCall) -> Option<String> {
        let name = wire.method.get_ref();
        let is_expected = wire.status.as_ref().is_some_and(|status| status.get_ref() == "UNIMPLEMENTED");
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "._/".contains(c));
        let is_unknown = self.schema.method(name).is_err_and(|error| error.is_unknown_method());
        let (service, method) = name.split_once('/')?;
        let is_asked = is_expected && is_plain && is_unknown && wire.json.is_none();
        is_asked.then(|| format!("/{service}/{method}"))
    }

    fn method(&self, name: &Spanned<String>) -> Result<Method, SpecError> {
        let at = || self.file.at(name, "grpc.request.method");
        let method = self.schema.method(name.get_ref());
        let method =
            method.map_err(|error| at().wrong(error.to_string(), "expected a method of `grpc.proto`"))?;
        if method.client_streams() || method.server_streams() {
            let what = format!("`{}` is a stream", name.get_ref());
            return Err(at().wrong(what, "expected a method with one message each way"));
        }
        Ok(method)
    }

    /// 0 unless a code is named, as in `NOT_FOUND`.
    fn status(&self, name: Option<&Spanned<String>>) -> Result<Statuses, SpecError> {
        let Some(name) = name else { return Ok(Statuses::only(0)) };
        let code = velo_grpc::grpc_status_code(name.get_ref());
        code.map(Statuses::only).ok_or_else(|| {
            let what = format!("`status` is `{}`", name.get_ref());
            self.file
                .at(name, "grpc.status")
                .wrong(what, "expected the name of a status, as in \"NOT_FOUND\"")
        })
    }
}
