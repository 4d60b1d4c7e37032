//! Rows of a judgement by their contenders' names.

use velo_judge::{Judgement, Row, RowState};
use velo_model::ContenderName;

pub(crate) fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

#[track_caller]
pub(crate) fn row<'j>(judgement: &'j Judgement, contender: &str) -> &'j Row {
    let found = judgement.workloads[0].rows.iter().find(|row| row.contender == name(contender));
    found.unwrap_or_else(|| panic!("no row for {contender}"))
}

#[track_caller]
pub(crate) fn ranks(judgement: &Judgement, contender: &str) -> (u32, u32) {
    match &row(judgement, contender).state {
        RowState::Ranked { best, worst } => (*best, *worst),
        other => panic!("{contender} is not ranked: {other:?}"),
    }
}
