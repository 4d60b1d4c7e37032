//! The rules for pairs and for stopping against a known truth: how often contenders that are equal are told apart, how often
//! intervals hold the truth, and how much of a difference is found.
//!
//! Drawn are logarithms of block figures. What is made of them are the rules that judge runs (`velo_stats::levels_in_launch`,
//! `compare_pairs` and `looks`, `velo_judge::consistency`), not copies of them; a test holds that a whole judgement says the same.
#![forbid(unsafe_code)]

mod blocks;
mod bootstrap;
mod bounds;
#[cfg(test)]
mod consistency;
mod markdown;
mod noise;
mod plans;
mod resampling;
mod setting;
mod shared;
mod taken;
mod tally;

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use velo_stats::SplitMix64;

pub use self::bounds::Bounds;
pub use self::markdown::markdown;
pub use self::noise::{Shape, Windows};
pub use self::plans::{Budget, PlanOf, Planned};
pub use self::setting::{Rule, SpreadOf, Truth};
pub use self::taken::{TakenCell, TakenFrom, TakenRule};

use self::setting::Setting;

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimulationOptions {
    /// Simulated runs of each cell, at least 1.
    pub runs: u32,
    /// Of everything drawn.
    pub seed: u64,
}

/// What a simulation came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulationReport {
    /// Simulated runs of each cell.
    pub runs: u32,
    /// Of everything drawn.
    pub seed: u64,
    /// What each cell is held against.
    pub bounds: Bounds,
    /// The cells.
    pub cells: Vec<SimulationCell>,
    /// Machines that others use.
    pub taken: Vec<TakenCell>,
}

/// One combination of contenders, launches, noise and rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulationCell {
    /// How many contenders.
    pub contenders: u32,
    /// How many of them in each group that was given the same work; only those of one group are compared.
    pub groups: Vec<u32>,
    /// Launches of a run; with looks the most that it may have.
    pub launches: u32,
    /// Blocks in each launch.
    pub blocks: u32,
    /// The standard deviation of each contender between launches, as a share.
    pub between: f64,
    /// What has that standard deviation.
    pub spread_of: SpreadOf,
    /// How launches differ.
    pub shape: Shape,
    /// How windows of a launch differ.
    pub windows: Windows,
    /// What is true of the contenders.
    pub truth: Truth,
    /// How they were judged.
    pub rule: Rule,
    /// Simulated runs.
    pub runs: u32,
    /// The share of runs in which at least one pair was told apart that is equal, or the wrong way round.
    pub false_separations: f64,
    /// The share of all pairs' own intervals that hold the true ratio.
    pub coverage: f64,
    /// The share of the pairs that are 3 % apart that was told apart; `None` where there are none.
    pub power: Option<f64>,
    /// Half of the width of a pair's own interval, as a share of its ratio, on average; `None` of the counter-example.
    pub half_width: Option<f64>,
    /// Launches that a run had, on average.
    pub mean_launches: f64,
    /// Which plan of the same budget it is; `None` of cells that no budget was made for.
    pub plan: Option<Planned>,
    /// The bounds that it breaks, in words.
    pub broken: Vec<String>,
}

impl SimulationReport {
    /// The cells that break a bound.
    pub fn broken(&self) -> impl Iterator<Item = &SimulationCell> {
        self.cells.iter().filter(|cell| !cell.broken.is_empty())
    }

    /// Whether every cell, of quiet machines and of others, keeps its bounds.
    pub fn keeps_its_bounds(&self) -> bool {
        self.broken().next().is_none() && self.taken.iter().all(|cell| cell.broken.is_empty())
    }
}

/// Simulates all cells, on as many threads as there are CPUs. The result follows from the options alone.
pub fn simulate(options: &SimulationOptions) -> SimulationReport {
    let settings = Setting::all();
    let bounds = Bounds::of(options.runs);
    let mut seeds = SplitMix64::new(options.seed);
    let seeds: Vec<u64> = settings.iter().map(|_| seeds.next_u64()).collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Vec<SimulationCell>)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(setting) = settings.get(index) else { return };
            let cells = setting.simulate(options.runs, &mut SplitMix64::new(seeds[index]));
            // A lock is poisoned when another thread has panicked, and then the scope does.
            done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, cells));
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 0..threads.min(settings.len()) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    let mut cells: Vec<SimulationCell> = done.into_iter().flat_map(|(_, cells)| cells).collect();
    for cell in &mut cells {
        cell.broken = bounds.broken(cell);
    }
    let mut taken = taken::all(options.runs, &mut SplitMix64::new(options.seed.wrapping_add(1)));
    for cell in &mut taken {
        cell.broken = bounds.broken_of_taken(cell);
    }
    SimulationReport { runs: options.runs, seed: options.seed, bounds, cells, taken }
}

