//! When a run looks at its results, at which level, and whether what it sees is precise enough to end it.

use velo_record::{EndedBy, Look, RunFile, Window};
use velo_stats::{Comparison, LEVEL};

use crate::rank::ranking;
use crate::rows::context::RunContext;
use crate::series::blocks::Disturbed;
use crate::series::cell::Cells;

/// The look that the results are judged at: the one that ended the run, else the last one planned; in a run that looks
/// once, the whole level.
pub(crate) fn decisive(file: &RunFile) -> Look {
    let looks = file.plan.as_ref().map_or(&[][..], |plan| &plan.looks);
    let ended_at = match file.ended_by {
        Some(EndedBy::Precision { launch }) => looks.iter().find(|look| look.launch == launch),
        Some(EndedBy::Plan) | None => None,
    };
    let at_the_end = Look { launch: file.plan.as_ref().map_or(0, |plan| plan.launches), level: LEVEL };
    ended_at.or(looks.last()).map_or(at_the_end, |look| Look { level: level_of(look), ..*look })
}

/// A level from a file: what is none, or more than the whole, counts as the whole.
fn level_of(look: &Look) -> f64 {
    if 0.0 < look.level && look.level <= LEVEL { look.level } else { LEVEL }
}

/// Whether a run may end at this look: each pair of rows that would be ranked is separated at the look's level, or the
/// interval around its ratio has at most this half-width, as a share of the ratio.
///
/// False when no workload has two such rows, and when more than half of the blocks are disturbed: then there is nothing
/// to be precise about. Launches after the look do not count.
pub fn precision_reached(file: &RunFile, windows: &[Window], look: Look, precision: f64) -> bool {
    let seen = windows.iter().filter(|window| window.launch <= look.launch);
    let disturbed = Disturbed::find(seen.clone());
    if disturbed.is_unfit() {
        return false;
    }
    let cells = Cells::new(file, seen, &disturbed);
    let context = RunContext::of(file, &cells, None, false, level_of(&look));
    let compared: Vec<Comparison> = file
        .workloads
        .iter()
        .filter_map(|workload| ranking::rows(workload, &cells, &context).comparison)
        .collect();
    !compared.is_empty() && compared.iter().all(|comparison| comparison.is_precise(precision))
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation};

    fn run(launches: u32) -> (RunFile, Vec<Window>) {
        let mut simulation = Simulation::new(vec![
            Simulated::new("go/net-http", 40_000.0),
            Simulated::new("go/twin", 40_000.0),
            Simulated::new("js/fastify", 30_000.0),
        ]);
        simulation.launches = launches;
        let (mut file, windows) = simulation.run();
        file.plan.as_mut().unwrap().looks = looks_of_twelve();
        (file, windows)
    }

    fn looks_of_twelve() -> Vec<Look> {
        velo_stats::looks(12).iter().map(|look| Look { launch: look.launch, level: look.level }).collect()
    }

    #[test]
    fn the_look_that_ended_the_run_decides() {
        let (mut file, _) = run(12);
        file.ended_by = Some(EndedBy::Plan);
        assert_eq!(decisive(&file).level, 0.03);
        file.ended_by = Some(EndedBy::Precision { launch: 8 });
        assert_eq!(decisive(&file), Look { launch: 8, level: 0.015 });
        file.ended_by = Some(EndedBy::Precision { launch: 7 });
        assert_eq!(decisive(&file).level, 0.03, "no such look");
        file.plan.as_mut().unwrap().looks.clear();
        assert_eq!(decisive(&file).level, 0.05);
        file.plan = None;
        assert_eq!(decisive(&file), Look { launch: 0, level: 0.05 });
    }

    #[test]
    fn levels_that_are_none_count_as_the_whole() {
        let (mut file, _) = run(1);
        for level in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.9] {
            file.plan.as_mut().unwrap().looks = vec![Look { launch: 1, level }];
            assert_eq!(decisive(&file).level, 0.05);
        }
    }

    #[test]
    fn twins_must_be_precise_and_what_is_separated_need_not() {
        let (file, windows) = run(12);
        let look = looks_of_twelve()[0];
        assert!(precision_reached(&file, &windows, look, 0.03));
        assert!(!precision_reached(&file, &windows, look, 0.000_1));
        // Without its twin all are separated, however imprecise.
        let apart: Vec<Window> =
            windows.iter().filter(|window| window.contender.short() != "twin").cloned().collect();
        assert!(precision_reached(&file, &apart, look, 0.000_1));
    }

    #[test]
    fn there_must_be_something_to_be_precise_about() {
        let (file, mut windows) = run(12);
        let look = looks_of_twelve()[0];
        let alone: Vec<Window> =
            windows.iter().filter(|window| window.contender.short() == "twin").cloned().collect();
        assert!(!precision_reached(&file, &alone, look, 1.0), "no pair");
        assert!(!precision_reached(&file, &windows, Look { launch: 4, ..look }, 1.0), "too few launches");
        for window in windows.iter_mut().filter(|window| window.launch <= 3) {
            window.host.steal_share = Some(0.1);
        }
        assert!(!precision_reached(&file, &windows, look, 1.0), "3 of 5 launches were disturbed");
        assert!(precision_reached(&file, &windows, looks_of_twelve()[1], 1.0), "5 of 8 launches are left");
    }
}
