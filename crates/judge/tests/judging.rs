//! Simulated runs with known effects, and what is said of them.

mod common;

use velo_fixtures::{Simulated, Simulation};
use velo_judge::{Cause, Check, Holds, Judgement, Kind, Limit, RowState, Told, judge};
use velo_record::{CaseRecord, ContenderState, Outcomes, RunFile, RunState, Stage, Window, WindowKind};
use velo_spec::{Bound, Claim, Class, Figure, Side, Subject};

use crate::common::{name, ranks, row};

#[track_caller]
fn cause(judgement: &Judgement, contender: &str) -> (Cause, String) {
    match &row(judgement, contender).state {
        RowState::NotRanked { cause, reason } => (*cause, reason.clone()),
        other => panic!("{contender}: {other:?}"),
    }
}

fn of<'w>(windows: &'w mut [Window], contender: &str) -> impl Iterator<Item = &'w mut Window> {
    let contender = name(contender);
    windows.iter_mut().filter(move |window| window.contender == contender)
}

fn three() -> Simulation {
    Simulation::new(vec![
        Simulated::new("ruby/rack-thin", 8_000.0).coin(),
        Simulated::new("go/net-http", 48_000.0).coin(),
        Simulated::new("js/fastify", 30_000.0).coin(),
    ])
}

fn judged(simulation: &Simulation, change: impl FnOnce(&mut RunFile, &mut Vec<Window>)) -> Judgement {
    let (mut file, mut windows) = simulation.run();
    change(&mut file, &mut windows);
    judge(&file, &windows)
}

fn unchanged(simulation: &Simulation) -> Judgement {
    judged(simulation, |_, _| {})
}

// Estimates and ranks

#[test]
fn separated_contenders_are_ranked_and_their_rates_recovered() {
    let judgement = unchanged(&three());
    assert_eq!(judgement.nothing_ranked, None);
    assert_eq!(ranks(&judgement, "go/net-http"), (1, 1));
    assert_eq!(ranks(&judgement, "js/fastify"), (2, 2));
    assert_eq!(ranks(&judgement, "ruby/rack-thin"), (3, 3));
    let go = row(&judgement, "go/net-http");
    let goodput = go.goodput_per_s.unwrap();
    assert!((goodput.value / 48_000.0 - 1.0).abs() < 0.01, "{goodput:?}");
    let (low, high) = goodput.interval().unwrap();
    assert!(low < goodput.value && goodput.value < high && goodput.launches == 5);
    let score = go.against_baseline.unwrap();
    let (low, high) = score.interval().unwrap();
    assert!((score.value / 6.0 - 1.0).abs() < 0.02 && low <= 6.06 && high >= 5.94, "{score:?}");
    // 0.99 of a CPU at 48,000 requests/s is 20.6 us.
    assert!((go.cpu_per_request_ns.unwrap().value / 20_600.0 - 1.0).abs() < 0.02);
    assert!(!go.at_least && go.limit.as_ref().unwrap().limit == Limit::Server);
    assert_eq!(row(&judgement, "ruby/rack-thin").against_baseline.unwrap().value, 1.0);
    assert_eq!(judgement.workloads[0].rows[0].contender, name("go/net-http"), "best first");
}

#[test]
fn contenders_that_were_not_told_apart_share_ranks() {
    let judgement = unchanged(&Simulation::new(vec![
        Simulated::new("ruby/rack-thin", 8_000.0),
        Simulated::new("go/gin", 47_950.0),
        Simulated::new("go/net-http", 48_000.0),
    ]));
    assert_eq!(ranks(&judgement, "go/net-http"), (1, 2));
    assert_eq!(ranks(&judgement, "go/gin"), (1, 2));
    assert_eq!(ranks(&judgement, "ruby/rack-thin"), (3, 3));
}

#[test]
fn drift_that_hits_all_contenders_cancels_in_scores() {
    let mut simulation = three();
    simulation.drift_of_blocks = 0.3;
    simulation.noise_of_launches = 0.0;
    let judgement = unchanged(&simulation);
    let go = row(&judgement, "go/net-http");
    assert!(go.goodput_per_s.unwrap().relative_half_width().unwrap() > 0.03);
    assert!(go.against_baseline.unwrap().relative_half_width().unwrap() < 0.015);
}

