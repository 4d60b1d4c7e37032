//! Limits of the shell (`ulimit`) that would end this program without a word.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, getrlimit};
use signal_hook::consts::SIGXFSZ;
use velo_stats::number::binary_bytes;

/// With less address space threads and buffers of a load may not be had, and Rust's programs end where memory cannot be.
const ENOUGH_BYTES: u64 = 1 << 30;

/// Makes of the signal for a file over `ulimit -f` the error of the call that writes it. It is caught and not ignored, since what is started
/// would inherit that.
///
/// # Errors
/// When the signal cannot be caught.
pub(crate) fn catch_large_files() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

/// A line about `ulimit -v`, where that is tight.
pub(crate) fn tight_memory() -> Option<String> {
    words(getrlimit(Resource::As).current?)
}

fn words(limit_bytes: u64) -> Option<String> {
    (limit_bytes < ENOUGH_BYTES).then(|| {
        format!(
            "note: ulimit -v allows {} of address space, expected {} or no limit: velo is aborted when it needs more\n",
            binary_bytes(limit_bytes),
            binary_bytes(ENOUGH_BYTES)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tight_limit_is_told() {
        assert_eq!(words(1 << 30), None);
        let said = words(400 << 20).unwrap();
        assert!(said.contains("ulimit -v allows 400 MiB") && said.ends_with("more\n"), "{said}");
    }
}
