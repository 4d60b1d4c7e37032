//! Whether a contender was still warming up while it was measured, and which warm-up it would need.

use serde::Serialize;
use velo_model::Figure;
use velo_stats::StudentT;

use crate::doubt::consistency::{Consistency, ConsistencyFinding, ConsistencyOf};
use crate::doubt::context::RunContext;
use crate::measure::cell::Cell;
use crate::planning;

/// Goodput that rises by more over a launch is not that of a warm contender.
pub(crate) const RISE: f64 = 1.05;
/// The confidence of a finding's interval.
const CONFIDENCE: f64 = velo_stats::SHIFT_CONFIDENCE;
/// A contender that still rises at the end of a launch needs longer than it was loaded for in it.
const LONGER: f64 = 2.0;
/// Nobody waits for more.
const LONGEST_S: f64 = 3_600.0;

/// A contender that was still warming up while it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StillWarming {
    /// The rise.
    pub parts: ConsistencyFinding,
    /// The `--warm-up` that may be enough, in seconds.
    pub warm_up_s: u32,
    /// The `--budget` that has room for it, in seconds.
    pub budget_s: u32,
}

/// Of closed loops. Goodput rises within launches by more than chance explains; where the warm-up ended at its cap it is enough that it
/// seems to.
pub(crate) fn still(
    consistency: &Consistency,
    cell: &Cell<'_>,
    run: &RunContext<'_>,
) -> Option<StillWarming> {
    if consistency.figure != Figure::Goodput {
        return None;
    }
    let name = cell.workload.name.as_str();
    let warm_ups = cell.record.launches.iter().flat_map(|launch| &launch.warm_up);
    let first = warm_ups.into_iter().find(|warm_up| warm_up.workload == name)?;
    let rises = |finding: &&ConsistencyFinding| match finding.of {
        // A greater rise after a warm-up that was level is no compiler's.
        ConsistencyOf::Launch => finding.passed && surely(finding) || !first.steady && seems(finding),
        ConsistencyOf::Blocks => !first.steady && finding.ratio > 1.0 && !finding.passed,
        ConsistencyOf::Launches => false,
    };
    let parts = consistency.findings.iter().find(rises).copied()?;
    let warm_up_s = (LONGER * loaded_s(cell)).ceil().clamp(1.0, LONGEST_S);
    let more_s = f64::from(run.launches) * (warm_up_s - first.duration_ns as f64 / 1e9).max(0.0);
    let budget_s = planning::as_typed_ns(run.budget_ns as f64 + more_s * 1e9) / 1_000_000_000;
    Some(StillWarming {
        parts,
        warm_up_s: warm_up_s as u32,
        budget_s: u32::try_from(budget_s).unwrap_or(u32::MAX),
    })
}

fn surely(finding: &ConsistencyFinding) -> bool {
    finding.low.is_some_and(|low| low > RISE) && finding.ratio > RISE
}

/// By more than its standard error.
fn seems(finding: &ConsistencyFinding) -> bool {
    let ratio = finding.against_others.unwrap_or(finding.ratio);
    let half_width =
        finding.low.zip(finding.high).map_or(f64::INFINITY, |(low, high)| (high / low).ln() / 2.0);
    let t = StudentT::new(f64::from(finding.launches) - 1.0)
        .and_then(|t| t.two_sided_critical(1.0 - CONFIDENCE))
        .unwrap_or(f64::INFINITY);
    ratio > RISE && finding.ratio > RISE && ratio.ln() > half_width / t
}

/// How long it was loaded in a launch, from its warm-up to its last block, in seconds: the longest.
fn loaded_s(cell: &Cell<'_>) -> f64 {
    let mut launches = std::collections::BTreeMap::<u32, f64>::new();
    for window in &cell.windows {
        *launches.entry(window.launch).or_default() += window.loaded_ns() as f64 / 1e9;
    }
    launches.into_values().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use velo_fixtures::{Simulated, Simulation};
    use velo_record::{RunFile, WarmUpRecord, Window};

    use super::*;
    use crate::doubt::cause::Cause;
    use crate::doubt::state::RowState;
    use crate::{Judgement, judge};

    /// Three contenders, of which `go/c` is faster by a factor that its window decides; its warm-up ended so.
    fn judged(steady: bool, times: impl Fn(&Window) -> f64) -> Judgement {
        let names = ["go/a", "go/b", "go/c"];
        let contenders = names.map(|name| Simulated::new(name, 40_000.0)).into();
        let simulation = Simulation { noise_of_windows: 0.02, ..Simulation::new(contenders) };
        let (mut file, mut windows): (RunFile, Vec<Window>) = simulation.run();
        for record in &mut file.contenders {
            for launch in &mut record.launches {
                launch.warm_up = vec![WarmUpRecord {
                    workload: file.workloads[0].name.clone(),
                    windows: 20,
                    requests: 20_000,
                    duration_ns: 2_000_000_000,
                    steady: steady || launch.launch > 1,
                }];
            }
        }
        for window in windows.iter_mut().filter(|window| window.contender.as_str() == "go/c") {
            let faster = times(window);
            window.duration_ns = (window.duration_ns as f64 / faster) as u64;
            window.in_flight_request_ns = (window.in_flight_request_ns as f64 / faster) as u64;
            window.clipped_service_ns = window.in_flight_request_ns;
        }
        judge(&file, &windows)
    }

    fn found(judgement: &Judgement) -> Option<(StillWarming, String)> {
        let row = judgement.workloads[0].rows.iter().find(|row| row.contender.as_str() == "go/c")?;
        match &row.state {
            RowState::NotRanked { cause: cause @ Cause::StillWarming { warming } } => {
                Some((*warming, cause.to_string()))
            }
            _ => None,
        }
    }

    /// By so much over a launch of ten blocks.
    fn rising(by: f64) -> impl Fn(&Window) -> f64 {
        move |window| 1.0 + by * f64::from(window.block) / 10.0
    }

    #[test]
    fn a_figure_that_rises_takes_the_rank_and_the_cure_is_named() {
        let (warming, told) =
            found(&judged(true, rising(0.23))).expect("it rises, however its warm-up ended");
        assert!(warming.parts.ratio > 1.1, "{warming:?}");
        assert!(warming.warm_up_s >= 1 && warming.budget_s.is_multiple_of(10), "{warming:?}");
        assert!(told.starts_with("still warming up: goodput rose by"), "{told}");
        let cure = format!("--warm-up {}s --budget", warming.warm_up_s);
        assert!(told.contains(&cure), "{told}");
    }

    #[test]
    fn who_holds_still_or_gets_slower_is_not_warming_up() {
        assert_eq!(found(&judged(true, |_| 1.0)), None);
        assert_eq!(found(&judged(false, |_| 1.0)), None, "a cap alone is a hint");
        assert_eq!(found(&judged(false, rising(0.03))), None);
        assert_eq!(found(&judged(false, rising(-0.3))), None);
    }

    #[test]
    fn where_the_warm_up_came_to_its_end_more_is_needed() {
        // Half of the launches rise, the others do not: less than an interval of 99 % tells, more than chance alone.
        let half = |window: &Window| if window.launch % 2 == 1 { rising(0.3)(window) } else { 1.0 };
        assert_eq!(found(&judged(true, half)), None);
        assert!(found(&judged(false, half)).is_some());
    }
}
