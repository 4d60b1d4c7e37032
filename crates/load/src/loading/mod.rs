//! A window under way on one worker: the loop, and what it does with each connection.

mod answers;
mod opening;
mod sending;
#[cfg(test)]
mod tests;
mod waking;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

use self::waking::Waking;
use crate::connection::{Connection, LastAnswer, State};
use crate::driver::{Driver, Event};
use crate::known::Known;
use crate::live::LiveMoment;
use crate::order::{Edge, EdgeHook, WindowOrder, WorkerReport};
use crate::pace::Pace;
use crate::protocol::{RequestId, Session};
use crate::recorder::{Failure, MOST_SPANS, Recorder};
use crate::schedule::{Schedule, WhenFull};

pub(crate) struct Loading<'a, D, S: Session> {
    driver: &'a mut D,
    connections: &'a mut [Connection<S>],
    known: &'a mut Known<S>,
    order: &'a WindowOrder,
    recorder: Recorder,
    pace: Pace,
    phase: Phase,
    /// Connections that can take a request of an open loop, the one that rests longest first.
    free: VecDeque<u32>,
    /// Of those that are opened on demand: the others that can take one, the lowest number first.
    unopened: BinaryHeap<Reverse<u32>>,
    /// Requests that wait for their connection to open.
    assigned: usize,
    /// Requests that may still be started; those of settling are not limited.
    left: u64,
    /// Wrong answers that came before any request: each stands for one that is due later and is not sent.
    owed: u64,
    is_settling: bool,
    /// From the window's start to when the request behind the last one would have been due, once an open loop has started that.
    scheduled_ns: Option<u64>,
    start_ns: u64,
    settled_ns: u64,
    end_ns: u64,
    /// Attempts to open a connection that failed since one was open, and when the first of them did.
    refused: (u32, u64),
    has_reached: bool,
    /// A rendered request on its way to the driver, or those of a pipeline together.
    outgoing: Vec<u8>,
    gathered: Vec<u8>,
    /// Encrypted bytes on their way to the driver, and decrypted ones on theirs from it.
    sealed: Vec<u8>,
    plain: Vec<u8>,
    waking: Waking,
    /// The kernel notes when answers come, and they come in one piece: they may lie unread for a while.
    patient: Patience,
}

/// Whether answers may lie unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// Not known yet.
    Unknown,
    Patient,
    /// A closed loop, or something came that is to be read as it comes, or whose time is only known so.
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Connections are made; nothing is asked.
    Opening,
    Loading,
    /// Nothing new is asked.
    Draining,
}

/// How long opening connections may take before the load begins without those that are missing.
const OPENING_NS: u64 = 1_000_000_000;
/// A server that closes a connection later than this after its last request does so because it was idle.
const IDLE_NS: u64 = 100_000_000;
/// How long answers may lie unread.
const PATIENCE_NS: u64 = 1_000_000;
/// How often clocks are looked at at least: timeouts, the wish to stop. Seldom, because a wait that ends before the kernel's own next tick
/// costs a programmed timer.
const SCAN_NS: u64 = 50_000_000;
/// The same while some connection is between two states.
const SHORT_SCAN_NS: u64 = 1_000_000;
/// A look at the sockets that tells of fewer events than this has told of all.
const EVENTS_A_LOOK: usize = 128;
/// A request whose time is over is given up so much later at most, and by what the thread takes to wake. The next of them is known
/// beforehand and looked at when its time is over, unless clocks were looked at a shorter while ago: each look is at all connections.
const TIMEOUT_GRAIN_NS: u64 = 5_000_000;
/// Fewer failed attempts to connect say nothing of a server.
const FEWEST_ATTEMPTS: u32 = 3;
/// A server that is to close has this long to do it, then it is done for it.
const CLOSING_NS: u64 = 100_000_000;
/// How long after the window requests that were due in it are still started.
const LATE_START_NS: u64 = 500_000_000;
/// Requests that were never started are counted one by one up to here, then by what the schedule expects.
const MOST_COUNTED: u64 = 2_000_000;

