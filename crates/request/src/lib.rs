//! What to send and what to expect: one language for workloads and for `velo load`.
//!
//! Requests are plain data of `velo-model`. [`read`] makes them from TOML or from flags, checked and with the place of what is wrong;
//! [`compile()`] makes of them what the load engine takes. The language is described in `docs/workloads.md`.

mod compile;
pub mod csv_values;
mod error;
pub mod expect;
mod formula;
pub mod header;
mod json;
mod problem;
pub mod read;
mod shape;
mod source;
mod template;
pub mod text;
pub mod value;

pub use compile::{Checker, compile, compile_for, prepare};
pub use error::{Definition, SpecError};
pub use expect::{digest_text, hex};
pub use json::parse as parse_json;
pub use problem::Problem;
pub use source::{Place, SourceFile, definition, did_you_mean, nearest, one_of, whole_file};
pub use template::{compiled as compile_template, parse as parse_template};
pub use value::Tables;
