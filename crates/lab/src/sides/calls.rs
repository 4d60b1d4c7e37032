//! A workload's requests as calls of gRPC.

use std::sync::Arc;

use velo_grpc::{Bodies, Schema};
use velo_load::{BodyChecker, BodyExpect, RequestSpec, Toss};
use velo_request::{BodyExpectation, Request};
use velo_spec::GrpcCalls;

/// Makes messages of JSON in requests that were prepared, and gives the check of the answers' messages. `inner`: that of their JSON.
///
/// # Errors
/// When one of them is no call; which, and why.
pub(super) fn complete(
    grpc: &GrpcCalls,
    requests: &[Request],
    specs: &mut [RequestSpec],
    inner: &Arc<dyn BodyChecker>,
) -> Result<Arc<dyn BodyChecker>, String> {
    let schema = Schema::of_text(&grpc.proto_file, &grpc.proto).map_err(|error| error.to_string())?;
    let mut checkers = Vec::with_capacity(requests.len());
    for (request, spec) in requests.iter().zip(specs) {
        let at = |problem: String| format!("request `{}`: {problem}", request.name);
        let name = request.path.written(&[]);
        let method = schema.method(&name).map_err(|error| at(error.to_string()))?;
        let json = spec.body.take().unwrap_or_default();
        let bodies = Bodies { messages: 1, gzip: false };
        let body = method.body(&json, &spec.slots, bodies).map_err(|error| at(error.to_string()))?;
        spec.body = Some(body);
        let (inner, expected, has_slots) = match &request.expect.body {
            BodyExpectation::Json(shape) => {
                (Some(Arc::clone(inner)), Some(shape.text.compiled()), shape.text.slots().next().is_some())
            }
            _ => (None, None, false),
        };
        spec.expect.body = if has_slots { BodyExpect::Checked } else { BodyExpect::CheckedAlike };
        let checker = method.checker(inner, expected.as_ref()).map_err(|error| at(error.to_string()))?;
        checkers.push(checker);
    }
    Ok(Arc::new(OfEach(checkers)))
}

/// The check of each request, since their answers are messages of different kinds.
struct OfEach(Vec<Arc<dyn BodyChecker>>);

impl BodyChecker for OfEach {
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        let checker = self.0.get(request).ok_or("no such request")?;
        checker.check(request, values, body)
    }
}
