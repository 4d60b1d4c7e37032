use velo_judge::Percentiles;
use velo_judge::load::{Headline, LoadResult, Time};

use super::figures::{MISSING, label, time};
use crate::TerminalOptions;
use crate::number::{count, time_ns};
use crate::write::terminal::page::Page;
use crate::write::terminal::style::Style;

const COLUMN: usize = 11;

/// The distribution of the durations, for `--latency`: a line for each percentile, then mean, maximum and samples. A
/// percentile with fewer than 10 samples beyond it is a dash.
pub fn distribution(result: &LoadResult, options: &TerminalOptions) -> String {
    let mut page = Page::of(options);
    let times: &[Time] = match result.figures.headline {
        Headline::Response => &[Time::Response, Time::Service, Time::FirstByte],
        Headline::Service => &[Time::Service, Time::FirstByte],
    };
    let times: Vec<(&str, &Percentiles)> =
        times.iter().filter_map(|time| Some((label(*time), result.figures.of(*time)?))).collect();
    if times.is_empty() {
        page.paragraph("no distribution: there are no samples", Style::Plain);
        return page.finish();
    }
    let header: String = times.iter().map(|(label, _)| format!("  {label:>COLUMN$}")).collect();
    page.line(&[(&format!("percentile{header}"), Style::Strong)]);
    let mut row = |label: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: String = cells.map(|cell| format!("  {cell:>COLUMN$}")).collect();
        page.line(&[(&format!("{label:>10}{cells}"), Style::Plain)]);
    };
    for (index, (name, ..)) in times[0].1.listed().into_iter().enumerate() {
        let label = format!("{} %", name.trim_start_matches('p'));
        row(&label, &mut times.iter().map(|(_, times)| time(times.listed()[index].2)));
    }
    let mean = |times: &Percentiles| times.mean_ns.map_or_else(|| MISSING.to_owned(), time_ns);
    row("mean", &mut times.iter().map(|(_, times)| mean(times)));
    row("max", &mut times.iter().map(|(_, times)| time(times.max_ns)));
    row("samples", &mut times.iter().map(|(_, times)| count(times.samples)));
    page.finish()
}