impl<'a, D: Driver, S: Session> Loading<'a, D, S> {
    pub(crate) fn new(
        driver: &'a mut D,
        connections: &'a mut [Connection<S>],
        known: &'a mut Known<S>,
        order: &'a WindowOrder,
    ) -> Self {
        let requests = known.plans[order.plan].mix.names().count();
        known.plans[order.plan].classifier.keeps_first = order.keeps_first_answer;
        // The schedule begins when the connections are there.
        let pace = Pace::new(&order.schedule, u64::MAX, order.worker, order.workers, known.seed);
        let is_open = pace.is_open();
        Self {
            driver,
            connections,
            known,
            order,
            recorder: Recorder::new(requests),
            pace,
            phase: Phase::Opening,
            free: VecDeque::with_capacity(order.connections),
            unopened: BinaryHeap::new(),
            assigned: 0,
            left: if order.settling_ns > 0 { u64::MAX } else { order.most_requests },
            is_settling: order.settling_ns > 0,
            scheduled_ns: None,
            owed: 0,
            start_ns: u64::MAX,
            settled_ns: u64::MAX,
            refused: (0, 0),
            has_reached: false,
            end_ns: u64::MAX,
            outgoing: Vec::new(),
            gathered: Vec::new(),
            sealed: Vec::new(),
            plain: Vec::new(),
            waking: Waking::default(),
            patient: if is_open { Patience::Unknown } else { Patience::Never },
        }
    }

    pub(crate) fn run(mut self, hook: Option<&EdgeHook>, stop: &AtomicBool) -> WorkerReport {
        // In a closed loop answers are waited for anyway.
        self.driver.note_arrivals(matches!(self.order.schedule, Schedule::Open(_)) && !self.order.busy_poll);
        self.take_over();
        self.open_all(stop);
        let start_ns = self.driver.now_ns();
        let cpu_start_ns = thread_cpu_ns();
        self.start_ns = start_ns;
        self.settled_ns = start_ns + self.order.settling_ns;
        self.end_ns = self.settled_ns.saturating_add(self.order.duration_ns);
        let (worker, workers) = (self.order.worker, self.order.workers);
        self.pace = Pace::new(&self.order.schedule, start_ns, worker, workers, self.known.seed);
        self.recorder.begin(self.settled_ns, self.end_ns, self.pace.is_open());
        if self.order.settling_ns == 0 {
            self.recorder.begin_at_once();
        }
        if self.order.is_burst && self.order.most_requests.saturating_mul(workers as u64) <= MOST_SPANS {
            self.recorder.keep_spans();
        }
        self.phase = Phase::Loading;
        for index in 0..self.order.connections {
            self.begin(index, start_ns);
        }

        let mut edges = Edges { next: 0, cpu_ns: [cpu_start_ns; 2] };
        let (mut next_scan_ns, mut asked, mut interrupted) = (start_ns, 0, false);
        let mut now = start_ns;
        loop {
            let began_ns = now;
            if edges.next_ns(&[self.settled_ns, self.end_ns]).is_some_and(|edge_ns| now >= edge_ns) {
                self.pass(&mut edges, now, hook);
            }
            if now >= next_scan_ns || now >= self.give_up_ns() {
                self.read_what_came(now);
                interrupted = stop.load(Ordering::Relaxed);
                self.show(&mut asked, now);
                if self.is_dead(now) {
                    self.recorder.tally.gave_up = true;
                    self.stop_sending(now, true);
                }
                next_scan_ns = self.look_at_clocks(now);
                now = self.driver.now_ns();
            }
            if self.phase == Phase::Loading && (self.is_over(now) || interrupted) {
                self.stop_sending(now, interrupted);
            }
            self.start_what_is_due(now);
            if self.phase == Phase::Loading && self.is_done() {
                // Everything that was asked for is answered. A schedule takes its time also when nothing more is due in it.
                self.last_was_due();
                self.stop_sending(now, !self.pace.is_open());
            }
            if self.phase == Phase::Draining && (self.is_quiet() || interrupted || now >= self.give_up_ns()) {
                break;
            }
            let edge_ns = edges.next_ns(&[self.settled_ns, self.end_ns]).unwrap_or(self.give_up_ns());
            let until_ns = next_scan_ns.min(edge_ns);
            if self.wait(now, until_ns).is_err() {
                interrupted = true;
            }
            while let Some(event) = self.driver.next() {
                self.happened(event);
            }
            now = self.driver.now_ns();
            let late_ns = now.saturating_sub(until_ns.max(began_ns));
            self.recorder.tally.longest_pause_ns = self.recorder.tally.longest_pause_ns.max(late_ns);
        }
        self.pass(&mut edges, u64::MAX, hook);
        self.finish(&edges, cpu_start_ns, interrupted)
    }

    /// Notes the window's edges that are over.
    #[cold]
    fn pass(&mut self, edges: &mut Edges, now: u64, hook: Option<&EdgeHook>) {
        while let Some(edge) = edges.pass(&[self.settled_ns, self.end_ns], now) {
            match edge {
                Edge::WindowStart if self.order.settling_ns > 0 => self.recorder.settled(),
                Edge::WindowStart => {}
                Edge::WindowEnd => self.recorder.ended(),
            }
            if let Some(hook) = hook {
                hook(edge);
            }
        }
    }

