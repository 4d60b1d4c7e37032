//! What contenders do with input that a workload leaves to them, and clients with servers that misbehave: recorded, and excludes
//! nobody.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use velo_model::{BodyExpectation, Case, CaseRequest, ContenderName, Manner, Request, Role, Workload};
use velo_record::{CaseRecord, ContenderRecord};

/// What stands in [`Case::shows`] for all of a body.
const WHOLE_BODY: &str = "*";

/// What contenders do with odd input in one workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrictnessTable {
    /// The workload.
    pub workload: String,
    /// Its cases that only record, in its order.
    pub cases: Vec<StrictnessCase>,
}

/// One case and what each contender answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrictnessCase {
    /// The case.
    pub case: String,
    /// The operation that a contender need not offer.
    pub operation: Option<String>,
    /// What is sent: the method and the path, the headers of its own and the body; `None`: the run does not say.
    pub request: Option<String>,
    /// What a careful server answers: statuses, and what of the body is shown; `None`: the run does not say.
    pub expected: Option<String>,
    /// The answers, in the order of the run's contenders.
    pub answers: Vec<StrictnessAnswer>,
}

/// What a contender answered in a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrictnessAnswer {
    /// The contender.
    pub contender: ContenderName,
    /// The status and the start of the body, or what went wrong.
    pub got: String,
    /// The status; `None`: there was no whole answer.
    pub status: Option<u16>,
    /// Of a client: what it came to, as in `whole file`, `error` and `truncated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What a successful answer's body says, where that can be compared: JSON, or nothing but `empty`.
    pub shown: Option<String>,
    /// The body holds a text that is no business of a client's.
    pub leaks: bool,
    /// False where the contender has no such operation: a plain request of it got the 404 of an unknown route.
    pub is_offered: bool,
    /// Whether it is what is expected.
    pub is_expected: bool,
}

/// What contenders did in each case of a workload that excludes nobody.
pub fn strictness(workload: &Workload, records: &[ContenderRecord]) -> Vec<StrictnessCase> {
    let mut cases: Vec<StrictnessCase> = Vec::new();
    // A twin would only say everything again.
    for record in records.iter().filter(|record| record.twin_of.is_none()) {
        for found in record.cases.iter().filter(|case| !case.required && case.workload == workload.name) {
            let case = workload.cases.iter().find(|case| case.name == found.case);
            let answer = answer(workload, case, found, record);
            match cases.iter_mut().find(|known| known.case == found.case) {
                Some(known) => known.answers.push(answer),
                None => cases.push(asked(workload, case, found, answer)),
            }
        }
    }
    cases
}

fn asked(
    workload: &Workload,
    case: Option<&Case>,
    found: &CaseRecord,
    first: StrictnessAnswer,
) -> StrictnessCase {
    if let Some(manner) = Manner::named(&found.case).filter(|_| first.outcome.is_some()) {
        return StrictnessCase {
            case: found.case.clone(),
            operation: None,
            request: Some(manner.sends().to_owned()),
            expected: Some(manner.expected().to_owned()),
            answers: vec![first],
        };
    }
    let request = case.and_then(|case| sent(workload, case));
    StrictnessCase {
        case: found.case.clone(),
        operation: case.and_then(|case| case.operation.clone()),
        request: request.map(written),
        expected: request.map(|request| expected(request, case.and_then(|case| case.shows.as_deref()))),
        answers: vec![first],
    }
}

fn answer(
    workload: &Workload,
    case: Option<&Case>,
    found: &CaseRecord,
    record: &ContenderRecord,
) -> StrictnessAnswer {
    let is_head = case.and_then(|case| sent(workload, case)).is_some_and(|request| request.method == "HEAD");
    let shows = case.and_then(|case| case.shows.as_ref()).filter(|_| !is_head);
    let secret = case.and_then(|case| case.secret.as_ref());
    let operation = case.and_then(|case| case.operation.as_ref());
    let is_offered = operation.is_none_or(|operation| offers(workload, operation, record));
    StrictnessAnswer {
        contender: record.manifest.name.clone(),
        got: found.got.clone(),
        status: status(&found.got),
        outcome: (record.manifest.role == Role::Client).then(|| outcome(&found.got)),
        shown: shows.and_then(|what| shown(&found.got, what)),
        leaks: secret.is_some_and(|secret| found.got.contains(secret.as_str())),
        is_offered,
        is_expected: found.passed && is_offered,
    }
}

