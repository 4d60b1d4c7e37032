//! What the CPUs of a host did between two readings of `/proc/stat`, and how much of it others than contenders and `velo` did.

use std::collections::BTreeMap;
use std::time::Duration;

/// `/proc/stat`: what the CPUs did since the start, together and one by one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Ticks {
    all: CpuTicks,
    by_cpu: BTreeMap<u32, CpuTicks>,
}

/// What was done on some CPUs, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct CpuTicks {
    /// User, nice and system. Guest time is inside user (proc(5)).
    tasks: u64,
    /// Interrupts, hard and soft.
    interrupts: u64,
    steal: u64,
}

/// How a kernel counts CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counting {
    /// A tick.
    pub(crate) tick: Duration,
    /// Whether it keeps the time of interrupts apart from that of tasks (`CONFIG_IRQ_TIME_ACCOUNTING`). Without, what an
    /// interrupt takes is in the CPU time of the task that it interrupts, and is also in a column of its own when the tick
    /// falls into it. With, it is in no task's and no control group's.
    pub(crate) irq_time_apart: bool,
}

/// What was done between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Used {
    /// The share of all CPUs' time that the hypervisor took.
    pub(crate) steal_share: f64,
    /// CPU time of others; ticks are coarse, so that a short stretch may be below 0.
    pub(crate) others_ns: i64,
    /// The share of all CPUs' time that others used.
    pub(crate) others_share: f64,
}

/// CPU time that was taken from those that some CPUs are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    /// By others and by the hypervisor; ticks are coarse, so that of a short stretch it may be below 0.
    pub(crate) all_ns: i64,
    /// By the hypervisor.
    pub(crate) stolen_ns: u64,
}

impl Taken {
    /// The share of some of the CPUs in it.
    pub(crate) fn of_part(self, cpus: usize, of: usize) -> Self {
        let share = cpus as f64 / of.max(1) as f64;
        Self {
            all_ns: (self.all_ns as f64 * share) as i64,
            stolen_ns: (self.stolen_ns as f64 * share) as u64,
        }
    }
}

impl Ticks {
    /// `None` without a line for all CPUs.
    pub(crate) fn parse(stat: &str) -> Option<Self> {
        let mut by_cpu = BTreeMap::new();
        let mut all = None;
        for line in stat.lines() {
            let Some((name, fields)) = line.strip_prefix("cpu").and_then(|rest| rest.split_once(' ')) else {
                continue;
            };
            if name.is_empty() {
                all = all.or(CpuTicks::parse(fields));
            } else if let Some((cpu, ticks)) = name.parse().ok().zip(CpuTicks::parse(fields)) {
                by_cpu.insert(cpu, ticks);
            }
        }
        Some(Self { all: all?, by_cpu })
    }

    /// The CPUs that have a line of their own, in ascending order.
    pub(crate) fn cpus(&self) -> Vec<u32> {
        self.by_cpu.keys().copied().collect()
    }

    /// Those of some of the CPUs; `None` where one of them was not read.
    fn of(&self, cpus: &[u32]) -> Option<CpuTicks> {
        cpus.iter().try_fold(CpuTicks::default(), |sum, cpu| Some(sum.plus(self.by_cpu.get(cpu)?)))
    }
}

impl CpuTicks {
    /// Idle and iowait are not busy, and not read.
    fn parse(fields: &str) -> Option<Self> {
        let mut fields = fields.split_ascii_whitespace();
        let mut field = || fields.next().and_then(|field| field.parse::<u64>().ok());
        let (user, nice, system) = (field()?, field()?, field()?);
        let (_idle, _iowait, irq, softirq) = (field()?, field()?, field()?, field()?);
        Some(Self {
            tasks: user.checked_add(nice)?.checked_add(system)?,
            interrupts: irq.checked_add(softirq)?,
            steal: field().unwrap_or(0),
        })
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            tasks: self.tasks.saturating_add(other.tasks),
            interrupts: self.interrupts.saturating_add(other.interrupts),
            steal: self.steal.saturating_add(other.steal),
        }
    }

    fn since(self, then: Self) -> Self {
        Self {
            tasks: self.tasks.saturating_sub(then.tasks),
            interrupts: self.interrupts.saturating_sub(then.interrupts),
            steal: self.steal.saturating_sub(then.steal),
        }
    }
}

impl Counting {
    fn ns(self, ticks: u64) -> u64 {
        ticks.saturating_mul(self.tick.as_nanos() as u64)
    }

