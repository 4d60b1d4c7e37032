//! Single calls: one request at a time on one connection, by hand, with the times at which its parts were there.
//!
//! Sockets block, and each time stamp is the monotonic clock's right after a system call. Nothing is in flight beside the one
//! request, so what is timed is what one call costs and not what a load makes of it.

mod caller;
mod counted;
mod error;
mod packets;
mod spoken;
#[cfg(test)]
mod tests;
mod times;
mod wire;

pub use caller::{CallSettings, Caller, Sending};
pub use error::ExchangeError;
pub use times::{Agreed, CallTimes, Opening, Packets};

pub(crate) use spoken::{Reading, Spoken};
pub(crate) use wire::{Deadline, Wire};
