//! Keeps a contender's processes together, so that all of them are counted, stopped and ended, whatever they fork.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use velo_record::CpuAccounting;

use super::memory_limit::{self, MemoryLimit, Version};
use super::tree;

/// Where cages can be made on this machine, found once.
#[derive(Debug, Clone)]
pub(crate) struct CageMaker {
    v2: Option<PathBuf>,
    cpuacct: Option<PathBuf>,
    freezer: Option<PathBuf>,
    memory_limit: Option<MemoryLimit>,
    /// Where that is kept, if not in v2.
    memory: Option<PathBuf>,
}

/// One contender's processes.
#[derive(Debug)]
pub(crate) struct Cage {
    v2: Option<PathBuf>,
    cpuacct: Option<PathBuf>,
    freezer: Option<PathBuf>,
    memory_limit: Option<MemoryLimit>,
    memory: Option<PathBuf>,
    /// `VELO_CAGE=<name>`, inherited by every descendant.
    environment: String,
    group: Option<u32>,
}

const FREEZE_LIMIT: Duration = Duration::from_secs(1);

impl CageMaker {
    /// Finds which control groups this user may make.
    pub(crate) fn find() -> Self {
        let usable = |dir: Option<PathBuf>| dir.filter(|dir| may_make(dir));
        Self {
            v2: usable(found_group(None).filter(|dir| dir.join("cgroup.procs").exists())),
            cpuacct: usable(found_group(Some("cpuacct"))),
            freezer: usable(found_group(Some("freezer"))),
            memory_limit: None,
            memory: None,
        }
    }

    /// The same with a limit on the memory of each cage, which is tried. The error is one line.
    pub(crate) fn with_memory_limit(limit: MemoryLimit) -> Result<Self, String> {
        let found = Self::find();
        let maker = match found.v2.as_deref().and_then(limited_by_v2) {
            Some(v2) => Self { v2: Some(v2), memory_limit: Some(limit), ..found },
            None => {
                let memory = found_group(Some("memory")).filter(|dir| may_make(dir));
                let memory = memory.ok_or("no control group that limits memory can be made here")?;
                Self { memory: Some(memory), memory_limit: Some(limit), ..found }
            }
        };
        let trial = maker.make(&format!("velo-trial-{}", std::process::id()));
        trial.map_err(|error| format!("the limit of {limit} cannot be set: {error}"))?.remove();
        Ok(maker)
    }

    /// Where CPU time will be read.
    pub(crate) fn accounting(&self) -> CpuAccounting {
        match (&self.v2, &self.cpuacct) {
            (Some(_), _) => CpuAccounting::CgroupV2,
            (None, Some(_)) => CpuAccounting::CgroupV1,
            (None, None) => CpuAccounting::Schedstat,
        }
    }

    /// Makes a cage; `name` must be new on this machine.
    pub(crate) fn make(&self, name: &str) -> io::Result<Cage> {
        let make = |parent: &Option<PathBuf>| {
            parent
                .as_ref()
                .map(|parent| {
                    let dir = parent.join(name);
                    fs::create_dir(&dir).map(|()| dir)
                })
                .transpose()
        };
        let v2 = make(&self.v2)?;
        // With v2 at hand the older groups are not needed.
        let (cpuacct, freezer) =
            if v2.is_some() { (None, None) } else { (make(&self.cpuacct)?, make(&self.freezer)?) };
        let memory = make(&self.memory)?;
        let environment = format!("VELO_CAGE={name}");
        let memory_limit = self.memory_limit;
        let cage = Cage { v2, cpuacct, freezer, memory_limit, memory, environment, group: None };
        match cage.limit_memory() {
            Ok(()) => Ok(cage),
            Err(error) => {
                cage.remove();
                Err(error)
            }
        }
    }
}

/// The nearest group above or at this one whose children have a limit of their own. A group that holds processes, as that
/// of `velo` does, gives its children none.
fn limited_by_v2(own: &Path) -> Option<PathBuf> {
    let gives_limits = |dir: &&Path| {
        let given = fs::read_to_string(dir.join("cgroup.subtree_control")).unwrap_or_default();
        given.split_ascii_whitespace().any(|controller| controller == "memory") && may_make(dir)
    };
    own.ancestors()
        .take_while(|dir| dir.join("cgroup.subtree_control").exists())
        .find(gives_limits)
        .map(Path::to_owned)
}

