//! Machines that others use: CPU time is taken in bursts from either side, and what that does to figures is what was measured when it
//! was done on purpose (docs/evidence.md). Judged by the shipped rule, by goodput and by CPU time per request, and by the rule that
//! dropped blocks.

use serde::Serialize;
use velo_judge::Exposure;
use velo_stats::{Comparison, PairLogs, PairRules, PairState, SplitMix64, compare_pairs, levels_in_launch};

use crate::shared::shared;

/// How much is taken, and from whom.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TakenFrom {
    /// The mean share of the contender's CPU time.
    pub server: f64,
    /// The mean share of the load's.
    pub load: f64,
}

/// How a disturbed run is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TakenRule {
    /// All blocks, by goodput, with the allowance.
    Goodput,
    /// All blocks, by CPU time per request, with half the allowance.
    CpuTime,
    /// By goodput without blocks in whose last second 1 % or more of all CPUs' time was taken; refused when those are most.
    Dropping,
}

/// One machine judged by one rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TakenCell {
    /// What is taken.
    pub from: TakenFrom,
    /// How runs are judged.
    pub rule: TakenRule,
    /// Simulated runs.
    pub runs: u32,
    /// The share of runs that ranked anything.
    pub ranked: f64,
    /// Of those, the share with a pair told apart that is equal, or the wrong way round.
    pub false_separations: f64,
    /// Of their pairs' own intervals, the share that holds the truth.
    pub coverage: f64,
    /// Half of the width of a pair's interval, as a share of the ratio, on average.
    pub half_width: f64,
    /// The share of runs, refused ones too, in which the one with 8 % more work was told apart from its twin.
    pub found: f64,
    /// The bounds that it breaks, in words.
    pub broken: Vec<String>,
}

/// A simulated server.
struct Server {
    /// Logarithms without what is taken: of goodput and of CPU time.
    truth: [f64; 2],
    generator_busy: f64,
    /// What a share taken from the load's CPUs does to the logarithm of goodput, and of CPU time.
    load_slopes: [f64; 2],
}

/// Two of Go and two of Node.js, as they were measured: Go needs more of the generator, and loses more when that is disturbed.
/// The last one has 8 % more work.
const SERVERS: [Server; 4] = [
    Server { truth: [0.32, -0.32], generator_busy: 0.47, load_slopes: [-1.15, 0.15] },
    Server { truth: [0.32, -0.32], generator_busy: 0.47, load_slopes: [-1.15, 0.15] },
    Server { truth: [0.0, 0.0], generator_busy: 0.34, load_slopes: [-0.87, 0.0] },
    Server { truth: [-0.077, 0.077], generator_busy: 0.32, load_slopes: [-0.87, 0.0] },
];
/// The two that differ by more work.
const MORE_WORK: (usize, usize) = (2, 3);
/// What a share taken from the contenders' CPUs does, alike to all.
const SERVER_SLOPES: [f64; 2] = [-1.25, 0.05];
/// What launches add, as standard deviations of the logarithms.
const BETWEEN: [f64; 2] = [0.015, 0.006];
const LAUNCHES: usize = 8;
const BLOCKS: usize = 16;
const WINDOW_MS: f64 = 65.0;
const BURST_MS: f64 = 3.0;
/// How many windows the machine stays at one level.
const EPOCH: usize = 30;
/// Windows in a second.
const SECOND: usize = 15;

impl TakenFrom {
    const ALL: [Self; 8] = [
        Self { server: 0.0, load: 0.0 },
        Self { server: 0.01, load: 0.01 },
        Self { server: 0.02, load: 0.02 },
        Self { server: 0.05, load: 0.05 },
        Self { server: 0.1, load: 0.1 },
        Self { server: 0.1, load: 0.0 },
        Self { server: 0.0, load: 0.05 },
        Self { server: 0.0, load: 0.1 },
    ];
}

/// Simulates all machines.
pub(crate) fn all(runs: u32, random: &mut SplitMix64) -> Vec<TakenCell> {
    TakenFrom::ALL.into_iter().flat_map(|from| cells(from, runs, random)).collect()
}

