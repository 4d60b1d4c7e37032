use velo_judge::{Holds, JudgedClaim, JudgedWorkload};

use super::page::Page;
use super::section::print_block;
use crate::terminal::style::Style;
use crate::text::{clean, columns, wrap};
use crate::view;

const THERE: usize = 7;
const HERE: usize = 14;
const VERDICT: usize = 14;

/// The published table and claims beside what was measured. Why nothing is ranked is not said for each claim again.
pub(super) fn print(workload: &JudgedWorkload, page: &mut Page) {
    if workload.published.is_empty() && workload.claims.is_empty() {
        return;
    }
    page.blank();
    page.labelled("published", Style::Strong, 11, &view::source(workload), Style::Faint);
    print_scores(workload, page);
    view::published(workload).iter().for_each(|block| print_block(block, page));
    print_claims(workload, page);
}

/// The claims in one sentence.
pub(super) fn print_summary(workload: &JudgedWorkload, page: &mut Page) {
    let Some(summary) = view::claims_summary(workload) else { return };
    page.blank();
    page.labelled("published", Style::Strong, 11, &summary, Style::Plain);
}

fn print_scores(workload: &JudgedWorkload, page: &mut Page) {
    let names: Vec<String> = view::published_scores(workload).map(|row| clean(&row.row)).collect();
    if names.is_empty() {
        return;
    }
    let name = names
        .iter()
        .map(|name| columns(name))
        .max()
        .unwrap_or(0)
        .clamp(5, page.width - 2 * HERE - THERE - 12);
    let heads = format!("  {:name$}  {:>THERE$}  {:>HERE$}", "score", "there", "here");
    page.line(&[(&heads, Style::Strong)]);
    for (row, label) in view::published_scores(workload).zip(&names) {
        let (there, here) = view::there_and_here(row, workload);
        let lines = wrap(label, name);
        for (index, line) in lines.iter().enumerate() {
            let pad = " ".repeat(name - columns(line));
            if index + 1 < lines.len() {
                page.line(&[("  ", Style::Plain), (line, Style::Plain)]);
                continue;
            }
            let figures = format!("  {line}{pad}  {there:>THERE$}  {here:>HERE$}");
            let reason = view::no_score(row, workload).unwrap_or_default();
            if reason.is_empty() {
                page.line(&[(figures.trim_end(), Style::Plain)]);
            } else {
                page.labelled(&figures, Style::Plain, columns(&figures) + 2, &reason, Style::Faint);
            }
        }
    }
}

fn print_claims(workload: &JudgedWorkload, page: &mut Page) {
    if workload.claims.is_empty() {
        return;
    }
    let says = page.width - 2 - 2 - THERE - 2 - THERE - 2 - VERDICT;
    let heads = format!("  {:says$}  {:>THERE$}  {:>THERE$}  verdict", "claim", "there", "here");
    page.line(&[(&heads, Style::Strong)]);
    for claim in &workload.claims {
        print_claim(claim, says, page);
    }
}

fn print_claim(claim: &JudgedClaim, says: usize, page: &mut Page) {
    let there = claim.claim.printed.map(|printed| view::claimed(claim, printed)).unwrap_or_default();
    let here = claim.measured.map(|measured| view::claimed(claim, measured.value)).unwrap_or_default();
    let style = match claim.holds {
        Holds::Holds => Style::Good,
        Holds::DoesNotHold => Style::Bad,
        Holds::CannotBeTold => Style::Doubtful,
    };
    for (index, line) in wrap(&clean(&claim.claim.says), says).iter().enumerate() {
        if index > 0 {
            page.line(&[("  ", Style::Plain), (line, Style::Plain)]);
            continue;
        }
        let pad = " ".repeat(says - columns(line));
        let figures = format!("  {line}{pad}  {there:>THERE$}  {here:>THERE$}  ");
        page.line(&[(&figures, Style::Plain), (view::holds(claim.holds), style)]);
    }
    if let Some(bound) = view::bound(claim).filter(|_| claim.measured.is_some()) {
        page.labelled("", Style::Plain, 4, &format!("holds {bound}"), Style::Faint);
    }
    if let Some(reason) = claim.reason.as_ref().filter(|reason| !reason.is_of_run()) {
        page.labelled("", Style::Plain, 4, &clean(&reason.to_string()), Style::Faint);
    }
}
