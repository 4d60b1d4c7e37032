//! Instructions and cycles of a process tree, counted by the CPU itself (`perf_event_open(2)`).

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;

/// What the CPUs counted since the counters were opened, in user space and in the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) instructions: u64,
    pub(crate) cycles: u64,
}

/// Open counters. They count until they are dropped; what a stretch took is the difference of two readings.
#[derive(Debug)]
pub(crate) struct Counters {
    instructions: Vec<OwnedFd>,
    cycles: Vec<OwnedFd>,
}

/// Why nothing is counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoCounters {
    #[error("this machine shows no hardware counters, as is usual for a virtual one")]
    NoUnit,
    #[error("this user may not count{}", in_words(.paranoid))]
    NotAllowed { paranoid: Option<i32> },
    #[error("this kernel has no counters (CONFIG_PERF_EVENTS)")]
    NoKernelSupport,
    #[error("too few open files are allowed for the counters")]
    TooManyFiles,
    #[error("the processes kept starting threads while counters were opened")]
    Unsettled,
    #[error("the counters cannot be opened: {0}")]
    Other(String),
}

fn in_words(paranoid: &Option<i32>) -> String {
    paranoid.map(|level| format!(" (kernel.perf_event_paranoid is {level})")).unwrap_or_default()
}

/// `perf_event_attr.type` and `.config` (`linux/perf_event.h`).
#[derive(Debug, Clone, Copy)]
struct Event {
    kind: u32,
    config: u64,
}

const PERF_TYPE_HARDWARE: u32 = 0;
const CYCLES: Event = Event { kind: PERF_TYPE_HARDWARE, config: 0 };
const INSTRUCTIONS: Event = Event { kind: PERF_TYPE_HARDWARE, config: 1 };

/// Whose events are counted.
#[derive(Debug, Clone, Copy)]
enum Whom<'a> {
    /// The processes of a control group, on one CPU.
    Group { folder: &'a File, cpu: u32 },
    /// One thread, and all that it starts from now on.
    Thread(u32),
}

/// `struct perf_event_attr` in its first published length, which every kernel takes.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    /// A bit field; its order is that of little-endian machines.
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
}

const ATTRIBUTES_BYTES: u32 = 64;
const _: () = assert!(size_of::<Attributes>() == ATTRIBUTES_BYTES as usize);

const FORMAT_TIME_ENABLED: u64 = 1;
const FORMAT_TIME_RUNNING: u64 = 1 << 1;
const INHERIT: u64 = 1 << 1;
const FLAG_PID_CGROUP: libc::c_ulong = 1 << 2;
const FLAG_CLOEXEC: libc::c_ulong = 1 << 3;

/// How often the threads of a tree are listed anew before it counts as unsettled.
const MOST_TRIES: u32 = 10;

impl Counters {
    /// Opens counters of the first of these control groups that can be counted, on these CPUs; where none can, of
    /// all threads of these processes, and of what they start from now on.
    pub(crate) fn open(
        groups: impl IntoIterator<Item: AsRef<Path>>,
        cpus: &[u32],
        pids: &[u32],
    ) -> Result<Self, NoCounters> {
        Self::of([INSTRUCTIONS, CYCLES], groups, cpus, pids)
    }

    fn of(
        events: [Event; 2],
        groups: impl IntoIterator<Item: AsRef<Path>>,
        cpus: &[u32],
        pids: &[u32],
    ) -> Result<Self, NoCounters> {
        let group = groups.into_iter().find_map(|group| Self::of_group(events, group.as_ref(), cpus).ok());
        match group {
            Some(counters) => Ok(counters),
            None => Self::of_threads(events, pids),
        }
    }

    fn of_group(events: [Event; 2], group: &Path, cpus: &[u32]) -> io::Result<Self> {
        if cpus.is_empty() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let folder = File::open(group)?;
        let on_each = |event: Event| -> io::Result<Vec<OwnedFd>> {
            cpus.iter().map(|&cpu| open(event, Whom::Group { folder: &folder, cpu })).collect()
        };
        Ok(Self { instructions: on_each(events[0])?, cycles: on_each(events[1])? })
    }

