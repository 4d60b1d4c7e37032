//! The link that workloads ask for between load and contenders.

use velo_link::{LinkHandle, Near, Options};
use velo_model::{Link, Workload};

use crate::LabError;
use crate::host::network::Network;

/// The link of a run: that of its workloads, which is one.
pub(crate) fn of(workloads: &[Workload]) -> Option<Link> {
    workloads.first().and_then(|workload| workload.load.link)
}

/// What became of a run's link.
pub(crate) struct Joined {
    pub(crate) network: Network,
    /// Why there is none although workloads name one, and what follows; it marks the result.
    pub(crate) without: Option<String>,
}

/// Opens the link that workloads ask for; where none can be had and it was not asked for by hand, takes it away from them.
///
/// # Errors
/// When none can be had and `is_needed`.
pub(crate) fn join(
    workloads: &mut [Workload],
    seed: u64,
    cpus: &[u32],
    is_needed: bool,
) -> Result<Joined, LabError> {
    let Some(link) = of(workloads) else {
        return Ok(Joined { network: Network::default(), without: None });
    };
    // Nobody asks for single packets here.
    let options = Options { near: Near::Apart, seed, cpus: cpus.to_vec(), logged: 0 };
    match LinkHandle::open(&link, &options) {
        Ok(open) => Ok(Joined { network: Network::over(open), without: None }),
        Err(error) if is_needed => {
            Err(LabError::Unfit { what: format!("--link {link}: {error}"), cure: error.cure().to_owned() })
        }
        Err(error) => {
            for workload in workloads {
                workload.load.link = None;
            }
            Ok(Joined {
                network: Network::default(),
                without: Some(format!("without the link {link}, at a round-trip time of 0 ({error})")),
            })
        }
    }
}
