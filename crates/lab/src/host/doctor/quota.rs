use std::path::{Path, PathBuf};

use super::files;

/// The limits on CPU time that hold for this process: of its control group and of those around it. A group that uses its limit up
/// is held back until the next period, which a load generator takes for a stall of the server.
#[derive(Debug, Clone)]
pub struct CpuQuota {
    /// The CPUs that a group may use, and its folder.
    groups: Vec<(f64, PathBuf)>,
}

/// What was counted of each limited group since it was made; `None`: not told.
#[derive(Debug, Clone)]
pub struct Throttling(Vec<Option<Throttled>>);

/// How a group was held back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Throttled {
    /// Periods in which something of the group ran.
    pub periods: u64,
    /// Of those, how many it was held back in.
    pub throttled_periods: u64,
    /// How long, summed over CPUs; nanoseconds.
    pub throttled_ns: u64,
}

impl CpuQuota {
    /// The limits as they are now; those that cannot be read are not known.
    pub fn of_this_process() -> Self {
        Self::of(&own_folders())
    }

    /// A limit of a group holds for the groups inside, too.
    pub(super) fn of([v2, v1]: &[Option<PathBuf>; 2]) -> Self {
        let limits = |folder: &Option<PathBuf>, limit: fn(&Path) -> Option<f64>| {
            let folders: Vec<PathBuf> =
                folder.iter().flat_map(|folder| folder.ancestors().map(Path::to_owned)).collect();
            folders.into_iter().filter_map(move |folder| Some((limit(&folder)?, folder)))
        };
        let of_v2 = |folder: &Path| of_v2(&files::line(folder.join("cpu.max"))?);
        Self { groups: limits(v2, of_v2).chain(limits(v1, of_v1)).collect() }
    }

    /// How many CPUs' time may be used, by the tightest limit; `None`: no limit seen.
    pub fn cpus(&self) -> Option<f64> {
        self.groups.iter().map(|(cpus, _)| *cpus).min_by(f64::total_cmp)
    }

    /// What is counted until now.
    pub fn throttling(&self) -> Throttling {
        Throttling(self.groups.iter().map(|(_, folder)| Throttled::read(&folder.join("cpu.stat"))).collect())
    }
}

impl Throttling {
    /// What was added since an earlier reading, of the group that was held back most; `None`: not told of any.
    pub fn since(&self, before: &Self) -> Option<Throttled> {
        let groups = self.0.iter().zip(&before.0);
        let added = groups.filter_map(|(now, then)| {
            let (now, then) = ((*now)?, (*then)?);
            Some(Throttled {
                periods: now.periods.checked_sub(then.periods)?,
                throttled_periods: now.throttled_periods.checked_sub(then.throttled_periods)?,
                throttled_ns: now.throttled_ns.checked_sub(then.throttled_ns)?,
            })
        });
        added.max_by_key(|added| (added.throttled_periods, added.periods))
    }

    /// How often any of the groups was held back.
    pub(super) fn times(&self) -> Option<u64> {
        let times = self.0.iter().flatten().map(|group| group.throttled_periods);
        times.reduce(u64::saturating_add)
    }
}

impl Throttled {
    fn read(stat: &Path) -> Option<Self> {
        let text = files::text(stat)?;
        let count = |key| files::count(&text, key);
        // The first is that of v2, the second that of v1.
        let throttled_ns =
            count("throttled_usec").map(|us| us.saturating_mul(1_000)).or(count("throttled_time"));
        Some(Self {
            periods: count("nr_periods")?,
            throttled_periods: count("nr_throttled")?,
            throttled_ns: throttled_ns.unwrap_or(0),
        })
    }
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
        let limit = |v2, v1| CpuQuota::of(&[v2, v1]).cpus();
        assert_eq!(limit(Some(inner.clone()), None), Some(1.5));
        assert_eq!(limit(None, Some(inner.clone())), Some(3.0));
        assert_eq!(limit(Some(root.path().to_owned()), None), None);
        assert_eq!(limit(None, None), None);
    }

    #[test]
    fn the_group_that_was_held_back_most_is_told_in_both_versions() {
        let root = tempfile::tempdir().expect("a folder");
        let (outer, inner) = (root.path().join("outer"), root.path().join("outer/inner"));
        std::fs::create_dir_all(&inner).expect("folders");
        let write =
            |folder: &Path, name, text: &str| std::fs::write(folder.join(name), text).expect("a file");
        write(&inner, "cpu.max", "400000 100000\n");
        write(&outer, "cpu.max", "150000 100000\n");
        write(&inner, "cpu.stat", "usage_usec 9\nnr_periods 10\nnr_throttled 1\nthrottled_usec 5\n");
        write(&outer, "cpu.stat", "usage_usec 9\nnr_periods 10\nnr_throttled 2\nthrottled_usec 7\n");
        let quota = CpuQuota::of(&[Some(inner.clone()), None]);
        let before = quota.throttling();
        assert_eq!(before.times(), Some(3));
        assert_eq!(before.since(&before), Some(Throttled::default()));
        write(&inner, "cpu.stat", "usage_usec 9\nnr_periods 52\nnr_throttled 42\nthrottled_usec 3805\n");
        let held = Throttled { periods: 42, throttled_periods: 41, throttled_ns: 3_800_000 };
        assert_eq!(quota.throttling().since(&before), Some(held), "not the tightest one");

        write(&outer, "cpu.cfs_quota_us", "5000\n");
        write(&outer, "cpu.cfs_period_us", "100000\n");
        write(&outer, "cpu.stat", "nr_periods 10\nnr_throttled 2\nthrottled_time 700\n");
        let quota = CpuQuota::of(&[None, Some(inner)]);
        let before = quota.throttling();
        write(&outer, "cpu.stat", "nr_periods 20\nnr_throttled 9\nthrottled_time 1700\n");
        let held = Throttled { periods: 10, throttled_periods: 7, throttled_ns: 1_000 };
        assert_eq!((quota.cpus(), quota.throttling().since(&before)), (Some(0.05), Some(held)));
        std::fs::remove_file(outer.join("cpu.stat")).expect("a file");
        assert_eq!(quota.throttling().since(&before), None, "not told");
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
