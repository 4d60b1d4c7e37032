//! Single calls: figures by condition and phase, what makes them worth nothing, claims over conditions, the hours that people wait.

use velo_fixtures::{Simulated, SimulatedCalls, Simulation};
use velo_judge::{CallRow, CallTable, Holds, Judgement, judge};
use velo_record::{CallBlock, CallRecord, ContenderState, CostQuestion, RunFile, RunState, Window};
use velo_spec::{
    Bound, CallCondition, Claim, ContenderName, Figure, PublishedFigure, PublishedRow, Side, Subject,
};

const MS: u64 = 1_000_000;
const LAUNCHES: u32 = 5;
const CALLS: u32 = 8;

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn condition(text: &str) -> CallCondition {
    text.parse().unwrap()
}

const CONDITIONS: [&str; 4] =
    ["https1 new tls1.3 100ms", "h2 new tls1.3 100ms", "h2 kept tls1.3 100ms", "h2 resumed tls1.3 100ms"];

fn call(condition: &CallCondition, work_ns: u64) -> CallRecord {
    SimulatedCalls::call(condition, work_ns)
}

/// The first takes 1 ms for a request, the second 4 ms; launches differ by some microseconds.
fn run() -> (RunFile, Vec<Window>) {
    let (mut file, windows) = Simulation::new(vec![
        Simulated::new("rust/actix-web", 20_000.0),
        Simulated::new("go/net-http", 18_000.0),
    ])
    .run();
    let all = [SimulatedCalls::new("rust/actix-web", MS), SimulatedCalls::new("go/net-http", 4 * MS)];
    SimulatedCalls::add(&all, &mut file, &CONDITIONS.map(condition), LAUNCHES, CALLS);
    (file, windows)
}

fn judged(change: impl FnOnce(&mut RunFile)) -> Judgement {
    let (mut file, windows) = run();
    change(&mut file);
    judge(&file, &windows)
}

#[test]
fn a_run_of_calls_alone_has_no_rows_of_servers_that_nobody_loaded() {
    let (mut file, _) = run();
    file.plan = None;
    let judgement = judge(&file, &[]);
    assert!(judgement.workloads[0].rows.is_empty() && !table(&judgement).conditions.is_empty());
    file.contenders[1].state =
        ContenderState::Skipped { reason: "no toolchain".to_owned(), cure: Some("install it".to_owned()) };
    let rows = &judge(&file, &[]).workloads[0].rows;
    assert_eq!(rows.iter().map(|row| row.contender.as_str()).collect::<Vec<_>>(), ["go/net-http"]);
}

fn table(judgement: &Judgement) -> &CallTable {
    judgement.workloads[0].calls.as_ref().expect("calls")
}

fn row<'j>(judgement: &'j Judgement, contender: &str, of: &str) -> &'j CallRow {
    let under = table(judgement).conditions.iter().find(|under| under.condition == condition(of)).unwrap();
    under.rows.iter().find(|row| row.contender.as_str() == contender).unwrap()
}

/// The block of a contender in the first launch under the first condition.
fn block<'f>(file: &'f mut RunFile, of: &str) -> &'f mut CallBlock {
    let is_it = |block: &&mut CallBlock| {
        block.contender.as_str() == "rust/actix-web" && block.condition == condition(of)
    };
    file.calls.iter_mut().find(is_it).unwrap()
}

#[test]
fn figures_are_phases_that_add_up() {
    let judgement = judged(|_| {});
    let conditions: Vec<String> =
        table(&judgement).conditions.iter().map(|under| under.condition.to_string()).collect();
    assert_eq!(conditions, CONDITIONS, "in the order of the workload");
    let new = row(&judgement, "rust/actix-web", CONDITIONS[0]);
    assert_eq!((new.launches, new.calls, new.fault.as_ref()), (5, 40, None));
    let whole = new.whole_ns.unwrap();
    let phases = [new.connect_ns, new.handshake_ns, new.first_byte_ns, new.rest_ns].map(Option::unwrap);
    assert!((phases.iter().sum::<f64>() - whole.value).abs() < 1e-3 * whole.value, "{phases:?} {whole:?}");
    assert!(whole.interval().is_some_and(|(low, high)| low < whole.value && whole.value < high));
    assert!((whole.value - 302.02e6).abs() < 0.1e6, "{whole:?}");
    assert_eq!(new.link_round_trips.map(|trips| (trips.least, trips.most)), Some((3, 3)));
    assert_eq!((new.link_bytes, new.segments), (Some((1_100, 2_300)), Some((7, 6))));
    assert_eq!(new.agreed.as_deref(), Some("TLSv1.3, http/1.1"));
    assert!(new.cold_ns.is_some_and(|cold| cold.value > 345e6));
    let kept = row(&judgement, "rust/actix-web", CONDITIONS[2]);
    assert_eq!((kept.connect_ns, kept.handshake_ns, kept.cold_ns), (None, None, None));
    assert_eq!(row(&judgement, "rust/actix-web", CONDITIONS[3]).resumed, 40);
}

