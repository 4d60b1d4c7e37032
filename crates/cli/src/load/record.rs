//! What was asked and counted, as a record.

use rustix::time::{ClockId, clock_gettime};
use velo_lab::doctor::{CpuQuota, Throttling};
use velo_load::{Mix, WhenFull, WindowReport};
use velo_record::{
    EncodedHistogram, LoadConnections, LoadCpuLimit, LoadGrpcError, LoadMoment, LoadProtocol, LoadRecord,
    LoadSettings, LoadTarget, RequestCounts,
};

use super::flags::LoadArgs;
use super::mix::Asked;
use super::model::Model;
use super::redact::redacted;
use super::shape::nanoseconds;

/// What was asked, from what was made of the flags.
pub(crate) fn settings(
    args: &LoadArgs,
    model: &Model,
    asked: &Asked,
    cpus: &[u32],
    seed: u64,
) -> LoadSettings {
    LoadSettings {
        schedule: model.recorded.clone(),
        connections: model.connections,
        cpus: cpus.to_vec(),
        duration_ns: model.duration.map(nanoseconds),
        most_requests: model.count,
        warm_up_ns: nanoseconds(model.warm_up),
        timeout_ns: nanoseconds(args.timeout()),
        drops_when_full: model.when_full == WhenFull::Drop,
        protocol: match &asked.grpc {
            Some(_) => LoadProtocol::Grpc,
            None if args.connections.http2 => LoadProtocol::Http2,
            None => LoadProtocol::Http1,
        },
        grpc: asked.grpc.clone(),
        pipelining: args.connections.pipelining,
        streams: args.connections.streams.unwrap_or(1),
        requests_per_connection: args.requests_per_connection(),
        busy_poll: args.engine.busy_poll,
        checks_bodies: asked.checks_bodies,
        seed,
        requests_hash: asked.hash.clone(),
    }
}

/// The record of a load that has ended.
pub(crate) fn record(
    started_at: String,
    target: LoadTarget,
    settings: LoadSettings,
    mix: &Mix,
    report: WindowReport,
    moments: Vec<LoadMoment>,
    cpu_limit: Option<LoadCpuLimit>,
) -> LoadRecord {
    let connections = LoadConnections::from(&report.tally);
    let tally = report.tally;
    let streams = settings.grpc.as_ref().is_some_and(|grpc| grpc.server_streams);
    let messages = streams.then_some(tally.messages);
    let args: Vec<String> = crate::again::command_line().iter().skip(1).cloned().collect();
    LoadRecord {
        velo: env!("CARGO_PKG_VERSION").to_owned(),
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        started_at,
        command: redacted(&args),
        target,
        settings,
        driver: report.driver.to_owned(),
        interrupted: report.interrupted,
        gave_up: tally.gave_up,
        duration_ns: report.duration_ns,
        scheduled_ns: report.scheduled_ns,
        drain_ns: report.drain_ns,
        outcomes: tally.outcomes,
        warm_up: tally.settling,
        drained: tally.draining,
        requests: RequestCounts::counted(mix.names(), &tally.requests),
        statuses: tally.statuses,
        grpc_errors: tally.grpc_errors.iter().map(grpc_error).collect(),
        messages,
        examples: tally.wrong_examples,
        offered: tally.offered,
        sent: tally.sent,
        sent_bytes: tally.sent_bytes,
        received_bytes: tally.received_bytes,
        response_time: EncodedHistogram::new(&tally.response_time),
        service_time: EncodedHistogram::new(&tally.service_time),
        first_byte_time: EncodedHistogram::new(&tally.first_byte_time),
        send_lag: EncodedHistogram::new(&tally.send_lag),
        connect_time: EncodedHistogram::new(&tally.connect_time),
        handshake_time: EncodedHistogram::new(&tally.handshake_time),
        resumed: tally.resumed,
        connections,
        in_flight_request_ns: tally.in_flight_request_ns,
        clipped_service_ns: tally.clipped_service_ns,
        moments,
        cpu_limit,
        generator_cpu_ns: report.thread_cpu_ns,
        generator_longest_pause_ns: Some(tally.longest_pause_ns),
        process_cpu_ns: process_cpu_ns(),
        peak_memory_bytes: peak_memory_bytes(),
    }
}

/// The limit on this process's CPU time, and how it was held back by it since `before`.
pub(crate) fn cpu_limit(quota: &CpuQuota, before: &Throttling) -> Option<LoadCpuLimit> {
    let held = quota.throttling().since(before);
    Some(LoadCpuLimit {
        cpus: quota.cpus()?,
        periods: held.map(|held| held.periods),
        throttled_periods: held.map(|held| held.throttled_periods),
        throttled_ns: held.map(|held| held.throttled_ns),
    })
}

fn grpc_error((&code, &calls): (&u16, &u64)) -> LoadGrpcError {
    LoadGrpcError { code, name: velo_load::grpc_status_name(code).map(str::to_owned), calls }
}

/// CPU time of this process since its start.
pub(crate) fn process_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    // OK because a process's time is not negative, and 584 years fit.
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// The most memory that this process had resident.
fn peak_memory_bytes() -> Option<u64> {
    peak_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_in_bytes() {
        assert_eq!(peak_of("VmPeak:\t 9 kB\nVmHWM:\t    3052 kB\nVmRSS:\t 1 kB\n"), Some(3052 * 1024));
        assert_eq!(peak_of("VmHWM: many kB\n"), None);
        assert!(peak_memory_bytes().is_some_and(|bytes| bytes > 100_000));
    }

    #[test]
    fn cpu_time_grows() {
        let before = process_cpu_ns();
        let sum: u64 = (0..3_000_000_u64).map(std::hint::black_box).sum();
        assert!(sum > 0 && process_cpu_ns() > before);
    }
}
