//! How long a run of one request takes, and how much memory 1,024 connections need.

use std::time::Duration;

use velo_load::Rng;
use velo_tests::child::{self, on_cpu};

use super::{Bench, installed};
use crate::Outcome;
use crate::compare::{Series, Setting, compare};
use crate::goals::{self, Goal};
use crate::order::shuffled;
use crate::server::Server;
use crate::settings::LOAD_CPU;
use crate::statistics::{Spread, spread};
use crate::table;
use crate::tools::{AB, Amount, FORTIO, H2LOAD, HEY, Job, K6, OHA, Tool, VELO, WRK, Workload};

const STARTS: usize = 20;
const LIMIT: Duration = Duration::from_secs(30);
/// wrk cannot run for less than a second, and k6 is no tool for one request.
const STARTERS: [&Tool; 6] = [&VELO, &AB, &H2LOAD, &HEY, &OHA, &FORTIO];
const START_LIMIT_MS: f64 = 10.0;

const MANY_CONNECTIONS: u32 = 1024;
const MEMORY_ROUNDS: usize = 3;
const HOLDERS: [&Tool; 8] = [&VELO, &WRK, &AB, &H2LOAD, &HEY, &OHA, &FORTIO, &K6];
const MEMORY_LIMIT_BYTES: u64 = 20_000_000;

pub(super) fn runs() -> usize {
    // The starts are short: all of them are about two runs.
    HOLDERS.len() * MEMORY_ROUNDS + 2
}

struct Start {
    tool: &'static Tool,
    wall: Spread,
    peak_memory_bytes: u64,
}

pub(super) fn run(bench: &Bench) -> Outcome<String> {
    let mut text = format!(
        "Wall time of a run of one request, {STARTS} runs of each tool in turn, and its peak memory.\n\n\
         | tool | ms: median (least to greatest) | peak memory MB |\n|---|---|---|\n"
    );
    let starts = starts(bench)?;
    for Start { tool, wall, peak_memory_bytes } in &starts {
        let memory = table::megabytes(*peak_memory_bytes);
        text.push_str(&format!("| {} | {} | {memory} |\n", tool.name, table::spread(*wall)));
    }
    text.push_str(&format!(
        "\nPeak memory with {} connections and `POST /coin`, the most of {MEMORY_ROUNDS} runs:\n\n| tool | MB | void |\n|---|---|---|\n",
        table::count(MANY_CONNECTIONS)
    ));
    let setting = Setting { workload: Workload::Coin, connections: MANY_CONNECTIONS, pipelining: 1 };
    let mut server = bench.server();
    let holders =
        compare(setting, &installed(&HOLDERS), MEMORY_ROUNDS, &mut server, bench.folder(), &bench.settings)?;
    for series in &holders {
        let memory = series.peak_memory_bytes().map_or_else(table::none, table::megabytes);
        text.push_str(&format!(
            "| {} | {memory} | {} of {} |\n",
            series.tool.name,
            series.void().0,
            series.runs.len()
        ));
    }
    text.push_str(&table::void_reasons(&holders));

    let ours = starts.iter().find(|start| start.tool.name == VELO.name);
    let start =
        ours.map(|start| (format!("{:.1} ms", start.wall.median), Some(start.wall.median < START_LIMIT_MS)));
    let memory = holders.first().and_then(Series::peak_memory_bytes);
    let memory =
        memory.map(|bytes| (format!("{} MB", table::megabytes(bytes)), Some(bytes < MEMORY_LIMIT_BYTES)));
    let goals = [
        Goal::all("a run of one request in less than 10 ms", start.as_slice()),
        Goal::all("peak memory below 20 MB with 1,024 connections", memory.as_slice()),
    ];
    text.push_str(&format!("\n{}\n{}", goals::list(&goals), bench.footer(&HOLDERS, MEMORY_ROUNDS)));
    Ok(text)
}

fn starts(bench: &Bench) -> Outcome<Vec<Start>> {
    let tools = installed(&STARTERS);
    let mut server = bench.server();
    let url = server.begin()?;
    let job = Job {
        workload: Workload::Coin,
        server: &url,
        connections: 1,
        pipelining: 1,
        amount: Amount::OneRequest,
        folder: bench.folder(),
    };
    let mut random = Rng::new(bench.settings.seed);
    let mut seen = vec![(Vec::new(), 0); tools.len()];
    for _ in 0..STARTS {
        for index in shuffled(tools.len(), &mut random) {
            let tool = tools[index];
            let finished = child::run(on_cpu(&mut tool.command(&job), LOAD_CPU), LIMIT)?;
            let completed = (tool.completed)(&job, &finished);
            if completed.as_ref().map(|completed| completed.requests) != Ok(1) {
                return Err(format!(
                    "{} was asked for one request: {completed:?}\n{}",
                    tool.name, finished.stderr
                )
                .into());
            }
            let (walls, memory) = &mut seen[index];
            walls.push(finished.wall.as_secs_f64() * 1e3);
            *memory = finished.peak_memory_bytes.max(*memory);
        }
    }
    server.end()?;
    let start = |(tool, (walls, peak_memory_bytes)): (_, (Vec<f64>, u64))| {
        Some(Start { tool, wall: spread(&walls)?, peak_memory_bytes })
    };
    Ok(tools.into_iter().zip(seen).filter_map(start).collect())
}
