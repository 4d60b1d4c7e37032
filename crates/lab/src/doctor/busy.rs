use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use super::files;

/// More processes than this are not named.
const MOST_NAMED: usize = 3;
/// A process below this share of one CPU is not worth a name.
const LEAST_NAMED_SHARE: f64 = 0.02;
/// A machine with more processes than this is not walked further.
const MOST_PROCESSES: usize = 20_000;

/// What the CPUs did in a look; missing is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Busy {
    /// The share of all CPUs that was busy with anything but this process.
    pub(super) busy_share: Option<f64>,
    /// The share of all CPUs that the hypervisor took.
    pub(super) steal_share: Option<f64>,
    /// The busiest other processes: their name and share of one CPU.
    pub(super) processes: Vec<(String, f64)>,
}

/// The first line of `/proc/stat`, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticks {
    all: u64,
    idle: u64,
    steal: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Process {
    name: String,
    ticks: u64,
}

/// Looks at the CPUs for as long as it is told.
pub(super) fn look(duration: Duration) -> Busy {
    let before = (all_ticks(), processes());
    let began = Instant::now();
    thread::sleep(duration);
    let elapsed = began.elapsed();
    let after = (all_ticks(), processes());
    let (Some(ticks_before), Some(ticks_after)) = (before.0, after.0) else { return Busy::default() };
    let own = std::process::id();
    let own_ticks = used(&before.1, &after.1, own);
    let (busy_share, steal_share) = shares(ticks_before, ticks_after, own_ticks);
    Busy { busy_share, steal_share, processes: busiest(&before.1, &after.1, own, elapsed) }
}

fn all_ticks() -> Option<Ticks> {
    ticks_in(&files::text("/proc/stat")?)
}

/// Guest time is part of user time, so only the first eight fields are summed.
fn ticks_in(stat: &str) -> Option<Ticks> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let fields: Vec<u64> =
        line.split_ascii_whitespace().map_while(|field| field.parse().ok()).take(8).collect();
    let all = fields.iter().try_fold(0_u64, |sum, field| sum.checked_add(*field))?;
    let idle = fields.get(3)?.checked_add(fields.get(4).copied().unwrap_or(0))?;
    Some(Ticks { all, idle, steal: fields.get(7).copied().unwrap_or(0) })
}

fn shares(before: Ticks, after: Ticks, own_ticks: u64) -> (Option<f64>, Option<f64>) {
    let (Some(all), Some(idle), Some(steal)) = (
        after.all.checked_sub(before.all).filter(|&all| all > 0),
        after.idle.checked_sub(before.idle),
        after.steal.checked_sub(before.steal),
    ) else {
        return (None, None);
    };
    let busy = all.saturating_sub(idle).saturating_sub(steal).saturating_sub(own_ticks);
    (Some(busy as f64 / all as f64), Some(steal as f64 / all as f64))
}

fn processes() -> HashMap<u32, Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let stat = |pid: u32| Some((pid, process_in(&files::text(format!("/proc/{pid}/stat"))?)?));
    pids.take(MOST_PROCESSES).filter_map(stat).collect()
}

/// A process's name may hold blanks and parentheses, so the fields are counted from the last parenthesis.
fn process_in(stat: &str) -> Option<Process> {
    let (start, end) = (stat.find('(')?, stat.rfind(')')?);
    let name: String = stat.get(start + 1..end)?.chars().filter(|c| !c.is_control()).collect();
    let mut fields = stat.get(end + 1..)?.split_ascii_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Process { name, ticks: user.checked_add(system)? })
}

fn used(before: &HashMap<u32, Process>, after: &HashMap<u32, Process>, pid: u32) -> u64 {
    let ticks = |processes: &HashMap<u32, Process>| processes.get(&pid).map_or(0, |process| process.ticks);
    ticks(after).saturating_sub(ticks(before))
}

