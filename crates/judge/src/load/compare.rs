//! Two loads beside each other, one run each.

use velo_record::{LoadRecord, LoadSettings};

use super::figures::{self, LoadFigures, Time};
use super::result::LoadResult;
use crate::words::load::{protocol_words, schedule_words, thousands, time_ns};

/// A load beside an earlier one.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadComparison {
    /// When the earlier one began, as its record says.
    pub before_started_at: String,
    /// False when the two differ in what was asked of the server or in what asked it.
    pub same_load: bool,
    /// The settings that differ.
    pub differences: Vec<Difference>,
    /// The figures beside each other.
    pub figures: Vec<ComparedFigure>,
    /// What the comparison is worth, a sentence each; the first says that one run has no interval.
    pub notes: Vec<String>,
}

/// A setting that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which: `connections`.
    pub setting: &'static str,
    /// Now, in words.
    pub now: String,
    /// Before, in words.
    pub before: String,
    /// Whether the load is another one because of it.
    pub another_load: bool,
}

/// A figure beside the earlier one.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedFigure {
    /// Its name: `goodput`, `response p99`.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// Now; `None` when there is none.
    pub now: Option<f64>,
    /// Before.
    pub before: Option<f64>,
    /// Now over before; `None` when either is missing or the earlier one is 0.
    pub ratio: Option<f64>,
}

/// The unit of a compared figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Per second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
    /// A share from 0 to 1.
    Share,
}

/// Compares a load with an earlier one. Refuses nothing: what differs is said. The figures are made anew from both
/// records, so that both follow this version's formulas.
pub fn compare(now: &LoadResult, before: &LoadResult) -> LoadComparison {
    let differences = differences(&now.record, &before.record);
    let (figures_now, _) = figures::of(&now.record);
    let (figures_before, _) = figures::of(&before.record);
    let same_load = !differences.iter().any(|difference| difference.another_load);
    let mut notes = vec![
        "one run each has no interval: a difference may be chance; run both again, in turn, to tell"
            .to_owned(),
    ];
    if !same_load {
        notes.push("not the same load: the ratios compare the settings as well".to_owned());
    }
    for (which, result, figures) in [("now", now, &figures_now), ("before", before, &figures_before)] {
        notes.extend(doubts(which, &result.record, figures));
    }
    LoadComparison {
        before_started_at: before.record.started_at.clone(),
        same_load,
        differences,
        figures: compared(&figures_now, &figures_before),
        notes,
    }
}

fn differences(now: &LoadRecord, before: &LoadRecord) -> Vec<Difference> {
    type Words = fn(&LoadRecord) -> String;
    let settings: [(&'static str, bool, Words); 16] = [
        ("target", false, |record| record.target.url.clone()),
        ("load model", true, |record| schedule_words(&record.settings.schedule)),
        ("connections", true, |record| thousands(u64::from(record.settings.connections))),
        ("requests", true, |record| short_hash(&record.settings.requests_hash)),
        ("protocol", true, |record| protocol_words(record.settings.protocol).to_owned()),
        ("streams", true, |record| record.settings.streams.to_string()),
        ("pipelining", true, |record| record.settings.pipelining.to_string()),
        ("requests per connection", true, |record| per_connection(&record.settings)),
        ("when no connection is free", true, |record| when_full(&record.settings)),
        ("encryption", true, tls),
        ("timeout", true, |record| time_ns(record.settings.timeout_ns as f64, 3)),
        ("driver", true, |record| record.driver.clone()),
        ("threads", true, |record| record.settings.cpus.len().to_string()),
        ("busy polling", true, |record| yes_or_no(record.settings.busy_poll)),
        ("velo", true, |record| record.velo.clone()),
        ("build", true, |record| record.build.clone()),
    ];
    settings
        .into_iter()
        .map(|(setting, another_load, words)| Difference {
            setting,
            now: words(now),
            before: words(before),
            another_load,
        })
        .filter(|difference| difference.now != difference.before)
        .collect()
}

/// Enough of a hash to see that it is another one.
fn short_hash(hash: &str) -> String {
    hash.chars().take(12).collect()
}

fn per_connection(settings: &LoadSettings) -> String {
    settings.requests_per_connection.map_or_else(|| "no limit".to_owned(), |n| thousands(u64::from(n)))
}

fn when_full(settings: &LoadSettings) -> String {
    if settings.drops_when_full { "dropped" } else { "queued" }.to_owned()
}

fn tls(record: &LoadRecord) -> String {
    match &record.target.tls {
        None => "none".to_owned(),
        Some(tls) => {
            let version = tls.version.as_deref().unwrap_or("TLS");
            let cipher = tls.cipher.as_deref().unwrap_or("no cipher suite");
            let resumption = if tls.resumption { "with" } else { "without" };
            format!("{version}, {cipher}, {resumption} resumption")
        }
    }
}

fn yes_or_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn compared(now: &LoadFigures, before: &LoadFigures) -> Vec<ComparedFigure> {
    // Of an open and a closed loop only service times are alike.
    let time = if now.headline == before.headline { now.headline.into() } else { Time::Service };
    let figure = |name: String, unit: Unit, of: &dyn Fn(&LoadFigures) -> Option<f64>| {
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        let (now, before) = (finite(of(now)), finite(of(before)));
        let ratio = now.zip(before).map(|(now, before)| now / before);
        ComparedFigure { name, unit, now, before, ratio: finite(ratio) }
    };
    let mut figures = vec![figure("goodput".to_owned(), Unit::PerSecond, &|figures| figures.goodput_per_s)];
    for (index, name) in [(0, "p50"), (2, "p90"), (4, "p99"), (5, "p99.9")] {
        let name = format!("{} {name}", time.name());
        figures.push(figure(name, Unit::Nanoseconds, &|figures| {
            figures.of(time).and_then(|times| times.listed()[index].2).map(|value| value as f64)
        }));
    }
    let max = format!("{} max", time.name());
    figures.push(figure(max, Unit::Nanoseconds, &|figures| {
        figures.of(time).and_then(|times| times.max_ns).map(|value| value as f64)
    }));
    figures.push(figure("generator CPU/request".to_owned(), Unit::Nanoseconds, &|figures| {
        figures.cpu_per_request_ns
    }));
    figures.push(figure("errors".to_owned(), Unit::Share, &|figures| figures.failed_share));
    figures
}

/// What makes one of the two worth less.
fn doubts(which: &str, record: &LoadRecord, figures: &LoadFigures) -> Vec<String> {
    let mut doubts = Vec::new();
    if figures.at_least {
        doubts.push(format!("{which}: the generator was the limit, so the goodput is a lower bound"));
    }
    if record.interrupted {
        doubts.push(format!("{which}: interrupted before its time"));
    }
    doubts
}
