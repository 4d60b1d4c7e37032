//! Whether the generator matters: goodput with a slowed generator against goodput without, in pairs of windows.

use std::collections::BTreeMap;

use serde::Serialize;
use velo_model::PartyRole;
use velo_record::{Window, WindowKind};
use velo_stats::estimate::ratio_over_launches;
use velo_stats::{CONFIDENCE, median};

/// A greater fall of goodput shows that the generator matters.
pub(crate) const FALL: f64 = 0.02;
/// The same as a ratio of goodput.
pub(crate) const LEAST_RATIO: f64 = 1.0 - FALL;

/// What slowing the generator did to a contender's goodput.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proof {
    /// CPU time that the generator wasted with each request of the slowed windows, in nanoseconds.
    pub slowed_ns: u64,
    /// Pairs of a slowed window and a plain one.
    pub pairs: u32,
    /// Goodput slowed over goodput plain, geometric mean over the pairs; `None` when no pair has both.
    pub ratio: Option<f64>,
    /// The lower end of its 95 % interval, by Student's t over the pairs; `None` with fewer than two.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// By which share goodput would have fallen if the generator had been the limit: what was wasted over all that it
    /// then spends on a request.
    pub fall_if_limit: Option<f64>,
    /// What follows.
    pub found: ProofFound,
}

/// What pairs with a slowed generator tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProofFound {
    /// Goodput fell by more than 2 %: the whole interval lies beyond, and reaches what a generator at its limit would have lost.
    GeneratorMatters,
    /// It did not: the whole interval lies above a fall of 2 %, and a generator at its limit would have shown more.
    GeneratorDoesNotMatter,
    /// Neither can be told, or the pairs differ by more than slowing the generator can have done.
    Unresolved,
}

/// Judges the proof windows of a contender; `None` when it has none.
pub(crate) fn check(windows: &[&Window]) -> Option<Proof> {
    let proof: Vec<&Window> =
        windows.iter().copied().filter(|window| window.kind() == WindowKind::Proof).collect();
    if proof.is_empty() {
        return None;
    }
    let mut pairs: BTreeMap<(u32, u32), [Option<f64>; 2]> = BTreeMap::new();
    for window in &proof {
        let pair = pairs.entry((window.launch, window.block)).or_default();
        pair[usize::from(is_slowed(window))] = Some(window.goodput_per_s().ln());
    }
    let log_ratios: Vec<f64> = pairs
        .values()
        .filter_map(|[plain, slowed]| Some((*slowed)? - (*plain)?))
        // Two windows without an answer say nothing.
        .filter(|log_ratio| !log_ratio.is_nan())
        .collect();
    let slowed_ns = proof.iter().filter_map(|window| window.slowed_ns()).max().unwrap_or(0);
    let ratio = ratio_over_launches(&log_ratios, CONFIDENCE);
    let (low, high) = (ratio.and_then(|ratio| ratio.low()), ratio.and_then(|ratio| ratio.high()));
    let fall_if_limit = fall_if_limit(&proof, slowed_ns);
    Some(Proof {
        slowed_ns,
        pairs: u32::try_from(log_ratios.len()).unwrap_or(u32::MAX),
        ratio: ratio.map(|ratio| ratio.value),
        low,
        high,
        fall_if_limit,
        found: find(low, high, fall_if_limit),
    })
}

fn is_slowed(window: &Window) -> bool {
    window.slowed_ns().is_some_and(|slowed_ns| slowed_ns > 0)
}

fn find(low: Option<f64>, high: Option<f64>, fall_if_limit: Option<f64>) -> ProofFound {
    let (Some(low), Some(high), Some(fall_if_limit)) = (low, high, fall_if_limit) else {
        return ProofFound::Unresolved;
    };
    // Slowing cannot cost more than it would cost a generator that is the limit, nor speed anything up: that was the machine.
    if high < 1.0 - fall_if_limit || low > 1.0 / LEAST_RATIO {
        ProofFound::Unresolved
    } else if high < LEAST_RATIO {
        ProofFound::GeneratorMatters
    } else if low >= LEAST_RATIO && fall_if_limit > FALL {
        ProofFound::GeneratorDoesNotMatter
    } else {
        ProofFound::Unresolved
    }
}

/// w / (c + w), with w wasted and c spent on a request in the plain windows.
fn fall_if_limit(proof: &[&Window], slowed_ns: u64) -> Option<f64> {
    let spent_ns = proof.iter().filter(|window| !is_slowed(window)).filter_map(|window| {
        let spent = window.cpu_ns(PartyRole::Generator)? as f64;
        (window.outcomes.correct > 0).then(|| spent / window.outcomes.correct as f64)
    });
    let fall = slowed_ns as f64 / (median(&spent_ns.collect::<Vec<_>>())? + slowed_ns as f64);
    fall.is_finite().then_some(fall)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(low: f64, high: f64) -> ProofFound {
        find(Some(low), Some(high), Some(0.1))
    }

    #[test]
    fn the_bounds_are_those_of_the_method() {
        assert_eq!(of(0.90, 0.979), ProofFound::GeneratorMatters);
        assert_eq!(of(0.90, 0.98), ProofFound::Unresolved);
        assert_eq!(of(0.979, 1.01), ProofFound::Unresolved);
        assert_eq!(of(0.98, 1.01), ProofFound::GeneratorDoesNotMatter);
        assert_eq!(find(None, None, Some(0.1)), ProofFound::Unresolved);
    }

    #[test]
    fn what_could_not_have_shown_confirms_nothing() {
        assert_eq!(find(Some(0.99), Some(1.01), Some(0.02)), ProofFound::Unresolved);
        assert_eq!(find(Some(0.99), Some(1.01), None), ProofFound::Unresolved);
    }

    #[test]
    fn what_slowing_cannot_do_was_the_machine() {
        assert_eq!(of(0.80, 0.90), ProofFound::GeneratorMatters, "as much as a generator at its limit loses");
        assert_eq!(of(0.80, 0.89), ProofFound::Unresolved);
        assert_eq!(of(1.00, 1.30), ProofFound::GeneratorDoesNotMatter);
        assert_eq!(of(1.03, 1.30), ProofFound::Unresolved);
        // As it was measured while a hypervisor stole CPU time from the pairs.
        assert_eq!(find(Some(0.735), Some(0.946), Some(0.044)), ProofFound::Unresolved);
    }
}
