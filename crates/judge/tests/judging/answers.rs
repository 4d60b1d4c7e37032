//! Rows that are not ranked for what they answered.

use crate::common::{ranks, row};
use crate::{cause, judged, of, three};
use velo_judge::{Judgement, Kind};
use velo_record::{Outcomes, WindowKind};

#[test]
fn one_wrong_answer_in_any_window_makes_a_row_invalid() {
    for kind in [WindowKind::Cold, WindowKind::Block] {
        let judgement = judged(&three(), |_, windows| {
            let window = of(windows, "go/net-http").find(|window| window.kind() == kind).unwrap();
            window.outcomes.wrong_answer = 1;
            window.wrong_examples = vec!["status 200, body `{}`".to_owned()];
        });
        let (cause, reason) = cause(&judgement, "go/net-http");
        assert_eq!(cause, "wrong-answers");
        assert!(
            reason.starts_with("wrong answers: 1 of ") && reason.ends_with("such as status 200, body `{}`")
        );
        let go = row(&judgement, "go/net-http");
        assert!(go.against_baseline.is_none());
        assert!(go.verdicts.iter().any(|verdict| verdict.kind == Kind::Error));
        assert_eq!(judgement.answers.wrong_answer, 1);
        assert_eq!(ranks(&judgement, "js/fastify"), (1, 1));
    }
}

#[test]
fn an_unfair_coin_makes_a_row_invalid() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            let draws = &mut window.coin.as_mut().unwrap().draws;
            *draws = [[0, draws[0][0] + draws[0][1]], [0, draws[1][0] + draws[1][1]]];
        }
    });
    let (cause, reason) = cause(&judgement, "go/net-http");
    assert_eq!(cause, "unfair-coin");
    assert!(reason.starts_with("the coin is not fair: draws true 100.0 %"), "{reason}");
    assert_eq!(ranks(&judgement, "js/fastify"), (1, 1), "fair coins stay");
}

/// A judged run in which this share of the requests to one contender, in thousandths, failed in some way.
fn with_failures(of_each_thousand: f64, class: fn(&mut Outcomes) -> &mut u64) -> Judgement {
    judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            let all = window.all().correct;
            *class(&mut window.outcomes) = (all as f64 * of_each_thousand / 1000.0).ceil() as u64;
        }
    })
}

#[test]
fn failures_above_one_in_a_thousand_unrank_and_below_warn() {
    let many = with_failures(2.0, |outcomes| &mut outcomes.closed_by_server);
    let (cause, reason) = cause(&many, "go/net-http");
    assert!(cause == "failures" && reason.contains("closed by the server"), "{reason}");
    let few = with_failures(0.3, |outcomes| &mut outcomes.closed_by_server);
    assert_eq!(ranks(&few, "go/net-http"), (1, 1));
    assert!(row(&few, "go/net-http").verdicts.iter().any(|verdict| verdict.kind == Kind::Warning));
}

#[test]
fn what_failed_while_settling_unranks_as_what_failed_in_a_window_does() {
    let outside = |class: fn(&mut Outcomes) -> &mut u64| {
        judged(&three(), |_, windows| {
            of(windows, "go/net-http").for_each(|window| *class(&mut window.outside) = 40);
        })
    };
    assert_eq!(cause(&outside(|outcomes| &mut outcomes.wrong_answer), "go/net-http").0, "wrong-answers");
    assert_eq!(cause(&outside(|outcomes| &mut outcomes.closed_by_server), "go/net-http").0, "failures");
}

#[test]
fn a_request_that_never_got_its_answer_unranks() {
    let (cause, reason) = cause(&with_failures(0.01, |outcomes| &mut outcomes.timeout), "go/net-http");
    assert!(cause == "failures" && reason.contains("without an answer in time"), "{reason}");
}
