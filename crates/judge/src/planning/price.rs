//! What launches of some blocks cost.

use velo_record::{Costs, PlannedTime};

use super::budget::plannable_ns;

/// A launch has at least so many full blocks, those with windows at the common rate and of the reference, and at most one in so many:
/// CPU time per request at a rate scatters half as much as goodput does, so that a quarter of the windows gives it as precisely.
const LEAST_FULL: u64 = 3;
const MOST_FULL_EVERY: u64 = 4;
/// The proof may take one part in so many of the budget: it supports what CPU times say, and launches count for more.
const LEAST_BUDGET_PER_PROOF: u64 = 5;

/// What a plan has beside its launches and blocks, where the budget has room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    /// Windows at the common rate.
    CommonRate,
    /// The proof by slowing the generator.
    Proof,
}

impl Extra {
    /// What is left out last stands first.
    pub(super) const ALL: [Self; 2] = [Self::CommonRate, Self::Proof];

    /// Inside a sentence.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CommonRate => "CPU per request at the common rate",
            Self::Proof => "the proof by slowing the generator",
        }
    }

    /// Whether the run has anything for it.
    pub(super) fn is_wanted(self, costs: &Costs) -> bool {
        let cost_ns = match self {
            Self::CommonRate => costs.common_rate_ns,
            Self::Proof => costs.proof_ns,
        };
        cost_ns > 0
    }

    /// With a smaller budget it is left out, however much is left.
    pub(super) fn least_budget_ns(self, costs: &Costs) -> u64 {
        match self {
            Self::CommonRate => plannable_ns(costs.common_rate_from_ns),
            Self::Proof => costs.proof_ns.saturating_mul(LEAST_BUDGET_PER_PROOF),
        }
    }
}

/// Which of [`Extra::ALL`] a plan has, in that order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extras([bool; Extra::ALL.len()]);

pub(super) const NO_EXTRAS: Extras = Extras([false, false]);
pub(super) const ALL_EXTRAS: Extras = Extras([true, true]);

impl Extras {
    /// Those that are tried, in turn.
    pub(super) const TRIED: [Self; 4] = [ALL_EXTRAS, Self([true, false]), Self([false, true]), NO_EXTRAS];

    /// One with all that are left out after it.
    pub(super) fn up_to(extra: Extra) -> Self {
        Self(Extra::ALL.map(|other| other as usize <= extra as usize))
    }

    pub(super) fn has(self, extra: Extra) -> bool {
        self.0[extra as usize]
    }
}

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
        let reference_ns = full_blocks(blocks).saturating_mul(self.costs.reference_ns);
        let all_ns = self.costs.launch_ns.saturating_add(blocks_ns).saturating_add(reference_ns);
        all_ns.saturating_add(self.common_rate_of_launch(blocks))
    }

    fn common_rate_of_launch(self, blocks: u64) -> u64 {
        if self.extras.has(Extra::CommonRate) {
            full_blocks(blocks).saturating_mul(self.costs.common_rate_ns)
        } else {
            0
        }
    }

    fn counted_of_launch(self, blocks: u64) -> u64 {
        let reference_ns = full_blocks(blocks).saturating_mul(self.costs.reference_counted_ns);
        blocks.saturating_mul(self.costs.counted_ns).saturating_add(reference_ns)
    }

    fn once(self) -> u64 {
        self.costs.once_ns.saturating_add(if self.extras.has(Extra::Proof) { self.costs.proof_ns } else { 0 })
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
            counted_ns: launches.saturating_mul(self.counted_of_launch(blocks)),
            common_rate_ns: launches.saturating_mul(self.common_rate_of_launch(blocks)),
            warm_up_ns: launches.saturating_mul(costs.warm_up_ns),
            starts_ns: launches.saturating_mul(costs.launch_ns.saturating_sub(costs.warm_up_ns)),
            proof_ns: if self.extras.has(Extra::Proof) { costs.proof_ns } else { 0 },
        }
    }
}

/// Every how manyth block of a launch is full.
pub(super) fn full_every(blocks: u64) -> u64 {
    (blocks.saturating_sub(1) / (LEAST_FULL - 1)).clamp(1, MOST_FULL_EVERY)
}

fn full_blocks(blocks: u64) -> u64 {
    blocks.div_ceil(full_every(blocks))
}
