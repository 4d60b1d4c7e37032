use velo_judge::Holds;
use velo_judge::compare::{ComparedContenders, ComparedRuns, ComparedWorkload, Comparison};
use velo_model::Figure;

use super::block::LABEL;
use super::page::Page;
use super::table::Table;
use crate::TerminalOptions;
use crate::terminal::style::Style;
use crate::text::clean;
use crate::view::{carried, comparison as view};
use crate::words::figures;

/// So many contenders for which a condition is inconclusive are named; the others are in the Markdown.
const MOST_UNTOLD: usize = 5;
/// Where text begins behind a figure's name.
const FIGURE: usize = 13;

/// The comparison for a terminal.
pub(crate) fn print(comparison: &Comparison, options: &TerminalOptions) -> String {
    let mut page = Page::of(options);
    page.paragraph(&view::question(comparison), Style::Strong);
    page.blank();
    match comparison {
        Comparison::AcrossTime(compared) => print_runs(compared, &mut page),
        Comparison::AcrossContenders(compared) => print_contenders(compared, &mut page),
    }
    page.finish()
}

fn print_runs(compared: &ComparedRuns, page: &mut Page) {
    page.labelled("before", Style::Strong, LABEL, &view::head(&compared.before), Style::Plain);
    page.labelled("after", Style::Strong, LABEL, &view::head(&compared.after), Style::Plain);
    page.labelled("verdict", Style::Strong, LABEL, &view::verdict(compared), verdict_style(compared));
    for words in view::differences(compared).iter().chain(&view::refused(compared)) {
        page.labelled("note", Style::Faint, LABEL, words, Style::Plain);
    }
    for words in view::doubts(compared) {
        page.labelled("warning", Style::Doubtful, LABEL, &words, Style::Plain);
    }
    for workload in &compared.workloads {
        page.blank();
        let connections = carried(
            workload.connections,
            workload.requests_per_connection,
            workload.protocol,
            workload.streams,
            workload.link.as_ref(),
        );
        page.paragraph(&clean(&format!("{}: {connections}", workload.name)), Style::Strong);
        let style = if workload.reference.is_some() { Style::Faint } else { Style::Doubtful };
        page.labelled("machine", Style::Strong, LABEL, &view::machine(workload), style);
        print_figures(compared, Some(workload), page);
    }
    print_figures(compared, None, page);
    print_not_compared(&view::not_compared(&compared.not_compared), page);
    print_conditions(compared, page);
    page.blank();
    page.labelled("validity", Style::Strong, LABEL, &view::worth(compared), Style::Plain);
}

fn verdict_style(compared: &ComparedRuns) -> Style {
    let holds = |holds: Holds| compared.conditions.iter().any(|condition| condition.holds == holds);
    match () {
        () if holds(Holds::DoesNotHold) => Style::Bad,
        () if holds(Holds::CannotBeTold) => Style::Doubtful,
        () if holds(Holds::Holds) => Style::Good,
        () => Style::Plain,
    }
}

/// The tables of a workload; without one those of startup.
fn print_figures(compared: &ComparedRuns, workload: Option<&ComparedWorkload>, page: &mut Page) {
    let name = workload.map(|workload| workload.name.as_str());
    for figure in view::figures(compared, name) {
        let changes = view::sorted(compared, name, figure);
        page.blank();
        page.labelled(
            figures::of(figure).ranking,
            Style::Strong,
            FIGURE,
            figures::of(figure).what,
            Style::Faint,
        );
        if let Some(words) = view::level(&changes, workload) {
            page.labelled("", Style::Plain, FIGURE, &words, Style::Doubtful);
        }
        let mut table =
            Table::new(vec!["state", "contender", "before", "after", "change", "interval", "p"], 1);
        for change in changes {
            let [state, before, after, by, interval, p] = view::row(change);
            table.row(vec![
                state,
                view::whose(&change.contender, change.call),
                before,
                after,
                by,
                interval,
                p,
            ]);
        }
        table.print(page);
    }
}

fn print_not_compared(all: &[String], page: &mut Page) {
    if all.is_empty() {
        return;
    }
    page.blank();
    page.line(&[("not compared", Style::Strong)]);
    for words in all {
        page.labelled("  -", Style::Plain, 4, words, Style::Faint);
    }
}

fn print_conditions(compared: &ComparedRuns, page: &mut Page) {
    if !compared.conditions.is_empty() {
        page.blank();
        page.line(&[("conditions", Style::Strong)]);
    }
    for judged in &compared.conditions {
        let (words, holds) = view::condition(judged);
        let style = match holds {
            Holds::Holds => Style::Good,
            Holds::DoesNotHold => Style::Bad,
            Holds::CannotBeTold => Style::Doubtful,
        };
        page.labelled("", Style::Plain, 2, &words, style);
        for breach in &judged.breaches {
            page.labelled("  -", Style::Plain, 4, &view::breach(breach), Style::Plain);
        }
        for untold in judged.untold.iter().take(MOST_UNTOLD) {
            page.labelled("  -", Style::Plain, 4, &view::untold(untold, judged.bound), Style::Faint);
        }
        if let Some(more) = judged.untold.len().checked_sub(MOST_UNTOLD).filter(|more| *more > 0) {
            let words = format!("and {more} more with --format markdown");
            page.labelled("", Style::Plain, 4, &words, Style::Faint);
        }
    }
}

fn print_contenders(compared: &ComparedContenders, page: &mut Page) {
    page.labelled("run", Style::Strong, LABEL, &view::head(&compared.run), Style::Plain);
    for workload in view::workloads_of_pairs(compared) {
        page.blank();
        page.paragraph(&clean(workload), Style::Strong);
        for figure in Figure::compared() {
            let pairs = || view::pairs(compared, workload, figure);
            if pairs().next().is_none() {
                continue;
            }
            page.blank();
            page.labelled(
                figures::of(figure).ranking,
                Style::Strong,
                FIGURE,
                figures::of(figure).what,
                Style::Faint,
            );
            for reason in view::no_states(pairs()) {
                page.labelled("", Style::Plain, FIGURE, &reason, Style::Faint);
            }
            let mut table = Table::new(vec!["state", "pair", "first", "second", "ratio", "interval", "p"], 1);
            pairs().for_each(|pair| table.row(view::pair(pair).to_vec()));
            table.print(page);
        }
        for waiting in compared.waiting.iter().filter(|waiting| waiting.workload == workload) {
            page.blank();
            page.labelled("hours", Style::Strong, FIGURE, &view::hours(waiting), Style::Faint);
            let mut table = Table::new(view::HOURS.to_vec(), 0);
            waiting.pairs.iter().for_each(|pair| table.row(view::hours_of(pair).to_vec()));
            table.print(page);
        }
    }
    print_not_compared(&view::not_compared(&compared.not_compared), page);
    page.blank();
    page.labelled("validity", Style::Strong, LABEL, &view::worth_of_pairs(compared), Style::Plain);
}
