use std::path::Path;

use velo_load::Rng;
use velo_tests::child::Finished;

use super::{Amount, Completed, GREATEST_ID, Job, Tool, Workload, expect_success, number_before, words};

/// h2load with HTTP/1.1; paths come from a list.
pub(crate) const H2LOAD: Tool =
    Tool { name: "h2load --h1", program: "h2load", version: &["--version"], arguments, completed };

/// How many paths it takes in turn.
const PATHS: usize = 10_000;

fn arguments(job: &Job) -> Vec<String> {
    let mut arguments =
        words(&["--h1", "-t1", "-c", &job.connections.to_string(), "-m", &job.pipelining.to_string()]);
    match job.amount {
        Amount::Seconds(seconds) => arguments.extend(words(&["-D", &seconds.to_string()])),
        Amount::OneRequest => arguments.extend(words(&["-n", "1"])),
    }
    match (job.workload, job.amount) {
        (Workload::User, Amount::Seconds(_)) => {
            arguments.extend(words(&["-i", &job.file("paths.txt"), "--base-uri", job.server]));
        }
        (Workload::Coin, _) => {
            arguments.extend(words(&["-d", &job.file("body.json"), "-H", "content-type: application/json"]));
            arguments.push(job.fixed_url());
        }
        (Workload::User | Workload::Https, _) => arguments.push(job.fixed_url()),
    }
    arguments
}

fn completed(_job: &Job, finished: &Finished) -> Result<Completed, String> {
    expect_success(finished)?;
    let line = finished.stdout.lines().find(|line| line.starts_with("requests: ")).ok_or("no count")?;
    let count = |label: &str| number_before(line, label);
    let failed = [" failed", " errored", " timeout"].into_iter().filter_map(count).sum::<u64>();
    match count(" succeeded") {
        Some(requests) if failed == 0 => Ok(Completed::unchecked(requests)),
        Some(_) => Err(line.to_owned()),
        None => Err("no count".to_owned()),
    }
}

pub(super) fn write_paths(folder: &Path, seed: u64) -> std::io::Result<()> {
    let mut random = Rng::new(seed);
    let paths: String =
        (0..PATHS).map(|_| format!("/user/{}\n", 1 + random.below(GREATEST_ID.into()))).collect();
    std::fs::write(folder.join("paths.txt"), paths)
}

#[cfg(test)]
mod tests {
    use super::super::job;
    use super::*;

    #[test]
    fn reads_its_report() {
        let job = job(Workload::Coin, Path::new("/f"));
        let report = |failed| {
            format!(
                "requests: 108140 total, 108156 started, 108140 done, 108140 succeeded, {failed} failed, {failed} errored, 0 timeout\n"
            )
        };
        assert_eq!(completed(&job, &Finished::saying(&report(0))), Ok(Completed::unchecked(108_140)));
        assert!(completed(&job, &Finished::saying(&report(4))).is_err());
        assert!(completed(&job, &Finished::saying("")).is_err());
    }
}
