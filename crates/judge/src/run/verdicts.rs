//! What concerns a run as a whole.

use velo_model::{Class, ContenderName};
use velo_record::RunFile;

use crate::doubt::control;
use crate::doubt::finding::Finding;
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::run::host::{self, HostSummary};
use crate::run::workload::JudgedWorkload;

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
