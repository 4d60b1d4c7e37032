//! Connections that were left idle, opened again, or starved.

use crate::common::row;
use crate::{judged, of, three};
use velo_judge::{Check, Finding, IdleCause, Kind, RowState};
use velo_record::Window;

/// In flight on a few of 64 connections only, as with a server that takes one connection at a time.
#[test]
fn connections_that_the_contender_left_idle_are_not_blamed_on_the_generator() {
    let held_back = |change: fn(&mut Window)| {
        let judgement = judged(&three(), |_, windows| {
            for window in of(windows, "go/net-http") {
                window.in_flight_request_ns /= 4;
                window.clipped_service_ns = window.in_flight_request_ns;
                change(window);
            }
        });
        let verdicts = row(&judgement, "go/net-http").verdicts.clone();
        let found = verdicts.into_iter().find(|verdict| verdict.check == Check::HeldBack).unwrap().finding;
        let Finding::ConnectionsIdle { cause, .. } = found else { panic!("{found:?}") };
        cause
    };
    let asked = three().run().1[0].connections.asked;
    assert_eq!(held_back(|_| {}), IdleCause::GeneratorHeldBack);
    assert_eq!(
        held_back(|window| window.connections.completions[1..].fill(0)),
        IdleCause::Unserved { answered: Some(1), open: None, asked }
    );
    assert_eq!(
        held_back(|window| {
            window.connections.completions[1..].fill(0);
            window.connections.established = 2;
        }),
        IdleCause::Unserved { answered: Some(1), open: Some(2), asked }
    );
    assert_eq!(
        held_back(|window| window.connections.established = 9),
        IdleCause::Unserved { answered: None, open: Some(9), asked }
    );
    assert_eq!(
        held_back(|window| window.connections.reconnects = window.outcomes.correct),
        IdleCause::Reopening
    );
}

#[test]
fn connections_that_are_opened_again_and_again_are_hinted_at() {
    let hints = |every: u64| {
        let judgement = judged(&three(), |_, windows| {
            for window in of(windows, "go/net-http") {
                window.connections.reconnects = (window.all().correct) / every;
            }
        });
        let verdicts = row(&judgement, "go/net-http").verdicts.clone();
        let own = verdicts.into_iter().filter(|verdict| verdict.check == Check::Connections);
        own.map(|verdict| (verdict.kind, verdict.finding)).collect::<Vec<_>>()
    };
    let said = hints(100);
    assert!(
        matches!(
            &said[..],
            [(Kind::Hint, Finding::ConnectionsReopened { times: 2.., each_answers: 100..=109 })]
        ),
        "{said:?}"
    );
    assert!(
        matches!(hints(1)[0].1, Finding::ConnectionsReopened { times: 2.., each_answers: 1 }),
        "{:?}",
        hints(1)
    );
    assert!(hints(250).is_empty());
}

#[test]
fn a_generator_that_held_back_is_hinted_at() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            window.in_flight_request_ns = window.in_flight_request_ns * 9 / 10;
            window.clipped_service_ns = window.in_flight_request_ns;
        }
    });
    let verdicts = &row(&judgement, "go/net-http").verdicts;
    assert!(verdicts.iter().any(|verdict| verdict.kind == Kind::Hint
        && matches!(verdict.finding, Finding::ConnectionsIdle { cause: IdleCause::GeneratorHeldBack, .. })));
    assert!(
        row(&judgement, "js/fastify").verdicts.is_empty(),
        "{:?}",
        row(&judgement, "js/fastify").verdicts
    );
}

#[test]
fn starved_connections_are_a_warning() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http") {
            window.connections.completions[6] = 0;
        }
    });
    let go = row(&judgement, "go/net-http");
    assert!(matches!(go.state, RowState::Ranked { .. }));
    let starved = go.verdicts.iter().find_map(|verdict| match &verdict.finding {
        Finding::ConnectionsStarved { fairness, .. } => Some(&fairness.starved[0]),
        _ => None,
    });
    let starved = starved.unwrap_or_else(|| panic!("{:?}", go.verdicts));
    assert_eq!((starved.launch, starved.connection), (Some(1), 7));
}
