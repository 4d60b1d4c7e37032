//! What concerns a run as a whole.

use velo_record::{ContenderState, RunFile, RunState};
use velo_spec::{Class, ContenderName, Role};

use crate::checks::bounds::LEAST_LAUNCHES;
use crate::checks::control;
use crate::checks::finding::Finding;
use crate::checks::verdict::{Check, Kind, Verdict};
use crate::run::host::{self, HostSummary};
use crate::run::workload::JudgedWorkload;
use crate::words::count;

/// Why nothing is ranked, when nothing is.
pub(crate) fn nothing_ranked(file: &RunFile) -> Option<String> {
    // What the person asked for or did explains the rest.
    no_task_ranked(file).or_else(|| planned_nothing(file))
}

/// Why no task is ranked, when none is: tasks have no plan.
pub(crate) fn no_task_ranked(file: &RunFile) -> Option<String> {
    let partial = match file.state {
        RunState::Complete => None,
        RunState::Interrupted => Some("partial run: it was stopped".to_owned()),
        RunState::Running => {
            Some("partial run: it has not ended, or ended without a chance to say so".to_owned())
        }
    };
    partial.or_else(|| file.settings.quick.then(|| "quick look".to_owned()))
}

fn planned_nothing(file: &RunFile) -> Option<String> {
    match &file.plan {
        Some(plan) => plan.not_ranked.clone().or_else(|| {
            (plan.launches < LEAST_LAUNCHES).then(|| {
                let planned = count(plan.launches as usize, "launch", "launches");
                format!("{planned} planned, and ranks need {LEAST_LAUNCHES}")
            })
        }),
        None if has_only_tasks(file) => None,
        None => Some("no plan was fixed".to_owned()),
    }
}

/// Whether tasks were measured and no server was left to be.
fn has_only_tasks(file: &RunFile) -> bool {
    let is_out = |state: &ContenderState| {
        matches!(state, ContenderState::Excluded { .. } | ContenderState::Skipped { .. })
    };
    file.contenders.iter().any(|record| !record.tasks.is_empty())
        && file.contenders.iter().all(|record| record.manifest.role == Role::Task || is_out(&record.state))
}

pub(crate) fn of(file: &RunFile, host: &HostSummary, workloads: &[JudgedWorkload]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    if file.identity.build == "debug" {
        verdicts.push(Verdict::new(Kind::Error, Check::Build, Finding::DebugBuild));
    }
    for setting in file.settings.overrides.iter().cloned() {
        verdicts.push(Verdict::new(Kind::Warning, Check::Overrides, Finding::Override { setting }));
    }
    verdicts.extend(ran_already(file));
    verdicts.extend(host::verdicts(host));
    for workload in workloads {
        let failed = |control| control::verdict(control, &workload.name);
        verdicts.extend(workload.controls.iter().filter_map(failed));
    }
    verdicts
}

/// What servers that ran already do to a run.
fn ran_already(file: &RunFile) -> Option<Verdict> {
    let running = file.contenders.iter().filter(|record| record.manifest.class == Class::Running);
    let contenders: Vec<ContenderName> = running.map(|record| record.manifest.name.clone()).collect();
    (!contenders.is_empty())
        .then(|| Verdict::new(Kind::Warning, Check::Host, Finding::ExternallyStarted { contenders }))
}
