use std::marker::PhantomData;
use std::rc::Rc;
use velo_stats::number::decimals;

use super::{IDLE_NS, Loading, Patience, Phase, TIMEOUT_GRAIN_NS};
use crate::classifier::{Verdict, other_status};
use crate::connection::{Answered, LastAnswer, State};
use crate::draws::Draws;
use crate::driver::{Chunk, Driver};
use crate::in_flight::{InFlight, InFlightTable};
use crate::known::Plan;
use crate::mix::Mix;
use crate::protocol::{AtEnd, Events, Head, REQUEST_TIMEOUT, RequestId, Session, Then};
use crate::recorder::{CountedAnswer, Failure, Recorder, Stage, Times};
use crate::request::{Calls, Protocol};
use crate::show::show;
use crate::tls::TlsError;

impl<D: Driver, S: Session> Loading<'_, D, S> {
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
            let connection = &mut self.connections[index];
            let mut reading = Reading {
                protocol: PhantomData::<S>,
                plans: &mut self.known.plans,
                recorder: &mut self.recorder,
                in_flight: &mut connection.in_flight,
                answered: &mut connection.answered,
                state: &connection.state,
                plan: self.order.plan,
                settled_ns: self.settled_ns,
                keeps_bodies: self.known.needs_bodies,
                came_ns,
                owed: &mut self.owed,
                behind: None,
            };
            let (shared, out) = (&mut self.known.shared, &mut self.gathered);
            let then = connection.session.receive(bytes, false, shared, out, &mut reading);
            self.driver.release(chunk);
            self.flush(index);
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
                self.part(index);
                self.refill(index, now);
            }
            // What more has come may be the end, and then nothing is to be sent.
            Then::Goes if more => {}
            Then::Goes => self.refill(index, now),
            Then::Ends => {
                self.connections[index].state = State::Closing { since_ns: now };
                self.connections[index].was_announced = true;
            }
            Then::IsOver => {
                self.closed_at_rest(index, now);
                self.part(index);
                self.connections[index].was_announced = true;
                self.go_on(index, now);
            }
            Then::Breaks => self.drop_connection(index, Failure::ClosedByServer, now),
            // Whoever ends a connection is to blame for what was in flight on it.
            Then::IsGivenUp => {
                self.recorder
                    .example(|| "given up with a connection of which more came than is read".to_owned());
                self.drop_connection(index, Failure::Timeout, now);
            }
            Then::TimedOut => self.ended(index, now),
        }
    }

    /// The connection is of no use any more.
    fn drop_connection(&mut self, index: usize, failure: Failure, now: u64) {
        self.fail_all(index, failure, now);
        self.close(index, true);
        self.go_on(index, now);
    }

    /// All requests that a connection is for are answered.
    pub(super) fn is_used_up(&self, index: usize) -> bool {
        let connection = &self.connections[index];
        (connection.sent >= self.order.requests_per_connection || connection.is_worn_out())
            && connection.in_flight.is_empty()
            && connection.state == State::Open
    }

    /// Ends a connection on which nothing is in flight.
    pub(super) fn part(&mut self, index: usize) {
        self.say_good_bye(index);
        self.close(index, true);
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
        // An alert is no part of an answer before it; anything else that is wrong is something that nobody asked for.
        let behind =
            failed.as_ref().filter(|error| !matches!(error, TlsError::Alert(_))).map(ToString::to_string);
        let connection = &mut self.connections[index];
        let mut reading = Reading {
            protocol: PhantomData::<S>,
            plans: &mut self.known.plans,
            recorder: &mut self.recorder,
            in_flight: &mut connection.in_flight,
            answered: &mut connection.answered,
            state: &connection.state,
            plan: self.order.plan,
            settled_ns: self.settled_ns,
            keeps_bodies: self.known.needs_bodies,
            came_ns,
            owed: &mut self.owed,
            behind: behind.as_deref(),
        };
        let (shared, out) = (&mut self.known.shared, &mut self.gathered);
        let then = connection.session.receive(&self.plain, behind.is_some(), shared, out, &mut reading);
        self.flush(index);
        let connection = &mut self.connections[index];
        if let Some(error) = failed {
            if !matches!(then, Then::Breaks | Then::IsGivenUp) {
                let oldest = connection.session.forget_oldest();
                self.broken(index, oldest, &error, now);
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
    fn broken(&mut self, index: usize, oldest: Option<RequestId>, why: &TlsError, now: u64) {
        if let Some(oldest) = oldest {
            self.fail(index, oldest, Failure::WrongAnswer, now);
        } else if matches!(why, TlsError::Alert(_)) {
            // The server ends a connection of which nothing is asked.
            return;
        }
        self.recorder.example(|| why.to_string());
    }

    /// The server closed a connection on which nothing was in flight.
    fn closed_at_rest(&mut self, index: usize, now: u64) {
        let tally = &mut self.recorder.tally;
        let idle_ns = now.saturating_sub(self.connections[index].answered.quiet_since_ns);
        if self.phase == Phase::Opening {
            tally.reopened_after_stop += 1;
        } else if idle_ns >= IDLE_NS {
            tally.closed_idle += 1;
            tally.shortest_idle_ns = Some(tally.shortest_idle_ns.map_or(idle_ns, |ns| ns.min(idle_ns)));
        }
    }

    /// The connection ended or broke.
    pub(super) fn ended(&mut self, index: usize, now: u64) {
        match self.connections[index].state {
            State::Handshaking { .. } => {
                return self.no_agreement(index, "the server ended the TLS handshake", now);
            }
            State::Open if self.connections[index].in_flight.is_empty() => self.closed_at_rest(index, now),
            _ => {}
        }
        let settling = now < self.settled_ns;
        let connection = &mut self.connections[index];
        let is_cut = connection.tls.as_ref().is_some_and(|session| !session.has_ended_cleanly());
        let answered = &mut connection.answered;
        let mut met_idle_timer = false;
        while let Some((id, at_end)) = connection.session.end_oldest() {
            connection.in_flight.end(id, |request, is_last| {
                let name = request.name_in(self.order.plan);
                let at_end = match at_end {
                    AtEnd::Whole { head, .. }
                        if head.status == REQUEST_TIMEOUT
                            && has_crossed(
                                &self.known.plans[request.plan as usize],
                                request,
                                answered,
                                now,
                                settling,
                            ) =>
                    {
                        AtEnd::Nothing
                    }
                    at_end => at_end,
                };
                // Until one is answered all that were in flight met the server's idle timer.
                let is_fresh = answered.fresh;
                answered.fresh &= matches!(at_end, AtEnd::Nothing);
                let failure = match at_end {
                    // Without TLS's own end an answer that lasts until the end may be cut (RFC 9112, 9.8).
                    AtEnd::Whole { .. } if is_cut => Failure::Truncated,
                    AtEnd::Whole { head, body } => {
                        // When it ended is only known by reading it.
                        self.patient = Patience::Never;
                        let plan = &mut self.known.plans[request.plan as usize];
                        let verdict = classified(plan, request, &head, body, now);
                        let recorder = &mut self.recorder;
                        let asked = Asked { mix: &plan.mix, request, name, is_last, head: &head, body };
                        return settle(recorder, verdict, answered, asked, now);
                    }
                    AtEnd::Truncated => Failure::Truncated,
                    AtEnd::Nothing if is_fresh && settling => {
                        self.recorder.withdrawn(request.sent_ns, now);
                        self.recorder.tally.withdrawn += 1;
                        met_idle_timer = true;
                        return;
                    }
                    AtEnd::Nothing => Failure::ClosedByServer,
                };
                self.recorder.failed(failure, &request.failed(name, now, None));
            });
        }
        answered.fresh = false;
        self.recorder.tally.reopened_after_stop += u32::from(met_idle_timer);
        self.close(index, false);
        self.go_on(index, now);
    }
}

/// Bytes of one connection being read. Each protocol has its own, so that what is called from one place only in it is not called at
/// all, but stands there.
struct Reading<'a, S> {
    protocol: PhantomData<S>,
    plans: &'a mut [Plan],
    recorder: &'a mut Recorder,
    in_flight: &'a mut InFlightTable,
    answered: &'a mut Answered,
    state: &'a State,
    /// The plan that is loaded.
    plan: usize,
    settled_ns: u64,
    keeps_bodies: bool,
    came_ns: u64,
    /// What came behind them and could not be read.
    behind: Option<&'a str>,
    owed: &'a mut u64,
}

impl<S> Reading<'_, S> {
    #[inline(never)]
    fn fail(&mut self, id: RequestId, failure: Failure, status: Option<u16>) {
        let (recorder, plan) = (&mut *self.recorder, self.plan);
        self.answered.quiet_since_ns = self.came_ns;
        self.in_flight.end(id, |request, _| {
            let done_ns = self.came_ns.max(request.sent_ns);
            recorder.failed(failure, &request.failed(request.name_in(plan), done_ns, status));
        });
    }
}

