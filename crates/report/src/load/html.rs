//! A load as one page, without a script and without anything from elsewhere.

use velo_judge::load::{Headline, LoadResult, Time};
use velo_judge::{Kind, Percentiles};

use super::charts;
use super::figures::{MISSING, examples, label, time, whole_rate};
use super::grpc;
use super::plan::{asked, asks};
use crate::html::Html;
use crate::html::document::document;
use crate::html::table::{Cell, Column, table};
use crate::number::{bytes, count, percent, rate, time_ns};
use crate::text::clean;
use crate::view;
use crate::words::sentence;

/// A file from outside may have any number of these.
const MOST: usize = 20;

/// The result as one HTML file: the answer, whether the conditions hold, what the figures are worth, percentiles, requests and
/// failures over time, answers by status, settings. Text from outside is escaped.
pub fn html(result: &LoadResult) -> String {
    let title = format!("velo load {}", clean(&result.record.target.url));
    document(&title, |html| {
        html.within("main", &[], |html| {
            head(result, html);
            conditions(result, html);
            verdicts(result, html);
            durations(result, html);
            over_time(result, html);
            answers(result, html);
            settings(result, html);
        });
        html.element("footer", &[], &footer(result));
    })
}

fn head(result: &LoadResult, html: &mut Html) {
    let record = &result.record;
    let plan = clean(&format!("{}; {}", asked(&record.settings), asks(&record.settings, &record.driver)));
    html.element("p", &[("class", "about")], &plan);
    html.element("h1", &[], &clean(&record.target.url));
    html.element("p", &[("class", "answer")], &answer(result));
}

/// `5,000/s offered, 4,998/s sent, all 49,980 answers correct; response p50 210 us, p99 1.41 ms.`
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
    format!("{speed}, {correct}{}.{early}", times.unwrap_or_default())
}

fn conditions(result: &LoadResult, html: &mut Html) {
    if result.conditions.is_empty() {
        return;
    }
    section("Conditions", html, |html| {
        let rows = result.conditions.iter().take(MOST).map(|condition| {
            let verdict = match condition.holds {
                Some(true) => "passed",
                Some(false) => "failed",
                None => "undecided",
            };
            vec![
                Cell::text(&clean(&condition.text)),
                Cell::text(verdict),
                Cell::text(&clean(&condition.words)),
            ]
        });
        let columns = [Column::of("condition"), Column::of("verdict"), Column::of("here")];
        table(html, "Conditions of --fail-on", &columns, 0, rows);
    });
}

fn verdicts(result: &LoadResult, html: &mut Html) {
    section("Validity", html, |html| {
        if result.verdicts.iter().all(|verdict| verdict.kind == Kind::Hint) {
            html.element("p", &[], "Nothing found that makes the figures doubtful.");
        }
        if !result.verdicts.is_empty() {
            html.within("ul", &[], |html| {
                let mut verdicts: Vec<_> = result.verdicts.iter().collect();
                verdicts.sort_by_key(|verdict| std::cmp::Reverse(verdict.kind));
                for verdict in verdicts.into_iter().take(MOST) {
                    html.element(
                        "li",
                        &[],
                        &format!("{}: {}", view::kind(verdict.kind), clean(&sentence(&verdict.finding))),
                    );
                }
            });
        }
    });
}