    fn give_up_ns(&self) -> u64 {
        self.end_ns.saturating_add(self.order.drain_limit_ns)
    }

    /// Waits for what happens, for what is due, or until then.
    fn wait(&mut self, now: u64, until_ns: u64) -> std::io::Result<()> {
        if self.order.busy_poll {
            return self.driver.wait(0);
        }
        let due_ns = self.next_due_ns();
        if due_ns >= until_ns || self.patient != Patience::Patient || self.assigned > 0 {
            return self.driver.wait(until_ns.min(due_ns));
        }
        if due_ns > now + PATIENCE_NS {
            return self.driver.wait(due_ns - PATIENCE_NS);
        }
        // What comes meanwhile waits for the next request: waking for it would cost more than all else.
        let wake_ns = self.waking.before(due_ns);
        let awake_ns = if wake_ns > now {
            if !self.driver.sleep(wake_ns)? {
                return self.driver.wait(due_ns);
            }
            self.driver.now_ns()
        } else {
            now
        };
        self.driver.spin(due_ns);
        self.waking.spun(due_ns.saturating_sub(awake_ns), due_ns);
        // Where none is free one may be after a look at the sockets, so that no other is opened.
        if self.order.when_full == WhenFull::Queue && !self.free.is_empty() {
            self.start_what_is_due(self.driver.now_ns());
        }
        self.driver.wait(0)
    }

    /// Reads all that had come by now, so that clocks are not held against an answer that is there: this thread may have been stopped
    /// since it looked at the sockets last, or its wait may have been cut short.
    fn read_what_came(&mut self, now: u64) {
        for _ in 0..=self.connections.len() / EVENTS_A_LOOK {
            if self.look(now) < EVENTS_A_LOOK {
                return;
            }
        }
    }

    /// What was in flight when the last window ended is still.
    fn take_over(&mut self) {
        let now = self.driver.now_ns();
        for connection in &mut *self.connections {
            connection.answered.fresh = true;
            connection.answered.last = LastAnswer::None;
            connection.turn = 0;
            connection.listed = false;
            connection.thinking = 0;
            for request in connection.in_flight.iter_mut() {
                (request.intended_ns, request.sent_ns, request.carried) = (now, now, true);
                self.recorder.took_over(now);
            }
        }
    }

    /// Nothing more is to be started. What was due in the window and waits for a connection is still sent for a while, so
    /// that a stall just before the end is counted like any other.
    fn is_over(&self, now: u64) -> bool {
        now >= self.end_ns
            && (now >= self.end_ns.saturating_add(LATE_START_NS)
                || self.order.when_full == WhenFull::Drop
                || self.pace.due(self.end_ns - 1).is_none())
    }

    /// A request is due: with the first one of the window, however late it is looked at, the number of its requests begins to count.
    #[inline]
    pub(super) fn note_settled(&mut self, due_ns: u64) {
        if self.is_settling && due_ns >= self.settled_ns {
            self.limit_requests();
        }
    }

    /// From here on requests are the window's. Of a closed loop those in flight will be, too, as those are that have ended
    /// meanwhile.
    #[cold]
    fn limit_requests(&mut self) {
        self.is_settling = false;
        let started = if self.pace.is_open() {
            0
        } else {
            self.recorder.tally.outcomes.requests() + self.recorder.in_flight() + self.assigned as u64
        };
        self.left = self.order.most_requests.saturating_sub(started);
    }

    /// The last request of an open loop has been due: its window ends when the next one would be, so that its rate is that of the
    /// schedule, and not before all were started.
    #[cold]
    fn last_was_due(&mut self) {
        if let Some(next_ns) = self.pace.next_ns()
            && self.left == 0
            && self.pace.is_open()
            && self.scheduled_ns.is_none()
        {
            self.scheduled_ns = Some(next_ns.saturating_sub(self.settled_ns));
            // What has been counted until now stays within the window.
            self.end_ns = self.end_ns.min(next_ns.max(self.driver.now_ns()));
            self.recorder.cut(self.end_ns);
        }
    }

    fn is_done(&self) -> bool {
        (self.left == 0 || self.pace.is_over()) && self.is_quiet()
    }

    fn is_quiet(&self) -> bool {
        self.recorder.in_flight() == 0 && self.assigned == 0
    }

