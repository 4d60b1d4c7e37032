//! What the kernel alone costs, and what velo adds to it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use velo_tests::child::{self, on_cpu};

use super::{Bench, installed};
use crate::Outcome;
use crate::compare::{Figures, Series, Setting, compare};
use crate::goals::{self, Goal};
use crate::settings::{LOAD_CPU, Settings};
use crate::syscalls::{self, Counter};
use crate::table;
use crate::tools::{Amount, FLOOR, FLOOR_REQUEST, Job, Tool, VELO, VELO_EPOLL, VELO_IO_URING, Workload};

const CONNECTIONS: [u32; 3] = [16, 64, 256];
const TOOLS: [&Tool; 3] = [&FLOOR, &VELO_EPOLL, &VELO_IO_URING];
const GOAL_CONNECTIONS: u32 = 64;
const GOAL: f64 = 1.05;
/// Of the run that only captures velo's request.
const CAPTURE_LIMIT: Duration = Duration::from_secs(10);

pub(super) fn runs(settings: &Settings) -> usize {
    // One run more of each is for its system calls.
    settings.connections(&CONNECTIONS).len() * TOOLS.len() * (settings.rounds + 1)
}

pub(super) fn run(bench: &Bench) -> Outcome<String> {
    capture_request(bench)?;
    let driver = bench.velo_driver(&VELO, GOAL_CONNECTIONS)?;
    let mut here = installed(&TOOLS);
    // Not every kernel gives io_uring.
    here.retain(|tool| tool.name != VELO_IO_URING.name || bench.velo_driver(tool, GOAL_CONNECTIONS).is_ok());
    let counter =
        Counter::available().ok_or("neither perf (as root) nor strace is here to count system calls")?;
    let mut text = format!(
        "The floor is an epoll client that sends velo's bytes and receives the answers: it parses nothing, checks nothing and reads no \
         clock. `POST /coin`; with {GOAL_CONNECTIONS} connections velo takes {driver} by itself. System calls: {}.\n",
        counter.describe()
    );
    let mut figures = Vec::new();
    for connections in bench.settings.connections(&CONNECTIONS) {
        let setting = Setting { workload: Workload::Coin, connections, pipelining: 1 };
        let mut server = bench.server();
        let all =
            compare(setting, &here, bench.settings.rounds, &mut server, bench.folder(), &bench.settings)?;
        let floor = all.first().ok_or("velo-bench is not on the PATH")?;
        text.push_str(&format!(
            "\n{connections} connections:\n\n\
             | client | CPU us/request: median (least to greatest) | user us | kernel us | client / floor: median, 95 % interval | system calls per request | void |\n\
             |---|---|---|---|---|---|---|\n"
        ));
        for series in &all {
            let calls = syscalls::per_request(counter, setting, series.tool, bench)?;
            text.push_str(&line(series, floor, &calls));
        }
        text.push_str(&table::void_reasons(&all));
        if connections == GOAL_CONNECTIONS {
            let own = all.iter().find(|series| series.tool.name == format!("{}, {driver}", VELO.name));
            let ratio = own.and_then(|own| own.ratio_to(floor, Figures::cpu_us));
            figures.extend(
                ratio.map(|ratio| {
                    (format!("{} by {driver}", table::ratio(ratio)), Some(ratio.median <= GOAL))
                }),
            );
        }
    }
    let goal = Goal::all("at most 1.05 of the floor with 64 connections", &figures);
    text.push_str(&format!("\n{}\n{}", goals::list(&[goal]), bench.footer(&[&VELO], bench.settings.rounds)));
    Ok(text)
}

fn line(series: &Series, floor: &Series, calls: &str) -> String {
    let ratio = if std::ptr::eq(series, floor) { None } else { series.ratio_to(floor, Figures::cpu_us) };
    let median =
        |figure| series.spread(figure).map_or_else(table::none, |spread| format!("{:.2}", spread.median));
    format!(
        "| {} | {} | {} | {} | {} | {calls} | {} of {} |\n",
        series.tool.name,
        series.spread(Figures::cpu_us).map_or_else(table::none, table::spread),
        median(|figures| figures.user_us),
        median(|figures| figures.system_us),
        ratio.map_or_else(table::none, table::ratio),
        series.void().0,
        series.runs.len(),
    )
}

/// Lets velo send one request to a listener that keeps its bytes for the floor.
fn capture_request(bench: &Bench) -> Outcome<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let url = format!("http://{}", listener.local_addr()?);
    let file = bench.folder().join(FLOOR_REQUEST);
    let keep = std::thread::spawn(move || -> std::io::Result<Vec<u8>> {
        loop {
            let (mut stream, _) = listener.accept()?;
            stream.set_read_timeout(Some(CAPTURE_LIMIT))?;
            let mut buffer = [0; 4096];
            let mut length = 0;
            // The body is the one JSON object of the request.
            while length < buffer.len() && !buffer[..length].ends_with(b"}") {
                match stream.read(&mut buffer[length..])? {
                    0 => break,
                    more => length += more,
                }
            }
            // A connection that only tried whether somebody listens brings nothing.
            if length > 0 {
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"win\":true}",
                )?;
                return Ok(buffer[..length].to_vec());
            }
        }
    });
    let job = Job {
        workload: Workload::Coin,
        server: &url,
        connections: 1,
        pipelining: 1,
        amount: Amount::OneRequest,
        folder: bench.folder(),
    };
    let finished = child::run(on_cpu(&mut VELO.command(&job), LOAD_CPU), CAPTURE_LIMIT)?;
    (VELO.completed)(&job, &finished)
        .map_err(|reason| format!("velo's request could not be captured: {reason}"))?;
    let bytes = keep.join().map_err(|_| "the capturing thread panicked")??;
    Ok(std::fs::write(file, bytes)?)
}
