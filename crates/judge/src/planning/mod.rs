//! How many launches and blocks a budget buys, and what else it has room for; and which budget buys so many. Pure.
//!
//! The plan is the one whose pairs are expected to have the narrowest intervals: more blocks in a launch share its start and warm-up,
//! more launches make up for what differs between launches (T. Kalibera and R. Jones, "Rigorous Benchmarking in Reasonable Time",
//! ISMM 2013). What promises a budget asks the same code that will plan it.

mod bought;
mod budget;
mod choose;
mod gate;
mod price;
mod promise;
mod size;

pub use self::budget::{budget_for_s, plannable_ns};
pub use self::choose::{Chosen, PROOF_PAIRS, as_published, given, plan, quick};
pub use self::gate::gate;
pub use self::size::Size;

pub(crate) use self::budget::as_typed_ns;
pub(crate) use self::promise::Promise;
