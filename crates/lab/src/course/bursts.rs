//! Bursts: some requests at once, until all are answered. They come last in a launch, beside the budget.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rand::Rng as _;
use rand::seq::SliceRandom;
use velo_load::{Connect, GeneratorError, Target, WindowReport, WindowSettings};
use velo_record::{BurstSaturation, Window};

use crate::LabError;
use crate::course::burst_plan::{self, BurstSpec, LONGEST_SENDING, LONGEST_WAIT, Series};
use crate::course::fix_plan::SWITCH_NS;
use crate::course::launches::Launches;
use crate::course::order::Place;
use crate::course::plan::{Begun, Plan};
use crate::course::rig::Rig;
use crate::course::window::{WindowSpec, WindowTask};
use crate::progress::Event;
use crate::sides::limits::limits;
use crate::sides::load_side::{LoadSide, TargetNumber};
use crate::sides::translate::translate_one;

/// How long a contender may see to connections that were closed, before it is stopped or loaded again.
const CLOSING: Duration = Duration::from_millis(50);

/// How long a contender that was stopped is let run before its burst, so that its timers see what time it is. Some keep it
/// (actix-web): right after a stop they take a new connection for one that has been silent for as long.
const WAKING: Duration = Duration::from_millis(100);

/// A burst to come on one contender.
#[derive(Debug, Clone, Copy)]
struct BurstTurn {
    place: Place,
    spec: BurstSpec,
    /// Of each request, the least; `None` where it need not wait.
    wait_ns: Option<u64>,
    /// From 1, within its burst.
    position: u32,
}

impl Launches {
    /// Says how long all bursts may take, before anything is started.
    pub(crate) fn tell_bursts(&self, rig: &mut Rig<'_>) {
        let series = self.series(rig);
        if series.is_empty() {
            return;
        }
        let of = |each_launch: bool| {
            let meant = series.iter().filter(|one| one.each_launch == each_launch);
            self.expected_ns(meant.flat_map(|one| self.turns_of(rig, one)))
        };
        let (each_ns, once_ns) = (of(true), of(false));
        rig.tell(&Event::BurstsPlanned {
            first_launch: Duration::from_nanos(each_ns.saturating_add(once_ns)),
            other_launches: Duration::from_nanos(each_ns),
        });
    }

    /// The bursts of a launch. Nothing can be measured in it after them, because the contenders' other connections are closed.
    pub(crate) fn bursts(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        let began = rig.now();
        let result = self.all_bursts(rig);
        self.course.windows.beside += rig.context.clock.since(began);
        result
    }

    fn all_bursts(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        let is_first = self.course.launch == 1;
        let mut series = self.series(rig);
        series.retain(|one| is_first || one.each_launch);
        if series.is_empty() {
            return Ok(());
        }
        let (each, once): (Vec<Series>, Vec<Series>) = series.into_iter().partition(|one| one.each_launch);
        self.close_connections(rig);
        let began = rig.now();
        let mut bursts = Bursts { launches: self, spent: BTreeSet::new() };
        let turns = bursts.launches.burst_turns(rig, &each);
        bursts.take(rig, &turns)?;
        let turns = bursts.launches.burst_turns(rig, &once);
        if is_first && !each.is_empty() && !rig.stopped() {
            let once_ns = bursts.launches.expected_ns(turns.iter().copied());
            let launches = rig.file.plan.as_ref().map_or(1, |plan| plan.launches);
            rig.tell(&Event::BurstsSeen {
                this_launch: Duration::from_nanos(once_ns),
                other_launches: rig.context.clock.since(began) * launches.saturating_sub(1),
            });
        }
        bursts.take(rig, &turns)?;
        rig.writer.sync()?;
        Ok(())
    }

    fn series(&self, rig: &Rig<'_>) -> Vec<Series> {
        let (quick, full) = (rig.options.quick, rig.options.full);
        let workloads = rig.file.workloads.iter().enumerate();
        workloads
            .flat_map(|(index, workload)| burst_plan::series(&workload.bursts, index, quick, full))
            .collect()
    }

    /// Contenders that a burst is for, in each of its styles. The control is not about them.
    fn turns_of(&self, rig: &Rig<'_>, series: &Series) -> Vec<BurstTurn> {
        let requests = &rig.file.workloads[series.workload].requests;
        let mut turns = Vec::new();
        for (index, lane) in self.lanes.iter().enumerate() {
            let track = lane.tracks.iter().position(|track| track.workload == series.workload);
            let Some(track) = track.filter(|_| !lane.is_twin && series.is_for(&lane.contender)) else {
                continue;
            };
            let place = Place { lane: index, track, workload: series.workload };
            for &spec in &series.styles {
                let wait_ns = requests.get(spec.request).and_then(|request| Some(request.wait_ns()?.0));
                turns.push(BurstTurn { place, spec, wait_ns, position: 0 });
            }
        }
        turns
    }