#[test]
fn contenders_are_told_apart_and_the_shortest_comes_first() {
    let judgement = judged(|_| {});
    for under in &table(&judgement).conditions {
        assert_eq!(under.rows[0].contender.as_str(), "rust/actix-web");
        let pairs = under.pairs.as_ref().expect("pairs");
        assert_eq!((pairs.compared.len(), pairs.separated), (1, 1));
    }
    let quick = judged(|file| file.settings.quick = true);
    assert!(
        table(&quick).conditions.iter().all(|under| under.pairs.is_none()),
        "a smoke run compares nobody"
    );
}

#[test]
fn the_published_sum() {
    // 3 ms more x 1,000 calls x 10,000 users.
    let judgement = judged(|_| {});
    let slow = row(&judgement, "go/net-http", CONDITIONS[2]);
    assert!(slow.extra_hours_per_year.is_some_and(|hours| (hours - 8.33).abs() < 0.05), "{slow:?}");
    assert_eq!(row(&judgement, "rust/actix-web", CONDITIONS[2]).extra_hours_per_year, Some(0.0));
    let asked = judged(|file| {
        file.settings.cost = Some(CostQuestion {
            users: Some(1),
            calls_per_user_per_year: Some(36_000),
            ..CostQuestion::default()
        });
    });
    let hours = row(&asked, "rust/actix-web", CONDITIONS[2]).waiting_hours_per_year.unwrap();
    assert!((hours - 1.01).abs() < 0.01, "{hours}");
}

/// What is wrong with a contender's calls, in words.
fn fault(change: impl FnOnce(&mut CallBlock)) -> String {
    let judgement = judged(|file| change(block(file, CONDITIONS[0])));
    let row = row(&judgement, "rust/actix-web", CONDITIONS[0]);
    assert!(!row.is_comparable() && row.waiting_hours_per_year.is_none());
    row.fault.as_ref().expect("a fault").to_string()
}

#[test]
fn a_wrong_answer_is_never_a_time() {
    let words = fault(|block| {
        block.wrong_answers = 1;
        block.wrong_examples = vec!["status 500".to_owned()];
    });
    assert_eq!(words, "1 of 41 answers wrong, such as \"status 500\"");
    assert_eq!(fault(|block| block.failed = 2), "2 of 42 calls without an answer");
    let ended = fault(|block| block.ended_early = Some("it ended (exit status: 1)".to_owned()));
    assert_eq!(ended, "launch 1: it ended (exit status: 1)");
}

#[test]
fn what_cannot_be_is_no_figure() {
    for (phase, change) in [
        ("connecting", (|call| call.connect_ns = Some(99 * MS)) as fn(&mut CallRecord)),
        ("the TLS handshake", |call| call.handshake_ns = Some(MS)),
        ("the first byte", |call| call.first_byte_ns = 99_999_999),
    ] {
        let words = fault(|block| change(&mut block.calls[3]));
        assert!(words.starts_with(&format!("{phase} took ")), "{words}");
        assert!(words.ends_with("less than the link's round trip of 100 ms"), "{words}");
    }
    let other = fault(|block| block.calls[0].tls.as_mut().unwrap().version = "TLSv1.2".to_owned());
    assert_eq!(other, "agreed on TLSv1.2, and TLSv1.3 was offered");
}

#[test]
fn calls_that_are_not_as_the_condition_says_do_not_count() {
    // A kept connection that was opened anew once.
    let once = judged(|file| block(file, CONDITIONS[2]).calls[0] = call(&condition(CONDITIONS[1]), MS));
    let kept = row(&once, "rust/actix-web", CONDITIONS[2]);
    assert_eq!((kept.unlike, kept.fault.as_ref(), kept.connect_ns), (1, None, None));
    let never = judged(|file| {
        for block in &mut file.calls {
            let resumed = condition(CONDITIONS[3]);
            if block.condition == resumed {
                block.calls = (0..CALLS).map(|_| call(&condition(CONDITIONS[1]), MS)).collect();
            }
        }
    });
    let resumed = row(&never, "rust/actix-web", CONDITIONS[3]);
    assert_eq!(
        resumed.fault.as_ref().map(ToString::to_string).as_deref(),
        Some("resumes no TLS sessions: 0 of 40 calls did")
    );
}