    /// Copies the counts for those who look on, when they ask.
    fn show(&self, asked: &mut u64, now: u64) {
        if let Some(live) = &self.order.live
            && live.asked() != *asked
        {
            *asked = live.asked();
            let mut tally = self.recorder.so_far();
            tally.established = self.established();
            live.leave(self.order.worker, *asked, self.moment(now, false), tally);
        }
    }

    fn moment(&self, at_ns: u64, has_ended: bool) -> LiveMoment {
        let in_flight = self.recorder.in_flight();
        LiveMoment { start_ns: self.start_ns, at_ns, in_flight, has_ended, ..LiveMoment::default() }
    }

    /// Whether nothing can be reached any more, and it is time to give up.
    fn is_dead(&self, now: u64) -> bool {
        let (attempts, since_ns) = self.refused;
        let give_up_ns = if self.order.reached.load(Ordering::Relaxed) {
            self.order.give_up_ns
        } else {
            self.order.give_up_ns.min(self.order.give_up_unreached_ns)
        };
        self.phase == Phase::Loading
            && attempts >= FEWEST_ATTEMPTS
            && now.saturating_sub(since_ns) >= give_up_ns
            && !self.connections.iter().any(Connection::is_open)
    }

    fn established(&self) -> u32 {
        let active = &self.connections[..self.order.connections];
        active.iter().filter(|connection| connection.is_open()).count() as u32
    }

    /// The window is over: what was due and has not been started will not be.
    fn stop_sending(&mut self, now: u64, early: bool) {
        self.phase = Phase::Draining;
        if early {
            self.end_ns = now.max(self.settled_ns.min(self.end_ns));
            self.recorder.cut(self.end_ns);
        }
        let mut counted = 0;
        while self.left > 0
            && let Some(due_ns) = self.pace.due(self.end_ns.saturating_sub(1))
        {
            if counted == MOST_COUNTED {
                self.recorder.dropped_unseen(self.pace.expected_until(self.end_ns).min(self.left));
                break;
            }
            counted += 1;
            self.note_settled(due_ns);
            self.left = self.left.saturating_sub(1);
            self.recorder.due(due_ns);
            self.recorder.dropped(due_ns);
            self.pace.advance();
        }
    }

    fn happened(&mut self, event: Event) {
        let now = self.driver.now_ns();
        match event {
            Event::Received(index, chunk) => self.received(index, chunk, now),
            Event::Quiet(index) => self.refill(index, now),
            Event::Connected(index) => self.connected(index, now),
            Event::Failed(index, error) => self.not_connected(index, error, now),
            Event::Ended(index) => self.ended(index, now),
        }
    }

    /// Ends what has waited too long, and tries again what has paused. Says when to do that again.
    fn look_at_clocks(&mut self, now: u64) -> u64 {
        // What is sent from now on has all of its time, so that none of it is over before.
        let mut next_ns = now.saturating_add(SCAN_NS.min(self.order.timeout_ns));
        let mut restless = false;
        for index in 0..self.connections.len() {
            let waits_since = |since_ns: u64, limit_ns: u64| now.saturating_sub(since_ns) >= limit_ns;
            match self.connections[index].state {
                State::Open => next_ns = next_ns.min(self.time_out(index, now)),
                State::Connecting { since_ns } => {
                    restless = true;
                    if waits_since(since_ns, self.order.timeout_ns) {
                        self.driver.close(index, true);
                        self.given_up(index, "no answer in time", now);
                    }
                }
                State::Handshaking { since_ns } => {
                    restless = true;
                    if waits_since(since_ns, self.order.timeout_ns) {
                        self.no_agreement(index, "no TLS handshake in time", now);
                    }
                }
                State::Waiting { until_ns } => {
                    restless = true;
                    if now >= until_ns {
                        self.connections[index].state = State::Closed;
                        self.refill(index, now);
                    }
                }
                State::Closing { since_ns } => {
                    restless = true;
                    if !self.connections[index].in_flight.is_empty() {
                        self.time_out(index, now);
                    } else if waits_since(since_ns, CLOSING_NS) {
                        self.close(index, true);
                        self.go_on(index, now);
                    }
                }
                State::Closed => {}
            }
        }
        if restless { now + SHORT_SCAN_NS } else { next_ns.max(now + TIMEOUT_GRAIN_NS) }
    }

