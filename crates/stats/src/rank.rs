/// The ranks that a contender may hold: 1 is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankRange {
    /// One more than the number of contenders that are separated above it.
    pub best: u32,
    /// The number of contenders less those that are separated below it.
    pub worst: u32,
}

/// The ranks of `count` contenders. `above(i, j)` says whether i is separated from j and better.
///
/// A tie is not equality: contenders that share a rank were not told apart.
pub fn rank_ranges(count: u32, above: impl Fn(usize, usize) -> bool) -> Vec<RankRange> {
    let all = count as usize;
    (0..all)
        .map(|own| {
            let others = || (0..all).filter(move |other| *other != own);
            let separated_above = others().filter(|other| above(*other, own)).count();
            let separated_below = others().filter(|other| above(own, *other)).count();
            RankRange { best: 1 + separated_above as u32, worst: (all - separated_below) as u32 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_intervals(intervals: &[(f64, f64)]) -> Vec<(u32, u32)> {
        rank_ranges(intervals.len() as u32, |i, j| intervals[i].0 > intervals[j].1)
            .into_iter()
            .map(|range| (range.best, range.worst))
            .collect()
    }

    #[test]
    fn separated_contenders_have_one_rank_each() {
        assert_eq!(of_intervals(&[(30.0, 31.0), (20.0, 21.0), (10.0, 11.0)]), [(1, 1), (2, 2), (3, 3)]);
    }

    #[test]
    fn overlapping_contenders_share_ranks() {
        assert_eq!(of_intervals(&[(10.0, 12.0), (11.0, 13.0), (1.0, 2.0)]), [(1, 2), (1, 2), (3, 3)]);
    }

    #[test]
    fn a_chain_of_overlaps_is_not_one_tie() {
        // The first and the last are separated, the middle one from neither.
        assert_eq!(of_intervals(&[(10.0, 12.0), (8.0, 11.0), (7.0, 9.0)]), [(1, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn none_and_one() {
        assert!(of_intervals(&[]).is_empty());
        assert_eq!(of_intervals(&[(1.0, 2.0)]), [(1, 1)]);
    }

    proptest! {
        /// The oracle: the ranks of every choice of one point in each interval lie within the range.
        #[test]
        fn every_possible_order_lies_within(
            intervals in proptest::collection::vec((0.0..100.0_f64, 0.0..10.0_f64), 1..8),
            choice in proptest::collection::vec(0.0..1.0_f64, 8),
        ) {
            let intervals: Vec<_> = intervals.into_iter().map(|(low, width)| (low, low + width)).collect();
            let points: Vec<f64> =
                intervals.iter().zip(&choice).map(|((low, high), at)| low + (high - low) * at).collect();
            for (own, (best, worst)) in of_intervals(&intervals).into_iter().enumerate() {
                let rank = 1 + points.iter().filter(|point| **point > points[own]).count() as u32;
                prop_assert!(best <= rank && rank <= worst);
            }
        }
    }
}
