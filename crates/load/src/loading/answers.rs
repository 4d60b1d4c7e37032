use std::rc::Rc;
use velo_stats::number::decimals;

use super::{Loading, Patience, Phase};
use crate::classifier::Verdict;
use crate::connection::{Connection, InFlight, LastAnswer, State};
use crate::draws::Draws;
use crate::driver::{Chunk, Driver};
use crate::known::{Known, Plan};
use crate::protocol::http1::{Answer, AtEnd, Head};
use crate::recorder::{CountedAnswer, Failure, Recorder, Times};
use crate::show::show;
use crate::tls::TlsError;

/// What becomes of a connection whose bytes were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Goes,
    /// The server is to close it.
    Ends,
    /// It is of no use any more.
    Breaks,
}

impl<D: Driver> Loading<'_, D> {
    pub(super) fn received(&mut self, index: usize, chunk: Chunk, now: u64) {
        self.recorder.tally.received_bytes += u64::from(chunk.length);
        if self.patient != Patience::Never {
            self.learn(chunk);
        }
        let came_ns = chunk.came_ns.map_or(now, |came_ns| came_ns.min(now));
        let then = if self.connections[index].tls.is_some() {
            self.decrypt(index, chunk, came_ns, now)
        } else {
            let bytes = self.driver.bytes(chunk);
            let (connection, recorder) = (&mut self.connections[index], &mut self.recorder);
            let then = Reading {
                known: self.known,
                recorder,
                plan: self.order.plan,
                phase: self.phase,
                came_ns,
                left: &mut self.left,
                behind: None,
            }
            .take(connection, bytes);
            self.driver.release(chunk);
            Some(then)
        };
        if let Some(then) = then {
            self.proceed(index, then, chunk.more, now);
        }
    }

    /// Whether answers may lie unread.
    fn learn(&mut self, chunk: Chunk) {
        if chunk.more || (chunk.came_ns.is_none() && self.patient == Patience::Patient) {
            self.patient = Patience::Never;
        } else if chunk.came_ns.is_some() && self.patient == Patience::Unknown {
            self.patient = Patience::Patient;
        }
    }

    fn proceed(&mut self, index: usize, then: Then, more: bool, now: u64) {
        match then {
            Then::Goes if self.is_used_up(index) => {
                self.say_good_bye(index);
                self.close(index, true);
                self.refill(index, now);
            }
            // What more has come may be the end, and then nothing is to be sent.
            Then::Goes if more => {}
            Then::Goes => self.refill(index, now),
            Then::Ends => {
                self.fail_all(index, Failure::ClosedByServer, now);
                self.connections[index].state = State::Closing { since_ns: now };
                self.connections[index].was_announced = true;
            }
            Then::Breaks => {
                self.fail_all(index, Failure::ClosedByServer, now);
                self.close(index, true);
                self.refill(index, now);
            }
        }
    }

    /// All requests that a connection is for are answered.
    fn is_used_up(&self, index: usize) -> bool {
        let connection = &self.connections[index];
        (connection.sent >= self.order.requests_per_connection || connection.is_worn_out())
            && connection.in_flight.is_empty()
            && connection.state == State::Open
    }

    /// TLS's own end, before the connection's.
    fn say_good_bye(&mut self, index: usize) {
        if let Some(session) = &mut self.connections[index].tls {
            self.sealed.clear();
            session.close(&mut self.sealed);
            self.driver.send(index, &self.sealed);
        }
    }

    /// Reads what came encrypted; `None` when the connection has been dealt with.
    fn decrypt(&mut self, index: usize, chunk: Chunk, came_ns: u64, now: u64) -> Option<Then> {
        let connection = &mut self.connections[index];
        let Some(session) = &mut connection.tls else { return None };
        self.plain.clear();
        let result = session.receive(self.driver.bytes(chunk), &mut self.plain);
        self.driver.release(chunk);
        self.sealed.clear();
        session.take_output(&mut self.sealed);
        if !self.sealed.is_empty() {
            self.recorder.tally.sent_bytes += self.sealed.len() as u64;
            self.driver.send(index, &self.sealed);
        }
        let failed = result.err();
        if let State::Handshaking { since_ns } = connection.state {
            if let Some(error) = &failed {
                self.no_agreement(index, &error.to_string(), now);
                return None;
            }
            if session.is_handshaking() {
                return None;
            }
            self.recorder.tally.handshake_time.record(now.saturating_sub(since_ns));
            self.recorder.tally.tls = self.recorder.tally.tls.or(session.facts());
            self.recorder.tally.resumed += u64::from(session.was_resumed() == Some(true));
            self.opened(index, now);
        }
        let (connection, recorder) = (&mut self.connections[index], &mut self.recorder);
        // An alert is no part of an answer before it; anything else that is wrong is something that nobody asked for.
        let behind =
            failed.as_ref().filter(|error| !matches!(error, TlsError::Alert(_))).map(ToString::to_string);
        let behind = behind.as_deref();
        let then = Reading {
            known: self.known,
            recorder,
            plan: self.order.plan,
            phase: self.phase,
            came_ns,
            left: &mut self.left,
            behind,
        }
        .take(connection, &self.plain);
        if let Some(error) = failed {
            if then != Then::Breaks {
                let request = connection.in_flight.pop_front();
                self.broken(request, &error, now);
            }
            return Some(Then::Breaks);
        }
        // Some servers say that they end and leave the socket open for a while.
        if then == Then::Goes && connection.tls.as_ref().is_some_and(|session| session.has_ended_cleanly()) {
            self.ended(index, now);
            return None;
        }
        Some(then)
    }

    /// The answer under way is not what TLS says it must be.
    fn broken(&mut self, request: Option<InFlight>, why: &TlsError, now: u64) {
        if let Some(request) = request {
            let name = self.request_of(&request);
            self.recorder.failed(Failure::WrongAnswer, name, request.sent_ns, now);
        } else if matches!(why, TlsError::Alert(_)) {
            // The server ends a connection of which nothing is asked.
            return;
        }
        self.recorder.example(|| why.to_string());
    }

    /// The connection ended or broke.
    pub(super) fn ended(&mut self, index: usize, now: u64) {
        match self.connections[index].state {
            State::Handshaking { .. } => {
                return self.no_agreement(index, "the server ended the TLS handshake", now);
            }
            State::Open if self.connections[index].in_flight.is_empty() && self.phase == Phase::Opening => {
                self.recorder.tally.reopened_after_stop += 1;
            }
            _ => {}
        }
        if let Some(&request) = self.connections[index].in_flight.front() {
            let connection = &mut self.connections[index];
            let is_cut = connection.tls.as_ref().is_some_and(|session| !session.has_ended_cleanly());
            let settling = now < self.settled_ns;
            let failure = match connection.reader.at_end() {
                // Without TLS's own end an answer that lasts until the end may be cut (RFC 9112, 9.8).
                AtEnd::Whole { .. } if is_cut => Some(Failure::Truncated),
                AtEnd::Whole { head, body } => {
                    // When it ended is only known by reading it.
                    self.patient = Patience::Never;
                    let plan = &mut self.known.plans[request.plan as usize];
                    let verdict = classified(plan, &request, &head, body, now);
                    let times = connection.times(&request, now);
                    let name = (request.plan as usize == self.order.plan)
                        .then_some(usize::from(request.drawn.request));
                    settle(&mut self.recorder, verdict, &head, connection, &request, name, &times);
                    connection.in_flight.pop_front();
                    None
                }
                AtEnd::Truncated => Some(Failure::Truncated),
                AtEnd::Nothing if connection.fresh && settling => {
                    self.recorder.withdrawn(request.sent_ns, now);
                    self.recorder.tally.reopened_after_stop += 1;
                    connection.in_flight.pop_front();
                    None
                }
                AtEnd::Nothing => Some(Failure::ClosedByServer),
            };
            if let Some(failure) = failure {
                let name = self.request_of(&request);
                self.recorder.failed(failure, name, request.sent_ns, now);
                self.connections[index].in_flight.pop_front();
            }
            self.fail_all(index, Failure::ClosedByServer, now);
        }
        self.connections[index].fresh = false;
        self.close(index, false);
        self.refill(index, now);
    }
}

