//! Single calls in words: the whole call by protocol and connection, its phases under each condition, the hours that people wait.

use std::collections::BTreeMap;

use velo_judge::{CallCount, CallRow, CallTable, CallsUnderCondition, ComparedRow, Estimate, JudgedWorkload};
use velo_model::{
    CallCondition, CallConnection, CallSending, ContenderName, Figure, LoadCondition, Protocol,
    PublishedFigure,
};

use super::names::named;
use super::pairs;
use super::phrases::{no_score, plural, with_interval};
use crate::document::{Axis, Block, Chart, Column, Line, Mark, Point, Room, Section, Table, TableRow, Tick};
use crate::number::{count, figure, plus_minus, tidy_time_ns, time_ns};
use crate::text::clean;

/// The calls of a workload: the table of whole calls, then the phases under each condition.
pub(crate) fn sections(workload: &JudgedWorkload) -> Vec<Section> {
    let Some(table) = &workload.calls else { return Vec::new() };
    let about = "one request at a time, nothing else in flight: the whole call; ± over launches";
    let mut blocks = Vec::new();
    for group in groups(table) {
        blocks.push(Block::text(group.words.clone()));
        blocks.push(Block::Table(group.table()));
        blocks.push(Block::Chart(group.chart()));
    }
    blocks.extend(hours(table).map(Block::text));
    blocks.extend(held_back(table).into_iter().map(Block::text));
    let rows = || table.conditions.iter().flat_map(|under| &under.rows);
    if rows().any(|row| row.counts_disturbed) {
        blocks.push(Block::text(DISTURBED));
    }
    blocks.push(Block::faults(Room::Any, faults(table)));
    blocks.push(Block::remarks(table.left_out.iter().map(|words| clean(words)).collect()));
    let phases = table.conditions.iter().map(|under| phases(under, table, workload));
    [Section::new("calls", about, blocks)].into_iter().chain(phases).collect()
}

const DISTURBED: &str =
    "* others took CPU time in most launches: these are of all launches, and are compared with nothing.";
/// So many conditions of one fault are named; of more their number.
const MOST_NAMED: usize = 3;

/// Conditions that differ only in protocol and connection.
struct Group<'t> {
    words: String,
    conditions: Vec<&'t CallsUnderCondition>,
}

fn groups(table: &CallTable) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<_, Vec<&CallsUnderCondition>> = BTreeMap::new();
    for under in &table.conditions {
        let CallCondition { rtt_ms, sending, tls, .. } = under.condition;
        // What is in clear stands beside the newer TLS, to which it is compared.
        let place = tls.unwrap_or_default();
        groups.entry((rtt_ms, sending, std::cmp::Reverse(place))).or_default().push(under);
    }
    let group = |((rtt_ms, sending, tls), conditions): ((u32, CallSending, std::cmp::Reverse<_>), Vec<_>)| {
        let tls: velo_model::CallTls = tls.0;
        let is_encrypted = |under: &&CallsUnderCondition| under.condition.tls.is_some();
        let tls = match conditions.iter().any(is_encrypted) {
            true => format!(", TLS {}", tls.name()),
            false => String::new(),
        };
        Group { words: format!("{}{tls}{}:", distance(rtt_ms), sent(sending)), conditions }
    };
    groups.into_iter().map(group).collect()
}