#[test]
fn answers_are_counted_over_windows_of_every_kind() {
    let (file, windows) = three().run();
    let expected: u64 = windows.iter().map(|window| window.outcomes.correct + window.correct_outside).sum();
    let judgement = judge(&file, &windows);
    assert_eq!(judgement.answers.checked(), expected);
    assert_eq!(judgement.answers.wrong_answer, 0);
    assert_eq!(judgement.littles_law_worst, Some(0.0));
}

#[test]
fn cold_windows_are_figures_of_their_own() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http").filter(|window| window.kind == WindowKind::Cold) {
            window.outcomes.correct /= 10;
        }
    });
    let go = row(&judgement, "go/net-http");
    assert!((go.goodput_per_s.unwrap().value / 48_000.0 - 1.0).abs() < 0.01);
    assert!((go.cold.as_ref().unwrap().goodput_per_s.unwrap().value / 4_800.0 - 1.0).abs() < 0.02);
}

#[test]
fn percentiles_come_from_merged_histograms() {
    let judgement = unchanged(&three());
    let times = row(&judgement, "go/net-http").service_time.clone().unwrap();
    assert_eq!(times.samples, 5 * 10 * 200);
    assert!(times.p50_ns < times.p90_ns && times.p90_ns < times.p99_ns && times.p99_ns <= times.max_ns);
    assert!(times.p999_ns.is_some(), "10 samples lie beyond");
}

// Runs and rows that are not ranked

#[test]
fn fewer_than_five_launches_are_not_ranked() {
    let mut simulation = three();
    simulation.launches = 4;
    let judgement = unchanged(&simulation);
    assert_eq!(
        cause(&judgement, "go/net-http"),
        (Cause::Run, "4 launches planned, and ranks need 5".to_owned())
    );
    assert!(row(&judgement, "go/net-http").against_baseline.is_some(), "figures are still there");

    let judgement = judged(&three(), |_, windows| {
        windows.retain(|window| window.contender != name("js/fastify") || window.launch != 3);
    });
    assert_eq!(
        cause(&judgement, "js/fastify"),
        (Cause::FewLaunches, "4 launches, and ranks need 5".to_owned())
    );
    assert_eq!(ranks(&judgement, "ruby/rack-thin"), (2, 2), "ranks are those of the ranked");
}

#[test]
fn a_partial_run_a_quick_look_and_a_plan_that_does_not_fit_rank_nothing() {
    type Change = fn(&mut RunFile);
    let reasons: [(&str, Change); 5] = [
        ("partial run: it was stopped", |file| file.state = RunState::Interrupted),
        ("partial run: it has not ended", |file| file.state = RunState::Running),
        ("quick look", |file| file.settings.quick = true),
        ("5 launches of 5 blocks need 9 min", |file| {
            file.plan.as_mut().unwrap().not_ranked = Some("5 launches of 5 blocks need 9 min".to_owned());
        }),
        ("no plan was fixed", |file| file.plan = None),
    ];
    for (expected, change) in reasons {
        let judgement = judged(&three(), |file, _| change(file));
        let (found, reason) = cause(&judgement, "go/net-http");
        assert!(found == Cause::Run && reason.starts_with(expected), "{expected}: {found:?} {reason}");
        assert_eq!(judgement.nothing_ranked.as_deref(), Some(reason.as_str()));
    }
}

#[test]
fn one_wrong_answer_in_any_window_makes_a_row_invalid() {
    for kind in [WindowKind::Cold, WindowKind::Block] {
        let judgement = judged(&three(), |_, windows| {
            let window = of(windows, "go/net-http").find(|window| window.kind == kind).unwrap();
            window.outcomes.wrong_answer = 1;
            window.wrong_examples = vec!["status 200, body `{}`".to_owned()];
        });
        let (cause, reason) = cause(&judgement, "go/net-http");
        assert_eq!(cause, Cause::WrongAnswers);
        assert!(
            reason.starts_with("wrong answers: 1 of ") && reason.ends_with("such as status 200, body `{}`")
        );
        let go = row(&judgement, "go/net-http");
        assert!(go.against_baseline.is_none());
        assert!(go.verdicts.iter().any(|verdict| verdict.kind == Kind::Error));
        assert_eq!(judgement.answers.wrong_answer, 1);
        assert_eq!(ranks(&judgement, "js/fastify"), (1, 1));
    }
}

