//! Pairs, looks, the control, dropped blocks and means over workloads, on simulated runs with known effects.

mod common;

use velo_fixtures::{Simulated, Simulation};
use velo_judge::{
    Cause, Check, ComparedPair, Finding, Judgement, Kind, RowState, Standing, judge, planning, unfit_host,
};
use velo_model::{Class, Figure, PartyRole};
use velo_record::{EndedBy, Look, RunFile, Window, WindowKind};

use crate::common::{name, ranks, row};

fn of<'w>(windows: &'w mut [Window], contender: &str) -> impl Iterator<Item = &'w mut Window> {
    let contender = name(contender);
    windows.iter_mut().filter(move |window| window.contender == contender)
}

fn four() -> Simulation {
    let mut simulation = Simulation::new(vec![
        Simulated::new("ruby/rack-thin", 8_000.0),
        Simulated::new("go/net-http", 48_000.0),
        Simulated::new("go/gin", 47_900.0),
        Simulated::new("js/fastify", 30_000.0),
    ]);
    simulation.seed = 2;
    simulation
}

fn with_control() -> Simulation {
    let mut simulation = four();
    let reference = |name| Simulated::new(name, 900_000.0).class(Class::Reference);
    simulation.contenders.push(reference("rust/reference"));
    simulation.contenders.push(reference("rust/reference-twin").twin_of("rust/reference"));
    simulation
}

fn judged(simulation: &Simulation, change: impl FnOnce(&mut RunFile, &mut Vec<Window>)) -> Judgement {
    let (mut file, mut windows) = simulation.run();
    change(&mut file, &mut windows);
    judge(&file, &windows)
}

#[track_caller]
fn pair<'j>(judgement: &'j Judgement, over: &str, under: &str) -> &'j ComparedPair {
    let pairs = judgement.workloads[0].pairs_by(Figure::Goodput, None).expect("ranked rows have pairs");
    let is_it = |pair: &&ComparedPair| pair.over == name(over) && pair.under == name(under);
    pairs.compared.iter().find(is_it).unwrap_or_else(|| panic!("no pair {over} over {under}: {pairs:?}"))
}

/// Noise that makes pairs that are close neither equal nor apart.
fn noisy() -> Simulation {
    let mut simulation = four();
    simulation.noise_of_launches = 0.06;
    simulation
}

#[test]
fn each_pair_stands_once_the_greater_first() {
    let judgement = judged(&four(), |_, _| {});
    let pairs = judgement.workloads[0].pairs_by(Figure::Goodput, None).unwrap();
    assert_eq!(pairs.compared.len(), 6);
    assert_eq!((pairs.level, pairs.equal_within), (0.05, 0.04));
    assert_eq!((pairs.separated, pairs.equal, pairs.open), (5, 1, 0));
    let fastify = pair(&judgement, "go/net-http", "js/fastify");
    assert_eq!(fastify.state, Standing::Separated);
    let ratio = fastify.ratio.unwrap();
    let (low, high) = ratio.interval().unwrap();
    assert!((ratio.value / 1.6 - 1.0).abs() < 0.01, "{ratio:?}");
    assert!(fastify.simultaneous_low.unwrap() < low && high < fastify.simultaneous_high.unwrap());
    assert!(fastify.p.unwrap() <= fastify.p_holm.unwrap() && fastify.p_holm.unwrap() < 0.001);
    assert!(pairs.compared.iter().all(|pair| pair.ratio.unwrap().value >= 1.0 && pair.would_tell.is_none()));
    let mut seen: Vec<f64> = pairs.compared.iter().map(|pair| pair.could_have_seen.unwrap()).collect();
    seen.sort_by(f64::total_cmp);
    assert_eq!(pairs.could_have_seen, Some(f64::midpoint(seen[2], seen[3])), "the median pair's");
    assert_eq!((pairs.could_have_seen_least, pairs.could_have_seen_most), (Some(seen[0]), Some(seen[5])));
    assert!(seen[5] < 0.05, "1 % of noise: {seen:?}");
}

