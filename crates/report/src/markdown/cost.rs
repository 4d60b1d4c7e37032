use velo_judge::JudgedWorkload;

use super::document::{Document, Rows};
use crate::view::cost;

/// What a stated load would cost.
pub(super) fn add(workload: &JudgedWorkload, document: &mut Document) {
    let Some(answer) = workload.cost.as_ref().filter(|answer| !answer.rows.is_empty()) else { return };
    document.heading(3, "Cost");
    let question = cost::question(answer);
    if !question.is_empty() {
        document.paragraph(&question);
    }
    let mut table = Rows::new("l l r r r r");
    answer.rows.iter().for_each(|row| table.row(cost::row(row).map(Some)));
    document.table(["at", "contender", "per core-second", "cores", "per million", "hours/year"], table);
    cost::assumptions(answer).iter().for_each(|line| document.item(line));
    document.end();
}
