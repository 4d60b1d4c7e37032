//! Each fault does what it says.

mod raw;
mod table;
mod with_h2;