#[test]
fn an_open_pair_says_what_would_tell() {
    let judgement = judged(&noisy(), |_, _| {});
    let pairs = judgement.workloads[0].pairs_by(Figure::Goodput, None).unwrap();
    let open: Vec<&ComparedPair> =
        pairs.compared.iter().filter(|pair| pair.state == Standing::Open).collect();
    assert_eq!((open.len(), pairs.open), (1, 1), "the two Go stacks: {pairs:#?}");
    let would_tell = open[0].would_tell.unwrap();
    assert!(would_tell.launches > 5 && would_tell.half_width > 0.0);
    // The plan of the budget that is promised, at the costs of this run, has the launches and all of their ten blocks.
    let costs = noisy().run().0.costs.unwrap();
    let bought = planning::plan(planning::plannable_ns(would_tell.budget_ns.unwrap()), &costs, false).plan;
    assert!(bought.launches >= would_tell.launches, "{bought:?}, {would_tell:?}");
    assert!(bought.launches * bought.blocks >= would_tell.launches * 10, "{bought:?}, {would_tell:?}");
    assert_eq!((ranks(&judgement, "go/net-http"), ranks(&judgement, "go/gin")), ((1, 2), (1, 2)));
    assert!(open[0].launches_to_2_percent.unwrap() > 5);
    assert!(pairs.could_have_seen.unwrap() > 0.05);
}

#[test]
fn rows_that_are_not_ranked_are_in_no_pair() {
    let judgement = judged(&with_control(), |_, windows| {
        of(windows, "js/fastify").for_each(|window| window.outcomes.wrong_answer = 1);
    });
    let pairs = judgement.workloads[0].pairs_by(Figure::Goodput, None).unwrap();
    assert_eq!(pairs.compared.len(), 3);
    assert_eq!(judged(&four(), |file, _| file.settings.quick = true).workloads[0].pairs, []);
    let mut alone = four();
    alone.contenders.truncate(1);
    let judgement = judged(&alone, |_, _| {});
    assert_eq!(ranks(&judgement, "ruby/rack-thin"), (1, 1));
    assert_eq!(judgement.workloads[0].pairs, []);
}

#[test]
fn the_look_that_ended_the_run_sets_level_and_confidence() {
    let looks = vec![
        Look { launch: 5, level: 0.005 },
        Look { launch: 8, level: 0.015 },
        Look { launch: 12, level: 0.03 },
    ];
    let with = |looks: &[Look], ended_by| {
        judged(&four(), |file, _| {
            file.plan.as_mut().unwrap().looks = looks.to_vec();
            file.ended_by = Some(ended_by);
        })
    };
    let once = with(&[], EndedBy::Plan);
    let early = with(&looks, EndedBy::Precision { launch: 5 });
    let late = with(&looks, EndedBy::Plan);
    let levels = [&once, &late, &early]
        .map(|judgement| judgement.workloads[0].pairs_by(Figure::Goodput, None).unwrap().level);
    assert_eq!(levels, [0.05, 0.03, 0.005]);
    assert_eq!([&once, &late, &early].map(|judgement| judgement.confidence), [0.95, 0.97, 0.995]);
    assert_eq!(early.ended_by, Some(EndedBy::Precision { launch: 5 }));
    let widths = [&once, &late, &early].map(|judgement| {
        let go = row(judgement, "go/net-http");
        [
            go.goodput_per_s.unwrap(),
            go.against_baseline.unwrap(),
            pair(judgement, "go/net-http", "js/fastify").ratio.unwrap(),
        ]
        .map(|estimate| estimate.relative_half_width().unwrap())
    });
    for figure in 0..3 {
        assert!(widths[0][figure] < widths[1][figure] && widths[1][figure] < widths[2][figure], "{widths:?}");
    }
}

// The control

#[test]
fn a_twin_is_the_control_and_nothing_else() {
    let judgement = judged(&with_control(), |_, _| {});
    let workload = &judgement.workloads[0];
    assert!(workload.rows.iter().all(|row| row.contender != name("rust/reference-twin")));
    let [control] = workload.controls.as_slice() else { panic!("{:?}", workload.controls) };
    assert_eq!((&control.contender, &control.twin), (&name("rust/reference"), &name("rust/reference-twin")));
    assert_eq!(control.holds_one, Some(true));
    assert_eq!(control.noise_floor, control.ratio.unwrap().relative_half_width());
    assert!(judgement.verdicts.is_empty(), "{:?}", judgement.verdicts);
    // Its answers were checked like all others.
    let (_, windows) = with_control().run();
    let all: u64 = windows.iter().map(|window| window.all().correct).sum();
    assert_eq!(judgement.answers.checked(), all);
}

