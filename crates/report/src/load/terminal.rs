//! The result of a load for a terminal: each figure, and under it what is to be said of it.

use velo_judge::load::{Headline, LoadResult, Time};
use velo_judge::{Check, Kind, Percentiles, Verdict};
use velo_record::EncodedHistogram;
use velo_stats::number::decimals;

use super::figures::{examples, label, time, whole_rate};
use super::grpc;
use super::histogram;
use crate::TerminalOptions;
use crate::document::Weight;
use crate::number::{bytes, count, percent, rate, ratio, time_ns};
use crate::section;
use crate::text::{clean, columns};
use crate::words::sentence;
use crate::write::terminal::page::Page;
use crate::write::terminal::style::Style;

/// Where text begins behind a label.
const LABEL: usize = 11;
/// Where the second part of a line begins.
const SECOND: usize = 33;
/// First bytes are shown when they come earlier than last ones by this share.
const EARLIER: f64 = 0.05;
/// A file from outside may have any number of these.
const MOST: usize = 8;
/// A disagreement about the requests in flight that is worth a word.
const NOTABLE: f64 = 0.01;

/// The result for a terminal, without the line of [`super::plan_line`] and without [`hints`]. Text from outside is stripped
/// of escape sequences and control characters.
pub fn terminal(result: &LoadResult, options: &TerminalOptions) -> String {
    let unsaid = result.verdicts.iter().filter(|verdict| verdict.kind != Kind::Hint).collect();
    let mut report =
        Report { page: Page::of(options), unsaid, is_verbose: options.down_to == Weight::Detail };
    report.say(&[Check::Build, Check::Interrupted, Check::Record]);
    histogram::print(result, LABEL, &mut report.page);
    outcomes(result, &mut report);
    times(result, &mut report);
    generator(result, &mut report);
    connections(result, &mut report);
    report.say_the_rest();
    conditions(result, &mut report.page);
    report.page.finish()
}

/// What may help with the next load, a paragraph each; those that hold for every load of its kind only where details are wanted.
/// Text from outside is stripped of escape sequences and control characters.
pub fn hints(result: &LoadResult, options: &TerminalOptions) -> String {
    let mut page = Page::of(options);
    let is_usual = |verdict: &&Verdict| matches!(verdict.check, Check::Expectations | Check::Model);
    let hints = result.verdicts.iter().filter(|verdict| verdict.kind == Kind::Hint);
    for hint in hints.filter(|hint| options.down_to == Weight::Detail || !is_usual(hint)).take(MOST) {
        // The mark of a percentile with too few samples beyond it.
        let mark = if hint.check == Check::Samples { "~: " } else { "" };
        let words = clean(&format!("{mark}{}", sentence(&hint.finding)));
        page.labelled(section::kind(Kind::Hint), Style::Faint, LABEL, &words, Style::Plain);
    }
    page.finish()
}

/// The page, and the verdicts that are not on it yet.
struct Report<'a> {
    page: Page,
    unsaid: Vec<&'a Verdict>,
    is_verbose: bool,
}

impl Report<'_> {
    /// Verdicts of these checks, the gravest first.
    fn say(&mut self, checks: &[Check]) {
        let (mut said, unsaid): (Vec<_>, Vec<_>) =
            self.unsaid.iter().partition(|verdict| checks.contains(&verdict.check));
        self.unsaid = unsaid;
        said.sort_by_key(|verdict| std::cmp::Reverse(verdict.kind));
        said.into_iter().for_each(|verdict| self.line_of(verdict));
    }

    fn say_the_rest(&mut self) {
        let rest: Vec<Check> = self.unsaid.iter().map(|verdict| verdict.check).collect();
        self.say(&rest);
    }

    fn line_of(&mut self, verdict: &Verdict) {
        let style = match verdict.kind {
            Kind::Hint => Style::Faint,
            Kind::Warning => Style::Doubtful,
            Kind::Error => Style::Bad,
        };
        let label = format!("  {}", section::kind(verdict.kind));
        self.page.labelled(&label, style, LABEL, &clean(&sentence(&verdict.finding)), Style::Plain);
    }

    /// A line in two parts, side by side where they fit.
    fn two(&mut self, label: &str, first: &str, second: &str) {
        let gap = SECOND.saturating_sub(LABEL + columns(first)).max(2);
        if second.is_empty() || LABEL + columns(first) + gap + columns(second) > self.page.width {
            self.page.labelled(label, Style::Strong, LABEL, first, Style::Plain);
            if !second.is_empty() {
                self.page.labelled("", Style::Plain, LABEL, second, Style::Plain);
            }
            return;
        }
        let label = format!("{label:LABEL$}");
        let text = format!("{first}{}{second}", " ".repeat(gap));
        self.page.line(&[(&label, Style::Strong), (&text, Style::Plain)]);
    }
}

