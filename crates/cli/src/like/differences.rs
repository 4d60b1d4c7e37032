//! What cannot be as it was in an earlier run.

use clap::ArgMatches;
use velo_lab::doctor;
use velo_record::HostFacts;

use super::before::Before;
use crate::config::is_given;
use crate::exit::usage;
use crate::root::Root;

/// In words, one line each.
///
/// # Errors
/// When a workload of the run is not here.
pub(super) fn of(before: &Before, root: &Root, typed: &ArgMatches) -> anyhow::Result<Vec<String>> {
    let mut found = of_program(before);
    found.extend(of_host(&before.file.host, &doctor::facts_at_a_glance()));
    let others = is_given(typed, "workloads");
    for workload in before.file.workloads.iter().filter(|_| !others) {
        let name = workload.listed_as();
        match root.workloads.iter().find(|own| own.name == *name) {
            Some(own) if own.hash == workload.hash => {}
            Some(_) => found.push(format!("{name}: the workload's folder has changed since")),
            None => {
                return Err(usage(format!(
                    "--like: its workload `{name}` is not here\n  --workload names its folder"
                )));
            }
        }
    }
    if !Before::has_other_contenders(typed) {
        found.extend(of_contenders(before, root)?);
    }
    let rates = before.common_rates();
    if rates.len() > 1 {
        found.push(format!("{} common rates are found anew: --equal-rate gives one", rates.len()));
    }
    if before.file.plan.is_none() {
        found.push(
            "it was stopped before its launches and blocks were planned: the budget plans them".to_owned(),
        );
    }
    found.dedup();
    Ok(found)
}

fn of_program(before: &Before) -> Vec<String> {
    let identity = &before.file.identity;
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    differing("velo", &identity.velo, env!("CARGO_PKG_VERSION"))
        .into_iter()
        .chain(differing("build of velo", &identity.build, build))
        .collect()
}

fn of_host(before: &HostFacts, now: &HostFacts) -> Vec<String> {
    let model = |host: &HostFacts| host.cpu_model.clone().unwrap_or_else(|| "unknown".to_owned());
    let usable = |host: &HostFacts| host.usable_cpus.unwrap_or(host.cpus).to_string();
    [
        differing("host", &before.hostname, &now.hostname),
        differing("CPU model", &model(before), &model(now)),
        differing("CPUs", &usable(before), &usable(now)),
        differing("kernel", &before.kernel, &now.kernel),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_contenders(before: &Before, root: &Root) -> anyhow::Result<Vec<String>> {
    let here = before.here(root)?;
    let difference = |record: &velo_record::ContenderRecord| {
        let name = &record.manifest.name;
        let Some(own) = here.iter().find(|one| one.name == *name) else {
            return Some(format!("{name}: not here, and left out"));
        };
        let then = &record.build.as_ref()?.content_hash;
        // What cannot be read is told when it is built.
        let now = velo_lab::content_hash(own).ok()?;
        (now != *then).then(|| format!("{name}: its folder has changed since"))
    };
    Ok(before.contenders().filter_map(difference).collect())
}

fn differing(what: &str, before: &str, now: &str) -> Option<String> {
    (before != now).then(|| format!("{what}: {before}, now {now}"))
}
