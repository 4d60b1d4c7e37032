//! The course on a load that is made up.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use velo_load::{
    DriverChoice, EdgeHook, GeneratorError, Limits, Schedule, Tally, Target, WindowReport, WindowSettings,
};
use velo_record::{LoadTarget, Outcomes};

use super::measure::measure;
use super::options::{AgainstMeasured, AgainstOptions, AgainstSoFar, ServiceChoice, SideOptions};
use crate::host::machine::Machine;
use crate::host::network::Network;
use crate::sides::load_side::{LoadSide, TargetNumber};

/// A load on targets with known rates, which notes the windows that it is asked for.
#[derive(Default)]
struct Made {
    /// The side of each, by number.
    targets: Vec<usize>,
    removed: Vec<usize>,
    rates_per_s: Vec<u64>,
    /// Side, settling, window and the longest draining, in nanoseconds.
    windows: RefCell<Vec<(usize, u64, u64, u64)>>,
    seeds: Vec<Option<u64>>,
    /// The window that is interrupted.
    stops_at: Option<usize>,
    gives_up: Option<usize>,
}

impl LoadSide for Made {
    fn add(&mut self, target: &Target) -> Result<TargetNumber, GeneratorError> {
        self.targets.push(target.seed as usize);
        Ok(TargetNumber(self.targets.len() - 1))
    }

    fn remove(&mut self, target: TargetNumber) {
        self.removed.push(self.targets[target.0]);
    }

    fn window(
        &mut self,
        target: TargetNumber,
        settings: &WindowSettings,
        _: Option<&EdgeHook>,
        stop: &Arc<AtomicBool>,
    ) -> Result<WindowReport, GeneratorError> {
        let side = self.targets[target.0];
        let windows = self.windows.get_mut();
        windows.push((side, settings.settling_ns, settings.duration_ns, settings.drain_limit_ns));
        let interrupted = self.stops_at == Some(windows.len() - 1);
        stop.fetch_or(interrupted, Ordering::Relaxed);
        self.seeds.push(match &settings.schedule {
            Schedule::Open(arrivals) => Some(arrivals.seed),
            Schedule::Closed { .. } => None,
        });
        let answers = |ns: u64| Outcomes {
            correct: self.rates_per_s[side] * ns / 1_000_000_000,
            ..Outcomes::default()
        };
        let tally = Tally {
            outcomes: answers(settings.duration_ns),
            settling: answers(settings.settling_ns),
            gave_up: self.gives_up == Some(side),
            ..Tally::default()
        };
        Ok(WindowReport {
            tally,
            asked: settings.connections,
            settling_ns: settings.settling_ns,
            duration_ns: settings.duration_ns,
            scheduled_ns: None,
            drain_ns: 0,
            interrupted,
            driver: "made",
            thread_cpu_ns: vec![1_000, 2_000],
            thread_cpu_total_ns: vec![1_000, 2_000],
        })
    }
}

fn options(window: WindowSettings) -> AgainstOptions {
    // The seed tells them apart here.
    let side = |seed| SideOptions {
        target: Target {
            endpoints: Vec::new(),
            tls: None,
            sources: Vec::new(),
            plans: Vec::new(),
            limits: Limits::default(),
            seed,
        },
        recorded: LoadTarget { url: "http://a".to_owned(), endpoints: Vec::new(), tls: None },
        service: ServiceChoice::Elsewhere,
    };
    AgainstOptions {
        cpus: vec![0],
        driver: DriverChoice::Auto,
        sides: [side(0), side(1)],
        window,
        warm_up_ns: 1_000_000_000,
        duration_ns: 1_000_000_000,
        stop: Arc::default(),
    }
}

fn measured(load: &mut Made, window: WindowSettings) -> (AgainstMeasured, Vec<AgainstSoFar>) {
    let mut told = Vec::new();
    let host = Machine::new(Network::default());
    let measured = measure(options(window), load, &host, &mut |so_far| told.push(*so_far));
    (measured.expect("a load"), told)
}

fn closed() -> WindowSettings {
    WindowSettings::closed_loop(10, 0, 5_000_000_000)
}

const MS: u64 = 1_000_000;

