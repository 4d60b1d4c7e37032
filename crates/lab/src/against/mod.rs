//! Two services that run already, loaded in turn: A, B, B, A, in short windows over connections that stay open.

mod measure;
mod options;
mod others;
mod side;
#[cfg(test)]
mod tests;

pub use measure::against;
pub use options::{AgainstMeasured, AgainstOptions, AgainstSoFar, ServiceChoice, SideOptions};
