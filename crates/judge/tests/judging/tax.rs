//! Framework tax.

use crate::common::name;
use crate::{judged, unchanged};
use velo_fixtures::{Simulated, Simulation};
use velo_judge::Told;

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
