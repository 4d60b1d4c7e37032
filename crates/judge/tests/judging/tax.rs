//! Framework tax, and gRPC over REST.

use velo_model::Protocol;

use crate::common::name;
use crate::{judged, unchanged};
use velo_fixtures::{Simulated, Simulation};
use velo_judge::{TaxOf, Told, Unlike};

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
    assert_eq!(
        tax("js/fastify").reason.as_ref().map(ToString::to_string).as_deref(),
        Some("js/node-http was not in this run")
    );
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
fn grpc_over_rest_is_the_same_rule_over_another_contender() {
    let simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("go/gin", 32_000.0).on("go/net-http"),
        Simulated::new("go/grpc", 25_000.0).grpc().rest("go/net-http"),
        Simulated::new("rust/tonic", 50_000.0).grpc().rest("rust/axum"),
    ]);
    let judgement = unchanged(&simulation);
    let taxes = &judgement.workloads[0].taxes;
    let found: Vec<_> = taxes.iter().map(|tax| (tax.of, tax.contender.as_str(), tax.base.as_str())).collect();
    assert_eq!(
        found,
        [
            (TaxOf::Framework, "go/gin", "go/net-http"),
            (TaxOf::Grpc, "go/grpc", "go/net-http"),
            (TaxOf::Grpc, "rust/tonic", "rust/axum"),
        ]
    );
    assert!((taxes[1].ratio.unwrap().value / 1.6 - 1.0).abs() < 0.02 && taxes[1].told == Told::More);
    let protocol = Unlike::Protocol { contender: Protocol::Grpc, base: Protocol::Http1 };
    assert_eq!((taxes[0].unlike.as_slice(), taxes[1].unlike.as_slice()), (&[][..], &[protocol][..]));
    assert_eq!(
        taxes[2].reason.as_ref().map(ToString::to_string).as_deref(),
        Some("rust/axum was not in this run")
    );
}

#[test]
fn over_the_same_protocol_only_other_connections_are_a_difference() {
    let simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("go/grpc", 25_000.0).grpc().rest("go/net-http"),
    ]);
    let (mut file, mut windows) = simulation.run();
    file.workloads[0].load.protocol = Protocol::H2c;
    assert_eq!(velo_judge::judge(&file, &windows).workloads[0].taxes[0].unlike, []);
    for window in windows.iter_mut().filter(|window| window.contender == name("go/grpc")) {
        window.connections.established = 60;
    }
    assert_eq!(
        velo_judge::judge(&file, &windows).workloads[0].taxes[0].unlike,
        [Unlike::Connections { contender: 60, base: 64 }]
    );
}
