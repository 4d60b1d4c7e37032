use velo_judge::JudgedWorkload;

use super::page::Page;
use super::table::Table;
use crate::terminal::style::Style;
use crate::view::cost;

/// What a stated load would cost.
pub(super) fn print(workload: &JudgedWorkload, page: &mut Page) {
    let Some(answer) = workload.cost.as_ref().filter(|answer| !answer.rows.is_empty()) else { return };
    page.blank();
    page.labelled("cost", Style::Strong, 6, &cost::question(answer), Style::Faint);
    let headers = vec!["at", "contender", "per core-second", "cores", "per million", "hours/year"];
    let mut table = Table::new(headers);
    answer.rows.iter().for_each(|row| table.row(cost::row(row).to_vec()));
    table.print(page);
    for line in cost::assumptions(answer) {
        page.labelled("", Style::Plain, 2, &line, Style::Faint);
    }
}