fn cells(from: TakenFrom, runs: u32, random: &mut SplitMix64) -> [TakenCell; 3] {
    let rules = [TakenRule::Goodput, TakenRule::CpuTime, TakenRule::Dropping];
    let mut tallies = [Tally::default(); 3];
    for _ in 0..runs {
        let run = Run::draw(from, random);
        for (rule, tally) in rules.iter().zip(&mut tallies) {
            tally.add(run.judge(*rule), usize::from(*rule == TakenRule::CpuTime));
        }
    }
    let cell = |number: usize| tallies[number].cell(from, rules[number], runs);
    [cell(0), cell(1), cell(2)]
}

/// A window: what was taken in it from either side, and the logarithms of both figures.
#[derive(Clone, Copy, Default)]
struct Window {
    server: f64,
    load: f64,
    logs: [f64; 2],
}

/// By launch and block, one window a contender.
struct Run(Vec<Vec<[Window; SERVERS.len()]>>);

impl Run {
    fn draw(from: TakenFrom, random: &mut SplitMix64) -> Self {
        let mut left = 0;
        let mut level = 0.0;
        let launches = (0..LAUNCHES).map(|_| {
            let of_launch: Vec<[f64; 2]> =
                SERVERS.iter().map(|_| BETWEEN.map(|between| between * random.normal())).collect();
            let blocks = (0..BLOCKS).map(|_| {
                let drift = 0.1 * random.normal();
                let mut order = [0, 1, 2, 3];
                (1..order.len()).rev().for_each(|last| order.swap(last, random.below(last + 1)));
                let mut block = [Window::default(); SERVERS.len()];
                for contender in order {
                    if left == 0 {
                        // From nothing to twice the mean.
                        (left, level) = (EPOCH, 2.0 * random.unit());
                    }
                    left -= 1;
                    let (server, load) =
                        (taken(level * from.server, random), taken(level * from.load, random));
                    let one = &SERVERS[contender];
                    // What a window has of its own is the same in both figures: the machine was slower.
                    let own = drift + shared(random.unit());
                    let log = |figure: usize, own: f64| {
                        one.truth[figure]
                            + of_launch[contender][figure]
                            + own
                            + SERVER_SLOPES[figure] * server
                            + one.load_slopes[figure] * load
                    };
                    block[contender] = Window { server, load, logs: [log(0, own), log(1, -own)] };
                }
                block
            });
            blocks.collect()
        });
        Self(launches.collect())
    }

    /// `None` where the rule refuses to rank.
    fn judge(&self, rule: TakenRule) -> Option<Comparison> {
        let figure = usize::from(rule == TakenRule::CpuTime);
        let kept: Vec<Vec<bool>> = match rule {
            TakenRule::Dropping => self.quiet_blocks(),
            _ => self.0.iter().map(|launch| vec![true; launch.len()]).collect(),
        };
        let blocks = kept.iter().flatten();
        if blocks.clone().filter(|kept| !**kept).count() * 2 > blocks.count() {
            return None;
        }
        let windows = || self.0.iter().flatten().flatten();
        let mean = |of: fn(&Window) -> f64| windows().map(of).sum::<f64>() / windows().count() as f64;
        let taken_share = match rule {
            TakenRule::Dropping => 0.0,
            _ => mean(|window| window.server).max(mean(|window| window.load)),
        };
        let exposure = |server: &Server| Exposure {
            taken_share,
            generator_busy: Some(server.generator_busy),
            is_cpu_time: rule == TakenRule::CpuTime,
        };
        let levels: Vec<Vec<f64>> = self
            .0
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| kept.contains(&true))
            .map(|(launch, kept)| {
                let of = |contender: usize| -> Vec<f64> {
                    let own = launch.iter().zip(kept).filter(|(_, kept)| **kept);
                    own.map(|(block, _)| block[contender].logs[figure]).collect()
                };
                let all: Vec<Vec<f64>> = (0..SERVERS.len()).map(of).collect();
                levels_in_launch(&all.iter().map(Vec::as_slice).collect::<Vec<_>>())
            })
            .collect();
        if levels.len() < 5 {
            return None;
        }
        let pairs: Vec<PairLogs<'_>> = (0..SERVERS.len())
            .flat_map(|first| (first + 1..SERVERS.len()).map(move |second| (first, second)))
            .map(|(first, second)| {
                let log_ratios: Vec<f64> = levels.iter().map(|own| own[first] - own[second]).collect();
                let allowance = exposure(&SERVERS[first]).of_ratio(&exposure(&SERVERS[second]));
                PairLogs { first, second, log_ratios: log_ratios.into(), mean: None, allowance }
            })
            .collect();
        Some(compare_pairs(&pairs, PairRules::default()))
    }

    /// Those in whose last second less than 1 % of all CPUs' time was taken; there are two CPUs.
    fn quiet_blocks(&self) -> Vec<Vec<bool>> {
        let of_launch = |launch: &Vec<[Window; SERVERS.len()]>| {
            let windows: Vec<f64> =
                launch.iter().flatten().map(|window| (window.server + window.load) / 2.0).collect();
            let is_quiet = |block: usize| {
                let end = (block + 1) * SERVERS.len();
                let second = &windows[end.saturating_sub(SECOND)..end];
                second.iter().sum::<f64>() / (second.len() as f64) < 0.01
            };
            (0..launch.len()).map(is_quiet).collect()
        };
        self.0.iter().map(of_launch).collect()
    }
}

