use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use velo_model::{Contender, Version};

use super::known::{self, Known};
use super::lookup::{TIME_LIMIT, find, program};
use super::{command, version};

/// What `apt-get` could do for contenders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packages {
    /// Packages to install, sorted.
    pub install: Vec<String>,
    /// Packages that would not help, each with its reason.
    pub no_help: Vec<String>,
}

/// The Debian packages that contenders want and that are not installed; empty where there is no Debian. A package
/// that only brings a toolchain that is here already is not wanted.
pub fn wanted_packages(contenders: &[Contender]) -> Packages {
    if program("dpkg-query").is_none() {
        return Packages::default();
    }
    let mut install = BTreeSet::new();
    let mut no_help = BTreeSet::new();
    for contender in contenders {
        if let Some(old) = too_old(contender) {
            no_help.insert(format!("{}: {}", contender.name, old.words));
            continue;
        }
        install.extend(
            contender.debian.iter().filter(|package| !brings_what_is_here(contender, package)).cloned(),
        );
    }
    let installed = installed(&install);
    install.retain(|package| !installed.contains(package));
    Packages { install: install.into_iter().collect(), no_help: no_help.into_iter().collect() }
}

/// The line that installs packages.
pub(super) fn install_command<S: AsRef<str>>(packages: &[S]) -> String {
    let mut line = "apt-get install -y --no-install-recommends".to_owned();
    for package in packages {
        line.push(' ');
        line.push_str(package.as_ref());
    }
    line
}

/// A package that is older than what is wanted.
pub(super) struct TooOld {
    /// What is wanted, and what there is.
    pub(super) words: String,
    /// What to do instead.
    pub(super) cure: &'static str,
}

/// What installs a toolchain, by the version that this Debian would install of it. A package that would do for no contender
/// is not offered.
pub(super) fn advice(known: &Known, candidate: Option<&Version>) -> String {
    if known.debian.is_empty() {
        return format!("Debian does not have it: {}", known.newer);
    }
    let least = Version(known.least.to_vec());
    match candidate.filter(|candidate| !candidate.is_at_least(&least)) {
        Some(old) => format!("contenders need {least} or later, this Debian has {old}: {}", known.newer),
        None => install_command(known.debian),
    }
}

/// The version of a toolchain that this Debian would install.
pub(super) fn candidate_of(known: &Known) -> Option<Version> {
    if known.debian_version_of.is_empty() { None } else { candidate(known.debian_version_of) }
}

/// Why the packages of a contender would not help: this Debian has an older version than is wanted.
pub(super) fn too_old(contender: &Contender) -> Option<TooOld> {
    contender.toolchain.iter().find_map(|wanted| {
        let least = wanted.at_least.as_ref()?;
        if find(&wanted.name).is_some_and(|found| found.version.is_at_least(least)) {
            return None;
        }
        let known = known::by_name(&wanted.name)?;
        let candidate = candidate_of(known)?;
        (!candidate.is_at_least(least)).then(|| TooOld {
            words: format!("{} {least} or later is wanted, this Debian has {candidate}", wanted.name),
            cure: known.newer,
        })
    })
}

/// Whether a package only brings a toolchain that is here already, from wherever, and new enough for a contender.
fn brings_what_is_here(contender: &Contender, package: &str) -> bool {
    let new_enough = |name: &str| {
        let wanted = contender.toolchain.iter().find(|wanted| wanted.name == name);
        let least = wanted.and_then(|wanted| wanted.at_least.as_ref());
        find(name).is_some_and(|found| least.is_none_or(|least| found.version.is_at_least(least)))
    };
    known::TABLE.iter().any(|known| known.debian.contains(&package) && new_enough(known.name))
}

fn installed(packages: &BTreeSet<String>) -> BTreeSet<String> {
    if packages.is_empty() {
        return BTreeSet::new();
    }
    let mut args = vec!["-W", "-f", "${Package} ${db:Status-Status}\n", "--"];
    args.extend(packages.iter().map(String::as_str));
    let output = program("dpkg-query").and_then(|program| command::output(&program, &args, TIME_LIMIT));
    let lines = output.as_deref().unwrap_or_default().lines();
    lines.filter_map(|line| line.strip_suffix(" installed")).map(str::to_owned).collect()
}

