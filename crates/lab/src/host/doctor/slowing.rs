use std::path::{Path, PathBuf};

use super::files;
use super::quota::CpuQuota;

/// What slows programs down without using a CPU, counted since boot; `None`: not visible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Slowing {
    /// How often a CPU was slowed down for heat, or this process's control group had used up its quota.
    pub(super) throttled: Option<u64>,
    /// Pages that went to swap or came back.
    pub(super) swapped_pages: Option<u64>,
}

/// Where it is read, found once.
#[derive(Debug)]
pub(super) struct Sources {
    /// A folder for each CPU.
    thermal: Vec<PathBuf>,
    quota: CpuQuota,
    vmstat: PathBuf,
}

impl Sources {
    pub(super) fn find() -> Self {
        Self {
            thermal: thermal(Path::new("/sys/devices/system/cpu")),
            quota: CpuQuota::of_this_process(),
            vmstat: PathBuf::from("/proc/vmstat"),
        }
    }

    pub(super) fn read(&self) -> Slowing {
        let counts = |name: &'static str| {
            self.thermal.iter().filter_map(move |folder| files::number::<u64>(folder.join(name)))
        };
        let cores = counts("core_throttle_count").reduce(u64::saturating_add);
        // All CPUs of a package show the same count.
        let package = counts("package_throttle_count").max();
        let quota = self.quota.throttling().times();
        let vmstat = files::text(&self.vmstat).unwrap_or_default();
        let pages = |key| files::count(&vmstat, key);
        Slowing {
            throttled: [cores, package, quota].into_iter().flatten().reduce(u64::saturating_add),
            swapped_pages: pages("pswpin").zip(pages("pswpout")).map(|(into, out)| into.saturating_add(out)),
        }
    }
}

fn thermal(cpus: &Path) -> Vec<PathBuf> {
    let folders = files::numbered(cpus, "cpu").into_iter().map(|cpu| cpu.join("thermal_throttle"));
    folders.filter(|folder| folder.is_dir()).collect()
}

impl Slowing {
    /// What was added since an earlier reading.
    pub(super) fn since(self, before: Self) -> Self {
        let added = |now: Option<u64>, then: Option<u64>| now?.checked_sub(then?);
        Self {
            throttled: added(self.throttled, before.throttled),
            swapped_pages: added(self.swapped_pages, before.swapped_pages),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn heat_and_quota_are_summed_and_what_is_not_there_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(&path, text).expect("a file");
            path
        };
        file("cpu0/thermal_throttle/core_throttle_count", "3\n");
        file("cpu1/thermal_throttle/core_throttle_count", "4\n");
        file("cpu0/thermal_throttle/package_throttle_count", "20\n");
        file("cpu1/thermal_throttle/package_throttle_count", "20\n");
        file("cpu2/topology/core_id", "2\n");
        file("group/cpu.max", "5000 100000\n");
        file("group/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 10\nthrottled_usec 1\n");
        let quota = |group: &str| CpuQuota::of(&[Some(folder.path().join(group)), None]);
        let vmstat = file("vmstat", "nr_free_pages 1\npswpin 5\npswpout 6\n");
        let hot = Sources { thermal: thermal(folder.path()), quota: quota("group"), vmstat: vmstat.clone() };
        assert_eq!(hot.read(), Slowing { throttled: Some(37), swapped_pages: Some(11) });
        let blind =
            Sources { thermal: Vec::new(), quota: quota("none"), vmstat: PathBuf::from("/nonexistent") };
        assert_eq!(blind.read(), Slowing::default());
        // A group without a limit may have a file without that line.
        file("odd/cpu.max", "5000 100000\n");
        file("odd/cpu.stat", "usage_usec 5\n");
        let root = Sources { thermal: Vec::new(), quota: quota("odd"), vmstat };
        assert_eq!(root.read().throttled, None);
    }

    #[test]
    fn only_what_was_seen_twice_has_grown() {
        let reading = |throttled, swapped_pages| Slowing { throttled, swapped_pages };
        assert_eq!(reading(Some(9), Some(5)).since(reading(Some(7), Some(5))), reading(Some(2), Some(0)));
        assert_eq!(reading(Some(9), None).since(reading(None, Some(5))), Slowing::default());
        assert_eq!(reading(Some(1), Some(1)).since(reading(Some(2), Some(1))), reading(None, Some(0)));
    }
}
