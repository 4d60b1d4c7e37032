use std::ops::Range;
use std::path::Path;

use toml::Spanned;

use crate::error::SpecError;
use crate::problem::Problem;
use crate::source::{SourceFile, definition};

/// Where requests come from: what is wrong is told with its place there.
#[derive(Clone, Copy)]
pub enum Origin<'a> {
    /// A file.
    File(&'a SourceFile),
    /// The command line; `several`: by `--request`, which has path, method and body in one.
    Flags {
        /// Whether it is `--request`.
        several: bool,
    },
    /// The command line, of a call, whose body is `--data`.
    Call,
}

impl Origin<'_> {
    /// An error about what stands at a place under a key, or behind the key's flag. What came from a flag has the empty
    /// place, also among what a file says.
    pub fn wrong(&self, at: Range<usize>, key: &str, problem: Problem) -> SpecError {
        let several = match self {
            Self::File(file) if !at.is_empty() => return file.wrong(at, key, problem.what, problem.cure),
            Self::File(_) | Self::Call => false,
            Self::Flags { several } => *several,
        };
        let flag = match (self, key.strip_prefix("request.").unwrap_or(key)) {
            (Self::Call, "body") => "--data".to_owned(),
            (_, key) => flag(key, several),
        };
        definition(Path::new(&flag), None, None, problem.what, problem.cure).into()
    }

    /// An error about a value that will not do.
    pub(super) fn refused<T>(&self, value: &Spanned<T>, key: &str, expected: impl Into<String>) -> SpecError {
        let what = if value.span().is_empty() { "its value".to_owned() } else { format!("`{key}`") };
        self.wrong(value.span(), key, Problem::new(format!("{what} will not do"), expected))
    }
}

fn flag(key: &str, several: bool) -> String {
    match key {
        "headers" => "--header".to_owned(),
        "expect.headers" => "--expect-header".to_owned(),
        "content_type" => "--content-type".to_owned(),
        _ if key.starts_with("expect.") => format!("--{}", key.replace(['.', '_'], "-")),
        _ if several => "--request".to_owned(),
        "path" => "the URL".to_owned(),
        "json" => "--json-body".to_owned(),
        "values" => "--value".to_owned(),
        "csv" => "--csv-values".to_owned(),
        key => format!("--{key}"),
    }
}