fn outcomes(result: &LoadResult, report: &mut Report<'_>) {
    let (record, figures) = (&result.record, &result.figures);
    let correct = format!("{} of {}", count(record.outcomes.correct), count(figures.requests));
    let speed = match (figures.offered_per_s, figures.sent_per_s, figures.goodput_per_s) {
        (Some(offered), Some(sent), _) => {
            let offered = whole_rate(offered).trim_end_matches("/s").to_owned();
            let dropped = count(record.outcomes.dropped);
            format!("achieved {} of {offered} offered, {dropped} dropped", whole_rate(sent))
        }
        (.., Some(0.0)) => String::new(),
        // One answer is no rate.
        _ if figures.requests == 1 => String::new(),
        (_, _, Some(goodput)) if figures.at_least => format!("goodput ≥ {}/s", rate(goodput)),
        (_, _, Some(goodput)) => format!("goodput {}/s", rate(goodput)),
        _ => String::new(),
    };
    report.two("correct", &correct, &speed);
    if !record.statuses.is_empty() {
        let statuses = record.statuses.iter().map(|(status, n)| format!("{status}: {}", count(*n)));
        let statuses = some(statuses.collect());
        report.page.labelled("statuses", Style::Strong, LABEL, &statuses, Style::Plain);
    }
    if !record.grpc_errors.is_empty() {
        let errors = some(record.grpc_errors.iter().map(grpc::error).collect());
        report.page.labelled("grpc", Style::Strong, LABEL, &errors, Style::Plain);
    }
    if let Some(words) = grpc::messages(record) {
        report.page.labelled("messages", Style::Strong, LABEL, &words, Style::Plain);
    }
    let failing: Vec<String> = record
        .requests
        .iter()
        .filter(|request| request.failed > 0 && record.requests.len() > 1)
        .map(|request| {
            let all = request.correct.saturating_add(request.failed);
            format!("{}: {} of {} failed", clean(&request.name), count(request.failed), count(all))
        })
        .collect();
    if !failing.is_empty() {
        report.page.labelled("requests", Style::Strong, LABEL, &some(failing), Style::Plain);
    }
    report.say(&[Check::Correctness, Check::Failures]);
    let mut examples: Vec<String> = examples(result).take(MOST).map(clean).collect();
    examples.dedup();
    for example in &examples {
        report.page.labelled("  example", Style::Faint, LABEL, example, Style::Plain);
    }
    report.say(&[Check::Expectations, Check::Offered]);
}

/// The first of many.
fn some(mut items: Vec<String>) -> String {
    let more = items.len().saturating_sub(MOST);
    items.truncate(MOST);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{more}", items.join(", "))
}

fn times(result: &LoadResult, report: &mut Report<'_>) {
    let figures = &result.figures;
    let shown = [
        (Time::Response, figures.headline == Headline::Response),
        (Time::Service, true),
        (Time::FirstByte, comes_earlier(figures.first_byte.as_ref(), figures.service.as_ref())),
    ];
    let rows: Vec<(&str, [String; 5])> = shown
        .into_iter()
        .filter(|(_, is_shown)| *is_shown)
        .filter_map(|(time, _)| Some((label(time), cells(figures.of(time)?, time.histogram(&result.record)))))
        .collect();
    // The figures of all rows stand under each other.
    let widths: [usize; 5] = std::array::from_fn(|column| {
        rows.iter().map(|(_, cells)| columns(&cells[column])).max().unwrap_or(0)
    });
    for (label, cells) in rows {
        let names = ["p50", "p90", "p99", "p99.9", "max"];
        let parts: Vec<String> = names
            .iter()
            .zip(cells.iter().zip(widths))
            .map(|(name, (cell, width))| format!("{name} {cell:>width$}"))
            .collect();
        let line = parts.join("  ");
        if LABEL + columns(&line) > report.page.width {
            report.page.labelled(label, Style::Strong, LABEL, &parts.join(" "), Style::Plain);
        } else {
            report.page.line(&[(&format!("{label:LABEL$}"), Style::Strong), (&line, Style::Plain)]);
        }
    }
    report.say(&[Check::Samples, Check::Model]);
}

