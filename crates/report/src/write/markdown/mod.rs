//! Documents as Markdown (CommonMark with tables). Text from outside is escaped.

mod block;
mod document;
mod text;

pub(crate) use document::write;
