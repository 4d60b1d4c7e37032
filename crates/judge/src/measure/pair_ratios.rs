//! The one way from numbers of blocks to what is said of pairs.

use velo_stats::PairLogs;

use crate::measure::launch_logs::LaunchLogs;

/// Every pair of these contenders once, which must be of one fit. `is_pair`: those that did the same work.
pub(crate) fn pairs(
    contenders: &[&LaunchLogs],
    is_pair: impl Fn(usize, usize) -> bool,
) -> Vec<PairLogs<'static>> {
    pairs_of(contenders.len())
        .filter(|(first, second)| is_pair(*first, *second))
        .map(|(first, second)| {
            let over = contenders[first].over(contenders[second]);
            PairLogs {
                first,
                second,
                log_ratios: over.logs().values().copied().collect::<Vec<_>>().into(),
                mean: over.mean(),
                allowance: over.allowance(),
            }
        })
        .collect()
}

fn pairs_of(contenders: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..contenders).flat_map(move |first| (first + 1..contenders).map(move |second| (first, second)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::measure::figures::Blocks;
    use crate::measure::figures::paired_log_ratios;
    use proptest::prelude::*;

    fn of(values: &[(u32, u32, f64)]) -> Blocks {
        values.iter().map(|(launch, block, value)| ((*launch, *block), *value)).collect()
    }

    fn all_pairs(contenders: &[&Blocks]) -> Vec<PairLogs<'static>> {
        pairs(&LaunchLogs::fit(contenders).iter().collect::<Vec<_>>(), |_, _| true)
    }

    #[test]
    fn launches_may_differ_in_their_blocks() {
        let pairs = all_pairs(&[
            &of(&[(1, 1, 2.0), (1, 2, 8.0), (3, 1, 5.0)]),
            &of(&[(1, 1, 1.0), (1, 2, 2.0), (2, 7, 3.0), (3, 1, 5.0)]),
        ]);
        assert_eq!((pairs.len(), pairs[0].first, pairs[0].second), (1, 0, 1));
        // The second launch has no pair.
        let expected = [(2.0_f64.ln() + 4.0_f64.ln()) / 2.0, 0.0];
        assert_eq!(pairs[0].log_ratios.len(), 2);
        assert!(
            pairs[0].log_ratios.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9)
        );
        assert!(all_pairs(&[]).is_empty());
        assert!(all_pairs(&[&Blocks::new(), &Blocks::new()])[0].log_ratios.is_empty());
    }

    proptest! {
        /// Two contenders by themselves: the oracle is the paired median, block by block, over maps.
        #[test]
        fn agrees_with_paired_maps(
            one in proptest::collection::btree_map((1u32..4, 1u32..5), 1u32..4, 0..12),
            other in proptest::collection::btree_map((1u32..4, 1u32..5), 1u32..4, 0..12),
        ) {
            let figures = |map: BTreeMap<(u32, u32), u32>| -> Blocks {
                map.into_iter().map(|(key, value)| (key, f64::from(value))).collect()
            };
            let (one, other) = (figures(one), figures(other));
            let expected = paired_log_ratios(&one, &other);
            let fitted = LaunchLogs::fit(&[&one, &other]);
            let found = fitted[0].over(&fitted[1]);
            for (launch, log_ratio) in &expected {
                prop_assert!((found.logs()[launch] - log_ratio).abs() < 1e-9);
            }
        }
    }
}