/// The whole calls of one distance and version of TLS, for pages that draw tables of their own.
#[derive(Debug)]
pub(crate) struct WholeCalls {
    /// What they are: `Round trip of 20 ms, TLS 1.3:`.
    pub(crate) words: String,
    /// The connections: the titles of the columns behind contender and protocol.
    pub(crate) connections: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

/// All whole calls of a workload; none where there are no calls.
pub(crate) fn whole_calls(workload: &JudgedWorkload) -> Vec<WholeCalls> {
    let groups = workload.calls.iter().flat_map(groups);
    let tables = groups.map(|group| WholeCalls {
        connections: group.connections().into_iter().map(CallConnection::name).collect(),
        rows: group.table().rows.into_iter().map(|row| row.cells).collect(),
        words: group.words,
    });
    tables.collect()
}

/// How long a phase of a call took.
type Phase = fn(&CallRow) -> Option<f64>;

/// The phases of a call, in their order.
const PHASES: [(&str, Phase); 4] = [
    ("connect", |row| row.connect_ns),
    ("TLS", |row| row.handshake_ns),
    ("first byte", |row| row.first_byte_ns),
    ("rest", |row| row.rest_ns),
];
/// The height of a call in a chart.
const BAR: u32 = 20;

impl Group<'_> {
    /// The phases of each call one after another.
    fn chart(&self) -> Chart {
        let mut calls: Vec<(&CallRow, String)> = Vec::new();
        for under in &self.conditions {
            let CallCondition { protocol, connection, .. } = under.condition;
            let usable = under.rows.iter().filter(|row| row.has_figures());
            let name = |row: &CallRow| {
                format!(
                    "{}, {}, {}",
                    named(&row.contender, row.protocol.is_grpc()),
                    protocol.name(),
                    connection.name()
                )
            };
            calls.extend(usable.map(|row| (row, name(row))));
        }
        let whole = |row: &CallRow| row.whole_ns.map_or(f64::INFINITY, |whole| whole.value);
        calls.sort_by(|(a, _), (b, _)| a.contender.cmp(&b.contender).then(whole(a).total_cmp(&whole(b))));
        let mut ends: Vec<f64> = Vec::new();
        let mut lines: Vec<Line> = PHASES
            .iter()
            .map(|(name, _)| Line {
                name: (*name).to_owned(),
                of: None,
                mark: Mark::Bars,
                points: Vec::new(),
            })
            .collect();
        for (place, (row, _)) in calls.iter().enumerate() {
            let mut from = 0.0;
            for (line, (name, phase)) in lines.iter_mut().zip(PHASES) {
                let Some(ns) = phase(row).filter(|ns| *ns >= 0.5) else { continue };
                let words = format!("{}, {name}: {}", row.contender, time_ns(ns));
                line.points.push(Point::at(from, place as f64 + 0.5).to(from + ns).says(words));
                from += ns;
            }
            ends.push(from);
        }
        let ticks = calls.iter().enumerate();
        let ticks = ticks.map(|(place, (_, name))| Tick { at: place as f64 + 0.5, text: name.clone() });
        Chart {
            id: format!(
                "calls-{}",
                self.words.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")
            ),
            label: format!("Phases of a call: {}", self.words.trim_end_matches(':')),
            height: u32::try_from(calls.len()).unwrap_or(1).saturating_mul(BAR).min(4_000) + 60,
            x: Axis::from_zero("", "from_ns", &ends, &|ns| tidy_time_ns(ns as u64)),
            y: Axis::marked("", "call", (calls.len() as f64, 0.0), ticks.collect()),
            lines,
        }
    }

    fn connections(&self) -> Vec<CallConnection> {
        let has = |connection: &CallConnection| {
            self.conditions.iter().any(|under| under.condition.connection == *connection)
        };
        CallConnection::ALL.into_iter().filter(has).collect()
    }

    fn table(&self) -> Table {
        let connections = self.connections();
        let mut columns = vec![Column::text("contender"), Column::text("protocol")];
        columns.extend(connections.iter().map(|connection| Column::number(connection.name())));
        let mut rows: Vec<(f64, TableRow)> = Vec::new();
        for protocol in Protocol::OF_RUNS {
            let of_protocol = || self.conditions.iter().filter(|under| under.condition.protocol == protocol);
            let mut names: Vec<_> =
                of_protocol().flat_map(|under| &under.rows).map(|row| row.contender.clone()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let found: Vec<Option<&CallRow>> = connections
                    .iter()
                    .map(|connection| {
                        let under = of_protocol().find(|under| under.condition.connection == *connection)?;
                        under.rows.iter().find(|row| row.contender == name)
                    })
                    .collect();
                let is_grpc = found.iter().flatten().any(|row| row.protocol.is_grpc());
                let shown = named(&name, is_grpc);
                let first = found.iter().flatten().find_map(|row| row.whole_ns.filter(|_| row.has_figures()));
                let mut cells = vec![Some(shown), Some(protocol.name().to_owned())];
                cells.extend(found.into_iter().map(|row| whole(row?)));
                rows.push((first.map_or(f64::INFINITY, |whole| whole.value), TableRow::of(&name, cells)));
            }
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        Table::new(columns, rows.into_iter().map(|(_, row)| row))
    }
}

/// With a star where others disturbed it.
fn whole(row: &CallRow) -> Option<String> {
    let whole = row.whole_ns.filter(|_| row.has_figures())?;
    Some(if row.counts_disturbed { format!("{} *", time_ns(whole.value)) } else { time(&whole) })
}

fn time(ns: &Estimate) -> String {
    with_interval(time_ns(ns.value), false, plus_minus(ns, time_ns))
}

/// `no distance`, `round trip of 20 ms`.
fn distance(rtt_ms: u32) -> String {
    match rtt_ms {
        0 => "No distance".to_owned(),
        ms => format!("Round trip of {} ms", count(u64::from(ms))),
    }
}

fn sent(sending: CallSending) -> &'static str {
    match sending {
        CallSending::Whole => "",
        CallSending::Apart => ", head and body in a write each",
        CallSending::ApartNagle => ", head and body in a write each, with Nagle's algorithm",
    }
}

