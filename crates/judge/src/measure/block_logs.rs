//! The logarithms of a figure, contender by contender and block by block.

use std::collections::BTreeMap;

use velo_stats::levels_in_launch;

use super::figures::Blocks;

/// The logarithm of a figure for each contender and block; NaN where there is none.
#[derive(Debug, Clone)]
pub(crate) struct BlockLogs {
    /// Each launch's number.
    numbers: Vec<u32>,
    /// Where each launch's blocks begin in a row, and where the last one's end.
    edges: Vec<usize>,
    /// One contender each: all its blocks, launch by launch.
    rows: Vec<Vec<f64>>,
}

impl BlockLogs {
    /// Of figures that were measured: one map a contender.
    pub(crate) fn measured(contenders: &[&Blocks]) -> Self {
        let mut columns: BTreeMap<(u32, u32), usize> =
            contenders.iter().copied().flatten().map(|(key, _)| (*key, 0)).collect();
        let (mut numbers, mut edges) = (Vec::new(), Vec::new());
        let mut before = None;
        for (column, (key, number)) in columns.iter_mut().enumerate() {
            *number = column;
            if before.replace(key.0) != Some(key.0) {
                edges.push(column);
                numbers.push(key.0);
            }
        }
        edges.push(columns.len());
        let row = |blocks: &&Blocks| {
            let mut row = vec![f64::NAN; columns.len()];
            for (key, value) in *blocks {
                row[columns[key]] = value.ln();
            }
            row
        };
        Self { numbers, rows: contenders.iter().map(row).collect(), edges }
    }

    pub(crate) fn contenders(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn launches(&self) -> usize {
        self.numbers.len()
    }

    /// The launches' own numbers.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// A contender's blocks in a launch, counted from 0.
    pub(crate) fn blocks(&self, contender: usize, launch: usize) -> &[f64] {
        &self.rows[contender][self.edges[launch]..self.edges[launch + 1]]
    }

    /// One number for each contender and launch, NaN where there is none.
    pub(crate) fn levels(&self) -> Vec<Vec<f64>> {
        let mut table = vec![Vec::new(); self.contenders()];
        for launch in 0..self.launches() {
            let blocks: Vec<&[f64]> =
                (0..self.contenders()).map(|contender| self.blocks(contender, launch)).collect();
            for (row, level) in table.iter_mut().zip(levels_in_launch(&blocks)) {
                row.push(level);
            }
        }
        table
    }
}
