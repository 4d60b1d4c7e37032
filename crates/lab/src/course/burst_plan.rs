//! Which bursts there are, in their order, and how long they may take. Pure.

use std::time::Duration;

use velo_model::{Burst, Contender, ContenderName};
use velo_record::BurstShape;

/// Connections of the sweep, with one request on each: from the published number, upward beyond the threads that servers
/// have by default (200 in Tomcat) and the backlogs that they ask for (50 to 1,024).
pub(crate) const SWEEP_CONNECTIONS: [u32; 6] = [40, 100, 200, 400, 1000, 2000];

/// The longest that a request of a burst is waited for. The slowest burst of a published table took 101 s; a sweep's last
/// request waits longer than this where fewer than 14 of 2,000 are served at a time, each for a second.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(150);
/// No request of a burst is sent later than this: enough for 200 of a second each, one after the other.
pub(crate) const LONGEST_SENDING: Duration = Duration::from_secs(300);

/// Requests over some connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BurstSpec {
    /// Which request of the workload, by its index.
    pub(crate) request: usize,
    pub(crate) shape: BurstShape,
}

/// A burst that contenders take in turn, in each of its styles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Series {
    /// The index of the workload.
    pub(crate) workload: usize,
    pub(crate) styles: Vec<BurstSpec>,
    /// In each launch; else in the first only.
    pub(crate) each_launch: bool,
    /// Only these; empty: all.
    contenders: Vec<ContenderName>,
}

impl Series {
    pub(crate) fn is_for(&self, contender: &Contender) -> bool {
        self.contenders.is_empty() || self.contenders.contains(&contender.name)
    }
}

/// The bursts of a workload: those of each launch before those of the first only, few requests before many, and the sweep
/// last, because it may leave a contender with work that nobody waits for. `quick`: the smallest alone, once.
pub(crate) fn series(bursts: &[Burst], workload: usize, quick: bool, full: bool) -> Vec<Series> {
    let mut bursts: Vec<&Burst> = bursts.iter().collect();
    bursts.sort_by_key(|burst| (!burst.each_launch, burst.requests, burst.connections));
    let smallest = bursts.iter().min_by_key(|burst| (burst.requests, burst.connections)).copied();
    if quick {
        bursts.retain(|burst| smallest.is_some_and(|smallest| std::ptr::eq(*burst, smallest)));
    }
    let mut series: Vec<Series> = bursts
        .iter()
        .map(|burst| Series {
            workload,
            styles: [false, true]
                .map(|first_alone| BurstSpec {
                    request: burst.request,
                    shape: BurstShape {
                        sweep: false,
                        requests: burst.requests,
                        connections: burst.connections,
                        first_alone,
                    },
                })
                .to_vec(),
            each_launch: burst.each_launch && !quick,
            contenders: burst.contenders.clone(),
        })
        .collect();
    if let Some(smallest) = smallest.filter(|_| full && !quick) {
        let contenders = if bursts.iter().any(|burst| burst.contenders.is_empty()) {
            Vec::new()
        } else {
            bursts.iter().flat_map(|burst| burst.contenders.clone()).collect()
        };
        series.extend(SWEEP_CONNECTIONS.map(|connections| Series {
            workload,
            styles: vec![BurstSpec {
                request: smallest.request,
                shape: BurstShape { sweep: true, requests: connections, connections, first_alone: false },
            }],
            each_launch: false,
            contenders: contenders.clone(),
        }));
    }
    series
}

impl BurstSpec {
    /// How long it takes when so many requests at most are served at a time, each for `wait_ns`.
    pub(crate) fn expected_ns(&self, wait_ns: u64, at_a_time: Option<u32>) -> u64 {
        let BurstShape { requests, connections, first_alone, .. } = self.shape;
        let together = at_a_time.unwrap_or(u32::MAX).min(connections).max(1);
        let alone = u32::from(first_alone);
        let rounds = alone + requests.saturating_sub(alone).div_ceil(together);
        let most = LONGEST_SENDING + LONGEST_WAIT;
        u64::from(rounds).saturating_mul(wait_ns).min(most.as_nanos() as u64)
    }

    /// How many requests were served at a time, by how long it took; `None` when all that there were, so that it may have
    /// been more.
    pub(crate) fn at_a_time(&self, wait_ns: u64, makespan_ns: u64) -> Option<u32> {
        let BurstShape { requests, connections, .. } = self.shape;
        let served = (f64::from(requests) * wait_ns as f64 / makespan_ns.max(1) as f64).round();
        (served < f64::from(connections.min(requests))).then_some((served as u32).max(1))
    }
}

