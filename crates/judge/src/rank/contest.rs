//! Contenders by one figure, whatever it was measured by: how each two of them compare, and the ranks that follow.

use std::collections::{BTreeMap, BTreeSet};

use velo_model::{Better, Figure};
use velo_stats::{Comparison, PairRules, PairState, RankRange, compare_pairs, rank_ranges};

use crate::measure::launch_logs::LaunchLogs;
use crate::measure::pair_ratios::pairs;

/// A contender that may be ranked: one number a launch, from one fit of all.
pub(crate) struct Candidate<'a> {
    pub(crate) logs: &'a LaunchLogs,
    /// Only those of one group did the same work, and are pairs.
    pub(crate) group: usize,
}

/// How candidates compare. Candidates are named by their place.
pub(crate) struct Contest {
    pub(crate) comparison: Comparison,
    /// The ranks of each candidate in its group. Only those that are separated from one another have different ones.
    pub(crate) ranges: Vec<RankRange>,
}

impl<'a> Candidate<'a> {
    /// Candidates that all did the same work.
    pub(crate) fn together(logs: impl IntoIterator<Item = &'a LaunchLogs>) -> Vec<Self> {
        logs.into_iter().map(|logs| Self { logs, group: 0 }).collect()
    }
}

/// Compares the candidates by a figure. The pairs of all groups are one family: `level` is the probability of even one false
/// separation among them.
pub(crate) fn contest(figure: Figure, candidates: &[Candidate<'_>], level: f64) -> Contest {
    let logs: Vec<&LaunchLogs> = candidates.iter().map(|candidate| candidate.logs).collect();
    let is_pair = |first: usize, second: usize| candidates[first].group == candidates[second].group;
    let comparison = compare_pairs(&pairs(&logs, is_pair), PairRules::at_level(level));
    let is_more = figure.row().better == Better::More;
    // Better and worse, by place.
    let separated: BTreeSet<(usize, usize)> = comparison
        .pairs
        .iter()
        .filter_map(|pair| {
            let PairState::Separated { above } = pair.state else { return None };
            let below = if above == pair.first { pair.second } else { pair.first };
            Some(if is_more { (above, below) } else { (below, above) })
        })
        .collect();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, candidate) in candidates.iter().enumerate() {
        groups.entry(candidate.group).or_default().push(place);
    }
    let mut ranges = vec![RankRange { best: 1, worst: 1 }; candidates.len()];
    for places in groups.into_values() {
        let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let of_group = rank_ranges(count, |one, other| separated.contains(&(places[one], places[other])));
        places.into_iter().zip(of_group).for_each(|(place, range)| ranges[place] = range);
    }
    Contest { comparison, ranges }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::figures::Launches;

    fn fitted(levels: &[f64]) -> Vec<LaunchLogs> {
        let launches = |level: &f64| -> Launches {
            (1..=6).map(|launch| (launch, level * (1.0 + 0.001 * f64::from(launch % 3)))).collect()
        };
        let all: Vec<Launches> = levels.iter().map(launches).collect();
        LaunchLogs::fit_launches(&all.iter().collect::<Vec<_>>())
    }

    fn ranks(figure: Figure, candidates: &[Candidate<'_>]) -> Vec<(u32, u32)> {
        let contest = contest(figure, candidates, 0.05);
        contest.ranges.iter().map(|range| (range.best, range.worst)).collect()
    }

    #[test]
    fn the_better_value_is_first_whichever_that_is() {
        let logs = fitted(&[100.0, 50.0, 100.0]);
        let candidates = Candidate::together(&logs);
        assert_eq!(ranks(Figure::Goodput, &candidates), [(1, 2), (3, 3), (1, 2)]);
        assert_eq!(ranks(Figure::IterationSteady, &candidates), [(2, 3), (1, 1), (2, 3)]);
        assert_eq!(ranks(Figure::Goodput, &[]), []);
    }

    #[test]
    fn groups_have_ranks_and_pairs_of_their_own() {
        let logs = fitted(&[100.0, 50.0, 200.0, 20.0]);
        let groups = [0, 1, 0, 1];
        let candidates: Vec<Candidate<'_>> =
            logs.iter().zip(groups).map(|(logs, group)| Candidate { logs, group }).collect();
        assert_eq!(ranks(Figure::CpuAtOneRate, &candidates), [(1, 1), (2, 2), (2, 2), (1, 1)]);
        let found = contest(Figure::CpuAtOneRate, &candidates, 0.05).comparison;
        let pairs: Vec<(usize, usize)> = found.pairs.iter().map(|pair| (pair.first, pair.second)).collect();
        assert_eq!(pairs, [(0, 2), (1, 3)]);
    }
}