    /// What others did in these ticks. The time of interrupts is nobody's in particular: it is left out of others where tasks do
    /// not have it.
    fn others_ns(self, done: CpuTicks, own_ns: u64) -> i64 {
        let interrupts_ns = if self.irq_time_apart { 0 } else { self.ns(done.interrupts) };
        let busy_ns = self.ns(done.tasks).saturating_add(interrupts_ns);
        i64::try_from(i128::from(busy_ns) - i128::from(own_ns)).unwrap_or(i64::MAX)
    }
}

/// What the CPUs did from `then` to `now`. `own_ns`: CPU time of contenders and of `velo` in between, as the kernel counts
/// that of tasks.
pub(crate) fn used(then: &Ticks, now: &Ticks, elapsed: Duration, own_ns: u64, counting: Counting) -> Used {
    let done = now.all.since(then.all);
    let others_ns = counting.others_ns(done, own_ns);
    let all_ns = elapsed.as_nanos() as f64 * now.by_cpu.len().max(1) as f64;
    Used {
        steal_share: counting.ns(done.steal) as f64 / all_ns,
        others_ns,
        others_share: others_ns.max(0) as f64 / all_ns,
    }
}

/// What others and the hypervisor took on some CPUs from `then` to `now`; `None` where one of them was not read. `own_ns`: CPU time
/// of those that have these CPUs.
pub(crate) fn taken(
    then: &Ticks,
    now: &Ticks,
    cpus: &[u32],
    own_ns: u64,
    counting: Counting,
) -> Option<Taken> {
    let done = now.of(cpus)?.since(then.of(cpus)?);
    let stolen_ns = counting.ns(done.steal);
    let stolen = i64::try_from(stolen_ns).unwrap_or(i64::MAX);
    Some(Taken { all_ns: counting.others_ns(done, own_ns).saturating_add(stolen), stolen_ns })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TICK: Duration = Duration::from_millis(10);
    const WITH_TASKS: Counting = Counting { tick: TICK, irq_time_apart: false };
    const APART: Counting = Counting { tick: TICK, irq_time_apart: true };

    fn ticks(stat: &str) -> Ticks {
        Ticks::parse(stat).unwrap()
    }

    fn of_all(all: CpuTicks) -> Ticks {
        Ticks { all, by_cpu: [(0, all), (1, CpuTicks::default())].into() }
    }

    #[test]
    fn of_cpus_that_both_sides_have_each_gets_its_part() {
        let both = Taken { all_ns: 90, stolen_ns: 30 };
        assert_eq!(both.of_part(1, 3), Taken { all_ns: 30, stolen_ns: 10 });
        assert_eq!((both.of_part(3, 3), both.of_part(0, 0).all_ns), (both, 0));
    }

    #[test]
    fn what_is_taken_is_of_the_cpus_asked_for() {
        let then = ticks("cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n");
        let now = ticks("cpu  150 0 20 0 0 0 4 7\ncpu0 90 0 4 0 0 0 4 2\ncpu1 60 0 16 0 0 0 0 5\n");
        let of = |cpus: &[u32], own_ns, counting| taken(&then, &now, cpus, own_ns, counting);
        let found = |all_ns, stolen_ns| Some(Taken { all_ns, stolen_ns });
        assert_eq!(of(&[0], 900_000_000, WITH_TASKS), found(100_000_000, 20_000_000));
        assert_eq!(of(&[0], 900_000_000, APART), found(60_000_000, 20_000_000));
        assert_eq!(of(&[1], 800_000_000, WITH_TASKS), found(10_000_000, 50_000_000), "a tick is coarse");
        assert_eq!(of(&[0, 1], 0, WITH_TASKS), found(1_810_000_000, 70_000_000));
        assert_eq!(of(&[2], 0, WITH_TASKS), None);
    }

    #[test]
    fn the_first_line_is_read() {
        let text =
            "cpu  10 1 5 900 7 2 3 4 0 0\ncpu0 5 0 0 0 0 0 0 0 0 0\ncpu1 5 0 0 0 0 0 0 0 0 0\nintr 9\n";
        let all = CpuTicks { tasks: 16, interrupts: 5, steal: 4 };
        assert_eq!((ticks(text).all, ticks(text).by_cpu.len()), (all, 2));
        assert_eq!(Ticks::parse("cpu  1 2"), None);
        assert_eq!(Ticks::parse("cpu  18446744073709551615 1 1 1 1 1 1\n"), None);
    }

    /// Read from Linux 6.18 without IRQ time accounting on 2 CPUs that compilers kept busy, while a process of 258.909 ms sent
    /// itself datagrams over loopback for 2.00998 s. Its softirq work is in its own time, and the columns add up to 402 ticks.
    #[test]
    fn a_kernel_that_counts_interrupts_with_tasks() {
        let then = ticks(
            "cpu  313526 145314 67460 57376 1857 0 1370 7711 0 0\n\
             cpu0 155699 73360 32670 30942 725 0 279 3625 0 0\n\
             cpu1 157827 71954 34789 26433 1132 0 1091 4085 0 0\n",
        );
        let now = ticks(
            "cpu  313790 145394 67512 57376 1857 0 1376 7711 0 0\n\
             cpu0 155828 73394 32701 30942 725 0 285 3625 0 0\n\
             cpu1 157961 71999 34811 26433 1132 0 1091 4085 0 0\n",
        );
        let used = used(&then, &now, Duration::from_nanos(2_009_982_428), 258_909_117, WITH_TASKS);
        assert_eq!(used.others_ns, 4_020_000_000 - 258_909_117);
        assert!((used.others_share - 0.9356).abs() < 1e-4, "{used:?}");
        assert_eq!(used.steal_share, 0.0);
    }

    /// The same kernel with IRQ time accounting, 2 s of a quiet machine under load: on CPU 0 a contender, 1.40 s in tasks and
    /// 0.60 s in softirq (its loopback packets); on CPU 1 the generator, 1.50 s in tasks, 0.38 s in softirq and 0.02 s in
    /// interrupts, 0.10 s idle. What the kernel says of control group and process is the time in tasks alone: 2.90 s.
    #[test]
    fn a_kernel_that_keeps_interrupts_apart() {
        let then = ticks(
            "cpu  1000 0 1000 5000 10 0 100 0 0 0\ncpu0 500 0 500 0 0 0 0 0\ncpu1 500 0 500 0 0 0 0 0\n",
        );
        let now = ticks(
            "cpu  1090 0 1200 5010 10 2 198 0 0 0\ncpu0 540 0 600 0 0 0 0 0\ncpu1 550 0 600 0 0 0 0 0\n",
        );
        let own_ns = 2_900_000_000;
        let quiet = used(&then, &now, Duration::from_secs(2), own_ns, APART);
        assert_eq!((quiet.others_ns, quiet.others_share), (0, 0.0));
        // Taken for the other kind, the network itself would be a quarter of the machine in use by others.
        let wrong = used(&then, &now, Duration::from_secs(2), own_ns, WITH_TASKS);
        assert_eq!(wrong.others_share, 0.25);
        // Others are seen on either kind.
        let busy = used(&then, &now, Duration::from_secs(2), own_ns - 400_000_000, APART);
        assert_eq!(busy.others_share, 0.1);
    }

    #[test]
    fn a_short_stretch_may_be_below_nothing_but_no_share_is() {
        let (then, now) = (Ticks::default(), of_all(CpuTicks { tasks: 1, ..CpuTicks::default() }));
        let used = used(&then, &now, Duration::from_millis(10), 14_000_000, WITH_TASKS);
        assert_eq!((used.others_ns, used.others_share), (-4_000_000, 0.0));
    }

    proptest! {
        #[test]
        fn the_kinds_differ_by_the_time_of_interrupts(
            tasks in 0u64..100_000, interrupts in 0u64..100_000, steal in 0u64..100_000, own_ns in 0u64..1_000_000_000_000,
        ) {
            let (then, now) = (Ticks::default(), of_all(CpuTicks { tasks, interrupts, steal }));
            let of = |counting| used(&then, &now, Duration::from_secs(60), own_ns, counting);
            let difference = of(WITH_TASKS).others_ns - of(APART).others_ns;
            prop_assert_eq!(difference, interrupts as i64 * 10_000_000);
            prop_assert!(of(APART).others_share >= 0.0 && of(APART).others_share <= of(WITH_TASKS).others_share);
            prop_assert_eq!(of(APART).steal_share, of(WITH_TASKS).steal_share);
        }

        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}", numbers in prop::collection::vec(any::<u64>(), 0..12)) {
            let line: Vec<String> = numbers.iter().map(u64::to_string).collect();
            Ticks::parse(&text);
            if let Some(ticks) = Ticks::parse(&format!("cpu  {}", line.join(" "))) {
                used(&Ticks::default(), &ticks, Duration::ZERO, 1, WITH_TASKS);
            }
        }
    }
}
