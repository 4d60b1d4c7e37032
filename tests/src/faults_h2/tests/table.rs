//! The table fits together.

use super::super::fault::Fault;
use super::super::outcome::{Class, Count};
use super::super::table::{ALL, Row, named};

#[test]
fn numbers_are_in_order_and_names_are_distinct() {
    let numbers: Vec<u32> = ALL.iter().map(|row| row.number).filter(|number| *number > 0).collect();
    assert_eq!(numbers, (1..=73).collect::<Vec<_>>());
    for row in ALL {
        let same = |other: &&Row| other.name == row.name || other.fault == row.fault;
        assert_eq!(ALL.iter().filter(same).count(), 1, "{}", row.name);
        assert_eq!(named(row.name).map(|row| row.fault), Some(row.fault));
        assert_eq!(row.name.starts_with("grpc-"), row.is_grpc(), "{}", row.name);
        assert_eq!(row.name.starts_with("h2-"), !row.is_grpc(), "{}", row.name);
    }
    assert!(named("none").is_none());
}

#[test]
fn exact_counts_add_up_to_the_requests() {
    for row in ALL {
        let exact = |(_, count): &(Class, Count)| match count {
            Count::Is(count) => Some(*count),
            Count::All => Some(row.requests),
            Count::Some | Count::Any => None,
        };
        let counts: Vec<Option<u64>> = row.classes.iter().map(exact).collect();
        if counts.iter().all(Option::is_some) {
            assert_eq!(counts.iter().flatten().sum::<u64>(), row.requests, "{}", row.name);
        } else {
            assert!(counts.iter().all(Option::is_none), "{}", row.name);
        }
        // What strikes every so-manieth request leaves the others alone.
        if let [(Class::Correct, Count::Is(correct)), ..] = row.classes {
            assert_eq!(row.requests - correct, row.requests / row.fault.every(), "{}", row.name);
        }
    }
}

#[test]
fn what_breaks_no_rule_keeps_its_connection() {
    for row in ALL {
        assert!(row.keeps_connections || !row.is_valid, "{}", row.name);
        assert!(
            row.keeps_connections || row.streams == 1 || row.fault == Fault::GracefulGoAway,
            "{}",
            row.name
        );
    }
}
