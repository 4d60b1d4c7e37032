//! What the host did beside contender and generator.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use velo_model::PartyRole;
use velo_record::{HostWindow, Placement};

use crate::clock::Clock;
use crate::host::host_cpu::{Counting, Taken, Ticks, taken, used};
use crate::host::machine::Host;

/// The kernel counts CPU time of the whole host in hundredths of a second, so shares are taken over at least this.
const STRETCH: Duration = Duration::from_secs(1);

/// A moment of the host.
#[derive(Debug, Clone, PartialEq)]
struct Moment {
    at: Duration,
    ticks: Ticks,
    /// CPU time of contenders and of `velo` itself.
    own_ns: u64,
    pressure_us: Option<u64>,
}

/// Follows the host from window to window.
pub(crate) struct HostSampler {
    host: Rc<dyn Host>,
    clock: Rc<dyn Clock>,
    /// CPU time of all contenders, of those that have ended too.
    contenders_cpu_ns: u64,
    /// Ends of windows, and beginnings of blocks, back to the last that is a second ago.
    moments: VecDeque<Moment>,
    /// When the block under way began.
    block: Option<Moment>,
    counting: Counting,
    watched_at: Option<Duration>,
}

impl HostSampler {
    /// `irq_time_apart`: whether the kernel keeps the time of interrupts apart from that of tasks; when that is not known they
    /// count as others, so that nothing is overlooked.
    pub(crate) fn new(host: Rc<dyn Host>, clock: Rc<dyn Clock>, irq_time_apart: Option<bool>) -> Self {
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        Self {
            host,
            clock,
            contenders_cpu_ns: 0,
            moments: VecDeque::new(),
            block: None,
            counting: Counting {
                tick: Duration::from_nanos(1_000_000_000 / per_second),
                irq_time_apart: irq_time_apart == Some(true),
            },
            watched_at: None,
        }
    }

    /// Forgets what was: between launches contenders end, and their last CPU time is not known.
    pub(crate) fn restart(&mut self) {
        self.moments.clear();
        self.block = None;
    }

    /// A window that is not counted has ended: the first block may reach back to it.
    pub(crate) fn note(&mut self) {
        if let Some(now) = self.moment() {
            self.forget_before(now.at);
            self.moments.push_back(now);
        }
    }

    fn forget_before(&mut self, now: Duration) {
        while self.moments.get(1).is_some_and(|next| now - next.at >= STRETCH) {
            self.moments.pop_front();
        }
    }

    /// A block begins.
    pub(crate) fn begin_block(&mut self) {
        self.block = self.moment();
        self.moments.extend(self.block.clone());
    }

    /// Takes a sample at a window's end and says what the host did since the block began. While that is less than a second,
    /// nothing; but the last window of a block then says what it did over the last second.
    ///
    /// `ours`: the processes of contenders.
    pub(crate) fn sample(&mut self, ends_block: bool, ours: impl FnOnce() -> Vec<u32>) -> HostWindow {
        let Some(now) = self.moment() else { return HostWindow::default() };
        self.forget_before(now.at);
        let since = stretch_begin(self.block.as_ref(), self.moments.front(), now.at, ends_block);
        let window = since.map(|then| share(then, &now, self.counting)).unwrap_or_default();
        let at = now.at;
        self.moments.push_back(now);
        self.with_names(window, at, ours)
    }

    /// Adds who the others were, once a second at most: the whole of `/proc` is read for it.
    fn with_names(
        &mut self,
        window: HostWindow,
        now: Duration,
        ours: impl FnOnce() -> Vec<u32>,
    ) -> HostWindow {
        if self.watched_at.is_some_and(|at| now - at < STRETCH) {
            return window;
        }
        self.watched_at = Some(now);
        let Some(seen) = self.host.watch(&ours()) else { return window };
        let (others, throttled, swapped_pages) = (seen.others, seen.throttled, seen.swapped_pages);
        HostWindow { others, throttled, swapped_pages, ..window }
    }

    /// Begins to look at what others do while one contender runs.
    pub(crate) fn begin_turn(&self) -> Option<Turn> {
        let at = self.clock.now();
        Some(Turn { at, ticks: self.host.ticks()?, own_ns: self.host.own_cpu_ns() })
    }

    /// What others did since a turn began. `contender_ns`: what the contender used, with what was started beside it.
    pub(crate) fn end_turn(&self, turn: &Turn, contender_ns: u64, placement: &Placement) -> Option<TurnUse> {
        let (now, elapsed) = (self.host.ticks()?, self.clock.since(turn.at));
        let velo_ns = self.host.own_cpu_ns().saturating_sub(turn.own_ns);
        let own_ns = velo_ns.saturating_add(contender_ns);
        let taken = |cpus: &[u32], own_ns| taken(&turn.ticks, &now, cpus, own_ns, self.counting);
        let [server, load] = [PartyRole::Contender, PartyRole::Generator].map(|role| placement.cpus(role));
        let (server, load) = if server.iter().any(|cpu| load.contains(cpu)) {
            // Nobody can say whose side it was taken from on CPUs that both have.
            let all: BTreeSet<u32> = server.iter().chain(load).copied().collect();
            let both = taken(&all.iter().copied().collect::<Vec<_>>(), own_ns);
            let on = |cpus: &[u32]| both.map(|taken| taken.of_part(cpus.len(), all.len()));
            (on(server), on(load))
        } else {
            (taken(server, contender_ns), taken(load, velo_ns))
        };
        Some(TurnUse {
            others_ns: used(&turn.ticks, &now, elapsed, own_ns, self.counting).others_ns,
            elapsed_ns: elapsed.as_nanos() as u64,
            server,
            load,
        })
    }

