//! A load as a document: the answer, whether the conditions hold, what the figures are worth, percentiles, the load over time, answers by
//! status, settings.

use velo_judge::load::{Headline, LoadResult, Time};
use velo_judge::{Kind, Percentiles, quantiles};

use super::figures::{MISSING, examples, label, time, whole_rate};
use super::over_time;
use super::plan::{asked, asks};
use super::{csv, grpc};
use crate::document::{Block, Column, Document, Named, Note, Section, Table, Tone};
use crate::number::{bytes, count, percent, rate, time_ns};
use crate::section::charts::percentiles_of;
use crate::section::plural;
use crate::text::clean;
use crate::words::sentence;

/// A file from outside may have any number of these.
const MOST: usize = 20;
/// Of the chart of percentiles.
const HEIGHT: u32 = 280;

pub(super) fn document(result: &LoadResult) -> Document {
    let record = &result.record;
    let plan = format!("{}; {}", asked(&record.settings), asks(&record.settings, &record.driver));
    Document {
        answer: Some((answer(result), tone(result))),
        about: clean(&plan),
        sections: vec![
            conditions(result),
            validity(result),
            durations(result),
            over_time(result),
            answers(result),
            settings(result),
        ],
        ..Document::new(format!("velo load {}", clean(&record.target.url)))
    }
}

/// Which version made it, and when the load began.
pub(super) fn made_by(result: &LoadResult) -> String {
    let record = &result.record;
    let debug = if record.build == "release" { "" } else { ", a debug build" };
    clean(&format!("Made by velo load {}{debug}, {}.", record.velo, record.started_at))
}

/// `5,000/s offered, 4,998/s sent, all 49,980 answers correct; response time p50 210 us, p99 1.41 ms.`
fn answer(result: &LoadResult) -> String {
    let (record, figures) = (&result.record, &result.figures);
    let speed = match (figures.offered_per_s, figures.sent_per_s, figures.goodput_per_s) {
        (Some(offered), Some(sent), _) => {
            format!("{} offered, {} sent", whole_rate(offered), whole_rate(sent))
        }
        (_, _, Some(goodput)) if figures.at_least => format!("At least {} correct answers/s", rate(goodput)),
        (_, _, Some(goodput)) => format!("{} correct answers/s", rate(goodput)),
        _ => "No rate".to_owned(),
    };
    let correct = match record.outcomes.correct {
        0 => "no correct answer".to_owned(),
        correct if figures.failed == 0 => format!("all {} answers correct", count(correct)),
        correct => format!("{} of {} requests answered correctly", count(correct), count(figures.requests)),
    };
    let headline = Time::from(figures.headline);
    let times = figures.of(headline).map(|times| {
        let name = label(headline);
        format!("; {name} time p50 {}, p99 {}", time(times.p50_ns), time(times.p99_ns))
    });
    let early = if record.interrupted { " Interrupted." } else { "" };
    format!("{speed}, {correct}{}.{early}{}", times.unwrap_or_default(), failed(result))
}

/// ` 1 of 3 conditions failed.`
fn failed(result: &LoadResult) -> String {
    let failed = result.conditions.iter().filter(|condition| condition.holds == Some(false)).count();
    match (failed, result.conditions.len()) {
        (0, _) => String::new(),
        (failed, all) => format!(" {failed} of {} failed.", plural(all as u64, "condition", "conditions")),
    }
}

fn tone(result: &LoadResult) -> Tone {
    let has_failed = result.conditions.iter().any(|condition| condition.holds == Some(false));
    match result.verdicts.iter().map(|verdict| verdict.kind).max() {
        _ if has_failed => Tone::Bad,
        Some(Kind::Error) => Tone::Bad,
        Some(Kind::Warning) => Tone::Doubtful,
        Some(Kind::Hint) | None => Tone::Good,
    }
}

fn conditions(result: &LoadResult) -> Section {
    let rows = result.conditions.iter().take(MOST).map(|condition| {
        let verdict = match condition.holds {
            Some(true) => "passed",
            Some(false) => "failed",
            None => "undecided",
        };
        [clean(&condition.text), verdict.to_owned(), clean(&condition.words)].map(Some)
    });
    let table = Table::new(["condition", "verdict", "here"].map(Column::text), rows);
    Section::new("conditions", "", vec![Block::Table(table.called("Conditions of --fail-on"))])
}

fn validity(result: &LoadResult) -> Section {
    let is_sound = result.verdicts.iter().all(|verdict| verdict.kind == Kind::Hint);
    let sound = is_sound.then(|| Block::text("Nothing found that makes the figures doubtful."));
    let mut verdicts: Vec<_> = result.verdicts.iter().collect();
    verdicts.sort_by_key(|verdict| std::cmp::Reverse(verdict.kind));
    let note = |verdict: &velo_judge::Verdict| Note {
        kind: verdict.kind,
        names: Vec::new(),
        words: clean(&sentence(&verdict.finding)),
    };
    let notes = verdicts.into_iter().take(MOST).map(note).collect();
    Section::new("validity", "", sound.into_iter().chain([Block::Notes { notes }]).collect())
}

