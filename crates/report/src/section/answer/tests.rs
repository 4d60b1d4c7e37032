use velo_fixtures::{Simulated, SimulatedBurst, SimulatedTask, Simulation};
use velo_judge::{
    Cause, ComparedPair, Estimate, FigurePairs, Judgement, NothingRanked, Pairs, RowState, Series,
    SeriesPoint, Standing, judge,
};
use velo_model::{Better, Class, ContenderName, Figure, LoadCondition, Role, Unit};
use velo_record::{RunFile, Window};

use super::answer;

const GIN: &str = "go/gin";
const ACTIX: &str = "rust/actix-web";
const FASTIFY: &str = "js/fastify";
const RACK: &str = "ruby/rack";

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

/// A run of these, the first one the fastest.
fn run(contenders: &[&str]) -> (RunFile, Vec<Window>) {
    let contenders = contenders.iter().enumerate();
    let contenders = contenders.map(|(place, name)| Simulated::new(name, 40_000.0 / (1.0 + place as f64)));
    let mut simulation = Simulation::new(contenders.collect());
    simulation.blocks = 2;
    simulation.run()
}

fn judged(contenders: &[&str]) -> Judgement {
    let (file, windows) = run(contenders);
    judge(&file, &windows)
}

fn said(judgement: &Judgement) -> String {
    answer(judgement, &judgement.workloads[0]).unwrap_or_default()
}

fn estimate(low: f64, high: f64) -> Estimate {
    Estimate {
        value: f64::midpoint(low, high),
        low: Some(low),
        high: Some(high),
        launches: 5,
        ..Estimate::default()
    }
}

type PairFigures<'a> = (&'a str, &'a str, Standing, f64, f64);

fn pair((over, under, state, low, high): &PairFigures<'_>) -> ComparedPair {
    ComparedPair {
        over: name(over),
        under: name(under),
        state: *state,
        ratio: Some(estimate(*low, *high)),
        simultaneous_low: None,
        simultaneous_high: None,
        p: None,
        p_holm: None,
        could_have_seen: None,
        launches_to_2_percent: None,
        would_tell: None,
    }
}

