//! Before anything is measured: every contender is fetched, built, started once and checked.

pub(crate) mod build;
pub(crate) mod build_cache;
pub(crate) mod build_log;
pub(crate) mod certificates;
pub(crate) mod command;
pub(crate) mod conformance;
pub(crate) mod content;
pub(crate) mod context;
pub(crate) mod data;
pub(crate) mod distance;
pub(crate) mod environment;
pub(crate) mod kept;
pub(crate) mod speech;
pub(crate) mod twin;
pub(crate) mod verify;

pub mod toolchain;