    fn of_threads(events: [Event; 2], pids: &[u32]) -> Result<Self, NoCounters> {
        let open_all = |threads: &[u32]| {
            let of_each = |event: Event| -> io::Result<Vec<OwnedFd>> {
                threads.iter().map(|&thread| open(event, Whom::Thread(thread))).collect()
            };
            Ok(Self { instructions: of_each(events[0])?, cycles: of_each(events[1])? })
        };
        settled(|| threads(pids), open_all).map_err(|error| match error {
            Unopened::Unsettled => NoCounters::Unsettled,
            Unopened::Io(error) => reason(&error, paranoid()),
        })
    }

    /// What was counted so far; `None` when the CPU had not enough counters for everybody who counts.
    pub(crate) fn read(&self) -> Option<Counted> {
        Some(Counted { instructions: sum(&self.instructions)?, cycles: sum(&self.cycles)? })
    }
}

/// Why the threads of a tree could not be counted.
#[derive(Debug)]
enum Unopened {
    Unsettled,
    Io(io::Error),
}

/// Opens counters for all threads and none twice: a thread that was started by one that is counted already is
/// counted with it. So the list must be the same before and after.
fn settled<T>(
    mut list: impl FnMut() -> Vec<u32>,
    mut open: impl FnMut(&[u32]) -> io::Result<T>,
) -> Result<T, Unopened> {
    let mut threads = list();
    for _ in 0..MOST_TRIES {
        if threads.is_empty() {
            return Err(Unopened::Io(io::Error::from_raw_os_error(libc::ESRCH)));
        }
        let opened = open(&threads);
        let now = list();
        match opened {
            Ok(opened) if now == threads => return Ok(opened),
            // A thread that has ended since it was listed.
            Err(error) if error.raw_os_error() != Some(libc::ESRCH) => return Err(Unopened::Io(error)),
            _ => threads = now,
        }
    }
    Err(Unopened::Unsettled)
}

/// The threads of these processes, in ascending order.
fn threads(pids: &[u32]) -> Vec<u32> {
    let of = |pid: &u32| fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    let mut threads: Vec<u32> = pids.iter().flat_map(of).filter_map(number).collect();
    threads.sort_unstable();
    threads
}

fn open(event: Event, whom: Whom<'_>) -> io::Result<OwnedFd> {
    let number =
        |number: u32| libc::c_int::try_from(number).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL));
    let (whose, cpu, flags, inherit): (libc::c_int, libc::c_int, libc::c_ulong, u64) = match whom {
        Whom::Group { folder, cpu } => (folder.as_raw_fd(), number(cpu)?, FLAG_PID_CGROUP, 0),
        Whom::Thread(thread) => (number(thread)?, -1, 0, INHERIT),
    };
    let mut attributes = Attributes {
        kind: event.kind,
        size: ATTRIBUTES_BYTES,
        config: event.config,
        read_format: FORMAT_TIME_ENABLED | FORMAT_TIME_RUNNING,
        flags: inherit,
        ..Attributes::default()
    };
    let no_leader: libc::c_int = -1;
    // SAFETY: the kernel reads `attributes.size` bytes, which is the length of `attributes`, before the call returns; what
    // it may write is the member `size`. The rest are numbers.
    let got = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw mut attributes,
            whose,
            cpu,
            no_leader,
            flags | FLAG_CLOEXEC,
        )
    };
    match libc::c_int::try_from(got) {
        // SAFETY: the descriptor was made by this call, so that nobody else owns it.
        Ok(descriptor) if descriptor >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Why a counter could not be opened, from the kernel's error (`perf_event_open(2)`).
fn reason(error: &io::Error, paranoid: Option<i32>) -> NoCounters {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => NoCounters::NoUnit,
        Some(libc::EACCES | libc::EPERM) => NoCounters::NotAllowed { paranoid },
        Some(libc::ENOSYS) => NoCounters::NoKernelSupport,
        Some(libc::EMFILE | libc::ENFILE) => NoCounters::TooManyFiles,
        _ => NoCounters::Other(error.to_string()),
    }
}