fn durations(result: &LoadResult) -> Section {
    let figures = &result.figures;
    let is_open = figures.headline == Headline::Response;
    let shown =
        [Time::Response, Time::Service, Time::FirstByte, Time::SendLag, Time::Connect, Time::Handshake];
    let is_shown = |time: &Time| is_open || !matches!(time, Time::Response | Time::SendLag);
    let times: Vec<(Time, &Percentiles)> =
        shown.into_iter().filter(is_shown).filter_map(|time| Some((time, figures.of(time)?))).collect();
    let columns = [
        Column::text("time"),
        Column::number("p50"),
        Column::number("p90"),
        Column::number("p95"),
        Column::number("p99"),
        Column::number("p99.9"),
        Column::number("p99.99"),
        Column::number("max"),
        Column::number("mean"),
        Column::number("samples"),
    ];
    let rows = times.iter().map(|(of, times)| {
        [
            label(*of).to_owned(),
            time(times.p50_ns),
            time(times.p90_ns),
            time(times.p95_ns),
            time(times.p99_ns),
            time(times.p999_ns),
            time(times.p9999_ns),
            time(times.max_ns),
            times.mean_ns.map_or_else(|| MISSING.to_owned(), time_ns),
            count(times.samples),
        ]
        .map(Some)
    });
    let mut blocks = percentiles(result);
    if !times.is_empty() {
        blocks.push(Block::Table(Table::new(columns, rows)));
        blocks.push(Block::text("A dash: too few samples, fewer than 10 above it."));
    }
    Section::new("durations", "", blocks)
}

/// Nothing where there are no samples.
fn percentiles(result: &LoadResult) -> Vec<Block> {
    let (words, times): (_, &[Time]) = match result.figures.headline {
        Headline::Response => (
            "By percentile: response time, from when a request was due, and service time, from when it was sent.",
            &[Time::Service, Time::Response],
        ),
        Headline::Service => ("Service time by percentile.", &[Time::Service]),
    };
    let lines: Vec<(&str, Vec<(f64, u64)>)> = times
        .iter()
        .filter_map(|time| Some((label(*time), quantiles(&time.histogram(&result.record).decode().ok()?))))
        .filter(|(_, quantiles)| quantiles.len() > 1)
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let lines: Vec<_> = lines.iter().map(|(name, times)| (*name, None, times.as_slice())).collect();
    let label = "Durations by percentile; the table below has the figures.";
    vec![Block::text(words), Block::Chart(percentiles_of("percentiles", label, HEIGHT, &lines))]
}

fn over_time(result: &LoadResult) -> Section {
    let warm_up_ns = result.record.settings.warm_up_ns;
    let warm_up = (warm_up_ns > 0).then(|| {
        Block::text(format!(
            "From the beginning of the load: the first {} are the warm-up, which is in no other figure.",
            time_ns(warm_up_ns as f64)
        ))
    });
    let mut charts = over_time::charts(result);
    if charts.is_empty() {
        charts.push(Block::text("Nobody watched this load, or it was over within a second."));
    }
    Section::new("over time", "", warm_up.into_iter().chain(charts).collect())
}

fn answers(result: &LoadResult) -> Section {
    let record = &result.record;
    let counted = |titles: [&str; 2], label: &str, rows: Vec<(String, u64)>| {
        let columns = [Column::text(titles[0]), Column::number(titles[1])];
        let rows = rows.into_iter().map(|(name, n)| [Some(name), Some(count(n))]);
        Block::Table(Table::new(columns, rows).called(label))
    };
    let statuses = record.statuses.iter().take(MOST).map(|(status, n)| (status.to_string(), *n)).collect();
    let mut blocks = vec![counted(["status", "answers"], "Answers by status", statuses)];
    if let Some(call) = &record.settings.grpc {
        let messages =
            grpc::messages(record).map_or_else(String::new, |words| format!("; of their messages {words}"));
        blocks.push(Block::text(format!("Calls of {}{messages}.", clean(&call.method))));
    }
    let errors = record.grpc_errors.iter().take(MOST).map(|error| (grpc::status(error), error.calls));
    let failures = csv::failures(&record.outcomes).into_iter().filter(|(_, n)| *n > 0);
    let failures = failures.map(|(class, n)| (class.replace('_', " "), n)).collect();
    blocks.extend([
        counted(["grpc-status", "calls"], "Calls by unexpected grpc-status", errors.collect()),
        counted(["failure", "requests"], "Failures by class", failures),
    ]);
    if record.requests.len() > 1 {
        let rows =
            record.requests.iter().take(MOST).map(|request| {
                [clean(&request.name), count(request.correct), count(request.failed)].map(Some)
            });
        let columns = [Column::text("request"), Column::number("correct"), Column::number("failed")];
        blocks.push(Block::Table(Table::new(columns, rows).called("Requests of the mix")));
    }
    let examples = examples(result).take(MOST).map(|example| format!("Example: {}", clean(example)));
    blocks.push(Block::remarks(examples.collect()));
    Section::new("answers", "", blocks)
}

fn settings(result: &LoadResult) -> Section {
    let (record, figures) = (&result.record, &result.figures);
    let mut rows = vec![
        ("command", record.command.join(" ")),
        ("to", record.target.endpoints.join(", ")),
        ("connections", count(u64::from(record.settings.connections))),
        ("seed", record.settings.seed.to_string()),
    ];
    if let Some(tls) = &record.target.tls {
        rows.push(("TLS", tls.version.clone().unwrap_or_else(|| "no connection".to_owned())));
    }
    if let Some(share) = figures.generator_busy_share {
        rows.push(("generator", format!("{} busy", percent(share))));
    }
    if let Some((received, sent)) = figures.received_bytes_per_s.zip(figures.sent_bytes_per_s) {
        let traffic = format!("{}/s received, {}/s sent", bytes(received as u64), bytes(sent as u64));
        rows.push(("traffic", traffic));
    }
    let rows = rows.into_iter().map(|(name, value)| (name.to_owned(), clean(&value))).collect();
    Section::new("load", "", vec![Block::Named(Named::new(["setting", "value"], rows))])
}
