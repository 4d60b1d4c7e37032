//! Sockets and their readiness.

mod epoll;

pub(crate) use epoll::{NAME, Poller};