fn pairs(compared: &[PairFigures<'_>]) -> Pairs {
    Pairs {
        level: 0.05,
        equal_within: 0.04,
        separated: 0,
        equal: 0,
        open: 0,
        could_have_seen: Some(0.02),
        could_have_seen_most: Some(0.032),
        could_have_seen_least: Some(0.011),
        compared: compared.iter().map(pair).collect(),
    }
}

/// A judged run in which contenders have these ranks and compare so.
fn ranked(ranks: &[(&str, u32, u32)], compared: &[PairFigures<'_>]) -> Judgement {
    let names: Vec<&str> = ranks.iter().map(|(name, ..)| *name).collect();
    let mut judgement = judged(&names);
    let workload = &mut judgement.workloads[0];
    let goodput = &mut workload.series[0];
    assert_eq!(goodput.of, Figure::Goodput);
    for (row, (point, (name, best, worst))) in
        workload.rows.iter_mut().zip(goodput.points.iter_mut().zip(ranks))
    {
        assert_eq!(
            (row.contender.as_str(), point.contender.as_str()),
            (*name, *name),
            "the fastest is first"
        );
        row.state = RowState::Ranked { best: *best, worst: *worst };
        (point.best, point.worst) = (Some(*best), Some(*worst));
    }
    let (of, under) = (goodput.of, goodput.under);
    workload.pairs = vec![FigurePairs { of, under, pairs: pairs(compared) }];
    judgement
}

#[test]
fn one_of_two_serves_more() {
    let judgement =
        ranked(&[(GIN, 1, 1), (FASTIFY, 2, 2)], &[(GIN, FASTIFY, Standing::Separated, 1.05, 1.12)]);
    assert_eq!(said(&judgement), "go/gin serves 1.05 to 1.12 times what js/fastify does.");
}

/// Those that serve most need most CPU time here, so that one sees which of the two the answer rests on.
#[test]
fn on_a_busy_machine_the_answer_is_by_cpu_time() {
    let mut judgement =
        ranked(&[(GIN, 1, 1), (FASTIFY, 2, 2)], &[(GIN, FASTIFY, Standing::Separated, 1.05, 1.12)]);
    let workload = &mut judgement.workloads[0];
    let cpu = workload.series.iter_mut().find(|series| series.of == Figure::CpuPerRequest).unwrap();
    let of = |name: &str| if name == FASTIFY { 1 } else { 2 };
    for point in &mut cpu.points {
        let place = of(point.contender.as_str());
        (point.best, point.worst) = (Some(place), Some(place));
    }
    let pairs = pairs(&[(GIN, FASTIFY, Standing::Separated, 1.2, 1.3)]);
    let by_cpu = FigurePairs { of: cpu.of, under: cpu.under, pairs };
    workload.pairs.insert(0, by_cpu);
    assert!(said(&judgement).starts_with("go/gin serves"));
    judgement.host.is_busy = true;
    assert_eq!(
        said(&judgement),
        "The machine was busy, so this is by CPU time per request: js/fastify uses least; go/gin uses 1.20 to 1.30 times as much."
    );
}

#[test]
fn two_that_cannot_be_told_apart() {
    let ranks = [(GIN, 1, 2), (ACTIX, 1, 2)];
    let judgement = ranked(&ranks, &[(GIN, ACTIX, Standing::Open, 0.98, 1.03)]);
    assert_eq!(
        said(&judgement),
        "go/gin and rust/actix-web are not distinguishable: their ratio lies within 0.98 to 1.03."
    );
    let judgement = ranked(&ranks, &[(GIN, ACTIX, Standing::Equal, 0.99, 1.02)]);
    assert_eq!(
        said(&judgement),
        "go/gin and rust/actix-web are equal within 4 %: their ratio lies within 0.99 to 1.02."
    );
}

/// The one that was faster by a hair in the pair may stand second in the table.
#[test]
fn a_ratio_is_turned_to_the_side_of_the_first() {
    let judgement = ranked(&[(GIN, 1, 2), (ACTIX, 1, 2)], &[(ACTIX, GIN, Standing::Open, 0.8, 1.6)]);
    assert!(said(&judgement).ends_with("within 0.62 to 1.25."), "{}", said(&judgement));
}

#[test]
fn the_first_the_next_and_the_last() {
    let judgement = ranked(
        &[(GIN, 1, 1), (FASTIFY, 2, 2), (RACK, 3, 3)],
        &[
            (GIN, FASTIFY, Standing::Separated, 1.05, 1.12),
            (GIN, RACK, Standing::Separated, 3.1, 3.4),
            (FASTIFY, RACK, Standing::Separated, 2.9, 3.1),
        ],
    );
    assert_eq!(
        said(&judgement),
        "go/gin is fastest: 1.05 to 1.12 times what js/fastify does, and 3.1 to 3.4 times what ruby/rack does."
    );
}

#[test]
fn several_at_the_top_are_compared_by_the_hull_of_their_intervals() {
    let mut judgement = ranked(
        &[(GIN, 1, 2), (ACTIX, 1, 2), (FASTIFY, 3, 3)],
        &[
            (GIN, ACTIX, Standing::Open, 0.98, 1.03),
            (GIN, FASTIFY, Standing::Separated, 3.2, 3.41),
            (ACTIX, FASTIFY, Standing::Separated, 3.1, 3.3),
        ],
    );
    let told = "go/gin and rust/actix-web are not distinguishable";
    assert_eq!(said(&judgement), format!("{told}; both serve 3.1 to 3.4 times what js/fastify does."));
    for unknown in [None, Some(estimate(f64::NAN, f64::INFINITY))] {
        judgement.workloads[0].pairs[0].pairs.compared[2].ratio = unknown;
        assert_eq!(said(&judgement), format!("{told}."), "half of a hull says nothing");
    }
}

#[test]
fn many_at_the_top_are_not_all_named() {
    let names = ["a/a", "b/b", "c/c", "d/d", "e/e"];
    for (count, told) in [
        (3, "a/a, b/b and c/c are not distinguishable; a difference of 3.2 % would have been seen."),
        (4, "a/a, b/b, c/c and d/d are not distinguishable; a difference of 3.2 % would have been seen."),
        (5, "a/a, b/b and 3 others are not distinguishable; a difference of 3.2 % would have been seen."),
    ] {
        let ranks: Vec<(&str, u32, u32)> = names[..count].iter().map(|name| (*name, 1, 5)).collect();
        assert_eq!(said(&ranked(&ranks, &[("a/a", "b/b", Standing::Open, 0.9, 1.1)])), told);
    }
}

#[test]
fn one_alone_has_its_figure() {
    assert_eq!(said(&judged(&[GIN])), "Only go/gin is ranked: 40,000 requests/s ± 1.0 %.");
}

#[test]
fn who_served_more_without_a_rank_is_named() {
    let mut judgement = ranked(
        &[(ACTIX, 1, 1), (GIN, 1, 1), (FASTIFY, 2, 2), (RACK, 3, 3)],
        &[
            (GIN, FASTIFY, Standing::Separated, 1.05, 1.12),
            (GIN, RACK, Standing::Separated, 3.1, 3.4),
            (FASTIFY, RACK, Standing::Separated, 2.9, 3.1),
        ],
    );
    let workload = &mut judgement.workloads[0];
    workload.rows[0].state = RowState::NotRanked { cause: Cause::RanAlready { why: None } };
    workload.series[0].points[0].best = None;
    assert_eq!(
        said(&judgement),
        "go/gin is the fastest of those ranked: 1.05 to 1.12 times what js/fastify does, and 3.1 to 3.4 times what \
         ruby/rack does. rust/actix-web served more, but cannot be ranked."
    );
}

#[test]
fn what_no_run_ranks_is_not_promised_a_rank() {
    let promises = |external: &[&str], contenders: &[&str]| {
        let (mut file, windows) = run(contenders);
        file.settings.quick = true;
        let mut judgement = judge(&file, &windows);
        let rows = judgement.workloads[0].rows.iter_mut();
        rows.filter(|row| external.contains(&row.contender.as_str()))
            .for_each(|row| row.class = Class::Running);
        said(&judgement).contains("To rank them: ")
    };
    assert!(promises(&[], &[GIN]) && promises(&[GIN], &[GIN, RACK]) && promises(&[GIN, RACK], &[GIN, RACK]));
    assert!(!promises(&[GIN], &[GIN]));
}

#[test]
fn servers_that_ran_already_have_an_answer_of_their_own() {
    let mut judgement = ranked(
        &[(ACTIX, 1, 1), (GIN, 1, 1), (FASTIFY, 2, 2), (RACK, 2, 2)],
        &[(ACTIX, FASTIFY, Standing::Separated, 1.05, 1.12), (GIN, RACK, Standing::Separated, 3.1, 3.4)],
    );
    let workload = &mut judgement.workloads[0];
    for row in workload.rows.iter_mut().filter(|row| [GIN, RACK].contains(&row.contender.as_str())) {
        row.class = Class::Running;
    }
    assert_eq!(
        said(&judgement),
        "rust/actix-web serves 1.05 to 1.12 times what js/fastify does. Of the externally started servers, one launch each: \
         go/gin serves 3.1 to 3.4 times what ruby/rack does."
    );
    judgement.workloads[0].rows.iter_mut().for_each(|row| row.class = Class::Running);
    assert!(said(&judgement).starts_with("Of the externally started servers, one launch each: "));
}

/// Ranks that no comparison could give: nobody may be first, and so nothing is said.
#[test]
fn a_circle_has_no_answer() {
    let judgement = ranked(&[(GIN, 2, 2), (ACTIX, 2, 2)], &[]);
    assert_eq!(said(&judgement), "");
}

/// A judged run without ranks by goodput, but with these at 1,000 requests/s.
fn at_one_rate(ranks: &[(&str, u32)], compared: &[PairFigures<'_>]) -> Judgement {
    let mut judgement = judged(&ranks.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let workload = &mut judgement.workloads[0];
    for row in &mut workload.rows {
        row.state = RowState::NotRanked { cause: Cause::StatedRate { rate_per_s: 1000.0 } };
    }
    let point = |(contender, best): &(&str, u32)| SeriesPoint {
        contender: name(contender),
        estimate: estimate(19_000.0, 21_000.0),
        at_least: false,
        best: Some(*best),
        worst: Some(*best),
        over: None,
        reason: None,
    };
    let of = Figure::CpuAtOneRate;
    let under = LoadCondition::OpenLoop { rate_per_s: 1_000.0 };
    let points = ranks.iter().map(point).collect();
    workload.series = vec![Series { of, under, unit: Unit::Nanoseconds, better: Better::Less, points }];
    let turned =
        compared.iter().map(|(cheaper, dearer, state, low, high)| (*dearer, *cheaper, *state, *low, *high));
    let found = Pairs { could_have_seen_most: None, ..pairs(&turned.collect::<Vec<_>>()) };
    workload.pairs = vec![FigurePairs { of, under, pairs: found }];
    judgement
}

#[test]
fn without_ranks_by_goodput_those_at_one_rate_count() {
    let last = (GIN, RACK, Standing::Separated, 9.1, 10.2);
    assert_eq!(
        said(&at_one_rate(&[(GIN, 1), (RACK, 2)], &[last])),
        "At 1,000 requests/s go/gin uses least CPU time per request; ruby/rack uses 9.1 to 10.2 times as much."
    );
    assert_eq!(
        said(&at_one_rate(
            &[(GIN, 1), (FASTIFY, 2), (RACK, 3)],
            &[(GIN, FASTIFY, Standing::Separated, 1.42, 1.44), last]
        )),
        "At 1,000 requests/s go/gin uses least CPU time per request; js/fastify uses 1.42 to 1.44 times as much, \
         ruby/rack 9.1 to 10.2 times."
    );
    assert_eq!(
        said(&at_one_rate(&[(GIN, 1), (ACTIX, 1)], &[(GIN, ACTIX, Standing::Equal, 0.99, 1.02)])),
        "At 1,000 requests/s go/gin and rust/actix-web are equal within 4 % by CPU time per request: their ratio \
         lies within 0.99 to 1.02."
    );
    assert_eq!(
        said(&at_one_rate(&[(GIN, 1)], &[])),
        "At 1,000 requests/s only go/gin is ranked by CPU time per request."
    );
}

#[test]
fn of_several_rates_the_one_with_most_ranks_counts() {
    let mut judgement = at_one_rate(&[(GIN, 1), (RACK, 2)], &[(GIN, RACK, Standing::Separated, 9.1, 10.2)]);
    let series = &mut judgement.workloads[0].series;
    let under = LoadCondition::OpenLoop { rate_per_s: 5_000.0 };
    series.insert(0, Series { under, points: vec![series[0].points[1].clone()], ..series[0].clone() });
    assert!(said(&judgement).starts_with("At 1,000 requests/s go/gin uses least"), "{}", said(&judgement));
}

/// Tasks alone, with these ranks.
fn of_tasks(ranks: &[(&str, u32)], compared: &[PairFigures<'_>]) -> Judgement {
    let (mut file, _) = run(&[]);
    let tasks = ranks.iter().enumerate();
    let tasks = tasks.map(|(place, (name, _))| SimulatedTask::new(name, 9e6, 3.1e6 * (1.0 + place as f64)));
    SimulatedTask::add(&tasks.collect::<Vec<_>>(), &mut file, 5);
    file.plan = None;
    let mut judgement = judge(&file, &[]);
    let workload = &mut judgement.workloads[0];
    let steady = workload.series.iter_mut().find(|series| series.of == Figure::IterationSteady).unwrap();
    for (point, (_, best)) in steady.points.iter_mut().zip(ranks) {
        (point.best, point.worst) = (Some(*best), Some(*best));
        point.estimate = estimate(3.04e6, 3.16e6);
    }
    let (of, under) = (steady.of, steady.under);
    workload.pairs = vec![FigurePairs { of, under, pairs: pairs(compared) }];
    judgement
}

/// Of tasks the one above in time is the worse one.
#[test]
fn tasks_are_spoken_of_by_their_time() {
    let pair = ("csharp/program", "rust/program", Standing::Separated, 4.2, 4.6);
    assert_eq!(
        said(&of_tasks(&[("rust/program", 1), ("csharp/program", 2)], &[pair])),
        "rust/program takes least time for an iteration: 3.10 ms ± 1.9 %; csharp/program takes 4.2 to 4.6 times as long."
    );
    let equal = ("go/program", "rust/program", Standing::Open, 0.97, 1.02);
    assert_eq!(
        said(&of_tasks(
            &[("rust/program", 1), ("go/program", 1), ("csharp/program", 3)],
            &[pair, equal, ("csharp/program", "go/program", Standing::Separated, 4.3, 4.7)]
        )),
        "rust/program and go/program are not distinguishable by the time of an iteration; csharp/program takes 4.2 to \
         4.7 times as long."
    );
    assert_eq!(
        said(&of_tasks(&[("rust/program", 1)], &[])),
        "Only rust/program is ranked by the time of an iteration: 3.10 ms ± 1.9 %."
    );
}

/// Bursts beside servers whose goodput is not ranked.
fn of_bursts(add: impl Fn(&mut RunFile, &mut Vec<Window>)) -> Judgement {
    let (mut file, mut windows) = run(&[GIN, RACK]);
    add(&mut file, &mut windows);
    let mut judgement = judge(&file, &windows);
    let workload = &mut judgement.workloads[0];
    workload.rows.clear();
    workload.series.retain(|series| series.of != Figure::Goodput);
    workload.pairs.clear();
    judgement
}

#[test]
fn the_largest_burst_has_a_shortest_and_a_longest() {
    let judgement = of_bursts(|file, windows| {
        for (contender, at_a_time) in [(RACK, 4), (GIN, 1_000)] {
            for burst in [SimulatedBurst::new(40, at_a_time), SimulatedBurst::new(400, at_a_time)] {
                burst.add_to(file, windows, &name(contender), 1..=2);
                burst.as_ab().add_to(file, windows, &name(contender), 1..=2);
            }
            SimulatedBurst::sweep(2_000, at_a_time).add_to(file, windows, &name(contender), 1..=1);
        }
    });
    assert_eq!(
        said(&judgement),
        "400 requests that wait 1 s each, over 40 connections: go/gin takes 10.0 s, ruby/rack 100 s."
    );
}

#[test]
fn a_burst_with_a_fault_is_not_the_longest() {
    let judgement = of_bursts(|file, windows| {
        for (contender, at_a_time) in [(RACK, 4), (GIN, 1_000)] {
            SimulatedBurst::new(400, at_a_time).as_ab().add_to(file, windows, &name(contender), 1..=1);
        }
        for window in windows.iter_mut().filter(|window| window.burst().is_some()) {
            window.outcomes.timeout = u64::from(window.contender == name(RACK));
        }
    });
    assert_eq!(
        said(&judgement),
        "400 requests that wait 1 s each, as ab sends them, over 40 connections: go/gin takes 11.0 s."
    );
}

#[test]
fn without_ranks_the_reason_comes_first() {
    let (mut file, windows) = run(&[GIN, RACK]);
    file.settings.quick = true;
    let told = said(&judge(&file, &windows));
    assert_eq!(
        told,
        "No ranks: quick look. Seen: from 20,000 requests/s (ruby/rack) to 40,000 (go/gin). To rank them: velo run coin"
    );
    assert_eq!(said(&judge(&file, &[])), "No ranks: quick look. To rank them: velo run coin");
    SimulatedTask::add(&[SimulatedTask::new("rust/program", 9e6, 3.1e6)], &mut file, 5);
    file.contenders.retain(|record| record.manifest.role == Role::Task);
    let told = said(&judge(&file, &[]));
    assert_eq!(
        told,
        "No ranks: quick look. Seen: 3.08 ms for an iteration (rust/program). To rank them: velo run coin"
    );
}

#[test]
fn rows_without_ranks_are_counted_by_their_cause() {
    let (file, _) = run(&[GIN, ACTIX, RACK]);
    let mut judgement = judge(&file, &[]);
    let reason = "maven is missing".to_owned();
    judgement.workloads[0].rows[2].state = RowState::Skipped { reason, cure: None };
    assert_eq!(said(&judgement), "No ranks: 2 not measured, 1 skipped.");
}

#[test]
fn tasks_may_be_ranked_where_servers_are_not() {
    let (mut file, windows) = run(&[GIN, RACK]);
    file.plan.as_mut().unwrap().launches = 4;
    SimulatedTask::add(&[SimulatedTask::new("rust/program", 9e6, 3.1e6)], &mut file, 5);
    let told = said(&judge(&file, &windows));
    assert!(
        told.starts_with("No ranks of servers: 4 launches planned, and ranks need 5. Seen: from"),
        "{told}"
    );
    assert!(told.contains(" Only rust/program is ranked by the time of an iteration: 3.08 ms ± "), "{told}");
}

#[test]
fn what_came_from_outside_is_cleaned() {
    let mut judgement = judged(&[GIN]);
    judgement.workloads[0].rows.clear();
    judgement.workloads[0].series.clear();
    let recorded = "\x1b[31mred\nline".to_owned();
    judgement.nothing_ranked = Some(NothingRanked::Plan { recorded });
    assert_eq!(said(&judgement), "No ranks: red line.");
}