    /// Burst after burst, within each in random order.
    fn burst_turns(&mut self, rig: &Rig<'_>, series: &[Series]) -> Vec<BurstTurn> {
        let mut all = Vec::new();
        for one in series {
            let mut turns = self.turns_of(rig, one);
            turns.shuffle(&mut self.random);
            all.extend(turns.into_iter().zip(1..).map(|(turn, position)| BurstTurn { position, ..turn }));
        }
        all
    }

    /// What these bursts may take, by what has been seen of each contender; at least this while nothing has.
    fn expected_ns(&self, turns: impl IntoIterator<Item = BurstTurn>) -> u64 {
        let one = |turn: BurstTurn| {
            let at_a_time = self.lanes[turn.place.lane].tracks[turn.place.track].at_a_time;
            let beside_ns = SWITCH_NS + CLOSING.as_nanos() as u64;
            turn.spec.expected_ns(turn.wait_ns.unwrap_or(0), at_a_time) + beside_ns
        };
        turns.into_iter().map(one).sum()
    }

    /// Closes the connections of the launch's other windows, since some servers hold a thread for each, asked or not; and lets
    /// contenders finish what they were asked in them, which the first burst would have to wait for.
    fn close_connections(&self, rig: &mut Rig<'_>) {
        let clock = rig.context.clock.as_ref();
        for life in self.lanes.iter().filter_map(|lane| lane.life.as_ref()) {
            life.server.thaw();
            rig.load_side.remove(life.target);
            let began = clock.now();
            clock.sleep(CLOSING);
            while clock.since(began) < life.backlog && !rig.context.stop.asked() {
                clock.sleep(CLOSING);
            }
            life.server.freeze();
        }
    }

    /// Measures one burst, over connections of its own. `None` as [`Launches::window`].
    fn burst(&mut self, rig: &mut Rig<'_>, turn: &BurstTurn) -> Result<Option<Window>, LabError> {
        let BurstTurn { place, spec, .. } = *turn;
        let window_spec = WindowSpec {
            place,
            task: WindowTask::Burst(spec),
            launch: self.course.launch,
            block: 0,
            position: turn.position,
            settling_ns: 0,
            duration_ns: LONGEST_SENDING.as_nanos() as u64,
            drains_fully: true,
            ends_block: true,
        };
        self.renew_data(rig, &window_spec);
        let seed = self.random.next_u64();
        let lane = &self.lanes[place.lane];
        let Some(life) = &lane.life else { return Ok(None) };
        let processes = lane.processes();
        // Nothing is known of one that ran already.
        let memory_bytes = || processes.as_ref().and_then(|all| all.memory(&all.pids()).0);
        let workload = &rig.file.workloads[place.workload];
        let data = rig.context.data.set(place.workload, life.data_version);
        let peer = life.server.peer().clone();
        let plan = translate_one(
            &workload.asked_of(&lane.contender),
            spec.request,
            spec.shape.first_alone,
            data,
            &peer.authority,
        );
        let unfit = |what: String| LabError::Unfit { what, cure: "see `velo show`".to_owned() };
        let target = Target {
            endpoints: vec![peer.address.into()],
            tls: peer.tls.clone(),
            sources: Vec::new(),
            plans: vec![plan.map_err(|error| unfit(error.to_string()))?],
            limits: limits([workload]),
            seed,
        };
        let target = rig.load_side.add(&target).map_err(|error| unfit(error.to_string()))?;
        let timeout = LONGEST_WAIT.max(rig.options.timeout);
        let halfway = turn.wait_ns.filter(|_| !spec.shape.first_alone).map(|ns| Duration::from_nanos(ns / 2));
        let mut saturation = BurstSaturation::default();
        let (clock, host) = (Rc::clone(&rig.context.clock), Rc::clone(&rig.host));
        let loaded = self.loaded(rig, &window_spec, |load_side, _, stop| {
            clock.sleep(WAKING);
            let network = host.network();
            saturation.memory_before_bytes = memory_bytes();
            let (report, memory_waiting_bytes) = meanwhile(
                || load(load_side, target, &spec, timeout, stop),
                halfway.map(|after| (after, memory_bytes)),
            );
            let network = host.network().since(network);
            saturation.memory_waiting_bytes = memory_waiting_bytes.flatten();
            saturation.listen_overflows = network.listen_overflows;
            saturation.syn_retransmits = network.syn_retransmits;
            load_side.remove(target);
            clock.sleep(CLOSING);
            report
        })?;
        let Some(mut loaded) = loaded else { return Ok(None) };
        // Its last answer is its end.
        loaded.report.duration_ns += std::mem::take(&mut loaded.report.drain_ns);
        loaded.saturation = saturation;
        self.keep(rig, &window_spec, loaded)
    }
}

