//! The names of contenders in rows.

use velo_judge::{JudgedWorkload, Row};
use velo_model::ContenderName;

/// A contender's name in a row of its workload, and that it is a service of gRPC: `go/grpc (gRPC)`. What else was spoken stands with
/// the load.
pub(crate) fn name_in(workload: &JudgedWorkload, contender: &ContenderName) -> String {
    named(contender, workload.is_grpc(contender))
}

/// The same of a row.
pub(crate) fn name_of(row: &Row) -> String {
    named(&row.contender, row.protocol.is_grpc())
}

/// The same where that is known.
pub(crate) fn named(contender: &ContenderName, is_grpc: bool) -> String {
    if is_grpc { format!("{contender} (gRPC)") } else { contender.to_string() }
}
