//! The distances over which contenders are called while they live.

use velo_link::{LinkError, LinkHandle, Options};
use velo_model::{Link, PartyRole};

use crate::course::rig::Rig;
use crate::host::network::Network;

/// The networks that lead to one place: without distance, and over a link for each distance.
#[derive(Debug, Clone, Default)]
pub(super) struct Distances {
    /// Without distance: this machine's own network, or the loopback device at the far end of the links.
    pub(super) none: Network,
    /// By round-trip time in milliseconds.
    links: Vec<(u32, Network)>,
}

impl Distances {
    /// Opens a link for each of some round-trip times, which may hold 0.
    ///
    /// # Errors
    /// When there can be no links here.
    pub(super) fn open(rig: &Rig<'_>, rtts_ms: &[u32], launch: u32) -> Result<Self, LinkError> {
        let rtts_ms: Vec<u32> = rtts_ms.iter().copied().filter(|rtt_ms| *rtt_ms > 0).collect();
        let link =
            |rtt_ms: &u32| Link { rtt_ns: u64::from(*rtt_ms) * 1_000_000, rate_bits_per_s: None, loss: 0.0 };
        let links: Vec<Link> = rtts_ms.iter().map(link).collect();
        let options = Options {
            seed: rig.options.seed ^ u64::from(launch),
            cpus: rig.file.placement.cpus(PartyRole::Link).to_vec(),
            ..Options::default()
        };
        let networks = LinkHandle::open_all(&links, &options)?.into_iter().map(Network::over);
        let links: Vec<(u32, Network)> = rtts_ms.into_iter().zip(networks).collect();
        let none = links.first().map_or_else(Network::default, |(_, network)| network.together());
        Ok(Self { none, links })
    }

    /// The network with a round-trip time; `None`: there is no such link.
    pub(super) fn at(&self, rtt_ms: u32) -> Option<&Network> {
        if rtt_ms == 0 {
            return Some(&self.none);
        }
        self.links.iter().find(|(own_ms, _)| *own_ms == rtt_ms).map(|(_, network)| network)
    }
}
