//! What concerns a run as a whole.

use velo_model::{Class, ContenderName};
use velo_record::{ContenderRecord, External, RunFile};

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

/// What servers that ran already do to a run: those of which nothing is seen, and the others.
fn ran_already(file: &RunFile) -> impl Iterator<Item = Verdict> {
    let running = || file.contenders.iter().filter(|record| record.manifest.class == Class::Running);
    let is_seen = |record: &&ContenderRecord| matches!(record.external, Some(External::Seen { .. }));
    let name = |record: &ContenderRecord| record.manifest.name.clone();
    let unseen: Vec<ContenderName> = running().filter(|record| !is_seen(record)).map(name).collect();
    let contenders: Vec<ContenderName> = running().filter(is_seen).map(name).collect();
    let is_beside = |record: &&ContenderRecord| *record.placement(&file.placement) != file.placement;
    let beside_load: Vec<ContenderName> = running().filter(is_beside).map(name).collect();
    let of = |contenders: &[ContenderName], kind, finding| {
        (!contenders.is_empty()).then(|| Verdict::new(kind, Check::Host, finding))
    };
    let verdicts = [
        of(&unseen, Kind::Warning, Finding::ExternallyStarted { contenders: unseen.clone() }),
        of(&contenders, Kind::Hint, Finding::ExternalLaunch { contenders: contenders.clone() }),
        of(&beside_load, Kind::Warning, Finding::ExternalPlacement { contenders: beside_load.clone() }),
    ];
    verdicts.into_iter().flatten()
}
