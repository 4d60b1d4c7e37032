//! Toolchains: whether they are here, in which version, and how Debian installs them.

use std::ffi::OsString;
use std::path::PathBuf;
use velo_model::{Contender, Toolchain, Version};

mod command;
mod known;
mod lookup;
mod packages;
mod version;

pub use lookup::{Found, find, find_all};
pub use packages::{Packages, wanted_packages};

use lookup::find_wanted;

/// What a contender wants and the machine lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// One line: what is missing or too old.
    pub reason: String,
    /// What to do.
    pub cure: String,
}

/// The names of the toolchains that `velo` knows, in the order to show them.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    known::TABLE.iter().map(|known| known.name)
}

/// The `PATH` with which a contender finds what it wants, where that is not the usual one.
pub(crate) fn search_path(contender: &Contender) -> Option<OsString> {
    let folders: Vec<PathBuf> =
        contender.toolchain.iter().filter_map(|wanted| find_wanted(wanted)?.folder).collect();
    if folders.is_empty() {
        return None;
    }
    let usual = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&usual))).ok()
}

/// The first of the toolchains that a contender wants and that is missing or too old.
pub fn missing(contender: &Contender) -> Option<Missing> {
    contender.toolchain.iter().find_map(|wanted| {
        let reason = match (known::by_name(&wanted.name), find_wanted(wanted), &wanted.at_least) {
            (None, _, _) => format!("velo does not know the toolchain `{}`", wanted.name),
            (Some(_), Some(found), Some(least)) if !found.version.is_at_least(least) => {
                format!("{} {} is here, {least} or later is wanted", wanted.name, found.version)
            }
            (Some(_), Some(_), _) => return None,
            (Some(known), None, Some(least)) => {
                format!("{} {least} or later{} is not installed", known.name, known.with)
            }
            (Some(known), None, None) => format!("{}{} is not installed", known.name, known.with),
        };
        Some(Missing { reason, cure: cure(contender) })
    })
}

/// The toolchains that a contender wants, as found: `go 1.26.8`.
pub fn receipts(contender: &Contender) -> Vec<String> {
    let receipt =
        |wanted: &Toolchain| find_wanted(wanted).map(|found| format!("{} {}", wanted.name, found.version));
    contender.toolchain.iter().filter_map(receipt).collect()
}

/// What the version commands of the toolchains printed that a contender wants, and where they lie when that is not where the
/// `PATH` leads to: a build by one is not a build by another.
pub(crate) fn outputs(contender: &Contender) -> Vec<String> {
    let output = |wanted: &Toolchain| {
        let found = find_wanted(wanted)?;
        let folder = found.folder.map(|folder| format!(" in {}", folder.display())).unwrap_or_default();
        Some(format!("{}: {}{folder}", wanted.name, found.text))
    };
    contender.toolchain.iter().filter_map(output).collect()
}

/// What `velo doctor` advises for a toolchain that is not here.
pub(crate) fn install_line(name: &str) -> Option<String> {
    known::by_name(name).map(|known| packages::advice(known, packages::candidate_of(known).as_ref()))
}

/// The least version with which any contender of the repository could do, where the one given is older.
pub(crate) fn wanted_instead_of(name: &str, found: &str) -> Option<Version> {
    let least = Version(known::by_name(name)?.least.to_vec());
    let found = Version::parse(found)?;
    (!found.is_at_least(&least)).then_some(least)
}

