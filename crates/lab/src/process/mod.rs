//! Processes of contenders: kept together, measured, stopped, ended.

pub(crate) mod cage;
pub(crate) mod children;
pub(crate) mod each;
pub(crate) mod end;
pub(crate) mod found;
pub(crate) mod groups;
pub(crate) mod guard;
pub(crate) mod io;
mod kin;
pub(crate) mod listening;
pub(crate) mod logs;
pub(crate) mod memory;
pub(crate) mod memory_limit;
pub(crate) mod pin;
pub(crate) mod service;
pub(crate) mod tree;
