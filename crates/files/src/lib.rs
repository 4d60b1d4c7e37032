//! A file server for measuring and trying clients: it answers with `sendfile`, counts what it sent and when, and misbehaves
//! where it is told to.
//!
//! It is no server for the public: it has no limits on who asks, one thread for each connection, and names no types.

mod answer;
mod content;
mod head;
mod part;
mod send;
mod server;

pub use content::{Content, sha256_of};
pub use server::{FileServer, Offer, Sent, Serving, Source};
