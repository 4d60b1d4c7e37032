//! Simulated bursts with known makespans, and what is said of them.

mod common;

use velo_fixtures::{Simulated, SimulatedBurst, Simulation, burst_mut};
use velo_judge::{BurstRow, Holds, JudgedBurst, Judgement, judge};
use velo_model::{Bound, Claim, ClaimFigure, PublishedFigure, PublishedRow, Side, Subject};
use velo_record::{LaunchRecord, RunFile, Window};

use crate::common::{name, ranks, row};

const LOOPS: &str = "java/on-the-loops";
const THREADS: &str = "java/threads";

/// Two contenders, of which one serves four requests at a time: 40 in each launch as `ab` does it and at once, 200 once.
fn run() -> (RunFile, Vec<Window>) {
    let simulation = Simulation::new(vec![Simulated::new(LOOPS, 8_000.0), Simulated::new(THREADS, 16_000.0)]);
    let (mut file, mut windows) = simulation.run();
    for (contender, at_a_time) in [(LOOPS, 4), (THREADS, 200)] {
        for burst in [SimulatedBurst::new(40, at_a_time), SimulatedBurst::new(40, at_a_time).as_ab()] {
            burst.add_to(&mut file, &mut windows, &name(contender), 1..=5);
        }
        let once = SimulatedBurst::new(200, at_a_time);
        once.add_to(&mut file, &mut windows, &name(contender), 1..=1);
    }
    (file, windows)
}

fn judged(change: impl FnOnce(&mut RunFile, &mut Vec<Window>)) -> Judgement {
    let (mut file, mut windows) = run();
    change(&mut file, &mut windows);
    judge(&file, &windows)
}

#[track_caller]
fn burst(judgement: &Judgement, requests: u32, connections: u32, first_alone: bool) -> &JudgedBurst {
    let is_meant = |burst: &&JudgedBurst| {
        (burst.requests, burst.connections, burst.first_alone) == (requests, connections, first_alone)
    };
    judgement.workloads[0].bursts.iter().find(is_meant).expect("the burst")
}

#[track_caller]
fn of<'j>(burst: &'j JudgedBurst, contender: &str) -> &'j BurstRow {
    burst.rows.iter().find(|row| row.contender == name(contender)).expect("a row")
}

fn bursts_of<'w>(
    windows: &'w mut [Window],
    contender: &str,
    requests: u32,
) -> impl Iterator<Item = &'w mut Window> {
    let contender = name(contender);
    windows.iter_mut().filter(move |window| {
        window.contender == contender && window.burst().is_some_and(|burst| burst.shape.requests == requests)
    })
}

#[test]
fn makespans_follow_from_how_many_are_served_at_a_time() {
    let judgement = judged(|_, _| {});
    assert_eq!(judgement.workloads[0].bursts.len(), 3);
    for (first_alone, loops_s, threads_s) in [(false, 10.0, 1.0), (true, 11.0, 2.0)] {
        let burst = burst(&judgement, 40, 40, first_alone);
        assert_eq!((burst.wait_ns, burst.sweep), (Some(1_000_000_000), false));
        assert_eq!(burst.rows[0].contender, name(THREADS), "the shortest first");
        for (contender, expected_s) in [(LOOPS, loops_s), (THREADS, threads_s)] {
            let makespan = of(burst, contender).makespan_ns.unwrap();
            // 20 ms, and 7 ms more in each launch; a geometric mean lies a little below the middle.
            assert!((makespan.value / 1e9 - expected_s - 0.04).abs() < 1e-4, "{makespan:?}");
            let (low, high) = makespan.interval().unwrap();
            assert!(low < makespan.value && makespan.value < high && makespan.launches == 5);
        }
    }
    let at_once = burst(&judgement, 40, 40, false);
    assert!((of(at_once, LOOPS).at_a_time.unwrap() - 4.0).abs() < 0.02);
    assert!((of(at_once, LOOPS).memory_per_request_bytes.unwrap() - 10_000.0).abs() < 1e-6);
    assert_eq!(of(burst(&judgement, 40, 40, true), LOOPS).memory_per_request_bytes, None);
}

