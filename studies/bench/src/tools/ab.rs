use velo_tests::child::Finished;

use super::{Amount, Completed, Job, Tool, Workload, expect_success, number_after, words};

/// ab with keep-alive; it speaks HTTP/1.0.
pub(crate) const AB: Tool = Tool { name: "ab -k", program: "ab", version: &["-V"], arguments, completed };

/// More requests than it can send in a second; `-t` alone would end after 50,000.
const MOST_PER_SECOND: u64 = 1_000_000;

fn arguments(job: &Job) -> Vec<String> {
    // `-l`: the length of an answer may differ.
    let mut arguments = words(&["-k", "-l", "-q", "-c", &job.connections.to_string()]);
    match job.amount {
        Amount::Seconds(seconds) => {
            let most = u64::from(seconds) * MOST_PER_SECOND;
            arguments.extend(words(&["-t", &seconds.to_string(), "-n", &most.to_string()]));
        }
        Amount::OneRequest => arguments.extend(words(&["-n", "1"])),
    }
    if job.workload == Workload::Coin {
        arguments.extend(words(&["-p", &job.file("body.json"), "-T", "application/json"]));
    }
    arguments.push(job.fixed_url());
    arguments
}

fn completed(_job: &Job, finished: &Finished) -> Result<Completed, String> {
    expect_success(finished)?;
    let count = |label: &str| number_after(&finished.stdout, label);
    let failed = count("Failed requests:").unwrap_or(0) + count("Non-2xx responses:").unwrap_or(0);
    match count("Complete requests:") {
        Some(requests) if failed == 0 => Ok(Completed::unchecked(requests)),
        Some(_) => Err(format!("{failed} failed")),
        None => Err("no count".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::job;
    use super::*;
    use std::path::Path;

    #[test]
    fn reads_its_report() {
        let job = job(Workload::Coin, Path::new("/f"));
        let report =
            "Complete requests:      171516\nFailed requests:        0\nKeep-Alive requests:    171516\n";
        assert_eq!(completed(&job, &Finished::saying(report)), Ok(Completed::unchecked(171_516)));
        let report = "Complete requests:      171516\nFailed requests:        7\n";
        assert_eq!(completed(&job, &Finished::saying(report)), Err("7 failed".to_owned()));
        assert!(completed(&job, &Finished::saying("")).is_err());
    }
}
