//! Estimates and ranks.

use crate::common::{name, ranks, row};
use crate::{judged, of, three, unchanged};
use velo_fixtures::{Simulated, Simulation};
use velo_judge::judge;
use velo_model::Figure;
use velo_record::WindowKind;

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
    assert!(!go.at_least && go.limit.as_ref().unwrap().is_contenders());
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
    let expected: u64 = windows.iter().map(|window| window.all().correct).sum();
    let judgement = judge(&file, &windows);
    assert_eq!(judgement.answers.checked(), expected);
    assert_eq!(judgement.answers.wrong_answer, 0);
    assert_eq!(judgement.littles_law_worst, Some(0.0));
}

#[test]
fn cold_windows_are_figures_of_their_own() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http").filter(|window| window.kind() == WindowKind::Cold) {
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

#[test]
fn a_score_and_its_pair_have_one_interval() {
    let mut simulation = three();
    simulation.contenders.push(Simulated::new("go/gin", 40_000.0).coin());
    let judgement = unchanged(&simulation);
    let workload = &judgement.workloads[0];
    for contender in ["go/net-http", "go/gin", "js/fastify"] {
        let pairs = &workload.pairs_by(Figure::Goodput, None).unwrap().compared;
        let is_pair = |pair: &&velo_judge::ComparedPair| {
            pair.over.as_str() == contender && pair.under == workload.baseline
        };
        let pair = pairs.iter().find(is_pair).unwrap().ratio.unwrap();
        let score = row(&judgement, contender).against_baseline.unwrap();
        assert_eq!(score, pair, "{contender}");
    }
}
