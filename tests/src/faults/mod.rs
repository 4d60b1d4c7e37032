//! Ground truth for faults: a server that misbehaves in one way at a time and knows exactly what it did.

mod answer;
mod connection;
mod fault;
mod kernel;
mod reader;
mod server;
mod socket;
#[cfg(test)]
mod tests;
mod truth;

pub use fault::{BODY, Fault, Row, WRONG_BODY};
pub use kernel::refused_connections;
pub use server::{FaultServer, Tuning};
pub use truth::Truth;
