//! HTTP/1.0 and 1.1 (RFC 9112).

mod chunked;
mod head;
mod reader;
mod session;
#[cfg(test)]
mod tests;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use head::HeadCache;
#[cfg(test)]
pub(crate) use head::{FramedHead, parse_head};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use reader::{Answer, Reader};
pub(crate) use session::Http1;
#[cfg(test)]
pub(crate) use session::Shared;
