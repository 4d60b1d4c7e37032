//! A run's files in one file, to be judged elsewhere: a tar archive, compressed with gzip, with the checksum of each.

mod read;
mod sums;
mod write;

pub use read::{is_archive, read_archive};
pub use write::Archive;
