//! Keeps a contender's processes together, so that all of them are counted, stopped and ended, whatever they fork.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use velo_record::CpuAccounting;

use super::kin::Kin;
use super::memory_limit::{self, MemoryLimit, Version};
use super::{children, groups, tree};

/// Where cages can be made on this machine, found once.
#[derive(Debug, Clone)]
pub(crate) struct CageMaker {
    v2: Option<PathBuf>,
    cpuacct: Option<PathBuf>,
    freezer: Option<PathBuf>,
    /// Where CPUs are kept, if not in v2.
    cpuset: Option<PathBuf>,
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
    cpuset: Option<PathBuf>,
    memory_limit: Option<MemoryLimit>,
    memory: Option<PathBuf>,
    /// `VELO_CAGE=<name>`, inherited by every descendant.
    environment: String,
    group: Option<u32>,
    kin: Kin,
}

/// Groups whose processes have ended are removed at once; only a kernel that is busy takes longer.
const REMOVE_LIMIT: Duration = Duration::from_secs(5);
const FREEZE_LIMIT: Duration = Duration::from_secs(1);

impl CageMaker {
    /// Finds which control groups this user may make.
    pub(crate) fn find() -> Self {
        let usable = |dir: Option<PathBuf>| dir.filter(|dir| may_make(dir));
        let own = found_group(None).filter(|dir| dir.join("cgroup.procs").exists());
        let with_cpus =
            own.as_deref().and_then(|own| giving(own, "cpuset").filter(|dir| is_as_free(own, dir)));
        Self {
            v2: with_cpus.or_else(|| usable(own)),
            cpuacct: usable(found_group(Some("cpuacct"))),
            freezer: usable(found_group(Some("freezer"))),
            cpuset: usable(found_group(Some("cpuset"))),
            memory_limit: None,
            memory: None,
        }
    }

