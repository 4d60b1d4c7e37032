//! Sockets: bytes are moved, and what happened to a connection is told as an [`Event`].
//!
//! The border is one of completions, so that readiness (epoll) and completion (io_uring) serve the same loop. The clock
//! belongs to it as well: a driver without sockets runs in a time of its own.

mod arrival;
mod border;
mod choice;
mod clock;
mod epoll;
#[cfg(test)]
pub(crate) mod scripted;
mod socket;
#[cfg(test)]
mod tests;
mod uring;

pub(crate) use border::{Chunk, Driver, Event};
pub use choice::DriverChoice;
pub(crate) use choice::Opened;
pub(crate) use clock::monotonic_ns;
pub(crate) use epoll::Epoll;
pub(crate) use uring::Uring;