/// The folder of this process's own group, as [`own_group`] finds it.
fn found_group(controller: Option<&str>) -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    own_group(&mounts, &own, controller)
}

fn may_make(dir: &Path) -> bool {
    let trial = dir.join(format!("velo-trial-{}", std::process::id()));
    let made = fs::create_dir(&trial).is_ok();
    if made {
        // It is empty, so that removing it can fail only if somebody else has removed it.
        let _ = fs::remove_dir(&trial);
    }
    made
}

/// The folder of this process's own group in the hierarchy of a controller, or in the v2 hierarchy.
fn own_group(mounts: &str, own: &str, controller: Option<&str>) -> Option<PathBuf> {
    let group = own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let found = match controller {
            None => controllers.is_empty(),
            Some(wanted) => controllers.split(',').any(|name| name == wanted),
        };
        found.then_some(path)
    })?;
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (root, point) = (before.next()?, before.next()?);
        let mut after = after.split(' ');
        let (kind, options) = (after.next()?, after.nth(1)?);
        let found = match controller {
            None => kind == "cgroup2",
            Some(wanted) => kind == "cgroup" && options.split(',').any(|name| name == wanted),
        };
        let below = group.strip_prefix(root.trim_end_matches('/')).unwrap_or(group);
        found.then(|| Path::new(point).join(below.trim_start_matches('/')))
    })
}

impl Cage {
    /// The files to which a process writes `0` to enter.
    pub(crate) fn doors(&self) -> Vec<PathBuf> {
        self.dirs().map(|dir| dir.join("cgroup.procs")).collect()
    }

    /// The environment entry by which descendants are known where there are no control groups.
    pub(crate) fn environment(&self) -> (&str, &str) {
        self.environment.split_once('=').unwrap_or((&self.environment, ""))
    }