/// A condition in words: `HTTP/1.1 over TLS 1.3, new connection, round trip of 20 ms`.
pub(crate) fn words(condition: &CallCondition) -> String {
    let protocol = if condition.protocol.is_http2() { "HTTP/2" } else { "HTTP/1.1" };
    let tls = condition.tls.map(|tls| format!(" over TLS {}", tls.name())).unwrap_or_default();
    let connection = match condition.connection {
        CallConnection::New => "new connection",
        CallConnection::Resumed => "new connection, session resumed",
        CallConnection::Kept => "kept connection",
    };
    let distance = match condition.rtt_ms {
        0 => String::new(),
        ms => format!(", round trip of {} ms", count(u64::from(ms))),
    };
    format!("{protocol}{tls}, {connection}{distance}{}", sent(condition.sending))
}

/// The phases under one condition, and all that was counted.
fn phases(under: &CallsUnderCondition, table: &CallTable, workload: &JudgedWorkload) -> Section {
    let trips = plural(u64::from(under.least_round_trips), "round trip", "round trips");
    let about = format!("{}; {trips} by the protocols' rules", words(&under.condition));
    let columns = [
        Column::text("contender"),
        Column::number("whole"),
        Column::number("connect"),
        Column::number("TLS"),
        Column::number("first byte"),
        Column::number("rest"),
        Column::number("first call of a process"),
        Column::number("round trips"),
        Column::number("on the link"),
        Column::number("bytes up"),
        Column::number("bytes down"),
        Column::number("packets"),
        Column::text("agreed on"),
        Column::number("calls"),
        Column::number("hours a year"),
    ];
    let rows = under.rows.iter().map(|row| {
        let phase = |ns: Option<f64>| ns.filter(|_| row.has_figures()).map(phase_time);
        let hours = row.waiting_hours_per_year.map(figure);
        let cells = [
            Some(named(&row.contender, row.protocol.is_grpc())),
            whole(row),
            phase(row.connect_ns),
            phase(row.handshake_ns),
            phase(row.first_byte_ns),
            phase(row.rest_ns),
            row.cold_ns.as_ref().map(time),
            row.round_trips.map(counted),
            row.link_round_trips.map(counted),
            row.link_bytes.map(|(up, _)| up).or(row.sent_bytes).map(count),
            row.link_bytes.map(|(_, down)| down).or(row.received_bytes).map(count),
            row.segments.map(|(up, down)| format!("{up} + {down}")),
            row.agreed.as_deref().map(clean),
            Some(count(row.calls)),
            hours,
        ];
        TableRow::of(&row.contender, cells)
    });
    let mut all = Table::new(columns, rows);
    drop_empty(&mut all);
    let mut blocks = vec![Block::Table(all)];
    let of_call = LoadCondition::Call { condition: under.condition };
    if let Some(compared) = workload.pairs_by(Figure::Call, Some(of_call)) {
        blocks.push(Block::text(pairs::summary(compared)));
    }
    let per_year = format!(
        "Hours a year: the whole call x {} x {}.",
        plural(table.calls_per_user_per_year, "call", "calls"),
        plural(table.users, "user", "users")
    );
    blocks.push(Block::text(per_year));
    let title = format!("call: {}", under.condition);
    Section::new(&title, about, blocks).detail()
}

/// A phase that did not take a nanosecond is none.
fn phase_time(ns: f64) -> String {
    if ns < 0.5 { "0".to_owned() } else { time_ns(ns) }
}

/// Columns in which no row has anything.
fn drop_empty(table: &mut Table) {
    for column in (0..table.columns.len()).rev() {
        if table.rows.iter().all(|row| row.cells.get(column).is_none_or(Option::is_none)) {
            table.remove(column);
        }
    }
}

/// `3`, `2 to 4`.
fn counted(counts: CallCount) -> String {
    if counts.least == counts.most {
        counts.least.to_string()
    } else {
        format!("{} to {}", counts.least, counts.most)
    }
}

/// The published sum for the two ends of a condition: that with the most distance, a new connection and the newest TLS.
fn hours(table: &CallTable) -> Option<String> {
    let under = table
        .conditions
        .iter()
        .filter(|under| under.condition.sending == CallSending::Whole)
        .filter(|under| under.rows.iter().filter(|row| row.waiting_hours_per_year.is_some()).count() > 1)
        .max_by_key(|under| {
            let CallCondition { rtt_ms, connection, tls, .. } = under.condition;
            (rtt_ms, connection == CallConnection::New, tls)
        })?;
    // Of the reference there are no extra hours.
    let usable = || under.rows.iter().filter(|row| row.is_comparable() && row.extra_hours_per_year.is_some());
    let (first, last) = (usable().next()?, usable().next_back()?);
    let extra = last.extra_hours_per_year?;
    Some(format!(
        "{} who make {} a year ({}): {} makes them wait {} hours, {} more than {}.",
        plural(table.users, "user", "users"),
        plural(table.calls_per_user_per_year, "call", "calls"),
        words(&under.condition),
        last.contender,
        figure(last.waiting_hours_per_year?),
        figure(extra),
        first.contender
    ))
}

