//! Who was the limit, and what that does to a row.

use velo_model::{Class, PartyRole};

use crate::common::{name, ranks, row};
use crate::{cause, judged, of, three, unchanged};
use velo_fixtures::{Simulated, contender_mut, generator_mut};
use velo_judge::{Finding, Kind, RowState, compare, judge};
use velo_record::{External, Placement, RunFile, Window, WindowKind};

#[test]
fn a_client_bound_row_is_a_lower_bound_and_not_ranked() {
    let mut simulation = three();
    simulation.contenders.push(Simulated::new("rust/hyper", 400_000.0));
    let judgement = unchanged(&simulation);
    let (cause, reason) = cause(&judgement, "rust/hyper");
    assert_eq!((cause.as_str(), reason.as_str()), ("not-server-bound", "the generator was busy 98 %"));
    let hyper = row(&judgement, "rust/hyper");
    assert!(hyper.at_least && hyper.limit.as_ref().unwrap().at_limit == [PartyRole::Generator]);
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
                (contender_mut(window).cpu_ns, contender_mut(window).cpu_total_ns) = (None, None);
                window.host.steal_share = steal_share;
            }
        })
    };
    let judgement = ran_already(None);
    assert_eq!(cause(&judgement, "url/mine").0, "ran-already");
    let mine = row(&judgement, "url/mine");
    assert!(mine.at_least && mine.goodput_per_s.is_some() && mine.cpu_per_request_ns.is_none(), "{mine:?}");
    assert_eq!(ranks(&judgement, "go/net-http"), (1, 1), "it takes no rank");
    let disturbed = ran_already(Some(0.5));
    assert_eq!(cause(&disturbed, "url/mine").0, "ran-already", "the host explains no more than the rest");
    assert!(row(&disturbed, "url/mine").goodput_per_s.is_some(), "most are disturbed: all are counted");
}

/// A run in which servers of these names ran already and were seen.
fn with_external(names: &[&str]) -> (RunFile, Vec<Window>) {
    let mut simulation = three();
    for (place, name) in names.iter().enumerate() {
        let per_s = 60_000.0 / (1.0 + place as f64);
        simulation.contenders.push(Simulated::new(name, per_s).class(Class::Running));
    }
    let (mut file, windows) = simulation.run();
    let cpus = file.placement.cpus(PartyRole::Contender).to_vec();
    for record in file.contenders.iter_mut().filter(|record| record.manifest.class == Class::Running) {
        let cpus = cpus.clone();
        record.external = Some(External::Seen { pids: vec![7], program: None, cpus, is_pinned: true });
    }
    (file, windows)
}

#[test]
fn servers_that_ran_already_are_ranked_among_themselves() {
    let (file, windows) = with_external(&["url/first", "url/second"]);
    let judgement = judge(&file, &windows);
    assert_eq!((ranks(&judgement, "url/first"), ranks(&judgement, "url/second")), ((1, 1), (2, 2)));
    let launched = ["go/net-http", "js/fastify", "ruby/rack-thin"].map(|name| ranks(&judgement, name));
    assert_eq!(launched, [(1, 1), (2, 2), (3, 3)]);
    let is_external = |name: &velo_model::ContenderName| name.as_str().starts_with("url/");
    for pairs in &judgement.workloads[0].pairs {
        let compared = &pairs.pairs.compared;
        assert!(
            compared.iter().all(|pair| is_external(&pair.over) == is_external(&pair.under)),
            "{compared:?}"
        );
        assert!(compared.len() == 4, "three of those that were launched, and one: {compared:?}");
    }
    assert!(
        row(&judgement, "url/first").against_baseline.is_none()
            && row(&judgement, "url/first").limit.is_some()
    );
    let between = |names: [&str; 2]| compare::contenders(&file, &windows, &names.map(name)).unwrap();
    assert!(!between(["url/first", "url/second"]).pairs.is_empty());
    let mixed = between(["url/first", "go/net-http"]);
    assert!(mixed.pairs.is_empty() && mixed.not_compared[0].reason.contains("one launch"), "{mixed:?}");
}

