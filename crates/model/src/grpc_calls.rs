use serde::{Deserialize, Serialize};

use crate::{Case, Request};

/// The requests of a workload as calls of gRPC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GrpcCalls {
    /// The name of the file of its services in the workload's folder.
    pub proto_file: String,
    /// The text of that file.
    pub proto: String,
    /// One for each request of the workload, in the same order. The path is that of the method, the body is the message as JSON, the
    /// expected status is a `grpc-status` and the expected body the answer's message as JSON.
    pub requests: Vec<Request>,
    /// What a service must answer before it is measured.
    pub cases: Vec<Case>,
}