impl<S> Events for Reading<'_, S> {
    #[inline]
    fn keeps_bodies(&self) -> bool {
        self.keeps_bodies
    }

    #[inline]
    fn first_byte(&mut self, id: RequestId) {
        if let Some(request) = self.in_flight.get_mut(id) {
            request.first_byte_ns = self.came_ns;
        }
    }

    // Here and below: left to itself the compiler calls them, which costs 100 instructions a request.
    #[inline(always)]
    fn end(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        self.in_flight.end(id, |request, is_last| {
            // The clocks that say when they were sent and when they came may differ by a little.
            let done_ns = self.came_ns.max(request.sent_ns);
            let plan = &mut self.plans[request.plan as usize];
            let verdict = classified(plan, request, head, body, done_ns);
            let name = request.name_in(self.plan);
            let asked = Asked { mix: &plan.mix, request, name, is_last, head, body };
            settle(self.recorder, verdict, self.answered, asked, done_ns);
            self.answered.fresh = false;
        });
    }

    fn message(&mut self, id: RequestId, head: &Head, message: &[u8]) -> bool {
        let Some(request) = self.in_flight.get(id) else { return true };
        self.recorder.tally.messages += 1;
        let plan = &mut self.plans[request.plan as usize];
        match plan.classifier.classify_body(&plan.mix, &request.drawn, head, message) {
            Verdict::Correct(_) => true,
            Verdict::Wrong(why) => {
                self.recorder.example(|| why);
                false
            }
            Verdict::HttpError | Verdict::GrpcError { .. } => false,
        }
    }

    fn end_of_messages(&mut self, id: RequestId, head: &Rc<Head>) {
        self.in_flight.end(id, |request, is_last| {
            let done_ns = self.came_ns.max(request.sent_ns);
            let plan = &mut self.plans[request.plan as usize];
            let verdict = plan.classifier.classify_end(&plan.mix, &request.drawn, head);
            let name = request.name_in(self.plan);
            let asked = Asked { mix: &plan.mix, request, name, is_last, head, body: &[] };
            settle(self.recorder, verdict, self.answered, asked, done_ns);
            self.answered.fresh = false;
        });
    }

    /// An answer with something behind it that nobody asked for is not the answer.
    #[cold]
    fn spoilt(&mut self, id: RequestId, head: &Rc<Head>, behind: &[u8]) {
        let extra = || format!("bytes that no request asked for: {}", show(behind));
        self.recorder.example(|| self.behind.map_or_else(extra, str::to_owned));
        self.fail(id, Failure::WrongAnswer, Some(head.status));
        self.answered.draws = Draws::default();
        self.answered.last = LastAnswer::Failed;
        self.answered.fresh = false;
    }

    fn failed(&mut self, id: RequestId, why: &'static str, bytes: &[u8]) {
        self.fail(id, Failure::WrongAnswer, None);
        self.recorder.example(|| format!("{why}: {}", show(bytes)));
    }

    fn refused(&mut self, id: RequestId) {
        self.fail(id, Failure::Refused, None);
    }

    fn left_out(&mut self, id: RequestId) {
        self.fail(id, Failure::ClosedByServer, None);
    }

    fn reset(&mut self, id: RequestId, has_begun: bool, how: &'static str) {
        let is_overdue = self
            .in_flight
            .get(id)
            .is_some_and(|request| is_overdue(&self.plans[request.plan as usize].mix, request, self.came_ns));
        let (failure, how) = match has_begun {
            _ if is_overdue => (Failure::Timeout, ENDED_AT_DEADLINE),
            true => (Failure::Truncated, how),
            false => (Failure::ClosedByServer, how),
        };
        self.fail(id, failure, None);
        self.recorder.example(|| how.to_owned());
    }

    fn unasked(&mut self, what: &'static str, bytes: &[u8]) {
        if matches!(self.state, State::Closing { .. }) {
            return;
        }
        match &self.answered.last {
            // It came in pieces that were read apart.
            LastAnswer::Correct(answer) => {
                self.recorder.spoilt(answer);
                self.answered.completions -= u32::from(answer.stage == Stage::Window);
            }
            LastAnswer::Failed => {}
            // A request is not sent for it, so that there are never more outcomes than requests.
            LastAnswer::None => *self.owed += 1,
        }
        self.answered.last = LastAnswer::Failed;
        self.recorder.example(|| format!("{what}: {}", show(bytes)));
    }

    #[cold]
    #[inline(never)]
    fn crossed_farewell(&self, id: RequestId) -> bool {
        self.in_flight.get(id).is_some_and(|request| {
            let done_ns = self.came_ns.max(request.sent_ns);
            let plan = &self.plans[request.plan as usize];
            has_crossed(plan, request, self.answered, done_ns, done_ns < self.settled_ns)
        })
    }
}

