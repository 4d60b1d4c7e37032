use super::group::{Headline, Member};
use super::map::relative;
use super::run::SiteRun;
use crate::html::Html;
use crate::html::table::{Cell, Column, table};
use crate::number::count;

/// A table of runs, as seen from the page at a path.
pub(super) fn add_runs<'s>(
    from: &str,
    runs: impl Iterator<Item = &'s SiteRun>,
    label: &str,
    html: &mut Html,
) {
    let titles = ["run", "host", "workloads", "contenders", "state", "measured by"];
    let rows = runs.map(|run| {
        let names: Vec<&str> = run.workloads.iter().map(|workload| workload.name.as_str()).collect();
        vec![
            to_run(from, run),
            Cell::text(&format!("{}: {}", run.hostname, run.host.words())),
            Cell::text(&names.join(", ")),
            Cell::number(Some(count(run.contenders as u64))),
            Cell::text(run.state.words()),
            Cell::text(&run.generator),
        ]
    });
    table(html, label, &titles.map(Column::of), 0, rows);
}

/// A link to a run's own page by its date.
pub(super) fn to_run(from: &str, run: &SiteRun) -> Cell {
    Cell::link(relative(from, &run.path()), &run.date)
}

/// Why a newer run than the one shown is not in its place, and where it is.
pub(super) fn add_newer(Headline { shown, newer }: Headline<'_>, from: &str, html: &mut Html) {
    let Some(Member { run, workload }) = newer else { return };
    html.text(" A newer complete run, of ");
    html.link(&relative(from, &run.path()), &run.date);
    let ranks_fewer = workload.width().0 < shown.workload.width().0;
    let verb = if ranks_fewer { "ranks" } else { "measured" };
    html.text(&format!(", {verb} fewer contenders."));
}