/// One that has too few samples beyond it has a mark, which a hint explains.
fn cells(times: &Percentiles, histogram: &EncodedHistogram) -> [String; 5] {
    let histogram = histogram.decode().unwrap_or_default();
    let cell = |(q, ns): (f64, Option<u64>)| match (ns, histogram.quantile_of_few_ns(q)) {
        (None, Some(few)) => format!("~{}", time_ns(few as f64)),
        _ => time(ns),
    };
    let percentiles =
        [(0.5, times.p50_ns), (0.9, times.p90_ns), (0.99, times.p99_ns), (0.999, times.p999_ns)].map(cell);
    let [p50, p90, p99, p999] = percentiles;
    [p50, p90, p99, p999, time(times.max_ns)]
}

fn comes_earlier(first: Option<&Percentiles>, last: Option<&Percentiles>) -> bool {
    let (Some(first), Some(last)) = (first, last) else { return false };
    let pairs = [(first.p50_ns, last.p50_ns), (first.p99_ns, last.p99_ns)];
    pairs.into_iter().any(|pair| match pair {
        (Some(first), Some(last)) => (first as f64) < last as f64 * (1.0 - EARLIER),
        _ => false,
    })
}

/// What the busy share is of, where that is less than the CPUs.
fn limit(result: &LoadResult) -> String {
    let limit =
        result.record.cpu_limit.filter(|limit| limit.cpus < result.record.generator_cpu_ns.len() as f64);
    limit.map_or_else(String::new, |limit| format!(" of {} CPUs", decimals(limit.cpus, 2)))
}

/// The generator itself, and what went over the wire.
fn generator(result: &LoadResult, report: &mut Report<'_>) {
    let figures = &result.figures;
    let cost = figures.cpu_per_request_ns.map(|cpu| format!(", {} CPU/request", time_ns(cpu)));
    let busy = figures
        .generator_busy_share
        .map(|share| format!("{} busy{}{}", percent(share), limit(result), cost.unwrap_or_default()));
    // In a closed loop a request is sent when it is due.
    let lag =
        figures.send_lag.as_ref().filter(|_| report.is_verbose || figures.headline == Headline::Response);
    match (lag, busy) {
        (Some(lag), busy) => {
            let lag = match lag.p99_ns {
                Some(p99) => format!("p99 {}", time_ns(p99 as f64)),
                None => format!("max {}", time(lag.max_ns)),
            };
            let busy = busy.map(|busy| format!("generator {busy}")).unwrap_or_default();
            report.two(label(Time::SendLag), &lag, &busy);
        }
        (None, Some(busy)) => report.two("generator", &busy, ""),
        (None, None) => {}
    }
    report.say(&[Check::SendLag, Check::Limit]);
    // Without anything in flight there is no disagreement either; a verdict says where there is one.
    if let (Some(mean), Some(share)) = (figures.in_flight, figures.littles_law) {
        let law = if report.is_verbose || share >= NOTABLE {
            format!("Little's law within {}", percent(share))
        } else {
            String::new()
        };
        report.two("in flight", &format!("{} requests", ratio(mean)), &law);
    }
    report.say(&[Check::LittlesLaw, Check::HeldBack]);
    if let (Some(received), Some(sent)) = (figures.received_bytes_per_s, figures.sent_bytes_per_s)
        && received + sent > 0.0
    {
        let traffic = format!("{}/s received, {}/s sent", bytes(received as u64), bytes(sent as u64));
        report.two("traffic", &traffic, "");
    }
}

fn connections(result: &LoadResult, report: &mut Report<'_>) {
    let (figures, record) = (&result.figures, &result.record);
    let spread = |times: &Percentiles| format!("p50 {}  max {}", time(times.p50_ns), time(times.max_ns));
    if let Some(times) = &figures.connect {
        let made = section::plural(times.samples, "connection made", "connections made");
        report.two(label(Time::Connect), &spread(times), &made);
    }
    if let Some(times) = &figures.handshake {
        let resumed = format!("{}, {} resumed", count(times.samples), count(record.resumed));
        report.two(label(Time::Handshake), &spread(times), &resumed);
    }
    report.say(&[Check::Connections, Check::Ports, Check::Fairness]);
}

/// What holds in one line, what does not in one line each.
fn conditions(result: &LoadResult, page: &mut Page) {
    let that = |holds| result.conditions.iter().filter(move |condition| condition.holds == holds);
    let words: Vec<String> = that(Some(true)).map(|condition| clean(&condition.words)).collect();
    if !words.is_empty() {
        page.labelled("pass", Style::Good, LABEL, &words.join("; "), Style::Plain);
    }
    for condition in that(None) {
        page.labelled("undecided", Style::Doubtful, LABEL, &clean(&condition.words), Style::Plain);
    }
    for condition in that(Some(false)) {
        page.labelled("FAIL", Style::Bad, LABEL, &clean(&condition.words), Style::Plain);
    }
}
