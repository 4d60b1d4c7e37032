//! Simulated loads with known effects: the ground truth for judging. Nothing is measured here.

use velo_record::{
    EncodedHistogram, LoadConnections, LoadRecord, LoadSchedule, LoadSettings, LoadTarget, Outcomes,
    RequestCounts,
};
use velo_stats::Histogram;

use super::words::thousands;

const CONNECTIONS: u32 = 64;
/// CPU time that the simulated generator needs for a request.
const GENERATOR_NS: u64 = 4_400;
const SEND_LAG_NS: u64 = 20_000;

/// The service time of the simulated server that a share `q` of the requests does not exceed: 0.17 ms at least, a median
/// of 0.19 ms, a 99th percentile of 2 ms.
pub fn service_ns(q: f64) -> f64 {
    150_000.0 + 20_000.0 / (1.0 - q + 0.000_8)
}

/// An open loop with so many evenly spaced requests per second, each sent 20 us late and answered in its
/// [`service_ns`].
pub fn open_loop(per_s: u32, seconds: u32) -> LoadRecord {
    let requests = u64::from(per_s) * u64::from(seconds);
    let schedule = LoadSchedule::Open {
        shape: format!("{}/s", thousands(per_s.into())),
        spacing: "poisson".to_owned(),
        expected: requests as f64,
    };
    record(schedule, requests, seconds, SEND_LAG_NS)
}

/// A closed loop over 64 connections that are always kept busy by a server with the service times of [`service_ns`].
pub fn closed_loop(seconds: u32) -> LoadRecord {
    // Little's law: the connections over the mean service time, that of 1,000 requests.
    let mean_ns = services(1_000).map(|ns| ns as f64).sum::<f64>() / 1_000.0;
    let requests =
        (f64::from(CONNECTIONS) * f64::from(seconds) * 1e9 / (mean_ns + GENERATOR_NS as f64)) as u64;
    record(LoadSchedule::Closed { think_ns: 0 }, requests, seconds, 300)
}

/// Each request's service time, ascending.
fn services(requests: u64) -> impl Iterator<Item = u64> {
    (0..requests).map(move |index| service_ns((index as f64 + 0.5) / requests as f64) as u64)
}

fn record(schedule: LoadSchedule, requests: u64, seconds: u32, lag_ns: u64) -> LoadRecord {
    let [mut response, mut service, mut first_byte, mut lag, mut connect] =
        std::array::from_fn(|_| Histogram::new());
    let mut in_flight = 0;
    for ns in services(requests) {
        service.record(ns);
        first_byte.record(ns - 5_000);
        response.record(ns + lag_ns);
        lag.record(lag_ns);
        in_flight += ns;
    }
    (0..u64::from(CONNECTIONS)).for_each(|index| connect.record(40_000 + index * 500));
    LoadRecord {
        velo: "0.1.0".to_owned(),
        build: "release".to_owned(),
        started_at: "2026-11-21T10:31:02Z".to_owned(),
        command: vec!["velo".to_owned(), "load".to_owned(), "http://127.0.0.1:3000/coin".to_owned()],
        target: LoadTarget {
            url: "http://127.0.0.1:3000/coin".to_owned(),
            endpoints: vec!["127.0.0.1:3000".to_owned()],
            tls: None,
        },
        settings: LoadSettings {
            schedule,
            connections: CONNECTIONS,
            cpus: vec![1],
            duration_ns: Some(u64::from(seconds) * 1_000_000_000),
            most_requests: None,
            warm_up_ns: 0,
            timeout_ns: 5_000_000_000,
            drops_when_full: false,
            pipelining: 1,
            requests_per_connection: None,
            busy_poll: false,
            checks_bodies: true,
            seed: 7_341,
            requests_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        },
        driver: "io_uring".to_owned(),
        interrupted: false,
        gave_up: false,
        duration_ns: u64::from(seconds) * 1_000_000_000,
        drain_ns: 300_000,
        outcomes: Outcomes { correct: requests, ..Outcomes::default() },
        correct_outside: 0,
        requests: vec![RequestCounts { name: "coin".to_owned(), correct: requests, failed: 0 }],
        statuses: [(200, requests)].into(),
        examples: Vec::new(),
        offered: requests,
        sent: requests,
        sent_bytes: requests * 120,
        received_bytes: requests * 180,
        response_time: EncodedHistogram::new(&response),
        service_time: EncodedHistogram::new(&service),
        first_byte_time: EncodedHistogram::new(&first_byte),
        send_lag: EncodedHistogram::new(&lag),
        connect_time: EncodedHistogram::new(&connect),
        handshake_time: EncodedHistogram::default(),
        resumed: 0,
        connections: LoadConnections {
            established: CONNECTIONS,
            closed_as_announced: 0,
            reconnects: 0,
            no_port: 0,
            completions: vec![(requests / u64::from(CONNECTIONS)) as u32; CONNECTIONS as usize],
        },
        in_flight_request_ns: in_flight,
        clipped_service_ns: in_flight,
        generator_cpu_ns: vec![requests * GENERATOR_NS],
        process_cpu_ns: requests * GENERATOR_NS + 3_000_000,
        peak_memory_bytes: Some(9_000_000),
    }
}
