use velo_judge::load::{ComparedFigure, LoadComparison, Unit};

use super::figures::MISSING;
use crate::TerminalOptions;
use crate::number::{change, percent, rate, time_ns};
use crate::text::clean;
use crate::write::terminal::page::Page;
use crate::write::terminal::style::Style;

const LABEL: usize = 11;
const NAME: usize = 22;
const COLUMN: usize = 12;

/// The comparison with an earlier load: its figures, what differs in the settings, what it is worth. Text from outside
/// is stripped of escape sequences and control characters.
pub fn comparison(comparison: &LoadComparison, options: &TerminalOptions) -> String {
    let mut page = Page::of(options);
    let before = clean(&comparison.before_started_at);
    page.labelled("against", Style::Strong, LABEL, &format!("the load of {before}"), Style::Plain);
    let header = format!("{:NAME$}{:>COLUMN$}{:>COLUMN$}{:>COLUMN$}", "", "before", "now", "change");
    page.line(&[(&header, Style::Strong)]);
    for figure in &comparison.figures {
        let (before, now) = (value(figure, figure.before), value(figure, figure.now));
        let change = figure.ratio.map_or_else(|| MISSING.to_owned(), change);
        let line = format!("{:NAME$}{before:>COLUMN$}{now:>COLUMN$}{change:>COLUMN$}", figure.name);
        page.line(&[(&line, Style::Plain)]);
    }
    for difference in &comparison.differences {
        let words = format!("{}: before {}; now {}", difference.setting, difference.before, difference.now);
        let style = if difference.another_load { Style::Doubtful } else { Style::Plain };
        page.labelled("differs", style, LABEL, &clean(&words), Style::Plain);
    }
    for note in &comparison.notes {
        page.labelled("note", Style::Faint, LABEL, &clean(note), Style::Plain);
    }
    page.finish()
}

fn value(figure: &ComparedFigure, value: Option<f64>) -> String {
    let Some(value) = value else { return MISSING.to_owned() };
    match figure.unit {
        Unit::PerSecond => format!("{}/s", rate(value)),
        Unit::Nanoseconds => time_ns(value),
        Unit::Share => percent(value),
    }
}