/// Where a call waited for a delayed acknowledgement: each contender once, with the conditions.
fn held_back(table: &CallTable) -> Vec<String> {
    let mut all: BTreeMap<&ContenderName, Vec<(f64, String)>> = BTreeMap::new();
    for under in &table.conditions {
        for row in &under.rows {
            if let Some(ns) = row.held_back_ns {
                all.entry(&row.contender).or_default().push((ns, under.condition.to_string()));
            }
        }
    }
    let words = |(contender, found): (&ContenderName, Vec<(f64, String)>)| {
        let least = found.iter().map(|(ns, _)| *ns).fold(f64::INFINITY, f64::min);
        let most = found.iter().map(|(ns, _)| *ns).fold(0.0, f64::max);
        let (least, most) = (time_ns(least), time_ns(most));
        let longer = if least == most { least } else { format!("{least} to {most}") };
        let conditions: Vec<String> = found.into_iter().map(|(_, condition)| condition).collect();
        let named = match conditions.len() {
            0..=MOST_NAMED => conditions.join("; "),
            more => {
                format!("{}; {} more", conditions[..MOST_NAMED].join("; "), count((more - MOST_NAMED) as u64))
            }
        };
        format!(
            "{contender}: calls take {longer} longer than their round trips explain ({named}); that is how long Linux delays an \
             acknowledgement, for which Nagle's algorithm holds back the next packet."
        )
    };
    all.into_iter().map(words).collect()
}

/// The sentences about those that waited for an acknowledgement.
pub(crate) fn notes(workload: &JudgedWorkload) -> Vec<String> {
    workload.calls.as_ref().map(held_back).unwrap_or_default()
}

/// Why contenders have no figure, each reason once with the conditions that it holds for.
fn faults(table: &CallTable) -> Vec<String> {
    let mut faults: Vec<(String, Vec<String>)> = Vec::new();
    for under in &table.conditions {
        for row in &under.rows {
            let Some(fault) = row.fault.as_ref().filter(|_| !row.counts_disturbed) else { continue };
            let words = clean(&format!("{}: {fault}", row.contender));
            let condition = under.condition.to_string();
            match faults.iter_mut().find(|(known, _)| *known == words) {
                Some((_, conditions)) => conditions.push(condition),
                None => faults.push((words, vec![condition])),
            }
        }
    }
    let told = |(words, conditions): (String, Vec<String>)| match conditions.len() {
        0..=MOST_NAMED => format!("{words} ({})", conditions.join("; ")),
        more => format!("{words} ({} conditions)", count(more as u64)),
    };
    faults.into_iter().map(told).collect()
}

/// The published times of calls beside those measured here.
pub(crate) fn published(workload: &JudgedWorkload) -> Block {
    let rows = workload.published.iter().filter_map(|row| match row.figure {
        PublishedFigure::Call { condition, .. } => Some(there_and_here(row, &condition, workload)),
        _ => None,
    });
    let columns = [
        Column::text("a call of"),
        Column::number("there"),
        Column::number("here"),
        Column::text("condition here").detail(),
        Column::text("why not").detail(),
    ];
    Block::Table(Table::new(columns, rows))
}

fn there_and_here(
    row: &ComparedRow,
    condition: &CallCondition,
    workload: &JudgedWorkload,
) -> [Option<String>; 5] {
    let ms = |ms: f64| time_ns(ms * 1e6);
    let here = row.here.as_ref().map(|here| with_interval(ms(here.value), false, plus_minus(here, ms)));
    [
        Some(clean(&row.row)),
        row.there.map(ms),
        here,
        Some(words(condition)),
        row.reason.as_ref().and_then(|_| no_score(row, workload)),
    ]
}

/// The sentence about all calls of the run: `1,200 single calls, every answer checked, 0 wrong`; nothing where there are none.
pub(crate) fn worth(workloads: &[JudgedWorkload]) -> Option<String> {
    let tables = workloads.iter().filter_map(|workload| workload.calls.as_ref());
    let rows = || tables.clone().flat_map(|table| &table.conditions).flat_map(|under| &under.rows);
    let wrong = rows().map(|row| row.wrong_answers).fold(0, u64::saturating_add);
    let all = rows().map(|row| row.calls).fold(wrong, u64::saturating_add);
    (all > 0).then(|| {
        let calls = plural(all, "single call", "single calls");
        format!("{calls}, every answer checked, {} wrong", count(wrong))
    })
}
