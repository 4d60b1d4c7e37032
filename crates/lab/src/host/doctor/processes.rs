use std::collections::HashMap;
use std::time::Duration;

use velo_record::BusyProcess;

use super::files;

/// More programs than this are not named.
const MOST_NAMED: usize = 3;
/// A program below this share of one CPU is not worth a name; the kernel counts in hundredths of a second.
const LEAST_NAMED_SHARE: f64 = 0.02;
/// A machine with more processes than this is not walked further.
const MOST_PROCESSES: usize = 20_000;
/// No chain of parents is followed further: a list that is read while it changes may even have a ring.
const MOST_PARENTS: usize = 64;

/// A process as `/proc/PID/stat` tells of it, CPU time in ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    name: String,
    parent: u32,
    ticks: u64,
    /// Of its children that have ended and were waited for, and of theirs.
    children_ticks: u64,
}

/// By number.
pub(super) type Processes = HashMap<u32, Process>;

pub(super) fn read() -> Processes {
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
    let parent = fields.nth(1)?.parse().ok()?;
    let mut next = fields.skip(9).map(|field| field.parse::<u64>().ok());
    let mut ticks = || next.next()??.checked_add(next.next()??);
    Some(Process { name, parent, ticks: ticks()?, children_ticks: ticks()? })
}

/// The programs that used most CPU time between two readings, largest first. Left out are the processes in `ours`
/// and whatever descends from them.
pub(super) fn busiest(
    before: &Processes,
    after: &Processes,
    ours: &[u32],
    elapsed: Duration,
) -> Vec<BusyProcess> {
    let gone = gone(before, after);
    let mut by_name: HashMap<String, u64> = HashMap::new();
    for (pid, process) in after {
        if is_ours(*pid, after, ours) {
            continue;
        }
        let then = before.get(pid);
        let own = process.ticks.saturating_sub(then.map_or(0, |then| then.ticks));
        let ended = process
            .children_ticks
            .saturating_sub(then.map_or(0, |then| then.children_ticks))
            .saturating_sub(gone.get(pid).copied().unwrap_or(0));
        add(&mut by_name, &process.name, own);
        add(&mut by_name, &format!("children of {}", process.name), ended);
    }
    let second_ticks = rustix::param::clock_ticks_per_second() as f64;
    let share = |ticks: u64| ticks as f64 / (second_ticks * elapsed.as_secs_f64()).max(1.0);
    let mut named: Vec<BusyProcess> = by_name
        .into_iter()
        .map(|(name, ticks)| BusyProcess { name, cpu_share: share(ticks) })
        .filter(|process| process.cpu_share >= LEAST_NAMED_SHARE)
        .collect();
    named.sort_by(|a, b| b.cpu_share.total_cmp(&a.cpu_share).then_with(|| a.name.cmp(&b.name)));
    named.truncate(MOST_NAMED);
    named
}

fn add(by_name: &mut HashMap<String, u64>, name: &str, ticks: u64) {
    if ticks > 0 {
        let sum = by_name.entry(name.to_owned()).or_default();
        *sum = sum.saturating_add(ticks);
    }
}

/// What processes that have ended since had used before, by the nearest ancestor that is still there: that much of
/// its children's time is not of this stretch.
fn gone(before: &Processes, after: &Processes) -> HashMap<u32, u64> {
    let mut gone: HashMap<u32, u64> = HashMap::new();
    for (pid, process) in before.iter().filter(|(pid, _)| !after.contains_key(pid)) {
        let heir = ancestors(*pid, before).find(|ancestor| after.contains_key(ancestor));
        if let Some(heir) = heir {
            let sum = gone.entry(heir).or_default();
            *sum = sum.saturating_add(process.ticks).saturating_add(process.children_ticks);
        }
    }
    gone
}

fn is_ours(pid: u32, processes: &Processes, ours: &[u32]) -> bool {
    ours.contains(&pid) || ancestors(pid, processes).any(|ancestor| ours.contains(&ancestor))
}

