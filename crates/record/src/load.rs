use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{EncodedHistogram, Outcomes, RequestCounts};

/// What `velo load` asked and measured: one stretch of load on one server that somebody else runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadRecord {
    /// The version of velo.
    pub velo: String,
    /// `release`, or `debug`: figures of a debug build are worth little.
    pub build: String,
    /// When the load began, as RFC 3339.
    pub started_at: String,
    /// The command line, without secrets: values of headers named `Authorization`, `Cookie` and `Proxy-Authorization` are
    /// replaced by `...`.
    pub command: Vec<String>,
    /// What was loaded.
    pub target: LoadTarget,
    /// What was asked.
    pub settings: LoadSettings,
    /// What moved the bytes: `epoll` or `io_uring`.
    pub driver: String,
    /// Interrupted before its time; the figures are of what was until then.
    pub interrupted: bool,
    /// Given up before its time, because for a while no connection could be opened.
    pub gave_up: bool,
    /// The counted stretch as it was.
    pub duration_ns: u64,
    /// Of an open loop that a count of requests ended: from the stretch's beginning to when the next request would have been due.
    #[serde(default)]
    pub scheduled_ns: Option<u64>,
    /// From its end to the last answer.
    pub drain_ns: u64,
    /// Outcomes of the stretch's requests: of an open loop those that were due within it, of a closed loop those whose outcome was
    /// seen within it.
    // Files of before have the failures of warm-up and draining here, too.
    pub outcomes: Outcomes,
    /// Outcomes of the requests before the stretch, which count nowhere else.
    #[serde(default)]
    pub warm_up: Outcomes,
    /// Outcomes of the requests behind the stretch, which count nowhere else: what a closed loop had in flight at its end.
    #[serde(default)]
    pub drained: Outcomes,
    /// Counts of the stretch for each request of the mix, in its order; a request that got no connection is in none of them.
    pub requests: Vec<RequestCounts>,
    /// Whole answers to the stretch's requests by status code.
    pub statuses: BTreeMap<u16, u64>,
    /// The first failures since the stretch began in words, a few at most.
    pub examples: Vec<String>,
    /// Requests that were due within the stretch; of a closed loop, those that were sent.
    pub offered: u64,
    /// Requests sent, warm-up included.
    pub sent: u64,
    /// Bytes sent within the stretch, those of TLS included.
    pub sent_bytes: u64,
    /// Bytes received within the stretch, those of TLS included.
    pub received_bytes: u64,
    /// Response time of correct answers: from the intended start to the last byte.
    pub response_time: EncodedHistogram,
    /// Service time of correct answers: from the actual send to the last byte.
    pub service_time: EncodedHistogram,
    /// From the actual send to the first byte of correct answers.
    pub first_byte_time: EncodedHistogram,
    /// From the intended start to the actual send.
    pub send_lag: EncodedHistogram,
    /// From the first packet to the connection, without TLS.
    pub connect_time: EncodedHistogram,
    /// TLS handshakes.
    pub handshake_time: EncodedHistogram,
    /// TLS handshakes that resumed an earlier session.
    pub resumed: u64,
    /// Connections.
    pub connections: LoadConnections,
    /// Requests in flight, integrated over the stretch by a counter of its own, in request-nanoseconds.
    pub in_flight_request_ns: u64,
    /// Service times of the requests, each clipped at the stretch's edges, summed: what the integral must equal.
    pub clipped_service_ns: u64,
    /// Calls of gRPC in the stretch that ended with another `grpc-status` than expected, by its code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grpc_errors: Vec<LoadGrpcError>,
    /// Messages of gRPC streams that came within the stretch, right or wrong; null where answers are no streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// The load part by part, warm-up included; empty where nobody watched it, or it was over at once.
    #[serde(default)]
    pub moments: Vec<LoadMoment>,
    /// The limit on the CPU time of the generator's control group; null where there is none.
    #[serde(default)]
    pub cpu_limit: Option<LoadCpuLimit>,
    /// CPU time of each generator thread within the stretch.
    pub generator_cpu_ns: Vec<u64>,
    /// The longest time for which a thread of the generator did not go on when it was to, because it was stopped or others had its
    /// CPU; shorter ones than 50 ms may be missing, and null is in records of earlier versions.
    #[serde(default)]
    pub generator_longest_pause_ns: Option<u64>,
    /// CPU time of the whole process, from its start.
    pub process_cpu_ns: u64,
    /// The most memory that the process had resident.
    pub peak_memory_bytes: Option<u64>,
}

/// A limit on CPU time, as `docker --cpus` and `limits.cpu` set one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadCpuLimit {
    /// So many CPUs' time may be used.
    pub cpus: f64,
    /// Periods of the kernel's, while the load ran, in which something of the group did; null where that is not told.
    pub periods: Option<u64>,
    /// Of those, how many the group was held back in because its time was used up.
    pub throttled_periods: Option<u64>,
    /// How long it was held back, summed over CPUs.
    pub throttled_ns: Option<u64>,
}

