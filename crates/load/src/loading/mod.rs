//! A window under way on one worker: the loop, and what it does with each connection.

mod answers;
mod opening;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::connection::{Connection, InFlight, State};
use crate::driver::{Driver, Event};
use crate::generator::{Edge, EdgeHook};
use crate::pace::Pace;
use crate::recorder::{Failure, Recorder};
use crate::schedule::WhenFull;
use crate::worker::{Known, WindowOrder, WorkerReport};

pub(crate) struct Loading<'a, D> {
    driver: &'a mut D,
    connections: &'a mut [Connection],
    known: &'a mut Known,
    order: &'a WindowOrder,
    recorder: Recorder,
    pace: Pace,
    phase: Phase,
    /// Connections that can take a request of an open loop, the one that rests longest first.
    free: VecDeque<u32>,
    /// Requests that wait for their connection to open.
    assigned: usize,
    /// Requests that may still be started.
    left: u64,
    settled_ns: u64,
    end_ns: u64,
    /// A rendered request on its way to the driver, or those of a pipeline together.
    outgoing: Vec<u8>,
    gathered: Vec<u8>,
    /// Encrypted bytes on their way to the driver, and decrypted ones on theirs from it.
    sealed: Vec<u8>,
    plain: Vec<u8>,
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
/// How often clocks are looked at: timeouts, the wish to stop. Seldom, because a wait that ends before the kernel's own next tick costs
/// a programmed timer.
const SCAN_NS: u64 = 50_000_000;
/// The same while some connection is between two states.
const SHORT_SCAN_NS: u64 = 1_000_000;
/// A server that is to close has this long to do it, then it is done for it.
const CLOSING_NS: u64 = 100_000_000;
/// How long after the window requests that were due in it are still started.
const LATE_START_NS: u64 = 500_000_000;
/// Requests that were never started are counted one by one up to here, then by what the schedule expects.
const MOST_COUNTED: u64 = 2_000_000;

impl<'a, D: Driver> Loading<'a, D> {
    pub(crate) fn new(
        driver: &'a mut D,
        connections: &'a mut [Connection],
        known: &'a mut Known,
        order: &'a WindowOrder,
    ) -> Self {
        let requests = known.plans[order.plan].mix.names().count();
        // The schedule begins when the connections are there.
        let pace = Pace::new(&order.schedule, u64::MAX, order.worker, order.workers, known.seed);
        Self {
            driver,
            connections,
            known,
            order,
            recorder: Recorder::new(requests),
            pace,
            phase: Phase::Opening,
            free: VecDeque::with_capacity(order.connections),
            assigned: 0,
            left: order.most_requests,
            settled_ns: u64::MAX,
            end_ns: u64::MAX,
            outgoing: Vec::new(),
            gathered: Vec::new(),
            sealed: Vec::new(),
            plain: Vec::new(),
        }
    }

    pub(crate) fn run(mut self, hook: Option<&EdgeHook>, stop: &AtomicBool) -> WorkerReport {
        self.take_over();
        self.open_all(stop);
        let start_ns = self.driver.now_ns();
        let cpu_start_ns = thread_cpu_ns();
        self.settled_ns = start_ns + self.order.settling_ns;
        self.end_ns = self.settled_ns.saturating_add(self.order.duration_ns);
        let (worker, workers) = (self.order.worker, self.order.workers);
        self.pace = Pace::new(&self.order.schedule, start_ns, worker, workers, self.known.seed);
        self.recorder.begin(self.settled_ns, self.end_ns, self.pace.is_open());
        self.phase = Phase::Loading;
        for index in 0..self.order.connections {
            self.begin(index, start_ns);
        }

        let mut edges = Edges { next: 0, cpu_ns: [cpu_start_ns; 2] };
        let (mut next_scan_ns, mut asked, mut interrupted) = (start_ns, 0, false);
        let mut now = start_ns;
        loop {
            edges.pass(&[self.settled_ns, self.end_ns], now, hook);
            let give_up_ns = self.end_ns.saturating_add(self.order.drain_limit_ns);
            if now >= next_scan_ns || now >= give_up_ns {
                interrupted = stop.load(Ordering::Relaxed);
                self.show(&mut asked);
                let restless = self.look_at_clocks(now);
                next_scan_ns = now + if restless { SHORT_SCAN_NS } else { SCAN_NS };
            }
            if self.phase == Phase::Loading && (self.is_over(now) || interrupted) {
                self.stop_sending(now, interrupted);
            }
            self.start_what_is_due(now);
            if self.phase == Phase::Loading && self.is_done() {
                // Everything that was asked for is answered.
                self.stop_sending(now, true);
            }
            let give_up_ns = self.end_ns.saturating_add(self.order.drain_limit_ns);
            if self.phase == Phase::Draining && (self.is_quiet() || interrupted || now >= give_up_ns) {
                break;
            }
            let edge_ns = edges.next_ns(&[self.settled_ns, self.end_ns]).unwrap_or(give_up_ns);
            let until_ns =
                if self.order.busy_poll { 0 } else { next_scan_ns.min(edge_ns).min(self.next_due_ns()) };
            if self.driver.wait(until_ns).is_err() {
                interrupted = true;
            }
            while let Some(event) = self.driver.next() {
                self.happened(event);
            }
            now = self.driver.now_ns();
        }
        edges.pass(&[self.settled_ns, self.end_ns], u64::MAX, hook);
        self.finish(&edges, cpu_start_ns, interrupted)
    }

