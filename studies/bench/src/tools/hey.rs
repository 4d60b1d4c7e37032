use velo_tests::child::Finished;

use super::{Amount, BET, Completed, Job, Tool, Workload, expect_success, number_after, words};

/// hey; the same path each time.
pub(crate) const HEY: Tool = Tool { name: "hey", program: "hey", version: &[], arguments, completed };

fn arguments(job: &Job) -> Vec<String> {
    let mut arguments = words(&["-cpus", "1", "-c", &job.connections.to_string()]);
    match job.amount {
        Amount::Seconds(seconds) => arguments.extend(words(&["-z", &format!("{seconds}s")])),
        Amount::OneRequest => arguments.extend(words(&["-n", "1"])),
    }
    if job.workload == Workload::Coin {
        arguments.extend(words(&["-m", "POST", "-T", "application/json", "-d", BET]));
    }
    arguments.push(job.fixed_url());
    arguments
}

fn completed(_job: &Job, finished: &Finished) -> Result<Completed, String> {
    expect_success(finished)?;
    let (_, codes) = finished.stdout.split_once("Status code distribution:").ok_or("no count")?;
    if let Some((_, errors)) = codes.split_once("Error distribution:") {
        return Err(errors.trim().lines().next().unwrap_or("errors").to_owned());
    }
    let lines: Vec<&str> = codes.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.as_slice() {
        [line] => number_after(line, "[200]").map(Completed::unchecked).ok_or_else(|| (*line).to_owned()),
        _ => Err(lines.join(", ")),
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
        let report = "Details:\n\nStatus code distribution:\n  [200]\t23529 responses\n\n\n\n";
        assert_eq!(completed(&job, &Finished::saying(report)), Ok(Completed::unchecked(23_529)));
        let failed = format!("{report}Error distribution:\n  [3]\tGet: EOF\n");
        assert!(completed(&job, &Finished::saying(&failed)).is_err());
        let mixed = "Status code distribution:\n  [200]\t5 responses\n  [500]\t2 responses\n";
        assert!(completed(&job, &Finished::saying(mixed)).unwrap_err().contains("[500]"));
        assert!(completed(&job, &Finished::saying("")).is_err());
    }
}
