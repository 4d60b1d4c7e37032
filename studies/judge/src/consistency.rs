//! The rules of consistency against a known truth: how often an honest contender loses its rank by them, and how often one that
//! changed does.

use velo_judge::consistency::{ConsistencyFinding, GOODPUT_FACTOR, LaunchLogs, findings};
use velo_stats::SplitMix64;

use crate::shared::shared;

/// Windows at the end of a warm-up.
const WARM_UP: usize = 15;
/// The machine keeps so much of its level from one window to the next: it moves within a few seconds.
const KEPT: f64 = 0.98;

/// What is true of the first contender; the others are honest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Behaviour {
    Honest,
    /// Counted windows are faster than the warm-up by this factor.
    FastInBlocks(f64),
    /// It gets faster by this factor over a launch.
    RisesInLaunch(f64),
    /// The same over the run.
    RisesOverLaunches(f64),
    /// The same at once, from the middle launch on.
    LeapsOverLaunches(f64),
}

/// How it is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scene {
    pub(crate) contenders: usize,
    pub(crate) launches: usize,
    pub(crate) blocks: usize,
    /// The standard deviation of a contender's launches.
    pub(crate) between: f64,
    /// Launches take one of two modes that far from the middle, else they differ normally.
    pub(crate) has_modes: bool,
    /// The standard deviation of the machine's level, which drifts for all.
    pub(crate) drift: f64,
}

impl Scene {
    /// A run: each contender's launches, warm-ups one after the other, then block by block.
    fn draw(&self, behaviour: Behaviour, random: &mut SplitMix64) -> Vec<Vec<LaunchLogs>> {
        let mut contenders = vec![Vec::new(); self.contenders];
        let mut machine = self.drift * random.normal();
        for launch in 0..self.launches {
            let of_launch: Vec<f64> = (0..self.contenders)
                .map(|_| match self.has_modes {
                    true => {
                        if random.unit() < 0.5 {
                            -self.between
                        } else {
                            self.between
                        }
                    }
                    false => self.between * random.normal(),
                })
                .collect();
            let mut window = |contender: usize, random: &mut SplitMix64| {
                machine = KEPT * machine + (1.0 - KEPT * KEPT).sqrt() * self.drift * random.normal();
                machine + of_launch[contender] + shared(random.unit())
            };
            let in_run = launch as f64 / (self.launches - 1) as f64;
            let own = |contender: usize, block: Option<usize>| {
                let in_launch = block.map_or(0.0, |block| block as f64 / (self.blocks - 1) as f64);
                match behaviour {
                    _ if contender > 0 => 0.0,
                    Behaviour::Honest => 0.0,
                    Behaviour::FastInBlocks(factor) => {
                        if block.is_some() {
                            factor.ln()
                        } else {
                            0.0
                        }
                    }
                    Behaviour::RisesInLaunch(factor) => factor.ln() * in_launch,
                    Behaviour::RisesOverLaunches(factor) => factor.ln() * in_run,
                    Behaviour::LeapsOverLaunches(factor) => {
                        if 2 * launch >= self.launches {
                            factor.ln()
                        } else {
                            0.0
                        }
                    }
                }
            };
            for (number, launches) in contenders.iter_mut().enumerate() {
                let windows: Vec<f64> =
                    (0..WARM_UP).map(|_| window(number, random) + own(number, None)).collect();
                launches.push(LaunchLogs { warm_up: velo_stats::median(&windows), ..LaunchLogs::default() });
            }
            for block in 0..self.blocks {
                for (number, launches) in contenders.iter_mut().enumerate() {
                    let log = window(number, random) + own(number, Some(block));
                    launches[launch].blocks.push(log);
                }
            }
        }
        contenders
    }

    /// Of the first contender and of the others: rows, and how many of them lost their rank.
    pub(crate) fn tried(&self, behaviour: Behaviour, runs: u32, random: &mut SplitMix64) -> [(u32, u32); 2] {
        let mut tried = [(0, 0); 2];
        for _ in 0..runs {
            let run = self.draw(behaviour, random);
            for contender in 0..self.contenders {
                let found = findings(&run, contender, GOODPUT_FACTOR);
                let (rows, lost) = &mut tried[usize::from(contender > 0)];
                *rows += 1;
                *lost += u32::from(found.iter().any(|finding: &ConsistencyFinding| !finding.passed));
            }
        }
        tried
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNS: u32 = 400;

    fn scenes() -> Vec<Scene> {
        let mut scenes = Vec::new();
        for contenders in [1, 2, 3, 6] {
            for launches in [5, 12] {
                for blocks in [5, 10] {
                    for (between, has_modes, drift) in
                        [(0.0, false, 0.25), (0.03, false, 0.1), (0.05, false, 0.2), (0.05, true, 0.1)]
                    {
                        scenes.push(Scene { contenders, launches, blocks, between, has_modes, drift });
                    }
                }
            }
        }
        scenes
    }

    fn share((rows, lost): (u32, u32)) -> f64 {
        f64::from(lost) / f64::from(rows.max(1))
    }

    /// At most 1 % in truth with each kind of noise; in the worst of 64 cells chance adds more.
    #[test]
    fn the_honest_seldom_lose_their_rank() {
        let mut random = SplitMix64::new(1);
        let (mut rows, mut lost) = (0, 0);
        for scene in scenes() {
            let [first, others] = scene.tried(Behaviour::Honest, RUNS, &mut random);
            let cell = (first.0 + others.0, first.1 + others.1);
            println!("{scene:?}: {:.2} %", 100.0 * share(cell));
            assert!(share(cell) <= 0.02, "{scene:?}: {:.3}", share(cell));
            (rows, lost) = (rows + cell.0, lost + cell.1);
        }
        println!("all: {:.2} %", 100.0 * share((rows, lost)));
        assert!(share((rows, lost)) <= 0.01, "{lost} of {rows}");
    }

    /// Each is tried where noise is as it was seen on a shared machine.
    #[test]
    fn who_changes_loses_the_rank_and_the_others_keep_theirs() {
        let mut random = SplitMix64::new(2);
        let usual =
            Scene { contenders: 3, launches: 5, blocks: 10, between: 0.02, has_modes: false, drift: 0.1 };
        for (behaviour, contenders, launches, least) in [
            (Behaviour::FastInBlocks(2.0), 3, 5, 0.95),
            (Behaviour::FastInBlocks(2.0), 2, 5, 0.95),
            (Behaviour::FastInBlocks(2.0), 6, 12, 0.98),
            (Behaviour::RisesInLaunch(2.0), 3, 5, 0.9),
            (Behaviour::RisesInLaunch(1.5), 6, 12, 0.85),
            (Behaviour::RisesOverLaunches(1.5), 3, 5, 0.8),
            (Behaviour::RisesOverLaunches(1.5), 6, 12, 0.9),
            (Behaviour::LeapsOverLaunches(2.0), 2, 5, 0.95),
            (Behaviour::LeapsOverLaunches(2.0), 6, 12, 0.95),
        ] {
            let scene = Scene { contenders, launches, ..usual };
            let [first, others] = scene.tried(behaviour, RUNS, &mut random);
            println!(
                "{behaviour:?}, {contenders} contenders, {launches} launches: {:.1} %, others {:.2} %",
                100.0 * share(first),
                100.0 * share(others)
            );
            assert!(share(first) >= least, "{behaviour:?} in {scene:?}: {:.3}", share(first));
            assert!(share(others) <= 0.03, "{behaviour:?} in {scene:?}: {:.3}", share(others));
        }
    }
}
