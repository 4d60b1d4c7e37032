//! What contenders do with input that a workload leaves to them: recorded, and excludes nobody.

use schemars::JsonSchema;
use serde::Serialize;
use velo_record::RunFile;
use velo_spec::ContenderName;

/// One case and what each contender answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StrictnessCase {
    /// The case.
    pub case: String,
    /// The answers, in the order of the run's contenders.
    pub answers: Vec<StrictnessAnswer>,
}

/// What a contender answered in a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StrictnessAnswer {
    /// The contender.
    pub contender: ContenderName,
    /// The status and the start of the body, or what went wrong.
    pub got: String,
}

pub(crate) fn of_workload(file: &RunFile, workload: &str) -> Vec<StrictnessCase> {
    let mut cases: Vec<StrictnessCase> = Vec::new();
    // A twin would only say everything again.
    for record in file.contenders.iter().filter(|record| record.twin_of.is_none()) {
        for case in record.cases.iter().filter(|case| !case.required && case.workload == workload) {
            let answer = StrictnessAnswer { contender: record.manifest.name.clone(), got: case.got.clone() };
            match cases.iter_mut().find(|known| known.case == case.case) {
                Some(known) => known.answers.push(answer),
                None => cases.push(StrictnessCase { case: case.case.clone(), answers: vec![answer] }),
            }
        }
    }
    cases
}