/// The share of a window that is taken when the mean is `level`: bursts that begin at random.
fn taken(level: f64, random: &mut SplitMix64) -> f64 {
    let mut sum_ms = 0.0;
    let mut at_ms = 0.0;
    while level > 0.0 && sum_ms < WINDOW_MS {
        at_ms -= BURST_MS / level * random.unit().max(f64::MIN_POSITIVE).ln();
        if at_ms >= WINDOW_MS {
            break;
        }
        sum_ms -= BURST_MS * random.unit().max(f64::MIN_POSITIVE).ln();
    }
    (sum_ms / WINDOW_MS).min(0.9)
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    ranked: u32,
    with_false: u32,
    found: u32,
    intervals: u64,
    held: u64,
    half_widths: f64,
}

impl Tally {
    fn add(&mut self, comparison: Option<Comparison>, figure: usize) {
        let Some(comparison) = comparison else { return };
        self.ranked += 1;
        let mut is_false = false;
        for pair in &comparison.pairs {
            let truth = SERVERS[pair.first].truth[figure] - SERVERS[pair.second].truth[figure];
            let told = match pair.state {
                PairState::Separated { above } => {
                    if above == pair.first {
                        1.0
                    } else {
                        -1.0
                    }
                }
                PairState::Equal | PairState::Open => 0.0,
            };
            is_false |= told != 0.0 && told * truth <= 0.0;
            self.found += u32::from((pair.first, pair.second) == MORE_WORK && told * truth > 0.0);
            if let Some(test) = pair.test {
                self.intervals += 1;
                self.held += u64::from(test.interval.holds(truth));
                self.half_widths += (test.interval.high - test.interval.low) / 2.0;
            }
        }
        self.with_false += u32::from(is_false);
    }

    fn cell(&self, from: TakenFrom, rule: TakenRule, runs: u32) -> TakenCell {
        let share = |part: f64, all: f64| part / all.max(1.0);
        let ranked = f64::from(self.ranked);
        TakenCell {
            from,
            rule,
            runs,
            ranked: share(ranked, f64::from(runs)),
            false_separations: share(f64::from(self.with_false), ranked),
            coverage: share(self.held as f64, self.intervals as f64),
            half_width: share(self.half_widths, self.intervals as f64).exp_m1(),
            found: share(f64::from(self.found), f64::from(runs)),
            broken: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_taken_as_is_said() {
        let mut random = SplitMix64::new(1);
        for level in [0.0, 0.01, 0.1] {
            let n = 40_000;
            let mean = (0..n).map(|_| taken(level, &mut random)).sum::<f64>() / f64::from(n);
            assert!((mean - level).abs() <= 0.05 * level, "{level}: {mean}");
        }
    }

    /// Where CPU time is taken the rule that drops blocks ranks nothing, and the shipped one ranks every run.
    #[test]
    fn what_is_taken_takes_no_answer() {
        let [goodput, cpu_time, dropping] =
            cells(TakenFrom { server: 0.05, load: 0.05 }, 100, &mut SplitMix64::new(1));
        assert_eq!((goodput.ranked, cpu_time.ranked), (1.0, 1.0));
        assert!(dropping.ranked < 0.05, "{dropping:?}");
        let [_, _, dropping] = cells(TakenFrom { server: 0.0, load: 0.0 }, 20, &mut SplitMix64::new(1));
        assert_eq!(dropping.ranked, 1.0);
    }
}
