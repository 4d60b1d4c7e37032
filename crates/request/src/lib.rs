//! What to send and what to expect: one language for workloads and for `velo load`.
//!
//! Types are plain data. [`read`] makes them from TOML or from flags, checked and with the place of what is wrong;
//! [`compile()`] makes of them what the load engine takes. The language is described in `docs/requests.md`.

mod compile;
pub mod csv_values;
mod error;
pub mod expect;
mod formula;
pub mod header;
mod json;
mod open;
mod problem;
pub mod read;
mod request;
mod shape;
mod source;
mod template;
pub mod text;
pub mod value;

pub use compile::{Checker, compile, compile_for, prepare};
pub use error::{Definition, SpecError};
pub use expect::{BodyExpectation, Coin, Digest, Expectation, ExpectedHeader, JsonShape, Statuses, hex};
pub use json::parse as parse_json;
pub use open::open_file;
pub use problem::Problem;
pub use request::{Header, Request};
pub use source::{Place, SourceFile, definition, did_you_mean, nearest, one_of, whole_file};
pub use template::{TextPart, TextTemplate};
pub use value::{CsvTable, Slot, SlotKind, Tables};