#[test]
fn what_was_measured_once_has_no_interval() {
    let judgement = judged(|_, _| {});
    let makespan = of(burst(&judgement, 200, 40, false), LOOPS).makespan_ns.unwrap();
    assert_eq!((makespan.interval(), makespan.launches), (None, 1));
    assert!((makespan.value / 1e9 - 50.0).abs() < 0.1);
}

#[test]
fn bursts_leave_the_blocks_figures_alone() {
    let (file, windows) = run();
    let without: Vec<Window> = windows.iter().filter(|window| window.burst().is_none()).cloned().collect();
    let (with, without) = (judge(&file, &windows), judge(&file, &without));
    for contender in [LOOPS, THREADS] {
        let (with, without) = (row(&with, contender), row(&without, contender));
        assert_eq!(
            (with.goodput_per_s, with.cpu_per_request_ns),
            (without.goodput_per_s, without.cpu_per_request_ns)
        );
        assert_eq!((with.windows, &with.connections), (without.windows, &without.connections));
        // 40 and 40 in each of five launches, 200 once.
        assert_eq!(with.answers.correct, without.answers.correct + 600);
    }
    assert_eq!(with.host, without.host);
}

#[test]
fn failures_in_a_burst_spoil_it_and_nothing_else() {
    let judgement = judged(|_, windows| {
        let window = bursts_of(windows, LOOPS, 40).next().unwrap();
        (window.outcomes.correct, window.outcomes.timeout) = (30, 10);
        window.wrong_examples = vec!["no byte of an answer in time".to_owned()];
    });
    let spoilt = of(burst(&judgement, 40, 40, false), LOOPS);
    assert_eq!(
        spoilt.fault.as_ref().map(ToString::to_string).as_deref(),
        Some("10 of 200 requests failed: 10 without an answer in time")
    );
    assert_eq!(spoilt.examples, ["no byte of an answer in time"]);
    assert_eq!(spoilt.at_a_time, None);
    assert_eq!(of(burst(&judgement, 40, 40, true), LOOPS).fault, None);
    assert_eq!(ranks(&judgement, LOOPS), (2, 2));
    assert_eq!(row(&judgement, LOOPS).answers.failures(), 0);
}

#[test]
fn a_wrong_answer_in_a_burst_is_a_wrong_answer() {
    let judgement = judged(|_, windows| {
        let window = bursts_of(windows, THREADS, 200).next().unwrap();
        (window.outcomes.correct, window.outcomes.wrong_answer) = (199, 1);
        window.wrong_examples = vec!["answered after 3.0 ms instead of 1000 or more".to_owned()];
    });
    let row = row(&judgement, THREADS);
    assert_eq!(row.answers.wrong_answer, 1);
    assert!(row.standing().contains("answered after 3.0 ms"), "{}", row.standing());
    let burst = of(burst(&judgement, 200, 40, false), THREADS);
    assert_eq!(burst.fault.as_ref().map(ToString::to_string).as_deref(), Some("1 of 200 answers wrong"));
}

#[test]
fn requests_that_were_not_sent_are_missed() {
    let judgement = judged(|_, windows| {
        bursts_of(windows, LOOPS, 200).for_each(|window| window.outcomes.correct = 150);
    });
    let fault = of(burst(&judgement, 200, 40, false), LOOPS).fault.clone().unwrap();
    assert_eq!(fault.to_string(), "only 150 of 200 requests could be sent in time");
}

// Claims

fn side(contender: &str) -> Side {
    Side { workload: "coin".to_owned(), contender: name(contender) }
}

fn claims(
    claims: &[(u32, bool, Subject, f64, f64)],
    change: impl FnOnce(&mut Vec<Window>),
) -> Vec<(Holds, String)> {
    let judgement = judged(|file, windows| {
        file.workloads[0].claims = claims
            .iter()
            .map(|(requests, first_alone, subject, low, high)| Claim {
                says: String::new(),
                figure: ClaimFigure::makespan(*requests, *first_alone),
                subject: subject.clone(),
                printed: None,
                bound: Bound { low: Some(*low), high: Some(*high) },
            })
            .collect();
        change(windows);
    });
    let told = judgement.workloads[0].claims.iter();
    told.map(|claim| (claim.holds, claim.reason.as_ref().map(ToString::to_string).unwrap_or_default()))
        .collect()
}

