mod repeated;
mod stage;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use velo_model::{CoinCounts, Outcomes, RequestSpan};
use velo_stats::Histogram;

use self::repeated::Repeated;
pub(crate) use self::stage::{FailedRequest, Stage};
use crate::check::Toss;
use crate::classifier::FirstAnswer;
use crate::draws::{DrawCounter, Draws};
use crate::show::plain;
use crate::tls::TlsFacts;

/// Counts of one request of the mix, within the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PerRequest {
    /// Correct answers.
    pub correct: u64,
    /// Failures of any class, but of requests that got no connection: what those would have been was not drawn.
    pub failed: u64,
}

/// What one worker counted in a window, or all of them together.
///
/// A request belongs to the window, to settling or to draining by one time, whatever became of it: in an open loop that of its
/// intended start, in a closed loop that of its outcome. So what a closed loop has in flight at the window's end belongs to draining.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Outcomes of the requests of the window.
    pub outcomes: Outcomes,
    /// Outcomes of the requests of settling, and of an earlier window's requests of another plan.
    pub settling: Outcomes,
    /// Outcomes of the requests of draining.
    pub draining: Outcomes,
    /// For each request of the mix.
    pub requests: Vec<PerRequest>,
    /// The first failures in words that were seen in the window or in draining.
    pub wrong_examples: Vec<String>,
    /// The first failures in words that were seen in settling.
    pub settling_examples: Vec<String>,
    /// The first answer that was whole and well-formed, where [`crate::WindowSettings::keeps_first_answer`] asked for it.
    pub first_answer: Option<FirstAnswer>,
    /// Connections open at the window's end.
    pub established: u32,
    /// Connections that were not open at the window's end because the server had closed them as it had announced, with
    /// `Connection: close` or HTTP/1.0.
    pub closed_as_announced: u32,
    /// Connections reopened because they had been closed while nothing was asked of them.
    pub reopened_after_stop: u32,
    /// Requests still in flight at the end, which the next window takes over.
    pub carried: u32,
    /// Requests of settling that met the timer by which the server ends idle connections: they have no outcome.
    pub withdrawn: u64,
    /// Connections opened again under load: those that were lost, and those that each serve a few requests only.
    pub reconnects: u64,
    /// Connections that the server closed under load after 0.1 s or more without a request.
    pub closed_idle: u64,
    /// The shortest time without a request after which it did.
    pub shortest_idle_ns: Option<u64>,
    /// Correct answers within the window for each connection.
    pub completions: Vec<u32>,
    /// Requests in flight integrated over the window, in request-nanoseconds.
    pub in_flight_request_ns: u64,
    /// Service times clipped at the window's edges, summed.
    pub clipped_service_ns: u64,
    /// Service time of the correct answers within the window: from the actual send to the last byte.
    pub service_time: Histogram,
    /// From the actual send to the first byte of those answers.
    pub first_byte_time: Histogram,
    /// Response time of those answers: from the intended start to the last byte.
    pub response_time: Histogram,
    /// Of a burst of at most [`MOST_SPANS`] requests: each that was sent, in the order of their ends.
    pub spans: Vec<RequestSpan>,
    /// From the intended start to the actual send of every request that was sent for the window.
    pub send_lag: Histogram,
    /// From the first packet to the connection, for each one opened under load or before it; without TLS.
    pub connect_time: Histogram,
    /// The fewest requests at once on a connection that the server has said to take, where the protocol lets it say so.
    pub fewest_streams: Option<u32>,
    /// TLS handshakes.
    pub handshake_time: Histogram,
    /// TLS handshakes that resumed an earlier session.
    pub resumed: u64,
    /// What the first TLS handshake agreed on.
    pub tls: Option<TlsFacts>,
    /// Whole answers to requests of the window by status code, ascending.
    pub statuses: BTreeMap<u16, u64>,
    /// Calls of the window that ended with another `grpc-status` than expected, by code.
    pub grpc_errors: BTreeMap<u16, u64>,
    /// The longest time for which the thread of the generator did not go on when it was to, as far as that was seen: it was stopped, or
    /// others had its CPU. Shorter ones than 50 ms may go unseen.
    pub longest_pause_ns: u64,
    /// Messages of streams that came within the window.
    pub messages: u64,
    /// Requests that were due within the window; of a closed loop, those that were sent.
    pub offered: u64,
    /// Requests that were sent, whenever.
    pub sent: u64,
    /// Bytes sent within the window, those of TLS included.
    pub sent_bytes: u64,
    /// Bytes received within the window, those of TLS included.
    pub received_bytes: u64,
    /// Connections that could not be opened because no local port was free.
    pub no_port: u64,
    /// No connection could be opened for so long that the window ended early ([`crate::WindowSettings::give_up_ns`]).
    pub gave_up: bool,
    /// A coin's tosses, when answers told of any.
    pub coin: Option<CoinCounts>,
}