#[test]
fn one_that_left_its_cpus_has_no_rank() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http").filter(|window| window.kind == WindowKind::Block) {
            window.server.outside_cpus = Some(vec![1]);
            window.server.cpu_total_ns = window.server.cpu_elapsed_ns.map(|elapsed| elapsed * 3 / 2);
        }
    });
    let (found, reason) = cause(&judgement, "go/net-http");
    assert_eq!(found, Cause::OutsideCpus);
    assert!(reason.contains("CPU 1, outside of its CPU 0") && reason.contains("used 1.50 CPUs"), "{reason}");
    let others = unchanged(&three());
    assert!(others.workloads[0].rows.iter().all(|row| !matches!(
        row.state,
        RowState::NotRanked { cause: Cause::OutsideCpus | Cause::ImpossibleCpuTime, .. }
    )));
}

#[test]
fn one_whose_threads_could_leave_after_the_start_has_no_rank() {
    let judgement = judged(&three(), |file, _| {
        let record = file.contenders.iter_mut().find(|record| record.manifest.name.as_str() == "go/net-http");
        record.unwrap().launches[1].cpus_read_back = vec![0, 1];
    });
    let (found, reason) = cause(&judgement, "go/net-http");
    assert_eq!(found, Cause::OutsideCpus);
    assert!(reason.contains("after the start of launch 2"), "{reason}");
}

#[test]
fn a_cpu_time_that_is_not_possible_for_the_work_has_no_rank() {
    let mut simulation = three();
    simulation.contenders.push(Simulated::new("rust/reference", 60_000.0).class(Class::Reference));
    let honest = unchanged(&simulation);
    let is_impossible = |row: &velo_judge::Row| {
        matches!(row.state, RowState::NotRanked { cause: Cause::ImpossibleCpuTime, .. })
    };
    assert!(!honest.workloads[0].rows.iter().any(is_impossible));
    for (divisor, words) in [(20, "the reference needs"), (u64::MAX, "no CPU time at all")] {
        let judgement = judged(&simulation, |_, windows| {
            for window in of(windows, "go/net-http") {
                for cpu in [&mut window.server.cpu_ns, &mut window.server.cpu_total_ns] {
                    *cpu = cpu.map(|cpu| cpu / divisor);
                }
            }
        });
        let (found, reason) = cause(&judgement, "go/net-http");
        assert_eq!(found, Cause::ImpossibleCpuTime, "{reason}");
        assert!(reason.contains(words) && reason.contains(" us"), "{reason}");
    }
}

#[test]
fn a_host_whose_figures_are_missing_is_unknown_and_never_passed() {
    let host = |judgement: &Judgement| -> Vec<String> {
        let of_host = judgement.verdicts.iter().filter(|verdict| verdict.check == Check::Host);
        of_host.map(|verdict| verdict.words.clone()).collect()
    };
    assert_eq!(host(&unchanged(&three())), Vec::<String>::new());
    let missing = judged(&three(), |_, windows| {
        for window in windows {
            (window.host.steal_share, window.host.others_share) = (None, None);
        }
    });
    assert_eq!(host(&missing), ["unknown: how much CPU time the hypervisor stole and others used"]);
    // What the rule that drops blocks reads is what the figure is of: windows at stated rates too.
    let paced = judged(&three(), |_, windows| {
        for window in windows.iter_mut() {
            (window.host.steal_share, window.host.others_share) = (None, None);
        }
        let mut last = windows[windows.len() - 1].clone();
        (last.kind, last.block) = (WindowKind::Paced, 1);
        (last.host.steal_share, last.host.others_share) = (Some(0.0), Some(0.02));
        windows.push(last);
    });
    assert_eq!((paced.host.others_share, host(&paced)), (Some(0.02), vec![]));
    let apart = judged(&three(), |file, _| file.host.irq_time_apart = Some(true));
    assert!(
        host(&apart)[0].contains("IRQ time accounting") && host(&apart)[0].contains("softirq"),
        "{:?}",
        host(&apart)
    );
}

#[test]
fn an_unfair_coin_makes_a_row_invalid() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            let draws = &mut window.coin.as_mut().unwrap().draws;
            *draws = [[0, draws[0][0] + draws[0][1]], [0, draws[1][0] + draws[1][1]]];
        }
    });
    let (cause, reason) = cause(&judgement, "go/net-http");
    assert_eq!(cause, Cause::UnfairCoin);
    assert!(reason.starts_with("the coin is not fair: draws true 100.0 %"), "{reason}");
    assert_eq!(ranks(&judgement, "js/fastify"), (1, 1), "fair coins stay");
}