#[cfg(test)]
mod tests {
    use super::noise::Noise;
    use super::*;
    use crate::blocks::{BlockLogs, compare};
    use velo_fixtures::{Simulated, Simulation, contender_mut, generator_mut};
    use velo_judge::{Standing, judge};
    use velo_record::{RunFile, Window, WindowKind};
    use velo_stats::{PairRules, PairState};

    const RATE_PER_S: f64 = 40_000.0;

    /// A run on disk whose windows have the goodput that was drawn.
    fn as_run(logs: &BlockLogs, launches: u32) -> (RunFile, Vec<Window>) {
        let contender = |number| Simulated::new(&format!("go/c{number:02}"), RATE_PER_S);
        let mut simulation = Simulation::new((0..logs.contenders()).map(contender).collect());
        (simulation.launches, simulation.blocks) = (launches, setting::BLOCKS as u32);
        let (file, mut windows) = simulation.run();
        for window in windows.iter_mut().filter(|window| window.kind() == WindowKind::Block) {
            let is_its = |record: &velo_record::ContenderRecord| record.manifest.name == window.contender;
            let number = file.contenders.iter().position(is_its).unwrap();
            let log = logs.blocks(number, window.launch as usize - 1)[window.block as usize - 1];
            // The same answers in another time, at the same limit.
            window.duration_ns = (window.outcomes.correct as f64 * 1e9 / (RATE_PER_S * log.exp())) as u64;
            let generator_ns = generator_mut(window).cpu_ns.unwrap();
            contender_mut(window).cpu_ns = Some(window.duration_ns * 99 / 100);
            window.in_flight_request_ns =
                window.duration_ns * u64::from(window.connections.asked) - generator_ns;
            window.clipped_service_ns = window.in_flight_request_ns;
        }
        (file, windows)
    }

    /// What the simulation says of a few cells is what a judgement of the same numbers says.
    #[test]
    fn a_whole_judgement_says_the_same() {
        let mut separated = 0;
        for (seed, contenders, launches, shape) in [
            (1, 2, 5, Shape::Normal),
            (2, 5, 8, Shape::Unequal),
            (3, 5, 12, Shape::SlowPhases),
            (4, 9, 5, Shape::HeavyTails),
        ] {
            let mut logs = BlockLogs::zeros(contenders, launches, setting::BLOCKS);
            let noise = Noise::new(0.02, shape, Windows::Quiet);
            noise.draw(launches, &mut logs, &mut SplitMix64::new(seed));
            // The first one stands out, so that not all pairs are open.
            (0..launches)
                .for_each(|launch| logs.blocks_mut(0, launch).iter_mut().for_each(|log| *log += 0.08));
            let simulated = compare(&logs.pairs_within(&[contenders]), launches, PairRules::default());
            let (file, windows) = as_run(&logs, launches as u32);
            let judged = judge(&file, &windows).workloads[0].pairs[0].pairs.clone();
            assert_eq!(judged.compared.len(), simulated.pairs.len());
            for pair in &simulated.pairs {
                let [first, second] =
                    [pair.first, pair.second].map(|n| file.contenders[n].manifest.name.clone());
                let found = judged.compared.iter().find(|found| {
                    [&found.over, &found.under] == [&first, &second]
                        || [&found.over, &found.under] == [&second, &first]
                });
                let found = found.unwrap();
                let mean = found.ratio.unwrap().value.ln();
                assert!((mean - pair.mean_log_ratio.unwrap().abs()).abs() < 1e-6);
                assert!((found.p_holm.unwrap() - pair.test.unwrap().holm_p).abs() < 1e-6);
                let state = match pair.state {
                    PairState::Separated { above } => {
                        assert_eq!(found.over, file.contenders[above].manifest.name);
                        separated += 1;
                        Standing::Separated
                    }
                    PairState::Equal => Standing::Equal,
                    PairState::Open => Standing::Open,
                };
                assert_eq!(found.state, state);
            }
        }
        assert!(separated > 0);
    }

    #[test]
    fn the_seed_decides_and_the_threads_do_not() {
        let options = SimulationOptions { runs: 1, seed: 7 };
        let once = simulate(&options);
        assert_eq!(once, simulate(&options));
        assert_ne!(once.cells, simulate(&SimulationOptions { seed: 8, ..options }).cells);
    }
}