#[test]
fn launches_in_which_others_were_busy_do_not_count() {
    let some = judged(|file| block(file, CONDITIONS[0]).others_share = Some(0.5));
    let row_of_some = row(&some, "rust/actix-web", CONDITIONS[0]);
    assert_eq!((row_of_some.launches, row_of_some.dropped), (4, 1));
    assert!(row_of_some.is_comparable());
    let all = judged(|file| {
        file.calls.iter_mut().for_each(|block| block.steal_share = Some(0.2));
        claim(file, [CONDITIONS[1], CONDITIONS[0]], Bound { low: Some(0.9), high: None });
    });
    let disturbed = row(&all, "rust/actix-web", CONDITIONS[0]);
    assert!(disturbed.counts_disturbed && disturbed.has_figures() && !disturbed.is_comparable());
    assert_eq!((disturbed.launches, disturbed.dropped), (5, 0), "figures are of all launches, and marked");
    let words = disturbed.fault.as_ref().map(ToString::to_string);
    assert_eq!(words.as_deref(), Some("others took CPU time in 5 of 5 launches"));
    assert!(table(&all).conditions.iter().all(|under| under.pairs.is_none()));
    let found = &all.workloads[0].claims[0];
    assert_eq!((found.holds, found.measured), (Holds::CannotBeTold, None));
}

fn claim(file: &mut RunFile, [over, under]: [&str; 2], bound: Bound) {
    let side =
        |contender: &str| Side { workload: file.workloads[0].name.clone(), contender: name(contender) };
    let claim = Claim {
        says: "the gain is HTTP/2's".to_owned(),
        figure: Figure::Call { over: condition(over), under: condition(under) },
        subject: Subject::Ratio(side("rust/actix-web"), side("rust/actix-web")),
        printed: Some(0.56),
        bound,
    };
    file.workloads[0].claims = vec![claim];
}

#[test]
fn claims_compare_a_contender_with_itself_under_two_conditions() {
    let bound = Bound { low: Some(0.39), high: Some(0.73) };
    for (calls, holds, value) in [
        ([CONDITIONS[1], CONDITIONS[0]], Holds::DoesNotHold, 1.0),
        ([CONDITIONS[2], CONDITIONS[0]], Holds::DoesNotHold, 0.334),
    ] {
        let judgement = judged(|file| claim(file, calls, bound));
        let found = &judgement.workloads[0].claims[0];
        assert_eq!(found.holds, holds, "{found:?}");
        assert!(found.measured.is_some_and(|measured| (measured.value - value).abs() < 0.002), "{found:?}");
    }
    let partial = judged(|file| {
        claim(file, [CONDITIONS[1], CONDITIONS[0]], bound);
        file.state = RunState::Interrupted;
    });
    assert_eq!(partial.workloads[0].claims[0].holds, Holds::CannotBeTold);
    let absent = judged(|file| claim(file, ["http1 kept", CONDITIONS[0]], bound));
    let reason = absent.workloads[0].claims[0].reason.as_ref().map(ToString::to_string);
    assert_eq!(reason.as_deref(), Some("rust/actix-web was not called under http1 kept in this run"));
}

#[test]
fn a_published_call_stands_beside_the_one_measured_here() {
    let judgement = judged(|file| {
        file.workloads[0].published = vec![PublishedRow {
            row: "REST".to_owned(),
            contender: Some(name("rust/actix-web")),
            figure: PublishedFigure::Call { ms: 182.0, condition: condition(CONDITIONS[0]) },
        }];
    });
    let published = &judgement.workloads[0].published[0];
    assert_eq!(published.there, Some(182.0));
    assert!(published.here.is_some_and(|here| (here.value - 302.0).abs() < 0.2), "{published:?}");
}

#[test]
fn a_run_without_calls_has_no_table() {
    let judgement = judged(|file| file.calls.clear());
    assert!(judgement.workloads[0].calls.is_none());
    let nothing_else = {
        let (mut file, _) = run();
        file.plan = None;
        judge(&file, &[])
    };
    let reason = nothing_else.nothing_ranked.as_ref().map(ToString::to_string);
    assert_eq!(reason.as_deref(), Some("only single calls were made"));
    assert!(table(&nothing_else).conditions.iter().all(|under| under.pairs.is_some()), "but calls compare");
}