/// Bytes of one connection being read.
struct Reading<'a> {
    known: &'a mut Known,
    recorder: &'a mut Recorder,
    /// The plan that is loaded.
    plan: usize,
    phase: Phase,
    came_ns: u64,
    /// What came behind them and could not be read.
    behind: Option<&'a str>,
    /// Requests that may still be started.
    left: &'a mut u64,
}

impl Reading<'_> {
    fn take(self, connection: &mut Connection, bytes: &[u8]) -> Then {
        let mut at = 0;
        while at < bytes.len() {
            let Some(&request) = connection.in_flight.front() else {
                self.unasked(connection, &bytes[at..]);
                return Then::Breaks;
            };
            if connection.first_byte_ns == 0 {
                connection.first_byte_ns = self.came_ns;
            }
            // The clocks that say when they were sent and when they came may differ by a little.
            let done_ns = self.came_ns.max(request.sent_ns);
            let plan = &mut self.known.plans[request.plan as usize];
            let name = (request.plan as usize == self.plan).then_some(usize::from(request.drawn.request));
            let is_head = plan.mix.is_head(&request.drawn);
            let (taken, answer) =
                connection.reader.feed(&bytes[at..], is_head, &mut self.known.heads, &self.known.limits);
            at += taken;
            let is_last = at == bytes.len() && self.behind.is_none();
            let surplus = !is_last && connection.in_flight.len() == 1;
            let (head, verdict) = match answer {
                Answer::Incomplete => return Then::Goes,
                Answer::Malformed(why) => {
                    connection.in_flight.pop_front();
                    self.recorder.failed(Failure::WrongAnswer, name, request.sent_ns, done_ns);
                    self.recorder.example(|| format!("{why}: {}", show(bytes)));
                    return Then::Breaks;
                }
                // An answer with something behind it that nobody asked for is not the answer.
                Answer::Whole { head, .. } if surplus => {
                    let extra = || format!("bytes that no request asked for: {}", show(&bytes[at..]));
                    (head, Verdict::Wrong(self.behind.map_or_else(extra, str::to_owned)))
                }
                Answer::Whole { head, body } => {
                    let verdict = classified(plan, &request, &head, body, done_ns);
                    (head, verdict)
                }
            };
            connection.in_flight.pop_front();
            let times = connection.times(&request, done_ns);
            settle(self.recorder, verdict, &head, connection, &request, name, &times);
            connection.first_byte_ns = 0;
            connection.fresh = false;
            if surplus {
                return Then::Breaks;
            }
            if !head.keep_alive {
                return Then::Ends;
            }
        }
        Then::Goes
    }

    /// Bytes on a connection that nothing was asked of.
    fn unasked(self, connection: &mut Connection, bytes: &[u8]) {
        // 408 is how some servers announce that they close an idle connection (RFC 9110, 15.5.9).
        if self.phase == Phase::Opening && bytes.starts_with(b"HTTP/1.1 408") {
            self.recorder.tally.reopened_after_stop += 1;
        } else if !matches!(connection.state, State::Closing { .. }) {
            match &connection.last {
                // It came in pieces that were read apart.
                LastAnswer::Correct(answer) => {
                    self.recorder.spoilt(answer);
                    connection.completions -= u32::from(answer.within);
                }
                LastAnswer::Failed => {}
                // It stands for a request that now will not be sent, so that there are never more outcomes than requests.
                LastAnswer::None if *self.left > 0 => {
                    *self.left -= 1;
                    self.recorder.count(Failure::WrongAnswer);
                }
                LastAnswer::None => {}
            }
            connection.last = LastAnswer::Failed;
            self.recorder.example(|| format!("bytes that no request asked for: {}", show(bytes)));
        }
    }
}

