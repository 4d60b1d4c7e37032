//! Runs that rank nothing, rows that were not measured, and what is said of the host.

use velo_model::{Class, Figure};

use crate::common::{name, ranks, row};
use crate::{cause, judged, of, three, unchanged};
use velo_fixtures::{Simulated, SimulatedOpenLoop, contender_mut};
use velo_judge::{Check, Finding, Judgement, Kind, RowState};
use velo_record::{ContenderState, RatePurpose, RunFile, RunState, Stage, Window};

#[test]
fn fewer_than_five_launches_are_not_ranked() {
    let mut simulation = three();
    simulation.launches = 4;
    let judgement = unchanged(&simulation);
    assert_eq!(
        cause(&judgement, "go/net-http"),
        ("run".to_owned(), "4 launches planned, and ranks need 5".to_owned())
    );
    assert!(row(&judgement, "go/net-http").against_baseline.is_some(), "figures are still there");

    let judgement = judged(&three(), |_, windows| {
        windows.retain(|window| window.contender != name("js/fastify") || window.launch != 3);
    });
    assert_eq!(
        cause(&judgement, "js/fastify"),
        ("few-launches".to_owned(), "4 launches, and ranks need 5".to_owned())
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
        assert!(found == "run" && reason.starts_with(expected), "{expected}: {found:?} {reason}");
        assert_eq!(judgement.nothing_ranked.map(|because| because.to_string()), Some(reason));
    }
}

#[test]
fn a_host_whose_figures_are_missing_is_unknown_and_never_passed() {
    let host = |judgement: &Judgement| -> Vec<Finding> {
        let of_host = judgement.verdicts.iter().filter(|verdict| verdict.check == Check::Host);
        of_host.map(|verdict| verdict.finding.clone()).collect()
    };
    assert_eq!(host(&unchanged(&three())), Vec::new());
    let missing = judged(&three(), |_, windows| {
        for window in windows {
            (window.host.steal_share, window.host.others_share) = (None, None);
        }
    });
    assert_eq!(host(&missing), [Finding::OthersUnknown { steal: true, others: true }]);
    // What the rule that drops blocks reads is what the figure is of: windows at stated rates too.
    let paced = judged(&three(), |_, windows| {
        for window in windows.iter_mut() {
            (window.host.steal_share, window.host.others_share) = (None, None);
        }
        let mut last =
            SimulatedOpenLoop::new(RatePurpose::Search, 1_000.0).window(&windows[windows.len() - 1]);
        last.block = 1;
        (last.host.steal_share, last.host.others_share) = (Some(0.0), Some(0.02));
        windows.push(last);
    });
    assert_eq!((paced.host.others_share, host(&paced)), (Some(0.02), vec![]));
    let apart = judged(&three(), |file, _| file.host.irq_time_apart = Some(true));
    assert_eq!(host(&apart), [Finding::InterruptsApart]);
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
    assert_eq!(
        (fastify.here, fastify.reason.as_ref().map(ToString::to_string).as_deref()),
        (None, Some("excluded")),
        "why is said at its row"
    );
}

#[test]
fn a_published_row_says_what_keeps_its_contender_from_being_measured() {
    let judgement = judged(&three(), |file, _| {
        let rows = file.workloads[0].published.iter_mut();
        for (row, contender) in rows.zip(["go/net-http", "php/mark", "php/slim"]) {
            row.contender = Some(name(contender));
            row.not_measured = (contender != "php/slim").then(|| "it has no lock file".to_owned());
        }
    });
    let reasons =
        judgement.workloads[0].published.iter().map(|row| row.reason.as_ref().map(ToString::to_string));
    assert_eq!(
        reasons.collect::<Vec<_>>(),
        [None, Some("not measured here: it has no lock file".to_owned()), Some("not in this run".to_owned())],
        "where it was measured after all, that stands"
    );
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
        workload
            .baseline_fault
            .as_ref()
            .unwrap()
            .to_string()
            .starts_with("ruby/rack-thin is not ranked: wrong answers")
    );
    assert!(workload.rows.iter().all(|row| row.against_baseline.is_none()));
    assert!(workload.published.iter().all(|row| row.here.is_none() && row.there.is_some()));

    let judgement = judged(&three(), |file, _| {
        file.workloads[0].baseline = name("php/mark");
    });
    assert_eq!(
        judgement.workloads[0].baseline_fault.as_ref().map(ToString::to_string).as_deref(),
        Some("php/mark was not in this run")
    );
    assert!(
        matches!(row(&judgement, "go/net-http").state, RowState::Ranked { .. }),
        "ranks need no baseline"
    );
}

#[test]
fn no_windows_no_figures() {
    let judgement = judged(&three(), |_, windows| windows.clear());
    let go = row(&judgement, "go/net-http");
    assert_eq!(cause(&judgement, "go/net-http").0, "not-measured");
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
            .for_each(|window| window.host.steal_share = Some(0.2));
        windows
            .iter_mut()
            .filter(|window| window.launch == 2)
            .for_each(|window| window.host.steal_share = None);
    });
    assert_eq!(judgement.overrides, ["--no-pin"]);
    let host = &judgement.host;
    assert_eq!(
        (host.windows, host.blocks, host.disturbed_blocks, host.disturbed_by.taken),
        (150, 50, 10, 10)
    );
    assert!((judgement.host.steal_share.unwrap() - 0.2 / 4.0).abs() < 1e-12, "missing is not 0");
    let kinds: Vec<Kind> = judgement.verdicts.iter().map(|verdict| verdict.kind).collect();
    assert_eq!(kinds, [Kind::Error, Kind::Warning, Kind::Hint]);
}

/// The launches that a row's warnings name as unlike the others.
fn apart(judgement: &Judgement, contender: &str) -> Vec<(Figure, Vec<u32>, u32)> {
    let found = row(judgement, contender).verdicts.iter().filter_map(|verdict| match &verdict.finding {
        Finding::LaunchesApart { figure, launches, of, change_share } => {
            assert_eq!((verdict.kind, *change_share < -0.2), (Kind::Warning, *figure == Figure::Goodput));
            Some((*figure, launches.clone(), *of))
        }
        _ => None,
    });
    found.collect()
}

#[test]
fn a_slow_launch_of_one_contender_is_named_and_one_of_all_is_not() {
    let slow = |windows: &mut [Window], contender: &str| {
        for window in of(windows, contender).filter(|window| window.launch == 3) {
            window.duration_ns = window.duration_ns * 4 / 3;
            contender_mut(window).cpu_total_ns = contender_mut(window).cpu_total_ns.map(|ns| ns * 4 / 3);
        }
    };
    let mut simulation = three();
    simulation.launches = 8;
    let one = judged(&simulation, |_, windows| slow(windows, "js/fastify"));
    let named = apart(&one, "js/fastify");
    assert_eq!(named, [(Figure::Goodput, vec![3], 8), (Figure::CpuPerRequest, vec![3], 8)]);
    assert!(apart(&one, "go/net-http").is_empty() && apart(&one, "ruby/rack-thin").is_empty());
    let all = judged(&simulation, |_, windows| {
        for contender in ["js/fastify", "go/net-http", "ruby/rack-thin"] {
            slow(windows, contender);
        }
    });
    assert!(apart(&all, "js/fastify").is_empty(), "the machine was slow");
}
