//! What the driver of open loops and its server share: the server's queue as a simulation.
#![allow(unreachable_pub, reason = "a crate of studies has no users")]

pub mod queue;
