//! A rank never stands beside a figure that contradicts it: figures, ratios and ranks are of one model, whatever is missing.

use proptest::prelude::*;
use velo_fixtures::{Simulated, SimulatedOpenLoop, SimulatedTask, Simulation};
use velo_judge::compare::{self, Snapshot};
use velo_judge::{Estimate, Judgement, Pairs, RowState, Standing, judge};
use velo_model::{ContenderName, Figure, Role};
use velo_record::{RatePurpose, RunFile, Window, WindowKind};
use velo_stats::SplitMix64;

const RATE_PER_S: f64 = 2_000.0;

/// What is wrong with a simulated record.
#[derive(Debug, Clone, Copy)]
struct Damage {
    seed: u64,
    contenders: usize,
    launches: u32,
    blocks: u32,
    /// Of single windows.
    missing: f64,
    /// Of a contender's launches: those that ended before the first block, and those that ended early.
    lost: f64,
    /// Of blocks.
    disturbed: f64,
    /// The first two contenders have the same windows.
    is_tied: bool,
}

fn damages() -> impl Strategy<Value = Damage> {
    let shares = (0.0..0.3_f64, 0.0..0.2_f64, 0.0..0.2_f64);
    (any::<u64>(), 2_usize..6, 5_u32..9, 2_u32..6, shares, any::<bool>()).prop_map(
        |(seed, contenders, launches, blocks, (missing, lost, disturbed), is_tied)| Damage {
            seed,
            contenders,
            launches,
            blocks,
            missing,
            lost,
            disturbed,
            is_tied,
        },
    )
}

fn contender(number: usize) -> ContenderName {
    ContenderName::new(&format!("go/c{number}")).unwrap()
}

/// Contenders a per cent apart, in a run whose launches and blocks scatter by several.
fn record(damage: &Damage) -> (RunFile, Vec<Window>) {
    let rate = |number: usize| 40_000.0 * 1.01_f64.powi(number as i32);
    let all = (0..damage.contenders).map(|number| Simulated::new(contender(number).as_str(), rate(number)));
    let mut simulation = Simulation::new(all.collect());
    (simulation.seed, simulation.launches, simulation.blocks) = (damage.seed, damage.launches, damage.blocks);
    (simulation.noise_of_launches, simulation.noise_of_windows) = (0.02, 0.05);
    simulation.drift_of_blocks = 0.3;
    let (mut file, mut windows) = simulation.run();
    for number in 0..damage.contenders {
        SimulatedOpenLoop::new(RatePurpose::CommonRate, RATE_PER_S).add_to(&mut windows, &contender(number));
    }
    if damage.is_tied {
        windows.retain(|window| window.contender != contender(1));
        let twins: Vec<Window> =
            windows.iter().filter(|window| window.contender == contender(0)).cloned().collect();
        windows.extend(twins.into_iter().map(|window| Window { contender: contender(1), ..window }));
    }
    let mut random = SplitMix64::new(damage.seed ^ 1);
    for launch in 1..=damage.launches {
        for block in 1..=damage.blocks {
            if random.unit() < damage.disturbed {
                let of_block = |window: &&mut Window| (window.launch, window.block) == (launch, block);
                windows.iter_mut().filter(of_block).for_each(|window| window.host.steal_share = Some(0.5));
            }
        }
        for number in 0..damage.contenders {
            if random.unit() < damage.lost {
                let last = random.below(damage.blocks as usize) as u32;
                windows.retain(|window| {
                    window.contender != contender(number) || window.launch != launch || window.block <= last
                });
            }
        }
    }
    windows.retain(|window| window.kind() == WindowKind::Cold || random.unit() >= damage.missing);
    let tasks = (0..damage.contenders)
        .map(|number| SimulatedTask::new(&format!("js/t{number}"), 5e6, 1e6 * 1.01_f64.powi(number as i32)));
    SimulatedTask::add(&tasks.collect::<Vec<_>>(), &mut file, damage.seed);
    for record in file.contenders.iter_mut().filter(|record| record.manifest.role == Role::Task) {
        // Others were at work in some.
        for process in record.tasks.iter_mut().filter(|_| random.unit() < damage.lost) {
            process.others_share = Some(0.5);
        }
    }
    (file, windows)
}

/// A contender with its figure and its rank.
type Ranked<'j> = (&'j ContenderName, Estimate, (u32, u32));

fn is_near(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 1e-9
}

