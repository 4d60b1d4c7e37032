//! One thread: its connections to each target, and the loop that loads one of them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{self, RecvFlags};

use crate::check::{BodyChecker, Seen, Toss};
use crate::connection::{Connection, State};
use crate::driver::Poller;
use crate::generator::{Edge, EdgeHook};
use crate::mix::{Drawn, Mix};
use crate::protocol::http1::{Answer, AtEnd, Head, HeadCache, Limits};
use crate::recorder::{Failure, Recorder, Tally};
use crate::request::BodyExpect;
use crate::rng::Rng;
use crate::target::{Endpoint, Target};

/// What one worker knows of a target.
pub(crate) struct WorkerTarget {
    address: SocketAddr,
    limits: Limits,
    poller: Poller,
    connections: Vec<Connection>,
    plans: Vec<WorkerPlan>,
    heads: HeadCache,
    rng: Rng,
}

struct WorkerPlan {
    mix: Arc<Mix>,
    checker: Arc<dyn BodyChecker>,
    seen: Vec<Vec<Seen>>,
}

/// Times on the clock of [`now_ns`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowOrder {
    pub(crate) plan: usize,
    pub(crate) connections: usize,
    pub(crate) settling_ns: u64,
    pub(crate) duration_ns: u64,
    pub(crate) drain_limit_ns: u64,
    pub(crate) timeout_ns: u64,
}

pub(crate) struct WorkerReport {
    pub(crate) tally: Tally,
    pub(crate) drain_ns: u64,
    pub(crate) cpu_ns: u64,
    pub(crate) cpu_total_ns: u64,
    pub(crate) duration_ns: u64,
    /// Asked to end before its time.
    pub(crate) stopped: bool,
}

/// How long opening connections may take before the load begins without those that are missing.
const OPENING_NS: u64 = 1_000_000_000;
const RECEIVE_BYTES: usize = 64 * 1024;

pub(crate) fn now_ns() -> u64 {
    to_ns(rustix::time::clock_gettime(rustix::time::ClockId::Monotonic))
}

fn thread_cpu_ns() -> u64 {
    to_ns(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime))
}

fn to_ns(time: rustix::time::Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl WorkerTarget {
    pub(crate) fn new(target: Target) -> std::io::Result<Self> {
        let plans = target
            .plans
            .into_iter()
            .map(|(mix, checker)| {
                let seen = mix
                    .requests
                    .iter()
                    .map(|request| request.variants.iter().map(|_| Seen::default()).collect())
                    .collect();
                WorkerPlan { mix, checker, seen }
            })
            .collect();
        Ok(Self {
            address: match target.endpoints.first() {
                Some(Endpoint::Tcp(address)) => *address,
                _ => return Err(std::io::ErrorKind::Unsupported.into()),
            },
            limits: target.limits,
            poller: Poller::new()?,
            connections: Vec::new(),
            plans,
            heads: HeadCache::default(),
            rng: Rng::new(target.seed),
        })
    }

    pub(crate) fn has_plan(&self, plan: usize) -> bool {
        plan < self.plans.len()
    }

    /// Loads the target for one window.
    pub(crate) fn window(
        &mut self,
        order: &WindowOrder,
        hook: Option<&EdgeHook>,
        stop: &AtomicBool,
        buffer: &mut [u8; RECEIVE_BYTES],
        scratch: &mut Vec<u8>,
    ) -> WorkerReport {
        self.connections.resize_with(self.connections.len().max(order.connections), Connection::default);
        let requests = self.plans[order.plan].mix.requests.len();
        let mut loading = Loading {
            address: self.address,
            limits: &self.limits,
            poller: &mut self.poller,
            plans: &mut self.plans,
            plan: order.plan,
            heads: &mut self.heads,
            rng: &mut self.rng,
            recorder: Recorder::new(requests, u64::MAX, u64::MAX),
            scratch,
            buffer,
            timeout_ns: order.timeout_ns,
            settled_ns: u64::MAX,
            end_ns: u64::MAX,
        };
        loading.run(&mut self.connections[..order.connections], order, hook, stop)
    }
}

/// A window under way.
struct Loading<'a> {
    address: SocketAddr,
    limits: &'a Limits,
    poller: &'a mut Poller,
    plans: &'a mut [WorkerPlan],
    /// The one that is loaded; requests taken over may be of another.
    plan: usize,
    heads: &'a mut HeadCache,
    rng: &'a mut Rng,
    recorder: Recorder,
    scratch: &'a mut Vec<u8>,
    buffer: &'a mut [u8; RECEIVE_BYTES],
    timeout_ns: u64,
    settled_ns: u64,
    end_ns: u64,
}

