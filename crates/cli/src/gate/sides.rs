//! What each revision defines: its contender, and the workload of the head.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use velo_model::{Contender, ContenderName, Role, Workload};
use velo_spec::{SpecError, read};

use super::git::Repository;
use crate::carried;
use crate::exit::usage;

/// The configuration file that may hold a contender.
const CONFIG: &str = "velo.toml";

/// The contender that is judged, and the workload that both are held to.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) contender: Contender,
    pub(crate) workload: Workload,
    /// Where it is defined, from the repository's root.
    pub(crate) defined_in: PathBuf,
}

/// What the head in a folder says.
///
/// # Errors
/// When a definition is none, or it is not clear which contender or workload is meant.
pub(crate) fn head(
    repository: &Repository,
    dir: &Path,
    only: Option<&str>,
    workload: Option<&str>,
) -> anyhow::Result<Head> {
    let workloads = workloads(dir)?;
    let all = contenders(repository, dir)?;
    read::check_contenders(&workloads, &all)?;
    let contender = chosen(all, only)?;
    let name = match (workload, contender.workloads.as_slice()) {
        (Some(name), own) if own.iter().any(|known| known == name) => name.to_owned(),
        (Some(name), own) => {
            let what = format!("--workload {name}: {} does not answer it", contender.name);
            return Err(usage(format!(
                "{what}\n  {}",
                velo_request::one_of(name, own.iter().map(String::as_str))
            )));
        }
        (None, [one]) => one.clone(),
        (None, several) => {
            let what = format!("{} answers several workloads", contender.name);
            return Err(usage(format!("{what}\n  name one with --workload: {}", several.join(", "))));
        }
    };
    // OK because contenders were checked to name workloads that there are.
    let workload = workloads.into_iter().find(|one| one.name == name).expect("a workload that was checked");
    let folder = contender.dir.strip_prefix(dir).unwrap_or(Path::new(""));
    let file = if folder.as_os_str().is_empty() { CONFIG } else { "contender.toml" };
    Ok(Head { defined_in: folder.join(file), contender, workload })
}

/// The same contender in another revision; `None` where that has none of the name, or one that does not
/// answer the workload.
///
/// # Errors
/// When a definition there is none.
pub(crate) fn base(repository: &Repository, dir: &Path, head: &Head) -> Result<Option<Contender>, SpecError> {
    let is_it = |one: &Contender| {
        one.name == head.contender.name && one.role.is_server() && one.workloads.contains(&head.workload.name)
    };
    Ok(contenders(repository, dir)?.into_iter().find(is_it))
}

/// Whether another revision has the workload and has it otherwise. One that cannot be read is another one.
pub(crate) fn has_another(dir: &Path, workload: &Workload) -> bool {
    let own = dir.join("workloads").join(&workload.name);
    own.is_dir() && read::workload(&own).map_or(true, |other| other.hash != workload.hash)
}

/// A contender at a revision, to be measured on one workload beside another revision alone.
pub(crate) fn at(contender: &Contender, revision: &str, workload: &Workload) -> Contender {
    Contender {
        // OK because the names of revisions are ours, and a definition has none.
        name: contender.name.at(revision).expect("a name with a revision"),
        workloads: vec![workload.name.clone()],
        raw: None,
        rest: None,
        ..contender.clone()
    }
}

fn contenders(repository: &Repository, dir: &Path) -> Result<Vec<Contender>, SpecError> {
    let mut all = if dir.join("contenders").is_dir() { read::contenders(dir)? } else { Vec::new() };
    let config = dir.join(CONFIG);
    if config.is_file()
        && let Ok(name) = ContenderName::new(&format!("service/{}", repository.name()))
    {
        all.extend(read::contender_of_config(&config, &name)?);
    }
    Ok(all)
}

/// Those of the revision, and those that velo carries under other names.
fn workloads(dir: &Path) -> Result<Vec<Workload>, SpecError> {
    let mut all = if dir.join("workloads").is_dir() { read::workloads(dir)? } else { Vec::new() };
    for (name, files) in carried::workloads() {
        if all.iter().all(|own| own.name != name) {
            all.push(read::workload_of(name, &files)?);
        }
    }
    Ok(all)
}

fn chosen(all: Vec<Contender>, only: Option<&str>) -> anyhow::Result<Contender> {
    let names = |contenders: &[Contender]| {
        contenders.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    if all.is_empty() {
        return Err(usage(
            "the head has no contender\n  expected contenders/LANGUAGE/NAME/contender.toml, \
             or a [contender] table in velo.toml at the repository's root",
        ));
    }
    let servers: Vec<Contender> = all.into_iter().filter(|one| one.role == Role::Server).collect();
    let matching = match only {
        None => servers.clone(),
        Some(pattern) => {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            let glob = glob.map_err(|error| usage(format!("--only {pattern}: {error}")))?.compile_matcher();
            servers.iter().filter(|one| glob.is_match(one.name.as_str())).cloned().collect()
        }
    };
    match <[Contender; 1]>::try_from(matching) {
        Ok([one]) => Ok(one),
        Err(none) if none.is_empty() => {
            let what = only.map_or_else(
                || "the head has no server".to_owned(),
                |only| format!("--only {only}: no server of the head has such a name"),
            );
            Err(usage(format!("{what}\n  servers: {}", names(&servers))))
        }
        Err(several) => Err(usage(format!(
            "a gate judges one contender, and {} are meant\n  name one with --only: {}",
            several.len(),
            names(&several)
        ))),
    }
}
