use velo_judge::{JudgedWorkload, Judgement};

use super::notes::LABEL;
use super::page::Page;
use crate::terminal::style::Style;
use crate::text::{clean, columns};
use crate::view::pairs;

/// So many open pairs are named; the others are in the Markdown.
const MOST_OPEN: usize = 5;

/// How the ranked ones compare, and what would tell open pairs.
pub(super) fn print(workload: &JudgedWorkload, page: &mut Page) {
    let Some(compared) = &workload.pairs else { return };
    page.blank();
    page.labelled("pairs", Style::Strong, LABEL, &pairs::summary(compared), Style::Plain);
    let open = pairs::open(compared);
    for one in open.iter().take(MOST_OPEN) {
        page.labelled("open", Style::Doubtful, LABEL, &format!("{}: {}", one.pair, one.words), Style::Plain);
    }
    if let Some(more) = open.len().checked_sub(MOST_OPEN).filter(|more| *more > 0) {
        page.labelled("", Style::Plain, LABEL, &format!("and {more} more in report.md"), Style::Faint);
    }
}

/// One figure for each contender over all workloads.
pub(super) fn print_geometric_means(judgement: &Judgement, page: &mut Page) {
    let Some(geometric) = &judgement.geometric_mean else { return };
    page.blank();
    page.paragraph(&clean(&pairs::geometric_head(geometric)), Style::Strong);
    let means = pairs::geometric_means(judgement, geometric);
    let names = means.iter().map(|(name, _)| columns(name)).max().unwrap_or(0).min(40);
    for (name, mean) in &means {
        page.labelled(&format!("  {name}"), Style::Plain, names + 4, mean, Style::Plain);
    }
}
