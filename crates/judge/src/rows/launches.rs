//! What a contender's launches say apart from its windows.

use serde::Serialize;
use velo_model::PartyRole;
use velo_record::{ContenderRecord, LaunchRecord, Placement};
use velo_stats::{CONFIDENCE, lower_median};

use crate::doubt::finding::Finding;
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::measure::estimate::Estimate;
use crate::measure::figures::Launches;
use crate::measure::launch_logs::estimate;

/// A number that differed between launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// The least.
    pub least: u32,
    /// The greatest.
    pub most: u32,
}

/// What the kernel said of a contender's processes, over its launches.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Processes {
    /// Processes after warm-up.
    pub processes: Option<Span>,
    /// Threads of all of them.
    pub threads: Option<Span>,
    /// From exec to the first correct answer.
    pub startup_ns: Option<Estimate>,
    /// Resident set size of the process tree, shared pages once, after the last block, median over launches.
    pub memory_steady_bytes: Option<u64>,
    /// The largest resident size, summed over processes, median over launches.
    pub memory_peak_bytes: Option<u64>,
}

pub(crate) fn summarise(record: &ContenderRecord) -> Processes {
    let launches = &record.launches;
    let startup: Launches =
        launches.iter().filter_map(|launch| Some((launch.launch, launch.startup_ns? as f64))).collect();
    Processes {
        processes: span(launches.iter().filter_map(|launch| launch.processes)),
        threads: span(launches.iter().filter_map(|launch| launch.threads)),
        startup_ns: estimate(&startup, CONFIDENCE),
        memory_steady_bytes: lower_median(launches.iter().filter_map(|launch| launch.memory_steady_bytes)),
        memory_peak_bytes: lower_median(launches.iter().filter_map(|launch| launch.memory_peak_bytes)),
    }
}

fn span(values: impl Iterator<Item = u32> + Clone) -> Option<Span> {
    Some(Span { least: values.clone().min()?, most: values.max()? })
}

/// What was odd about the launches, as far as it concerns a workload.
pub(crate) fn verdicts(record: &ContenderRecord, workload: &str, placement: &Placement) -> Vec<Verdict> {
    let launches = &record.launches;
    let numbers = |odd: &dyn Fn(&LaunchRecord) -> bool| -> Vec<u32> {
        launches.iter().filter(|launch| odd(launch)).map(|launch| launch.launch).collect()
    };
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let of = number(launches.len());
    let mut verdicts = Vec::new();
    if !record.left_by_build.is_empty() {
        let finding = Finding::LeftByBuild { programs: record.left_by_build.clone() };
        verdicts.push(Verdict::new(Kind::Warning, Check::Stop, finding));
    }
    if let Some(address) = record.listens_on {
        let finding = Finding::ListensOnAll { address };
        verdicts.push(Verdict::new(Kind::Warning, Check::Conduct, finding));
    }
    if let Some(written_bytes) = record.log_bytes {
        let log = format!("logs/{}.stderr", record.manifest.name.file_stem());
        verdicts.push(Verdict::new(Kind::Warning, Check::Conduct, Finding::LogCut { log, written_bytes }));
    }
    for launch in launches {
        if let Some(reason) = launch.ended_early.clone() {
            let finding = Finding::LaunchEndedEarly { launch: launch.launch, reason };
            verdicts.push(Verdict::new(Kind::Warning, Check::Launches, finding));
        }
    }
    let capped =
        numbers(&|launch| launch.warm_up.iter().any(|warm| warm.workload == workload && !warm.steady));
    if !capped.is_empty() {
        let finding = Finding::WarmUpNotSteady { launches: number(capped.len()), of };
        verdicts.push(Verdict::new(Kind::Hint, Check::WarmUp, finding));
    }
    let elsewhere = numbers(&|launch| {
        !launch.cpus_read_back.is_empty()
            && launch.cpus_read_back.iter().any(|cpu| !placement.cpus(PartyRole::Contender).contains(cpu))
    });
    if !elsewhere.is_empty() {
        let finding = Finding::OutsideCpus { launches: elsewhere };
        verdicts.push(Verdict::new(Kind::Warning, Check::Placement, finding));
    }
    let killed = numbers(&|launch| launch.stop.as_ref().is_some_and(|stop| !stop.by_sigterm));
    if !killed.is_empty() {
        let finding = Finding::NotStoppedBySigterm { launches: number(killed.len()), of };
        verdicts.push(Verdict::new(Kind::Hint, Check::Stop, finding));
    }
    verdicts
}
