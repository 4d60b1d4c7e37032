//! Courses with other loads: bursts, response times at stated rates, sweeps of rates.

use velo_model::DataFile;
use velo_record::RunState;

use super::machine::world::Fault;
use super::*;

fn two() -> Course {
    Course::new(&[("go/fast", Model::new(40_000.0)), ("go/slow", Model::new(20_000.0))])
}

#[test]
fn bursts_come_last_in_each_launch_and_each_contender_has_all() {
    let mut course = two();
    course.workload().bursts = vec![burst(100, true), burst(200, false)];
    let outcome = course.run();
    assert_eq!(outcome.file.state, RunState::Complete);
    let plan = outcome.file.plan.clone().expect("a plan");
    for launch in 1..=plan.launches {
        let of_launch = || outcome.windows.iter().filter(|window| window.launch == launch);
        let last_block = of_launch().enumerate().filter(|(_, window)| window.block > 0).last();
        let bursts: Vec<(usize, &Window)> =
            of_launch().enumerate().filter(|(_, window)| window.kind() == WindowKind::Burst).collect();
        // Two styles, two contenders; in the first launch the other burst too.
        assert_eq!(bursts.len(), if launch == 1 { 8 } else { 4 });
        assert!(bursts.iter().all(|&(at, _)| Some(at) > last_block.map(|(at, _)| at)));
        for (_, window) in bursts {
            let requests = window.burst().map(|burst| u64::from(burst.shape.requests));
            assert_eq!(Some(window.outcomes.correct), requests, "all parts of a burst are counted");
        }
    }
    let told = |is_meant: IsMeant| outcome.events.iter().filter(|event| is_meant(event)).count();
    assert_eq!(told(|event| matches!(event, Event::BurstsPlanned { .. })), 1);
    assert_eq!(told(|event| matches!(event, Event::BurstsSeen { .. })), 1);
}

#[test]
fn response_times_are_taken_at_shares_of_what_each_can_do_and_at_the_one_rate() {
    let mut course = two();
    course.options.latency = Some(120 * SECOND);
    let outcome = course.run();
    assert_eq!(outcome.file.state, RunState::Complete);
    let plan = outcome.file.plan.clone().expect("a plan");
    let rates = |contender: &str, meant: RatePurpose| -> Vec<f64> {
        let own = outcome.windows.iter().filter(|window| window.contender == name(contender));
        let paced = own.filter(|window| window.launch > plan.launches).filter_map(|window| window.paced());
        paced.filter(|paced| paced.purpose == meant).map(|paced| paced.rate_per_s).collect()
    };
    for (contender, per_s) in [("go/fast", 40_000.0), ("go/slow", 20_000.0)] {
        assert!(!rates(contender, RatePurpose::Search).is_empty());
        for percent in [50, 80] {
            let meant = rates(contender, RatePurpose::Share { percent });
            let share = f64::from(percent) / 100.0;
            assert!(!meant.is_empty());
            assert!(meant.iter().all(|rate| (0.9..1.05).contains(&(rate / per_s / share))), "{meant:?}");
        }
        let one = rates(contender, RatePurpose::CommonRate);
        assert!(one.iter().all(|&rate| rate == plan.common_rates[0].rate_per_s) && !one.is_empty());
    }
}

#[test]
fn one_that_dies_at_a_stated_rate_keeps_what_its_blocks_have_shown() {
    let with = |fault: Option<(u32, Fault)>| {
        let mut course = two();
        if let Some((life, fault)) = fault {
            course = Course::new(&[
                ("go/fast", Model::new(40_000.0)),
                ("go/slow", Model::new(20_000.0).fault(life, fault)),
            ]);
        }
        course.options.latency = Some(60 * SECOND);
        course.run()
    };
    let launches = with(None).file.plan.map_or(0, |plan| plan.launches);
    let outcome = with(Some((launches + 1, Fault::DiesAfter(14_000))));
    let record = outcome.record("go/slow");
    assert_eq!(record.state, ContenderState::Measured);
    let ended = record.launches.iter().find(|launch| launch.launch == launches + 1);
    let reason = ended.and_then(|launch| launch.ended_early.as_deref());
    assert!(reason.is_some_and(|reason| reason.contains("it ended under load")), "{reason:?}");
    assert!(outcome.launches_of("go/slow").contains(&(launches + 2)), "it is started again");
}

/// A file of two records that contenders are given.
fn with_data(mut course: Course) -> Course {
    let record = TextTemplate::fixed("{}");
    course.workload().data =
        vec![DataFile { file: "users.json".to_owned(), records: 2, record, slots: Vec::new() }];
    course
}

#[test]
fn files_are_replaced_in_the_middle_of_the_blocks_of_each_launch() {
    let outcome = with_data(two()).run();
    assert_eq!(outcome.file.state, RunState::Complete);
    let plan = outcome.file.plan.clone().expect("a plan");
    let versions: BTreeSet<(bool, u32)> = (outcome.counted().iter())
        .filter_map(|window| Some((window.block * 2 > plan.blocks, window.data.as_ref()?.version)))
        .collect();
    assert_eq!(versions, BTreeSet::from([(false, 0), (true, 1)]));
    assert!(outcome.counted().iter().all(|window| window.data.is_some()));
}

#[test]
fn one_whose_files_cannot_be_replaced_is_excluded() {
    let slow = Model::new(20_000.0).fault(1, Fault::KeepsItsFiles);
    let outcome = with_data(Course::new(&[("go/fast", Model::new(40_000.0)), ("go/slow", slow)])).run();
    let reason = outcome.excluded("go/slow").expect("a reason");
    assert_eq!(reason, "its data cannot be replaced: no space");
    assert_eq!(outcome.record("go/fast").state, ContenderState::Measured);
}

#[test]
fn a_sweep_has_its_points_in_rising_order_for_each_contender() {
    let mut course = two();
    course.options.curve = true;
    let outcome = course.run();
    for contender in ["go/fast", "go/slow"] {
        let own = outcome.windows.iter().filter(|window| window.contender == name(contender));
        let points = own.filter(|window| matches!(purpose(window), Some(RatePurpose::Curve { .. })));
        let rates: Vec<f64> = points.filter_map(|window| Some(window.paced()?.rate_per_s)).collect();
        assert!(rates.len() == 10 && rates.is_sorted(), "{rates:?}");
    }
}

#[test]
fn at_a_stated_rate_there_are_no_windows_at_full_speed() {
    let mut course = two();
    course.workload().load.rate_per_s = Some(5_000.0);
    let outcome = course.run();
    assert!(!outcome.windows.iter().any(is_goodput));
    let plan = outcome.file.plan.clone().expect("a plan");
    assert_eq!(outcome.counted().len() as u32, 2 * plan.launches * plan.blocks);
    let rates = outcome.counted().into_iter().filter_map(|window| Some(window.paced()?.rate_per_s));
    assert!(rates.into_iter().all(|rate| rate == 5_000.0));
}

#[test]
fn a_workload_as_its_source_loaded_it_has_one_long_window_each() {
    let mut course = two();
    course.options.as_published = true;
    course.workload().load.as_published = Some(velo_model::AsPublished { connections: 64, seconds: 30 });
    let outcome = course.run();
    let goodput: Vec<&Window> = outcome.windows.iter().filter(|window| is_goodput(window)).collect();
    assert_eq!(goodput.len(), 2);
    assert!(goodput.iter().all(|window| window.duration_ns == 30_000_000_000));
}