/// The bursts of a launch.
struct Bursts<'l> {
    launches: &'l mut Launches,
    /// Contenders that have left requests without an answer. They may still work on what nobody waits for, which the next burst would
    /// measure, so there is none for them in this launch.
    spent: BTreeSet<usize>,
}

impl Plan for Bursts<'_> {
    type Turn = BurstTurn;
    type Ready = ();

    fn begin(&mut self, rig: &mut Rig<'_>, turns: &[Self::Turn], number: usize) -> Begun<()> {
        let turn = turns[number];
        let lane = &self.launches.lanes[turn.place.lane];
        if lane.life.is_none() || self.spent.contains(&turn.place.lane) {
            return Ok(None);
        }
        if turn.position == 1 {
            rig.begin_block()?;
        }
        rig.sampler.begin_block();
        let event = Event::Turn {
            kind: "bursts",
            workload: rig.file.workloads[turn.place.workload].name.clone(),
            contender: lane.contender.name.clone(),
            under: turn.spec.shape.condition(),
            done: number as u64,
            of: turns.len() as u64,
            left: Duration::from_nanos(self.launches.expected_ns(turns[number..].iter().copied())),
        };
        Ok(Some((event, ())))
    }

    fn measure(&mut self, rig: &mut Rig<'_>, turn: &BurstTurn, (): ()) -> Result<(), LabError> {
        let Some(window) = self.launches.burst(rig, turn)? else { return Ok(()) };
        if window.all().timeout > 0 {
            self.spent.insert(turn.place.lane);
        }
        let shows = window.all().failed() == 0 && !turn.spec.shape.first_alone;
        if let Some(wait_ns) = turn.wait_ns.filter(|_| shows) {
            self.launches.lanes[turn.place.lane].tracks[turn.place.track].at_a_time =
                turn.spec.at_a_time(wait_ns, window.duration_ns);
        }
        Ok(())
    }
}

/// Does one thing, and the other so long after it began, unless it has ended by then.
fn meanwhile<A, B: Send>(
    work: impl FnOnce() -> A,
    look: Option<(Duration, impl FnOnce() -> B + Send)>,
) -> (A, Option<B>) {
    let Some((after, look)) = look else { return (work(), None) };
    let (ended, waits) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let looking = scope.spawn(move || match waits.recv_timeout(after) {
            Err(RecvTimeoutError::Timeout) => Some(look()),
            Ok(()) | Err(RecvTimeoutError::Disconnected) => None,
        });
        let done = work();
        drop(ended);
        (done, looking.join().unwrap_or_default())
    })
}

/// Sends the requests of a burst and waits for all answers.
fn load(
    load_side: &mut dyn LoadSide,
    target: TargetNumber,
    spec: &BurstSpec,
    timeout: Duration,
    stop: &Arc<AtomicBool>,
) -> Result<WindowReport, GeneratorError> {
    let timeout_ns = timeout.as_nanos() as u64;
    let mut part = |requests: u32, connections: u32| {
        let settings = WindowSettings {
            most_requests: Some(u64::from(requests)),
            requests_per_connection: spec.shape.first_alone.then_some(1),
            connect: Connect::OnDemand,
            is_burst: true,
            ..WindowSettings::closed_loop(connections, LONGEST_SENDING.as_nanos() as u64, timeout_ns)
        };
        load_side.window(target, &settings, None, stop)
    };
    if !spec.shape.first_alone {
        return part(spec.shape.requests, spec.shape.connections);
    }
    // As `ab -n N -c C` does it by what it asks of the kernel: the first request is answered before the second connection is
    // opened, and each request has a connection of its own.
    let first = part(1, 1)?;
    let others = spec.shape.requests.saturating_sub(1);
    if others == 0 || first.interrupted {
        return Ok(first);
    }
    Ok(joined(first, part(others, spec.shape.connections.min(others))?))
}

