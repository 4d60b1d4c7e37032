//! One request at a time on each of 1 to 1,024 connections that stay open.

use super::{Bench, cpu_ratio, installed, interval_below_1};
use crate::Outcome;
use crate::compare::{Series, Setting, compare};
use crate::goals::{self, Goal};
use crate::settings::Settings;
use crate::table;
use crate::tools::{AB, FORTIO, H2LOAD, HEY, K6, OHA, OHA_RANDOM, Tool, VELO, WRK, WRK_RANDOM, Workload};

const CONNECTIONS: [u32; 5] = [1, 16, 64, 256, 1024];
/// Memory is held to its limit with so many connections.
const MOST_CONNECTIONS: u32 = 1024;
const MEMORY_LIMIT_BYTES: u64 = 20_000_000;

fn tools(workload: Workload) -> Vec<&'static Tool> {
    let mut tools = vec![&VELO, &WRK, &AB, &H2LOAD, &HEY, &OHA, &FORTIO, &K6];
    if workload == Workload::User {
        tools.insert(2, &WRK_RANDOM);
        tools.insert(7, &OHA_RANDOM);
    }
    tools
}

pub(super) fn runs(workload: Workload, settings: &Settings) -> usize {
    settings.connections(&CONNECTIONS).len() * tools(workload).len() * settings.rounds
}

struct Cell {
    connections: u32,
    series: Vec<Series>,
}

pub(super) fn run(workload: Workload, bench: &Bench) -> Outcome<String> {
    let tools = tools(workload);
    let here = installed(&tools);
    let mut cells = Vec::new();
    let mut text = introduction(workload).to_owned();
    for connections in bench.settings.connections(&CONNECTIONS) {
        let setting = Setting { workload, connections, pipelining: 1 };
        let mut server = bench.server();
        let series =
            compare(setting, &here, bench.settings.rounds, &mut server, bench.folder(), &bench.settings)?;
        let ours = series.first().ok_or("velo is not installed")?;
        let title = if connections == 1 { "connection" } else { "connections" };
        text.push_str(&format!(
            "\n{} {title}:\n\n{}",
            table::count(connections),
            table::comparison(ours, &series)
        ));
        cells.push(Cell { connections, series });
    }
    text.push('\n');
    text.push_str(&goals::list(&goals(&here, &cells)));
    text.push('\n');
    text.push_str(&bench.footer(&tools, bench.settings.rounds));
    Ok(text)
}

fn introduction(workload: Workload) -> &'static str {
    match workload {
        Workload::User => {
            "`GET /user/{id}`. velo draws each id and compares each answer with it. Ids of the others: k6 draws them, h2load takes 10,000 in \
             turn, wrk and oha have a line with one id and a line with random ones; ab, hey and fortio send one id.\n"
        }
        Workload::Coin | Workload::Https => {
            "`POST /coin` with `{\"bet\": true}`. velo draws each bet and checks each answer's JSON; the others send one bet and look at no \
             body.\n"
        }
    }
}

fn goals(tools: &[&'static Tool], cells: &[Cell]) -> Vec<Goal> {
    let many = || cells.iter().filter(|cell| cell.connections >= 16);
    let with = |cell: &Cell| format!(" with {}", table::count(cell.connections));
    let at_most = |tool: &'static Tool, limit: f64| {
        let figure = |cell| cpu_ratio(&with(cell), &cell.series, tool, |ratio| Some(ratio.median <= limit));
        many().map(figure).collect::<Vec<_>>()
    };
    let peers = || tools.iter().filter(|tool| tool.name != VELO.name);
    let not_below: Vec<_> = many()
        .flat_map(|cell| peers().map(move |tool| (cell, tool)))
        .map(|(cell, tool)| {
            cpu_ratio(&format!(" of {}{}", tool.name, with(cell)), &cell.series, tool, interval_below_1)
        })
        .collect();
    let below = not_below.iter().filter(|(_, met)| *met == Some(true)).count();
    let total = not_below.len();
    let mut listed: Vec<_> = not_below.into_iter().filter(|(_, met)| *met != Some(true)).collect();
    if below > 0 {
        listed.insert(0, (format!("{below} of {total} are"), Some(true)));
    }
    let single = cells.iter().filter(|cell| cell.connections == 1);
    let single = single.map(|cell| cpu_ratio("", &cell.series, &WRK, |ratio| Some(ratio.median <= 1.0)));
    let most = cells.iter().filter(|cell| cell.connections == MOST_CONNECTIONS);
    let memory = most.filter_map(|cell| cell.series.first()?.peak_memory_bytes());
    let memory =
        memory.map(|bytes| (format!("{} MB", table::megabytes(bytes)), Some(bytes < MEMORY_LIMIT_BYTES)));
    vec![
        Goal::all("CPU per request at most 0.80 of wrk's with 16 connections and more", &at_most(&WRK, 0.80)),
        Goal::all("at most 0.55 of oha's there", &at_most(&OHA, 0.55)),
        Goal::all("below every tool there, the interval of the ratio below 1", &listed),
        Goal::all("not above wrk's with 1 connection", &single.collect::<Vec<_>>()),
        Goal::all("peak memory below 20 MB with 1,024 connections", &memory.collect::<Vec<_>>()),
    ]
}
