use std::path::Path;

use velo_tests::child::Finished;

use super::{Amount, BET, Completed, GREATEST_ID, Job, Tool, Workload, expect_success, number_before};

/// wrk as it is cheapest: every request the same.
pub(crate) const WRK: Tool =
    Tool { name: "wrk", program: "wrk", version: &["-v"], arguments: fixed, completed };

/// wrk with a script that makes each path.
pub(crate) const WRK_RANDOM: Tool =
    Tool { name: "wrk, random path by Lua", program: "wrk", version: &["-v"], arguments: random, completed };

fn fixed(job: &Job) -> Vec<String> {
    let script = match (job.workload, job.pipelining) {
        (Workload::Coin, 1) => Some("coin.lua"),
        (Workload::Coin, _) => Some("pipeline.lua"),
        (Workload::User | Workload::Https, _) => None,
    };
    with_script(job, script)
}

fn random(job: &Job) -> Vec<String> {
    with_script(job, Some("user.lua"))
}

fn with_script(job: &Job, script: Option<&str>) -> Vec<String> {
    let seconds = match job.amount {
        Amount::Seconds(seconds) => seconds,
        // It cannot run for less.
        Amount::OneRequest => 1,
    };
    let mut arguments = vec!["-t1".to_owned(), format!("-c{}", job.connections), format!("-d{seconds}s")];
    if let Some(script) = script {
        arguments.extend(["-s".to_owned(), job.file(script)]);
    }
    arguments.push(job.fixed_url());
    if script == Some("pipeline.lua") {
        arguments.extend(["--".to_owned(), job.pipelining.to_string()]);
    }
    arguments
}

fn completed(_job: &Job, finished: &Finished) -> Result<Completed, String> {
    expect_success(finished)?;
    let failure =
        finished.stdout.lines().find(|line| line.contains("Non-2xx") || line.contains("Socket errors"));
    if let Some(failure) = failure {
        return Err(failure.trim().to_owned());
    }
    number_before(&finished.stdout, " requests in ")
        .map(Completed::unchecked)
        .ok_or_else(|| "no count".to_owned())
}

pub(super) fn write_scripts(folder: &Path) -> std::io::Result<()> {
    let coin = format!(
        "wrk.method = \"POST\"\nwrk.path = \"/coin\"\nwrk.body = '{BET}'\nwrk.headers[\"Content-Type\"] = \"application/json\"\n"
    );
    let pipeline = "local batch\nfunction init(args)\n  local one = wrk.format()\n  batch = one:rep(tonumber(args[1]))\nend\n\
                    function request() return batch end\n";
    let user = format!(
        "function request() return wrk.format(\"GET\", \"/user/\" .. math.random(1, {GREATEST_ID})) end\n"
    );
    std::fs::write(folder.join("coin.lua"), &coin)?;
    std::fs::write(folder.join("pipeline.lua"), coin + pipeline)?;
    std::fs::write(folder.join("user.lua"), user)
}

#[cfg(test)]
mod tests {
    use super::super::job;
    use super::*;

    const REPORT: &str = "Running 1s test @ http://127.0.0.1:18080/coin\n  1 threads and 16 connections\n  \
                          147310 requests in 1.10s, 15.10MB read\nRequests/sec: 133929.60\n";

    #[test]
    fn reads_its_report() {
        let job = job(Workload::Coin, Path::new("/f"));
        assert_eq!(completed(&job, &Finished::saying(REPORT)), Ok(Completed::unchecked(147_310)));
        let failed = format!("{REPORT}  Non-2xx or 3xx responses: 3\n");
        assert!(completed(&job, &Finished::saying(&failed)).unwrap_err().contains("Non-2xx"));
        assert!(completed(&job, &Finished::saying("")).is_err());
    }

    #[test]
    fn asks_for_pipelining_by_its_script() {
        let mut job = job(Workload::Coin, Path::new("/f"));
        let once = (WRK.arguments)(&job).join(" ");
        assert_eq!(once, "-t1 -c16 -d3s -s /f/coin.lua http://127.0.0.1:8080/coin");
        job.pipelining = 16;
        let many = (WRK.arguments)(&job).join(" ");
        assert_eq!(many, "-t1 -c16 -d3s -s /f/pipeline.lua http://127.0.0.1:8080/coin -- 16");
    }
}