#[test]
fn a_control_that_misses_1_is_a_warning_and_ranks_stay() {
    let judgement = judged(&with_control(), |_, windows| {
        for window in of(windows, "rust/reference-twin") {
            window.outcomes.correct = window.outcomes.correct * 21 / 20;
        }
    });
    let control = &judgement.workloads[0].controls[0];
    assert_eq!(control.holds_one, Some(false));
    let [verdict] = judgement.verdicts.as_slice() else { panic!("{:?}", judgement.verdicts) };
    assert_eq!((verdict.kind, verdict.check, verdict.bound), (Kind::Warning, Check::Control, Some(1.0)));
    assert!((verdict.figure.unwrap() - 1.05).abs() < 0.01);
    let Finding::ControlFailed { contender, difference_share, half_width_share, .. } = &verdict.finding
    else {
        panic!("{verdict:?}")
    };
    assert_eq!((contender, *half_width_share), (&name("rust/reference"), control.noise_floor));
    assert!((difference_share - 0.05).abs() < 0.01, "{difference_share}");
    assert_eq!(ranks(&judgement, "js/fastify"), (3, 3));
}

#[test]
fn a_control_without_its_other_half_says_nothing() {
    let judgement = judged(&with_control(), |_, windows| {
        windows.retain(|window| window.contender != name("rust/reference"));
    });
    let control = &judgement.workloads[0].controls[0];
    assert_eq!((control.ratio, control.noise_floor, control.holds_one), (None, None, None));
    let [verdict] = judgement.verdicts.as_slice() else { panic!("{:?}", judgement.verdicts) };
    assert_eq!((verdict.kind, verdict.check), (Kind::Hint, Check::Control));
    let Finding::NoiseFloorUnknown { workload, reason } = &verdict.finding else { panic!("{verdict:?}") };
    assert_eq!(*workload, judgement.workloads[0].name);
    assert_eq!(reason, "fewer than three launches have both A and A'");
}

// Blocks that the machine spoilt

#[test]
fn a_disturbed_block_is_dropped_for_all() {
    let quiet = judged(&four(), |_, _| {});
    let judgement = judged(&four(), |_, windows| {
        let spoilt = |window: &&mut Window| (window.launch, window.block) == (2, 3);
        for window in windows.iter_mut().filter(spoilt) {
            window.outcomes.correct /= 2;
        }
        let one = of(windows, "js/fastify").find(spoilt).unwrap();
        one.host.others_share = Some(0.3);
    });
    assert_eq!((judgement.host.blocks, judgement.host.disturbed_blocks), (50, 1));
    for contender in ["ruby/rack-thin", "go/net-http", "go/gin", "js/fastify"] {
        assert_eq!((row(&judgement, contender).windows, row(&judgement, contender).launches), (49, 5));
    }
    // The half-empty windows are in no figure.
    let value = |judgement: &Judgement| row(judgement, "go/net-http").goodput_per_s.unwrap().value;
    assert!((value(&judgement) / value(&quiet) - 1.0).abs() < 0.002);
    let [verdict] = judgement.verdicts.as_slice() else { panic!("{:?}", judgement.verdicts) };
    assert_eq!((verdict.kind, verdict.check), (Kind::Hint, Check::Host));
    let Finding::BlocksDisturbed { disturbed, blocks, by, are_counted: false } = &verdict.finding else {
        panic!("{verdict:?}")
    };
    assert_eq!((*disturbed, *blocks), (1, 50));
    assert_eq!(by.in_words(), ["others or the hypervisor took 20 % or more of the CPU time in 1"]);
}

#[test]
fn a_launch_without_blocks_does_not_count() {
    let judgement = judged(&four(), |_, windows| {
        let third = windows.iter_mut().filter(|window| window.launch == 3);
        third.for_each(|window| window.host.steal_share = Some(0.2));
    });
    let go = row(&judgement, "go/net-http");
    assert_eq!((go.launches, go.goodput_per_s.unwrap().launches), (4, 4));
    let cause = Cause::FewLaunches { role: velo_model::Role::Server, launches: 4, needed: 5 };
    assert_eq!(cause.to_string(), "4 launches, and ranks need 5");
    assert_eq!(go.state, RowState::NotRanked { cause });
}