/// A window as it was.
#[derive(Debug, Clone)]
pub struct WindowReport {
    /// The counts of all workers.
    pub tally: Tally,
    /// Connections asked for.
    pub asked: u32,
    /// Load before the window.
    pub settling_ns: u64,
    /// The window as it was: shorter than asked when it was interrupted or its requests were all sent before.
    pub duration_ns: u64,
    /// Of an open loop that a count of requests ended: from the window's start to when the next request would have been due.
    pub scheduled_ns: Option<u64>,
    /// From the window's end to the last answer.
    pub drain_ns: u64,
    /// It was asked to end before its time; what was in flight then is neither correct nor failed.
    pub interrupted: bool,
    /// What moved the bytes: `epoll` or `io_uring`.
    pub driver: &'static str,
    /// CPU time of each worker within the window.
    pub thread_cpu_ns: Vec<u64>,
    /// CPU time of each worker over settling, window and draining.
    pub thread_cpu_total_ns: Vec<u64>,
}

/// Bursts of more requests do not say when each was sent and answered.
pub const MOST_SPANS: u64 = 500;
const MOST_EXAMPLES: usize = 4;
/// Failures beyond this many are not put into words, which would cost more than the request.
const MOST_LOOKED_AT: usize = 100;
const LONGEST_EXAMPLE: usize = 300;

impl Tally {
    /// Outcomes whenever they were seen.
    pub fn all(&self) -> Outcomes {
        let mut all = self.outside();
        all.add(&self.outcomes);
        all
    }

    /// Outcomes in settling and draining.
    pub fn outside(&self) -> Outcomes {
        let mut outside = self.settling;
        outside.add(&self.draining);
        outside
    }

    /// The counts of several workers together; those of one are handed on as they are.
    pub(crate) fn of_all(tallies: Vec<Self>) -> Self {
        let mut tallies = tallies.into_iter();
        let mut sum = tallies.next().unwrap_or_default();
        tallies.for_each(|tally| sum.merge(&tally));
        sum
    }

    /// Adds the counts of another worker, or of a window that belongs with this one.
    pub fn merge(&mut self, other: &Self) {
        self.outcomes.add(&other.outcomes);
        self.settling.add(&other.settling);
        self.draining.add(&other.draining);
        self.requests.resize(self.requests.len().max(other.requests.len()), PerRequest::default());
        for (sum, more) in self.requests.iter_mut().zip(&other.requests) {
            sum.correct += more.correct;
            sum.failed += more.failed;
        }
        for (sum, more) in [
            (&mut self.wrong_examples, &other.wrong_examples),
            (&mut self.settling_examples, &other.settling_examples),
        ] {
            for example in more {
                if sum.len() < MOST_EXAMPLES && !sum.contains(example) {
                    sum.push(example.clone());
                }
            }
        }
        if self.first_answer.is_none() {
            self.first_answer.clone_from(&other.first_answer);
        }
        self.established += other.established;
        self.closed_as_announced += other.closed_as_announced;
        self.gave_up |= other.gave_up;
        self.reopened_after_stop += other.reopened_after_stop;
        self.carried += other.carried;
        self.withdrawn += other.withdrawn;
        self.reconnects += other.reconnects;
        self.closed_idle += other.closed_idle;
        self.shortest_idle_ns = [self.shortest_idle_ns, other.shortest_idle_ns].into_iter().flatten().min();
        self.completions.extend(&other.completions);
        self.spans.extend(&other.spans);
        self.in_flight_request_ns += other.in_flight_request_ns;
        self.clipped_service_ns += other.clipped_service_ns;
        for (sum, more) in [
            (&mut self.service_time, &other.service_time),
            (&mut self.first_byte_time, &other.first_byte_time),
            (&mut self.response_time, &other.response_time),
            (&mut self.send_lag, &other.send_lag),
            (&mut self.connect_time, &other.connect_time),
            (&mut self.handshake_time, &other.handshake_time),
        ] {
            sum.merge(more);
        }
        for (&code, count) in &other.grpc_errors {
            *self.grpc_errors.entry(code).or_default() += count;
        }
        self.messages += other.messages;
        self.longest_pause_ns = self.longest_pause_ns.max(other.longest_pause_ns);
        for (&status, count) in &other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.resumed += other.resumed;
        self.tls = self.tls.or(other.tls);
        self.fewest_streams = [self.fewest_streams, other.fewest_streams].into_iter().flatten().min();
        self.offered += other.offered;
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.received_bytes += other.received_bytes;
        self.no_port += other.no_port;
        if let Some(more) = &other.coin {
            self.coin.get_or_insert_default().add(more);
        }
    }
}