/// A judged run in which this share of the requests to one contender, in thousandths, failed in some way.
fn with_failures(of_each_thousand: f64, class: fn(&mut Outcomes) -> &mut u64) -> Judgement {
    judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            let all = window.outcomes.correct + window.correct_outside;
            *class(&mut window.outcomes) = (all as f64 * of_each_thousand / 1000.0).ceil() as u64;
        }
    })
}

#[test]
fn failures_above_one_in_a_thousand_unrank_and_below_warn() {
    let many = with_failures(2.0, |outcomes| &mut outcomes.closed_by_server);
    let (cause, reason) = cause(&many, "go/net-http");
    assert!(cause == Cause::Failures && reason.contains("closed by the server"), "{reason}");
    let few = with_failures(0.3, |outcomes| &mut outcomes.closed_by_server);
    assert_eq!(ranks(&few, "go/net-http"), (1, 1));
    assert!(row(&few, "go/net-http").verdicts.iter().any(|verdict| verdict.kind == Kind::Warning));
}

#[test]
fn a_request_that_never_got_its_answer_unranks() {
    let (cause, reason) = cause(&with_failures(0.01, |outcomes| &mut outcomes.timeout), "go/net-http");
    assert!(cause == Cause::Failures && reason.contains("without an answer in time"), "{reason}");
}

#[test]
fn a_client_bound_row_is_a_lower_bound_and_not_ranked() {
    let mut simulation = three();
    simulation.contenders.push(Simulated::new("rust/hyper", 400_000.0));
    let judgement = unchanged(&simulation);
    let (cause, reason) = cause(&judgement, "rust/hyper");
    assert_eq!((cause, reason.as_str()), (Cause::NotServerBound, "the generator was busy 98 %"));
    let hyper = row(&judgement, "rust/hyper");
    assert!(hyper.at_least && hyper.limit.as_ref().unwrap().limit == Limit::Client);
    assert!(hyper.against_baseline.is_some() && hyper.cpu_per_request_ns.is_some());
    assert_eq!(ranks(&judgement, "go/net-http"), (1, 1), "it takes no rank");
}

#[test]
fn a_server_that_ran_already_has_figures_and_no_rank() {
    let ran_already = |steal_share: Option<f64>| {
        let mut simulation = three();
        simulation.contenders.push(Simulated::new("url/mine", 40_000.0).class(Class::Running));
        judged(&simulation, |_, windows| {
            for window in of(windows, "url/mine") {
                (window.server.cpu_ns, window.server.cpu_total_ns) = (None, None);
                window.host.steal_share = steal_share;
            }
        })
    };
    let judgement = ran_already(None);
    assert_eq!(cause(&judgement, "url/mine").0, Cause::RanAlready);
    let mine = row(&judgement, "url/mine");
    assert!(mine.at_least && mine.goodput_per_s.is_some() && mine.cpu_per_request_ns.is_none(), "{mine:?}");
    assert_eq!(ranks(&judgement, "go/net-http"), (1, 1), "it takes no rank");
    // Without figures it is more useful to know why there are none.
    let nothing_left = "all its blocks were disturbed, and are dropped".to_owned();
    assert_eq!(cause(&ran_already(Some(0.5)), "url/mine"), (Cause::NotMeasured, nothing_left));
}

#[test]
fn neither_side_busy_is_unknown_and_both_is_both() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            window.server.cpu_ns = window.server.cpu_ns.map(|cpu| cpu / 2);
        }
        for window in of(windows, "js/fastify") {
            window.generator_cpu_ns = vec![window.duration_ns * 9 / 10];
        }
    });
    assert_eq!(row(&judgement, "go/net-http").limit.as_ref().unwrap().limit, Limit::Unknown);
    assert_eq!(row(&judgement, "js/fastify").limit.as_ref().unwrap().limit, Limit::Both);
    assert_eq!(cause(&judgement, "js/fastify").1, "the generator was busy 90 %, the contender 99 %");
}

#[test]
fn one_full_process_beside_idle_siblings_is_ranked_with_a_warning() {
    let judgement = judged(&three(), |file, windows| {
        file.placement.server_cpus = vec![0, 2];
        for window in of(windows, "js/fastify") {
            let duration = window.duration_ns;
            let stretch = window.settling_ns + duration + window.drain_ns;
            window.server.busy_threads = Some(2);
            window.server.cpu_ns = Some(duration * 3 / 2);
            window.server.cpu_by_process_ns = vec![stretch * 95 / 100, stretch * 55 / 100];
        }
    });
    assert!(matches!(row(&judgement, "js/fastify").state, RowState::Ranked { .. }));
    let verdicts = &row(&judgement, "js/fastify").verdicts;
    assert!(verdicts.iter().any(|verdict| verdict.words.starts_with("uneven: one process was busy 95 %")));
}