fn cure(contender: &Contender) -> String {
    if contender.debian.is_empty() {
        let names: Vec<_> = contender.toolchain.iter().map(|wanted| wanted.name.as_str()).collect();
        return format!("install {} and put it on the PATH", names.join(", "));
    }
    let packages: Vec<_> = contender.debian.iter().map(String::as_str).collect();
    let command = packages::install_command(&packages);
    match packages::too_old(contender) {
        Some(old) => format!("{}; {}", old.words, old.cure),
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use super::known::Known;
    use super::lookup::look_elsewhere;
    use super::*;
    use velo_model::{Class, ContenderName, Role};

    fn contender(toolchain: &str, at_least: Option<&str>, debian: &[&str]) -> Contender {
        Contender {
            name: ContenderName::new("go/test").expect("a name"),
            variant_of: None,
            role: Role::Server,
            dir: PathBuf::new(),
            borrows: Vec::new(),
            runs_at: None,
            class: Class::Raw,
            raw: None,
            rest: None,
            workloads: vec![],
            toolchain: vec![Toolchain {
                name: toolchain.to_owned(),
                at_least: at_least.map(|text| Version::parse(text).expect("a version")),
            }],
            debian: debian.iter().map(|&package| package.to_owned()).collect(),
            fetch: None,
            build: None,
            start: "true".to_owned(),
            version: "true".to_owned(),
            process_for_each: false,
            ready_seconds: 20,
            protocols: vec![velo_model::Protocol::Http1],
            other_protocols: None,
        }
    }

    #[test]
    fn the_toolchain_that_builds_this_test_is_found() {
        let found = find("rust").expect("cargo is running this test");
        assert!(found.version.is_at_least(&Version(vec![1, 85])), "{found:?}");
        assert!(found.text.contains(&found.version.to_string()), "{found:?}");
        assert_eq!(missing(&contender("rust", Some("1.85"), &["cargo"])), None);
    }

    #[test]
    fn a_later_version_than_is_here_is_missing() {
        let missing = missing(&contender("rust", Some("999.1"), &[])).expect("no such Rust yet");
        assert!(missing.reason.ends_with("is here, 999.1 or later is wanted"), "{missing:?}");
        assert_eq!(missing.cure, "install rust and put it on the PATH");
    }

    #[test]
    fn an_unknown_toolchain_is_missing_with_a_reason() {
        let missing = missing(&contender("cobol", None, &[])).expect("unknown");
        assert_eq!(missing.reason, "velo does not know the toolchain `cobol`");
        assert_eq!(find("cobol"), None);
    }

    #[test]
    fn an_installation_beside_the_usual_one_is_found_and_put_first() {
        let root = tempfile::tempdir().expect("a folder");
        for (name, version) in [("old", "1.2"), ("new", "21.0.1")] {
            let bin = root.path().join(name).join("bin");
            std::fs::create_dir_all(&bin).expect("a folder");
            let program = bin.join("tool");
            std::fs::write(&program, format!("#!/bin/sh\necho tool {version}\n")).expect("a file");
            std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
                .expect("permissions");
        }
        let elsewhere: &'static [&'static str] =
            vec![&*root.path().to_str().expect("text").to_owned().leak()].leak();
        let known = Known {
            name: "tool",
            programs: &["tool"],
            version_args: &[],
            label: "tool ",
            with: "",
            debian: &["tool"],
            debian_version_of: "tool",
            elsewhere,
            least: &[],
            newer: "",
        };
        let mut found = look_elsewhere(&known);
        found.sort_by_key(|found| found.text.clone());
        let versions: Vec<String> = found.iter().map(|found| found.version.to_string()).collect();
        assert_eq!(versions, ["1.2", "21.0.1"]);
        assert_eq!(found[1].folder, Some(root.path().join("new/bin")));
        assert_eq!(search_path(&contender("rust", Some("1.85"), &[])), None, "the usual one will do");
    }

    #[test]
    fn a_toolchain_that_no_contender_could_use_is_told_from_one_that_some_could() {
        let least = |found: &str| wanted_instead_of("rust", found).map(|version| version.to_string());
        assert_eq!(least("1.63.0").as_deref(), Some("1.85"));
        assert_eq!((least("1.85.0"), least("odd")), (None, None));
        assert_eq!(wanted_instead_of("ruby", "1.0"), None);
    }

    #[test]
    fn the_names_are_those_that_a_manifest_may_hold() {
        assert_eq!(known_names().collect::<Vec<_>>(), velo_model::KNOWN_TOOLCHAINS);
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = known_names().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), known::TABLE.len());
    }

    #[test]
    fn several_are_found_in_the_order_asked() {
        let found = find_all(&["cobol", "rust"]);
        assert_eq!(found[0], None);
        assert_eq!(found[1], find("rust"));
    }
}