/// Why the run ranks nothing, in words.
fn why_nothing(judgement: &Judgement) -> String {
    judgement.nothing_ranked.as_ref().expect("nothing is ranked").to_string()
}

/// A run in which so much of the CPU time of either side was taken, in every window.
fn taken(server_share: f64, load_share: f64) -> Judgement {
    judged(&four(), |file, windows| {
        let cpus = |role| file.placement.cpus(role).len() as f64;
        let ns = |share: f64, role| Some((share * cpus(role) * 100e6) as i64);
        for window in windows {
            window.host.others_elapsed_ns = Some(100_000_000);
            window.host.taken_server_ns = ns(server_share, PartyRole::Contender);
            window.host.taken_load_ns = ns(load_share, PartyRole::Generator);
        }
    })
}

/// The interval's half-width of a pair by a figure.
fn half_width(judgement: &Judgement, of: Figure, [one, other]: [&str; 2]) -> f64 {
    let pairs = judgement.workloads[0].pairs_by(of, None).expect("they are ranked by it");
    let is_it = |pair: &&ComparedPair| {
        let names = [&pair.over, &pair.under];
        names.contains(&&name(one)) && names.contains(&&name(other))
    };
    pairs.compared.iter().find(is_it).unwrap().ratio.unwrap().relative_half_width().unwrap()
}

#[test]
fn what_others_took_widens_intervals_and_drops_nothing() {
    let quiet = taken(0.0, 0.0);
    let busy = taken(0.01, 0.06);
    assert_eq!((busy.nothing_ranked.as_ref(), busy.host.disturbed_blocks), (None, 0));
    assert_eq!(row(&busy, "go/net-http").windows, 50);
    let [verdict] = busy.verdicts.as_slice() else { panic!("one sentence: {:?}", busy.verdicts) };
    assert_eq!((verdict.kind, verdict.check), (Kind::Warning, Check::Host));
    let Finding::CpuTimeTaken { taken: found, others } = &verdict.finding else { panic!("{verdict:?}") };
    assert!((found.load - 0.06).abs() < 1e-9 && (found.server - 0.01).abs() < 1e-9 && others == "others");
    assert!(busy.host.is_busy && !quiet.host.is_busy && quiet.verdicts.is_empty());
    // The contenders keep the generator busy alike, so that a tenth of what the worse side lost is allowed for.
    let pair = ["go/net-http", "go/gin"];
    let [before, after] = [&quiet, &busy].map(|run| half_width(run, Figure::Goodput, pair));
    let expected = before.ln_1p().hypot(0.1 * 0.06).exp_m1();
    assert!((after / expected - 1.0).abs() < 0.02, "{before} {after} {expected}");
    let value = |run: &Judgement| row(run, "go/net-http").goodput_per_s.unwrap();
    assert_eq!(value(&quiet), value(&busy), "a figure by itself is what was measured");
}

#[test]
fn a_busy_machine_is_ranked_by_cpu_time_as_well() {
    let (quiet, busy) = (taken(0.0, 0.019), taken(0.0, 0.02));
    let ranked_by =
        |run: &Judgement| -> Vec<Figure> { run.workloads[0].pairs.iter().map(|own| own.of).collect() };
    assert_eq!(ranked_by(&quiet), [Figure::Goodput]);
    assert_eq!(ranked_by(&busy), [Figure::CpuPerRequest, Figure::Goodput]);
    let first = &busy.workloads[0].series[0];
    assert_eq!(first.of, Figure::CpuPerRequest, "the answer rests on it");
    let places: Vec<u32> = first.points.iter().filter_map(|point| point.best).collect();
    assert_eq!(places.len(), 4);
    assert!(quiet.workloads[0].point(Figure::CpuPerRequest, &name("go/gin")).unwrap().best.is_none());
    assert_eq!(ranks(&busy, "js/fastify"), ranks(&quiet, "js/fastify"), "by goodput as before");
}

#[test]
fn a_machine_of_which_a_fifth_is_taken_ranks_nothing() {
    let reason =
        "50 of 50 blocks do not count: others or the hypervisor took 20 % or more of the CPU time in 50";
    assert_eq!(why_nothing(&taken(0.21, 0.0)), reason);
    assert_eq!(taken(0.19, 0.0).nothing_ranked, None);
}

