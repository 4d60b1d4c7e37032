//! Interleaved rounds: in each, every tool runs once, in an order of its own.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use velo_load::Rng;
use velo_tests::child::{Finished, on_cpu, run};

use crate::Outcome;
use crate::order::shuffled;
use crate::server::{Counts, Server};
use crate::settings::{LOAD_CPU, Settings};
use crate::statistics::{Ratio, Spread, ratio, spread};
use crate::tools::{Amount, Completed, Job, Tool, Workload};

/// What a tool may take beyond the time that it was told to load.
const GRACE: Duration = Duration::from_secs(30);

/// What is asked of every tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) workload: Workload,
    pub(crate) connections: u32,
    pub(crate) pipelining: u32,
}

/// The figures of one valid run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figures {
    /// User time per completed request, of the whole process tree.
    pub(crate) user_us: f64,
    /// System time per completed request.
    pub(crate) system_us: f64,
    /// Completed requests over the time that was asked for.
    pub(crate) per_s: f64,
    pub(crate) peak_memory_bytes: u64,
    /// What moved the bytes, from a tool that has a choice.
    pub(crate) driver: Option<&'static str>,
}

impl Figures {
    /// CPU time per completed request.
    pub(crate) fn cpu_us(&self) -> f64 {
        self.user_us + self.system_us
    }
}

/// One tool's runs, round by round; an error says why a run is void.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) tool: &'static Tool,
    pub(crate) runs: Vec<Result<Figures, String>>,
}

impl Series {
    fn valid(&self) -> impl Iterator<Item = &Figures> {
        self.runs.iter().flatten()
    }

    /// A figure over the valid runs.
    pub(crate) fn spread(&self, figure: fn(&Figures) -> f64) -> Option<Spread> {
        spread(&self.valid().map(figure).collect::<Vec<_>>())
    }

    /// The ratio of a figure to another tool's in the same rounds.
    pub(crate) fn ratio_to(&self, other: &Self, figure: fn(&Figures) -> f64) -> Option<Ratio> {
        let pairs = self.runs.iter().zip(&other.runs);
        let valid = pairs.filter_map(|(a, b)| Some((figure(a.as_ref().ok()?), figure(b.as_ref().ok()?))));
        ratio(&valid.collect::<Vec<_>>())
    }

    /// The most memory in any run.
    pub(crate) fn peak_memory_bytes(&self) -> Option<u64> {
        self.valid().map(|figures| figures.peak_memory_bytes).max()
    }

    /// The drivers that moved the bytes; none of a tool that has no choice.
    pub(crate) fn drivers(&self) -> Vec<&'static str> {
        let mut drivers: Vec<_> = self.valid().filter_map(|figures| figures.driver).collect();
        drivers.sort_unstable();
        drivers.dedup();
        drivers
    }

    /// How many runs are void, and why the first one is.
    pub(crate) fn void(&self) -> (usize, Option<&str>) {
        let mut reasons = self.runs.iter().filter_map(|run| run.as_ref().err());
        let first = reasons.next().map(String::as_str);
        (reasons.count() + usize::from(first.is_some()), first)
    }
}