/// A contender without an operation answers its plain request, which is the first one, as an unknown route.
fn offers(workload: &Workload, operation: &String, record: &ContenderRecord) -> bool {
    let plain = workload.cases.iter().find(|case| case.operation.as_ref() == Some(operation));
    let found = plain.and_then(|plain| {
        record.cases.iter().find(|found| found.workload == workload.name && found.case == plain.name)
    });
    found.is_none_or(|found| status(&found.got) != Some(Case::NOT_OFFERED))
}

fn sent<'w>(workload: &'w Workload, case: &'w Case) -> Option<&'w Request> {
    match &case.send {
        CaseRequest::Valid { request } => workload.requests.get(*request),
        CaseRequest::Own(request) => Some(request),
    }
}

fn written(request: &Request) -> String {
    let names: Vec<&str> = request.slots.iter().map(|slot| slot.name.as_str()).collect();
    let headers = request.headers.iter();
    let headers = headers.map(|header| format!(", {}: {}", header.name, header.value.written(&names)));
    let body = request.body.as_ref().map(|body| format!(", {}", body.written(&names))).unwrap_or_default();
    format!("{} {}{}{body}", request.method, request.path.written(&names), headers.collect::<String>())
}

fn expected(request: &Request, shows: Option<&str>) -> String {
    let statuses = request.expect.status.to_string();
    let body = match &request.expect.body {
        BodyExpectation::Json(json) => shows.and_then(|what| part(&json.text.written(&[]), what)),
        BodyExpectation::Empty => Some(EMPTY.to_owned()),
        _ => None,
    };
    body.map_or(statuses.clone(), |body| format!("{statuses} {body}"))
}

/// What is shown of a body without a byte.
const EMPTY: &str = "empty";

/// What a client came to, without what is to be known of it besides.
fn outcome(got: &str) -> String {
    got.split([':', ';']).next().unwrap_or_default().to_owned()
}

/// The status that an answer in words begins with; what went wrong begins with none.
fn status(got: &str) -> Option<u16> {
    let first = got.split(' ').next().filter(|first| first.len() == 3)?;
    first.parse().ok().filter(|status| (100..=999).contains(status))
}

/// What of a successful answer in words is shown.
fn shown(got: &str, what: &str) -> Option<String> {
    let status = status(got).filter(|status| (200..300).contains(status))?;
    match got.split_once(' ') {
        Some((_, body)) => part(body, what),
        // Nobody expects a body of these.
        None => (!matches!(status, 204 | 205)).then(|| EMPTY.to_owned()),
    }
}

/// A member of a JSON object as JSON, or all of a body.
fn part(body: &str, what: &str) -> Option<String> {
    if what == WHOLE_BODY {
        return Some(body.to_owned());
    }
    // As it was written: a number may have more digits than any type here.
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(body).ok()?;
    members.get(what).map(|value| value.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_words_has_a_status_or_went_wrong() {
        assert_eq!((status("404 page not found"), status("204")), (Some(404), Some(204)));
        let wrong = ["no connection: refused", "", "the server closed", "+20 x", "099 x", "2000"];
        assert!(wrong.iter().all(|got| status(got).is_none()));
    }

    #[test]
    fn a_member_or_all_of_a_successful_body_is_shown() {
        let of = |got: &str, what: &str| shown(got, what);
        assert_eq!(of(r#"200 {"Name":"a","Sum":60}"#, "Sum").as_deref(), Some("60"));
        assert_eq!(of(r#"200 {"Name":null,"Sum":60}"#, "Name").as_deref(), Some("null"));
        assert_eq!(of(r#"200 {"Name":"","Sum":60}"#, "Name").as_deref(), Some(r#""""#));
        assert_eq!(of("200 {\"Sum\":6", "Sum"), None, "a body that is cut is no JSON");
        let long = of(r#"200 {"Sum": 200000000000000000040}"#, "Sum");
        assert_eq!(long.as_deref(), Some("200000000000000000040"));
        assert_eq!(of("200 [1]", "Sum"), None);
        assert_eq!(of(r#"400 {"Sum":60}"#, "Sum"), None);
        assert_eq!(of("200 null", "*").as_deref(), Some("null"));
        assert_eq!((of("200", "*").as_deref(), of("204", "*")), (Some("empty"), None));
    }
}
