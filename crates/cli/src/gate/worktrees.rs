//! Both revisions, checked out beside each other for as long as they are needed.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::git::{Repository, Revision};

/// The two, removed when this is dropped. Their paths are as long as each other's.
#[derive(Debug)]
pub(crate) struct Worktrees {
    repository: Repository,
    folder: tempfile::TempDir,
}

const BASE: &str = "base";
const HEAD: &str = "head";

impl Worktrees {
    /// Checks both out. What a killed velo left in the repository's list goes first.
    ///
    /// # Errors
    /// When git cannot, or there is no place for temporary files.
    pub(crate) fn add(repository: &Repository, base: &Revision, head: &Revision) -> anyhow::Result<Self> {
        repository.git(&["worktree", "prune"])?;
        let folder = tempfile::Builder::new().prefix("velo-gate-").tempdir();
        let folder = folder.context("there is no place for temporary files: set TMPDIR")?;
        let worktrees = Self { repository: repository.clone(), folder };
        for (name, revision) in [(BASE, base), (HEAD, head)] {
            let path = worktrees.folder.path().join(name).to_string_lossy().into_owned();
            // Hooks of the repository are for people at work.
            repository
                .git(&[
                    "-c",
                    "core.hooksPath=/dev/null",
                    "worktree",
                    "add",
                    "--detach",
                    "--quiet",
                    &path,
                    &revision.checkout,
                ])
                .with_context(|| format!("{} cannot be checked out", revision.name))?;
        }
        Ok(worktrees)
    }

    pub(crate) fn base(&self) -> PathBuf {
        self.folder.path().join(BASE)
    }

    pub(crate) fn head(&self) -> PathBuf {
        self.folder.path().join(HEAD)
    }
}

impl Drop for Worktrees {
    fn drop(&mut self) {
        let remove = |path: &Path| {
            // One that was not added is none; what is left of others the next prune takes from the list.
            let _ = self.repository.git(&["worktree", "remove", "--force", &path.to_string_lossy()]);
        };
        remove(&self.base());
        remove(&self.head());
    }
}
