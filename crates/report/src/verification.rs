//! What verifying contenders came to, for what reads test results.

use std::time::Duration;

use velo_record::{CaseRecord, ContenderRecord, ContenderState};

use crate::write::junit::{Case, Outcome, Suite, write};

/// A suite for each contender, with each of its cases, as JUnit's XML. A case that only records the answer
/// passes.
pub fn verification_junit(records: &[ContenderRecord]) -> String {
    let suites: Vec<Suite> = records.iter().map(suite).collect();
    write("velo verify", &suites)
}

fn suite(record: &ContenderRecord) -> Suite {
    let name = record.manifest.name.to_string();
    let case = |of: &str, name: &str, outcome| Case {
        class: format!("velo.verify.{}{of}", record.manifest.name),
        name: name.to_owned(),
        outcome,
    };
    let mut cases: Vec<Case> =
        record.cases.iter().map(|one| case(&format!(".{}", one.workload), &one.case, outcome(one))).collect();
    let has_failed = record.cases.iter().any(|one| one.required && !one.passed);
    match &record.state {
        ContenderState::Excluded { reason, .. } if !has_failed => {
            cases.push(case("", "builds and starts", Outcome::Failed(reason.clone())));
        }
        ContenderState::Skipped { reason, .. } => {
            cases.push(case("", "builds and starts", Outcome::Skipped(reason.clone())));
        }
        _ => {}
    }
    Suite { name, took: Duration::ZERO, cases }
}

fn outcome(case: &CaseRecord) -> Outcome {
    match case.required && !case.passed {
        true => Outcome::Failed(case.got.clone()),
        false => Outcome::Passed,
    }
}