/// A failure's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    WrongAnswer,
    HttpError,
    Truncated,
    Timeout,
    ConnectError,
    ClosedByServer,
    /// Not looked at, as the server says.
    Refused,
}

/// Counts one window of one worker; all times on the worker's clock.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) tally: Tally,
    window_start_ns: u64,
    window_end_ns: u64,
    /// Which time of a request decides whether it belongs to the window: that of its intended start, else of its answer.
    by_intended: bool,
    keeps_spans: bool,
    in_flight: u64,
    integrated_to_ns: u64,
    /// Answers by status code: the parser takes three digits.
    statuses: Box<[u64; STATUSES]>,
    /// Times of the usual answer of a closed loop: sent when it was due and received in one piece, so that service
    /// time, response time and time to the first byte are one.
    plain: Repeated,
    /// Requests that were sent when they were due.
    sent_promptly: u64,
    coin: Box<DrawCounter>,
    examples_looked_at: usize,
    taken_back: Option<Box<TakenBack>>,
    before_window: Traffic,
    until_end: Option<Traffic>,
}

/// What went over the connections since they were made.
#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    sent_bytes: u64,
    received_bytes: u64,
    messages: u64,
}

/// When a request was to start, did start, and was answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) intended_ns: u64,
    pub(crate) sent_ns: u64,
    pub(crate) first_byte_ns: u64,
    pub(crate) done_ns: u64,
}

/// All codes of three digits.
const STATUSES: usize = 1000;

/// A correct answer as it was counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedAnswer {
    pub(crate) request: Option<usize>,
    pub(crate) times: Times,
    pub(crate) carried: bool,
    pub(crate) stage: Stage,
}

/// Times that were recorded and are not to count.
#[derive(Debug, Default)]
struct TakenBack {
    plain: Repeated,
    service_time: Histogram,
    response_time: Histogram,
    first_byte_time: Histogram,
}

impl Recorder {
    /// Counts for a mix of so many requests. Nothing is within the window until [`Self::begin`] says when it is.
    pub(crate) fn new(requests: usize) -> Self {
        let tally = Tally { requests: vec![PerRequest::default(); requests], ..Tally::default() };
        Self {
            tally,
            window_start_ns: u64::MAX,
            window_end_ns: u64::MAX,
            by_intended: false,
            keeps_spans: false,
            in_flight: 0,
            integrated_to_ns: 0,
            statuses: Box::new([0; STATUSES]),
            taken_back: None,
            plain: Repeated::default(),
            sent_promptly: 0,
            coin: Box::default(),
            examples_looked_at: 0,
            before_window: Traffic::default(),
            until_end: None,
        }
    }

    pub(crate) fn begin(&mut self, start_ns: u64, end_ns: u64, by_intended: bool) {
        (self.window_start_ns, self.window_end_ns, self.by_intended) = (start_ns, end_ns, by_intended);
    }

    /// There is no settling: what was seen while connections were opened belongs to the window.
    pub(crate) fn begin_at_once(&mut self) {
        let opening = std::mem::take(&mut self.tally.settling);
        self.tally.outcomes.add(&opening);
    }

    /// Each request is kept with its times.
    pub(crate) fn keep_spans(&mut self) {
        self.keeps_spans = true;
    }