fn ancestors(pid: u32, processes: &Processes) -> impl Iterator<Item = u32> {
    let parent = move |pid: &u32| processes.get(pid).map(|process| process.parent);
    std::iter::successors(parent(&pid), move |pid| parent(pid)).take(MOST_PARENTS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn process(name: &str, parent: u32, ticks: u64, children_ticks: u64) -> Process {
        Process { name: name.to_owned(), parent, ticks, children_ticks }
    }

    fn names(busy: &[BusyProcess]) -> Vec<&str> {
        busy.iter().map(|busy| busy.name.as_str()).collect()
    }

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let stat = "4242 (tmux: (server) x) S 7 1 1 0 -1 4194560 1 0 0 0 120 30 5 6 20 0 1 0 5 6 7";
        assert_eq!(process_in(stat), Some(process("tmux: (server) x", 7, 150, 11)));
        for odd in ["", "1 (x", "1 ) x (", "1 (x) S 1 2", "1 (x) S 1 1 1 0 -1 0 0 0 0 0 a b 1 1"] {
            assert_eq!(process_in(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_busiest_are_named_once_and_largest_first() {
        let before = Processes::from([
            (1, process("rustc", 0, 10, 0)),
            (2, process("rustc", 0, 0, 0)),
            (3, process("velo", 0, 0, 0)),
        ]);
        let after = Processes::from([
            (1, process("rustc", 0, 40, 0)),
            (2, process("rustc", 0, 30, 0)),
            (3, process("velo", 0, 90, 0)),
            (4, process("java", 0, 90, 0)),
            (5, process("idle", 0, 0, 0)),
            (6, process("small", 0, 1, 0)),
        ]);
        assert_eq!(names(&busiest(&before, &after, &[3], SECOND)), ["java", "rustc"]);
        assert_eq!(names(&busiest(&before, &after, &[3, 4], SECOND)), ["rustc"]);
    }

    #[test]
    fn descendants_of_our_own_are_ours() {
        let after = Processes::from([
            (1, process("init", 0, 0, 0)),
            (10, process("velo", 1, 50, 80)),
            (11, process("sh", 10, 50, 0)),
            (12, process("server", 11, 50, 0)),
            (13, process("other", 1, 50, 0)),
        ]);
        assert_eq!(names(&busiest(&Processes::new(), &after, &[10], SECOND)), ["other"]);
    }

    #[test]
    fn children_that_ended_in_between_are_told_of_by_their_parent() {
        let before = Processes::from([
            (5, process("sh", 1, 1, 0)),
            (6, process("make", 5, 10, 1_000)),
            (7, process("cc1", 6, 40, 0)),
        ]);
        // cc1 used 10 ticks more and ended; another that was never seen used 30.
        let after =
            Processes::from([(5, process("sh", 1, 1, 0)), (6, process("make", 5, 10, 1_000 + 50 + 30))]);
        let busy = busiest(&before, &after, &[], SECOND);
        assert_eq!(names(&busy), ["children of make"]);
        let ticks = busy[0].cpu_share * rustix::param::clock_ticks_per_second() as f64;
        assert!((ticks - 40.0).abs() < 1e-9, "{busy:?}");
        // make ends too: what it and its children had used before is not of this stretch.
        let later = Processes::from([(5, process("sh", 1, 1, 10 + 1_080 + 5))]);
        let busy = busiest(&after, &later, &[], SECOND);
        let ticks = busy[0].cpu_share * rustix::param::clock_ticks_per_second() as f64;
        assert!((ticks - 5.0).abs() < 1e-9, "{busy:?}");
    }

    #[test]
    fn this_machine_has_this_process() {
        assert!(read().contains_key(&std::process::id()));
    }

    proptest! {
        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}", numbers in prop::collection::vec(any::<u64>(), 0..24)) {
            let line: Vec<String> = numbers.iter().map(u64::to_string).collect();
            process_in(&text);
            process_in(&format!("1 (a) S {}", line.join(" ")));
        }

        #[test]
        fn any_tree_gives_an_answer(
            before in prop::collection::hash_map(0_u32..8, (0_u32..8, any::<u64>(), any::<u64>()), 0..8),
            after in prop::collection::hash_map(0_u32..8, (0_u32..8, any::<u64>(), any::<u64>()), 0..8),
            ours in prop::collection::vec(0_u32..8, 0..3),
        ) {
            let tree = |map: HashMap<u32, (u32, u64, u64)>| -> Processes {
                map.into_iter().map(|(pid, (parent, own, children))| (pid, process("p", parent, own, children))).collect()
            };
            let busy = busiest(&tree(before), &tree(after), &ours, SECOND);
            prop_assert!(busy.len() <= MOST_NAMED && busy.is_sorted_by(|a, b| a.cpu_share >= b.cpu_share));
        }
    }
}
