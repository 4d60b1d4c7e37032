//! A load under way in a few lines of a terminal.

use velo_judge::words::failure_classes;
use velo_record::{LoadMoment, Outcomes};
use velo_stats::Histogram;
use velo_stats::number::tidy_time_ns;

use super::bins::Bins;
use super::blocks::{across, upward};
use super::figures::{time, whole_rate};
use super::live::{LiveFigures, elapsed};
use crate::number::{count, percent};
use crate::section::plural;
use crate::text::{clean, columns, cut, wrap};
use crate::write::terminal::style::{Style, paint};

/// Where text begins behind a label.
const LABEL: usize = 13;
/// A percentile's column.
const CELL: usize = 9;
/// Bins of durations, so that all lines together leave room on a screen of 24.
const MOST_BINS: usize = 8;
/// Lines of failures by class.
const MOST_LINES: usize = 3;
/// A share and the blanks around it, beside a bar.
const SHARE: usize = 8;
/// The narrowest and the widest pane of bars, with its shares.
const PANE: [usize; 2] = [20, 40];
/// A column: its name, and the quantile; `None`: the greatest.
type Quantile = (&'static str, Option<f64>);
const QUANTILES: [Quantile; 5] =
    [("p50", Some(0.5)), ("p90", Some(0.9)), ("p99", Some(0.99)), ("p99.9", Some(0.999)), ("max", None)];

/// What a view of a load under way is drawn from.
#[derive(Debug, Clone)]
pub struct LiveView<'a> {
    /// What a line says too; its rate and its share of CPU time are of the last stretch.
    pub figures: LiveFigures,
    /// Requests that were due per second in the last stretch; `None` in a closed loop and during the warm-up.
    pub offered_per_s: Option<f64>,
    /// Requests with an outcome, and the number that ends the load, where one does.
    pub requests: Option<(u64, u64)>,
    /// Outcomes of the stretch until now, or of the warm-up.
    pub outcomes: Outcomes,
    /// The last failures in words, where there were any.
    pub example: Option<String>,
    /// Requests without an outcome yet.
    pub in_flight: u64,
    /// What the durations are: `response` or `service`.
    pub time: &'static str,
    /// The durations of all that was counted until now.
    pub all: &'a Histogram,
    /// Those of the last stretch, and how long that is.
    pub last: (&'a Histogram, u64),
    /// The load part by part.
    pub moments: &'a [LoadMoment],
}

type Line = Vec<(String, Style)>;

/// The view in at most so many lines of at most so many columns, without line breaks; at least 10 columns. Text from outside is
/// stripped of escape sequences and control characters. Where there is room for little, the first lines are those that stay.
pub fn live_view(view: &LiveView<'_>, width: usize, height: usize, colour: bool) -> Vec<String> {
    let mut lines = vec![progress(view, width), goodput(view), over_time(view, width)];
    lines.extend(times(view, width));
    lines.extend(failures(view, width));
    lines.push(connections(view));
    let room = height.saturating_sub(lines.len() + 1).min(MOST_BINS);
    lines.extend(histogram(view, width, room));
    lines.truncate(height);
    lines.iter().map(|line| fitted(line, width, colour)).collect()
}

/// The line, cut where it is too long.
fn fitted(line: &Line, width: usize, colour: bool) -> String {
    let end = line.iter().rposition(|(text, _)| !text.trim_end().is_empty()).map_or(0, |last| last + 1);
    let (mut fitted, mut room) = (String::new(), width);
    for (index, (text, style)) in line[..end].iter().enumerate() {
        let text = if index + 1 == end { text.trim_end() } else { text };
        if columns(text) > room {
            // Three dots and a letter.
            let text = if room < 4 { String::new() } else { cut(text, room) };
            fitted.push_str(&paint(text.trim_end(), *style, colour));
            return if colour { fitted } else { fitted.trim_end().to_owned() };
        }
        room -= columns(text);
        fitted.push_str(&paint(text, *style, colour));
    }
    fitted
}

fn labelled(label: &str, style: Style, text: String) -> Line {
    vec![(format!("{label:LABEL$}"), Style::Strong), (text, style)]
}

fn progress(view: &LiveView<'_>, width: usize) -> Line {
    let LiveFigures { elapsed_ns, whole_ns, is_warm_up, .. } = view.figures;
    let mut text = format!("{:>5}", elapsed(elapsed_ns));
    if let Some(whole_ns) = whole_ns {
        text.push_str(&format!(" of {}", elapsed(whole_ns)));
    }
    if let Some((done, of)) = view.requests {
        text.push_str(&format!("  {} of {} requests", count(done), count(of)));
    }
    if is_warm_up {
        text.push_str("  warm-up");
    }
    text.push_str("  ");
    let share = |(done, of): (u64, u64)| done as f64 / of.max(1) as f64;
    let shares = [whole_ns.map(|whole_ns| (elapsed_ns, whole_ns)), view.requests];
    let Some(share) = shares.into_iter().flatten().map(share).reduce(f64::max) else {
        return vec![(text, Style::Strong)];
    };
    let room = width.saturating_sub(columns(&text));
    let bar = across(share, room);
    let rest = "·".repeat(room - columns(&bar));
    vec![(text, Style::Strong), (bar, Style::Plain), (rest, Style::Faint)]
}

fn goodput(view: &LiveView<'_>) -> Line {
    let offered = view.offered_per_s.map(|offered| format!(" of {} offered", whole_rate(offered)));
    let text = format!("{}{}", whole_rate(view.figures.rate_per_s), offered.unwrap_or_default());
    labelled("goodput", Style::Plain, text)
}

/// The goodput of each part, from the load's beginning to its end, or until now where its end is not known.
fn over_time(view: &LiveView<'_>, width: usize) -> Line {
    let peak = view.moments.iter().map(|moment| moment.correct_per_s).fold(0.0, f64::max);
    let words = format!("  peak {}", whole_rate(peak));
    let room = width.saturating_sub(LABEL + columns(&words));
    let until_ns = view.figures.whole_ns.unwrap_or(0).max(view.moments.last().map_or(0, |last| last.at_ns));
    let column_ns = until_ns as f64 / room.max(1) as f64;
    let drawn = (0..room).map(|column| {
        let mean = mean_rate(view.moments, column as f64 * column_ns, (column + 1) as f64 * column_ns);
        mean.map_or(' ', |rate| upward(rate / peak.max(f64::MIN_POSITIVE)))
    });
    let mut line = labelled("  over time", Style::Plain, drawn.collect());
    line.push((words, Style::Faint));
    line
}

/// The mean goodput within a span, weighted by time; `None` where nothing was seen.
fn mean_rate(moments: &[LoadMoment], from_ns: f64, to_ns: f64) -> Option<f64> {
    let (mut answers, mut seen_ns, mut start_ns) = (0.0, 0.0, 0.0_f64);
    for moment in moments {
        let end_ns = moment.at_ns as f64;
        let both_ns = end_ns.min(to_ns) - start_ns.max(from_ns);
        if both_ns > 0.0 {
            answers += moment.correct_per_s * both_ns;
            seen_ns += both_ns;
        }
        start_ns = end_ns;
    }
    (seen_ns > 0.0).then(|| answers / seen_ns)
}

fn times(view: &LiveView<'_>, width: usize) -> [Line; 3] {
    // Those that find no room are left out, the highest but the maximum first.
    let room = (width.saturating_sub(LABEL) / CELL).clamp(1, QUANTILES.len());
    let shown = [&QUANTILES[..room - 1], &QUANTILES[QUANTILES.len() - 1..]].concat();
    let row = |label: &str, cell: &dyn Fn(&Quantile) -> String, style| {
        let cells: String = shown.iter().map(|column| format!("{:>CELL$}", cell(column))).collect();
        labelled(label, style, cells)
    };
    let figures = |histogram: &Histogram, (_, q): &Quantile| {
        time(match q {
            Some(q) => histogram.quantile_ns(*q),
            None => histogram.max_ns(),
        })
    };
    let (last, _) = view.last;
    [
        row(view.time, &|(name, _)| (*name).to_owned(), Style::Faint),
        row("  all", &|column| figures(view.all, column), Style::Plain),
        row(&format!("  {}", last_words(view)), &|column| figures(last, column), Style::Plain),
    ]
}

/// `last 1.1 s`.
fn last_words(view: &LiveView<'_>) -> String {
    format!("last {:.1} s", view.last.1 as f64 / 1e9)
}

fn failures(view: &LiveView<'_>, width: usize) -> Vec<Line> {
    let Outcomes { wrong_answer, dropped, .. } = view.outcomes;
    let failed = view.outcomes.failed();
    if failed == 0 {
        return vec![labelled("failures", Style::Plain, count(failed))];
    }
    let wrong = plural(wrong_answer, "wrong answer", "wrong answers");
    let sent = failure_classes(&view.outcomes).map(|(n, class)| (n, format!("{} {class}", count(n))));
    let all = [(wrong_answer, wrong)]
        .into_iter()
        .chain(sent)
        .chain([(dropped, format!("{} dropped", count(dropped)))]);
    let classes: Vec<String> = all.filter(|(n, _)| *n > 0).map(|(_, words)| words).collect();
    let text = match classes.as_slice() {
        // One class has the same number.
        [only] => only.clone(),
        _ => format!("{}: {}", count(failed), classes.join(", ")),
    };
    let labels = std::iter::once("failures").chain(std::iter::repeat(""));
    let texts = wrap(&text, width.saturating_sub(LABEL)).into_iter().take(MOST_LINES);
    let mut lines: Vec<Line> =
        labels.zip(texts).map(|(label, text)| labelled(label, Style::Bad, text)).collect();
    let example = view.example.as_deref().map(clean).filter(|example| !example.is_empty());
    lines.extend(example.map(|example| labelled("  example", Style::Plain, example)));
    lines
}

fn connections(view: &LiveView<'_>) -> Line {
    let LiveFigures { connections, own_cpu_share, .. } = view.figures;
    let connections = plural(connections.into(), "connection", "connections");
    let cpu = own_cpu_share.map(|share| format!(", generator CPU {}", percent(share)));
    let text = format!("{} on {connections}{}", count(view.in_flight), cpu.unwrap_or_default());
    labelled("in flight", Style::Plain, text)
}

/// How durations are spread, of all and, where there is room, of the last stretch beside them.
fn histogram(view: &LiveView<'_>, width: usize, room: usize) -> Vec<Line> {
    let [narrowest, widest] = PANE;
    let Some(bins) = Bins::of(view.all, room) else { return Vec::new() };
    let panes = (width.saturating_sub(LABEL) / narrowest).clamp(1, 2);
    let pane = (width.saturating_sub(LABEL) / panes).min(widest);
    let shares: Vec<Vec<f64>> =
        [view.all, view.last.0][..panes].iter().map(|histogram| bins.shares(histogram)).collect();
    let most = shares.iter().flatten().copied().fold(0.0, f64::max);
    let heads = ["all".to_owned(), last_words(view)];
    let heads: String = heads[..panes].iter().map(|head| format!("{head:pane$}")).collect();
    let mut lines = vec![labelled("histogram", Style::Faint, heads)];
    let above = bins.has_above.then(|| bins.ends_ns.last().map(|&end| format!("over {}", tidy_time_ns(end))));
    let labels = bins.ends_ns.iter().map(|&end| format!("to {}", tidy_time_ns(end)));
    for (row, label) in labels.chain(above.flatten()).enumerate() {
        let mut line: Line = vec![(format!("{label:>width$}  ", width = LABEL - 2), Style::Plain)];
        for shares in &shares {
            let bar = across(shares[row] / most, pane.saturating_sub(SHARE));
            let share = if shares[row] > 0.0 { percent(shares[row]) } else { String::new() };
            line.push((format!("{share:>width$} ", width = SHARE - 2), Style::Plain));
            line.push((format!("{bar:width$} ", width = pane.saturating_sub(SHARE)), Style::Faint));
        }
        lines.push(line);
    }
    lines
}
