//! Single calls: figures by condition and phase, what makes them worth nothing, claims over conditions, the hours that people wait.

use velo_fixtures::{Simulated, SimulatedCalls, Simulation};
use velo_judge::compare::{Change, ChangeState, ComparedRuns, Snapshot, contenders, parse_conditions, runs};
use velo_judge::{CallRow, CallTable, Holds, Judgement, Standing, judge};
use velo_model::{
    Bound, CallCondition, Claim, ClaimFigure, Class, ContenderName, Figure, LoadCondition, PublishedFigure,
    PublishedRow, Side, Subject,
};
use velo_record::{CallBlock, CallRecord, ContenderState, CostQuestion, RunFile, RunState, Window};

const MS: u64 = 1_000_000;
const LAUNCHES: u32 = 5;
const CALLS: u32 = 8;

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn condition(text: &str) -> CallCondition {
    text.parse().unwrap()
}

fn load(text: &str) -> Option<LoadCondition> {
    Some(LoadCondition::Call { condition: condition(text) })
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
        let pairs = judgement.workloads[0]
            .pairs_by(Figure::Call, Some(LoadCondition::Call { condition: under.condition }))
            .expect("pairs");
        assert_eq!((pairs.compared.len(), pairs.separated), (1, 1));
    }
    let quick = judged(|file| file.settings.quick = true);
    assert!(quick.workloads[0].pairs.is_empty(), "a smoke run compares nobody");
}

#[test]
fn the_published_sum() {
    // 3 ms more x 1,000 calls x 10,000 users.
    let judgement = judged(|_| {});
    let slow = row(&judgement, "go/net-http", CONDITIONS[2]);
    assert!(slow.extra_hours_per_year.is_some_and(|hours| (hours - 8.33).abs() < 0.05), "{slow:?}");
    assert_eq!(row(&judgement, "rust/actix-web", CONDITIONS[2]).extra_hours_per_year, Some(0.0));
    let reference = judged(|file| {
        let first =
            file.contenders.iter_mut().find(|record| record.manifest.name.as_str() == "rust/actix-web");
        first.expect("it is there").manifest.class = Class::Reference;
    });
    let none_faster = row(&reference, "go/net-http", CONDITIONS[2]).extra_hours_per_year;
    assert_eq!(none_faster, Some(0.0), "nobody can choose the reference");
    assert_eq!(row(&reference, "rust/actix-web", CONDITIONS[2]).extra_hours_per_year, None);
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
    assert!(all.workloads[0].pairs.iter().all(|own| own.of != Figure::Call));
    let found = &all.workloads[0].claims[0];
    assert_eq!((found.holds, found.measured), (Holds::CannotBeTold, None));
}

fn claim(file: &mut RunFile, [over, under]: [&str; 2], bound: Bound) {
    let side =
        |contender: &str| Side { workload: file.workloads[0].name.clone(), contender: name(contender) };
    let claim = Claim {
        says: "the gain is HTTP/2's".to_owned(),
        figure: ClaimFigure::call(condition(over), condition(under)),
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
            not_measured: None,
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
    let conditions = table(&nothing_else).conditions.len();
    assert_eq!(nothing_else.workloads[0].pairs.len(), conditions, "but calls compare");
}

/// A run in which the second contender takes so long for a request.
fn snapshot_with(work_ns: u64, change: impl FnOnce(&mut RunFile)) -> Snapshot {
    let (mut file, windows) = run();
    file.calls.clear();
    let all = [SimulatedCalls::new("rust/actix-web", MS), SimulatedCalls::new("go/net-http", work_ns)];
    SimulatedCalls::add(&all, &mut file, &CONDITIONS.map(condition), LAUNCHES, CALLS);
    change(&mut file);
    Snapshot::of(&file, &windows)
}

fn change_of<'c>(
    compared: &'c ComparedRuns,
    contender: &str,
    figure: Figure,
    of: &str,
) -> Option<&'c Change> {
    compared.changes.iter().find(|change| {
        change.contender.as_str() == contender && change.figure == figure && change.load == load(of)
    })
}

#[test]
fn two_runs_are_compared_call_by_call_and_phase_by_phase() {
    let before = snapshot_with(4 * MS, |_| {});
    let after = snapshot_with(24 * MS, |_| {});
    let compared = runs(&before, &after, &parse_conditions("calls:3%,goodput:3%").unwrap()).unwrap();
    for of in CONDITIONS {
        let slower = change_of(&compared, "go/net-http", Figure::Call, of).unwrap();
        assert_eq!((slower.state, slower.doubt.as_ref()), (ChangeState::Worse, None), "{slower:?}");
        assert!((slower.after.value - slower.before.value - 20e6).abs() < 0.1e6, "{slower:?}");
        let (low, high) = slower.ratio.interval().unwrap();
        assert!(low < slower.ratio.value && slower.ratio.value < high && low > 1.03, "{slower:?}");
        let answer = change_of(&compared, "go/net-http", Figure::CallFirstByte, of).unwrap();
        assert_eq!(answer.state, ChangeState::Worse, "it is the server's own time");
        let same = change_of(&compared, "rust/actix-web", Figure::Call, of).unwrap();
        assert_eq!((same.state, same.ratio.value), (ChangeState::Open, 1.0));
    }
    let connect = change_of(&compared, "go/net-http", Figure::CallConnect, CONDITIONS[0]).unwrap();
    assert_eq!(connect.state, ChangeState::Open, "opening TCP took as long as before");
    assert!(change_of(&compared, "go/net-http", Figure::CallConnect, CONDITIONS[2]).is_none(), "kept");
    let [calls, goodput] = [&compared.conditions[0], &compared.conditions[1]];
    assert_eq!(calls.holds, Holds::DoesNotHold);
    let broken: Vec<_> =
        calls.breaches.iter().map(|breach| (breach.contender.as_str(), breach.load)).collect();
    assert_eq!(broken, CONDITIONS.map(|of| ("go/net-http", load(of))), "each condition once");
    assert!(goodput.breaches.is_empty(), "{goodput:?}");
    let read = Snapshot::from_json(before.to_json().as_bytes()).unwrap();
    assert_eq!(read, before, "a snapshot holds the calls");
}

