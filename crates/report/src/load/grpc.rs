//! What calls of gRPC ended with, in words.

use velo_record::{LoadGrpcError, LoadRecord};

use crate::number::count;
use crate::text::clean;

/// `5 NOT_FOUND`.
pub(super) fn status(error: &LoadGrpcError) -> String {
    match &error.name {
        Some(name) => format!("{} {}", error.code, clean(name)),
        None => error.code.to_string(),
    }
}

/// `5 NOT_FOUND: 200`.
pub(super) fn error(error: &LoadGrpcError) -> String {
    format!("{}: {}", status(error), count(error.calls))
}

/// How many messages came, where answers are streams of them.
pub(super) fn messages(record: &LoadRecord) -> Option<String> {
    record.messages.map(|messages| format!("{} came in streams", count(messages)))
}
