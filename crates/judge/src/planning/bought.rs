//! The size of the plan that a budget buys, and what it has room for beside.

use velo_record::Costs;

use super::price::{Extra, Extras, Price};
use super::size::{Size, rankable};

/// The launches and blocks that a budget buys where they are ranked, with as many extras as fit; `None` where five launches of five
/// blocks do not fit.
pub(super) fn size(budget_ns: u64, costs: &Costs, is_precise: bool) -> Option<(Extras, Size)> {
    let is_possible = |extra: Extra| extra.is_wanted(costs) && extra.least_budget_ns(costs) <= budget_ns;
    let possible =
        |extras: &Extras| Extra::ALL.into_iter().all(|extra| !extras.has(extra) || is_possible(extra));
    Extras::TRIED.into_iter().filter(possible).find_map(|extras| {
        rankable(Price::of(costs, extras), budget_ns, is_precise).map(|size| (extras, size))
    })
}
