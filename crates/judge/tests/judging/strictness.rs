//! Strictness.

use crate::{judged, three};
use velo_record::CaseRecord;

#[test]
fn strictness_is_what_cases_that_exclude_nobody_got() {
    let case = |case: &str, required, got: &str| CaseRecord {
        workload: "coin".to_owned(),
        case: case.to_owned(),
        required,
        passed: true,
        got: got.to_owned(),
    };
    let judgement = judged(&three(), |file, _| {
        file.contenders[0].cases = vec![case("bet is 1", false, "400"), case("unknown route", true, "404")];
        file.contenders[1].cases = vec![case("bet is 1", false, "200 {\"win\":true}")];
    });
    let strictness = &judgement.workloads[0].strictness;
    assert_eq!(
        (strictness.len(), strictness[0].case.as_str(), strictness[0].answers.len()),
        (1, "bet is 1", 2)
    );
    assert_eq!(strictness[0].answers[1].got, "200 {\"win\":true}");
}
