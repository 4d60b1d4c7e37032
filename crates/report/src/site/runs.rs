use super::group::{Headline, Member};
use super::map::relative;
use super::run::SiteRun;
use crate::document::{Block, Column, Linked, Table, TableRow};
use crate::number::count;

/// A table of runs, as seen from the page at a path.
pub(super) fn table_of_runs<'s>(from: &str, runs: impl Iterator<Item = &'s SiteRun>, label: &str) -> Block {
    let columns = [
        Column::text("run"),
        Column::text("host"),
        Column::text("workloads"),
        Column::number("contenders"),
        Column::text("state"),
        Column::text("measured by"),
    ];
    let rows = runs.map(|run| {
        let names: Vec<&str> = run.workloads.iter().map(|workload| workload.name.as_str()).collect();
        let cells = [
            run.date.clone(),
            format!("{}: {}", run.hostname, run.host.words()),
            names.join(", "),
            count(run.contenders as u64),
            run.state.words().to_owned(),
            run.generator.clone(),
        ];
        TableRow::from(cells.map(Some)).leading(0, to_run(from, run))
    });
    Block::Table(Table::new(columns, rows).called(label))
}

/// Where a run's own page is.
pub(super) fn to_run(from: &str, run: &SiteRun) -> String {
    relative(from, &run.path())
}

/// Why a newer run than the one shown is not in its place, and where it is.
pub(super) fn with_newer(text: Linked, Headline { shown, newer }: Headline<'_>, from: &str) -> Linked {
    let Some(Member { run, workload }) = newer else { return text };
    let ranks_fewer = workload.width().0 < shown.workload.width().0;
    let verb = if ranks_fewer { "ranks" } else { "measured" };
    text.text(" A newer complete run, of ")
        .link(&run.date, to_run(from, run))
        .text(&format!(", {verb} fewer contenders."))
}
