//! What a row needs to know of its run.

use std::collections::BTreeMap;

use velo_record::{Placement, RunFile};

use crate::doubt::bounds::BUSY_HOST;
use crate::doubt::coin;
use crate::doubt::consistency::{self, Consistency};
use crate::doubt::nothing_ranked::NothingRanked;
use crate::measure::cell::Cells;

/// What a row needs to know of its run.
pub(crate) struct RunContext<'a> {
    pub(crate) placement: &'a Placement,
    /// Why nothing is ranked, when nothing is.
    pub(crate) nothing_ranked: Option<&'a NothingRanked>,
    /// Most blocks were disturbed: what looks doubtful of a contender may be the host's doing.
    pub(crate) is_host_unfit: bool,
    /// So much CPU time was taken that contenders are ranked by CPU time per request as well.
    pub(crate) is_host_busy: bool,
    /// The budget that was given.
    pub(crate) budget_ns: u64,
    /// Launches as planned.
    pub(crate) launches: u32,
    pub(crate) coin_level: f64,
    /// The family-wise level of the look that decides; intervals have a confidence of 1 - level.
    pub(crate) level: f64,
    /// By workload and contender.
    pub(crate) consistency: BTreeMap<(String, String), Consistency>,
}

impl<'a> RunContext<'a> {
    /// That of a run. `level`: of the look that decides.
    pub(crate) fn of(
        file: &'a RunFile,
        cells: &Cells<'_>,
        nothing_ranked: Option<&'a NothingRanked>,
        is_host_unfit: bool,
        level: f64,
    ) -> Self {
        let coins = cells.all().filter(|cell| coin::sum(&cell.windows).is_some()).count();
        Self {
            placement: &file.placement,
            nothing_ranked,
            is_host_unfit,
            is_host_busy: cells.taken.is_some_and(|taken| taken.worse() >= BUSY_HOST),
            budget_ns: file.settings.budget_ns,
            launches: file.plan.as_ref().map_or(0, |plan| plan.launches),
            coin_level: coin::level(coins),
            level,
            consistency: consistency::of_all(cells, &file.workloads),
        }
    }
}
