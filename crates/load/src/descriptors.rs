//! File descriptors: one for each connection.

use anyhow::bail;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is open beside connections: standard streams, files, pollers.
const BESIDE: u64 = 64;

/// Raises this process's limit where so many connections do not fit.
///
/// # Errors
/// When it may not be raised so far.
pub(crate) fn make_room(connections: u32) -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let Some(raised) = raised(u64::from(connections) + BESIDE, &limit)? else { return Ok(()) };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        bail!("the limit of file descriptors cannot be raised for {connections} connections: {error}");
    }
    Ok(())
}

/// The limit to set, or none where what there is will do.
fn raised(needed: u64, limit: &Rlimit) -> anyhow::Result<Option<Rlimit>> {
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(None);
    }
    match limit.maximum {
        Some(most) if most < needed => bail!(
            "{} connections need {needed} file descriptors, and this process may have {most}\n  \
             use fewer with -c, or raise the limit: ulimit -Hn {needed} as root, in the shell that then starts velo",
            needed - BESIDE
        ),
        maximum => Ok(Some(Rlimit { current: maximum.or(Some(needed)), maximum })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(current: u64, maximum: Option<u64>) -> Rlimit {
        Rlimit { current: Some(current), maximum }
    }

    #[test]
    fn the_limit_is_raised_only_where_it_must_be() {
        assert!(raised(1000, &limit(1024, Some(4096))).expect("room").is_none());
        let set = raised(1100, &limit(1024, Some(4096))).expect("room").expect("raised");
        assert_eq!((set.current, set.maximum), (Some(4096), Some(4096)));
        let set = raised(1100, &limit(1024, None)).expect("room").expect("raised");
        assert_eq!((set.current, set.maximum), (Some(1100), None));
        assert!(raised(1100, &Rlimit { current: None, maximum: None }).expect("room").is_none());
    }

    #[test]
    fn a_limit_that_cannot_be_raised_is_explained() {
        let error = raised(5064, &limit(1024, Some(4096))).expect_err("no room").to_string();
        for part in ["5000 connections", "5064", "4096", "ulimit -Hn 5064"] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