#[test]
fn a_contender_that_spins_without_load_is_not_server_bound() {
    let judgement = judged(&three(), |file, _| file.contenders[1].idle_cpu_share = Some(1.0));
    let (cause, reason) = cause(&judgement, "go/net-http");
    assert_eq!(cause, Cause::NotServerBound);
    assert!(reason.starts_with("it used 100 % of a CPU without load"), "{reason}");
}

#[test]
fn littles_law_unranks_when_all_windows_disagree_and_warns_for_one() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            window.clipped_service_ns = window.in_flight_request_ns * 12 / 10;
        }
        let one = of(windows, "js/fastify").find(|window| window.kind == WindowKind::Block).unwrap();
        one.clipped_service_ns = one.in_flight_request_ns * 12 / 10;
    });
    assert_eq!(cause(&judgement, "go/net-http").0, Cause::LittlesLaw);
    assert!(matches!(row(&judgement, "js/fastify").state, RowState::Ranked { .. }));
    assert!(row(&judgement, "js/fastify").verdicts.iter().any(|verdict| verdict.kind == Kind::Warning));
    assert!((judgement.littles_law_worst.unwrap() - 0.2).abs() < 1e-6);
}

/// In flight on a few of 64 connections only, as with a server that takes one connection at a time.
#[test]
fn connections_that_the_contender_left_idle_are_not_blamed_on_the_generator() {
    let held_back = |change: fn(&mut Window)| {
        let judgement = judged(&three(), |_, windows| {
            for window in of(windows, "go/net-http") {
                window.in_flight_request_ns /= 4;
                window.clipped_service_ns = window.in_flight_request_ns;
                change(window);
            }
        });
        let verdicts = row(&judgement, "go/net-http").verdicts.clone();
        verdicts.into_iter().find(|verdict| verdict.check == Check::HeldBack).unwrap().words
    };
    let asked = three().run().1[0].connections.asked;
    let cause = |words: String| words.split_once("kept busy: ").unwrap().1.to_owned();
    assert_eq!(cause(held_back(|_| {})), "the generator held back");
    assert_eq!(
        cause(held_back(|window| window.connections.completions[1..].fill(0))),
        format!("1 of {asked} ever got an answer in a launch, though all were open")
    );
    assert_eq!(
        cause(held_back(|window| {
            window.connections.completions[1..].fill(0);
            window.connections.established = 2;
        })),
        format!("1 of {asked} ever got an answer in a launch, 2 were open at the end of a window")
    );
    assert_eq!(
        cause(held_back(|window| window.connections.established = 9)),
        format!("9 of {asked} were open at the end of a window")
    );
    assert_eq!(
        cause(held_back(|window| window.connections.reconnects = window.outcomes.correct)),
        "the others were being opened again"
    );
}

#[test]
fn connections_that_are_opened_again_and_again_are_hinted_at() {
    let hints = |every: u64| {
        let judgement = judged(&three(), |_, windows| {
            for window in of(windows, "go/net-http") {
                window.connections.reconnects = (window.outcomes.correct + window.correct_outside) / every;
            }
        });
        let verdicts = row(&judgement, "go/net-http").verdicts.clone();
        let own = verdicts.into_iter().filter(|verdict| verdict.check == Check::Connections);
        own.map(|verdict| (verdict.kind, verdict.words)).collect::<Vec<_>>()
    };
    let said = hints(100);
    assert!(
        matches!(&said[..], [(Kind::Hint, words)] if words.contains("times under load, once for each 10")),
        "{said:?}"
    );
    assert!(hints(1)[0].1.contains("once for each answer:"), "{:?}", hints(1));
    assert!(hints(250).is_empty());
}

#[test]
fn a_generator_that_held_back_is_hinted_at() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            window.in_flight_request_ns = window.in_flight_request_ns * 9 / 10;
            window.clipped_service_ns = window.in_flight_request_ns;
        }
    });
    let verdicts = &row(&judgement, "go/net-http").verdicts;
    assert!(verdicts.iter().any(|verdict| verdict.kind == Kind::Hint && verdict.words.contains("held back")));
    assert!(
        row(&judgement, "js/fastify").verdicts.is_empty(),
        "{:?}",
        row(&judgement, "js/fastify").verdicts
    );
}

