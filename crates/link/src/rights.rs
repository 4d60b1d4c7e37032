//! The rights to make namespaces and devices in them.

use std::fs;
use std::io;

use rustix::process::{getegid, geteuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use crate::LinkError;

/// `CAP_NET_ADMIN` and `CAP_SYS_ADMIN` (capabilities(7)).
const NEEDED: u64 = 1 << 12 | 1 << 21;

/// Whose rights a process has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Those of root, over this machine's network too.
    Own,
    /// Those of a user namespace of its own, over what it makes itself.
    OfANamespace,
}

/// Sees to it that this process may open a link with [`Near::Apart`](crate::Near::Apart): as root it may; else it is put into a
/// user namespace of its own, in which it has the same user, group and files as before, and loses what it gained on each exec.
///
/// Must be called before this process has started a thread: a process with several cannot change its user namespace.
///
/// # Errors
/// When this process has no such rights and gets none.
pub fn obtain_rights() -> Result<Rights, LinkError> {
    if has_rights() {
        return Ok(Rights::Own);
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    // SAFETY: only the user namespace is left; descriptors stay as they are, and there is one thread, else the kernel refuses.
    let made: io::Result<()> = unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }.map_err(io::Error::from);
    made.map_err(LinkError::not_here("a user namespace is refused"))?;
    // A group may be mapped only by who cannot drop groups (user_namespaces(7)).
    fs::write("/proc/self/setgroups", "deny")
        .and_then(|()| fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
        .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")))
        .map_err(LinkError::not_here("the user of a user namespace cannot be set"))?;
    Ok(Rights::OfANamespace)
}

fn has_rights() -> bool {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    effective(&status).is_some_and(|effective| effective & NEEDED == NEEDED)
}

fn effective(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_rights_are_read() {
        assert_eq!(effective("Name:\tx\nCapPrm:\t1\nCapEff:\t0000000000201000\n"), Some(NEEDED));
        assert_eq!(effective("CapEff:\tzz\n"), None);
        assert_eq!(effective(""), None);
    }
}