/// The ranked ones in the order of their figures, the best first: each holds its place.
fn check_places(ranked: &[Ranked<'_>], more_is_better: bool) {
    for pair in ranked.windows(2) {
        let (first, second) = (pair[0].1.value, pair[1].1.value);
        assert!(if more_is_better { first >= second } else { first <= second }, "{ranked:?}");
    }
    for (place, (_, _, (best, worst))) in (1..).zip(ranked) {
        assert!(*best <= place && place <= *worst, "{ranked:?}");
    }
}

/// A pair, the one with the greater figure first: its ratio is that of the two figures.
fn check_pair(over: &Estimate, under: &Estimate, ratio: Option<Estimate>, state: Standing) {
    assert!(over.value >= under.value);
    if let Some(ratio) = ratio {
        assert!(is_near(ratio.value, over.value / under.value), "{ratio:?} of {over:?} and {under:?}");
    }
    assert!(state != Standing::Separated || over.value > under.value);
}

fn check_pairs(pairs: Option<&Pairs>, ranked: &[Ranked<'_>]) -> usize {
    let figure = |name: &ContenderName| ranked.iter().find(|one| one.0 == name).unwrap().1;
    let compared = pairs.map_or(&[][..], |pairs| &pairs.compared);
    for pair in compared {
        check_pair(&figure(&pair.over), &figure(&pair.under), pair.ratio, pair.state);
    }
    compared.len()
}

/// How many pairs were looked at.
fn check(judgement: &Judgement) -> usize {
    let workload = &judgement.workloads[0];
    let place = |state: &RowState| match state {
        RowState::Ranked { best, worst } => Some((*best, *worst)),
        _ => None,
    };
    let rows = workload.rows.iter();
    let by_goodput: Vec<Ranked<'_>> =
        rows.filter_map(|row| Some((&row.contender, row.goodput_per_s?, place(&row.state)?))).collect();
    check_places(&by_goodput, true);
    let mut seen = check_pairs(workload.pairs_by(Figure::Goodput, None), &by_goodput);
    let baseline = workload.rows.iter().find(|row| row.contender == workload.baseline).unwrap();
    for row in &workload.rows {
        if let (Some(score), Some(own), Some(base)) =
            (row.against_baseline, row.goodput_per_s, baseline.goodput_per_s)
        {
            assert!(is_near(score.value, own.value / base.value));
        }
    }
    for group in workload.series.iter().filter(|series| series.of == Figure::CpuAtOneRate) {
        let points = group.points.iter();
        let ranked: Vec<Ranked<'_>> = points
            .filter_map(|point| Some((&point.contender, point.estimate, (point.best?, point.worst?))))
            .collect();
        check_places(&ranked, false);
        seen += check_pairs(workload.pairs_by(group.of, Some(group.under)), &ranked);
    }
    let table = workload.tasks.as_ref().unwrap();
    let rows = table.rows.iter();
    let by_time: Vec<Ranked<'_>> =
        rows.filter_map(|row| Some((&row.contender, row.steady_ns?, place(&row.state)?))).collect();
    check_places(&by_time, false);
    seen + check_pairs(workload.pairs_by(Figure::IterationSteady, None), &by_time)
}

/// What `velo compare` prints of a figure is what `velo report` prints of it, in both of its questions.
fn check_comparisons(file: &RunFile, windows: &[Window], judgement: &Judgement) {
    let snapshot = Snapshot::of(file, windows);
    let workload = &judgement.workloads[0];
    let printed = |figure: Figure, contender: &ContenderName| -> Option<Estimate> {
        let row = workload.rows.iter().find(|row| row.contender == *contender);
        match figure {
            Figure::Goodput => row?.goodput_per_s,
            Figure::CpuPerRequest => row?.cpu_per_request_ns,
            Figure::CpuAtOneRate => row?.latency.first()?.cpu_per_request_ns,
            Figure::Startup => row?.processes.startup_ns,
            Figure::IterationSteady => {
                workload.tasks.as_ref()?.rows.iter().find(|row| row.contender == *contender)?.steady_ns
            }
            other => panic!("{other:?} is not compared"),
        }
    };
    // As it is read back from a file.
    let saved = Snapshot::from_json(snapshot.to_json().as_bytes()).unwrap();
    if let Ok(compared) = compare::runs(&saved, &snapshot, &[]) {
        for change in &compared.changes {
            let there = printed(change.figure, &change.contender).unwrap();
            for here in [&change.before, &change.after] {
                assert!(is_near(here.value, there.value), "{:?} {here:?} {there:?}", change.figure);
                assert_eq!(here.range().is_some(), there.range().is_some());
            }
        }
    }
    let names: Vec<ContenderName> = workload.rows.iter().map(|row| row.contender.clone()).collect();
    let between = compare::contenders(file, windows, &names).unwrap();
    for pair in &between.pairs {
        let [over, under] = [&pair.over, &pair.under].map(|name| printed(pair.figure, name).unwrap());
        assert!(is_near(pair.over_figure.unwrap().value, over.value));
        assert!(is_near(pair.ratio.unwrap().value, over.value / under.value), "{pair:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn ranks_ratios_and_figures_agree_whatever_is_missing(damage in damages()) {
        let (file, windows) = record(&damage);
        let judgement = judge(&file, &windows);
        check(&judgement);
        check_comparisons(&file, &windows, &judgement);
    }
}

/// Paired medians of three contenders need not add up: by them the one with the lowest figure can come out on top.
#[test]
fn records_with_gaps_are_ranked_at_all() {
    let whole = Damage {
        seed: 3,
        contenders: 4,
        launches: 8,
        blocks: 4,
        missing: 0.2,
        lost: 0.1,
        disturbed: 0.1,
        is_tied: true,
    };
    let (file, windows) = record(&whole);
    let judgement = judge(&file, &windows);
    assert!(check(&judgement) >= 6, "pairs of at least one ranking of four");
}