#[test]
fn runs_of_calls_alone_compare_and_a_quick_one_gives_no_verdict() {
    let only = |work_ns, quick| {
        let (mut file, _) = run();
        (file.plan, file.settings.quick) = (None, quick);
        file.calls.clear();
        let all = [SimulatedCalls::new("go/net-http", work_ns)];
        SimulatedCalls::add(&all, &mut file, &CONDITIONS.map(condition), LAUNCHES, CALLS);
        Snapshot::of(&file, &[])
    };
    let compared = runs(&only(4 * MS, false), &only(24 * MS, false), &[]).unwrap();
    let of = |compared: &ComparedRuns| {
        change_of(compared, "go/net-http", Figure::Call, CONDITIONS[2]).cloned().unwrap()
    };
    assert_eq!((of(&compared).state, of(&compared).doubt), (ChangeState::Worse, None));
    let quick = runs(&only(4 * MS, false), &only(24 * MS, true), &[]).unwrap();
    assert_eq!((of(&quick).state, of(&quick).p_holm), (ChangeState::Open, None));
    assert!(of(&quick).doubt.is_some());
}

#[test]
fn calls_that_went_wrong_afterwards_break_the_condition() {
    let before = snapshot_with(4 * MS, |_| {});
    let after = snapshot_with(4 * MS, |file| block(file, CONDITIONS[0]).wrong_answers = 1);
    let compared = runs(&before, &after, &parse_conditions("calls:3%").unwrap()).unwrap();
    assert!(change_of(&compared, "rust/actix-web", Figure::Call, CONDITIONS[0]).is_none());
    let lost: Vec<_> = compared.not_compared.iter().filter(|one| one.is_lost).collect();
    assert!(lost.iter().all(|one| one.load == load(CONDITIONS[0])), "{lost:?}");
    let breaches = &compared.conditions[0].breaches;
    assert_eq!(breaches.len(), 1);
    assert_eq!((breaches[0].contender.as_str(), breaches[0].figure), ("rust/actix-web", None));
    assert!(breaches[0].reason.as_ref().is_some_and(|reason| reason.contains("wrong")), "{breaches:?}");
}

#[test]
fn the_published_sum_is_had_of_any_two_contenders() {
    let (mut file, windows) = run();
    let names = ["go/net-http", "rust/actix-web"].map(name);
    let compared = contenders(&file, &windows, &names).unwrap();
    let [waiting] = compared.waiting.as_slice() else { panic!("{:?}", compared.waiting) };
    assert_eq!((waiting.of.users, waiting.of.calls_per_user_per_year), (10_000, 1_000));
    let found: Vec<String> = waiting.pairs.iter().map(|pair| pair.call.to_string()).collect();
    assert_eq!(found, CONDITIONS, "each condition once");
    for pair in &waiting.pairs {
        // 3 ms more x 1,000 calls x 10,000 users.
        assert!((pair.more_hours - 8.33).abs() < 0.05, "{pair:?}");
        assert!((pair.over_hours - pair.under_hours - pair.more_hours).abs() < 1e-9);
        let (low, high) = pair.interval().unwrap();
        assert!(low <= pair.more_hours && pair.more_hours <= high, "{pair:?}");
        // What launches did to both cancels, so that it is narrower than the hours of either.
        assert!(high - low < 0.05, "{pair:?}");
    }
    let pairs = compared.pairs.iter().filter(|pair| pair.figure == Figure::Call);
    assert!(pairs.clone().count() == 4 && pairs.clone().all(|pair| pair.state == Some(Standing::Separated)));
    let names = ["rust/actix-web", "go/net-http"].map(name);
    file.settings.cost = Some(CostQuestion {
        users: Some(10),
        calls_per_user_per_year: Some(1_000_000),
        ..CostQuestion::default()
    });
    let turned = contenders(&file, &windows, &names).unwrap();
    assert!((turned.waiting[0].pairs[0].more_hours + 8.33).abs() < 0.05, "less with the first");
}

#[test]
fn a_wait_for_a_delayed_acknowledgement_is_seen() {
    let judgement = judged(|file| {
        let own = |block: &&mut CallBlock| {
            block.contender.as_str() == "rust/actix-web" && block.condition == condition(CONDITIONS[0])
        };
        for block in file.calls.iter_mut().filter(own) {
            // A round trip more, and the 40 ms.
            block.calls.iter_mut().for_each(|call| {
                call.first_byte_ns += 140 * MS;
                call.link_round_trips = Some(4);
            });
        }
    });
    let held_back = |contender, of| row(&judgement, contender, of).held_back_ns;
    let ns = held_back("rust/actix-web", CONDITIONS[0]).expect("it waited");
    assert!((ns - 41e6).abs() < 0.5e6, "40 ms and the handshake's own: {ns}");
    assert_eq!(held_back("rust/actix-web", CONDITIONS[1]), None);
    assert!(CONDITIONS.iter().all(|of| held_back("go/net-http", of).is_none()));
}
