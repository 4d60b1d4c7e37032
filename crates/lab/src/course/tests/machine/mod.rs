//! A machine with contenders for tests: its time passes only while somebody waits, and nothing runs on it.
//!
//! A [`world::World`] is the clock and the host, and what stands for the two sides shares it. It panics where a course does what
//! would spoil a measurement: it loads a contender that is stopped, or lets another one run meanwhile.

mod load;
mod serve;
pub(crate) mod world;
