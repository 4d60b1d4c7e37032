//! io_uring: completions.

mod buffers;
mod driver;
mod outgoing;
mod ring;
mod sending;
mod state;
mod tags;
#[cfg(test)]
mod tests;

pub(crate) use state::Uring;
