//! The names of contenders in rows.

use velo_judge::{JudgedWorkload, Row};
use velo_model::{Class, ContenderName};

/// A contender's name in a row of its workload, and that it is a service of gRPC or ran already: `go/grpc (gRPC)`, `url/mine
/// (externally started)`. What else was spoken stands with the load.
pub(crate) fn name_in(workload: &JudgedWorkload, contender: &ContenderName) -> String {
    match workload.rows.iter().find(|row| row.contender == *contender) {
        Some(row) => name_of(row),
        None => named(contender, workload.is_grpc(contender)),
    }
}

/// The same of a row.
pub(crate) fn name_of(row: &Row) -> String {
    match row.class {
        Class::Running => format!("{} (externally started)", row.contender),
        _ => named(&row.contender, row.protocol.is_grpc()),
    }
}

/// The same where that is known.
pub(crate) fn named(contender: &ContenderName, is_grpc: bool) -> String {
    if is_grpc { format!("{contender} (gRPC)") } else { contender.to_string() }
}