    /// The same with a limit on the memory of each cage, which is tried. The error is one line.
    pub(crate) fn with_memory_limit(limit: MemoryLimit) -> Result<Self, String> {
        let found = Self::find();
        let maker = match found_group(None).as_deref().and_then(|own| giving(own, "memory")) {
            Some(v2) => Self { v2: Some(v2), memory_limit: Some(limit), ..found },
            None => {
                let memory = found_group(Some("memory")).filter(|dir| may_make(dir));
                let memory = memory.ok_or("no control group that limits memory can be made here")?;
                Self { memory: Some(memory), memory_limit: Some(limit), ..found }
            }
        };
        let trial = maker.make(&format!("velo-trial-{}", std::process::id()), &[]);
        let trial = trial.map_err(|error| format!("the limit of {limit} cannot be set: {error}"))?;
        trial.remove().map_err(|error| format!("its control group cannot be removed: {error}"))?;
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

    /// Makes a cage; `name` must be new on this machine. Its processes cannot leave these CPUs where the kernel can keep them
    /// there; empty: they are not to be kept.
    pub(crate) fn make(&self, name: &str, cpus: &[u32]) -> io::Result<Cage> {
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
        let cpuset = keep_cpus(v2.as_deref(), self.cpuset.as_deref(), name, cpus);
        let environment = format!("VELO_CAGE={name}");
        let memory_limit = self.memory_limit;
        children::cage_made();
        let kin = Kin::default();
        let cage = Cage { v2, cpuacct, freezer, cpuset, memory_limit, memory, environment, group: None, kin };
        match cage.limit_memory() {
            Ok(()) => Ok(cage),
            Err(error) => {
                // It is empty; that it could not be limited is the error that counts.
                let _ = cage.remove();
                Err(error)
            }
        }
    }
}

/// The nearest group above or at this one whose children have this controller. A group that holds processes, as that of
/// `velo` does, gives its children none.
fn giving(own: &Path, wanted: &str) -> Option<PathBuf> {
    let gives = |dir: &&Path| {
        let given = fs::read_to_string(dir.join("cgroup.subtree_control")).unwrap_or_default();
        given.split_ascii_whitespace().any(|controller| controller == wanted) && may_make(dir)
    };
    own.ancestors()
        .take_while(|dir| dir.join("cgroup.subtree_control").exists())
        .find(gives)
        .map(Path::to_owned)
}

/// Whether no group from this one up to the one above has a limit of CPU time or memory, which contenders would escape there.
fn is_as_free(own: &Path, above: &Path) -> bool {
    let has_none = |dir: &Path| {
        ["cpu.max", "memory.max"].into_iter().all(|file| {
            fs::read_to_string(dir.join(file)).map_or(true, |limit| limit.trim().starts_with("max"))
        })
    };
    own.ancestors().take_while(|dir| *dir != above).all(has_none)
}

/// Keeps a cage on CPUs; the folder of the older control group that does, where that is made for it. Where the kernel cannot,
/// processes are only asked to stay, and each window shows whether they have.
fn keep_cpus(v2: Option<&Path>, older: Option<&Path>, name: &str, cpus: &[u32]) -> Option<PathBuf> {
    if cpus.is_empty() {
        return None;
    }
    let list = cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let file = v2.map(|dir| dir.join("cpuset.cpus")).filter(|file| file.exists());
    if file.is_some_and(|file| fs::write(file, &list).is_ok()) {
        return None;
    }
    let older = older?;
    let dir = older.join(name);
    fs::create_dir(&dir).ok()?;
    let nodes = ["cpuset.effective_mems", "cpuset.mems"]
        .into_iter()
        .find_map(|file| fs::read_to_string(older.join(file)).ok().filter(|nodes| !nodes.trim().is_empty()));
    // Without both of them no process could enter.
    let is_kept = nodes.is_some_and(|nodes| {
        let nodes = fs::write(dir.join("cpuset.mems"), nodes.trim());
        nodes.and_then(|()| fs::write(dir.join("cpuset.cpus"), &list)).is_ok()
    });
    if is_kept {
        return Some(dir);
    }
    // It is empty, so that removing it can fail only if somebody else has removed it.
    let _ = fs::remove_dir(&dir);
    None
}

/// The way into a cage, for a process that was just forked.
#[derive(Debug)]
pub(crate) struct Entry {
    doors: Vec<fs::File>,
}

impl Entry {
    /// Puts the calling process into the cage. Makes system calls alone: it allocates nothing and takes no lock.
    pub(crate) fn enter(&self) -> io::Result<()> {
        for door in &self.doors {
            // `0` is the writer itself.
            rustix::io::write(door, b"0")?;
        }
        Ok(())
    }
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
    /// The way in.
    pub(crate) fn entry(&self) -> io::Result<Entry> {
        let open = |dir: &PathBuf| fs::OpenOptions::new().write(true).open(dir.join("cgroup.procs"));
        Ok(Entry { doors: self.dirs().map(open).collect::<io::Result<_>>()? })
    }

    /// The environment entry by which descendants are known where there are no control groups.
    pub(crate) fn environment(&self) -> (&str, &str) {
        self.environment.split_once('=').unwrap_or((&self.environment, ""))
    }

    /// The folders of the control groups.
    pub(crate) fn dirs(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.v2, &self.cpuacct, &self.freezer, &self.cpuset, &self.memory].into_iter().flatten()
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

    /// Starts the first process, which leads a process group and enters by itself.
    pub(crate) fn spawn(&mut self, command: &mut Command) -> io::Result<Child> {
        let child = children::spawn(command)?;
        self.group = Some(child.id());
        Ok(child)
    }

    /// All processes whose CPU time is counted, in ascending order: those in the control group and below it. Where there is none, all that were
    /// started inside, as far as they are found.
    pub(crate) fn pids(&self) -> Vec<u32> {
        match self.dirs().next() {
            Some(dir) => groups::pids(dir),
            None => self.kin.find(&[], &self.environment, self.group),
        }
    }

