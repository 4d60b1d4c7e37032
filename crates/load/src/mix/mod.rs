//! The requests of a target, rendered into bytes with gaps for what is drawn. No sockets, no clocks.

mod draw;
mod drawn;
mod error;
mod fields;
mod limits;
mod numbers;
mod pieces;
mod render;
mod requests;
mod validate;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use draw::Drawer;
pub(crate) use drawn::Drawn;
pub use error::{MixError, RequestProblem};
pub(crate) use fields::{Carried, Fields, Part};
pub(crate) use limits::MOST_SLOTS;
pub use requests::Mix;
