//! Connections that were left idle, opened again, or starved.

use crate::common::row;
use crate::{judged, of, three};
use velo_judge::{Check, Kind, RowState};
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
        verdicts.into_iter().find(|verdict| verdict.check == Check::HeldBack).unwrap().words
    };
    let asked = three().run().1[0].connections.asked;
    let cause = |words: String| words.split_once("kept busy: ").unwrap().1.to_owned();
    assert_eq!(cause(held_back(|_| {})), "the generator held back");
    assert_eq!(
        cause(held_back(|window| window.connections.completions[1..].fill(0))),
        format!("1 of {asked} ever got an answer in a launch, though all were open")
    );
    assert_eq!(
        cause(held_back(|window| {
            window.connections.completions[1..].fill(0);
            window.connections.established = 2;
        })),
        format!("1 of {asked} ever got an answer in a launch, 2 were open at the end of a window")
    );
    assert_eq!(
        cause(held_back(|window| window.connections.established = 9)),
        format!("9 of {asked} were open at the end of a window")
    );
    assert_eq!(
        cause(held_back(|window| window.connections.reconnects = window.outcomes.correct)),
        "the others were being opened again"
    );
}

#[test]
fn connections_that_are_opened_again_and_again_are_hinted_at() {
    let hints = |every: u64| {
        let judgement = judged(&three(), |_, windows| {
            for window in of(windows, "go/net-http") {
                window.connections.reconnects = (window.outcomes.correct + window.correct_outside) / every;
            }
        });
        let verdicts = row(&judgement, "go/net-http").verdicts.clone();
        let own = verdicts.into_iter().filter(|verdict| verdict.check == Check::Connections);
        own.map(|verdict| (verdict.kind, verdict.words)).collect::<Vec<_>>()
    };
    let said = hints(100);
    assert!(
        matches!(&said[..], [(Kind::Hint, words)] if words.contains("times under load, once for each 10")),
        "{said:?}"
    );
    assert!(hints(1)[0].1.contains("once for each answer:"), "{:?}", hints(1));
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
    assert!(verdicts.iter().any(|verdict| verdict.kind == Kind::Hint && verdict.words.contains("held back")));
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
    assert!(go.verdicts.iter().any(|verdict| verdict.words.contains("7 in launch 1")), "{:?}", go.verdicts);
}