fn paranoid() -> Option<i32> {
    fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

/// One counter as the kernel gives it: the count, and for how long it was wanted and for how long it counted, in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    value: u64,
    enabled_ns: u64,
    running_ns: u64,
}

impl Reading {
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut numbers = bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_ne_bytes(*bytes));
        let reading =
            Self { value: numbers.next()?, enabled_ns: numbers.next()?, running_ns: numbers.next()? };
        Some(reading)
    }

    /// The count over the whole time. Up to a hundredth that was missed is filled up; more would be a guess.
    fn whole(self) -> Option<u64> {
        let (value, enabled, running) =
            (u128::from(self.value), u128::from(self.enabled_ns), u128::from(self.running_ns));
        if enabled == running {
            return Some(self.value);
        }
        let nearly = running < enabled && running * 100 >= enabled * 99;
        nearly.then(|| u64::try_from(value * enabled / running).ok()).flatten()
    }
}

fn sum(counters: &[OwnedFd]) -> Option<u64> {
    counters.iter().try_fold(0_u64, |sum, counter| {
        let mut bytes = [0; 24];
        let length = rustix::io::read(counter, &mut bytes).ok()?;
        sum.checked_add(Reading::of(bytes.get(..length)?)?.whole()?)
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;
    use crate::process::cage::CageMaker;
    use crate::process::tree;

    /// `PERF_COUNT_SW_TASK_CLOCK` and `PERF_COUNT_SW_CPU_CLOCK`, both in ns of CPU time: there without hardware, too.
    const CLOCKS: [Event; 2] = [Event { kind: 1, config: 1 }, Event { kind: 1, config: 0 }];
    const NO_GROUPS: [&Path; 0] = [];

    /// A sandbox may forbid the call, and then says so.
    fn is_forbidden(why: &NoCounters) -> bool {
        matches!(why, NoCounters::NotAllowed { .. } | NoCounters::NoKernelSupport)
    }

    #[test]
    fn the_kernels_error_becomes_a_reason() {
        let reason = |errno| reason(&io::Error::from_raw_os_error(errno), Some(3));
        for errno in [libc::ENOENT, libc::ENODEV, libc::EOPNOTSUPP] {
            assert_eq!(reason(errno), NoCounters::NoUnit);
        }
        for errno in [libc::EACCES, libc::EPERM] {
            assert_eq!(reason(errno), NoCounters::NotAllowed { paranoid: Some(3) });
        }
        assert_eq!(reason(libc::ENOSYS), NoCounters::NoKernelSupport);
        assert_eq!(reason(libc::EMFILE), NoCounters::TooManyFiles);
        assert!(matches!(reason(libc::EINVAL), NoCounters::Other(_)));
        assert_eq!(
            reason(libc::EACCES).to_string(),
            "this user may not count (kernel.perf_event_paranoid is 3)"
        );
        assert_eq!(NoCounters::NotAllowed { paranoid: None }.to_string(), "this user may not count");
    }

    #[test]
    fn this_machine_counts_or_says_why_not() {
        let counters = Counters::open(NO_GROUPS, &[], &[std::process::id()]);
        if let Err(why) = counters {
            let is_told = why == NoCounters::NoUnit || why == NoCounters::Unsettled || is_forbidden(&why);
            assert!(is_told, "{why}");
        }
    }

    #[test]
    fn what_is_counted_grows_with_the_work_of_a_process_and_of_its_children() {
        // The shell waits for a line, so that its child is started after the counters are open.
        let script = "read line; (i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done); echo done; read line";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let counters = Counters::of(CLOCKS, NO_GROUPS, &[], &[child.id()]);
        let before = counters.as_ref().ok().and_then(Counters::read);
        let (mut input, mut output) = (child.stdin.take().expect("in"), child.stdout.take().expect("out"));
        io::Write::write_all(&mut input, b"go\n").expect("it reads");
        io::Read::read_exact(&mut output, &mut [0; 5]).expect("it answers");
        let after = counters.as_ref().ok().and_then(Counters::read);
        drop(input);
        child.wait().expect("it ends");
        match counters {
            Ok(_) => {
                let (before, after) = (before.expect("a reading"), after.expect("a reading"));
                assert!(after.instructions > before.instructions, "{before:?} {after:?}");
            }
            Err(why) => assert!(is_forbidden(&why), "{why}"),
        }
    }

    #[test]
    fn a_control_group_is_counted_whoever_enters_it() {
        let cage =
            CageMaker::find().make(&format!("velo-counters-{}", std::process::id()), &[]).expect("a cage");
        let cpus = tree::allowed_cpus(&[std::process::id()]);
        let counters = cage.dirs().find_map(|dir| Counters::of_group(CLOCKS, dir, &cpus).ok());
        let before = counters.as_ref().and_then(Counters::read);
        let doors: Vec<String> =
            cage.dirs().map(|dir| format!("echo $$ > {}/cgroup.procs; ", dir.display())).collect();
        let script = format!("{} i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", doors.join(""));
        let status = Command::new("sh").args(["-c", &script]).status().expect("a shell");
        let after = counters.as_ref().and_then(Counters::read);
        cage.remove().unwrap();
        assert!(status.success());
        // Only version 2 can be counted, and not everywhere by everybody.
        if let (Some(before), Some(after)) = (before, after) {
            assert!(after.instructions > before.instructions, "{before:?} {after:?}");
        }
    }

    #[test]
    fn what_is_no_control_group_is_counted_by_its_threads() {
        let groups = [Path::new("/nonexistent"), Path::new("/proc")];
        let counters = Counters::of(CLOCKS, groups, &[0], &[std::process::id()]);
        match counters {
            Ok(counters) => assert!(!counters.cycles.is_empty()),
            Err(why) => assert!(is_forbidden(&why) || why == NoCounters::Unsettled, "{why}"),
        }
    }

    #[test]
    fn a_process_that_is_gone_is_no_success() {
        assert!(Counters::of(CLOCKS, NO_GROUPS, &[], &[u32::MAX]).is_err());
        assert!(Counters::of(CLOCKS, NO_GROUPS, &[], &[]).is_err());
    }

    #[test]
    fn threads_that_start_meanwhile_are_opened_in_another_try() {
        let mut lists = vec![vec![1, 2, 3], vec![1, 2, 3], vec![1, 2]].into_iter().rev();
        let mut seen = Vec::new();
        let result = settled(
            || lists.next().expect("a list"),
            |threads| {
                seen.push(threads.to_vec());
                Ok(threads.len())
            },
        );
        assert_eq!(result.expect("settled"), 3);
        assert_eq!(seen, [vec![1, 2], vec![1, 2, 3]]);
    }

    #[test]
    fn a_tree_that_never_settles_is_given_up() {
        let mut next = 0;
        let result = settled(
            || {
                next += 1;
                vec![next]
            },
            |_| Ok(()),
        );
        assert!(matches!(result, Err(Unopened::Unsettled)), "{result:?}");
        let denied = settled(|| vec![1], |_| Err::<(), _>(io::Error::from_raw_os_error(libc::EACCES)));
        assert!(matches!(denied, Err(Unopened::Io(_))), "{denied:?}");
    }

    #[test]
    fn a_count_that_was_shared_is_filled_up_a_little_or_not_at_all() {
        let whole = |value, enabled_ns, running_ns| Reading { value, enabled_ns, running_ns }.whole();
        assert_eq!(whole(500, 1_000, 1_000), Some(500));
        assert_eq!(whole(0, 0, 0), Some(0));
        assert_eq!(whole(990, 1_000, 990), Some(1_000));
        assert_eq!(whole(500, 1_000, 989), None);
        assert_eq!(whole(500, 1_000, 0), None);
        assert_eq!(whole(500, 1_000, 1_001), None);
        assert_eq!(whole(u64::MAX, 1_000, 990), None);
    }

    proptest! {
        #[test]
        fn odd_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let reading = Reading::of(&bytes);
            prop_assert_eq!(reading.is_some(), bytes.len() >= 24);
            if let Some(reading) = reading
                && let Some(whole) = reading.whole()
            {
                prop_assert!(whole >= reading.value);
            }
        }
    }
}
