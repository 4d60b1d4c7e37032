//! HTTPS against nginx, because the reference server speaks no TLS.

use super::{Bench, cpu_ratio, installed, interval_below_1};
use crate::Outcome;
use crate::compare::{Setting, compare};
use crate::goals::{self, Goal};
use crate::server::Nginx;
use crate::settings::Settings;
use crate::table;
use crate::tools::{OHA, Tool, VELO, WRK, Workload};

const CONNECTIONS: u32 = 64;
const TOOLS: [&Tool; 3] = [&VELO, &WRK, &OHA];

pub(super) fn runs(settings: &Settings) -> usize {
    TOOLS.len() * settings.rounds
}

pub(super) fn run(bench: &Bench) -> Outcome<String> {
    let here = installed(&TOOLS);
    let setting = Setting { workload: Workload::Https, connections: CONNECTIONS, pipelining: 1 };
    let mut server = Nginx::start(bench.folder())?;
    let series =
        compare(setting, &here, bench.settings.rounds, &mut server, bench.folder(), &bench.settings)?;
    let ours = series.first().ok_or("velo is not installed")?;
    let below = |tool| cpu_ratio("", &series, tool, interval_below_1);
    let goals = [
        Goal::all("CPU per request below wrk's, the interval of the ratio below 1", &[below(&WRK)]),
        Goal::all("below oha's", &[below(&OHA)]),
    ];
    Ok(format!(
        "`GET /` over TLS 1.3 with AES-128-GCM, {CONNECTIONS} connections, nginx with one process and a fixed body of 13 bytes. velo \
         compares each body; the others look at none. No tool checks the self-signed certificate. nginx, not the generator, is the limit.\n\n\
         {}\n{}\n{}",
        table::comparison(ours, &series),
        goals::list(&goals),
        bench.footer(&TOOLS, bench.settings.rounds)
    ))
}