    /// What was in flight when the last window ended is still.
    fn take_over(&mut self) {
        let now = self.driver.now_ns();
        for connection in &mut *self.connections {
            connection.fresh = true;
            connection.turn = 0;
            connection.listed = false;
            connection.thinking = 0;
            for request in &mut connection.in_flight {
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

    fn is_done(&self) -> bool {
        (self.left == 0 || self.pace.is_over()) && self.is_quiet()
    }

    fn is_quiet(&self) -> bool {
        self.recorder.in_flight() == 0 && self.assigned == 0
    }

    /// Copies the counts for those who look on, when they ask.
    fn show(&self, asked: &mut u64) {
        if let Some(live) = &self.order.live
            && live.asked() != *asked
        {
            *asked = live.asked();
            let mut tally = self.recorder.so_far();
            tally.established = self.established();
            live.leave(self.order.worker, tally);
        }
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
                self.recorder.dropped_unseen(self.pace.expected_until(self.end_ns));
                break;
            }
            counted += 1;
            self.left -= 1;
            self.recorder.due(due_ns);
            self.recorder.dropped(due_ns);
            self.pace.advance();
        }
    }

    /// When the loop has to look again because of the schedule.
    fn next_due_ns(&self) -> u64 {
        let can_start = self.phase == Phase::Loading
            && self.left > 0
            && (!self.pace.is_open() || !self.free.is_empty() || self.order.when_full == WhenFull::Drop);
        if can_start { self.pace.next_ns().unwrap_or(u64::MAX) } else { u64::MAX }
    }

    fn start_what_is_due(&mut self, now: u64) {
        if self.phase != Phase::Loading {
            return;
        }
        while let Some((index, due_ns)) = self.pace.thought(now) {
            self.connections[index].thinking -= 1;
            self.start(index, due_ns, now);
            self.flush(index);
        }
        while self.left > 0
            && let Some(due_ns) = self.pace.due(now)
            && due_ns < self.end_ns
        {
            if let Some(index) = self.take_free() {
                self.recorder.due(due_ns);
                self.pace.advance();
                self.start(index, due_ns, self.driver.now_ns());
                self.flush(index);
                self.list(index);
            } else if self.order.when_full == WhenFull::Drop {
                self.recorder.due(due_ns);
                self.recorder.dropped(due_ns);
                self.left -= 1;
                self.pace.advance();
            } else {
                break;
            }
        }
    }

    fn take_free(&mut self) -> Option<usize> {
        loop {
            let index = self.free.pop_front()? as usize;
            self.connections[index].listed = false;
            if self.takes_more(index) {
                return Some(index);
            }
        }
    }

    fn list(&mut self, index: usize) {
        if self.pace.is_open() && !self.connections[index].listed && self.takes_more(index) {
            self.connections[index].listed = true;
            self.free.push_back(index as u32);
        }
    }

    /// Whether a connection can be given another request.
    fn takes_more(&self, index: usize) -> bool {
        let connection = &self.connections[index];
        let under_way = connection.under_way();
        let has_room = match connection.state {
            State::Open => connection.sent < self.order.requests_per_connection,
            State::Closed | State::Connecting { .. } | State::Handshaking { .. } => {
                (connection.assigned.len() as u64) < u64::from(self.order.requests_per_connection)
            }
            State::Waiting { .. } | State::Closing { .. } => false,
        };
        has_room && under_way < self.order.pipelining && index < self.order.connections
    }

    /// The first requests of a connection.
    fn begin(&mut self, index: usize, now: u64) {
        while !self.pace.is_open() && self.left > 0 && self.takes_more(index) {
            self.start(index, now, now);
        }
        self.flush(index);
        self.list(index);
    }

    /// A connection may have room: it gets what its schedule has for it.
    fn refill(&mut self, index: usize, now: u64) {
        if self.phase != Phase::Loading || self.is_over(now) {
            return;
        }
        if self.pace.is_open() {
            // A request that waits for a connection goes first.
            while self.left > 0
                && self.free.is_empty()
                && self.takes_more(index)
                && let Some(due_ns) = self.pace.due(now)
                && due_ns < self.end_ns
            {
                self.recorder.due(due_ns);
                self.pace.advance();
                self.start(index, due_ns, now);
            }
            self.flush(index);
            self.list(index);
            return;
        }
        // A pipeline is filled up when half of it is free: a request each time would cost as many calls as none.
        if self.connections[index].under_way() > self.order.pipelining / 2 {
            return;
        }
        while self.left > 0 && self.takes_more(index) {
            if self.pace.is_due(index, now) {
                self.start(index, now, now);
            } else {
                self.connections[index].thinking += 1;
            }
        }
        self.flush(index);
    }

    fn start(&mut self, index: usize, intended_ns: u64, now: u64) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        if self.connections[index].is_open() {
            return self.send(index, intended_ns, now);
        }
        self.connections[index].assigned.push_back(intended_ns);
        self.assigned += 1;
        if self.connections[index].state == State::Closed {
            self.connect(index, now);
        }
    }

