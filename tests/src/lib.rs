//! What the end-to-end tests and the benchmark share: a server that misbehaves on demand.
#![allow(unreachable_pub, reason = "a crate of tests has no users")]

pub mod faults;
pub mod queue;
pub mod script;