#[test]
fn starved_connections_are_a_warning() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            window.connections.completions[6] = 0;
        }
    });
    let go = row(&judgement, "go/net-http");
    assert!(matches!(go.state, RowState::Ranked { .. }));
    assert!(go.verdicts.iter().any(|verdict| verdict.words.contains("7 in launch 1")), "{:?}", go.verdicts);
}

#[test]
fn reference_skipped_and_excluded_rows_say_so() {
    let mut simulation = three();
    simulation.contenders.push(Simulated::new("rust/reference", 1_000_000.0).class(Class::Reference));
    let judgement = judged(&simulation, |file, windows| {
        file.contenders[0].state = ContenderState::Measured;
        file.contenders[1].state = ContenderState::Skipped {
            reason: "go is missing".to_owned(),
            cure: Some("apt-get install".to_owned()),
        };
        windows.retain(|window| window.contender != name("go/net-http"));
        file.contenders[2].state = ContenderState::Excluded {
            stage: Stage::Measure,
            reason: "it died".to_owned(),
            log: Some("logs/js-fastify.stderr".to_owned()),
        };
    });
    assert_eq!(row(&judgement, "rust/reference").state, RowState::Reference);
    assert!(
        matches!(&row(&judgement, "go/net-http").state, RowState::Skipped { reason, .. } if reason == "go is missing")
    );
    assert!(matches!(&row(&judgement, "js/fastify").state, RowState::Excluded { stage: Stage::Measure, .. }));
    let ceiling = judgement.workloads[0].ceiling_per_s.unwrap();
    assert!((ceiling.value / 196_000.0 - 1.0).abs() < 0.01, "{ceiling:?}");
    let published = &judgement.workloads[0].published;
    let fastify = published.iter().find(|row| row.row == "fastify").unwrap();
    assert_eq!((fastify.here, fastify.reason.as_deref()), (None, Some("excluded: it died")));
}

#[test]
fn without_a_baseline_there_are_no_scores() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "ruby/rack-thin") {
            window.outcomes.wrong_answer = 5;
        }
    });
    let workload = &judgement.workloads[0];
    assert!(
        workload.baseline_fault.as_ref().unwrap().starts_with("ruby/rack-thin is not ranked: wrong answers")
    );
    assert!(workload.rows.iter().all(|row| row.against_baseline.is_none()));
    assert!(workload.published.iter().all(|row| row.here.is_none() && row.there.is_some()));

    let judgement = judged(&three(), |file, _| {
        file.workloads[0].baseline = name("php/mark");
    });
    assert_eq!(judgement.workloads[0].baseline_fault.as_deref(), Some("php/mark was not in this run"));
    assert!(
        matches!(row(&judgement, "go/net-http").state, RowState::Ranked { .. }),
        "ranks need no baseline"
    );
}

#[test]
fn no_windows_no_figures() {
    let judgement = judged(&three(), |_, windows| windows.clear());
    let go = row(&judgement, "go/net-http");
    assert_eq!(cause(&judgement, "go/net-http").0, Cause::NotMeasured);
    assert!(
        go.goodput_per_s.is_none()
            && go.cpu_per_request_ns.is_none()
            && go.limit.is_none()
            && go.cold.is_none()
    );
    assert_eq!((judgement.answers.checked(), judgement.littles_law_worst), (0, None));
}

#[test]
fn a_debug_build_overrides_and_a_disturbed_host_are_said() {
    let judgement = judged(&three(), |file, windows| {
        file.identity.build = "debug".to_owned();
        file.settings.overrides = vec!["--no-pin".to_owned()];
        windows
            .iter_mut()
            .filter(|window| window.launch == 1)
            .for_each(|window| window.host.steal_share = Some(0.02));
        windows
            .iter_mut()
            .filter(|window| window.launch == 2)
            .for_each(|window| window.host.steal_share = None);
    });
    assert_eq!(judgement.overrides, ["--no-pin"]);
    let host = &judgement.host;
    assert_eq!((host.windows, host.blocks, host.dropped_blocks, host.dropped_by.steal), (150, 50, 10, 10));
    assert!((judgement.host.steal_share.unwrap() - 0.02 / 4.0).abs() < 1e-12, "missing is not 0");
    let kinds: Vec<Kind> = judgement.verdicts.iter().map(|verdict| verdict.kind).collect();
    assert_eq!(kinds, [Kind::Error, Kind::Warning, Kind::Hint]);
}

// Framework tax and strictness

