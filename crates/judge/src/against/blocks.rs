//! Which blocks count, and what others took meanwhile: the rules of a run.

use std::collections::BTreeSet;

use velo_record::{AgainstBlock, AgainstRecord, AgainstWindow};
use velo_stats::median;

use crate::measure::blocks::{LEAST_TAKEN_NS, TAKEN, UNFIT};

/// The blocks of a load.
pub(super) struct Blocks<'r> {
    /// Those that count: all, where most would be dropped.
    pub(super) counted: Vec<&'r AgainstBlock>,
    pub(super) dropped: usize,
    /// Batches that have blocks that count.
    pub(super) batches: usize,
    /// Most would be dropped, so that nothing is decided.
    pub(super) is_unfit: bool,
    /// Of those that count, the share of the time of the generator's CPUs.
    pub(super) taken_share: Option<f64>,
    /// How busy A and B keep the generator.
    pub(super) busy: [Option<f64>; 2],
}

impl<'r> Blocks<'r> {
    pub(super) fn of(record: &'r AgainstRecord) -> Self {
        let cpus = f64::from(record.watched_cpus.max(1));
        let is_taken = |block: &&AgainstBlock| {
            let taken_ns = block.taken_ns.unwrap_or(0) as f64;
            taken_ns > LEAST_TAKEN_NS && taken_ns >= TAKEN * block.elapsed_ns as f64 * cpus
        };
        let all: Vec<&AgainstBlock> = record.blocks.iter().collect();
        let dropped = all.iter().filter(|block| is_taken(block)).count();
        let is_unfit = dropped as f64 > UNFIT * all.len() as f64;
        let counted: Vec<_> = all.into_iter().filter(|block| is_unfit || !is_taken(block)).collect();
        let threads = record.settings.cpus.len().max(1) as f64;
        Self {
            dropped,
            batches: counted.iter().map(|block| block.batch).collect::<BTreeSet<u32>>().len(),
            is_unfit,
            taken_share: taken_share(&counted, cpus),
            busy: [
                busy(counted.iter().map(|block| &block.a), threads),
                busy(counted.iter().map(|block| &block.b), threads),
            ],
            counted,
        }
    }
}

/// Only sums count: ticks are coarse.
fn taken_share(blocks: &[&AgainstBlock], cpus: f64) -> Option<f64> {
    let told = || blocks.iter().filter_map(|block| Some((block.taken_ns?, block.elapsed_ns)));
    let taken_ns: f64 = told().map(|(taken, _)| taken as f64).sum();
    let elapsed_ns: f64 = told().map(|(_, elapsed)| elapsed as f64).sum();
    (elapsed_ns > 0.0).then(|| (taken_ns / (elapsed_ns * cpus)).clamp(0.0, 1.0))
}

fn busy<'w>(windows: impl Iterator<Item = &'w AgainstWindow>, threads: f64) -> Option<f64> {
    let of = |window: &AgainstWindow| {
        (window.duration_ns > 0)
            .then(|| window.generator_cpu_ns as f64 / (window.duration_ns as f64 * threads))
    };
    median(&windows.filter_map(of).collect::<Vec<f64>>())
}
