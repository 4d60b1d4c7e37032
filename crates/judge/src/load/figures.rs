//! The figures of a load, each by one formula.

use serde::{Deserialize, Serialize};
use velo_record::{EncodedHistogram, LoadRecord, LoadSchedule};
use velo_stats::Histogram;

use crate::Percentiles;
use crate::doubt::limit::GENERATOR_BUSY;
use crate::doubt::littles_law;
use crate::doubt::offered::achieved_share;

/// What a load comes to. A figure that cannot be made is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadFigures {
    /// Which percentiles are the headline.
    pub headline: Headline,
    /// Correct answers per second of the stretch.
    pub goodput_per_s: Option<f64>,
    /// True when the generator was the limit of a closed loop: the server could serve more, so the goodput is a lower
    /// bound.
    pub at_least: bool,
    /// Requests per second that were due within the stretch, over the time that the schedule gave them; null for a closed loop.
    pub offered_per_s: Option<f64>,
    /// Requests per second that were sent of those that were due within the stretch.
    pub sent_per_s: Option<f64>,
    /// Requests sent over requests due, 0 to 1; null for a closed loop.
    pub achieved_share: Option<f64>,
    /// Requests of the stretch with an outcome.
    pub requests: u64,
    /// Failed of those, dropped ones included.
    pub failed: u64,
    /// Failures over requests, 0 to 1.
    pub failed_share: Option<f64>,
    /// Response times: from the intended start to the last byte.
    pub response: Option<Percentiles>,
    /// Service times: from the actual send to the last byte.
    pub service: Option<Percentiles>,
    /// From the actual send to the first byte.
    pub first_byte: Option<Percentiles>,
    /// From the intended start to the actual send.
    pub send_lag: Option<Percentiles>,
    /// From the first packet to the connection, without TLS.
    pub connect: Option<Percentiles>,
    /// TLS handshakes.
    pub handshake: Option<Percentiles>,
    /// Bytes received per second of the stretch.
    pub received_bytes_per_s: Option<f64>,
    /// Bytes sent per second of the stretch.
    pub sent_bytes_per_s: Option<f64>,
    /// The share of the CPU time that the generator may use, by its threads and the limit of its control group, which it used
    /// within the stretch.
    pub generator_busy_share: Option<f64>,
    /// CPU time of the generator's threads within the stretch for each correct answer in it.
    pub cpu_per_request_ns: Option<f64>,
    /// Requests in flight, mean over the stretch.
    pub in_flight: Option<f64>,
    /// The disagreement between the requests in flight and the service times, as a share of the former.
    pub littles_law: Option<f64>,
    /// The share of what the connections could carry that was in flight or in the generator's hands; null for an open
    /// loop and with think time.
    pub kept_busy: Option<f64>,
}

/// Which percentiles are the headline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Headline {
    /// Response times, of an open loop.
    Response,
    /// Service times, of a closed loop: it has no intended starts of its own.
    Service,
}

/// A duration that a load measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// From the intended start to the last byte.
    Response,
    /// From the actual send to the last byte.
    Service,
    /// From the actual send to the first byte.
    FirstByte,
    /// From the intended start to the actual send.
    SendLag,
    /// From the first packet to the connection, without TLS.
    Connect,
    /// A TLS handshake.
    Handshake,
}

impl Time {
    pub(super) const ALL: [Self; 6] =
        [Self::Response, Self::Service, Self::FirstByte, Self::SendLag, Self::Connect, Self::Handshake];

    /// Its name in conditions and tags: `response`, `first-byte`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Service => "service",
            Self::FirstByte => "first-byte",
            Self::SendLag => "send-lag",
            Self::Connect => "connect",
            Self::Handshake => "handshake",
        }
    }

    /// Its histogram.
    pub fn histogram(self, record: &LoadRecord) -> &EncodedHistogram {
        match self {
            Self::Response => &record.response_time,
            Self::Service => &record.service_time,
            Self::FirstByte => &record.first_byte_time,
            Self::SendLag => &record.send_lag,
            Self::Connect => &record.connect_time,
            Self::Handshake => &record.handshake_time,
        }
    }
}

impl From<Headline> for Time {
    fn from(headline: Headline) -> Self {
        match headline {
            Headline::Response => Self::Response,
            Headline::Service => Self::Service,
        }
    }
}

