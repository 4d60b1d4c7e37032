use std::path::{Path, PathBuf};

use super::files;

/// How many CPUs' time this process's control group may use; `None`: no limit seen. A group that uses it up is
/// held back until the next period, which a load generator takes for a stall of the server.
pub(super) fn cpus() -> Option<f64> {
    tightest(&own_folders()).map(|(cpus, _)| cpus)
}

/// The file that counts how often a limited group had used it up.
pub(super) fn stat_file() -> Option<PathBuf> {
    tightest(&own_folders()).map(|(_, folder)| folder.join("cpu.stat"))
}

/// A limit of a group holds for the groups inside, too.
fn tightest([v2, v1]: &[Option<PathBuf>; 2]) -> Option<(f64, PathBuf)> {
    let limits = |folder: &Option<PathBuf>, limit: fn(&Path) -> Option<f64>| {
        let folders: Vec<PathBuf> =
            folder.iter().flat_map(|folder| folder.ancestors().map(Path::to_owned)).collect();
        folders.into_iter().filter_map(move |folder| Some((limit(&folder)?, folder)))
    };
    let of_v2 = |folder: &Path| of_v2(&files::line(folder.join("cpu.max"))?);
    limits(v2, of_v2).chain(limits(v1, of_v1)).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// In the hierarchy of v2 and in that of the v1 controller.
fn own_folders() -> [Option<PathBuf>; 2] {
    let mounts = files::text("/proc/mounts").unwrap_or_default();
    let own = files::text("/proc/self/cgroup").unwrap_or_default();
    [folder(&mounts, &own, None), folder(&mounts, &own, Some("cpu"))]
}

/// This process's folder in the hierarchy of a v1 controller, or in that of v2.
fn folder(mounts: &str, own: &str, controller: Option<&str>) -> Option<PathBuf> {
    let listed = |list: &str| controller.is_none_or(|wanted| list.split(',').any(|name| name == wanted));
    let wanted_kind = if controller.is_some() { "cgroup" } else { "cgroup2" };
    let point = mounts.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (point, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
        (kind == wanted_kind && listed(options)).then_some(point)
    })?;
    let path = own.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        (controllers.is_empty() == controller.is_none() && listed(controllers)).then_some(path)
    })?;
    Some(Path::new(point).join(path.trim_start_matches('/')))
}

/// `max 100000`, or the quota and the period in microseconds.
fn of_v2(line: &str) -> Option<f64> {
    let (quota, period) = line.split_once(' ')?;
    ratio(quota, period)
}

fn of_v1(folder: &Path) -> Option<f64> {
    let line = |name| files::line(folder.join(name));
    ratio(&line("cpu.cfs_quota_us")?, &line("cpu.cfs_period_us")?)
}

/// No quota is `max` in v2 and -1 in v1; neither is a whole number from 0.
fn ratio(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u64, u64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (period > 0).then(|| quota as f64 / period as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOUNTS: &str = "proc /proc proc rw 0 0\n\
        cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu,cpuacct 0 0\n\
        cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n\
        odd\n";
    const OWN: &str = "4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/d/e\nodd\n";

    #[test]
    fn the_folders_of_both_hierarchies_are_found() {
        assert_eq!(folder(MOUNTS, OWN, None), Some(PathBuf::from("/sys/fs/cgroup/unified/d/e")));
        assert_eq!(folder(MOUNTS, OWN, Some("cpu")), Some(PathBuf::from("/sys/fs/cgroup/cpu/c")));
        assert_eq!(folder(MOUNTS, OWN, Some("memory")), None);
        assert_eq!(folder(MOUNTS, "", None), None);
        assert_eq!(folder("", OWN, None), None);
    }

    #[test]
    fn a_quota_is_read_in_cpus() {
        assert_eq!(of_v2("150000 100000"), Some(1.5));
        assert_eq!(of_v2("max 100000"), None);
        assert_eq!(ratio("-1", "100000"), None);
        assert_eq!(ratio("100000", "0"), None);
    }

    #[test]
    fn the_tightest_limit_of_all_groups_around_holds() {
        let root = tempfile::tempdir().expect("a folder");
        let inner = root.path().join("outer/inner");
        std::fs::create_dir_all(&inner).expect("folders");
        std::fs::write(inner.join("cpu.max"), "400000 100000\n").expect("a file");
        std::fs::write(root.path().join("outer/cpu.max"), "150000 100000\n").expect("a file");
        std::fs::write(inner.join("cpu.cfs_quota_us"), "300000\n").expect("a file");
        std::fs::write(inner.join("cpu.cfs_period_us"), "100000\n").expect("a file");
        let limit = |v2, v1| tightest(&[v2, v1]);
        assert_eq!(limit(Some(inner.clone()), None), Some((1.5, root.path().join("outer"))));
        assert_eq!(limit(None, Some(inner.clone())), Some((3.0, inner.clone())));
        assert_eq!(limit(Some(root.path().to_owned()), None), None);
        assert_eq!(limit(None, None), None);
    }

    proptest! {
        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}") {
            folder(&text, &text, None);
            folder(MOUNTS, &text, Some("cpu"));
            of_v2(&text);
        }
    }
}