#[test]
fn makespans_are_claimed_as_they_are_as_ratios_and_in_order() {
    let ratio = || Subject::Ratio(side(LOOPS), side(THREADS));
    let told = claims(
        &[
            (40, true, Subject::Value(side(LOOPS)), 10.5, 11.5),
            (40, true, Subject::Value(side(THREADS)), 1.9, 2.1),
            (40, true, Subject::Value(side(THREADS)), 10.5, 11.5),
            (40, false, ratio(), 9.0, 11.0),
            (40, false, ratio(), 4.0, 6.0),
            (40, false, Subject::Order(vec![side(LOOPS), side(THREADS)]), 1.0, f64::INFINITY),
            (40, false, Subject::Order(vec![side(THREADS), side(LOOPS)]), 1.0, f64::INFINITY),
        ],
        |_| {},
    );
    let holds: Vec<Holds> = told.iter().map(|(holds, _)| *holds).collect();
    use Holds::{DoesNotHold, Holds as Yes};
    assert_eq!(holds, [Yes, Yes, DoesNotHold, Yes, DoesNotHold, Yes, DoesNotHold], "{told:?}");
}

#[test]
fn claims_need_an_interval_and_right_answers() {
    let value = |contender| Subject::Value(side(contender));
    let told = claims(
        &[
            (200, false, value(LOOPS), 49.0, 51.0),
            (400, true, value(LOOPS), 100.0, 102.0),
            (40, false, value(LOOPS), 9.5, 10.5),
            (40, true, value(THREADS), 1.9, 2.1),
        ],
        |windows| {
            bursts_of(windows, LOOPS, 40).for_each(|window| {
                if window.launch == 2 {
                    (window.outcomes.correct, window.outcomes.connect_error) = (39, 1);
                }
            });
            bursts_of(windows, THREADS, 200).for_each(|window| window.outcomes.wrong_answer = 1);
        },
    );
    assert!(told.iter().all(|(holds, _)| *holds == Holds::CannotBeTold), "{told:?}");
    assert_eq!(told[0].1, "measured once, so there is no interval");
    assert_eq!(told[1].1, format!("{LOOPS} was not measured with a burst of 400"));
    assert!(told[2].1.contains("1 of 200 requests failed: 1 without a connection"), "{}", told[2].1);
    assert!(told[3].1.contains("wrong answers"), "too early in one burst spoils all of them: {}", told[3].1);
}

#[test]
fn the_published_seconds_stand_beside_both_ways_of_doing_it() {
    let published = |row: &str, contender: Option<&str>, requests, seconds| PublishedRow {
        row: row.to_owned(),
        contender: contender.map(name),
        not_measured: None,
        figure: PublishedFigure::Makespan { requests, seconds },
    };
    let judgement = judged(|file, _| {
        file.workloads[0].published = vec![
            published("mvc, 40", Some(LOOPS), 40, 11.0),
            published("mvc, 200", Some(LOOPS), 200, 51.0),
            published("mvc, 400", Some(LOOPS), 400, 101.0),
            published("webflux, 40", None, 40, 2.0),
        ];
    });
    let rows = &judgement.workloads[0].published;
    let shown: Vec<_> = rows
        .iter()
        .map(|row| {
            let whole = |estimate: Option<velo_judge::Estimate>| estimate.map(|one| one.value.round());
            (row.there, whole(row.here), whole(row.at_once), row.reason.is_some())
        })
        .collect();
    assert_eq!(
        shown,
        [
            (Some(11.0), Some(11.0), Some(10.0), false),
            (Some(51.0), None, Some(50.0), false),
            (Some(101.0), None, None, true),
            (Some(2.0), None, None, true),
        ]
    );
}

// The sweep

