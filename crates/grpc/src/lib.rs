//! Methods of gRPC for the load engine: what a call sends, from protos and JSON, and what its answer is.
//!
//! [`Schema`] holds what protos, a set of descriptors or a server's reflection say; a [`Method`] of it makes bodies of JSON, with
//! slots where values are drawn, and a check of messages. Nothing here runs while a load does, but for messages not seen before.

mod checker;
mod complete;
mod encode;
mod error;
mod expected;
mod fold;
mod marked;
mod method;
mod protos;
mod reflection;
mod schema;

pub use complete::NoCall;
pub use error::{EncodeError, SchemaError};
pub use method::{Bodies, Method};
pub use reflection::{Reflected, Server, reflect};
pub use schema::Schema;
pub use velo_load::grpc_status_code;