    fn keep_span(&mut self, sent_ns: u64, done_ns: u64, is_correct: bool) {
        if self.keeps_spans {
            let since = |ns: u64| ns.saturating_sub(self.window_start_ns);
            self.tally.spans.push(RequestSpan {
                sent_ns: since(sent_ns),
                done_ns: since(done_ns),
                is_correct,
            });
        }
    }

    /// The window ends before its time.
    pub(crate) fn cut(&mut self, end_ns: u64) {
        self.window_end_ns = self.window_end_ns.min(end_ns);
    }

    fn clip(&self, from_ns: u64, to_ns: u64) -> u64 {
        to_ns.min(self.window_end_ns).saturating_sub(from_ns.max(self.window_start_ns))
    }

    fn is_within(&self, ns: u64) -> bool {
        ns >= self.window_start_ns && ns < self.window_end_ns
    }

    /// What a request of this plan belongs to.
    fn stage(&self, intended_ns: u64, done_ns: u64) -> Stage {
        let ns = if self.by_intended { intended_ns } else { done_ns };
        if ns < self.window_start_ns {
            Stage::Settling
        } else if ns < self.window_end_ns {
            Stage::Window
        } else {
            Stage::Draining
        }
    }

    fn outcomes_of(&mut self, stage: Stage) -> &mut Outcomes {
        match stage {
            Stage::Settling => &mut self.tally.settling,
            Stage::Window => &mut self.tally.outcomes,
            Stage::Draining => &mut self.tally.draining,
        }
    }