impl Loading<'_> {
    fn run(
        &mut self,
        connections: &mut [Connection],
        order: &WindowOrder,
        hook: Option<&EdgeHook>,
        stop: &AtomicBool,
    ) -> WorkerReport {
        self.open(connections);
        let start_ns = now_ns();
        let cpu_start = thread_cpu_ns();
        self.settled_ns = start_ns + order.settling_ns;
        self.end_ns = self.settled_ns + order.duration_ns;
        let (tally, requests) =
            (std::mem::take(&mut self.recorder.tally), self.plans[self.plan].mix.requests.len());
        self.recorder = Recorder::new(requests, self.settled_ns, self.end_ns);
        self.recorder.tally.reopened_after_stop = tally.reopened_after_stop;
        self.recorder.tally.outcomes = tally.outcomes;
        self.recorder.tally.wrong_examples = tally.wrong_examples;

        for (index, connection) in connections.iter_mut().enumerate() {
            match connection.state {
                State::Idle => self.send_next(connection, index, now_ns()),
                State::InFlight => {
                    connection.sent_ns = start_ns;
                    self.recorder.sent(start_ns);
                    // Its answer may have been told of while other connections were opened, and is told of once.
                    self.receive(connection, index, false);
                }
                State::Closed => self.reconnect(connection, index, now_ns()),
                _ => {}
            }
        }
        let mut edges =
            [(Edge::WindowStart, self.settled_ns, cpu_start), (Edge::WindowEnd, self.end_ns, cpu_start)];
        let give_up_ns = self.end_ns.saturating_add(order.drain_limit_ns);
        let mut next_edge = 0;
        let scan_every_ns = (self.timeout_ns / 8).clamp(1_000_000, 100_000_000);
        let mut next_scan_ns = start_ns + scan_every_ns;
        let mut now = now_ns();
        let mut stopped = false;
        loop {
            while next_edge < edges.len() && now >= edges[next_edge].1 {
                edges[next_edge].2 = thread_cpu_ns();
                if let Some(hook) = hook {
                    hook(edges[next_edge].0);
                }
                next_edge += 1;
            }
            if now >= next_scan_ns {
                stopped = stop.load(Ordering::Relaxed);
                if stopped {
                    break;
                }
                self.look_at_clocks(connections, now);
                next_scan_ns = now + scan_every_ns;
            }
            if now >= self.end_ns && (self.recorder.in_flight() == 0 || now >= give_up_ns) {
                break;
            }
            let edge_ns = edges.get(next_edge).map_or(give_up_ns, |edge| edge.1);
            let wait_ns = next_scan_ns.min(edge_ns).saturating_sub(now_ns());
            let Ok(ready) = self.poller.wait(Duration::from_nanos(wait_ns)) else { break };
            for at in 0..ready {
                let (token, closed) = self.poller.ready(at);
                let (index, generation) = Connection::index_of(token);
                // A target of several workloads may have more connections than this one uses.
                if let Some(connection) = connections.get_mut(index)
                    && connection.is_generation(generation)
                {
                    self.ready(connection, index, closed);
                }
            }
            now = now_ns();
        }
        let done_ns = now_ns();
        let cpu_total_ns = thread_cpu_ns() - cpu_start;
        for connection in connections.iter_mut() {
            match connection.state {
                State::Connecting { .. } => connection.close(),
                State::Waiting { .. } => connection.state = State::Closed,
                State::InFlight => {
                    connection.carried = true;
                    self.recorder.withdrawn(connection.sent_ns, done_ns);
                }
                State::Idle | State::Closed => {}
            }
        }
        let finished = Recorder::new(0, 0, 0);
        let mut tally = std::mem::replace(&mut self.recorder, finished).finish(done_ns);
        tally.established = connections.iter().filter(|connection| connection.is_open()).count() as u32;
        tally.carried =
            connections.iter().filter(|connection| connection.state == State::InFlight).count() as u32;
        tally.completions =
            connections.iter_mut().map(|connection| std::mem::take(&mut connection.completions)).collect();
        WorkerReport {
            tally,
            drain_ns: done_ns.saturating_sub(self.end_ns),
            duration_ns: order.duration_ns.min(done_ns.saturating_sub(self.settled_ns)),
            cpu_ns: edges[1].2.saturating_sub(edges[0].2),
            cpu_total_ns,
            stopped,
        }
    }

    /// Opens what is closed, and looks whether what was open still is.
    fn open(&mut self, connections: &mut [Connection]) {
        let began_ns = now_ns();
        for (index, connection) in connections.iter_mut().enumerate() {
            connection.fresh = true;
            if connection.state == State::Idle {
                self.probe(connection);
            }
            if connection.state == State::Closed {
                // A refusal is counted when the load begins, as the failure that it then is.
                let _ = connection.connect(self.address, index, self.poller, began_ns);
            }
        }
        while now_ns() < began_ns + OPENING_NS
            && connections.iter().any(|connection| matches!(connection.state, State::Connecting { .. }))
        {
            let Ok(ready) = self.poller.wait(Duration::from_millis(20)) else { break };
            for at in 0..ready {
                let (index, generation) = Connection::index_of(self.poller.ready(at).0);
                if let Some(connection) = connections.get_mut(index)
                    && connection.is_generation(generation)
                    && matches!(connection.state, State::Connecting { .. })
                {
                    let _ = connection.connected(began_ns);
                }
            }
        }
        for connection in connections {
            if matches!(connection.state, State::Waiting { .. }) {
                connection.state = State::Closed;
            }
        }
    }

    /// Did the contender close this connection while it was stopped, or say what nobody asked?
    fn probe(&mut self, connection: &mut Connection) {
        let Some(socket) = &connection.socket else { return connection.close() };
        let mut bytes = [0u8; 512];
        match net::recv(socket, &mut bytes[..], RecvFlags::DONTWAIT) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok((received, _)) if received > 0 => {
                // 408 is how some servers announce that they close an idle connection (RFC 9110, 15.5.9).
                if bytes.starts_with(b"HTTP/1.1 408") {
                    self.recorder.tally.reopened_after_stop += 1;
                } else {
                    self.unasked(&bytes[..received]);
                }
                connection.close();
            }
            Ok(_) | Err(_) => {
                self.recorder.tally.reopened_after_stop += 1;
                connection.close();
            }
        }
    }

    fn unasked(&mut self, bytes: &[u8]) {
        self.recorder.count(Failure::WrongAnswer);
        self.recorder.example(|| format!("bytes that no request asked for: {}", show(bytes)));
    }

    fn send_next(&mut self, connection: &mut Connection, index: usize, free_ns: u64) {
        if free_ns >= self.end_ns {
            connection.state = State::Idle;
            return;
        }
        let mix = &self.plans[self.plan].mix;
        connection.plan = self.plan;
        connection.drawn = mix.draw(self.rng);
        let bytes = mix.bytes(&connection.drawn, self.scratch);
        connection.sent_ns = free_ns;
        connection.carried = false;
        connection.state = State::InFlight;
        self.recorder.sent(free_ns);
        if connection.send(bytes).is_err() {
            self.ended(connection, index, now_ns());
        }
    }

    fn reconnect(&mut self, connection: &mut Connection, index: usize, now: u64) {
        if now >= self.end_ns {
            return connection.close();
        }
        self.recorder.tally.reconnects += 1;
        match connection.connect(self.address, index, self.poller, now) {
            Ok(()) if connection.state == State::Idle => self.send_next(connection, index, now),
            Ok(()) => {}
            Err(error) => self.no_connection(error),
        }
    }

    fn no_connection(&mut self, error: Errno) {
        self.recorder.count(Failure::ConnectError);
        self.recorder.example(|| format!("no connection: {error}"));
    }

    fn ready(&mut self, connection: &mut Connection, index: usize, closed: bool) {
        match connection.state {
            State::Connecting { .. } => {
                let now = now_ns();
                match connection.connected(now) {
                    Ok(true) => self.send_next(connection, index, now),
                    Ok(false) => {}
                    Err(error) => self.no_connection(error),
                }
            }
            State::InFlight | State::Idle => {
                if !connection.unsent.is_empty() && connection.send_rest().is_err() {
                    return self.ended(connection, index, now_ns());
                }
                self.receive(connection, index, closed);
            }
            State::Closed | State::Waiting { .. } => {}
        }
    }

    fn receive(&mut self, connection: &mut Connection, index: usize, closed: bool) {
        loop {
            let Some(socket) = &connection.socket else { return };
            let received = match net::recv(socket, &mut self.buffer[..], RecvFlags::empty()) {
                Ok((0, _)) => return self.ended(connection, index, now_ns()),
                Ok((received, _)) => received,
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => continue,
                Err(_) => return self.ended(connection, index, now_ns()),
            };
            let now = now_ns();
            if !self.take(connection, index, received, closed, now) {
                return;
            }
            // A short read has emptied the socket, but for the end of the connection; what comes later is told of anew.
            if received < self.buffer.len() && !closed {
                return;
            }
        }
    }

    /// Takes what was received. False when the connection is not to be read further.
    fn take(
        &mut self,
        connection: &mut Connection,
        index: usize,
        received: usize,
        closed: bool,
        now: u64,
    ) -> bool {
        if connection.state != State::InFlight {
            let unasked = &self.buffer[..received];
            self.recorder.count(Failure::WrongAnswer);
            self.recorder.example(|| format!("bytes that no request asked for: {}", show(unasked)));
            self.reconnect(connection, index, now);
            return false;
        }
        let drawn = connection.drawn;
        let plan = &mut self.plans[connection.plan];
        let request = (connection.plan == self.plan).then_some(drawn.request);
        let is_head = plan.mix.requests[drawn.request].is_head;
        let (taken, answer) =
            connection.reader.feed(&self.buffer[..received], is_head, self.heads, self.limits);
        let keep_alive = match answer {
            Answer::Incomplete => return true,
            Answer::Malformed(why) => {
                self.recorder.failed(Failure::WrongAnswer, request, connection.sent_ns, now);
                let bytes = &self.buffer[..received];
                self.recorder.example(|| format!("{why}: {}", show(bytes)));
                self.reconnect(connection, index, now);
                return false;
            }
            Answer::Whole { head, body } => {
                let verdict = judge(plan, &drawn, &head, body);
                let counted = settle(&mut self.recorder, verdict, connection, request, now);
                connection.completions += u32::from(counted);
                connection.fresh = false;
                head.keep_alive
            }
        };
        if taken < received {
            let extra = &self.buffer[taken..received];
            self.recorder.count(Failure::WrongAnswer);
            self.recorder.example(|| format!("bytes that no request asked for: {}", show(extra)));
            self.reconnect(connection, index, now);
            return false;
        }
        if keep_alive && !closed && connection.unsent.is_empty() {
            self.send_next(connection, index, now);
            true
        } else {
            self.reconnect(connection, index, now);
            false
        }
    }

    /// The connection ended or broke.
    fn ended(&mut self, connection: &mut Connection, index: usize, now: u64) {
        if connection.state != State::InFlight {
            return self.reconnect(connection, index, now);
        }
        let drawn = connection.drawn;
        let request = (connection.plan == self.plan).then_some(drawn.request);
        let failure = match connection.reader.at_end() {
            AtEnd::Whole { head, body } => {
                let verdict = judge(&mut self.plans[connection.plan], &drawn, &head, body);
                let counted = settle(&mut self.recorder, verdict, connection, request, now);
                connection.completions += u32::from(counted);
                None
            }
            AtEnd::Truncated => Some(Failure::Truncated),
            AtEnd::Nothing if connection.fresh && now < self.settled_ns => {
                self.recorder.withdrawn(connection.sent_ns, now);
                self.recorder.tally.reopened_after_stop += 1;
                connection.fresh = false;
                None
            }
            AtEnd::Nothing => Some(Failure::ClosedByServer),
        };
        if let Some(failure) = failure {
            self.recorder.failed(failure, request, connection.sent_ns, now);
        }
        connection.state = State::Idle;
        self.reconnect(connection, index, now);
    }

    /// Ends what has waited too long, and tries again what has paused.
    fn look_at_clocks(&mut self, connections: &mut [Connection], now: u64) {
        for (index, connection) in connections.iter_mut().enumerate() {
            match connection.state {
                State::InFlight if now.saturating_sub(connection.sent_ns) >= self.timeout_ns => {
                    let begun = connection.reader.has_begun();
                    let request = (connection.plan == self.plan).then_some(connection.drawn.request);
                    self.recorder.failed(Failure::Timeout, request, connection.sent_ns, now);
                    self.recorder.example(|| {
                        format!("no {} in time", if begun { "whole answer" } else { "byte of an answer" })
                    });
                    self.reconnect(connection, index, now);
                }
                State::Connecting { since_ns } if now.saturating_sub(since_ns) >= self.timeout_ns => {
                    self.no_connection(Errno::TIMEDOUT);
                    connection.pause(now);
                }
                State::Waiting { until_ns } if now >= until_ns => self.reconnect(connection, index, now),
                _ => {}
            }
        }
    }
}

