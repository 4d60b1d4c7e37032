//! A comparison as one page, without a script and without anything from elsewhere.

mod forest;

use velo_judge::compare::{ChangeState, ComparedContenders, ComparedRuns, ComparedWorkload, Comparison};
use velo_model::Figure;

use self::forest::{Axis, Bar};
use super::Html;
use super::document::document;
use super::table::{Cell, Column, table};
use crate::number::{change, ratio};
use crate::view::comparison as view;
use crate::words::figures;

/// A file from outside may have any number of these.
const MOST: usize = 200;

/// The comparison as one HTML file: the verdict, the conditions, and for each figure a chart and a table of what changed.
pub(crate) fn write(comparison: &Comparison) -> String {
    document("velo compare", |html| {
        html.within("main", &[], |html| match comparison {
            Comparison::AcrossTime(compared) => across_time(comparison, compared, html),
            Comparison::AcrossContenders(compared) => across_contenders(comparison, compared, html),
        });
    })
}

fn across_time(comparison: &Comparison, compared: &ComparedRuns, html: &mut Html) {
    html.element("p", &[("class", "about")], &view::question(comparison));
    html.element("h1", &[], &view::verdict(compared));
    for (label, run) in [("before", &compared.before), ("after", &compared.after)] {
        html.element("p", &[("class", "about")], &format!("{label}: {}", view::head(run)));
    }
    conditions(compared, html);
    let workloads = compared.workloads.iter().take(MOST).map(Some);
    for workload in workloads.chain([None]) {
        changes_of(compared, workload, html);
    }
    let not_compared = view::not_compared(&compared.not_compared);
    let notes = view::doubts(compared)
        .into_iter()
        .chain(view::differences(compared))
        .chain(view::refused(compared))
        .chain(not_compared.into_iter().map(|words| format!("not compared: {words}")))
        .chain([view::worth(compared)]);
    section_of("What it rests on", notes, html);
}

fn conditions(compared: &ComparedRuns, html: &mut Html) {
    let lines = compared.conditions.iter().take(MOST).flat_map(|judged| {
        let breaches = judged.breaches.iter().map(view::breach);
        let untold = judged.untold.iter().map(|untold| view::untold(untold, judged.bound));
        [view::condition(judged).0].into_iter().chain(breaches).chain(untold)
    });
    section_of("Conditions", lines, html);
}

fn changes_of(compared: &ComparedRuns, workload: Option<&ComparedWorkload>, html: &mut Html) {
    let name = workload.map(|workload| workload.name.as_str());
    let figures = view::figures(compared, name);
    if figures.is_empty() {
        return;
    }
    html.within("section", &[], |html| {
        html.element("h2", &[], name.unwrap_or("Processes"));
        if let Some(workload) = workload {
            html.element("p", &[("class", "about")], &format!("machine: {}", view::machine(workload)));
        }
        for figure in figures {
            let changes = view::sorted(compared, name, figure);
            let title = figures::of(figure).short;
            html.element("h3", &[], title);
            if let Some(words) = view::level(&changes, workload) {
                html.element("p", &[("class", "about")], &words);
            }
            let bars = changes.iter().take(MOST).map(|change| Bar {
                name: view::whose(&change.contender, change.call),
                value: change.ratio.value,
                interval: change.ratio.low.zip(change.ratio.high),
                is_settled: change.state != ChangeState::Open,
            });
            forest::draw(&format!("{title}: after over before"), Axis::of(bars, change), html);
            let rows = changes.iter().take(MOST).map(|change| {
                let [state, before, after, by, interval, p] = view::row(change);
                let contender = Cell::text(&view::whose(&change.contender, change.call));
                vec![
                    contender,
                    Cell::text(&state),
                    number(before),
                    number(after),
                    number(by),
                    number(interval),
                    number(p),
                ]
            });
            let columns = ["contender", "state", "before", "after", "change", "interval", "p"].map(Column);
            table(html, title, &columns, 0, rows);
        }
    });
}

fn across_contenders(comparison: &Comparison, compared: &ComparedContenders, html: &mut Html) {
    html.element("p", &[("class", "about")], &view::head(&compared.run));
    html.element("h1", &[], &view::question(comparison));
    for workload in view::workloads_of_pairs(compared).into_iter().take(MOST) {
        html.within("section", &[], |html| {
            html.element("h2", &[], workload);
            for figure in Figure::compared() {
                pairs_of(compared, workload, figure, html);
            }
            for waiting in compared.waiting.iter().filter(|waiting| waiting.workload == workload) {
                html.element("h3", &[], "Hours a year");
                html.element("p", &[("class", "about")], &view::hours(waiting));
                let rows = waiting.pairs.iter().take(MOST).map(|pair| {
                    let [names, others @ ..] = view::hours_of(pair);
                    [Cell::text(&names)].into_iter().chain(others.map(number)).collect()
                });
                table(html, "hours a year", &view::HOURS.map(Column), 0, rows);
            }
        });
    }
    let reasons = Figure::compared().flat_map(|figure| {
        let of_figure = compared.pairs.iter().filter(move |pair| pair.figure == figure);
        let reasons = view::no_states(of_figure).into_iter();
        reasons.map(move |reason| format!("{}: {reason}", figures::of(figure).short))
    });
    let not_compared = view::not_compared(&compared.not_compared);
    let not_compared = not_compared.into_iter().map(|words| format!("not compared: {words}"));
    section_of("What it rests on", reasons.chain(not_compared).chain([view::worth_of_pairs(compared)]), html);
}

fn pairs_of(compared: &ComparedContenders, workload: &str, figure: Figure, html: &mut Html) {
    let pairs: Vec<_> = view::pairs(compared, workload, figure).take(MOST).collect();
    if pairs.is_empty() {
        return;
    }
    let title = figures::of(figure).short;
    html.element("h3", &[], title);
    let bars = pairs.iter().filter_map(|pair| {
        let estimate = pair.ratio.as_ref()?;
        Some(Bar {
            name: view::of_pair(pair),
            value: estimate.value,
            interval: estimate.interval(),
            is_settled: pair.p_holm.is_some_and(|p| p < 1.0 - compared.confidence),
        })
    });
    forest::draw(&format!("{title}: the first over the second"), Axis::of(bars, ratio), html);
    let rows = pairs.iter().map(|pair| {
        let [state, names, first, second, ratio, interval, p] = view::pair(pair);
        vec![
            Cell::text(&names),
            Cell::text(&state),
            number(first),
            number(second),
            number(ratio),
            number(interval),
            number(p),
        ]
    });
    let columns = ["pair", "state", "first", "second", "ratio", "interval", "p"].map(Column);
    table(html, title, &columns, 0, rows);
}

fn number(text: String) -> Cell {
    Cell::number(Some(text))
}

/// A part that is a list; none where there is nothing in it.
fn section_of(title: &str, lines: impl Iterator<Item = String>, html: &mut Html) {
    let lines: Vec<String> = lines.take(MOST).collect();
    if lines.is_empty() {
        return;
    }
    html.within("section", &[], |html| {
        html.element("h2", &[], title);
        html.within("ul", &[], |html| lines.iter().for_each(|line| html.element("li", &[], line)));
    });
}
