use std::collections::BTreeSet;
use std::path::Path;

use super::files;

/// How fast the CPUs may run, where the kernel shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Frequency {
    /// The governors in use, with commas between.
    pub(super) governor: Option<String>,
    pub(super) turbo: Option<bool>,
    /// What is allowed to the slowest-set CPU.
    pub(super) allowed_khz: Option<u64>,
    /// What that CPU could have.
    pub(super) possible_khz: Option<u64>,
}

/// Reads below `/sys/devices/system/cpu`.
pub(super) fn read(cpus: &Path) -> Frequency {
    let policies = files::numbered(&cpus.join("cpufreq"), "policy");
    let governors: BTreeSet<String> =
        policies.iter().filter_map(|policy| files::line(policy.join("scaling_governor"))).collect();
    let limits = policies.iter().filter_map(|policy| {
        let limit = |name| files::number::<u64>(policy.join(name)).filter(|&khz| khz > 0);
        Some((limit("scaling_max_freq")?, limit("cpuinfo_max_freq")?))
    });
    // Cores of several kinds have several maxima: what counts is how much of its own each may use.
    let slowest = limits.min_by(|a, b| share(*a).total_cmp(&share(*b)));
    Frequency {
        governor: (!governors.is_empty()).then(|| governors.into_iter().collect::<Vec<_>>().join(", ")),
        turbo: turbo(cpus),
        allowed_khz: slowest.map(|(allowed, _)| allowed),
        possible_khz: slowest.map(|(_, possible)| possible),
    }
}

fn share((allowed, possible): (u64, u64)) -> f64 {
    allowed as f64 / possible as f64
}

/// Intel's own driver says it the other way round than the common one.
fn turbo(cpus: &Path) -> Option<bool> {
    let flag = |path| match files::line(cpus.join(path))?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    flag("intel_pstate/no_turbo").map(|off| !off).or_else(|| flag("cpufreq/boost"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        root
    }

    #[test]
    fn a_laptop_with_two_kinds_of_cores_and_a_cap() {
        let root = tree(&[
            ("cpufreq/policy0/scaling_governor", "performance\n"),
            ("cpufreq/policy0/scaling_max_freq", "4600000\n"),
            ("cpufreq/policy0/cpuinfo_max_freq", "4600000\n"),
            ("cpufreq/policy8/scaling_governor", "powersave\n"),
            ("cpufreq/policy8/scaling_max_freq", "2000000\n"),
            ("cpufreq/policy8/cpuinfo_max_freq", "3400000\n"),
            ("intel_pstate/no_turbo", "0\n"),
        ]);
        let wanted = Frequency {
            governor: Some("performance, powersave".to_owned()),
            turbo: Some(true),
            allowed_khz: Some(2_000_000),
            possible_khz: Some(3_400_000),
        };
        assert_eq!(read(root.path()), wanted);
    }

    #[test]
    fn a_server_with_the_common_driver() {
        let root = tree(&[
            ("cpufreq/policy0/scaling_governor", "schedutil\n"),
            ("cpufreq/policy0/scaling_max_freq", "odd\n"),
            ("cpufreq/policy0/cpuinfo_max_freq", "0\n"),
            ("cpufreq/boost", "0\n"),
        ]);
        let wanted =
            Frequency { governor: Some("schedutil".to_owned()), turbo: Some(false), ..Frequency::default() };
        assert_eq!(read(root.path()), wanted);
    }

    #[test]
    fn a_guest_shows_nothing() {
        assert_eq!(read(tree(&[("online", "0-1\n"), ("cpufreq/boost", "2\n")]).path()), Frequency::default());
    }
}