    /// Processes that were started inside, have left the control group, and so are not counted; in ascending order.
    pub(crate) fn strays(&self) -> Vec<u32> {
        let Some(counted) = self.dirs().next().map(|dir| groups::pids(dir)) else { return Vec::new() };
        let mut inside: Vec<u32> = self.dirs().flat_map(|dir| groups::pids(dir)).collect();
        // Nobody else has its number before it was waited for.
        let is_child =
            |first: &u32| tree::process(*first).is_some_and(|one| one.parent == std::process::id());
        inside.extend(self.group.filter(is_child));
        let mut found = self.kin.find(&inside, &self.environment, None);
        found.retain(|pid| !counted.contains(pid));
        found
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

    /// SIGTERM to the process group of the first process, while that is its group: once all of its processes have ended, the
    /// kernel may give the number to somebody else.
    pub(crate) fn terminate(&self) {
        let group = self.group.filter(|&group| tree::is_group_of(group, &self.pids()));
        if let Some(group) = group.and_then(|group| Pid::from_raw(group as i32)) {
            // The group may have ended by itself.
            let _ = kill_process_group(group, Signal::TERM);
        }
    }

    /// Ends every process inside, at once. What they start meanwhile may need another call where the kernel has no order for all.
    pub(crate) fn kill(&self) {
        if let Some(dir) = &self.v2
            && fs::write(dir.join("cgroup.kill"), "1").is_ok()
        {
            return;
        }
        // None of those that are stopped can start another one in time.
        self.freeze();
        self.signal(Signal::KILL);
        self.thaw();
    }

    /// Ends, at once, those that have left, and orphans outside that can be of nobody who is still there. The names of those that have left.
    pub(crate) fn kill_strays(&self) -> Vec<String> {
        let strays = self.strays();
        let named = |&pid: &u32| Some(format!("{} (process {pid})", tree::name(pid)?));
        let names = strays.iter().filter_map(named).collect();
        signal_all(Signal::KILL, || {
            let inside = self.pids();
            let orphans = children::adopted().into_iter().map(|one| one.pid);
            self.strays().into_iter().chain(orphans.filter(|pid| !inside.contains(pid))).collect()
        });
        names
    }

    fn signal(&self, signal: Signal) {
        signal_all(signal, || self.pids());
    }

    /// Removes the control groups and all that was made below them; they must be empty, which a moment may still take.
    ///
    /// # Errors
    /// When one of them stays.
    pub(crate) fn remove(&self) -> io::Result<()> {
        children::reap_adopted();
        let mut all = Ok(());
        for dir in self.dirs() {
            let removed = groups::remove(dir, REMOVE_LIMIT);
            all = all.and(removed.map_err(|error| io::Error::other(format!("{}: {error}", dir.display()))));
        }
        children::cage_gone(self.group);
        all
    }
}

fn signal_all(signal: Signal, list: impl Fn() -> Vec<u32>) {
    let listed = tree::hold(&list());
    // What is still there after it was taken hold of is what was listed, and not a later process of that number.
    let still = list();
    for held in listed.iter().filter(|held| still.contains(&held.pid)) {
        held.signal(signal);
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
    use std::os::unix::process::CommandExt as _;

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
    fn a_cage_keeps_its_cpus_where_the_kernel_has_sets_of_them() {
        let own = tree::allowed_cpus(&[std::process::id()]);
        let cage = CageMaker::find().make(&format!("velo-cpus-{}", std::process::id()), &own[..1]).unwrap();
        let Some(set) = cage.dirs().map(|dir| dir.join("cpuset.cpus")).find(|file| file.exists()) else {
            cage.remove().unwrap();
            return;
        };
        assert_eq!(tree::parse_cpu_list(&fs::read_to_string(set).unwrap()), own[..1]);
        let entry = cage.entry().unwrap();
        let all = own.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let script =
            format!("taskset -p -c {all} $$ >/dev/null 2>&1; grep Cpus_allowed_list /proc/$$/status");
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        // SAFETY: the entry makes system calls alone.
        unsafe { command.pre_exec(move || entry.enter()) };
        let printed = command.output().unwrap().stdout;
        cage.remove().unwrap();
        let printed = String::from_utf8_lossy(&printed);
        let allowed = printed.split_once(':').map(|(_, list)| tree::parse_cpu_list(list));
        assert_eq!(allowed.as_deref(), Some(&own[..1]), "it cannot leave: {printed}");
        assert!(cage.dirs().all(|dir| !dir.exists()));
    }

    #[test]
    fn who_moves_into_a_group_below_is_inside_and_who_leaves_is_a_stray() {
        let mut cage = CageMaker::find().make(&format!("velo-stray-{}", std::process::id()), &[]).unwrap();
        let Some(group) = cage.v2.clone() else {
            cage.remove().unwrap();
            return;
        };
        let below = group.join("own");
        fs::create_dir(&below).unwrap();
        let script = format!("echo $$ > {}/cgroup.procs; exec sleep 600", below.display());
        let mut command = Command::new("sh");
        command.args(["-c", &script]).env_clear().process_group(0);
        let entry = cage.entry().unwrap();
        // SAFETY: the entry makes system calls alone.
        unsafe { command.pre_exec(move || entry.enter()) };
        let mut child = cage.spawn(&mut command).unwrap();
        let is_there = || fs::read_to_string(below.join("cgroup.procs")).is_ok_and(|pids| !pids.is_empty());
        for _ in 0..1000 {
            if is_there() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!((cage.pids(), cage.strays()), (vec![child.id()], vec![]));
        cage.freeze();
        let events = fs::read_to_string(below.join("cgroup.events")).unwrap();
        assert!(events.contains("frozen 1"), "{events}");
        cage.thaw();
        // Where this process is; a group above it may take no processes.
        let above = group.parent().unwrap().join("cgroup.procs");
        if fs::write(above, child.id().to_string()).is_ok() {
            assert_eq!((cage.pids(), cage.strays()), (vec![], vec![child.id()]));
            let named = cage.kill_strays();
            assert!(
                named.len() == 1 && named[0].ends_with(&format!("(process {})", child.id())),
                "{named:?}"
            );
        } else {
            cage.kill();
        }
        assert!(!child.wait().unwrap().success());
        cage.remove().unwrap();
        assert!(!group.exists());
    }

    #[test]
    fn older_control_groups_need_memory_nodes_before_anybody_can_enter() {
        let older = tempfile::tempdir().unwrap();
        assert_eq!(keep_cpus(None, Some(older.path()), "a", &[0, 2]), None, "no nodes are known");
        assert!(!older.path().join("a").exists());
        fs::write(older.path().join("cpuset.mems"), "0-1\n").unwrap();
        let dir = keep_cpus(None, Some(older.path()), "b", &[0, 2]).unwrap();
        let written = |file: &str| fs::read_to_string(dir.join(file)).unwrap();
        assert_eq!((written("cpuset.mems"), written("cpuset.cpus")), ("0-1".to_owned(), "0,2".to_owned()));
        assert_eq!(keep_cpus(None, Some(older.path()), "c", &[]), None);
        // Version 2 needs no more than the list.
        let v2 = tempfile::tempdir().unwrap();
        fs::write(v2.path().join("cpuset.cpus"), "").unwrap();
        assert_eq!(keep_cpus(Some(v2.path()), Some(older.path()), "d", &[1]), None);
        assert_eq!(fs::read_to_string(v2.path().join("cpuset.cpus")).unwrap(), "1");
    }

    #[test]
    fn no_group_is_left_that_has_a_limit() {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("a/b");
        fs::create_dir_all(&own).unwrap();
        assert!(is_as_free(&own, mount.path()));
        fs::write(mount.path().join("a/cpu.max"), "max 100000\n").unwrap();
        fs::write(own.join("memory.max"), "max\n").unwrap();
        assert!(is_as_free(&own, mount.path()));
        fs::write(mount.path().join("a/cpu.max"), "50000 100000\n").unwrap();
        assert!(!is_as_free(&own, mount.path()));
        assert!(is_as_free(&own, &mount.path().join("a")), "that of the group itself is kept");
    }

    #[test]
    fn limits_are_those_of_the_nearest_group_that_gives_them() {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("a/b");
        fs::create_dir_all(&own).unwrap();
        assert_eq!(giving(&own, "memory"), None);
        for (dir, given) in [("", "cpu memory"), ("a", "cpu memory pids"), ("a/b", "cpu\n")] {
            fs::write(mount.path().join(dir).join("cgroup.subtree_control"), given).unwrap();
        }
        assert_eq!(giving(&own, "memory"), Some(mount.path().join("a")));
        fs::write(mount.path().join("a/cgroup.subtree_control"), "").unwrap();
        assert_eq!(giving(&own, "memory"), Some(mount.path().to_owned()));
    }
}
