//! When a run looks at its results, at which level, and whether what it sees is precise enough to end it.

use velo_model::Workload;
use velo_record::{EndedBy, Look, RunFile, Window};
use velo_stats::{Comparison, LEVEL};

use crate::doubt::context::RunContext;
use crate::measure::blocks::Disturbed;
use crate::measure::cell::Cells;
use crate::rank::common_rate;
use crate::rank::ranking::{self, Ranking};

/// The look that the results are judged at: the one that ended the run, else the last one planned; in a run that looks
/// once, the whole level.
pub(crate) fn decisive(file: &RunFile) -> Look {
    let looks = file.plan.as_ref().map_or(&[][..], |plan| &plan.looks);
    let ended_at = match file.ended_by {
        Some(EndedBy::Precision { launch } | EndedBy::Gate { launch }) => {
            looks.iter().find(|look| look.launch == launch)
        }
        Some(EndedBy::Plan) | None => None,
    };
    let at_the_end = Look { launch: file.plan.as_ref().map_or(0, |plan| plan.launches), level: LEVEL };
    ended_at.or(looks.last()).map_or(at_the_end, |look| Look { level: level_of(look), ..*look })
}

/// A level from a file: what is none, or more than the whole, counts as the whole.
fn level_of(look: &Look) -> f64 {
    if 0.0 < look.level && look.level <= LEVEL { look.level } else { LEVEL }
}

/// What a look has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looked {
    /// Every pair that would be ranked is separated at the look's level, or the interval around its ratio is narrow enough: the
    /// run may end.
    Precise {
        /// So many pairs.
        pairs: usize,
    },
    /// Some pairs are not.
    NotYet {
        /// How many are.
        precise: usize,
        /// Of so many.
        pairs: usize,
    },
    /// No two contenders may be ranked: there is nothing to be precise about.
    NoPair,
    /// More than half of the blocks were disturbed: nothing would be ranked.
    Disturbed,
}

/// What a look finds of the pairs that would be ranked. Precise is one that is separated at the look's level, or whose interval has
/// at most this half-width, as a share of the ratio. The ranking is the one that the report begins with: by goodput (on a busy machine by
/// CPU time per request), and where no two rows have a rank by that, by CPU time at the common rate. Launches after the look do not count.
pub fn look(file: &RunFile, windows: &[Window], look: Look, precision: f64) -> Looked {
    let seen = windows.iter().filter(|window| window.launch <= look.launch);
    let disturbed = Disturbed::find(&file.placement, seen.clone());
    if disturbed.is_unfit() {
        return Looked::Disturbed;
    }
    let cells = Cells::new(file, seen, &disturbed);
    let context = RunContext::of(file, &cells, None, false, level_of(&look));
    let compare = |workload: &Workload| -> Option<Comparison> {
        let Ranking { rows, comparison, by_cpu } = ranking::rows(workload, &cells, &context);
        let comparison = by_cpu.map(|contest| contest.comparison).or(comparison);
        comparison.or_else(|| common_rate::comparison(&cells, &workload.name, &rows, &context))
    };
    let compared: Vec<Comparison> = file.workloads.iter().filter_map(compare).collect();
    let pairs: usize = compared.iter().map(|comparison| comparison.pairs.len()).sum();
    let precise: usize = compared.iter().map(|comparison| comparison.precise_pairs(precision)).sum();
    match pairs {
        0 => Looked::NoPair,
        _ if precise == pairs => Looked::Precise { pairs },
        _ => Looked::NotYet { precise, pairs },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, SimulatedOpenLoop, Simulation, contender_mut, generator_mut};
    use velo_record::RatePurpose;

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
        let first = looks_of_twelve()[0];
        assert_eq!(look(&file, &windows, first, 0.03), Looked::Precise { pairs: 3 });
        assert_eq!(look(&file, &windows, first, 0.000_1), Looked::NotYet { precise: 2, pairs: 3 });
        // Without its twin all are separated, however imprecise.
        let apart: Vec<Window> =
            windows.iter().filter(|window| window.contender.short() != "twin").cloned().collect();
        assert_eq!(look(&file, &apart, first, 0.000_1), Looked::Precise { pairs: 1 });
    }

    #[test]
    fn there_must_be_something_to_be_precise_about() {
        let (file, mut windows) = run(12);
        let first = looks_of_twelve()[0];
        let alone: Vec<Window> =
            windows.iter().filter(|window| window.contender.short() == "twin").cloned().collect();
        assert_eq!(look(&file, &alone, first, 1.0), Looked::NoPair);
        assert_eq!(
            look(&file, &windows, Look { launch: 4, ..first }, 1.0),
            Looked::NoPair,
            "too few launches"
        );
        for window in windows.iter_mut().filter(|window| window.launch <= 3) {
            window.host.steal_share = Some(0.2);
        }
        assert_eq!(look(&file, &windows, first, 1.0), Looked::Disturbed, "3 of 5 launches");
        let second = look(&file, &windows, looks_of_twelve()[1], 1.0);
        assert_eq!(second, Looked::Precise { pairs: 3 }, "5 of 8 launches are left");
    }

    /// Where the generator is the limit of all, goodput ranks nobody, and the ranking at the common rate is what is reported.
    #[test]
    fn without_a_ranking_by_goodput_it_is_the_common_rate_that_counts() {
        let (file, mut windows) = run(12);
        let first = looks_of_twelve()[0];
        for window in &mut windows {
            // The generator is all of its time at work, and the contender is not.
            generator_mut(window).cpu_ns = Some(window.duration_ns);
            contender_mut(window).cpu_ns = Some(window.duration_ns / 2);
        }
        assert_eq!(look(&file, &windows, first, 1.0), Looked::NoPair, "no windows at the common rate");
        let at_one_rate = SimulatedOpenLoop::new(RatePurpose::CommonRate, 5_000.0);
        for record in &file.contenders {
            at_one_rate.add_to(&mut windows, &record.manifest.name);
        }
        assert_eq!(look(&file, &windows, first, 0.5), Looked::Precise { pairs: 3 });
    }
}
