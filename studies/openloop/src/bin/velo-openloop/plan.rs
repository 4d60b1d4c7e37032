use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use velo_tests::child::{self, Ended, on_cpu};

use crate::canary::Watch;
use crate::cell::Cell;
use crate::protocol::Protocol;
use crate::record::{self, Line, Run};
use crate::server::Server;
use crate::tools::{self, Load, Tool};
use crate::{LOAD_CPU, Outcome};

/// How long after its time a tool may end by itself.
const GRACE: Duration = Duration::from_secs(20);

/// All runs, interleaved: each round goes through the cells, each cell through the tools, which take turns at going first.
pub(crate) fn run(velo: &str, server: &Path, folder: &Path) -> Outcome<()> {
    let protocol = Protocol::wanted()?;
    let runs: u32 = number("RUNS", 5)?;
    let peer_runs: u32 = number("PEER_RUNS", runs)?;
    let seconds: u32 = number("SECONDS_EACH", 30)?;
    let wanted = std::env::var("TOOLS").ok();
    let file = record::file(folder);
    let mut tools = tools::all(velo, protocol)?;
    if let Some(wanted) = &wanted {
        let wanted: Vec<&str> = wanted.split(',').collect();
        let known = tools.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ");
        if let Some(unknown) = wanted.iter().find(|name| !tools.iter().any(|tool| tool.name == **name)) {
            return Err(format!("TOOLS: no tool `{unknown}`; expected some of {known}").into());
        }
        tools.retain(|tool| tool.is_floor() || wanted.contains(&tool.name));
    }
    let versions: BTreeMap<String, Option<String>> =
        tools.iter().map(|tool| (tool.name.to_owned(), tool.version())).collect();
    record::append(&file, &Line::Tools(versions.clone()))?;
    tools.retain(|tool| match versions.get(tool.name) {
        Some(Some(_)) => true,
        _ => {
            eprintln!("openloop: {} is not there; left out", tool.name);
            false
        }
    });
    for round in 0..runs.max(peer_runs) {
        for cell in Cell::of(protocol) {
            let count = tools.len();
            for tool in tools.iter().cycle().skip(round as usize % count).take(count) {
                let rounds = if tool.is_own() { runs } else { peer_runs };
                if round < rounds {
                    let run = once(tool, protocol, cell, round, seconds, server, folder)?;
                    say(&run);
                    record::append(&file, &Line::Run(Box::new(run)))?;
                }
            }
        }
    }
    Ok(())
}

fn once(
    tool: &Tool,
    protocol: Protocol,
    cell: Cell,
    round: u32,
    seconds: u32,
    server: &Path,
    folder: &Path,
) -> Outcome<Run> {
    let server = Server::start(server, cell, protocol)?;
    let load =
        Load { protocol, port: server.port, per_s: cell.per_s, seconds, folder: PathBuf::from(folder) };
    let mut command = tool.command(&load)?;
    let limit = Duration::from_secs(seconds.into()) + GRACE;
    let watch = Watch::start()?;
    let finished = child::run(on_cpu(&mut command, LOAD_CPU), limit)?;
    let served = server.end()?;
    let canary = watch.end(served.cpu_ns + finished.cpu().as_nanos() as u64)?;
    let figures = if finished.ended == Ended::Exit(0) {
        tool.figures(&load, &finished.stdout).map_err(|error| error.to_string())
    } else {
        let last =
            finished.stderr.lines().chain(finished.stdout.lines()).rfind(|line| !line.trim().is_empty());
        Err(format!("it failed: {}", last.unwrap_or("no output")))
    };
    let cpu_share = finished.cpu().as_secs_f64() / f64::from(seconds);
    Ok(Run { cell, tool: tool.name.to_owned(), round, seconds, figures, cpu_share, server: served, canary })
}

fn say(run: &Run) {
    let figures = match &run.figures {
        Ok(figures) => {
            let us: Vec<String> = figures
                .times
                .all()
                .iter()
                .map(|time| time.map_or("-".to_owned(), |ns| (ns / 1000).to_string()))
                .collect();
            format!("p50 p90 p99 p99.9 max {} us, {} failed", us.join(" "), figures.failed)
        }
        Err(problem) => problem.clone(),
    };
    eprintln!("round {}, {}, {}: {figures}", run.round + 1, run.cell.title(), run.tool);
}

fn number(name: &str, default: u32) -> Outcome<u32> {
    match std::env::var(name) {
        Ok(text) => match text.parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("{name}={text}: expected a whole number above 0").into()),
        },
        Err(_) => Ok(default),
    }
}