    /// The integral is kept by the count in flight alone and knows no single request's times, so that comparing
    /// it with the sum of service times can find a mistake in either.
    fn integrate(&mut self, now_ns: u64) {
        self.tally.in_flight_request_ns += self.in_flight * self.clip(self.integrated_to_ns, now_ns);
        self.integrated_to_ns = self.integrated_to_ns.max(now_ns);
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// A request of an open loop is due.
    pub(crate) fn due(&mut self, intended_ns: u64) {
        self.tally.offered += u64::from(self.is_within(intended_ns));
    }

    /// Requests that were due and will not be sent.
    pub(crate) fn dropped(&mut self, intended_ns: u64) {
        self.tally.outcomes.dropped += u64::from(self.is_within(intended_ns));
    }

    /// Requests that were due within the window, will not be sent, and are too many to be looked at.
    pub(crate) fn dropped_unseen(&mut self, requests: u64) {
        self.tally.offered += requests;
        self.tally.outcomes.dropped += requests;
    }

    /// A request that was sent before the window is still in flight.
    pub(crate) fn took_over(&mut self, now_ns: u64) {
        self.integrate(now_ns);
        self.in_flight += 1;
    }

    pub(crate) fn sent(&mut self, intended_ns: u64, now_ns: u64) {
        if now_ns < self.integrated_to_ns {
            // It was in flight already for the last part of what has been integrated.
            self.tally.in_flight_request_ns += self.clip(now_ns, self.integrated_to_ns);
        } else {
            self.integrate(now_ns);
        }
        self.in_flight += 1;
        self.tally.sent += 1;
        if self.by_intended {
            if self.is_within(intended_ns) {
                self.tally.send_lag.record(now_ns.saturating_sub(intended_ns));
            }
        } else if self.is_within(now_ns) {
            self.tally.offered += 1;
            if now_ns == intended_ns {
                self.sent_promptly += 1;
            } else {
                self.tally.send_lag.record(now_ns - intended_ns);
            }
        }
    }

    fn finished(&mut self, sent_ns: u64, now_ns: u64) {
        if now_ns < self.integrated_to_ns {
            // It was not in flight any more for the last part of what has been integrated.
            let counted_ns = self.clip(now_ns, self.integrated_to_ns);
            self.tally.in_flight_request_ns = self.tally.in_flight_request_ns.saturating_sub(counted_ns);
        } else {
            self.integrate(now_ns);
        }
        self.in_flight -= 1;
        self.tally.clipped_service_ns += self.clip(sent_ns, now_ns);
    }

    /// A request that went out leaves this window without an answer: it is sent again on another connection, or the
    /// next window takes it over.
    pub(crate) fn withdrawn(&mut self, sent_ns: u64, now_ns: u64) {
        self.finished(sent_ns, now_ns);
    }

    /// A call ended with another `grpc-status` than expected.
    #[cold]
    pub(crate) fn grpc_error(&mut self, code: u16, message: &str, failed: &FailedRequest) {
        if self.stage_of(failed) == Stage::Window {
            *self.tally.grpc_errors.entry(code).or_default() += 1;
        }
        self.example(|| {
            let name = velo_model::grpc_status_name(code).unwrap_or("an unknown code");
            let behind = if message.is_empty() { String::new() } else { format!(": {}", plain(message)) };
            format!("grpc-status {code} ({name}){behind}")
        });
    }

    /// Says what the answer belongs to; one to a request of another plan (`None`) never to the window. A carried request
    /// has no times: the server may have been stopped while it was in flight.
    pub(crate) fn correct(
        &mut self,
        request: Option<usize>,
        status: u16,
        times: &Times,
        carried: bool,
    ) -> Stage {
        self.finished(times.sent_ns, times.done_ns);
        self.keep_span(times.sent_ns, times.done_ns, true);
        let within = self.is_within(if self.by_intended { times.intended_ns } else { times.done_ns });
        let Some(request) = request.filter(|_| within) else {
            let stage = self.stage_outside(times.intended_ns, times.done_ns);
            self.outcomes_of(stage).correct += 1;
            return stage;
        };
        self.tally.outcomes.correct += 1;
        self.tally.requests[request].correct += 1;
        self.status(status);
        if carried {
            return Stage::Window;
        }
        let tally = &mut self.tally;
        record_times(
            times,
            &mut self.plain,
            [&mut tally.service_time, &mut tally.response_time, &mut tally.first_byte_time],
        );
        Stage::Window
    }

    /// What a request belongs to that is not one of the window's.
    fn stage_outside(&self, intended_ns: u64, done_ns: u64) -> Stage {
        match self.stage(intended_ns, done_ns) {
            Stage::Window => Stage::Settling,
            stage => stage,
        }
    }

    fn stage_of(&self, failed: &FailedRequest) -> Stage {
        match failed.request {
            Some(_) => self.stage(failed.intended_ns, failed.done_ns),
            None => self.stage_outside(failed.intended_ns, failed.done_ns),
        }
    }

    /// A whole answer of the window has this status.
    #[inline]
    fn status(&mut self, status: u16) {
        if let Some(count) = self.statuses.get_mut(usize::from(status)) {
            *count += 1;
        }
    }

    /// A correct answer had something behind it that no request asked for, so it was none.
    pub(crate) fn spoilt(&mut self, answer: &CountedAnswer) {
        let CountedAnswer { request, times, carried, stage } = answer;
        if self.keeps_spans {
            let since = |ns: u64| ns.saturating_sub(self.window_start_ns);
            let own = (since(times.sent_ns), since(times.done_ns), true);
            let mut spans = self.tally.spans.iter_mut().rev();
            if let Some(span) = spans.find(|span| (span.sent_ns, span.done_ns, span.is_correct) == own) {
                span.is_correct = false;
            }
        }
        let outcomes = self.outcomes_of(*stage);
        outcomes.correct -= 1;
        outcomes.wrong_answer += 1;
        let Some(request) = request.filter(|_| *stage == Stage::Window) else { return };
        self.tally.requests[request].correct -= 1;
        self.tally.requests[request].failed += 1;
        if !carried {
            let back = self.taken_back.get_or_insert_default();
            record_times(
                times,
                &mut back.plain,
                [&mut back.service_time, &mut back.response_time, &mut back.first_byte_time],
            );
        }
    }

    /// A request in flight failed.
    pub(crate) fn failed(&mut self, failure: Failure, failed: &FailedRequest) {
        self.finished(failed.sent_ns, failed.done_ns);
        self.keep_span(failed.sent_ns, failed.done_ns, false);
        let stage = self.stage_of(failed);
        self.count(failure, stage);
        if stage == Stage::Window {
            failed.request.into_iter().for_each(|request| self.tally.requests[request].failed += 1);
            failed.status.into_iter().for_each(|status| self.status(status));
        }
    }

    /// A request failed that was not in flight.
    pub(crate) fn failed_unsent(&mut self, failure: Failure, intended_ns: u64, now_ns: u64) {
        let stage = self.stage(intended_ns, now_ns);
        self.count(failure, stage);
    }

    fn count(&mut self, failure: Failure, stage: Stage) {
        let outcomes = self.outcomes_of(stage);
        *match failure {
            Failure::WrongAnswer => &mut outcomes.wrong_answer,
            Failure::HttpError => &mut outcomes.http_error,
            Failure::Truncated => &mut outcomes.truncated,
            Failure::Timeout => &mut outcomes.timeout,
            Failure::ConnectError => &mut outcomes.connect_error,
            Failure::ClosedByServer => &mut outcomes.closed_by_server,
            Failure::Refused => &mut outcomes.refused,
        } += 1;
    }

    /// Settling is over: examples and traffic until now are not the window's.
    pub(crate) fn settled(&mut self) {
        self.examples_looked_at = 0;
        self.tally.settling_examples = std::mem::take(&mut self.tally.wrong_examples);
        self.before_window = self.traffic();
    }

    /// The window is over: traffic from now on is not its own.
    pub(crate) fn ended(&mut self) {
        self.until_end = Some(self.traffic());
    }

    fn traffic(&self) -> Traffic {
        let Tally { sent_bytes, received_bytes, messages, .. } = self.tally;
        Traffic { sent_bytes, received_bytes, messages }
    }

    /// Keeps the first few failures in words, each once.
    pub(crate) fn example(&mut self, text: impl FnOnce() -> String) {
        let examples = &mut self.tally.wrong_examples;
        if examples.len() < MOST_EXAMPLES && self.examples_looked_at < MOST_LOOKED_AT {
            self.examples_looked_at += 1;
            let text: String = text().chars().take(LONGEST_EXAMPLE).collect();
            if !examples.contains(&text) {
                examples.push(text);
            }
        }
    }

    /// The connection remembers what was drawn.
    pub(crate) fn toss(&mut self, toss: Toss, draws: &mut Draws) {
        self.coin.toss(toss, draws);
    }

    /// The counts so far.
    pub(crate) fn so_far(&self) -> Tally {
        let mut tally = self.tally.clone();
        self.complete(&mut tally);
        tally
    }

    /// Nothing more will come.
    pub(crate) fn finish(mut self, now_ns: u64) -> Tally {
        self.integrate(now_ns);
        self.until_end = Some(self.until_end.unwrap_or_else(|| self.traffic()));
        let mut tally = std::mem::take(&mut self.tally);
        self.complete(&mut tally);
        tally
    }

    /// Puts together what was counted apart because it is cheaper so.
    fn complete(&self, tally: &mut Tally) {
        for times in [&mut tally.service_time, &mut tally.response_time, &mut tally.first_byte_time] {
            self.plain.add_to(times);
        }
        if let Some(back) = &self.taken_back {
            let mut plain = Histogram::new();
            back.plain.add_to(&mut plain);
            let histograms = [
                (&mut tally.service_time, &back.service_time),
                (&mut tally.response_time, &back.response_time),
                (&mut tally.first_byte_time, &back.first_byte_time),
            ];
            for (times, apart) in histograms {
                times.take_back(apart);
                times.take_back(&plain);
            }
        }
        let (before, until) = (self.before_window, self.until_end.unwrap_or_else(|| self.traffic()));
        tally.sent_bytes = until.sent_bytes.saturating_sub(before.sent_bytes);
        tally.received_bytes = until.received_bytes.saturating_sub(before.received_bytes);
        tally.messages = until.messages.saturating_sub(before.messages);
        tally.send_lag.record_many(0, self.sent_promptly);
        tally.coin = self.coin.counts();
        let seen = self.statuses.iter().enumerate().filter(|(_, count)| **count > 0);
        tally.statuses = seen.map(|(status, &count)| (status as u16, count)).collect();
    }
}

/// Puts the times of an answer where they belong.
#[inline]
fn record_times(times: &Times, plain: &mut Repeated, apart: [&mut Histogram; 3]) {
    let since = |ns: u64| times.done_ns.saturating_sub(ns);
    if times.first_byte_ns == times.done_ns && times.intended_ns == times.sent_ns {
        plain.record(since(times.sent_ns));
    } else {
        let [service_time, response_time, first_byte_time] = apart;
        service_time.record(since(times.sent_ns));
        response_time.record(since(times.intended_ns));
        first_byte_time.record(times.first_byte_ns.saturating_sub(times.sent_ns));
    }
}
