//! What is measured: workloads and contenders, read from TOML and validated.

mod hash;

pub mod read;

pub use velo_request::{Definition, SpecError};
