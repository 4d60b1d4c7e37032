//! 16 requests in flight on each connection.

use super::{Bench, cpu_ratio, installed, interval_below_1};
use crate::Outcome;
use crate::compare::{Setting, compare};
use crate::goals::{self, Goal};
use crate::settings::Settings;
use crate::table;
use crate::tools::{Tool, VELO, WRK, Workload};

const CONNECTIONS: [u32; 2] = [16, 64];
const DEPTH: u32 = 16;
/// Debian's h2load does not pipeline requests with a body; the others do not pipeline at all.
const TOOLS: [&Tool; 2] = [&VELO, &WRK];

pub(super) fn runs(settings: &Settings) -> usize {
    settings.connections(&CONNECTIONS).len() * TOOLS.len() * settings.rounds
}

pub(super) fn run(bench: &Bench) -> Outcome<String> {
    let here = installed(&TOOLS);
    let mut text = format!(
        "`POST /coin` with {DEPTH} requests in flight on each connection. wrk sends {DEPTH} at once and then waits for all answers \
         (by a script); velo keeps {DEPTH} in flight.\n"
    );
    let mut figures = Vec::new();
    for connections in bench.settings.connections(&CONNECTIONS) {
        let setting = Setting { workload: Workload::Coin, connections, pipelining: DEPTH };
        let mut server = bench.server();
        let series =
            compare(setting, &here, bench.settings.rounds, &mut server, bench.folder(), &bench.settings)?;
        let ours = series.first().ok_or("velo is not installed")?;
        let count = table::count(connections);
        text.push_str(&format!("\n{count} connections:\n\n{}", table::comparison(ours, &series)));
        figures.push(cpu_ratio(&format!(" with {count}"), &series, &WRK, interval_below_1));
    }
    let goal =
        Goal::all("CPU per request below wrk's with its script, the interval of the ratio below 1", &figures);
    text.push_str(&format!("\n{}\n{}", goals::list(&[goal]), bench.footer(&TOOLS, bench.settings.rounds)));
    Ok(text)
}