#[test]
fn neither_side_is_always_first() {
    let mut load = Made { rates_per_s: vec![10_000, 1_000], ..Made::default() };
    let (measured, told) = measured(&mut load, closed());
    let windows = load.windows.take();
    let order: Vec<usize> = windows.iter().map(|window| window.0).collect();
    assert_eq!(order[..10], [0, 1, 0, 1, 1, 0, 0, 1, 1, 0], "both warm up, then AB, BA");
    // 12 rounds of 10 connections at 1,000/s take 120 ms; at 10,000/s 50 ms is the least.
    assert_eq!((windows[2].1, windows[2].2), (10 * MS, 50 * MS));
    assert_eq!((windows[3].1, windows[3].2), (20 * MS, 120 * MS));
    assert_eq!((measured.planned_blocks, measured.blocks.len()), (9, 9), "1 s by 120 ms");
    assert!(measured.blocks.iter().enumerate().all(|(number, block)| block.a_first == (number % 2 == 0)));
    let limits: Vec<u64> = windows[2..].iter().map(|window| window.3).collect();
    assert!(limits[..16].iter().all(|limit| *limit <= 20 * MS));
    assert_eq!(limits[16..], [6_000 * MS; 2], "the last windows wait for every answer");

    let block = &measured.blocks[0];
    assert_eq!((block.a.correct, block.a.correct_with_settling), (500, 600));
    assert_eq!((block.b.correct, block.b.generator_cpu_ns), (120, 3_000));
    assert_eq!((block.b.cpu_ns, measured.driver), (None, Some("made")));
    assert_eq!(measured.sides[1].outcomes.correct, 9 * 120);
    assert_eq!(told.len(), 10);
    assert_eq!(told[9], AgainstSoFar { blocks: 9, planned: 9, correct_per_s: [10_000.0, 1_000.0] });
}

#[test]
fn each_batch_has_connections_of_its_own() {
    let mut load = Made { rates_per_s: vec![10_000; 2], ..Made::default() };
    let (measured, _) = measured(&mut load, closed());
    let batches: Vec<u32> = measured.blocks.iter().map(|block| block.batch).collect();
    assert_eq!(batches, [[0; 5], [1; 5], [2; 5], [3; 5]].concat());
    assert_eq!(load.removed, [1, 0, 0, 1, 1, 0], "neither is always first");
    let windows = load.windows.take();
    let order: Vec<usize> = windows.iter().map(|window| window.0).collect();
    assert_eq!(order[10..16], [0, 1, 1, 0, 1, 0], "the fifth block, both anew, and the sixth with B first");
    assert_eq!((windows[10].3, windows[11].3), (6_000 * MS, 6_000 * MS), "nothing in flight is lost");
    assert_eq!(measured.sides[0].outcomes.correct, 20 * 500, "the windows between do not count");
    assert_eq!(measured.sides[0].times.len(), 4);
}

#[test]
fn arrivals_differ_from_block_to_block_and_not_between_sides() {
    let shape = velo_load::Shape::Constant { per_s: 100.0 };
    let arrivals = velo_load::Arrivals { shape, spacing: velo_load::Spacing::Poisson, seed: 7 };
    let mut load = Made { rates_per_s: vec![100, 100], ..Made::default() };
    let (measured, _) =
        measured(&mut load, WindowSettings { schedule: Schedule::Open(arrivals), ..closed() });
    assert_eq!(measured.planned_blocks, 4, "windows of 250 ms");
    assert_eq!(load.seeds[2..].iter().flatten().copied().collect::<Vec<_>>(), [8, 8, 9, 9, 10, 10, 11, 11]);
}

#[test]
fn half_of_a_block_does_not_count() {
    let mut load = Made { rates_per_s: vec![10_000; 2], stops_at: Some(7), ..Made::default() };
    let (measured, _) = measured(&mut load, closed());
    assert!(measured.interrupted);
    assert_eq!((measured.blocks.len(), measured.sides[0].outcomes.correct), (2, 1_000));
}

#[test]
fn a_side_that_cannot_be_reached_ends_it() {
    let mut load = Made { rates_per_s: vec![10_000; 2], gives_up: Some(1), ..Made::default() };
    let (measured, _) = measured(&mut load, closed());
    assert_eq!((measured.sides[0].gave_up, measured.sides[1].gave_up), (false, true));
    assert_eq!((measured.planned_blocks, measured.blocks.len()), (0, 0));
}
