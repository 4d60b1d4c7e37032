//! A workload's requests as calls of gRPC.

use std::sync::Arc;

use velo_grpc::{Bodies, Schema};
use velo_load::{BodyChecker, RequestSpec, Toss};
use velo_model::{GrpcCalls, Request};

/// The status of a call that went well.
const OK: u16 = 0;

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
        let method = match schema.method(&name) {
            // A case may ask for a method that is not there. Its message is empty, as is that of any other without a field set.
            Err(error) if error.is_unknown_method() && !request.expect.status.contains(OK) => {
                let known = grpc.requests.first().map(|known| known.path.written(&[]));
                schema.method(&known.unwrap_or_default())
            }
            found => found,
        };
        let method = method.map_err(|error| at(error.to_string()))?;
        let bodies = Bodies { messages: 1, gzip: false };
        let checker = method.complete(request, spec, bodies, Arc::clone(inner));
        checkers.push(checker.map_err(|error| at(error.to_string()))?);
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