fn durations(result: &LoadResult, html: &mut Html) {
    let figures = &result.figures;
    let shown =
        [Time::Response, Time::Service, Time::FirstByte, Time::SendLag, Time::Connect, Time::Handshake];
    let is_shown = |time: &Time| {
        let of_open_loops = matches!(time, Time::Response | Time::SendLag);
        !of_open_loops || figures.headline == Headline::Response
    };
    let times: Vec<(Time, &Percentiles)> =
        shown.into_iter().filter(is_shown).filter_map(|time| Some((time, figures.of(time)?))).collect();
    if times.is_empty() {
        return;
    }
    section("Durations", html, |html| {
        if charts::percentiles(result, html).is_some() {
            let two = figures.headline == Headline::Response;
            let words = if two {
                "By percentile: response time (accent), from when a request was due, and service time (grey), from when it was sent."
            } else {
                "Service time by percentile."
            };
            html.element("p", &[("class", "about")], words);
        }
        let columns =
            ["", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max", "mean", "samples"].map(Column::of);
        let rows = times.iter().map(|(of, times)| {
            let ns = [
                times.p50_ns,
                times.p90_ns,
                times.p95_ns,
                times.p99_ns,
                times.p999_ns,
                times.p9999_ns,
                times.max_ns,
            ];
            let mean = times.mean_ns.map_or_else(|| MISSING.to_owned(), time_ns);
            let mut row = vec![Cell::text(label(*of))];
            row.extend(ns.map(|ns| Cell::number(Some(time(ns)))));
            row.extend([Cell::number(Some(mean)), Cell::number(Some(count(times.samples)))]);
            row
        });
        table(html, "Durations", &columns, 0, rows);
        html.element("p", &[("class", "about")], "A dash: too few samples, fewer than 10 above it.");
    });
}

fn over_time(result: &LoadResult, html: &mut Html) {
    section("Over time", html, |html| {
        html.element("h3", &[], "Correct answers per second");
        if result.record.settings.warm_up_ns > 0 {
            let words = format!(
                "From the beginning of the load: the first {} are the warm-up, which is in no other figure.",
                time_ns(result.record.settings.warm_up_ns as f64)
            );
            html.element("p", &[("class", "about")], &words);
        }
        if charts::over_time(&result.record.moments, html).is_none() {
            html.element(
                "p",
                &[("class", "about")],
                "Nobody watched this load, or it was over within a second.",
            );
        }
    });
}

fn answers(result: &LoadResult, html: &mut Html) {
    let record = &result.record;
    section("Answers", html, |html| {
        let statuses = record
            .statuses
            .iter()
            .take(MOST)
            .map(|(status, n)| vec![Cell::text(&status.to_string()), Cell::number(Some(count(*n)))]);
        table(html, "Answers by status", &[Column::of("status"), Column::of("answers")], 0, statuses);
        if let Some(call) = &record.settings.grpc {
            let messages = grpc::messages(record)
                .map_or_else(String::new, |words| format!("; of their messages {words}"));
            let text = format!("Calls of {}{messages}.", clean(&call.method));
            html.element("p", &[("class", "about")], &text);
        }
        if !record.grpc_errors.is_empty() {
            let rows = record.grpc_errors.iter().take(MOST);
            let rows = rows
                .map(|error| vec![Cell::text(&grpc::status(error)), Cell::number(Some(count(error.calls)))]);
            table(
                html,
                "Calls by unexpected grpc-status",
                &[Column::of("grpc-status"), Column::of("calls")],
                0,
                rows,
            );
        }
        let failures = super::csv::failures(&record.outcomes);
        let failures: Vec<_> = failures.into_iter().filter(|(_, n)| *n > 0).collect();
        if !failures.is_empty() {
            let rows = failures
                .into_iter()
                .map(|(class, n)| vec![Cell::text(&class.replace('_', " ")), Cell::number(Some(count(n)))]);
            table(html, "Failures by class", &[Column::of("failure"), Column::of("requests")], 0, rows);
        }
        if record.requests.len() > 1 {
            let rows = record.requests.iter().take(MOST).map(|request| {
                vec![
                    Cell::text(&clean(&request.name)),
                    Cell::number(Some(count(request.correct))),
                    Cell::number(Some(count(request.failed))),
                ]
            });
            let columns = [Column::of("request"), Column::of("correct"), Column::of("failed")];
            table(html, "Requests of the mix", &columns, 0, rows);
        }
        for example in examples(result).take(MOST) {
            html.element("p", &[("class", "about")], &format!("Example: {}", clean(example)));
        }
    });
}

fn settings(result: &LoadResult, html: &mut Html) {
    let (record, figures) = (&result.record, &result.figures);
    section("Load", html, |html| {
        let mut rows = vec![
            ("command", record.command.join(" ")),
            ("to", record.target.endpoints.join(", ")),
            ("connections", count(u64::from(record.settings.connections))),
            ("seed", record.settings.seed.to_string()),
        ];
        if let Some(tls) = &record.target.tls {
            let version = tls.version.clone().unwrap_or_else(|| "no connection".to_owned());
            rows.push(("TLS", version));
        }
        if let Some(share) = figures.generator_busy_share {
            rows.push(("generator", format!("{} busy", percent(share))));
        }
        if let Some((received, sent)) = figures.received_bytes_per_s.zip(figures.sent_bytes_per_s) {
            let traffic = format!("{}/s received, {}/s sent", bytes(received as u64), bytes(sent as u64));
            rows.push(("traffic", traffic));
        }
        let rows = rows.into_iter().map(|(name, value)| vec![Cell::text(name), Cell::text(&clean(&value))]);
        table(html, "Settings", &[Column::of("setting"), Column::of("value")], 0, rows);
    });
}

fn footer(result: &LoadResult) -> String {
    let record = &result.record;
    let debug = if record.build == "release" { "" } else { ", a debug build" };
    clean(&format!("Made by velo load {}{debug}, {}.", record.velo, record.started_at))
}

fn section(title: &str, html: &mut Html, fill: impl FnOnce(&mut Html)) {
    html.within("section", &[], |html| {
        html.element("h2", &[], title);
        fill(html);
    });
}
