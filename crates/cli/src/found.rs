//! What was found from the current folder upward, and nobody named: it is obeyed only when no other user could have put it there.

use std::collections::BTreeSet;
use std::fs::{metadata, symlink_metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::Context as _;
use rustix::process::geteuid;

use crate::exit::usage;

const ROOT: u32 = 0;

/// Refuses what belongs to another user than this one and root; to root also the user counts who called it with sudo. `instead`: what to do.
///
/// # Errors
/// When it belongs to somebody else, or its owner is not known.
pub(crate) fn check_owner(path: &Path, instead: &str) -> anyhow::Result<()> {
    let sudo_uid = std::env::var("SUDO_UID").ok().and_then(|uid| uid.parse().ok());
    let trusted = trusted(geteuid().as_raw(), sudo_uid);
    // A link says where to look, so that its owner counts as well.
    for data in [symlink_metadata(path), metadata(path)] {
        let owner = data.with_context(|| format!("{}: its owner cannot be read", path.display()))?.uid();
        if !trusted.contains(&owner) {
            return Err(usage(format!(
                "{}: belongs to another user (uid {owner}), who could have anything done by it\n  {instead}",
                path.display()
            )));
        }
    }
    Ok(())
}

fn trusted(own: u32, sudo: Option<u32>) -> BTreeSet<u32> {
    [own, ROOT].into_iter().chain(sudo.filter(|_| own == ROOT)).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, lchown, symlink};

    use super::*;

    const STRANGER: u32 = 65_533;

    #[test]
    fn only_root_trusts_who_called_it() {
        assert_eq!(trusted(1000, Some(1001)), BTreeSet::from([0, 1000]));
        assert_eq!(trusted(0, Some(1001)), BTreeSet::from([0, 1001]));
        assert_eq!(trusted(0, None), BTreeSet::from([0]));
    }

    #[test]
    fn what_belongs_to_a_stranger_is_refused_and_so_is_a_strangers_link() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("velo.toml");
        std::fs::write(&file, "").unwrap();
        check_owner(&file, "name it").unwrap();
        let link = dir.path().join("link");
        symlink(&file, &link).unwrap();
        check_owner(&link, "name it").unwrap();
        // Nobody but root can give a file away.
        if !geteuid().is_root() {
            return;
        }
        lchown(&link, Some(STRANGER), None).unwrap();
        chown(&file, Some(STRANGER), None).unwrap();
        for path in [&file, &link] {
            let error = check_owner(path, "name it").unwrap_err().to_string();
            assert!(error.contains("another user (uid 65533)") && error.ends_with("\n  name it"), "{error}");
        }
        chown(&file, Some(0), None).unwrap();
        assert!(check_owner(&link, "name it").is_err(), "the link alone is a stranger's");
    }
}