#[cfg(test)]
mod tests {
    use velo_model::Burst;

    use super::*;

    const S: u64 = 1_000_000_000;

    fn bursts(bursts: &[(u32, bool, &[&str])]) -> Vec<Burst> {
        let name = |name: &&str| ContenderName::new(name).unwrap();
        let burst = |(requests, each_launch, contenders): &(u32, bool, &[&str])| Burst {
            request: 1,
            requests: *requests,
            connections: 40,
            each_launch: *each_launch,
            contenders: contenders.iter().map(name).collect(),
        };
        bursts.iter().map(burst).collect()
    }

    fn sizes(series: &[Series]) -> Vec<(u32, bool, usize)> {
        series.iter().map(|one| (one.styles[0].shape.requests, one.each_launch, one.styles.len())).collect()
    }

    #[test]
    fn those_of_each_launch_come_first_and_the_sweep_last() {
        let bursts = bursts(&[(400, false, &["java/spring"]), (40, true, &[]), (200, false, &[])]);
        let all = series(&bursts, 3, false, false);
        assert_eq!(sizes(&all), [(40, true, 2), (200, false, 2), (400, false, 2)]);
        assert!(all.iter().all(|one| one.workload == 3
            && !one.styles[0].shape.first_alone
            && one.styles[1].shape.first_alone));
        let full = series(&bursts, 0, false, true);
        let sweep: Vec<_> = full[3..].iter().map(|one| one.styles[0]).collect();
        assert_eq!(sweep.iter().map(|spec| spec.shape.requests).collect::<Vec<_>>(), SWEEP_CONNECTIONS);
        assert!(sweep.iter().all(|spec| spec.shape.sweep
            && spec.shape.requests == spec.shape.connections
            && !spec.shape.first_alone));
        assert!(full[3..].iter().all(|one| one.contenders.is_empty() && one.styles.len() == 1));
    }

    #[test]
    fn a_quick_look_has_the_smallest_once() {
        let bursts = bursts(&[(400, false, &[]), (40, true, &[])]);
        assert_eq!(sizes(&series(&bursts, 0, true, true)), [(40, false, 2)]);
        assert!(series(&[], 0, false, true).is_empty(), "no bursts, no sweep");
    }

    #[test]
    fn a_sweep_is_for_all_that_any_burst_is_for() {
        let bursts = bursts(&[(40, true, &["go/gin"]), (200, false, &["go/gin", "java/spring"])]);
        let sweep = series(&bursts, 0, false, true).pop().unwrap();
        assert_eq!(
            sweep.contenders.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["go/gin", "go/gin", "java/spring"]
        );
    }

    #[test]
    fn the_published_lengths_follow_from_how_many_are_served_at_a_time() {
        let burst = |requests, first_alone| BurstSpec {
            request: 0,
            shape: BurstShape { sweep: false, requests, connections: 40, first_alone },
        };
        // The published table: four at a time as ab does it, and all forty.
        for (requests, four_s, all_s) in [(40, 11, 2), (200, 51, 6), (400, 101, 11)] {
            let spec = burst(requests, true);
            assert_eq!(spec.expected_ns(S, Some(4)), four_s * S);
            assert_eq!(spec.expected_ns(S, None), all_s * S);
        }
        assert_eq!(burst(40, false).expected_ns(S, Some(4)), 10 * S);
        assert_eq!(burst(200, false).expected_ns(S, Some(1)), 200 * S);
        assert_eq!(burst(100_000, false).expected_ns(S, Some(1)), 450 * S, "nobody waits longer");
        assert_eq!(burst(1, true).expected_ns(S, None), S);
    }

    #[test]
    fn a_makespan_shows_how_many_are_served_at_a_time() {
        let spec = BurstSpec {
            request: 0,
            shape: BurstShape { sweep: false, requests: 40, connections: 40, first_alone: false },
        };
        assert_eq!(spec.at_a_time(S, 10 * S + S / 20), Some(4));
        assert_eq!(spec.at_a_time(S, S + S / 200), None, "all at once");
        assert_eq!(spec.at_a_time(S, 60 * S), Some(1));
        assert_eq!(spec.at_a_time(0, 0), Some(1), "no wait, no sense, no panic");
    }
}
