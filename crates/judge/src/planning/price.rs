//! What launches of some blocks cost.

use velo_record::{Costs, PlannedTime};

/// A launch has at least so many windows at the common rate, and at most one in so many blocks: CPU time per request at a rate scatters
/// half as much as goodput does, so that a quarter of the windows gives it as precisely.
const LEAST_EQUAL_WORK: u64 = 3;
const MOST_EQUAL_WORK_EVERY: u64 = 4;

/// What a plan has beside its launches and blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extras {
    pub(super) equal_work: bool,
    pub(super) proof: bool,
}

pub(super) const NO_EXTRAS: Extras = Extras { equal_work: false, proof: false };

/// What things cost, with some extras. Sums of times from a file stop at the most that there is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Price<'a> {
    pub(super) costs: &'a Costs,
    pub(super) extras: Extras,
}

impl<'a> Price<'a> {
    pub(super) fn of(costs: &'a Costs, extras: Extras) -> Self {
        Self { costs, extras }
    }

    fn of_launch(self, blocks: u64) -> u64 {
        let blocks_ns = blocks.saturating_mul(self.costs.block_ns);
        self.costs.launch_ns.saturating_add(blocks_ns).saturating_add(self.equal_work_of_launch(blocks))
    }

    fn equal_work_of_launch(self, blocks: u64) -> u64 {
        if self.extras.equal_work {
            blocks.div_ceil(equal_work_every(blocks)).saturating_mul(self.costs.equal_work_ns)
        } else {
            0
        }
    }

    fn once(self) -> u64 {
        self.costs.once_ns.saturating_add(if self.extras.proof { self.costs.proof_ns } else { 0 })
    }

    pub(super) fn of_run(self, launches: u64, blocks: u64) -> u64 {
        self.once().saturating_add(launches.saturating_mul(self.of_launch(blocks)))
    }

    pub(super) fn launches_that_fit(self, budget_ns: u64, blocks: u64) -> u64 {
        budget_ns.saturating_sub(self.once()) / self.of_launch(blocks).max(1)
    }

    /// What the time of so many launches is for.
    pub(super) fn time(self, launches: u64, blocks: u64) -> PlannedTime {
        let costs = self.costs;
        PlannedTime {
            counted_ns: launches.saturating_mul(blocks).saturating_mul(costs.counted_ns),
            common_rate_ns: launches.saturating_mul(self.equal_work_of_launch(blocks)),
            warm_up_ns: launches.saturating_mul(costs.warm_up_ns),
            starts_ns: launches.saturating_mul(costs.launch_ns.saturating_sub(costs.warm_up_ns)),
            proof_ns: if self.extras.proof { costs.proof_ns } else { 0 },
        }
    }
}

/// In every how manyth block windows at the common rate stand.
pub(super) fn equal_work_every(blocks: u64) -> u64 {
    (blocks.saturating_sub(1) / (LEAST_EQUAL_WORK - 1)).clamp(1, MOST_EQUAL_WORK_EVERY)
}
