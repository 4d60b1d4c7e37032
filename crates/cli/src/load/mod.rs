//! `velo load`: from flags and files to what the load engine takes, and from what it counted to a record.

pub(crate) mod address;
pub(crate) mod against;
pub(crate) mod checks;
pub(crate) mod engine;
pub(crate) mod flags;
pub(crate) mod grpc;
pub(crate) mod hints;
pub(crate) mod live;
pub(crate) mod mix;
pub(crate) mod model;
pub(crate) mod outputs;
pub(crate) mod record;
pub(crate) mod target;

mod manual;
pub(crate) mod redact;
mod shape;
pub(crate) mod shown;
mod timeline;
pub(crate) mod tls;
pub(crate) mod units;
pub(crate) mod url;
