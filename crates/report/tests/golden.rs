//! What a person sees, as checked-in snapshots: `INSTA_UPDATE=always cargo test -p velo-report` renews them.

mod common;

use common::run;
use velo_fixtures::{Simulated, Simulation};
use velo_judge::{Judgement, judge};
use velo_record::{EndedBy, Look, RunState};
use velo_report::{TerminalOptions, Weight, json, markdown, terminal};

fn plain() -> TerminalOptions {
    TerminalOptions::default()
}

fn judgement() -> Judgement {
    let (file, windows) = run(10);
    judge(&file, &windows)
}

#[test]
fn a_run_on_a_terminal() {
    insta::assert_snapshot!(terminal(&judgement(), &plain()));
}

#[test]
fn a_run_in_markdown() {
    insta::assert_snapshot!(markdown(&judgement()));
}

/// Which rows are services of gRPC stands in each table that has them, and how they were loaded.
#[test]
fn services_of_grpc_are_named_in_their_rows() {
    let simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("go/grpc", 30_000.0).grpc().rest("go/net-http"),
    ]);
    let (file, windows) = simulation.run();
    let judgement = judge(&file, &windows);
    let on_terminal = terminal(&judgement, &plain());
    assert!(on_terminal.lines().all(|line| line.chars().count() <= 80), "{on_terminal}");
    for printed in [&on_terminal, &markdown(&judgement)] {
        let rows = printed.lines().filter(|line| line.contains("30,") && line.contains("go/grpc"));
        assert!(
            rows.clone().count() > 0 && rows.clone().all(|row| row.contains("go/grpc (gRPC)")),
            "{printed}"
        );
        assert!(!printed.contains("go/net-http (gRPC)"), "{printed}");
        let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        let load = "64 connections (services of gRPC: gRPC in clear, 64 connections x 1 stream), closed loop";
        assert!(words.contains(load), "{printed}");
    }
    for printed in [&on_terminal, &markdown(&judgement)] {
        let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = [
            "go/grpc over go/net-http",
            "+34 % (+33 to +34 %)",
            "not over the same protocol: gRPC over HTTP/2, REST over HTTP/1.1",
            "--protocol h2c measures both over HTTP/2",
        ];
        assert!(said.iter().all(|said| words.contains(said)), "{printed}");
    }
    assert!(velo_report::svg(&judgement).contains("go/grpc (gRPC)"));
    let printed: serde_json::Value = serde_json::from_str(&json(&judgement)).unwrap();
    let rows = printed["workloads"][0]["rows"].as_array().unwrap();
    let spoken = |name: &str| rows.iter().find(|row| row["contender"] == name).unwrap()["protocol"].clone();
    assert_eq!((spoken("go/grpc"), spoken("go/net-http")), ("grpc".into(), "http1".into()));
}

#[test]
fn a_quick_look() {
    let (mut file, mut windows) = run(10);
    file.settings.quick = true;
    file.identity.build = "debug".to_owned();
    file.plan.as_mut().unwrap().launches = 2;
    windows.retain(|window| window.launch < 3);
    for workload in &mut file.workloads {
        workload.published.clear();
    }
    insta::assert_snapshot!(terminal(&judge(&file, &windows), &plain()));
}

/// Of two launches there is no interval anywhere, and no mean over workloads.
#[test]
fn a_quick_look_at_two_workloads() {
    let mut simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("js/node-http", 30_000.0),
    ]);
    simulation.workloads = vec!["void".to_owned(), "coin".to_owned()];
    simulation.launches = 2;
    let (mut file, windows) = simulation.run();
    file.settings.quick = true;
    file.command =
        ["run", "void", "coin", "--only", "go/*", "--only", "js/*", "--quick"].map(str::to_owned).into();
    file.workloads.iter_mut().for_each(|workload| workload.published.clear());
    let judgement = judge(&file, &windows);
    for printed in [terminal(&judgement, &plain()), markdown(&judgement), velo_report::svg(&judgement)] {
        assert!(!printed.contains('±') && !printed.contains("interval over launches"), "{printed}");
        assert!(printed.contains("To rank them: velo run void coin"), "{printed}");
    }
    insta::assert_snapshot!(terminal(&judgement, &plain()));
}

#[test]
fn a_run_that_was_stopped_before_anything_was_measured() {
    let (mut file, _) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
    file.state = RunState::Interrupted;
    file.plan = None;
    file.timings.measure_ns = 0;
    insta::assert_snapshot!(terminal(&judge(&file, &[]), &plain()));
}

#[test]
fn a_run_on_a_terminal_with_all_details() {
    insta::assert_snapshot!(terminal(&judgement(), &TerminalOptions { down_to: Weight::Detail, ..plain() }));
}

#[test]
fn two_workloads_without_a_published_comparison() {
    let mut simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("js/node-http", 30_000.0),
    ]);
    simulation.workloads = vec!["void".to_owned(), "coin".to_owned()];
    let (mut file, windows) = simulation.run();
    file.workloads.iter_mut().for_each(|workload| workload.published.clear());
    insta::assert_snapshot!(terminal(&judge(&file, &windows), &plain()));
}

#[test]
fn open_pairs_in_a_run_that_its_precision_ended() {
    let mut simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("go/gin", 39_500.0),
        Simulated::new("go/chi", 39_600.0),
        Simulated::new("js/node-http", 30_000.0),
    ]);
    (simulation.seed, simulation.noise_of_launches) = (2, 0.06);
    let (mut file, windows) = simulation.run();
    file.workloads[0].published.clear();
    let plan = file.plan.as_mut().unwrap();
    plan.launches = 12;
    plan.looks = vec![Look { launch: 5, level: 0.005 }, Look { launch: 12, level: 0.045 }];
    file.ended_by = Some(EndedBy::Precision { launch: 5 });
    insta::assert_snapshot!(terminal(&judge(&file, &windows), &plain()));
}

#[test]
fn colour_adds_to_the_text_and_replaces_nothing() {
    let judgement = judgement();
    let coloured = terminal(&judgement, &TerminalOptions { colour: true, ..plain() });
    assert!(coloured.contains("\x1b[1mrank"), "headings are bold");
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), terminal(&judgement, &plain()));
}

#[test]
fn json_is_the_judgement() {
    let judgement = judgement();
    let value: serde_json::Value = serde_json::from_str(&json(&judgement)).expect("JSON");
    assert_eq!(value, serde_json::to_value(&judgement).expect("JSON"));
    assert_eq!(value["workloads"][0]["rows"][0]["state"]["is"], "ranked");
}
