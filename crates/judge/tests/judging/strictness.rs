//! Strictness.

use std::path::Path;

use crate::{judged, three};
use velo_judge::{StrictnessAnswer, StrictnessCase};
use velo_record::{CaseRecord, RunFile};

fn record(case: &str, required: bool, got: &str) -> CaseRecord {
    let (workload, case, got) = ("coin".to_owned(), case.to_owned(), got.to_owned());
    CaseRecord { workload, case, required, passed: true, got }
}

#[test]
fn strictness_is_what_cases_that_exclude_nobody_got() {
    let judgement = judged(&three(), |file, _| {
        file.contenders[0].cases =
            vec![record("bet is 1", false, "400"), record("unknown route", true, "404")];
        file.contenders[1].cases = vec![record("bet is 1", false, "200 {\"win\":true}")];
    });
    let strictness = &judgement.workloads[0].strictness;
    assert_eq!(
        (strictness.len(), strictness[0].case.as_str(), strictness[0].answers.len()),
        (1, "bet is 1", 2)
    );
    assert_eq!(strictness[0].answers[1].got, "200 {\"win\":true}");
    assert_eq!((strictness[0].answers[1].status, &strictness[0].answers[1].shown), (Some(200), &None));
}

/// The cases of echo, with these answers of the first contender.
fn answered(answers: &[(&str, &str)]) -> Vec<StrictnessCase> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workloads = velo_spec::read::workloads(&repository).expect("they are read");
    let echo = workloads.into_iter().find(|workload| workload.name == "echo").expect("echo is there");
    let judgement = judged(&three(), |file: &mut RunFile, _| {
        file.workloads[0].cases = echo.cases;
        file.workloads[0].requests = echo.requests;
        file.contenders[0].cases = answers.iter().map(|(case, got)| record(case, false, got)).collect();
    });
    judgement.workloads[0].strictness.clone()
}

fn first(case: &StrictnessCase) -> &StrictnessAnswer {
    &case.answers[0]
}

#[test]
fn an_operation_is_not_offered_where_its_plain_request_is_an_unknown_route() {
    let (plain, odd) = ("flags of 7, three that are set", "flags of abc");
    let without = answered(&[(plain, "404 page not found"), (odd, "404"), ("no x", "404")]);
    assert!(!first(&without[0]).is_offered && !first(&without[1]).is_offered);
    assert!(first(&without[2]).is_offered, "Echo is no operation that may be left out");
    assert_eq!(without[0].operation.as_deref(), Some("flags"));
    // Some frameworks have 404 for a parameter that they cannot read.
    let with = answered(&[(plain, "200 {\"Flags\":7}"), (odd, "404")]);
    assert!(first(&with[0]).is_offered && first(&with[1]).is_offered);
    assert!(first(&answered(&[(plain, "500"), (odd, "500")])[1]).is_offered);
    assert!(first(&answered(&[(plain, "no connection: refused")])[0]).is_offered);
}

#[test]
fn a_case_says_what_is_sent_expected_shown_and_leaked() {
    let cases = answered(&[
        ("an empty name", "200 {\"Sum\":60,\"Name\":null}"),
        ("an Accept that nobody has", "406"),
        ("nothing is returned", "200"),
        ("an unhandled error", "500 ...at f: velo-secret-detail"),
        ("HEAD", "200"),
    ]);
    let said: Vec<(&str, &str, Option<&str>)> = cases
        .iter()
        .map(|case| {
            let [request, expected] = [&case.request, &case.expected];
            (
                request.as_deref().unwrap_or_default(),
                expected.as_deref().unwrap_or_default(),
                first(case).shown.as_deref(),
            )
        })
        .collect();
    assert_eq!(said[0], ("GET /Perf/Echo?name=&x=10&y=20&e=2", "200 \"\"", Some("null")));
    assert!(
        said[1].0.ends_with("e=2, Accept: application/x-unknown") && said[1].1 == "200 or 406",
        "{said:?}"
    );
    assert_eq!((said[2].1, said[2].2), ("200 or 204 empty", Some("empty")));
    assert!(first(&cases[3]).leaks && !first(&cases[2]).leaks);
    assert_eq!((said[4].0.starts_with("HEAD "), said[4].2), (true, None));
}