/// Runs each tool `rounds` times.
///
/// # Errors
/// When the server fails, or a run of a tool that checks did not count exactly what the server did.
pub(crate) fn compare(
    setting: Setting,
    tools: &[&'static Tool],
    rounds: usize,
    server: &mut dyn Server,
    folder: &Path,
    settings: &Settings,
) -> Outcome<Vec<Series>> {
    let mut series: Vec<Series> = tools.iter().map(|tool| Series { tool, runs: Vec::new() }).collect();
    let mut random = Rng::new(settings.seed);
    for round in 0..rounds {
        for index in shuffled(tools.len(), &mut random) {
            let run = run_once(setting, tools[index], server, folder, settings)?;
            note(&run, setting, tools[index], round, settings)?;
            series[index].runs.push(run.figures);
        }
        eprintln!("{} connections: round {} of {rounds}", setting.connections, round + 1);
    }
    Ok(series)
}

struct Run {
    server: Counts,
    finished: Finished,
    figures: Result<Figures, String>,
}

fn run_once(
    setting: Setting,
    tool: &'static Tool,
    server: &mut dyn Server,
    folder: &Path,
    settings: &Settings,
) -> Outcome<Run> {
    let url = server.begin()?;
    let job = Job {
        workload: setting.workload,
        server: &url,
        connections: setting.connections,
        pipelining: setting.pipelining,
        amount: Amount::Seconds(settings.seconds),
        folder,
    };
    let limit = Duration::from_secs(u64::from(settings.seconds)) + GRACE;
    let finished = run(on_cpu(&mut tool.command(&job), LOAD_CPU), limit)
        .map_err(|error| format!("{}: {error}", tool.name))?;
    let counts = server.end()?;
    let completed = (tool.completed)(&job, &finished);
    let agrees = completed.and_then(|completed| agree(completed, counts, setting).map(|()| completed));
    if let (true, Err(reason)) = (tool.program == "velo", &agrees) {
        let said = [finished.stdout.trim(), finished.stderr.trim()].join("\n");
        return Err(format!(
            "a run of `{}` is void, and with it the whole comparison: {reason}\n\
             {setting:?}; the server counted {counts:?}\nvelo said:\n{said}",
            tool.name
        )
        .into());
    }
    let figures = agrees.map(|completed| {
        let requests = completed.requests as f64;
        Figures {
            user_us: us(finished.user) / requests,
            system_us: us(finished.system) / requests,
            per_s: requests / f64::from(settings.seconds),
            peak_memory_bytes: finished.peak_memory_bytes,
            driver: completed.driver,
        }
    });
    Ok(Run { server: counts, finished, figures })
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// A tool that checks must agree exactly. Others may leave one request a place in flight at their end, and be wrong by
/// one in a hundred.
fn agree(completed: Completed, counts: Counts, setting: Setting) -> Result<(), String> {
    let Completed { requests, wrong, .. } = completed;
    if requests == 0 {
        return Err("no request completed".to_owned());
    }
    if let Some(wrong) = wrong {
        let expected = Counts { requests, wrong };
        return if expected == counts { Ok(()) } else { Err(format!("counted {expected:?}")) };
    }
    let in_flight = u64::from(setting.connections) * u64::from(setting.pipelining);
    let tolerance = counts.requests / 100 + in_flight;
    if requests.abs_diff(counts.requests) <= tolerance {
        return Ok(());
    }
    Err(format!("reported {requests} requests, the server read {}", counts.requests))
}

/// Leaves a line for whoever wants to look at single runs.
fn note(run: &Run, setting: Setting, tool: &Tool, round: usize, settings: &Settings) -> Outcome<()> {
    let Some(path) = &settings.runs_csv else { return Ok(()) };
    let is_new = !path.exists();
    let mut file = std::fs::File::options().create(true).append(true).open(path)?;
    if is_new {
        writeln!(
            file,
            "workload,connections,pipelining,round,tool,server_requests,user_us,system_us,peak_memory_bytes,wall_s,void"
        )?;
    }
    let Finished { user, system, peak_memory_bytes, wall, .. } = &run.finished;
    writeln!(
        file,
        "{:?},{},{},{round},\"{}\",{},{:.0},{:.0},{peak_memory_bytes},{:.3},\"{}\"",
        setting.workload,
        setting.connections,
        setting.pipelining,
        tool.name,
        run.server.requests,
        us(*user),
        us(*system),
        wall.as_secs_f64(),
        run.figures.as_ref().err().map_or("", String::as_str).replace('"', "'"),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{VELO, WRK};

    const SETTING: Setting = Setting { workload: Workload::Coin, connections: 64, pipelining: 1 };

    fn counts(requests: u64, wrong: u64) -> Counts {
        Counts { requests, wrong }
    }

    #[test]
    fn who_checks_must_agree_exactly() {
        let completed = Completed { requests: 400_000, wrong: Some(4), driver: None };
        assert!(agree(completed, counts(400_000, 4), SETTING).is_ok());
        assert!(agree(completed, counts(400_001, 4), SETTING).is_err());
        assert!(agree(completed, counts(400_000, 3), SETTING).is_err());
    }

    #[test]
    fn others_may_leave_what_is_in_flight() {
        let completed = Completed { requests: 10_000, wrong: None, driver: None };
        assert!(agree(completed, counts(10_160, 0), SETTING).is_ok());
        assert!(agree(completed, counts(10_200, 0), SETTING).is_err());
        assert!(agree(completed, counts(5_000, 0), SETTING).is_err(), "counted twice");
        assert!(agree(Completed { requests: 0, wrong: None, driver: None }, counts(0, 0), SETTING).is_err());
    }

    #[test]
    fn void_runs_leave_their_pair_out() {
        let figures = |cpu_us| {
            Ok(Figures { user_us: cpu_us, system_us: 0.0, per_s: 1.0, peak_memory_bytes: 1, driver: None })
        };
        let velo = Series { tool: &VELO, runs: vec![figures(2.0), figures(3.0), figures(4.0)] };
        let wrk = Series { tool: &WRK, runs: vec![figures(4.0), Err("lost".to_owned()), figures(4.0)] };
        assert_eq!(velo.ratio_to(&wrk, Figures::cpu_us).unwrap().median, 0.75);
        assert_eq!(wrk.void(), (1, Some("lost")));
        assert_eq!(velo.void(), (0, None));
        assert_eq!(wrk.spread(Figures::cpu_us).unwrap().median, 4.0);
    }
}
