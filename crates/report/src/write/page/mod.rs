//! The run as a page: one HTML file without a network, built from `web/` and filled with the run's data.

mod badges;
mod cards;
mod data;
mod filled;
mod notes;
mod rankings;
mod terms;

pub use filled::page;
#[cfg(feature = "schema")]
pub use filled::page_schema;