impl LoadFigures {
    /// What the generator did, with the names that the columns of a table have.
    pub fn of_generator(&self) -> [(&'static str, Option<f64>); 7] {
        [
            ("sent_bytes_per_s", self.sent_bytes_per_s),
            ("received_bytes_per_s", self.received_bytes_per_s),
            ("generator_busy_share", self.generator_busy_share),
            ("cpu_per_request_ns", self.cpu_per_request_ns),
            ("in_flight", self.in_flight),
            ("littles_law_share", self.littles_law),
            ("kept_busy_share", self.kept_busy),
        ]
    }

    /// The percentiles of a duration.
    pub fn of(&self, time: Time) -> Option<&Percentiles> {
        match time {
            Time::Response => self.response.as_ref(),
            Time::Service => self.service.as_ref(),
            Time::FirstByte => self.first_byte.as_ref(),
            Time::SendLag => self.send_lag.as_ref(),
            Time::Connect => self.connect.as_ref(),
            Time::Handshake => self.handshake.as_ref(),
        }
    }

    /// The percentiles that are the headline.
    pub fn headline(&self) -> Option<&Percentiles> {
        self.of(self.headline.into())
    }
}

/// The figures, and the durations whose histograms cannot be read.
pub(super) fn of(record: &LoadRecord) -> (LoadFigures, Vec<Time>) {
    let mut unreadable = Vec::new();
    let mut percentiles = |time: Time| {
        let histogram = time.histogram(record).decode().unwrap_or_else(|_| {
            unreadable.push(time);
            Histogram::new()
        });
        Percentiles::of(&histogram)
    };
    let [response, service, first_byte, send_lag, connect, handshake] = Time::ALL.map(&mut percentiles);

    let open = matches!(record.settings.schedule, LoadSchedule::Open { .. });
    let correct = record.outcomes.correct;
    let failed = record.outcomes.failed();
    let requests = correct.saturating_add(failed);
    let lags = (!unreadable.contains(&Time::SendLag)).then(|| send_lag.as_ref().map_or(0, |lag| lag.samples));
    let sent = sent_of_due(record, open, lags);
    let stretch_ns = record.duration_ns as f64;
    let scheduled_ns = record.scheduled_ns.map_or(stretch_ns, |ns| ns as f64);
    let cpu_ns = record.generator_cpu_ns.iter().map(|cpu| *cpu as f64).sum::<f64>();
    let threads = record.generator_cpu_ns.len() as f64;
    let cpus = record.cpu_limit.map_or(threads, |limit| limit.cpus.min(threads));
    let busy = share(cpu_ns, stretch_ns * cpus);
    let throttled =
        record.cpu_limit.and_then(|limit| limit.throttled_periods).is_some_and(|periods| periods > 0);
    let in_flight_ns = record.in_flight_request_ns as f64;
    let figures = LoadFigures {
        headline: if open { Headline::Response } else { Headline::Service },
        goodput_per_s: per_s(correct, stretch_ns),
        at_least: !open
            && (throttled || (!record.settings.busy_poll && busy.is_some_and(|busy| busy >= GENERATOR_BUSY))),
        offered_per_s: open.then(|| per_s(record.offered, scheduled_ns)).flatten(),
        sent_per_s: per_s(sent, stretch_ns),
        achieved_share: open.then(|| achieved_share(sent, record.offered)).flatten(),
        requests,
        failed,
        failed_share: share(failed as f64, requests as f64),
        response,
        service,
        first_byte,
        send_lag,
        connect,
        handshake,
        received_bytes_per_s: per_s(record.received_bytes, stretch_ns),
        sent_bytes_per_s: per_s(record.sent_bytes, stretch_ns),
        generator_busy_share: busy,
        cpu_per_request_ns: share(cpu_ns, correct as f64),
        in_flight: share(in_flight_ns, stretch_ns),
        littles_law: littles_law::disagreement(in_flight_ns, record.clipped_service_ns as f64),
        kept_busy: kept_busy(record, cpu_ns),
    };
    (figures, unreadable)
}

/// Of the requests that were due within the stretch, those that were sent. Of a closed loop that is all of them: what
/// it does not send is never due. Each request that was sent has its lag; without their histogram all that were sent are the
/// next best, warm-up included. What the schedule had is no evidence: a request that found no connection was due, too.
fn sent_of_due(record: &LoadRecord, open: bool, lags: Option<u64>) -> u64 {
    if !open {
        return record.offered;
    }
    lags.unwrap_or(record.sent).min(record.offered)
}

/// Of what the connections can carry; not where a pause was asked for.
fn kept_busy(record: &LoadRecord, cpu_ns: f64) -> Option<f64> {
    let settings = &record.settings;
    let without_pause = matches!(settings.schedule, LoadSchedule::Closed { think_ns: 0 });
    let streams = settings.streams.min(record.connections.streams_allowed.unwrap_or(u32::MAX)).max(1);
    let on_each = f64::from(settings.pipelining.max(1)) * f64::from(streams);
    let places = f64::from(settings.connections) * on_each;
    let (in_flight_ns, places_ns) = (record.in_flight_request_ns as f64, record.duration_ns as f64 * places);
    without_pause.then(|| littles_law::kept_busy(in_flight_ns, cpu_ns, places_ns)).flatten()
}

fn per_s(count: u64, over_ns: f64) -> Option<f64> {
    share(count as f64 * 1e9, over_ns)
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole).filter(|share| share.is_finite())
}
