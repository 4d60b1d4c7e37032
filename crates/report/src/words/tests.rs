use velo_judge::{Fairness, Finding, IdleCause, Starved, StatedRate};
use velo_model::Figure;
use velo_record::RatePurpose;

use super::sentence;

#[track_caller]
fn says(finding: Finding, expected: &str) {
    assert_eq!(sentence(&finding), expected);
}

#[test]
fn requests() {
    says(Finding::WrongAnswers { answers: 1, share: 0.25 }, "1 wrong answer (25 % of all)");
    says(Finding::WrongAnswers { answers: 3, share: 0.012 }, "3 wrong answers (1.2 % of all)");
    let percentiles = vec!["p99".to_owned(), "p99.9".to_owned()];
    says(
        Finding::ServiceTimeSamples { percentiles },
        "not enough samples of service time for p99 (needs 1,000), p99.9 (needs 10,000)",
    );
}

#[test]
fn why_connections_were_idle() {
    let idle = |cause| Finding::ConnectionsIdle { busy_share: 0.9, cause };
    let unserved = |answered, open| idle(IdleCause::Unserved { answered, open, asked: 64 });
    let said = |cause: &str| format!("only 90 % of the connections were kept busy: {cause}");
    says(unserved(Some(1), None), &said("1 of 64 ever got an answer, though all were open"));
    says(unserved(Some(1), Some(2)), &said("1 of 64 ever got an answer, 2 were open at the end"));
    says(unserved(None, Some(9)), &said("9 of 64 were open at the end"));
    says(idle(IdleCause::Reopening), &said("the others were being opened again"));
    says(idle(IdleCause::AfterFailures), &said("after failures there is a pause"));
    says(idle(IdleCause::GeneratorHeldBack), &said("the generator held back"));
}

#[test]
fn connections() {
    let reopened = |times, each_answers| Finding::ConnectionsReopened { times, each_answers };
    says(
        reopened(500, 1),
        "the server closed connections, which were opened again 500 times, once for each answer: what that costs is in the figures",
    );
    says(
        reopened(500, 100),
        "the server closed connections, which were opened again 500 times, once for each 100 answers: what that costs is in the figures",
    );
    let fairness = Fairness {
        jains_index: 0.984,
        processes: Some(2),
        connections_per_process: Some(32.0),
        starved: vec![Starved { launch: Some(1), connection: 7, completions: 0 }],
    };
    says(
        Finding::ConnectionsStarved { fairness, below_share: 0.1 },
        "1 connection got under 10 % of the median: 7 in launch 1 (Jain's index 0.98, 2 processes with 32.0 connections each)",
    );
}

#[test]
fn rates() {
    let at = StatedRate { purpose: RatePurpose::Share { percent: 50 }, rate_per_s: 24_000.0 };
    says(
        Finding::NeverSent { at: Some(at), requests: 1, cause: None },
        "at 50 % of its highest rate (24,000/s) 1 request was due but never sent",
    );
    let common = Some(StatedRate { purpose: RatePurpose::CommonRate, ..at });
    says(
        Finding::SendLag { at: common, p99_ns: 481_000, closed_loop: false },
        "at the common rate (24,000/s) p99 send lag 481 µs, included in response times",
    );
    says(
        Finding::SendLag { at: None, p99_ns: 481_000, closed_loop: true },
        "p99 send lag 481 µs, left out of service times",
    );
    let rates =
        vec![RatePurpose::CommonRate, RatePurpose::Curve { point: 0 }, RatePurpose::Curve { point: 1 }];
    says(
        Finding::RatesDropped { rates },
        "all windows were in disturbed blocks and are dropped: those at the common rate, 2 points of the curve",
    );
}

#[test]
fn figures_that_did_not_hold_still() {
    says(
        Finding::Trend { figure: Figure::CpuPerRequest, change_share: -0.31 },
        "CPU time per request fell by 31 % from the first to the last third of a launch",
    );
    says(
        Finding::TrendUnknown { figure: Figure::Goodput, within_share: 0.02 },
        "goodput drift within launches not bounded to 2.0 %",
    );
}

#[test]
fn generators_and_machines() {
    says(
        Finding::GeneratorUnresolved { slowed_ns: 500, within_share: 0.02 },
        "generator headroom test inconclusive (+0.5 µs per request, resolution 2.0 %)",
    );
    says(
        Finding::OthersUnknown { steal: true, others: true },
        "unknown: how much CPU time the hypervisor stole and others used",
    );
    says(
        Finding::WarmUpNotSteady { launches: 2, of: 5 },
        "the warm-up ended at its cap, not steady, in 2 of 5 launches; --warm-up TIME gives it longer",
    );
}

#[test]
fn a_launch_unlike_the_others() {
    let apart = |figure, launches: &[u32], change_share| Finding::LaunchesApart {
        figure,
        launches: launches.to_vec(),
        of: 8,
        change_share,
    };
    says(
        apart(Figure::Goodput, &[3], -0.28),
        "1 of 8 launches had 28 % less goodput than the others: launch 3",
    );
    says(
        apart(Figure::CpuPerRequest, &[1, 3], 0.5),
        "2 of 8 launches had up to 50 % more CPU time per request than the others: launch 1, 3",
    );
}
