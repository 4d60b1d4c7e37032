//! A tool's run against one fault.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::case::Case;
use super::facts::Facts;
use super::judge::{Evidence, Grade, Marks, judge};
use super::table::Cell;
use super::tool::{Amount, Asked, RESULT_FILE, Tool};
use velo_tests::child::{Ended, Finished, run};
use velo_tests::faults::refused_connections;

/// A tool that runs longer is ended.
pub const LIMIT: Duration = Duration::from_secs(20);
const MOST_MEMORY_BYTES: u64 = 500_000_000;
/// Attempts to connect in a second for each connection, above which retrying is busy.
const MOST_ATTEMPTS_PER_S: f64 = 200.0;
/// CPU time that a request may take before a core at its limit is spinning.
const MOST_CPU_PER_REQUEST: Duration = Duration::from_millis(1);
/// The second run for busy retry.
const PRESSED_S: u32 = 4;

/// What one run left.
struct Run {
    finished: Finished,
    facts: Facts,
    refused: u64,
}

/// Runs a tool against a fault and judges it. Where the server is away a second run, for a time, shows how hard the tool
/// tries.
///
/// # Errors
/// When the server or the tool cannot be started.
pub fn cell<C: Case>(tool: &Tool<C>, case: &C, scratch: &Path) -> io::Result<Cell> {
    case.prepare(scratch)?;
    let first = load(tool, case, Amount::Requests(case.requests()), scratch)?;
    let report = tool.read(&first.finished, scratch);
    let mut busy = is_busy::<C>(&first);
    if case.is_away() && !busy {
        busy = is_busy::<C>(&load(tool, case, Amount::Seconds(PRESSED_S), scratch)?);
    }
    let exit = first.finished.ended;
    let nothing_worked = first.facts.correct + first.facts.other_statuses == 0;
    let memory_bytes = first.finished.peak_memory_bytes;
    let verdict = judge(&Evidence {
        facts: first.facts,
        refused: first.refused,
        asked: (!tool.timed_only).then_some(case.requests()),
        ended: exit,
        report: report.as_ref(),
        complained: !first.finished.stderr.trim().is_empty(),
    });
    if verdict.grade == Grade::NotApplicable {
        return Ok(Cell { tool: tool.name, verdict, marks: Marks::default(), memory_bytes });
    }
    let marks = Marks {
        no_statistics: report.is_none() && matches!(exit, Ended::Exit(code) if code != 0),
        exit_0: nothing_worked && exit == Ended::Exit(0),
        memory: memory_bytes > MOST_MEMORY_BYTES,
        busy,
    };
    Ok(Cell { tool: tool.name, verdict, marks, memory_bytes })
}

fn load<C: Case>(tool: &Tool<C>, case: &C, amount: Amount, scratch: &Path) -> io::Result<Run> {
    let server = case.start()?;
    let asked = Asked { address: C::address(&server), case, amount, scratch };
    match std::fs::remove_file(scratch.join(RESULT_FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let before = refused_connections();
    let finished = run(&mut tool.command(&asked), LIMIT)?;
    let refused = match (before, refused_connections()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => return Err(io::Error::other("the kernel does not count refused connections in /proc/net/snmp")),
    };
    Ok(Run { finished, facts: case.finish(server), refused })
}

/// Whether it retried without a pause, or used up a core while there was nothing to do. A server that sends without end
/// gives enough to do.
fn is_busy<C: Case>(run: &Run) -> bool {
    let (finished, facts) = (&run.finished, &run.facts);
    let wall_s = finished.wall.as_secs_f64();
    let away_s = if facts.outages > 0 { wall_s.min(1.0) } else { wall_s };
    let attempts_per_s = run.refused as f64 / C::CONNECTIONS as f64 / away_s.max(0.1);
    let allowed = MOST_CPU_PER_REQUEST.saturating_mul(u32::try_from(facts.requests + 1).unwrap_or(u32::MAX));
    let spins = facts.endless == 0 && wall_s >= 0.5 && finished.cpu() >= finished.wall.max(allowed);
    // A run that ends after a few refusals has not retried.
    let retries = run.refused > 4 * C::CONNECTIONS && wall_s >= 0.5 && attempts_per_s > MOST_ATTEMPTS_PER_S;
    spins || retries
}
