use velo_tests::child::Finished;

use super::{Amount, Completed, Job, Tool, expect_success, number_before};

/// The bare client of this program: see [`crate::floor_client`].
pub(crate) const FLOOR: Tool = Tool {
    name: "bare send and receive",
    program: "velo-bench",
    version: &["--version"],
    arguments,
    completed,
};

/// Where the request lies that velo sends.
pub(crate) const REQUEST: &str = "request.bin";

fn arguments(job: &Job) -> Vec<String> {
    let seconds = match job.amount {
        Amount::Seconds(seconds) => seconds,
        Amount::OneRequest => 1,
    };
    let address = job.server.trim_start_matches("http://").to_owned();
    vec!["--floor".to_owned(), address, job.connections.to_string(), seconds.to_string(), job.file(REQUEST)]
}

/// It takes every readable socket for one whole answer, so only the server's count can tell that it was.
fn completed(_job: &Job, finished: &Finished) -> Result<Completed, String> {
    expect_success(finished)?;
    number_before(&finished.stdout, " requests")
        .map(Completed::unchecked)
        .ok_or_else(|| "no count".to_owned())
}
