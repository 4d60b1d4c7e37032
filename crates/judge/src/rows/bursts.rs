//! Bursts: how long it takes until some requests, sent at once, are all answered.

use std::collections::BTreeMap;

use serde::Serialize;
use velo_model::{ContenderName, Figure, Workload};
use velo_record::{BurstShape, BurstWindow, Outcomes, Window};

use crate::doubt::answers;
use crate::doubt::reason::{BurstFault, Reason};
use crate::measure::cell::{Cell, Cells};
use crate::measure::estimate::Estimate;
use crate::measure::figures::Launches;
use crate::measure::launch_logs::{LaunchLogs, estimate};
use crate::rows::row::Row;
use crate::table::measurement::{Measurement, Point};
use crate::words::as_json::some_in_words;

/// No workload has more; a file that somebody made up may.
const MOST_BURSTS: usize = 200;
/// Of more contenders than this it is not said in which bursts they are missing.
const MOST_MISSED: usize = 1000;
/// The first failures in words that a row keeps.
const EXAMPLES: usize = 2;

/// Requests over some connections, contender by contender.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgedBurst {
    /// The name of the request.
    pub request: String,
    /// How many.
    pub requests: u32,
    /// Over how many connections.
    pub connections: u32,
    /// One was answered before the others were sent, each over a connection of its own, as `ab` does it; else all
    /// connections were opened at once and kept.
    pub first_alone: bool,
    /// A point of the sweep of connections: one request on each.
    pub sweep: bool,
    /// What each request had to wait, on average; `None` where it had not.
    pub wait_ns: Option<u64>,
    /// The shortest makespan first; those with a fault last.
    pub rows: Vec<BurstRow>,
}

/// A contender's burst.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BurstRow {
    /// The contender.
    pub contender: ContenderName,
    /// From the first attempt to connect to the last answer, mean over launches; no interval when it was measured once.
    pub makespan_ns: Option<Estimate>,
    /// Requests x wait / makespan: how many it served at a time, on average.
    pub at_a_time: Option<f64>,
    /// What became of its requests, in all launches together.
    pub answers: Outcomes,
    /// Why its makespan says nothing and takes no part in claims; `None` when each request was answered as expected.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub fault: Option<BurstFault>,
    /// The first failures in words, a few at most.
    pub examples: Vec<String>,
    /// Connections turned away because a queue of those to be accepted was full, on the whole host meanwhile.
    pub listen_overflows: Option<u64>,
    /// First packets of a connection that were sent again, on the whole host meanwhile.
    pub syn_retransmits: Option<u64>,
    /// Resident set size of the process tree before, shared pages once: the least before any burst of the launch, since some keep what they
    /// have needed once.
    pub memory_before_bytes: Option<u64>,
    /// The same while the requests waited.
    pub memory_waiting_bytes: Option<u64>,
    /// (waiting - before) / requests; negative when it gave memory back meanwhile.
    pub memory_per_request_bytes: Option<f64>,
}

/// A burst and the name of its request: what makes bursts comparable, in the order to report them.
type Key<'a> = (BurstShape, &'a str);

/// All bursts of a workload, and what was measured by those that are no points of the sweep.
pub(crate) fn of_workload(
    workload: &Workload,
    rows: &[Row],
    cells: &Cells<'_>,
    confidence: f64,
) -> (Vec<JudgedBurst>, Vec<Measurement>) {
    let mut bursts: BTreeMap<Key<'_>, BTreeMap<&ContenderName, (&Cell<'_>, Vec<&Window>)>> = BTreeMap::new();
    let measured = || cells.of_workload(&workload.name).filter(|cell| cell.record.twin_of.is_none());
    for cell in measured() {
        for window in cell.bursts() {
            let Some(key) = key(window) else { continue };
            if bursts.len() == MOST_BURSTS && !bursts.contains_key(&key) {
                continue;
            }
            let of_key = bursts.entry(key).or_default();
            of_key.entry(&cell.record.manifest.name).or_insert((cell, Vec::new())).1.push(window);
        }
    }
    let mut measurements = Vec::new();
    let judged = bursts.iter().map(|(&(shape, request), by_contender)| {
        let wait_ns = wait_ns(workload, request);
        let mut rows_of_burst: Vec<BurstRow> =
            by_contender.values().map(|(cell, windows)| row(cell, windows, wait_ns, confidence)).collect();
        let missed = measured().filter(|cell| cell.bursts().next().is_some()).take(MOST_MISSED);
        let missed = missed.filter(|cell| is_meant(workload, shape, &cell.record.manifest.name));
        let missed = missed.filter(|cell| !by_contender.contains_key(&cell.record.manifest.name));
        rows_of_burst.extend(missed.map(not_measured));
        rows_of_burst.sort_by(|a, b| {
            let order = |row: &BurstRow| row.makespan_ns.map_or(f64::INFINITY, |makespan| makespan.value);
            a.fault.is_some().cmp(&b.fault.is_some()).then(order(a).total_cmp(&order(b)))
        });
        let is_measured = |own: &&BurstRow| !shape.sweep && own.makespan_ns.is_some();
        measurements.extend(rows_of_burst.iter().filter(is_measured).map(|own| {
            let windows = by_contender.get(&own.contender).map_or(&[][..], |(_, windows)| windows);
            let row = rows.iter().find(|row| row.contender == own.contender);
            measurement(own, shape, row.and_then(Row::answers_fault), &makespans(windows))
        }));
        JudgedBurst {
            request: request.to_owned(),
            requests: shape.requests,
            connections: shape.connections,
            first_alone: shape.first_alone,
            sweep: shape.sweep,
            wait_ns,
            rows: rows_of_burst,
        }
    });
    let judged = judged.collect();
    (judged, measurements)
}

