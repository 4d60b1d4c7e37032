//! Drawn blocks, and the shipped way from them to what is said of pairs.

use velo_stats::{Comparison, PairLogs, PairRules, compare_pairs, levels_in_launch};

/// The logarithm of a figure for each contender, launch and block; launches have as many blocks each.
#[derive(Debug, Clone)]
pub(crate) struct BlockLogs {
    launches: usize,
    blocks: usize,
    /// One contender each: all its blocks, launch by launch.
    rows: Vec<Vec<f64>>,
}

impl BlockLogs {
    /// As many launches of as many blocks, all 0.
    pub(crate) fn zeros(contenders: usize, launches: usize, blocks: usize) -> Self {
        Self { launches, blocks, rows: vec![vec![0.0; launches * blocks]; contenders] }
    }

    pub(crate) fn contenders(&self) -> usize {
        self.rows.len()
    }

    /// A contender's blocks in a launch, counted from 0.
    pub(crate) fn blocks(&self, contender: usize, launch: usize) -> &[f64] {
        &self.rows[contender][launch * self.blocks..][..self.blocks]
    }

    /// The same to be filled.
    pub(crate) fn blocks_mut(&mut self, contender: usize, launch: usize) -> &mut [f64] {
        &mut self.rows[contender][launch * self.blocks..][..self.blocks]
    }

    /// Every pair within groups of so many contenders each, once, by the numbers that each group has by itself.
    pub(crate) fn pairs_within(&self, groups: &[usize]) -> Vec<PairLogs<'static>> {
        let mut pairs = Vec::new();
        let mut begin = 0;
        for size in groups {
            let levels = self.levels_of(begin..begin + size);
            for first in 0..*size {
                for second in first + 1..*size {
                    let log_ratios: Vec<f64> =
                        levels.iter().map(|launch| launch[first] - launch[second]).collect();
                    let (first, second) = (begin + first, begin + second);
                    pairs.push(PairLogs {
                        first,
                        second,
                        log_ratios: log_ratios.into(),
                        mean: None,
                        allowance: 0.0,
                    });
                }
            }
            begin += size;
        }
        pairs
    }

    /// For each launch one number for each of some contenders, as if the others were not there.
    fn levels_of(&self, contenders: std::ops::Range<usize>) -> Vec<Vec<f64>> {
        let of_launch = |launch| {
            let blocks: Vec<&[f64]> =
                contenders.clone().map(|contender| self.blocks(contender, launch)).collect();
            levels_in_launch(&blocks)
        };
        (0..self.launches).map(of_launch).collect()
    }
}

/// What is said of all pairs after their first `launches` launches.
pub(crate) fn compare(pairs: &[PairLogs<'_>], launches: usize, rules: PairRules) -> Comparison {
    let logs: Vec<PairLogs<'_>> = pairs
        .iter()
        .map(|pair| PairLogs {
            first: pair.first,
            second: pair.second,
            log_ratios: pair.log_ratios[..launches.min(pair.log_ratios.len())].into(),
            mean: None,
            allowance: 0.0,
        })
        .collect();
    compare_pairs(&logs, rules)
}