    /// Sends what waited for this connection.
    fn send_assigned(&mut self, index: usize, now: u64) {
        while let Some(intended_ns) = self.connections[index].assigned.pop_front() {
            self.assigned -= 1;
            self.send(index, intended_ns, now);
        }
        self.flush(index);
    }

    fn send(&mut self, index: usize, intended_ns: u64, now: u64) {
        let connection = &mut self.connections[index];
        let plan = &mut self.known.plans[self.order.plan];
        let drawn = plan.mix.draw(&mut plan.drawer, connection.turn);
        connection.turn = connection.turn.wrapping_add(1);
        connection.sent += 1;
        let plan_index = self.order.plan as u32;
        connection.in_flight.push_back(InFlight {
            drawn,
            plan: plan_index,
            carried: false,
            intended_ns,
            sent_ns: now,
        });
        self.recorder.sent(intended_ns, now);
        if self.order.pipelining > 1 {
            plan.mix.append(&drawn, &mut self.gathered);
            return;
        }
        let bytes = plan.mix.bytes(&drawn, &mut self.outgoing);
        self.recorder.tally.sent_bytes +=
            hand_over(self.driver, &mut self.connections[index], index, bytes, &mut self.sealed);
    }

    /// Sends what was gathered for a connection.
    fn flush(&mut self, index: usize) {
        if self.gathered.is_empty() {
            return;
        }
        self.recorder.tally.sent_bytes +=
            hand_over(self.driver, &mut self.connections[index], index, &self.gathered, &mut self.sealed);
        self.gathered.clear();
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

    /// Ends what has waited too long, and tries again what has paused. Says whether something waits for a clock.
    fn look_at_clocks(&mut self, now: u64) -> bool {
        let mut restless = false;
        for index in 0..self.connections.len() {
            let waits_since = |since_ns: u64, limit_ns: u64| now.saturating_sub(since_ns) >= limit_ns;
            match self.connections[index].state {
                State::Open => {
                    if let Some(oldest) = self.connections[index].in_flight.front()
                        && waits_since(oldest.sent_ns, self.order.timeout_ns)
                    {
                        self.timed_out(index, now);
                    }
                }
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
                    if waits_since(since_ns, CLOSING_NS) {
                        self.close(index, true);
                        self.refill(index, now);
                    }
                }
                State::Closed => {}
            }
        }
        restless
    }

