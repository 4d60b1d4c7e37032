//! File descriptors: one for each connection.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is open beside connections: standard streams, files, pollers.
const BESIDE: u64 = 64;

/// Why so many connections cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}\n  {cure}")]
pub struct TooFewDescriptors {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub cure: String,
}

/// Raises this process's limit where so many connections do not fit.
///
/// # Errors
/// When it may not be raised so far.
pub fn make_room(connections: u32) -> Result<(), TooFewDescriptors> {
    let needed = u64::from(connections) + BESIDE;
    let limit = getrlimit(Resource::Nofile);
    let Some(raised) = raised(needed, &limit)? else { return Ok(()) };
    setrlimit(Resource::Nofile, raised).map_err(|error| {
        too_few(
            needed,
            &format!("the limit of {} cannot be raised: {error}", limit.current.unwrap_or(needed)),
        )
    })
}

/// The limit to set, or none where what there is will do.
fn raised(needed: u64, limit: &Rlimit) -> Result<Option<Rlimit>, TooFewDescriptors> {
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(None);
    }
    match limit.maximum {
        Some(most) if most < needed => Err(too_few(needed, &format!("this process may have {most}"))),
        maximum => Ok(Some(Rlimit { current: maximum.or(Some(needed)), maximum })),
    }
}

fn too_few(needed: u64, why: &str) -> TooFewDescriptors {
    let connections = match needed - BESIDE {
        1 => "1 connection needs".to_owned(),
        more => format!("{more} connections need"),
    };
    TooFewDescriptors {
        what: format!("{connections} {needed} file descriptors, and {why}"),
        cure: format!(
            "use fewer connections (-c), or raise the limit: ulimit -Hn {needed} as root, in the shell that then starts velo"
        ),
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
