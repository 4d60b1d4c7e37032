//! What `velo gate` needs beside a run: two revisions of a repository, and where its result goes.

pub(crate) mod flags;
pub(crate) mod git;
pub(crate) mod outputs;
pub(crate) mod sides;
pub(crate) mod worktrees;
