//! Many runs as a static site: pages of tables, links and small pictures, without a script and without anything from
//! elsewhere.
//!
//! Runs are added one by one; of each only what tables and trends need is kept. Nothing is read or written here: the pages
//! are handed out as paths and texts.

mod chart;
mod contender;
mod entry;
mod figures;
mod file;
mod group;
mod index;
mod layout;
mod left_out;
mod limits;
mod map;
mod measure;
mod names;
mod pages;
mod run;
mod runs;
mod series;
mod workload;

pub use file::SiteFile;
pub use limits::{MOST_CONTENDERS, MOST_RUNS, MOST_WORKLOADS};
pub use pages::Site;