#[inline]
fn classified(plan: &mut Plan, request: &InFlight, head: &Rc<Head>, body: &[u8], done_ns: u64) -> Verdict {
    let verdict = plan.classifier.classify(&plan.mix, &request.drawn, head, body);
    if plan.mix.must_wait(&request.drawn) { in_time(verdict, plan, request, done_ns) } else { verdict }
}

/// Out of the way of requests that need not wait, which are most.
#[cold]
#[inline(never)]
fn in_time(verdict: Verdict, plan: &Plan, request: &InFlight, done_ns: u64) -> Verdict {
    // When one that was taken over from an earlier window was sent is not known any more.
    let elapsed_ns = if request.carried { u64::MAX } else { done_ns.saturating_sub(request.sent_ns) };
    match (verdict, plan.mix.too_early(&request.drawn, elapsed_ns)) {
        (Verdict::Correct(_), Some(ms)) => Verdict::Wrong(format!(
            "answered after {} ms instead of {ms} or more",
            decimals(elapsed_ns as f64 / 1e6, 1)
        )),
        (verdict, _) => verdict,
    }
}

impl Connection {
    fn times(&self, request: &InFlight, now: u64) -> Times {
        Times {
            intended_ns: request.intended_ns,
            sent_ns: request.sent_ns,
            first_byte_ns: if self.first_byte_ns == 0 { now } else { self.first_byte_ns },
            done_ns: now,
        }
    }
}

/// Counts a whole answer. `name` is `None` for a request of another plan, taken over from an earlier window.
#[inline]
fn settle(
    recorder: &mut Recorder,
    verdict: Verdict,
    head: &Head,
    connection: &mut Connection,
    request: &InFlight,
    name: Option<usize>,
    times: &Times,
) {
    recorder.status(head.status);
    let failure = match verdict {
        Verdict::Correct(toss) => {
            if let Some(toss) = toss.filter(|_| name.is_some()) {
                recorder.toss(toss, &mut connection.draws);
            }
            let counted = recorder.correct(name, times, request.carried);
            connection.completions += u32::from(counted);
            // While more is asked for, more may come.
            if connection.in_flight.is_empty() {
                connection.last = LastAnswer::Correct(CountedAnswer {
                    request: name,
                    times: *times,
                    carried: request.carried,
                    within: counted,
                });
            }
            return;
        }
        Verdict::HttpError => Failure::HttpError,
        Verdict::Wrong(why) => {
            recorder.example(|| why);
            Failure::WrongAnswer
        }
    };
    recorder.failed(failure, name, request.sent_ns, times.done_ns);
    connection.draws = Draws::default();
    connection.last = LastAnswer::Failed;
}
