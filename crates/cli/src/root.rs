//! The folder that holds `workloads/` and `contenders/`, and what lies in it.

use std::path::{Path, PathBuf};

use velo_spec::{Contender, Workload, read};

use crate::exit::usage;

/// A checkout, read and checked.
#[derive(Debug)]
pub(crate) struct Root {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// Its workloads, by name.
    pub(crate) workloads: Vec<Workload>,
    /// Its contenders, by name.
    pub(crate) contenders: Vec<Contender>,
}

impl Root {
    /// Reads the folder named, or the first that will do from the current one upward.
    pub(crate) fn read(named: Option<&Path>) -> anyhow::Result<Self> {
        let dir = find(named)?;
        let workloads = read::workloads(&dir)?;
        let contenders = read::contenders(&dir)?;
        read::cross_check(&workloads, &contenders)?;
        Ok(Self { dir, workloads, contenders })
    }

    /// Where builds are kept.
    pub(crate) fn cache_dir(&self) -> PathBuf {
        self.dir.join(".velo")
    }

    /// Where runs are written unless `--out` says otherwise.
    pub(crate) fn results_dir(&self) -> PathBuf {
        self.dir.join("results")
    }
}

fn find(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(dir) = named {
        return if is_root(dir) {
            Ok(dir.to_owned())
        } else {
            Err(usage(format!(
                "--root {}: expected a folder that holds workloads/ and contenders/",
                dir.display()
            )))
        };
    }
    let here = std::env::current_dir()?;
    here.ancestors().find(|dir| is_root(dir)).map(Path::to_owned).ok_or_else(|| {
        usage(format!(
            "neither {} nor a folder above it holds workloads/ and contenders/\n  \
             change to a checkout of Velodrome, or name one with --root DIR",
            here.display()
        ))
    })
}

fn is_root(dir: &Path) -> bool {
    dir.join("workloads").is_dir() && dir.join("contenders").is_dir()
}
