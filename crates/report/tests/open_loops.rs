//! What a person sees of open loops, equal work and cost: `INSTA_UPDATE=always cargo test -p velo-report` renews it.

use unicode_width::UnicodeWidthStr;
use velo_fixtures::{Simulated, SimulatedOpenLoop, Simulation, contender_mut, paced_mut};
use velo_judge::{Judgement, judge};
use velo_model::{Class, ContenderName};
use velo_record::{CostQuestion, EncodedHistogram, Purpose, RatePurpose, RunFile, Window, WindowKind};
use velo_report::{TerminalOptions, Weight, markdown, terminal};
use velo_stats::Histogram;

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn run() -> (RunFile, Vec<Window>) {
    let mut simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 48_000.0),
        Simulated::new("go/gin", 47_900.0).on("go/net-http"),
        Simulated::new("js/fastify", 33_500.0),
        Simulated::new("rust/hyper", 260_000.0),
        Simulated::new("rust/reference", 900_000.0).class(Class::Reference),
    ]);
    simulation.blocks = 4;
    simulation.noise_of_windows = 0.03;
    let (mut file, mut windows) = simulation.run();
    file.workloads.iter_mut().for_each(|workload| workload.published.clear());
    for contender in ["go/net-http", "go/gin", "js/fastify", "rust/hyper"] {
        let highest: f64 = if contender == "js/fastify" { 33_000.0 } else { 47_000.0 };
        let mut at_equal_work = SimulatedOpenLoop::new(RatePurpose::CommonRate, 16_750.0);
        at_equal_work.requests = 800;
        at_equal_work.add_to(&mut windows, &name(contender));
        for percent in [50, 80] {
            let rate_per_s = highest * f64::from(percent) / 100.0;
            let mut at_share = SimulatedOpenLoop::new(RatePurpose::Share { percent }, rate_per_s);
            at_share.longest_ns = 250_000 * u64::from(percent);
            // Too few for a percentile of 99.9.
            at_share.requests = if contender == "js/fastify" { 100 } else { 800 };
            at_share.add_to(&mut windows, &name(contender));
        }
    }
    let is_hard = |window: &&mut Window| {
        let share = window.paced().map(|paced| paced.purpose);
        window.contender == name("go/gin") && share == Some(RatePurpose::Share { percent: 80 })
    };
    for window in windows.iter_mut().filter(is_hard) {
        (paced_mut(&mut window.purpose).sent, window.outcomes.dropped) = (760, 40);
    }
    (file, windows)
}

/// A sweep of `go/net-http`, whose response times grow as those of a queue.
fn add_curve(windows: &mut Vec<Window>) {
    for point in 1..=10 {
        let sweep = SimulatedOpenLoop::new(RatePurpose::Curve { point }, 5_200.0 * f64::from(point));
        sweep.add_to(windows, &name("go/net-http"));
        let is_of_point = |window: &&mut Window| {
            window.paced().is_some_and(|paced| paced.purpose == RatePurpose::Curve { point })
        };
        for window in windows.iter_mut().filter(is_of_point) {
            let paced = paced_mut(&mut window.purpose);
            let mut response = Histogram::new();
            response.record_many((100_000.0 / (1.05 - f64::from(point) / 10.0)) as u64, 400);
            paced.response_time = EncodedHistogram::new(&response);
            if point == 10 {
                (paced.sent, window.outcomes.dropped) = (300, 100);
            }
        }
    }
}

fn judgement() -> Judgement {
    let (mut file, mut windows) = run();
    add_curve(&mut windows);
    file.settings.cost = Some(CostQuestion {
        target_rps: Some(100_000.0),
        price_per_core_hour: Some(0.04),
        currency: Some("EUR".to_owned()),
        users: Some(10_000),
        calls_per_user_per_year: Some(1_000),
    });
    judge(&file, &windows)
}

#[test]
fn open_loops_equal_work_and_cost_on_a_terminal() {
    insta::assert_snapshot!(terminal(
        &judgement(),
        &TerminalOptions { down_to: Weight::Detail, ..TerminalOptions::default() }
    ));
}

#[test]
fn open_loops_equal_work_and_cost_in_markdown() {
    insta::assert_snapshot!(markdown(&judgement()));
}

#[test]
fn cost_without_open_loops_says_what_it_rests_on() {
    let (mut file, mut windows) = run();
    windows.retain(|window| window.kind() != WindowKind::Paced);
    file.settings.cost = Some(CostQuestion {
        target_rps: Some(250.0),
        users: Some(10_000),
        calls_per_user_per_year: Some(1_000),
        ..CostQuestion::default()
    });
    let text = terminal(&judge(&file, &windows), &TerminalOptions::default());
    let cost = text.split("\n\n").find(|part| part.starts_with("cost")).expect("a part on cost");
    insta::assert_snapshot!(cost);
    assert!(text.contains("equal work  left out: nothing was measured at the common rate"));
}

#[test]
fn everything_fits_whatever_its_size() {
    let (mut file, mut windows) = run();
    add_curve(&mut windows);
    for window in windows.iter_mut().filter(|window| window.launch == 1) {
        if let Purpose::Paced(paced) = &mut window.purpose {
            paced.rate_per_s = f64::MAX;
            contender_mut(window).cpu_total_ns = Some(u64::MAX);
        }
    }
    for question in [
        CostQuestion::default(),
        CostQuestion {
            target_rps: Some(f64::MAX),
            price_per_core_hour: Some(1e-300),
            currency: Some("\x1b[31m| 漢字 ".repeat(30)),
            users: Some(u64::MAX),
            calls_per_user_per_year: Some(u64::MAX),
        },
    ] {
        file.settings.cost = Some(question);
        let judgement = judge(&file, &windows);
        for width in [60, 80, 100] {
            for line in
                terminal(&judgement, &TerminalOptions { width, colour: false, down_to: Weight::Detail })
                    .lines()
            {
                assert!(line.width() <= width, "{} columns: {line}", line.width());
                assert!(!line.chars().any(char::is_control) && line.trim_end() == line, "{line:?}");
            }
        }
        assert!(!markdown(&judgement).contains('\x1b'));
    }
}

/// Where a workload has a rate of its own nothing is said of a goodput, which is not asked for.
#[test]
fn a_workload_with_a_stated_rate_is_shown_by_what_it_costs_there() {
    let (mut file, mut windows) = run();
    for workload in &mut file.workloads {
        workload.load.rate_per_s = Some(16_750.0);
    }
    windows.retain(|window| window.kind() != WindowKind::Block);
    let judgement = judge(&file, &windows);
    for said in [terminal(&judgement, &TerminalOptions::default()), markdown(&judgement)] {
        assert!(said.contains("open loop at 16,800 requests/s; see equal work"), "{said}");
        assert!(!said.contains("closed loop") && !said.contains("not as fast as it can"), "{said}");
        assert!(said.contains("go/net-http"), "{said}");
    }
}