    /// The folders of the control groups.
    pub(crate) fn dirs(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.v2, &self.cpuacct, &self.freezer, &self.memory].into_iter().flatten()
    }

    fn limit_memory(&self) -> io::Result<()> {
        match (self.memory_limit, &self.memory, &self.v2) {
            (Some(limit), Some(dir), _) => limit.set(dir, Version::V1),
            (Some(limit), None, Some(dir)) => limit.set(dir, Version::V2),
            _ => Ok(()),
        }
    }

    /// The sentence that says so, when the kernel has ended a process of it for its limit.
    pub(crate) fn out_of_memory(&self) -> Option<String> {
        let limit = self.memory_limit?;
        let kills = memory_limit::kills(self.memory.as_ref().or(self.v2.as_ref())?)?;
        (kills > 0).then(|| format!("the kernel ended it for going over its memory limit of {limit}"))
    }

    /// Names the process group of the first process.
    pub(crate) fn set_group(&mut self, group: u32) {
        self.group = Some(group);
    }

    /// All processes inside, in ascending order.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let mut pids: Vec<u32> = match self.dirs().next() {
            Some(dir) => fs::read_to_string(dir.join("cgroup.procs"))
                .unwrap_or_default()
                .lines()
                .filter_map(|line| line.parse().ok())
                .filter(|&pid| tree::is_alive(pid))
                .collect(),
            None => {
                let mut pids = tree::with_environment(&self.environment);
                pids.extend(self.group.map(tree::group_members).unwrap_or_default());
                pids
            }
        };
        pids.sort_unstable();
        pids.dedup();
        pids
    }

    /// CPU time of all processes that are or were inside.
    pub(crate) fn cpu_ns(&self) -> Option<u64> {
        if let Some(dir) = &self.v2 {
            let text = fs::read_to_string(dir.join("cpu.stat")).ok()?;
            let usec: u64 = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?.parse().ok()?;
            return Some(usec * 1000);
        }
        if let Some(dir) = &self.cpuacct {
            return fs::read_to_string(dir.join("cpuacct.usage")).ok()?.trim().parse().ok();
        }
        Some(tree::snapshot(&self.pids()).values().map(|thread| thread.cpu_ns).sum())
    }

    /// Stops every process, so that it costs nothing while others are measured. Returns when all have stopped.
    pub(crate) fn freeze(&self) {
        if let Some(dir) = &self.v2 {
            if fs::write(dir.join("cgroup.freeze"), "1").is_ok() {
                let frozen = || {
                    fs::read_to_string(dir.join("cgroup.events"))
                        .is_ok_and(|text| text.lines().any(|line| line == "frozen 1"))
                };
                wait_until(frozen);
            }
        } else if let Some(dir) = &self.freezer {
            if fs::write(dir.join("freezer.state"), "FROZEN").is_ok() {
                wait_until(|| {
                    fs::read_to_string(dir.join("freezer.state")).is_ok_and(|text| text.trim() == "FROZEN")
                });
            }
        } else {
            self.signal(Signal::STOP);
        }
    }

    /// Lets them run again.
    pub(crate) fn thaw(&self) {
        if let Some(dir) = &self.v2 {
            // A cage that is gone needs no thawing.
            let _ = fs::write(dir.join("cgroup.freeze"), "0");
        } else if let Some(dir) = &self.freezer {
            let _ = fs::write(dir.join("freezer.state"), "THAWED");
        } else {
            self.signal(Signal::CONT);
        }
    }

    /// SIGTERM to the process group of the first process.
    pub(crate) fn terminate(&self) {
        if let Some(group) = self.group.and_then(|group| Pid::from_raw(group as i32)) {
            // The group may have ended by itself.
            let _ = kill_process_group(group, Signal::TERM);
        }
    }

    /// Ends every process, at once.
    pub(crate) fn kill(&self) {
        if let Some(dir) = &self.v2
            && fs::write(dir.join("cgroup.kill"), "1").is_ok()
        {
            return;
        }
        self.thaw();
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        for pid in self.pids() {
            if let Some(pid) = Pid::from_raw(pid as i32) {
                // It may have ended since it was listed.
                let _ = kill_process(pid, signal);
            }
        }
    }

    /// Removes the control groups; they must be empty, which a moment may still take.
    pub(crate) fn remove(&self) {
        for dir in self.dirs() {
            wait_until(|| !dir.exists() || fs::remove_dir(dir).is_ok());
        }
    }
}

fn wait_until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + FREEZE_LIMIT;
    while !done() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_groups_are_found_in_hybrid_and_unified_hierarchies() {
        let hybrid = "30 23 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                      31 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let own = "9:name=systemd:/\n2:cpu,cpuacct:/a/b\n0::/c\n";
        assert_eq!(own_group(hybrid, own, None), Some("/sys/fs/cgroup/unified/c".into()));
        assert_eq!(own_group(hybrid, own, Some("cpuacct")), Some("/sys/fs/cgroup/cpu,cpuacct/a/b".into()));
        assert_eq!(own_group(hybrid, own, Some("freezer")), None);
        let inside = "31 23 0:28 /docker/x /sys/fs/cgroup rw,nosuid - cgroup2 cgroup rw\n";
        assert_eq!(own_group(inside, "0::/docker/x/y\n", None), Some("/sys/fs/cgroup/y".into()));
        assert_eq!(own_group("", "", None), None);
    }

    #[test]
    fn limits_are_those_of_the_nearest_group_that_gives_them() {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("a/b");
        fs::create_dir_all(&own).unwrap();
        assert_eq!(limited_by_v2(&own), None);
        for (dir, given) in [("", "cpu memory"), ("a", "cpu memory pids"), ("a/b", "cpu\n")] {
            fs::write(mount.path().join(dir).join("cgroup.subtree_control"), given).unwrap();
        }
        assert_eq!(limited_by_v2(&own), Some(mount.path().join("a")));
        fs::write(mount.path().join("a/cgroup.subtree_control"), "").unwrap();
        assert_eq!(limited_by_v2(&own), Some(mount.path().to_owned()));
    }
}
