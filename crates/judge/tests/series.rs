//! A series says what the rows, groups, bursts and tasks that it comes from say.

use std::collections::BTreeMap;

use velo_fixtures::{Simulated, SimulatedBurst, SimulatedOpenLoop, SimulatedTask, Simulation};
use velo_judge::{JudgedWorkload, RowState, Series, judge, judge_run};
use velo_model::{Better, ContenderName, Figure, LoadCondition, Unit};
use velo_record::{RatePurpose, RunFile, Window};

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn run() -> (RunFile, Vec<Window>) {
    let contenders = vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("go/gin", 30_000.0).on("go/net-http"),
        Simulated::new("js/node-http", 20_000.0),
    ];
    let (mut file, mut windows) = Simulation::new(contenders).run();
    for contender in ["go/net-http", "go/gin", "js/node-http"] {
        SimulatedOpenLoop::new(RatePurpose::CommonRate, 5_000.0).add_to(&mut windows, &name(contender));
    }
    SimulatedBurst::new(40, 40).add_to(&mut file, &mut windows, &name("go/gin"), 1..=5);
    let tasks = [SimulatedTask::new("go/program", 2e6, 1e6), SimulatedTask::new("js/program", 9e6, 3e6)];
    SimulatedTask::add(&tasks, &mut file, 1);
    (file, windows)
}

fn of(workload: &JudgedWorkload, of: Figure) -> &Series {
    workload.series.iter().find(|series| series.of == of).unwrap_or_else(|| panic!("no {of:?}"))
}

#[test]
fn each_quantity_is_there_once_with_its_load_and_direction() {
    let (file, windows) = run();
    let judged = &judge(&file, &windows).workloads[0];
    let all: Vec<Figure> = judged.series.iter().map(|series| series.of).collect();
    assert_eq!(
        all,
        [
            Figure::Goodput,
            Figure::IterationSteady,
            Figure::IterationCold,
            Figure::CpuPerRequest,
            Figure::CpuAtOneRate,
            Figure::ResponseP50,
            Figure::ResponseP99,
            Figure::Makespan,
            Figure::Memory,
            Figure::Startup,
            Figure::Tax,
        ]
    );
    let goodput = of(judged, Figure::Goodput);
    assert_eq!((goodput.unit, goodput.better), (Unit::PerSecond, Better::More));
    assert_eq!(goodput.under, LoadCondition::ClosedLoop { connections: judged.connections });
    assert_eq!(of(judged, Figure::CpuAtOneRate).under, LoadCondition::OpenLoop { rate_per_s: 5_000.0 });
    let makespan = of(judged, Figure::Makespan);
    assert!(matches!(makespan.under, LoadCondition::Burst { requests: 40, connections: 40, .. }));
    assert!(judged.series.iter().skip(1).all(|series| series.better == Better::Less));
}

#[test]
fn values_and_ranks_are_those_of_the_rows() {
    let (file, windows) = run();
    let judged = &judge(&file, &windows).workloads[0];
    for row in &judged.rows {
        let RowState::Ranked { best, worst } = row.state else { panic!("{:?}", row.state) };
        let point = |series: &Series| {
            series.points.iter().find(|point| point.contender == row.contender).unwrap().clone()
        };
        let goodput = point(of(judged, Figure::Goodput));
        assert_eq!((goodput.best, goodput.worst, goodput.reason), (Some(best), Some(worst), None));
        assert_eq!(Some(goodput.estimate), row.goodput_per_s);
        let cpu = point(of(judged, Figure::CpuPerRequest));
        assert_eq!((Some(cpu.estimate), cpu.best), (row.cpu_per_request_ns, None));
        let at_rate = row.latency.iter().find(|one| one.purpose == RatePurpose::CommonRate).unwrap();
        assert_eq!(Some(point(of(judged, Figure::ResponseP99)).estimate), at_rate.response.p99_ns);
    }
    for row in &judged.tasks.as_ref().unwrap().rows {
        let steady = of(judged, Figure::IterationSteady);
        let point = steady.points.iter().find(|point| point.contender == row.contender).unwrap();
        assert_eq!(Some(point.estimate), row.steady_ns);
        assert!(matches!(row.state, RowState::Ranked { best, .. } if Some(best) == point.best));
    }
    let tax = &of(judged, Figure::Tax).points[0];
    assert_eq!((&tax.contender, tax.over.as_ref()), (&name("go/gin"), Some(&name("go/net-http"))));
    // A simulated contender uses at any rate what it uses at its own.
    let at_rate = judged.taxes[0].at_common_rate.as_ref().unwrap();
    assert_eq!(at_rate.rate_per_s, 5_000.0);
    assert!((at_rate.ratio.value / tax.estimate.value - 1.0).abs() < 0.05, "{:?}", judged.taxes[0]);
}

#[test]
fn who_answered_wrongly_has_no_point_and_who_was_not_the_limit_has_a_bound() {
    let (file, mut windows) = run();
    for window in &mut windows {
        if window.contender == name("go/gin") {
            window.outcomes.wrong_answer = 1;
        }
    }
    let judged = &judge(&file, &windows).workloads[0];
    // A burst has answers of its own, and its own fault.
    for series in judged.series.iter().filter(|series| series.of != Figure::Makespan) {
        let has_gin = series.points.iter().any(|point| point.contender == name("go/gin"));
        assert!(!has_gin, "{:?}", series.of);
    }
    assert!(!judged.series.iter().any(|series| series.of == Figure::Tax), "a tax of wrong answers");

    // The generator sends no more than 200,000 a second in a simulation: this one is never seen at its limit.
    let contenders = vec![Simulated::new("go/net-http", 40_000.0), Simulated::new("c/idle", 1e6)];
    let (file, windows) = Simulation::new(contenders).run();
    let judged = &judge(&file, &windows).workloads[0];
    let goodput = of(judged, Figure::Goodput);
    let idle = goodput.points.iter().find(|point| point.contender == name("c/idle")).unwrap();
    assert!(idle.at_least && idle.best.is_none() && idle.reason.is_some(), "{idle:?}");
}

/// The page divides by these; a ratio must be that of the two figures, whatever they are of.
#[test]
fn paired_ratios_are_those_of_the_points() {
    let (file, windows) = run();
    let judged = &judge(&file, &windows).workloads[0];
    let detail = &judge_run(&file, &windows).detail()[0];
    let mut seen = BTreeMap::new();
    for ratios in &detail.ratios {
        let points = &of(judged, ratios.of).points;
        let value = |place: u32| {
            let contender = &detail.contenders[place as usize].contender;
            points.iter().find(|point| point.contender == *contender).unwrap().estimate.value
        };
        for (over, under, ratio, ..) in &ratios.pairs {
            let expected = value(*over) / value(*under);
            assert!((ratio / expected - 1.0).abs() < 1e-3, "{:?}: {ratio}, {expected}", ratios.of);
            *seen.entry(ratios.of).or_insert(0) += 1;
        }
    }
    assert_eq!(seen.get(&Figure::Goodput), Some(&3));
    assert_eq!(seen.get(&Figure::IterationSteady), Some(&1));
}