fn candidate(package: &str) -> Option<Version> {
    use std::sync::{Mutex, OnceLock, PoisonError};
    static SEEN: OnceLock<Mutex<BTreeMap<String, Option<Version>>>> = OnceLock::new();
    let memory = || SEEN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(seen) = memory().get(package) {
        return seen.clone();
    }
    let ask = |program: &Path| command::output(program, &["policy", "--", package], TIME_LIMIT);
    let version = program("apt-cache").and_then(|program| ask(&program)).and_then(|text| candidate_in(&text));
    memory().insert(package.to_owned(), version.clone());
    version
}

/// The upstream version of the candidate that `apt-cache policy` names: `2:1.19~1` is 1.19.
fn candidate_in(policy: &str) -> Option<Version> {
    let candidate = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "))?;
    let upstream = candidate.split_once(':').map_or(candidate, |(_, version)| version);
    let version = version::leading(upstream)?;
    // default-jdk-headless is numbered as Java was once: 1.17 is 17.
    let is_java = policy.trim_start().starts_with("default-j");
    match version.0.as_slice() {
        [1, rest @ ..] if is_java && !rest.is_empty() => Some(Version(rest.to_vec())),
        _ => Some(version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_candidates_upstream_version_is_read() {
        for (policy, expected) in [
            ("golang-go:\n  Installed: (none)\n  Candidate: 2:1.19~1\n  Version table:", Some("1.19")),
            ("nodejs:\n  Installed: (none)\n  Candidate: 18.20.4+dfsg-1~deb12u1\n", Some("18.20.4")),
            ("default-jdk-headless:\n  Installed: 2:1.17-74\n  Candidate: 2:1.17-74\n", Some("17")),
            ("puma:\n  Candidate: 5.6.5-3+deb12u1\n", Some("5.6.5")),
            ("virtual:\n  Installed: (none)\n  Candidate: (none)\n", None),
            ("N: Unable to locate package x\n", None),
            ("", None),
        ] {
            assert_eq!(
                candidate_in(policy).map(|version| version.to_string()).as_deref(),
                expected,
                "{policy}"
            );
        }
    }

    #[test]
    fn a_package_that_is_too_old_for_every_contender_is_not_offered() {
        let of = |name: &str, candidate: Option<&str>| {
            let candidate = candidate.map(|text| Version::parse(text).unwrap());
            advice(known::by_name(name).unwrap(), candidate.as_ref())
        };
        assert_eq!(
            of("rust", Some("1.63.0")),
            "contenders need 1.85 or later, this Debian has 1.63.0: install it with rustup"
        );
        assert_eq!(of("rust", Some("1.85.0")), "apt-get install -y --no-install-recommends cargo");
        assert_eq!(of("ruby", Some("1.0")), "apt-get install -y --no-install-recommends ruby");
        assert_eq!(of("go", None), "apt-get install -y --no-install-recommends golang-go");
        assert!(of("dotnet", None).starts_with("Debian does not have it: "));
    }

    #[test]
    fn the_least_versions_are_those_of_the_repositorys_contenders() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let contenders = velo_spec::read::contenders(&root).unwrap();
        for known in &known::TABLE {
            let wanted: Vec<&velo_model::Toolchain> = contenders
                .iter()
                .flat_map(|contender| &contender.toolchain)
                .filter(|wanted| wanted.name == known.name)
                .collect();
            let any = Version(Vec::new());
            let least = wanted.iter().map(|wanted| wanted.at_least.as_ref().unwrap_or(&any));
            let least = least.reduce(|a, b| if a.is_at_least(b) { b } else { a }).unwrap_or(&any);
            assert_eq!(known.least, least.0, "{}", known.name);
        }
    }

    #[test]
    fn the_install_line_never_asks_and_brings_nothing_extra() {
        assert_eq!(
            install_command(&["ruby", "thin"]),
            "apt-get install -y --no-install-recommends ruby thin"
        );
    }
}