    /// Gives up the requests that have waited too long, and the connection where it cannot go on without one of them. Says when
    /// the next one will have.
    fn time_out(&mut self, index: usize, now: u64) -> u64 {
        let mut next_ns = u64::MAX;
        let mut has_room = false;
        while let Some(oldest) = self.connections[index].session.oldest()
            && let Some(request) = self.connections[index].in_flight.get(oldest)
        {
            next_ns = request.sent_ns.saturating_add(self.order.timeout_ns);
            if now < next_ns {
                break;
            }
            next_ns = u64::MAX;
            let connection = &mut self.connections[index];
            let begun = connection.session.has_begun(oldest);
            self.recorder.example(|| {
                format!("no {} in time", if begun { "whole answer" } else { "byte of an answer" })
            });
            has_room = connection.session.cancel(oldest, &mut self.gathered);
            if !has_room {
                self.fail_all(index, Failure::Timeout, now);
                self.close(index, true);
                self.refill(index, now);
                return next_ns;
            }
            self.fail(index, oldest, Failure::Timeout, now);
        }
        if has_room {
            self.flush(index);
            self.refill(index, now);
        }
        next_ns
    }

    /// The connection is of no use any more: what is in flight on it fails alike.
    fn fail_all(&mut self, index: usize, failure: Failure, now: u64) {
        while let Some(id) = self.connections[index].session.forget_oldest() {
            self.fail(index, id, failure, now);
        }
    }

    fn fail(&mut self, index: usize, id: RequestId, failure: Failure, now: u64) {
        let (recorder, plan) = (&mut self.recorder, self.order.plan);
        self.connections[index].answered.quiet_since_ns = now;
        self.connections[index].in_flight.end(id, |request, _| {
            recorder.failed(failure, &request.failed(request.name_in(plan), now, None));
        });
    }

    fn close(&mut self, index: usize, reset: bool) {
        self.driver.close(index, reset);
        self.connections[index].reset();
    }

    fn finish(mut self, edges: &Edges, cpu_start_ns: u64, interrupted: bool) -> WorkerReport {
        let done_ns = self.driver.now_ns();
        let established = self.established();
        let announced = |connection: &&Connection<S>| connection.was_announced && !connection.is_open();
        let active = &self.connections[..self.order.connections];
        let closed_as_announced = active.iter().filter(announced).count() as u32;
        let mut carried = 0;
        for index in 0..self.connections.len() {
            match self.connections[index].state {
                State::Connecting { .. } | State::Handshaking { .. } => self.close(index, false),
                State::Closing { .. } if self.connections[index].in_flight.is_empty() => {
                    self.close(index, false);
                }
                State::Waiting { .. } => self.connections[index].state = State::Closed,
                State::Open | State::Closing { .. } | State::Closed => {}
            }
            self.connections[index].assigned.clear();
            for request in self.connections[index].in_flight.iter_mut() {
                self.recorder.withdrawn(request.sent_ns, done_ns);
                carried += 1;
            }
        }
        let last = self.moment(done_ns, true);
        let mut tally = self.recorder.finish(done_ns);
        tally.established = established;
        tally.closed_as_announced = closed_as_announced;
        tally.carried = carried;
        tally.first_answer = self.known.plans[self.order.plan].classifier.first.take();
        tally.fewest_streams = S::fewest_streams(&self.known.shared);
        tally.completions = self.connections[..self.order.connections]
            .iter_mut()
            .map(|connection| std::mem::take(&mut connection.answered.completions))
            .collect();
        if let Some(live) = &self.order.live {
            live.leave(self.order.worker, live.asked(), last, tally.clone());
        }
        WorkerReport {
            tally,
            duration_ns: self.end_ns.saturating_sub(self.settled_ns),
            scheduled_ns: self.scheduled_ns,
            drain_ns: done_ns.saturating_sub(self.end_ns),
            cpu_ns: edges.cpu_ns[1].saturating_sub(edges.cpu_ns[0]),
            cpu_total_ns: thread_cpu_ns().saturating_sub(cpu_start_ns),
            interrupted,
            driver: D::NAME,
        }
    }
}

/// The window's edges, and this thread's CPU time at each.
struct Edges {
    next: usize,
    cpu_ns: [u64; 2],
}

impl Edges {
    /// The next edge, when it is over.
    fn pass(&mut self, times_ns: &[u64; 2], now: u64) -> Option<Edge> {
        let edge = *[Edge::WindowStart, Edge::WindowEnd].get(self.next)?;
        (now >= times_ns[self.next]).then(|| {
            self.cpu_ns[self.next] = thread_cpu_ns();
            self.next += 1;
            edge
        })
    }

    fn next_ns(&self, times_ns: &[u64; 2]) -> Option<u64> {
        times_ns.get(self.next).copied()
    }
}

fn thread_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
