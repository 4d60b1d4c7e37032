use std::process::{Command, Stdio};
use velo_stats::number::decimals;

/// A case and what it takes.
pub(crate) struct Measured {
    pub(crate) case: &'static str,
    /// Instructions for each request.
    pub(crate) per_request: f64,
}

/// Requests of the shorter run; the longer one has twice as many, and the difference has no start and no end in it.
const REQUESTS: u64 = 10_000;
/// The same where each request takes as much as dozens elsewhere.
const COSTLY_REQUESTS: u64 = 1_000;
/// Two counts of one case must not differ by more, else counting says nothing.
const MOST_APART: f64 = 0.005;

/// Counts a case twice, at the same time.
pub(crate) fn measure(case: &'static str) -> Result<Measured, String> {
    let [first, second] = std::thread::scope(|scope| {
        let counts = [(); 2].map(|()| scope.spawn(|| per_request(case)));
        counts
            .map(|count| count.join().unwrap_or_else(|_| Err("the thread that counts has ended".to_owned())))
    });
    let (first, second) = (first?, second?);
    if (first - second).abs() > MOST_APART * first {
        return Err(format!(
            "{case} took {} and then {} instructions a request: it does not repeat",
            decimals(first, 1),
            decimals(second, 1)
        ));
    }
    Ok(Measured { case, per_request: (first + second) / 2.0 })
}

fn per_request(case: &str) -> Result<f64, String> {
    let requests = if case == "byte-by-byte" { COSTLY_REQUESTS } else { REQUESTS };
    let (shorter, longer) = (count(case, requests)?, count(case, 2 * requests)?);
    Ok((longer as f64 - shorter as f64) / requests as f64)
}

/// Instructions of this program while it runs a case.
fn count(case: &str, requests: u64) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--run", case, &requests.to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind does not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    match collected {
        Some(collected) if output.status.success() => Ok(collected),
        _ => Err(format!("valgrind failed on {case} ({}):\n{said}", output.status)),
    }
}