#[test]
fn framework_tax_is_cpu_over_the_raw_contender() {
    let simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("go/gin", 32_000.0).on("go/net-http"),
        Simulated::new("go/twin", 39_990.0).on("go/net-http"),
        Simulated::new("js/fastify", 30_000.0).on("js/node-http"),
    ]);
    let judgement = unchanged(&simulation);
    let tax = |contender: &str| {
        let found = judgement.workloads[0].taxes.iter().find(|tax| tax.contender == name(contender));
        found.unwrap().clone()
    };
    assert_eq!(tax("go/gin").told, Told::More);
    assert!((tax("go/gin").ratio.unwrap().value / 1.25 - 1.0).abs() < 0.01);
    assert_eq!(tax("go/twin").told, Told::Open);
    assert_eq!(tax("js/fastify").ratio, None);
    assert_eq!(tax("js/fastify").reason.as_deref(), Some("js/node-http was not in this run"));
    assert_eq!(judgement.workloads[0].taxes[0].contender, name("go/gin"), "dearest first");
}

#[test]
fn a_client_bound_row_has_a_tax_and_one_with_wrong_answers_has_none() {
    let simulation = Simulation::new(vec![
        Simulated::new("rust/hyper", 400_000.0),
        Simulated::new("rust/axum", 300_000.0).on("rust/hyper"),
    ]);
    let tax = &unchanged(&simulation).workloads[0].taxes[0];
    assert!(tax.ratio.is_some_and(|ratio| (ratio.value / (4.0 / 3.0) - 1.0).abs() < 0.02), "{tax:?}");
    let judgement = judged(&simulation, |_, windows| windows[0].outcomes.wrong_answer = 1);
    assert_eq!(judgement.workloads[0].taxes[0].ratio, None);
}

#[test]
fn strictness_is_what_cases_that_exclude_nobody_got() {
    let case = |case: &str, required, got: &str| CaseRecord {
        workload: "coin".to_owned(),
        case: case.to_owned(),
        required,
        passed: true,
        got: got.to_owned(),
    };
    let judgement = judged(&three(), |file, _| {
        file.contenders[0].cases = vec![case("bet is 1", false, "400"), case("unknown route", true, "404")];
        file.contenders[1].cases = vec![case("bet is 1", false, "200 {\"win\":true}")];
    });
    let strictness = &judgement.workloads[0].strictness;
    assert_eq!(
        (strictness.len(), strictness[0].case.as_str(), strictness[0].answers.len()),
        (1, "bet is 1", 2)
    );
    assert_eq!(strictness[0].answers[1].got, "200 {\"win\":true}");
}

// Claims

fn side(workload: &str, contender: &str) -> Side {
    Side { workload: workload.to_owned(), contender: name(contender) }
}

fn claim(figure: Figure, subject: Subject, low: Option<f64>, high: Option<f64>) -> Claim {
    Claim { says: "as published".to_owned(), figure, subject, printed: None, bound: Bound { low, high } }
}

fn ratio(over: &str, under: &str, low: f64, high: f64) -> Claim {
    claim(Figure::Goodput, Subject::Ratio(side("coin", over), side("coin", under)), Some(low), Some(high))
}

fn order(contenders: &[&str]) -> Claim {
    let sides = contenders.iter().map(|contender| side("coin", contender)).collect();
    claim(Figure::Score, Subject::Order(sides), Some(1.0), None)
}

fn judge_claims(
    simulation: &Simulation,
    claims: &[Claim],
    change: impl FnOnce(&mut RunFile, &mut Vec<Window>),
) -> Vec<velo_judge::JudgedClaim> {
    let judgement = judged(simulation, |file, windows| {
        file.workloads[0].claims = claims.to_vec();
        change(file, windows);
    });
    judgement.workloads[0].claims.clone()
}

#[test]
fn a_ratio_holds_does_not_hold_or_cannot_be_told() {
    let claims = [
        ratio("go/net-http", "ruby/rack-thin", 5.0, 7.0),
        ratio("go/net-http", "ruby/rack-thin", 1.0, 3.0),
        ratio("go/net-http", "ruby/rack-thin", 6.0, 7.0),
        ratio("go/net-http", "php/mark", 1.0, 3.0),
    ];
    let judged = judge_claims(&three(), &claims, |_, _| {});
    assert_eq!((judged[0].holds, &judged[0].reason), (Holds::Holds, &None));
    assert!((judged[0].measured.unwrap().value / 6.0 - 1.0).abs() < 0.02);
    assert_eq!((judged[1].holds, &judged[1].reason), (Holds::DoesNotHold, &None));
    assert_eq!(judged[2].holds, Holds::CannotBeTold);
    assert_eq!(judged[2].reason.as_deref(), Some("the interval reaches over the bound"));
    assert_eq!(judged[3].holds, Holds::CannotBeTold);
    assert_eq!(judged[3].reason.as_deref(), Some("php/mark was not run on coin"));
    assert_eq!(judged[3].measured, None);
}

