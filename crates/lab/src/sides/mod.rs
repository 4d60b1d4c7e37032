//! The two sides of a connection: what serves, and what it is loaded with.

pub(crate) mod astray;
pub(crate) mod launched;
pub(crate) mod origin;
pub(crate) mod started;
pub(crate) mod translate;