fn busiest(
    before: &HashMap<u32, Process>,
    after: &HashMap<u32, Process>,
    own: u32,
    elapsed: Duration,
) -> Vec<(String, f64)> {
    let mut by_name: HashMap<&str, u64> = HashMap::new();
    for (&pid, process) in after.iter().filter(|(pid, _)| **pid != own) {
        *by_name.entry(&process.name).or_default() += used(before, after, pid);
    }
    let second_ticks = rustix::param::clock_ticks_per_second() as f64;
    let share = |ticks: u64| ticks as f64 / (second_ticks * elapsed.as_secs_f64()).max(1.0);
    let mut named: Vec<(String, f64)> = by_name
        .into_iter()
        .map(|(name, ticks)| (name.to_owned(), share(ticks)))
        .filter(|(_, share)| *share >= LEAST_NAMED_SHARE)
        .collect();
    named.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    named.truncate(MOST_NAMED);
    named
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STAT: &str =
        "cpu  52132 50 20336 260505 1311 0 7307 65 0 0\ncpu0 29971 7 8086 129044 70 0 4389 30 0 0\n";

    #[test]
    fn ticks_are_summed_without_guests() {
        let ticks = ticks_in(STAT).expect("ticks");
        assert_eq!(ticks, Ticks { all: 341_706, idle: 261_816, steal: 65 });
        assert_eq!(ticks_in("cpu  1 2 3 4 5 6 7 8 900 1000\n").map(|ticks| ticks.all), Some(36));
    }

    #[test]
    fn an_old_kernels_line_is_read_and_an_odd_one_is_not() {
        assert_eq!(ticks_in("cpu  1 2 3 4\n"), Some(Ticks { all: 10, idle: 4, steal: 0 }));
        for odd in ["", "cpu", "cpu ", "cpu  1 2 3", "cpu  x", "cpu0 1 2 3 4", "intr 5"] {
            assert_eq!(ticks_in(odd), None, "{odd}");
        }
        assert_eq!(ticks_in("cpu  18446744073709551615 1 1 1\n"), None);
    }

    #[test]
    fn shares_leave_out_idle_steal_and_oneself() {
        let before = Ticks { all: 1000, idle: 500, steal: 10 };
        let after = Ticks { all: 1200, idle: 600, steal: 20 };
        assert_eq!(shares(before, after, 40), (Some(50.0 / 200.0), Some(10.0 / 200.0)));
    }

    #[test]
    fn counters_that_stand_still_or_run_backwards_give_no_share() {
        let ticks = Ticks { all: 1000, idle: 500, steal: 10 };
        assert_eq!(shares(ticks, ticks, 0), (None, None));
        assert_eq!(shares(ticks, Ticks { all: 1100, idle: 400, steal: 10 }, 0), (None, None));
    }

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let stat = "4242 (tmux: (server) x) S 1 1 1 0 -1 4194560 1 0 0 0 120 30 0 0 20 0 1 0 5 6 7";
        let process = process_in(stat).expect("a process");
        assert_eq!(process, Process { name: "tmux: (server) x".to_owned(), ticks: 150 });
        for odd in ["", "1 (x", "1 ) x (", "1 (x) S 1 2", "1 (x) S 1 1 1 0 -1 0 0 0 0 0 a b"] {
            assert_eq!(process_in(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_busiest_are_named_once_and_largest_first() {
        let process = |name: &str, ticks| Process { name: name.to_owned(), ticks };
        let before =
            HashMap::from([(1, process("rustc", 10)), (2, process("rustc", 0)), (3, process("velo", 0))]);
        let after = HashMap::from([
            (1, process("rustc", 40)),
            (2, process("rustc", 30)),
            (3, process("velo", 90)),
            (4, process("java", 90)),
            (5, process("idle", 0)),
        ]);
        let names: Vec<String> =
            busiest(&before, &after, 3, Duration::from_secs(1)).into_iter().map(|b| b.0).collect();
        assert_eq!(names, ["java", "rustc"]);
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        let busy = look(Duration::from_millis(50));
        for share in [busy.busy_share, busy.steal_share].into_iter().flatten() {
            assert!((0.0..=1.0).contains(&share), "{busy:?}");
        }
    }

    proptest! {
        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}", numbers in prop::collection::vec(any::<u64>(), 0..12)) {
            let line: Vec<String> = numbers.iter().map(u64::to_string).collect();
            ticks_in(&text);
            ticks_in(&format!("cpu  {}", line.join(" ")));
            process_in(&text);
            process_in(&format!("1 (a) S {}", line.join(" ")));
        }
    }
}
