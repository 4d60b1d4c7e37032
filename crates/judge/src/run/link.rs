//! What the link between load and contenders did.

use serde::Serialize;
use velo_model::{Link, PartyRole, Workload};
use velo_record::{LinkWay, LinkWindow, Window};

/// The link of a run, and what it did over all windows, settling and draining included.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkUse {
    /// What was asked for.
    pub link: Link,
    /// IP packets that came to it, from both sides.
    pub packets: u64,
    /// Of those, lost at random.
    pub lost: u64,
    /// Of those, lost because the queue before the rate was full.
    pub overflowed: u64,
    /// How much later than due packets were handed over, on average: what the forwarder's own timing adds to each way.
    pub late_ns: Option<f64>,
    /// The share of packets that were later than a millisecond.
    pub very_late_share: Option<f64>,
    /// CPU time of the forwarder as a share of the time in which there was load. It is on the generator's CPUs, and in no
    /// contender's figure.
    pub busy_share: Option<f64>,
}

/// Sums up what the windows say; `None` of a run without a link.
pub(super) fn used(workloads: &[Workload], windows: &[Window]) -> Option<LinkUse> {
    let link = workloads.iter().find_map(|workload| workload.load.link)?;
    let seen: Vec<(&Window, &LinkWindow)> =
        windows.iter().filter_map(|window| Some((window, window.link.as_ref()?))).collect();
    let sum = |of: fn(&LinkWay) -> u64| {
        let ways = seen.iter().flat_map(|(_, link)| [&link.up, &link.down]);
        ways.fold(0u64, |sum, way| sum.saturating_add(of(way)))
    };
    let loaded_ns: f64 = seen
        .iter()
        .map(|(window, _)| window.settling_ns as f64 + window.duration_ns as f64 + window.drain_ns as f64)
        .sum();
    let cpu_ns: f64 =
        seen.iter().filter_map(|(window, _)| window.cpu_total_ns(PartyRole::Link)).map(|ns| ns as f64).sum();
    let share = |of: f64, whole: f64| (whole > 0.0).then(|| of / whole);
    let delivered = sum(|way| way.delivered) as f64;
    Some(LinkUse {
        link,
        packets: sum(|way| way.packets),
        lost: sum(|way| way.lost),
        overflowed: sum(|way| way.overflowed),
        late_ns: share(sum(|way| way.late_ns) as f64, delivered),
        very_late_share: share(sum(|way| way.very_late) as f64, delivered),
        busy_share: share(cpu_ns, loaded_ns),
    })
}

#[cfg(test)]
mod tests {
    use velo_fixtures::{Simulated, Simulation};
    use velo_record::Party;

    use super::*;

    #[test]
    fn windows_are_summed_up() {
        let (mut file, mut windows) = Simulation::new(vec![Simulated::new("go/gin", 1_000.0)]).run();
        assert_eq!(used(&file.workloads, &windows), None);
        let link: Link = "rtt=20ms".parse().unwrap();
        file.workloads[0].load.link = Some(link);
        let nothing = used(&file.workloads, &windows).unwrap();
        assert_eq!((nothing.packets, nothing.late_ns, nothing.busy_share), (0, None, None));
        windows.truncate(2);
        for window in &mut windows {
            let way = LinkWay {
                packets: 10,
                bytes: 900,
                lost: 2,
                overflowed: 1,
                delivered: 5,
                late_ns: 500,
                very_late: 1,
            };
            (window.settling_ns, window.duration_ns, window.drain_ns) = (10, 80, 10);
            window.link = Some(LinkWindow { up: way, down: way });
            window.parties.push(Party { cpu_total_ns: Some(25), ..Party::new(PartyRole::Link) });
        }
        let found = used(&file.workloads, &windows).unwrap();
        assert_eq!((found.packets, found.lost, found.overflowed), (40, 8, 4));
        assert_eq!(
            (found.late_ns, found.very_late_share, found.busy_share),
            (Some(100.0), Some(0.2), Some(0.25))
        );
    }
}