#[test]
fn a_quick_look_tells_nothing_but_shows_the_ratio() {
    let judged = judge_claims(&three(), &[ratio("go/net-http", "ruby/rack-thin", 5.0, 7.0)], |file, _| {
        file.settings.quick = true;
    });
    assert_eq!((judged[0].holds, judged[0].reason.as_deref()), (Holds::CannotBeTold, Some("quick look")));
    assert!(judged[0].measured.is_some());
}

#[test]
fn a_row_that_is_not_server_bound_serves_cpu_claims_only() {
    let mut simulation = three();
    simulation.contenders.push(Simulated::new("rust/hyper", 400_000.0));
    let sides = || Subject::Ratio(side("coin", "rust/hyper"), side("coin", "go/net-http"));
    let claims = [
        claim(Figure::Goodput, sides(), Some(1.0), None),
        claim(Figure::CpuPerRequest, sides(), None, Some(0.5)),
    ];
    let judged = judge_claims(&simulation, &claims, |_, _| {});
    assert_eq!(judged[0].holds, Holds::CannotBeTold);
    assert_eq!(judged[0].reason.as_deref(), Some("rust/hyper is not ranked: the generator was busy 98 %"));
    assert_eq!(judged[1].holds, Holds::Holds);
}

#[test]
fn an_order_is_judged_by_its_neighbours() {
    let claims = [
        order(&["go/net-http", "js/fastify", "ruby/rack-thin"]),
        order(&["js/fastify", "go/net-http", "ruby/rack-thin"]),
        order(&["go/net-http", "php/mark", "ruby/rack-thin"]),
        order(&["php/mark", "ruby/rack-thin", "js/fastify"]),
        order(&["go/net-http"]),
    ];
    let judged = judge_claims(&three(), &claims, |_, _| {});
    assert_eq!((judged[0].holds, judged[0].pairs.len()), (Holds::Holds, 2));
    assert_eq!(judged[1].holds, Holds::DoesNotHold);
    assert_eq!(judged[1].reason.as_deref(), Some("js/fastify is not above go/net-http"));
    assert_eq!(judged[2].holds, Holds::CannotBeTold);
    assert_eq!(judged[3].holds, Holds::DoesNotHold, "one broken pair breaks the order");
    assert_eq!(judged[4].holds, Holds::CannotBeTold);

    let mut twins = three();
    twins.contenders[2].rate_per_s = 47_990.0;
    let judged = judge_claims(&twins, &claims[..1], |_, _| {});
    assert_eq!(judged[0].holds, Holds::CannotBeTold, "{:?}", judged[0]);
}

#[test]
fn scores_of_two_workloads_are_paired_by_launch() {
    let mut simulation = three();
    simulation.workloads = vec!["coin".to_owned(), "void".to_owned()];
    let loses = |figure| {
        claim(figure, Subject::Ratio(side("coin", "js/fastify"), side("void", "js/fastify")), None, Some(0.6))
    };
    // On void the baseline serves the same and fastify twice as much.
    let twice = |_: &mut RunFile, windows: &mut Vec<Window>| {
        for window in of(windows, "js/fastify").filter(|window| window.workload == "void") {
            window.outcomes.correct *= 2;
        }
    };
    let judged = judge_claims(&simulation, &[loses(Figure::Score), loses(Figure::Goodput)], twice);
    for claim in &judged {
        assert_eq!(claim.holds, Holds::Holds, "{claim:?}");
        assert!((claim.measured.unwrap().value / 0.5 - 1.0).abs() < 0.03);
    }
    let judged = judge_claims(&three(), &[loses(Figure::Score)], |_, _| {});
    assert_eq!(judged[0].reason.as_deref(), Some("void was not run"));

    // Without its baseline a workload has no scores.
    let judged = judge_claims(&simulation, &[loses(Figure::Score)], |_, windows| {
        of(windows, "ruby/rack-thin").for_each(|window| window.outcomes.wrong_answer = 1);
    });
    assert!(judged[0].reason.as_ref().unwrap().starts_with("no baseline: ruby/rack-thin"), "{judged:?}");
}
