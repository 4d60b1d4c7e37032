//! What the CPU itself counted of a contender.

use std::collections::BTreeMap;

use serde::Serialize;
use velo_model::PartyRole;
use velo_record::{Party, Window};

use crate::measure::estimate::Estimate;
use crate::measure::figures::{Launches, of_launch};
use crate::measure::launch_logs::estimate;

/// Hardware counters of a row's counted windows; `None` where the kernel gives none (the run's host facts say why).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counters {
    /// Instructions of the process tree per correct response.
    pub instructions_per_request: Option<Estimate>,
    /// CPU cycles of the process tree per correct response.
    pub cycles_per_request: Option<Estimate>,
}

pub(crate) fn of(blocks: &[&Window], confidence: f64) -> Counters {
    Counters {
        instructions_per_request: per_request(blocks, |contender| contender.instructions, confidence),
        cycles_per_request: per_request(blocks, |contender| contender.cycles, confidence),
    }
}

/// Over the answers of settling, window and draining, since that is the stretch that was counted; in each launch the median
/// over blocks, then the mean over launches.
fn per_request(
    blocks: &[&Window],
    counted: impl Fn(&Party) -> Option<u64>,
    confidence: f64,
) -> Option<Estimate> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for window in blocks {
        let answers = window.all().correct;
        let counted = window.party(PartyRole::Contender).and_then(&counted);
        if let Some(counted) = counted.filter(|_| answers > 0) {
            launches.entry(window.launch).or_default().push(counted as f64 / answers as f64);
        }
    }
    let launches: Launches =
        launches.into_iter().map(|(launch, of_blocks)| (launch, of_launch(&of_blocks))).collect();
    estimate(&launches, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation, contender_mut};

    #[test]
    fn counted_per_request_over_the_whole_stretch() {
        let (_, mut windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
        for window in &mut windows {
            let answers = window.all().correct;
            contender_mut(window).instructions = Some(answers * (100 + u64::from(window.launch)));
        }
        let blocks: Vec<&Window> = windows.iter().collect();
        let counters = of(&blocks, 0.95);
        // 101 to 105 over five launches: their geometric mean.
        let expected = (101.0 * 102.0 * 103.0 * 104.0 * 105.0_f64).powf(0.2);
        assert!((counters.instructions_per_request.unwrap().value - expected).abs() < 1e-6);
        assert_eq!(counters.cycles_per_request, None, "nobody counted");
        windows.iter_mut().for_each(|window| (window.outcomes.correct, window.outside.correct) = (0, 0));
        let blocks: Vec<&Window> = windows.iter().collect();
        assert_eq!(of(&blocks, 0.95), Counters::default());
    }
}