#[test]
fn a_host_that_spoils_most_blocks_ranks_nothing_and_is_told_why() {
    let judgement = judged(&four(), |file, windows| {
        assert_eq!(unfit_host(&file.placement, windows), None);
        let odd = windows.iter_mut().filter(|window| window.kind() == WindowKind::Block && window.block > 4);
        odd.for_each(|window| window.host.others_share = Some(0.4));
        let unfit = unfit_host(&file.placement, windows).expect("most blocks are disturbed");
        assert!(unfit.to_string().starts_with("30 of 50 blocks do not count"));
    });
    let reason =
        "30 of 50 blocks do not count: others or the hypervisor took 20 % or more of the CPU time in 30";
    assert_eq!(why_nothing(&judgement), reason);
    assert_eq!(judgement.workloads[0].pairs, []);
    let go = row(&judgement, "go/net-http");
    assert_eq!((go.windows, go.launches), (50, 5), "all blocks are counted");
    assert!(go.goodput_per_s.is_some());
    assert!(judgement.host.counts_disturbed);
    let verdict = &judgement.verdicts[0];
    assert_eq!(verdict.kind, Kind::Warning);
    assert!(matches!(verdict.finding, Finding::BlocksDisturbed { are_counted: true, .. }), "{verdict:?}");
}

#[test]
fn what_looks_doubtful_on_an_unfit_host_is_not_said_of_a_contender() {
    let rising = |others_share: Option<f64>| {
        judged(&four(), |_, windows| {
            for window in windows.iter_mut().filter(|window| window.kind() == WindowKind::Block) {
                window.host.others_share = others_share;
                if window.contender.as_str() == "js/fastify" {
                    let block = u64::from(window.block);
                    window.outcomes.correct += window.outcomes.correct * block / 20;
                }
            }
        })
    };
    let cause = |judgement: &Judgement| match &row(judgement, "js/fastify").state {
        RowState::NotRanked { cause } => cause.clone(),
        state => panic!("{state:?}"),
    };
    assert!(matches!(cause(&rising(None)), Cause::Unsteady { .. } | Cause::Inconsistent { .. }));
    assert!(matches!(cause(&rising(Some(0.4))), Cause::Run { .. }));
}

// Over workloads

#[test]
fn the_geometric_mean_is_over_workloads_that_all_have() {
    let mut simulation = four();
    simulation.workloads = vec!["void".to_owned(), "coin".to_owned()];
    let halved = |windows: &mut Vec<Window>| {
        for window in of(windows, "js/fastify").filter(|window| window.workload == "void") {
            window.outcomes.correct /= 4;
            window.duration_ns /= 2;
            window.in_flight_request_ns /= 2;
            window.clipped_service_ns /= 2;
            for party in &mut window.parties {
                party.cpu_ns = party.cpu_ns.map(|cpu| cpu / 2);
            }
        }
    };
    let judgement = judged(&simulation, |_, windows| halved(windows));
    let geometric = judgement.geometric_mean.as_ref().unwrap();
    assert_eq!(geometric.workloads, ["void", "coin"]);
    assert_eq!(geometric.means.len(), 4);
    let mean =
        |contender: &str| geometric.means.iter().find(|one| one.contender == name(contender)).unwrap().mean;
    assert!((mean("go/net-http").value / 6.0 - 1.0).abs() < 0.01);
    // 15 / 8 on one workload, 30 / 8 on the other.
    assert!((mean("js/fastify").value / (15.0 * 30.0_f64).sqrt() * 8.0 - 1.0).abs() < 0.02);
    assert!(mean("js/fastify").interval().is_some() && mean("ruby/rack-thin").value == 1.0);
    assert_eq!(geometric.means.last().unwrap().contender, name("ruby/rack-thin"));

    // Who lacks a workload has no mean, and a run of one workload has none at all.
    let judgement = judged(&simulation, |_, windows| {
        windows.retain(|window| window.contender != name("js/fastify") || window.workload == "coin");
    });
    assert_eq!(judgement.geometric_mean.unwrap().means.len(), 3);
    assert_eq!(judged(&four(), |_, _| {}).geometric_mean, None);
}
