//! What a contender is started with: its build, its files, its environment, its certificate.

pub(crate) mod build_cache;
pub(crate) mod build_log;
pub(crate) mod builder;
pub(crate) mod certificates;
pub(crate) mod command;
pub(crate) mod content;
pub(crate) mod data;
pub(crate) mod environment;
pub(crate) mod kept;
