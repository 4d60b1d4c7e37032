//! What the end-to-end tests and the studies share: servers that misbehave on demand, and programs run to their end.
#![allow(unreachable_pub, reason = "a crate of tests has no users")]

pub mod child;
pub mod client;
mod echo;
pub mod faults;
pub mod faults_h2;
pub mod lying_grpc;
pub mod script;
pub mod speaking;
pub mod task;
mod tls;
mod users;
mod wait;
