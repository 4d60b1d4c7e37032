//! `velo load`: from flags and files to what the load engine takes, and from what it counted to a record.

pub(crate) mod engine;
pub(crate) mod flags;
pub(crate) mod hints;
pub(crate) mod live;
pub(crate) mod mix;
pub(crate) mod model;
pub(crate) mod outputs;
pub(crate) mod record;
pub(crate) mod target;

mod checker;
mod csv_values;
pub(crate) mod descriptors;
mod draft;
mod expect;
pub(crate) mod files;
mod header;
mod json_shape;
mod problem;
mod redact;
mod requests_file;
mod shape;
mod template;
pub(crate) mod tls;
pub(crate) mod units;
pub(crate) mod url;
mod value;
