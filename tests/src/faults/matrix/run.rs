//! One tool against one fault.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::judge::{Evidence, Grade, Marks, judge};
use super::table::Cell;
use super::tool::{Amount, Asked, CONNECTIONS, HEAD_SCRIPT, Tool, result_file};
use crate::child::{Ended, Finished, run};
use crate::faults::{Fault, FaultServer, Row, Truth, refused_connections};

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
    truth: Truth,
    refused: u64,
}

/// Runs a tool against a fault and judges it. Where the server is away a second run, for a time, shows how hard the tool
/// tries.
///
/// # Errors
/// When the server or the tool cannot be started.
pub fn cell(tool: &Tool, row: &Row, scratch: &Path) -> io::Result<Cell> {
    std::fs::write(scratch.join(HEAD_SCRIPT), "wrk.method = \"HEAD\"\n")?;
    let amount = Amount::Requests(row.requests);
    let mut report = None;
    let first = load(tool, row, amount, scratch, |finished, asked| report = tool.read(finished, asked))?;
    let asked = (!tool.timed_only).then_some(row.requests);
    let verdict = judge(&Evidence {
        row,
        truth: &first.truth,
        refused: first.refused,
        asked,
        ended: first.finished.ended,
        report: report.as_ref(),
        complained: !first.finished.stderr.trim().is_empty(),
    });
    let mut busy = is_busy(&first);
    if matches!(row.fault, Fault::ClosedPort | Fault::Outage) && !busy {
        busy = is_busy(&load(tool, row, Amount::Seconds(PRESSED_S), scratch, |_, _| ())?);
    }
    let exit = first.finished.ended;
    let nothing_worked = first.truth.correct + first.truth.other_statuses == 0;
    if verdict.grade == Grade::NotApplicable {
        return Ok(Cell { tool: tool.name, verdict, marks: Marks::default() });
    }
    let marks = Marks {
        no_statistics: report.is_none() && matches!(exit, Ended::Exit(code) if code != 0),
        exit_0: nothing_worked && exit == Ended::Exit(0),
        memory: first.finished.peak_memory_bytes > MOST_MEMORY_BYTES,
        busy,
    };
    Ok(Cell { tool: tool.name, verdict, marks })
}

fn load(
    tool: &Tool,
    row: &Row,
    amount: Amount,
    scratch: &Path,
    look: impl FnOnce(&Finished, &Asked<'_>),
) -> io::Result<Run> {
    let server = FaultServer::start(row.fault)?;
    let url = format!("http://{}/", server.address());
    let asked = Asked { url: &url, row, amount, scratch };
    match std::fs::remove_file(result_file(&asked)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let before = refused_connections();
    let finished = run(&mut tool.command(&asked), LIMIT)?;
    let refused = match (before, refused_connections()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => return Err(io::Error::other("the kernel does not count refused connections in /proc/net/snmp")),
    };
    look(&finished, &asked);
    Ok(Run { finished, truth: server.finish(), refused })
}

/// Whether it retried without a pause, or used up a core while there was nothing to do. A server that sends without end
/// gives enough to do.
fn is_busy(run: &Run) -> bool {
    let (finished, truth) = (&run.finished, &run.truth);
    let wall_s = finished.wall.as_secs_f64();
    let away_s = if truth.outages > 0 { wall_s.min(1.0) } else { wall_s };
    let attempts_per_s = run.refused as f64 / CONNECTIONS as f64 / away_s.max(0.1);
    let allowed = MOST_CPU_PER_REQUEST.saturating_mul(u32::try_from(truth.requests + 1).unwrap_or(u32::MAX));
    let spins = truth.endless == 0 && wall_s >= 0.5 && finished.cpu() >= finished.wall.max(allowed);
    // A run that ends after a few refusals has not retried.
    let retries = run.refused > 4 * CONNECTIONS && wall_s >= 0.5 && attempts_per_s > MOST_ATTEMPTS_PER_S;
    spins || retries
}
