use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use velo_record::BusyProcess;

use super::processes::{self, Processes};
use super::slowing::{Slowing, Sources};
use super::ticks;

/// Between two looks: shorter ones would tell of single ticks.
const LEAST_PAUSE: Duration = Duration::from_secs(1);
/// A look costs this part of the pause before it at most, however many processes there are.
const COST: u32 = 100;

/// Follows from look to look who beside `velo` and its contenders used the CPUs, and what slowed them down.
#[derive(Debug)]
pub(crate) struct Watch {
    sources: Sources,
    last: Option<Moment>,
}

#[derive(Debug)]
struct Moment {
    at: Instant,
    /// How long looking took.
    cost: Duration,
    processes: Processes,
    slowing: Slowing,
}

/// What was seen between two looks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Seen {
    /// The busiest others, largest first.
    pub(crate) others: Vec<BusyProcess>,
    /// How often a CPU was slowed down for heat or the control group had used up its quota; `None`: not visible.
    pub(crate) throttled: Option<u64>,
    /// Pages that went to swap or came back; `None`: not visible.
    pub(crate) swapped_pages: Option<u64>,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self { sources: Sources::find(), last: None }
    }

    /// Looks, unless the look before is less than a second ago (more on a machine with thousands of processes), and
    /// says what was seen since then; the first look has nothing to say. This process and its descendants are left
    /// out, and so are those of `ours`: contenders that have changed their parent.
    pub(crate) fn look(&mut self, ours: &[u32]) -> Option<Seen> {
        let at = Instant::now();
        if let Some(last) = &self.last
            && at - last.at < LEAST_PAUSE.max(last.cost.saturating_mul(COST))
        {
            return None;
        }
        let (processes, slowing) = (processes::read(), self.sources.read());
        let now = Moment { at, cost: at.elapsed(), processes, slowing };
        let seen = self.last.as_ref().map(|last| now.since(last, ours));
        self.last = Some(now);
        seen
    }
}

impl Moment {
    fn since(&self, before: &Self, ours: &[u32]) -> Seen {
        let ours: Vec<u32> = ours.iter().copied().chain([std::process::id()]).collect();
        let slowing = self.slowing.since(before.slowing);
        Seen {
            others: processes::busiest(&before.processes, &self.processes, &ours, self.at - before.at),
            throttled: slowing.throttled,
            swapped_pages: slowing.swapped_pages,
        }
    }
}

/// What the CPUs did in a look; missing is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Busy {
    /// The share of all CPUs that was busy with anything but this process.
    pub(super) busy_share: Option<f64>,
    /// The share of all CPUs that the hypervisor took.
    pub(super) steal_share: Option<f64>,
    pub(super) seen: Seen,
}

/// Looks at the CPUs for as long as it is told.
pub(super) fn look(duration: Duration) -> Busy {
    let mut watch = Watch::new();
    watch.look(&[]);
    let (ticks_before, own_before) = (ticks::read(), own_time());
    thread::sleep(duration);
    let (ticks_after, own_after) = (ticks::read(), own_time());
    let seen = watch.look(&[]).unwrap_or_default();
    let (Some(before), Some(after)) = (ticks_before, ticks_after) else {
        return Busy { seen, ..Busy::default() };
    };
    let own = own_after.saturating_sub(own_before).as_secs_f64();
    let own_ticks = own * rustix::param::clock_ticks_per_second() as f64;
    let (busy_share, steal_share) = ticks::shares(before, after, own_ticks as u64);
    Busy { busy_share, steal_share, seen }
}

fn own_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_can_be_looked_at() {
        let busy = look(Duration::from_millis(50));
        for share in [busy.busy_share, busy.steal_share].into_iter().flatten() {
            assert!((0.0..=1.0).contains(&share), "{busy:?}");
        }
    }

    #[test]
    fn looks_keep_a_pause() {
        let mut watch = Watch::new();
        assert_eq!(watch.look(&[]), None);
        assert_eq!(watch.look(&[]), None);
        let at = watch.last.as_ref().map(|last| last.at);
        let long_ago = at.and_then(|at| at.checked_sub(LEAST_PAUSE * 2));
        let last = watch.last.as_mut().expect("a look");
        last.at = long_ago.expect("up for longer");
        last.cost = Duration::from_millis(1);
        assert!(watch.look(&[]).is_some());
        let last = watch.last.as_mut().expect("a look");
        last.at = long_ago.expect("up for longer");
        last.cost = LEAST_PAUSE;
        assert_eq!(watch.look(&[]), None, "an expensive look is not made again soon");
    }
}