    fn timed_out(&mut self, index: usize, now: u64) {
        let begun = self.connections[index].reader.has_begun();
        self.recorder
            .example(|| format!("no {} in time", if begun { "whole answer" } else { "byte of an answer" }));
        self.fail_all(index, Failure::Timeout, now);
        self.close(index, true);
        self.refill(index, now);
    }

    /// All requests in flight on a connection fail alike.
    fn fail_all(&mut self, index: usize, failure: Failure, now: u64) {
        while let Some(request) = self.connections[index].in_flight.pop_front() {
            let name = self.request_of(&request);
            self.recorder.failed(failure, name, request.sent_ns, now);
        }
    }

    /// The place in the counts; `None` for a request of another plan, taken over from an earlier window.
    fn request_of(&self, request: &InFlight) -> Option<usize> {
        (request.plan as usize == self.order.plan).then_some(usize::from(request.drawn.request))
    }

    fn close(&mut self, index: usize, reset: bool) {
        self.driver.close(index, reset);
        self.connections[index].reset();
    }

    fn finish(mut self, edges: &Edges, cpu_start_ns: u64, interrupted: bool) -> WorkerReport {
        let done_ns = self.driver.now_ns();
        let established = self.established();
        let mut carried = 0;
        for index in 0..self.connections.len() {
            match self.connections[index].state {
                State::Connecting { .. } | State::Handshaking { .. } | State::Closing { .. } => {
                    self.close(index, false);
                }
                State::Waiting { .. } => self.connections[index].state = State::Closed,
                State::Open | State::Closed => {}
            }
            self.connections[index].assigned.clear();
            for request in &self.connections[index].in_flight {
                self.recorder.withdrawn(request.sent_ns, done_ns);
                carried += 1;
            }
        }
        let mut tally = self.recorder.finish(done_ns);
        tally.established = established;
        tally.carried = carried;
        tally.completions = self.connections[..self.order.connections]
            .iter_mut()
            .map(|connection| std::mem::take(&mut connection.completions))
            .collect();
        WorkerReport {
            tally,
            duration_ns: self.end_ns.saturating_sub(self.settled_ns),
            drain_ns: done_ns.saturating_sub(self.end_ns),
            cpu_ns: edges.cpu_ns[1].saturating_sub(edges.cpu_ns[0]),
            cpu_total_ns: thread_cpu_ns().saturating_sub(cpu_start_ns),
            interrupted,
            driver: D::NAME,
        }
    }
}

/// Gives bytes to the driver, encrypted where the connection is; says how many those were.
fn hand_over<D: Driver>(
    driver: &mut D,
    connection: &mut Connection,
    index: usize,
    bytes: &[u8],
    sealed: &mut Vec<u8>,
) -> u64 {
    let Some(tls) = &mut connection.tls else {
        driver.send(index, bytes);
        return bytes.len() as u64;
    };
    sealed.clear();
    // A session that cannot encrypt has ended, and its connection is told of as ended.
    if tls.send(bytes, sealed).is_err() {
        return 0;
    }
    driver.send(index, sealed);
    sealed.len() as u64
}

/// The window's edges, and this thread's CPU time at each.
struct Edges {
    next: usize,
    cpu_ns: [u64; 2],
}

impl Edges {
    fn pass(&mut self, times_ns: &[u64; 2], now: u64, hook: Option<&EdgeHook>) {
        while let Some(edge) = [Edge::WindowStart, Edge::WindowEnd].get(self.next)
            && now >= times_ns[self.next]
        {
            self.cpu_ns[self.next] = thread_cpu_ns();
            if let Some(hook) = hook {
                hook(*edge);
            }
            self.next += 1;
        }
    }

    fn next_ns(&self, times_ns: &[u64; 2]) -> Option<u64> {
        times_ns.get(self.next).copied()
    }
}

fn thread_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
