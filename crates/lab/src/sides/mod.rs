//! The two sides of a connection: what serves, and what it is loaded with.

pub(crate) mod answering;
pub(crate) mod asked;
pub(crate) mod astray;
pub(crate) mod calls;
pub(crate) mod external;
pub(crate) mod feed;
pub(crate) mod files;
pub(crate) mod launched;
pub(crate) mod layout;
pub(crate) mod limits;
pub(crate) mod load_side;
pub(crate) mod origin;
pub(crate) mod serve_side;
pub(crate) mod started;
pub(crate) mod translate;
pub(crate) mod worker;