enum Verdict {
    Correct(Option<Toss>),
    HttpError,
    Wrong(String),
}

fn judge(plan: &mut WorkerPlan, drawn: &Drawn, head: &Head, body: &[u8]) -> Verdict {
    let mix = &plan.mix;
    let request = &mix.requests[drawn.request];
    let expect = &request.spec.expect;
    if !expect.status.contains(head.status) {
        return Verdict::HttpError;
    }
    if let Some(wanted) = &expect.content_type
        && head.content_type.as_ref() != Some(wanted)
    {
        let got = head.content_type.as_deref().unwrap_or("none");
        return Verdict::Wrong(format!("content type {got} instead of {wanted}"));
    }
    match &expect.body {
        BodyExpect::Any | BodyExpect::Same | BodyExpect::Length { .. } => Verdict::Correct(None),
        BodyExpect::Empty if body.is_empty() => Verdict::Correct(None),
        BodyExpect::Empty => Verdict::Wrong(format!("a body where none belongs: {}", show(body))),
        BodyExpect::Exact(_) if mix.is_exact(drawn, body) => Verdict::Correct(None),
        BodyExpect::Exact(_) => {
            Verdict::Wrong(format!("body {} instead of {}", show(body), mix.expected_text(drawn)))
        }
        BodyExpect::Checked => {
            // A number in the request may decide what is correct, so such answers are checked one by one.
            let may_remember = request.ints.is_empty();
            let seen = &mut plan.seen[drawn.request][drawn.variant];
            if may_remember && let Some(toss) = seen.get(body) {
                return Verdict::Correct(toss);
            }
            match plan.checker.check(drawn.request, &drawn.values[..request.spec.slots.len()], body) {
                Ok(toss) => {
                    if may_remember {
                        seen.insert(body, toss);
                    }
                    Verdict::Correct(toss)
                }
                Err(why) => Verdict::Wrong(format!("{why}: {}", show(body))),
            }
        }
    }
}