/// Whether a 408 that ends the connection is the farewell of an idle timer and crossed with the request, rather than its answer: the
/// server was stopped before, or the connection had been quiet for longer than the 408 took to come.
#[cold]
fn has_crossed(plan: &Plan, request: &InFlight, answered: &Answered, done_ns: u64, settling: bool) -> bool {
    let quiet_ns = request.sent_ns.saturating_sub(answered.quiet_since_ns);
    let is_idle_timer = (answered.fresh && settling) || quiet_ns > done_ns.saturating_sub(request.sent_ns);
    is_idle_timer && !plan.mix.request(&request.drawn).expect.status.contains(REQUEST_TIMEOUT)
}

#[inline(always)]
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

/// What a server answers to a call whose deadline is over (grpc-status), and its handler that noticed it first.
const CANCELLED: u16 = 1;
const DEADLINE_EXCEEDED: u16 = 4;
/// Servers count milliseconds, some rounded down: what they end so long before the deadline, they end because of it.
const DEADLINE_GRAIN_NS: u64 = TIMEOUT_GRAIN_NS;
const ENDED_AT_DEADLINE: &str = "ended by the server at its deadline";

/// Whether a call that was told its deadline has come to it: client and server count it down each for itself, and whichever is the
/// first, it is the same end.
#[cold]
#[inline(never)]
fn is_overdue(mix: &Mix, request: &InFlight, done_ns: u64) -> bool {
    let Protocol::Grpc(Calls { deadline_ns: Some(deadline_ns), .. }) = mix.protocol() else { return false };
    done_ns.saturating_sub(request.sent_ns).saturating_add(DEADLINE_GRAIN_NS) >= deadline_ns
}