#[test]
fn the_only_server_that_ran_already_has_its_figures_and_no_rank() {
    let (file, windows) = with_external(&["url/mine"]);
    let judgement = judge(&file, &windows);
    assert_eq!(cause(&judgement, "url/mine").0, "only-external");
    let mine = row(&judgement, "url/mine");
    let goodput = mine.goodput_per_s.unwrap();
    assert!(!mine.at_least && goodput.interval().is_some() && mine.cpu_per_request_ns.is_some(), "{mine:?}");
    assert_eq!(ranks(&judgement, "go/net-http"), (1, 1), "it takes no rank");
}

#[test]
fn one_whose_few_blocks_were_all_dropped_says_so() {
    let judgement = judged(&three(), |_, windows| {
        windows.retain(|window| window.launch == 1 || window.contender.as_str() != "js/fastify");
        let first = windows.iter_mut().filter(|window| window.launch == 1);
        first.for_each(|window| window.host.steal_share = Some(0.5));
    });
    let nothing_left = "all its blocks were disturbed, and are dropped".to_owned();
    assert_eq!(cause(&judgement, "js/fastify"), ("not-measured".to_owned(), nothing_left));
    assert_eq!(row(&judgement, "js/fastify").goodput_per_s, None);
}

#[test]
fn neither_side_busy_is_unknown_and_both_is_both() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            contender_mut(window).cpu_ns = contender_mut(window).cpu_ns.map(|cpu| cpu / 2);
        }
        for window in of(windows, "js/fastify") {
            generator_mut(window).cpu_ns = Some(window.duration_ns * 9 / 10);
        }
    });
    assert_eq!(row(&judgement, "go/net-http").limit.as_ref().unwrap().at_limit, []);
    let both = [PartyRole::Generator, PartyRole::Contender];
    assert_eq!(row(&judgement, "js/fastify").limit.as_ref().unwrap().at_limit, both);
    assert_eq!(cause(&judgement, "js/fastify").1, "the generator was busy 90 %, the contender 99 %");
}

#[test]
fn one_full_process_beside_idle_siblings_is_ranked_with_a_warning() {
    let judgement = judged(&three(), |file, windows| {
        file.placement =
            Placement::new([(PartyRole::Contender, vec![0, 2]), (PartyRole::Generator, vec![1])]);
        for window in of(windows, "js/fastify") {
            let duration = window.duration_ns;
            let stretch = window.settling_ns + duration + window.drain_ns;
            contender_mut(window).busy_threads = Some(2);
            contender_mut(window).cpu_ns = Some(duration * 3 / 2);
            contender_mut(window).cpu_by_process_ns = vec![stretch * 95 / 100, stretch * 55 / 100];
        }
    });
    assert!(matches!(row(&judgement, "js/fastify").state, RowState::Ranked { .. }));
    let verdicts = &row(&judgement, "js/fastify").verdicts;
    let [verdict] = verdicts.as_slice() else { panic!("{verdicts:?}") };
    let Finding::Bottleneck { limit } = &verdict.finding else { panic!("{verdict:?}") };
    assert!(verdict.kind == Kind::Warning && limit.is_contenders() && limit.uneven, "{limit:?}");
    let busiest = limit.busiest_process_share.unwrap();
    assert!((busiest - 0.95).abs() < 0.001, "{busiest}");
    assert!(limit.in_words().starts_with("one process was busy 95 %"));
}

#[test]
fn a_contender_that_spins_without_load_is_not_server_bound() {
    let judgement = judged(&three(), |file, _| file.contenders[1].idle_cpu_share = Some(1.0));
    let (cause, reason) = cause(&judgement, "go/net-http");
    assert_eq!(cause, "not-server-bound");
    assert!(reason.starts_with("it used 100 % of a CPU without load"), "{reason}");
}

#[test]
fn littles_law_unranks_when_all_windows_disagree_and_warns_for_one() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            window.clipped_service_ns = window.in_flight_request_ns * 12 / 10;
        }
        let one = of(windows, "js/fastify").find(|window| window.kind() == WindowKind::Block).unwrap();
        one.clipped_service_ns = one.in_flight_request_ns * 12 / 10;
    });
    assert_eq!(cause(&judgement, "go/net-http").0, "littles-law");
    assert!(matches!(row(&judgement, "js/fastify").state, RowState::Ranked { .. }));
    assert!(row(&judgement, "js/fastify").verdicts.iter().any(|verdict| verdict.kind == Kind::Warning));
    assert!((judgement.littles_law_worst.unwrap() - 0.2).abs() < 1e-6);
}