/// A part of a load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadMoment {
    /// Its end, since the load began; it begins where the one before ended.
    pub at_ns: u64,
    /// Correct answers per second in it.
    pub correct_per_s: f64,
    /// Failures in it, of any class.
    pub failed: u64,
    /// Requests per second that its schedule asked for in it; null for a closed loop.
    #[serde(default)]
    pub offered_per_s: Option<f64>,
    /// Requests per second that were sent in it.
    #[serde(default)]
    pub sent_per_s: Option<f64>,
    /// The median of the response times, or of a closed loop's service times, of the answers in it that count; null where none did, as in
    /// the warm-up.
    #[serde(default)]
    pub p50_ns: Option<u64>,
    /// Their 99th percentile; null where fewer than 10 samples lie beyond it.
    #[serde(default)]
    pub p99_ns: Option<u64>,
}

/// What was loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadTarget {
    /// The URL as given.
    pub url: String,
    /// Where connections went, in turn: `IP:PORT` or `unix:PATH`.
    pub endpoints: Vec<String>,
    /// How connections were encrypted, if they were.
    pub tls: Option<LoadTls>,
}

/// How connections were encrypted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadTls {
    /// The protocol version of the first connection, as in `TLSv1.3`; null when none was made.
    pub version: Option<String>,
    /// Its cipher suite.
    pub cipher: Option<String>,
    /// Whether certificates were checked.
    pub verified: bool,
    /// Whether sessions could be resumed.
    pub resumption: bool,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadSettings {
    /// The load model.
    pub schedule: LoadSchedule,
    /// Connections, over all threads.
    pub connections: u32,
    /// The CPUs of the generator's threads.
    pub cpus: Vec<u32>,
    /// The stretch that was asked for; null when only a count was.
    pub duration_ns: Option<u64>,
    /// The most requests.
    pub most_requests: Option<u64>,
    /// Load before the stretch, not counted.
    pub warm_up_ns: u64,
    /// A request without a whole answer after this long is a timeout.
    pub timeout_ns: u64,
    /// Whether a request that is due while no connection is free is dropped; else it waits.
    pub drops_when_full: bool,
    /// What requests are carried by.
    #[serde(default)]
    pub protocol: LoadProtocol,
    /// The method that was called, with gRPC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<LoadGrpc>,
    /// Requests in flight on one connection of HTTP/1.1.
    pub pipelining: u32,
    /// Requests in flight on one connection of HTTP/2; 1 with HTTP/1.1.
    #[serde(default = "one")]
    pub streams: u32,
    /// A connection is closed after so many requests.
    pub requests_per_connection: Option<u32>,
    /// Whether the generator waits without sleeping.
    pub busy_poll: bool,
    /// Whether bodies were compared with anything.
    pub checks_bodies: bool,
    /// The seed of everything random.
    pub seed: u64,
    /// SHA-256 over requests and expectations, lower-case hex.
    pub requests_hash: String,
}

/// What requests are carried by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum LoadProtocol {
    /// HTTP/1.1.
    #[default]
    #[serde(rename = "http/1.1")]
    Http1,
    /// HTTP/2.
    #[serde(rename = "h2")]
    Http2,
    /// gRPC, over HTTP/2.
    #[serde(rename = "grpc")]
    Grpc,
}

/// Calls that ended with one `grpc-status` that was not expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadGrpcError {
    /// Its code.
    pub code: u16,
    /// Its name, as in `NOT_FOUND`; null for a code that has none.
    pub name: Option<String>,
    /// How many.
    pub calls: u64,
}

/// How a method of gRPC was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadGrpc {
    /// As in `package.Service/Method`.
    pub method: String,
    /// Whether a call sends a stream of messages.
    pub client_streams: bool,
    /// Whether an answer is a stream of messages; then each was checked.
    pub server_streams: bool,
    /// Messages that each call sent.
    pub messages: u32,
    /// Sent as `grpc-timeout`, and kept by the client as well; null where there was none.
    pub deadline_ns: Option<u64>,
    /// Whether messages were packed with gzip, and might come so.
    pub gzip: bool,
}

fn one() -> u32 {
    1
}

/// A load model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "model")]
pub enum LoadSchedule {
    /// Each connection sends when its answer has come.
    Closed {
        /// The mean pause before it does.
        think_ns: u64,
    },
    /// Requests are due at times of their own.
    Open {
        /// The shape in words, as in `5,000/s` or `ramp from 100/s to 5,000/s over 10 s`.
        shape: String,
        /// `even`, `poisson`, `burst` or `file`.
        spacing: String,
        /// How many requests the shape asks for in the stretch, on average.
        expected: f64,
    },
}

/// Connections of a load.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadConnections {
    /// Open at the stretch's end; an open loop opens as many as it needs.
    pub established: u32,
    /// Of those that were not: closed by the server as it had announced, with `Connection: close` or HTTP/1.0.
    pub closed_as_announced: u32,
    /// Opened again under load: after `Connection: close`, an HTTP/1.0 answer, a limit of requests, a failure, or having been idle.
    pub reconnects: u64,
    /// Closed by the server under load after 0.1 s or more without a request.
    #[serde(default)]
    pub closed_idle: u64,
    /// The shortest time without a request after which it did.
    #[serde(default)]
    pub shortest_idle_ns: Option<u64>,
    /// Not opened because no local port was free.
    pub no_port: u64,
    /// The fewest requests at once that the server has said to take on one; null where it set no limit, and with HTTP/1.1.
    #[serde(default)]
    pub streams_allowed: Option<u32>,
    /// Correct answers in the stretch for each connection.
    pub completions: Vec<u32>,
}
