//! Before anything is measured: every contender is fetched, built, started once and checked.

pub(crate) mod conformance;
pub(crate) mod context;
pub(crate) mod distance;
pub(crate) mod speech;
pub(crate) mod twin;
pub(crate) mod verify;