/// Two parts of one burst as one report.
fn joined(first: WindowReport, second: WindowReport) -> WindowReport {
    let sum = |mut some: Vec<u64>, more: Vec<u64>| {
        some.resize(some.len().max(more.len()), 0);
        some.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        some
    };
    let mut tally = first.tally;
    let mut later = second.tally;
    let later_by_ns = first.duration_ns + first.drain_ns;
    later.response_time = later.response_time.later_by(later_by_ns);
    for span in &mut later.spans {
        span.sent_ns += later_by_ns;
        span.done_ns += later_by_ns;
    }
    tally.merge(&later);
    tally.established = later.established;
    WindowReport {
        tally,
        asked: second.asked,
        settling_ns: 0,
        scheduled_ns: None,
        duration_ns: first.duration_ns + second.duration_ns,
        drain_ns: first.drain_ns + second.drain_ns,
        interrupted: first.interrupted || second.interrupted,
        driver: second.driver,
        thread_cpu_ns: sum(first.thread_cpu_ns, second.thread_cpu_ns),
        thread_cpu_total_ns: sum(first.thread_cpu_total_ns, second.thread_cpu_total_ns),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use velo_load::{EdgeHook, Tally};

    use velo_record::BurstShape;

    use super::*;

    /// A window that was asked for: its requests, connections and requests of a connection.
    type Asked = (Option<u64>, u32, Option<u32>);

    /// Answers with what it was given; without that it is gone.
    struct Scripted {
        reports: VecDeque<WindowReport>,
        asked: Vec<Asked>,
    }

    impl LoadSide for Scripted {
        fn add(&mut self, _: &Target) -> Result<TargetNumber, GeneratorError> {
            Ok(TargetNumber(0))
        }

        fn remove(&mut self, _: TargetNumber) {}

        fn window(
            &mut self,
            _: TargetNumber,
            settings: &WindowSettings,
            _: Option<&EdgeHook>,
            _: &Arc<AtomicBool>,
        ) -> Result<WindowReport, GeneratorError> {
            self.asked.push((settings.most_requests, settings.connections, settings.requests_per_connection));
            self.reports.pop_front().ok_or(GeneratorError::Gone)
        }
    }

    fn report(duration_ns: u64, correct: u64, interrupted: bool) -> WindowReport {
        let mut tally = Tally { established: correct as u32, ..Tally::default() };
        tally.outcomes.correct = correct;
        WindowReport {
            tally,
            asked: correct as u32,
            settling_ns: 0,
            duration_ns,
            scheduled_ns: None,
            drain_ns: 10,
            interrupted,
            driver: "fake",
            thread_cpu_ns: vec![1],
            thread_cpu_total_ns: vec![2],
        }
    }

    /// What a burst asks of the load side, and what comes of these reports.
    fn send(
        (requests, connections, first_alone): (u32, u32, bool),
        reports: impl IntoIterator<Item = WindowReport>,
    ) -> (Vec<Asked>, Result<WindowReport, GeneratorError>) {
        let mut side = Scripted { reports: reports.into_iter().collect(), asked: Vec::new() };
        let spec =
            BurstSpec { request: 0, shape: BurstShape { sweep: false, requests, connections, first_alone } };
        let stop = Arc::new(AtomicBool::new(false));
        let result = load(&mut side, TargetNumber(0), &spec, Duration::from_secs(1), &stop);
        (side.asked, result)
    }

    #[test]
    fn a_burst_is_one_window() {
        let (asked, result) = send((100, 20, false), [report(500, 100, false)]);
        assert_eq!(asked, [(Some(100), 20, None)]);
        assert_eq!(result.expect("a report").tally.outcomes.correct, 100);
    }

    #[test]
    fn the_first_request_is_answered_before_the_others_are_sent() {
        let reports = [report(500, 1, false), report(700, 9, false)];
        let (asked, result) = send((10, 20, true), reports);
        assert_eq!(asked, [(Some(1), 1, Some(1)), (Some(9), 9, Some(1))]);
        let whole = result.expect("a report");
        assert_eq!((whole.tally.outcomes.correct, whole.asked), (10, 9));
        assert_eq!((whole.duration_ns, whole.drain_ns), (1200, 20));
        assert_eq!((whole.thread_cpu_ns, whole.thread_cpu_total_ns), (vec![2], vec![4]));
        let (asked, _) = send((1, 20, true), [report(500, 1, false)]);
        assert_eq!(asked.len(), 1, "there are no others");
    }

    #[test]
    fn a_burst_that_is_asked_to_end_sends_no_more() {
        let (asked, result) = send((10, 20, true), [report(300, 0, true)]);
        assert_eq!(asked.len(), 1);
        assert!(result.expect("a report").interrupted);
        let (asked, result) = send((10, 20, true), [report(300, 1, false), report(400, 2, true)]);
        assert_eq!(asked.len(), 2);
        assert!(result.expect("a report").interrupted);
    }

    #[test]
    fn a_load_side_that_is_gone_is_an_error_of_the_burst() {
        assert!(matches!(send((10, 20, false), []).1, Err(GeneratorError::Gone)));
        assert!(matches!(send((10, 20, true), [report(300, 1, false)]).1, Err(GeneratorError::Gone)));
    }

    #[test]
    fn what_is_looked_at_halfway_is_not_when_it_ended_before() {
        let slow = || thread::sleep(Duration::from_millis(200));
        assert_eq!(meanwhile(slow, Some((Duration::from_millis(1), || 7))).1, Some(7));
        assert_eq!(meanwhile(|| (), Some((Duration::from_secs(3600), || 7))).1, None);
        assert_eq!(meanwhile(|| 3, None::<(Duration, fn() -> u8)>), (3, None));
    }
}
