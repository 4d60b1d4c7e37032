use std::io;

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The kernel, or what this process may do, lacks something that a link needs.
    #[error("a link cannot be made here: {what}: {source}")]
    NotHere {
        /// What was refused.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// No pair of addresses is free.
    #[error("a link cannot be made here: all of 198.18.0.0/16 has routes already")]
    NoAddress,
    /// The thread that forwards could not be started.
    #[error("the link's thread could not be started: {0}")]
    Thread(io::Error),
}

impl LinkError {
    /// What to do about it, in a sentence.
    pub fn cure(&self) -> &'static str {
        match self {
            Self::NotHere { .. } => {
                "a link needs /dev/net/tun, and root or user namespaces (user.max_user_namespaces above 0, and on Ubuntu \
                 kernel.apparmor_restrict_unprivileged_userns=0); without a link everything is measured at a round-trip time of 0"
            }
            Self::NoAddress => {
                "end other links, or run velo in a network namespace of its own (unshare --net)"
            }
            Self::Thread(_) => "run again",
        }
    }

    pub(crate) fn not_here(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::NotHere { what, source }
    }
}