/// Counts a whole answer; says whether it counts for the window. `request` is `None` for a request of another plan,
/// taken over from an earlier window.
fn settle(
    recorder: &mut Recorder,
    verdict: Verdict,
    connection: &mut Connection,
    request: Option<usize>,
    now: u64,
) -> bool {
    match verdict {
        Verdict::Correct(toss) => {
            if let Some(toss) = toss.filter(|_| request.is_some()) {
                recorder.toss(toss, connection.draw);
                connection.draw = Some(toss.draw);
            }
            return recorder.correct(request, connection.sent_ns, now, connection.carried);
        }
        Verdict::HttpError => recorder.failed(Failure::HttpError, request, connection.sent_ns, now),
        Verdict::Wrong(why) => {
            recorder.failed(Failure::WrongAnswer, request, connection.sent_ns, now);
            recorder.example(|| why);
        }
    }
    connection.draw = None;
    false
}

/// The start of some bytes for people, on one line and without control characters.
fn show(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(80)];
    let dots = if start.len() < bytes.len() { "..." } else { "" };
    format!("{:?}{dots}", String::from_utf8_lossy(start))
}

pub(crate) type ReceiveBuffer = Box<[u8; RECEIVE_BYTES]>;

pub(crate) fn receive_buffer() -> ReceiveBuffer {
    Box::new([0; RECEIVE_BYTES])
}