#[test]
fn a_sweep_says_who_could_not_serve_so_many() {
    let judgement = judged(|file, windows| {
        for connections in [40, 1000, 2000] {
            let sweep = SimulatedBurst::sweep(connections, 200);
            sweep.add_to(file, windows, &name(THREADS), 1..=1);
            if connections < 2000 {
                SimulatedBurst::sweep(connections, 4).add_to(file, windows, &name(LOOPS), 1..=1);
            }
        }
        for window in bursts_of(windows, LOOPS, 1000) {
            (window.outcomes.correct, window.outcomes.timeout) = (600, 400);
            burst_mut(&mut window.purpose).saturation.listen_overflows = Some(17);
        }
    });
    let sweep: Vec<&JudgedBurst> = judgement.workloads[0].bursts.iter().filter(|burst| burst.sweep).collect();
    assert_eq!(sweep.iter().map(|burst| burst.connections).collect::<Vec<_>>(), [40, 1000, 2000]);
    let given_up = of(sweep[1], LOOPS);
    assert!(given_up.fault.as_ref().unwrap().to_string().contains("400 without an answer in time"));
    assert_eq!(given_up.listen_overflows, Some(17));
    let not_tried = of(sweep[2], LOOPS);
    assert!(
        not_tried
            .fault
            .as_ref()
            .unwrap()
            .to_string()
            .starts_with("not tried: requests over 1000 connections")
    );
    assert_eq!(not_tried.makespan_ns, None);
    let whole = of(sweep[2], THREADS);
    assert!((whole.at_a_time.unwrap() - 200.0).abs() < 1.0 && whole.fault.is_none());
    assert!((whole.memory_per_request_bytes.unwrap() - 10_000.0).abs() < 1e-6);
    assert_eq!(ranks(&judgement, LOOPS), (2, 2), "a sweep excludes nobody");
    // The sweep's 40 are not the burst of 40.
    assert_eq!(judgement.workloads[0].bursts.iter().filter(|burst| burst.requests == 40).count(), 3);
}

#[test]
fn a_contender_that_was_lost_in_a_burst_says_why() {
    let judgement = judged(|file, windows| {
        windows.retain(|window| {
            window.contender != name(LOOPS) || window.burst().is_none_or(|burst| burst.shape.requests != 200)
        });
        let record = file.contenders.iter_mut().find(|record| record.manifest.name == name(LOOPS)).unwrap();
        let first: &mut LaunchRecord = record.launches.first_mut().unwrap();
        first.ended_early = Some("it ended (exit status: 1) under load".to_owned());
    });
    let lost = of(burst(&judgement, 200, 40, false), LOOPS);
    assert_eq!(
        lost.fault.as_ref().map(ToString::to_string).as_deref(),
        Some("not measured: it ended (exit status: 1) under load")
    );
}

#[test]
fn numbers_that_make_no_sense_are_judged_all_the_same() {
    let judgement = judged(|file, windows| {
        for (number, window) in windows.iter_mut().filter(|window| window.burst().is_some()).enumerate() {
            let burst = burst_mut(&mut window.purpose);
            match number % 4 {
                0 => (burst.shape.requests, burst.shape.connections) = (0, 0),
                1 => window.duration_ns = 0,
                2 => (window.duration_ns, window.outcomes.wrong_answer) = (u64::MAX, u64::MAX),
                _ => {
                    burst.saturation.memory_before_bytes = Some(u64::MAX);
                    burst.saturation.listen_overflows = Some(u64::MAX);
                    window.requests.clear();
                }
            }
        }
        file.workloads[0].requests.clear();
        let figure = ClaimFigure::makespan(40, false);
        file.workloads[0].claims = vec![Claim {
            says: String::new(),
            figure,
            subject: Subject::Ratio(side(LOOPS), side(THREADS)),
            printed: None,
            bound: Bound { low: Some(f64::NAN), high: None },
        }];
    });
    assert_eq!(judgement.workloads[0].claims[0].holds, Holds::CannotBeTold);
    for row in judgement.workloads[0].bursts.iter().flat_map(|burst| &burst.rows) {
        assert!(row.at_a_time.is_none_or(f64::is_finite), "{row:?}");
        assert!(row.memory_per_request_bytes.is_none_or(f64::is_finite), "{row:?}");
    }
}