/// A request that is answered.
struct Asked<'a> {
    mix: &'a Mix,
    request: &'a InFlight,
    /// `None` for a request of another plan, taken over from an earlier window.
    name: Option<usize>,
    /// No other is in flight on its connection.
    is_last: bool,
    head: &'a Head,
    /// Of a stream of messages, none.
    body: &'a [u8],
}

/// Counts a whole answer.
#[inline(always)]
fn settle(
    recorder: &mut Recorder,
    verdict: Verdict,
    answered: &mut Answered,
    Asked { mix, request, name, is_last, head, body }: Asked<'_>,
    done_ns: u64,
) {
    answered.quiet_since_ns = done_ns;
    let Verdict::Correct(toss) = verdict else {
        let asked = Asked { mix, request, name, is_last, head, body };
        return settle_failed(recorder, verdict, answered, &asked, done_ns);
    };
    // Nothing in it is to be dropped, and finding that out costs a call.
    std::mem::forget(verdict);
    let times = &Times {
        intended_ns: request.intended_ns,
        sent_ns: request.sent_ns,
        first_byte_ns: if request.first_byte_ns == 0 { done_ns } else { request.first_byte_ns },
        done_ns,
    };
    if let Some(toss) = toss.filter(|_| name.is_some()) {
        recorder.toss(toss, &mut answered.draws);
    }
    let stage = recorder.correct(name, head.status, times, request.carried);
    answered.completions += u32::from(stage == Stage::Window);
    // While more is asked for, more may come.
    if is_last {
        answered.last = LastAnswer::Correct(CountedAnswer {
            request: name,
            times: *times,
            carried: request.carried,
            stage,
        });
    }
}

/// Out of the way of correct answers.
#[cold]
#[inline(never)]
fn settle_failed(
    recorder: &mut Recorder,
    verdict: Verdict,
    answered: &mut Answered,
    &Asked { mix, request, name, head, body, .. }: &Asked<'_>,
    done_ns: u64,
) {
    let failed = request.failed(name, done_ns, Some(head.status));
    let failure = match verdict {
        Verdict::Correct(_) => return,
        Verdict::HttpError => {
            recorder.example(|| other_status(mix, &request.drawn, head, body));
            Failure::HttpError
        }
        Verdict::GrpcError { code: CANCELLED | DEADLINE_EXCEEDED, .. }
            if is_overdue(mix, request, done_ns) =>
        {
            recorder.example(|| ENDED_AT_DEADLINE.to_owned());
            Failure::Timeout
        }
        Verdict::GrpcError { code, message } => {
            recorder.grpc_error(code, &message, &failed);
            Failure::HttpError
        }
        Verdict::Wrong(why) => {
            recorder.example(|| why);
            Failure::WrongAnswer
        }
    };
    recorder.failed(failure, &failed);
    answered.draws = Draws::default();
    answered.last = LastAnswer::Failed;
}
