mod repeated;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use velo_counts::{CoinCounts, Outcomes, RequestSpan};
use velo_stats::Histogram;

use self::repeated::Repeated;
use crate::check::Toss;
use crate::draws::{DrawCounter, Draws};
use crate::show::plain;
use crate::tls::TlsFacts;

/// Counts of one request of the mix.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PerRequest {
    /// Correct answers within the window.
    pub correct: u64,
    /// Failures of any class.
    pub failed: u64,
}

/// What one worker counted in a window, or all of them together.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Correct answers within the window, and failures whenever they were seen.
    pub outcomes: Outcomes,
    /// Correct answers in settling and draining.
    pub correct_outside: u64,
    /// For each request of the mix.
    pub requests: Vec<PerRequest>,
    /// The first wrong answers in words.
    pub wrong_examples: Vec<String>,
    /// Connections open at the window's end.
    pub established: u32,
    /// Connections that were not open at the window's end because the server had closed them as it had announced, with
    /// `Connection: close` or HTTP/1.0.
    pub closed_as_announced: u32,
    /// Connections reopened because they had been closed while nothing was asked of them.
    pub reopened_after_stop: u32,
    /// Requests still in flight at the end, which the next window takes over.
    pub carried: u32,
    /// Connections opened under load: those that were lost, and those that each serve a few requests only.
    pub reconnects: u64,
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
    /// Answers by status code, ascending, whenever they came.
    pub statuses: BTreeMap<u16, u64>,
    /// Calls that ended with another `grpc-status` than expected, by code, whenever they ended.
    pub grpc_errors: BTreeMap<u16, u64>,
    /// Messages of streams that the server sent, whenever they came.
    pub messages: u64,
    /// Requests that were due within the window; of a closed loop, those that were sent.
    pub offered: u64,
    /// Requests that were sent, whenever.
    pub sent: u64,
    /// Bytes sent, those of TLS included.
    pub sent_bytes: u64,
    /// Bytes received, those of TLS included.
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
const LONGEST_EXAMPLE: usize = 240;

impl Tally {
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
        self.correct_outside += other.correct_outside;
        self.requests.resize(self.requests.len().max(other.requests.len()), PerRequest::default());
        for (sum, more) in self.requests.iter_mut().zip(&other.requests) {
            sum.correct += more.correct;
            sum.failed += more.failed;
        }
        for example in &other.wrong_examples {
            if self.wrong_examples.len() < MOST_EXAMPLES && !self.wrong_examples.contains(example) {
                self.wrong_examples.push(example.clone());
            }
        }
        self.established += other.established;
        self.closed_as_announced += other.closed_as_announced;
        self.gave_up |= other.gave_up;
        self.reopened_after_stop += other.reopened_after_stop;
        self.carried += other.carried;
        self.reconnects += other.reconnects;
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
    /// It counts for the window.
    pub(crate) within: bool,
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
        }
    }

    pub(crate) fn begin(&mut self, start_ns: u64, end_ns: u64, by_intended: bool) {
        (self.window_start_ns, self.window_end_ns, self.by_intended) = (start_ns, end_ns, by_intended);
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
        self.integrate(now_ns);
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

    /// A whole answer has this status.
    pub(crate) fn status(&mut self, status: u16) {
        if let Some(count) = self.statuses.get_mut(usize::from(status)) {
            *count += 1;
        }
    }

    /// A call ended with another `grpc-status` than expected.
    #[cold]
    pub(crate) fn grpc_error(&mut self, code: u16, message: &str) {
        *self.tally.grpc_errors.entry(code).or_default() += 1;
        self.example(|| {
            let name = velo_counts::grpc_status_name(code).unwrap_or("an unknown code");
            let behind = if message.is_empty() { String::new() } else { format!(": {}", plain(message)) };
            format!("grpc-status {code} ({name}){behind}")
        });
    }

    /// Says whether the answer counts for the window; one to a request of another plan (`None`) does not. A carried request
    /// has no times: the server may have been stopped while it was in flight.
    pub(crate) fn correct(&mut self, request: Option<usize>, times: &Times, carried: bool) -> bool {
        self.finished(times.sent_ns, times.done_ns);
        self.keep_span(times.sent_ns, times.done_ns, true);
        let within = self.is_within(if self.by_intended { times.intended_ns } else { times.done_ns });
        let Some(request) = request.filter(|_| within) else {
            self.tally.correct_outside += 1;
            return false;
        };
        self.tally.outcomes.correct += 1;
        self.tally.requests[request].correct += 1;
        if carried {
            return true;
        }
        let tally = &mut self.tally;
        record_times(
            times,
            &mut self.plain,
            [&mut tally.service_time, &mut tally.response_time, &mut tally.first_byte_time],
        );
        true
    }

    /// A correct answer had something behind it that no request asked for, so it was none.
    pub(crate) fn spoilt(&mut self, answer: &CountedAnswer) {
        let CountedAnswer { request, times, carried, within } = answer;
        if self.keeps_spans {
            let since = |ns: u64| ns.saturating_sub(self.window_start_ns);
            let own = (since(times.sent_ns), since(times.done_ns), true);
            let mut spans = self.tally.spans.iter_mut().rev();
            if let Some(span) = spans.find(|span| (span.sent_ns, span.done_ns, span.is_correct) == own) {
                span.is_correct = false;
            }
        }
        if let Some(request) = request {
            self.tally.requests[*request].failed += 1;
        }
        self.count(Failure::WrongAnswer);
        if !within {
            self.tally.correct_outside -= 1;
            return;
        }
        self.tally.outcomes.correct -= 1;
        if let Some(request) = request {
            self.tally.requests[*request].correct -= 1;
        }
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
    pub(crate) fn failed(&mut self, failure: Failure, request: Option<usize>, sent_ns: u64, now_ns: u64) {
        self.finished(sent_ns, now_ns);
        self.keep_span(sent_ns, now_ns, false);
        if let Some(request) = request {
            self.tally.requests[request].failed += 1;
        }
        self.count(failure);
    }

    /// A failure of no request in flight.
    pub(crate) fn count(&mut self, failure: Failure) {
        let outcomes = &mut self.tally.outcomes;
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