fn measurement(
    own: &BurstRow,
    shape: BurstShape,
    of_answers: Option<Reason>,
    makespans_ns: &Launches,
) -> Measurement {
    let fault = own.fault.clone().map(|fault| Reason::Burst { contender: own.contender.clone(), fault });
    let is_whole = own.fault.is_none();
    Measurement::new(&own.contender, Figure::Makespan, shape.condition(), own.makespan_ns)
        .of_launches(LaunchLogs::of_figures(makespans_ns))
        .unless(of_answers.or(fault))
        .shown(is_whole.then(Point::default))
}

fn key(window: &Window) -> Option<Key<'_>> {
    let request = window.requests.first().map_or("", |counts| counts.name.as_str());
    Some((window.burst()?.shape, request))
}

/// Whether a burst was to be measured of a contender; the sweep is for all that any burst is for.
fn is_meant(workload: &Workload, shape: BurstShape, contender: &ContenderName) -> bool {
    workload.bursts.iter().any(|burst| {
        let is_same = burst.requests == shape.requests && burst.connections == shape.connections;
        (shape.sweep || is_same) && burst.is_for(contender)
    })
}

fn wait_ns(workload: &Workload, request: &str) -> Option<u64> {
    let request = workload.requests.iter().find(|one| one.name == request)?;
    let (least, most) = request.wait_ns()?;
    Some(least / 2 + most / 2)
}

fn row(cell: &Cell<'_>, windows: &[&Window], wait_ns: Option<u64>, confidence: f64) -> BurstRow {
    let (contender, all) = (&cell.record.manifest.name, &cell.apart);
    let answers = answers::of(windows);
    let fault = fault(windows, &answers);
    let makespan_ns = estimate(&makespans(windows), confidence);
    let of = |reading: fn(&BurstWindow) -> Option<u64>| {
        windows.iter().filter_map(move |window| reading(window.burst()?))
    };
    let sum = |reading| of(reading).reduce(u64::saturating_add);
    let requests = windows.iter().find_map(|window| Some(window.burst()?.shape.requests)).unwrap_or(0);
    let memory = windows.iter().find_map(|window| {
        Some((least_before(all, window.launch)?, window.burst()?.saturation.memory_waiting_bytes?))
    });
    let figure = |value: f64| value.is_finite().then_some(value);
    BurstRow {
        contender: contender.clone(),
        at_a_time: makespan_ns
            .zip(wait_ns)
            .filter(|_| fault.is_none())
            .and_then(|(makespan, wait_ns)| figure(f64::from(requests) * wait_ns as f64 / makespan.value)),
        makespan_ns,
        fault,
        examples: examples(windows),
        listen_overflows: sum(|burst| burst.saturation.listen_overflows),
        syn_retransmits: sum(|burst| burst.saturation.syn_retransmits),
        memory_before_bytes: memory.map(|(before, _)| before),
        memory_waiting_bytes: memory.map(|(_, waiting)| waiting),
        memory_per_request_bytes: memory
            .and_then(|(before, waiting)| figure((waiting as f64 - before as f64) / f64::from(requests))),
        answers,
    }
}

fn least_before(all: &[&Window], launch: u32) -> Option<u64> {
    let of_launch = all.iter().filter(|window| window.launch == launch);
    of_launch.filter_map(|window| window.burst()?.saturation.memory_before_bytes).min()
}

fn examples(windows: &[&Window]) -> Vec<String> {
    let mut examples: Vec<String> = Vec::new();
    for example in windows.iter().flat_map(|window| &window.wrong_examples) {
        if examples.len() < EXAMPLES && !examples.contains(example) {
            examples.push(example.clone());
        }
    }
    examples
}

/// One number a launch, in nanoseconds.
fn makespans(windows: &[&Window]) -> Launches {
    windows.iter().map(|window| (window.launch, window.duration_ns as f64)).collect()
}

/// Why a burst's makespan says nothing.
fn fault(windows: &[&Window], answers: &Outcomes) -> Option<BurstFault> {
    let asked =
        windows.iter().filter_map(|window| window.burst()).map(|burst| u64::from(burst.shape.requests));
    let asked = asked.fold(0, u64::saturating_add);
    if answers.wrong_answer > 0 {
        return Some(BurstFault::WrongAnswers { wrong: answers.wrong_answer, asked });
    }
    if answers.failures() > 0 {
        return Some(BurstFault::Failures { answers: *answers, asked });
    }
    (answers.correct < asked).then_some(BurstFault::NotSent { answered: answers.correct, asked })
}

/// The row of a contender whose burst there is not.
fn not_measured(cell: &Cell<'_>) -> BurstRow {
    let given_up = cell.bursts().find(|window| window.all().timeout > 0);
    let fault = match given_up.and_then(|window| window.burst()) {
        Some(burst) => BurstFault::NotTried { connections: burst.shape.connections },
        None => {
            let ended = cell.record.launches.iter().find_map(|launch| launch.ended_early.clone());
            BurstFault::NotMeasured { ended }
        }
    };
    BurstRow {
        contender: cell.record.manifest.name.clone(),
        makespan_ns: None,
        at_a_time: None,
        answers: Outcomes::default(),
        fault: Some(fault),
        examples: Vec::new(),
        listen_overflows: None,
        syn_retransmits: None,
        memory_before_bytes: None,
        memory_waiting_bytes: None,
        memory_per_request_bytes: None,
    }
}
