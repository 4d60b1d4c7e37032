//! Flags that verbs share.

use std::path::PathBuf;

use clap::ValueHint;

/// Which `velo.toml`; read before the other flags, since it adds to them.
#[derive(Debug, Default, Clone, clap::Args)]
pub(crate) struct ConfigArgs {
    /// Take flags that are not typed from this file [default: the first velo.toml from this folder upward];
    /// docs/load.md has its keys
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Read no velo.toml
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
}
