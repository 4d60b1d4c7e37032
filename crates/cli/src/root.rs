//! The folder that holds `workloads/` and `contenders/`, and what lies in it; without one, the workloads in this program.

use std::path::{Path, PathBuf};

use velo_model::{Contender, Workload};
use velo_spec::SpecError;
use velo_spec::read;

use crate::carried;
use crate::exit::usage;
use crate::found::check_owner;

const WORKLOADS: &str = "workloads";
const CONTENDERS: &str = "contenders";

/// A checkout, read and checked; or what stands for one.
#[derive(Debug)]
pub(crate) struct Root {
    /// The folder; `None` without a checkout.
    pub(crate) dir: Option<PathBuf>,
    /// Its workloads, by name, and those named beside them.
    pub(crate) workloads: Vec<Workload>,
    /// Its contenders, by name.
    pub(crate) contenders: Vec<Contender>,
}

impl Root {
    /// Reads the folder named, or the first that will do from the current one upward, and the workloads in other folders.
    pub(crate) fn read(named: Option<&Path>, other_workloads: &[PathBuf]) -> anyhow::Result<Self> {
        let dir = find(named)?;
        let (workloads, contenders) = match &dir {
            Some(dir) => (read::workloads(dir)?, read::contenders(dir)?),
            None => (embedded()?, Vec::new()),
        };
        let mut root = Self { dir, workloads, contenders };
        root.check(&root.contenders)?;
        for dir in other_workloads {
            let workload = read::workload(dir)?;
            match root.workloads.iter().find(|own| own.name == workload.name) {
                // The repository's own may be named too.
                Some(own) if own.hash == workload.hash => {}
                Some(own) => {
                    return Err(usage(format!(
                        "--workload {}: there is another workload `{}` already\n  rename the folder",
                        dir.display(),
                        own.name
                    )));
                }
                None => root.workloads.push(workload),
            }
        }
        Ok(root)
    }

    /// Checks contenders against the workloads, and these against them where the repository's own are among them.
    pub(crate) fn check(&self, contenders: &[Contender]) -> Result<(), SpecError> {
        match &self.dir {
            Some(_) => read::cross_check(&self.workloads, contenders),
            None => read::check_contenders(&self.workloads, contenders),
        }
    }

    /// Where builds are kept.
    pub(crate) fn cache_dir(&self) -> PathBuf {
        match &self.dir {
            Some(dir) => dir.join(".velo"),
            None => user_cache().unwrap_or_else(|| PathBuf::from(".velo")),
        }
    }

    /// Where runs are written unless `--out` says otherwise.
    pub(crate) fn results_dir(&self) -> PathBuf {
        self.dir.as_deref().unwrap_or(Path::new(".")).join("results")
    }
}

/// As the XDG base directory specification has it.
fn user_cache() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Some(of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))?.join("velo"))
}

fn embedded() -> Result<Vec<Workload>, SpecError> {
    carried::workloads().into_iter().map(|(name, files)| read::workload_of(name, &files)).collect()
}

fn find(named: Option<&Path>) -> anyhow::Result<Option<PathBuf>> {
    if let Some(dir) = named {
        return if is_root(dir) {
            Ok(Some(dir.to_owned()))
        } else {
            Err(usage(format!(
                "--root {}: expected a folder that holds workloads/ and contenders/",
                dir.display()
            )))
        };
    }
    let here = std::env::current_dir()?;
    let Some(dir) = here.ancestors().find(|dir| is_root(dir)) else { return Ok(None) };
    // One of them may lie in a folder that anybody may write to.
    for part in [dir.to_owned(), dir.join(WORKLOADS), dir.join(CONTENDERS)] {
        let instead = format!("--root {} uses it all the same; else start velo elsewhere", dir.display());
        check_owner(&part, &instead)?;
    }
    Ok(Some(dir.to_owned()))
}

fn is_root(dir: &Path) -> bool {
    dir.join(WORKLOADS).is_dir() && dir.join(CONTENDERS).is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_carries_the_repositorys_workloads() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(embedded().unwrap(), read::workloads(&repository).unwrap());
    }
}
