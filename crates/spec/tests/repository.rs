//! The definitions in this repository are valid, and say what they should.

use std::path::{Path, PathBuf};

use velo_spec::{BodyExpectation, ContenderName, Figure, Subject, Workload, read};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn workload(name: &str) -> Workload {
    read::workload(&root().join("workloads").join(name)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn workloads_and_contenders_fit_together() {
    let workloads = read::workloads(&root()).unwrap_or_else(|error| panic!("{error}"));
    let contenders = read::contenders(&root()).unwrap_or_else(|error| panic!("{error}"));
    read::cross_check(&workloads, &contenders).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn voids_routes_have_equal_shares() {
    let void = workload("void");
    let routes: Vec<(u32, &str)> =
        void.requests.iter().map(|request| (request.weight, request.method.as_str())).collect();
    assert_eq!(routes, [(1, "GET"), (1, "GET"), (1, "POST")]);
}

#[test]
fn coins_draws_can_be_derived() {
    let coin = workload("coin");
    let BodyExpectation::Json(shape) = &coin.requests[0].expect.body else { panic!("the answer is JSON") };
    assert_eq!(shape.coin.as_ref().map(|coin| coin.win_member.as_str()), Some("win"));
    assert_eq!(coin.cases.iter().filter(|case| !case.required).count(), 3);
}

/// What a claim prints must follow from the published tables, or the verdict would judge a typing error.
#[test]
fn printed_ratios_follow_from_the_published_tables() {
    let workloads = [workload("void"), workload("coin")];
    let rate_and_score = |workload: &str, contender: &ContenderName| {
        let workload = workloads.iter().find(|one| one.name == workload).expect("a workload");
        let rate = |name| {
            let row = workload.published.iter().find(|row| row.contender.as_ref() == Some(name));
            row.expect("a published row").requests_per_s
        };
        (rate(contender), rate(contender) / rate(&workload.baseline))
    };
    let mut looked_at = 0;
    for claim in workloads.iter().flat_map(|workload| &workload.claims) {
        match (&claim.subject, claim.printed) {
            (Subject::Ratio(over, under), Some(printed)) => {
                let (over_rate, over_score) = rate_and_score(&over.workload, &over.contender);
                let (under_rate, under_score) = rate_and_score(&under.workload, &under.contender);
                let ratio = match claim.figure {
                    Figure::Score => over_score / under_score,
                    _ => over_rate / under_rate,
                };
                assert!((ratio - printed).abs() < 0.006, "{}: {ratio}", claim.says);
            }
            (Subject::Order(sides), None) => {
                let rates: Vec<f64> =
                    sides.iter().map(|side| rate_and_score(&side.workload, &side.contender).0).collect();
                assert!(rates.is_sorted_by(|a, b| a > b), "{}: {rates:?}", claim.says);
            }
            other => panic!("{}: {other:?}", claim.says),
        }
        looked_at += 1;
    }
    assert_eq!(looked_at, 14);
}