    /// Contenders have used so much CPU time more.
    pub(crate) fn contenders_used(&mut self, cpu_ns: u64) {
        self.contenders_cpu_ns += cpu_ns;
    }

    fn moment(&self) -> Option<Moment> {
        Some(Moment {
            at: self.clock.now(),
            ticks: self.host.ticks()?,
            own_ns: self.contenders_cpu_ns + self.host.own_cpu_ns(),
            pressure_us: self.host.pressure_us(),
        })
    }
}

/// One contender is let run.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    at: Duration,
    ticks: Ticks,
    own_ns: u64,
}

/// What others did in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnUse {
    /// CPU time of others on all CPUs.
    others_ns: i64,
    elapsed_ns: u64,
    /// What was taken on the contender's CPUs, and on those of the load.
    server: Option<Taken>,
    load: Option<Taken>,
}

impl TurnUse {
    /// Writes it down.
    pub(crate) fn note(self, host: &mut HostWindow) {
        host.others_cpu_ns = Some(self.others_ns);
        host.others_elapsed_ns = Some(self.elapsed_ns);
        host.taken_server_ns = self.server.map(|taken| taken.all_ns);
        host.taken_load_ns = self.load.map(|taken| taken.all_ns);
        host.stolen_server_ns = self.server.map(|taken| taken.stolen_ns);
    }
}

/// Where the stretch of a sample begins; `None` when it would be shorter than a second, or reach back before a block
/// that is long enough itself.
fn stretch_begin<'a>(
    block: Option<&'a Moment>,
    second_ago: Option<&'a Moment>,
    now: Duration,
    ends_block: bool,
) -> Option<&'a Moment> {
    let is_long = |moment: &&Moment| now - moment.at >= STRETCH;
    block.filter(is_long).or(second_ago.filter(|moment| ends_block && is_long(moment)))
}

fn share(then: &Moment, now: &Moment, counting: Counting) -> HostWindow {
    let elapsed = now.at - then.at;
    let own_ns = now.own_ns.saturating_sub(then.own_ns);
    let used = used(&then.ticks, &now.ticks, elapsed, own_ns, counting);
    let pressure = then.pressure_us.zip(now.pressure_us);
    HostWindow {
        steal_share: Some(used.steal_share),
        others_share: Some(used.others_share),
        cpu_pressure_share: pressure
            .map(|(then, now)| now.saturating_sub(then) as f64 / elapsed.as_micros() as f64),
        ..HostWindow::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MachineClock;
    use crate::host::machine::Machine;

    fn moment(at: Duration) -> Moment {
        Moment { at, ticks: Ticks::default(), own_ns: 0, pressure_us: None }
    }

    #[test]
    fn a_stretch_is_the_block_or_the_last_second_of_a_short_one() {
        let start = Duration::from_secs(60);
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let begin = |block_ms: u64, ago_ms: u64, now_ms: u64, ends_block: bool| {
            let (block, ago) = (moment(at(block_ms)), moment(at(ago_ms)));
            stretch_begin(Some(&block), Some(&ago), at(now_ms), ends_block).map(|moment| moment.at)
        };
        // A long block: from its beginning, whatever was before, and nothing until that is a second.
        assert_eq!(begin(500, 1900, 3000, false), Some(at(500)));
        assert_eq!(begin(500, 1900, 3000, true), Some(at(500)));
        assert_eq!(begin(500, 300, 1400, false), None);
        // A short one reaches back, at its end only.
        assert_eq!(begin(500, 300, 1400, true), Some(at(300)));
        assert_eq!(begin(500, 450, 1400, true), None, "nothing is known of so long ago");
        assert_eq!(stretch_begin(None, None, at(0), true), None);
    }

    #[test]
    fn a_restart_forgets() {
        let mut sampler =
            HostSampler::new(Rc::new(Machine::new(Default::default())), Rc::new(MachineClock::start()), None);
        sampler.note();
        sampler.begin_block();
        assert!(sampler.block.is_some() && sampler.moments.len() == 2);
        assert_eq!(sampler.sample(true, Vec::new).steal_share, None, "less than a second");
        sampler.restart();
        assert!(sampler.block.is_none() && sampler.moments.is_empty());
    }

    #[test]
    fn shares_are_of_all_cpus_over_the_stretch() {
        let at = Duration::from_secs(60);
        let ticks = |tasks: u64, steal: u64| {
            let idle = "0 0 0 0 0 0 0 0";
            Ticks::parse(&format!("cpu  {tasks} 0 0 0 0 0 0 {steal}\ncpu0 {idle}\ncpu1 {idle}\n")).unwrap()
        };
        let then = Moment { at, ticks: ticks(0, 0), own_ns: 0, pressure_us: Some(0) };
        let now = Moment {
            at: at + Duration::from_secs(2),
            ticks: ticks(300, 4),
            own_ns: 2_800_000_000,
            pressure_us: Some(500_000),
        };
        let counting = Counting { tick: Duration::from_millis(10), irq_time_apart: false };
        let window = share(&then, &now, counting);
        assert_eq!(window.others_share, Some(0.05));
        assert_eq!(window.steal_share, Some(0.01));
        assert_eq!(window.cpu_pressure_share, Some(0.25));
    }
}
