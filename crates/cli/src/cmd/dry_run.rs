//! `velo run --dry-run`: what would be measured, without building or starting anything.

use std::time::Duration;

use velo_lab::{Preview, Previewed, RunOptions, SingleCalls};
use velo_model::{Contender, Download, PartyRole, Workload};
use velo_stats::number::rate;

use crate::columns::{align, wrap};
use crate::values;

const WIDTH: usize = 80;

/// All of it, for standard output.
pub(crate) fn text(options: &RunOptions, preview: &Preview) -> String {
    let mut text = format!(
        "dry run  nothing is built, started or measured; seed {}\n\
         CPUs     contenders on {}, generator on {}\n",
        options.seed,
        values::cpus_in_words(preview.placement.cpus(PartyRole::Contender)),
        values::cpus_in_words(preview.placement.cpus(PartyRole::Generator))
    );
    for workload in &preview.workloads {
        text.push_str(&format!(
            "\n{}\n",
            wrap(&format!("{}: {}", workload.name, workload.question), 0, WIDTH)
        ));
        text.push_str(&format!("load     {}\n", load(workload, options)));
        let rows: Vec<Vec<String>> = preview
            .contenders
            .iter()
            .filter(|one| one.skipped.is_none() && workload.is_for(&one.contender))
            .map(|one| vec![format!("  {}", one.contender.name), command(&one.contender)])
            .collect();
        text.push_str(&align(&rows));
    }
    text.push_str(&skipped(&preview.contenders));
    text.push_str(&format!("\n{}{}", time(options, preview), later(options)));
    text
}

fn load(workload: &Workload, options: &RunOptions) -> String {
    let own = &workload.load;
    let connections = velo_report::carried(
        own.connections,
        own.requests_per_connection,
        own.protocol,
        own.streams,
        own.link.as_ref(),
    );
    let loop_ = match workload.load.rate_per_s {
        Some(rate_per_s) => format!("open loop at {} requests/s", rate(rate_per_s)),
        None => "closed loop".to_owned(),
    };
    let mut parts = vec![format!("{connections}, {loop_}")];
    if let Some(published) = workload.load.as_published.as_ref().filter(|_| options.as_published) {
        parts.push(format!("one window of {} s each", published.seconds));
    }
    if let Some(rate_per_s) = options.equal_rate_per_s {
        parts.push(format!("common rate {} requests/s", rate(rate_per_s)));
    }
    if options.latency.is_some() {
        parts.push("response times at stated rates".to_owned());
    }
    if options.curve {
        parts.push("a sweep of rates".to_owned());
    }
    if !workload.bursts.is_empty() {
        parts.push(values::count(workload.bursts.len(), "burst"));
    }
    if workload.task.is_some() {
        parts.push("tasks".to_owned());
    }
    if let Some(download) = &workload.download {
        parts = vec![file_in_words(download)];
    }
    wrap(&parts.join(", "), 9, WIDTH)
}

/// `files of 80 kB, 40 by each process one after the other`, `50 files of 80 kB, 8 at once, 10 times by each process`.
fn file_in_words(download: &Download) -> String {
    let bytes = velo_stats::number::bytes(download.bytes);
    let Download { files, at_once, iterations, .. } = download;
    match files {
        1 => format!("files of {bytes}, {iterations} by each process one after the other"),
        _ => format!("{files} files of {bytes}, {at_once} at once, {iterations} times by each process"),
    }
}

/// The commands that the contender would be built and started with, one after the other.
fn command(contender: &Contender) -> String {
    if let Some(place) = &contender.runs_at {
        return format!("runs at {place}");
    }
    let fetch = contender.fetch.as_deref().into_iter();
    fetch.chain(contender.build.as_deref()).chain([contender.start.as_str()]).collect::<Vec<_>>().join("; ")
}

fn skipped(contenders: &[Previewed]) -> String {
    let mut text = String::new();
    for one in contenders {
        let Some(missing) = &one.skipped else { continue };
        if text.is_empty() {
            text.push_str("\nskipped\n");
        }
        text.push_str(&format!("  {}: {}\n    {}\n", one.contender.name, missing.reason, missing.cure));
    }
    text
}

/// How long all of it will take, as far as that is known before it begins.
pub(crate) fn time(options: &RunOptions, preview: &Preview) -> String {
    let building = match preview.never_built {
        0 => "building and verifying".to_owned(),
        built => format!(
            "building (about {} for the first build of {}) and verifying",
            values::clock(preview.building),
            values::count(built, "contender")
        ),
    };
    let about = |expected: Duration| format!("about {} to measure", values::clock(expected));
    let calls = preview.calls.map(|expected| format!("single calls (at least {})", values::clock(expected)));
    if options.single_calls == SingleCalls::Only {
        let calls = calls.unwrap_or_else(|| "nothing, since nobody can be called".to_owned());
        return format!("time     {}\n", wrap(&format!("{calls}, in addition to {building}"), 9, WIDTH));
    }
    let expected = preview.expected.map_or("shown by the first launch".to_owned(), about);
    let mut beside = vec![building.as_str()];
    if preview.workloads.iter().any(|workload| !workload.bursts.is_empty()) {
        beside.push("bursts");
    }
    let has_tasks = preview.contenders.iter().any(|one| !one.contender.role.is_server());
    if has_tasks {
        beside.push("tasks");
    }
    beside.extend(calls.as_deref());
    let beside = format!("{expected}, in addition to {}", values::listed(&beside));
    format!("time     {}\n", wrap(&beside, 9, WIDTH))
}

/// What only measuring will show.
fn later(options: &RunOptions) -> String {
    let mut later = Vec::new();
    if !options.as_published {
        later.extend(["window lengths", "launches and blocks"]);
        if !options.quick && options.equal_rate_per_s.is_none() {
            later.push("the common rate");
        }
    }
    if options.latency.is_some() || options.curve {
        later.push("the rates of response times");
    }
    if later.is_empty() {
        return String::new();
    }
    let known = format!("only the first launch's warm-up fixes {}", values::listed(&later));
    format!("later    {}\n", wrap(&known, 9, WIDTH))
}
