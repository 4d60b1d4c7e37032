//! One rate for all: what each contender is given in each block, so that CPU time is compared at equal work. Pure.

use crate::course::lane::{LONGEST_WINDOW_NS, WINDOW_NS};

/// A contender this much slower than the fastest would make the one rate idleness for that one.
const GROUP_SPAN: f64 = 20.0;
/// The slowest of a group is loaded to half of what it can do.
const SHARE_OF_SLOWEST: f64 = 0.5;
/// A window has at least this many requests on average.
const LEAST_REQUESTS: f64 = 50.0;

/// What a contender can do on a workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Member {
    /// In a closed loop.
    pub(crate) goodput_per_s: f64,
    /// It is not ranked, so it does not say how the others are grouped.
    pub(crate) is_reference: bool,
}

/// Contenders that are given the same rate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    pub(crate) rate_per_s: f64,
    /// Indices of members, references before the others, each kind fastest first.
    pub(crate) members: Vec<usize>,
}

/// The fastest and all within a twentieth of it form a group, whose rate is half of its slowest; the fastest of the others
/// begins the next. References go with the fastest. Who has answered nothing is in no group.
pub(crate) fn groups(members: &[Member]) -> Vec<Group> {
    let rate = |&index: &usize| members[index].goodput_per_s;
    let of_kind = |is_reference: bool| -> Vec<usize> {
        let mut kind: Vec<usize> = (0..members.len())
            .filter(|&index| members[index].is_reference == is_reference)
            .filter(|index| rate(index).is_finite() && rate(index) > 0.0)
            .collect();
        kind.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
        kind
    };
    let mut ranked = of_kind(false);
    let mut references = of_kind(true);
    let mut groups = Vec::new();
    while let Some(fastest) = ranked.first().or(references.first()).map(&rate) {
        let near = ranked.iter().take_while(|index| rate(index) >= fastest / GROUP_SPAN).count();
        let slower = ranked.split_off(near);
        let slowest = ranked.last().or(references.last()).map_or(fastest, &rate);
        references.append(&mut ranked);
        groups.push(Group { rate_per_s: whole(slowest * SHARE_OF_SLOWEST), members: references });
        (ranked, references) = (slower, Vec::new());
    }
    groups
}

/// All that can serve a stated rate in a closed loop, so that runs of other contenders are measured at the same; those that
/// cannot are in no group. Empty when nobody can.
pub(crate) fn group_at(rate_per_s: f64, members: &[Member]) -> Vec<Group> {
    let mut able: Vec<usize> =
        (0..members.len()).filter(|&index| members[index].goodput_per_s >= rate_per_s).collect();
    able.sort_by(|&a, &b| {
        let (a, b) = (&members[a], &members[b]);
        b.is_reference.cmp(&a.is_reference).then(b.goodput_per_s.total_cmp(&a.goodput_per_s))
    });
    if able.is_empty() { Vec::new() } else { vec![Group { rate_per_s, members: able }] }
}

/// A rate that is easy to read, where that changes next to nothing.
fn whole(rate_per_s: f64) -> f64 {
    if rate_per_s >= 100.0 { rate_per_s.floor() } else { rate_per_s }
}

/// How long a window at this rate is.
pub(crate) fn window_ns(rate_per_s: f64) -> u64 {
    ((LEAST_REQUESTS / rate_per_s * 1e9) as u64).clamp(WINDOW_NS, LONGEST_WINDOW_NS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn member(goodput_per_s: f64) -> Member {
        Member { goodput_per_s, is_reference: false }
    }

    fn reference(goodput_per_s: f64) -> Member {
        Member { goodput_per_s, is_reference: true }
    }

    fn of(members: &[Member]) -> Vec<(f64, Vec<usize>)> {
        groups(members).into_iter().map(|group| (group.rate_per_s, group.members)).collect()
    }

    #[test]
    fn the_rate_is_half_of_the_slowest() {
        assert_eq!(of(&[member(4901.0), member(50_000.0), member(16_000.0)]), [(2450.0, vec![1, 2, 0])]);
        assert_eq!(of(&[member(50_000.0), member(2500.0)]), [(1250.0, vec![0, 1])], "a twentieth is near");
        assert_eq!(of(&[member(3.0)]), [(1.5, vec![0])]);
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn those_below_a_twentieth_have_a_rate_of_their_own() {
        assert_eq!(
            of(&[member(2400.0), member(50_000.0), member(1000.0), member(90.0)]),
            [(25_000.0, vec![1]), (500.0, vec![0, 2]), (45.0, vec![3])]
        );
    }

    #[test]
    fn references_neither_make_a_group_nor_set_its_rate() {
        let references = [reference(200_000.0), reference(190_000.0)];
        let with = |rates: &[f64]| {
            let members: Vec<Member> =
                references.into_iter().chain(rates.iter().copied().map(member)).collect();
            of(&members)
        };
        assert_eq!(with(&[40_000.0, 5_000.0]), [(2500.0, vec![0, 1, 2, 3])]);
        assert_eq!(with(&[40_000.0, 100.0]), [(20_000.0, vec![0, 1, 2]), (50.0, vec![3])]);
        assert_eq!(with(&[]), [(95_000.0, vec![0, 1])]);
    }

    #[test]
    fn a_stated_rate_is_for_those_that_can_serve_it() {
        let members =
            [member(4000.0), reference(90_000.0), member(50_000.0), member(3999.0), member(f64::NAN)];
        assert_eq!(group_at(4000.0, &members), [Group { rate_per_s: 4000.0, members: vec![1, 2, 0] }]);
        assert_eq!(group_at(1e6, &members), []);
    }

    #[test]
    fn who_answers_nothing_is_given_nothing() {
        assert_eq!(
            of(&[member(0.0), member(f64::NAN), member(f64::INFINITY), member(1000.0)]),
            [(500.0, vec![3])]
        );
    }

    #[test]
    fn windows_have_fifty_requests_or_fifty_milliseconds() {
        assert_eq!(window_ns(2450.0), 50_000_000);
        assert_eq!(window_ns(500.0), 100_000_000);
        assert_eq!(window_ns(1e-9), LONGEST_WINDOW_NS);
    }

    proptest! {
        #[test]
        fn everybody_is_in_one_group_and_can_do_its_rate(
            rates in prop::collection::vec((1.0..1e6_f64, any::<bool>()), 0..12),
        ) {
            let members: Vec<Member> = rates
                .iter()
                .map(|&(goodput_per_s, is_reference)| Member { goodput_per_s, is_reference })
                .collect();
            let groups = groups(&members);
            let mut seen: Vec<usize> = groups.iter().flat_map(|group| group.members.clone()).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..members.len()).collect::<Vec<_>>());
            for group in &groups {
                for &index in group.members.iter().filter(|&&index| !members[index].is_reference) {
                    let share = group.rate_per_s / members[index].goodput_per_s;
                    prop_assert!((0.4 / GROUP_SPAN..=0.5).contains(&share), "{share}");
                }
            }
        }
    }
}
