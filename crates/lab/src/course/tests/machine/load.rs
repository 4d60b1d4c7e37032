//! What loads in tests.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use velo_load::{
    Edge, EdgeHook, Endpoint, GeneratorError, PerRequest, Schedule, Shape, Tally, Target, WindowReport,
    WindowSettings,
};

use super::world::World;
use crate::sides::load_side::{LoadSide, TargetNumber};

/// CPU time of the generator for a request.
const GENERATOR_NS: u64 = 3_000;
/// What a server takes at the least to answer.
const SERVICE_NS: u64 = 50_000;
/// A request is sent so long after it is due.
const SEND_LAG_NS: u64 = 2_000;
/// The last answers take so long.
const DRAIN: Duration = Duration::from_millis(1);

/// What came of a stretch of load.
struct Served {
    answered: u64,
    lasted: Duration,
    is_dead: bool,
    is_silent: bool,
}

impl World {
    /// Loads a contender at most so fast, at a share of its own speed, and so long.
    fn load(&self, process: u32, most_per_s: f64, pace: f64, duration: Duration) -> Served {
        let mut state = self.state();
        let passed = state.pass(duration);
        let noise = state.life(process).model.noise;
        let factor = state.noise(noise);
        let life = state.life(process);
        let speaking = passed.saturating_sub(life.silence());
        let is_silent = life.has_died || (speaking.is_zero() && !passed.is_zero());
        life.loaded += passed;
        let per_s = if is_silent { 0.0 } else { most_per_s.min(pace * life.model.per_s * factor) };
        let mut answered = (per_s * speaking.as_secs_f64()) as u64;
        if let Some(left) = life.left() {
            answered = answered.min(left);
            life.has_died |= answered == left;
        }
        life.answered += answered;
        life.cpu_ns += (answered as f64 / life.model.per_s * 0.98e9) as u64;
        let is_dead = life.has_died;
        state.own_ns += answered * GENERATOR_NS;
        Served { answered, lasted: passed, is_dead, is_silent }
    }

    fn check_stopped(&self, process: u32) {
        for (&other, life) in self.state().lives.iter().filter(|(_, life)| life.is_own && !life.has_ended) {
            assert!(!life.is_frozen || other != process, "a contender is loaded that is stopped");
            assert!(life.is_frozen || other == process, "another contender runs while one is loaded");
        }
    }
}

impl LoadSide for World {
    fn add(&mut self, target: &Target) -> Result<TargetNumber, GeneratorError> {
        let Some(Endpoint::Tcp(address)) = target.endpoints.first() else { return Err(GeneratorError::Gone) };
        let mut state = self.state();
        state.targets.push(Some(Self::process_at(address.port())));
        Ok(TargetNumber(state.targets.len() - 1))
    }

    fn remove(&mut self, target: TargetNumber) {
        self.state().targets[target.0] = None;
    }

    fn window(
        &mut self,
        target: TargetNumber,
        settings: &WindowSettings,
        hook: Option<&EdgeHook>,
        stop: &Arc<AtomicBool>,
    ) -> Result<WindowReport, GeneratorError> {
        let process = self.state().targets[target.0].ok_or(GeneratorError::Gone)?;
        self.check_stopped(process);
        match &mut self.state().windows_left {
            Some(0) => return Err(GeneratorError::Gone),
            Some(left) => *left -= 1,
            None => {}
        }
        let pass = |edge| {
            if let Some(hook) = hook {
                hook(edge);
            }
        };
        let most_per_s = match &settings.schedule {
            Schedule::Open(arrivals) => match arrivals.shape {
                Shape::Constant { per_s } => per_s,
                _ => unreachable!("a course loads at constant rates"),
            },
            Schedule::Closed { .. } => f64::INFINITY,
        };
        let per_s = self.state().life(process).model.per_s;
        let duration = match settings.most_requests {
            Some(requests) => Duration::from_secs_f64(requests as f64 / per_s),
            None => Duration::from_nanos(settings.duration_ns),
        };
        let pace = {
            let mut state = self.state();
            let now = state.now;
            state.life(process).pace_on(settings.plan, now)
        };
        let settled = self.load(process, most_per_s, pace, Duration::from_nanos(settings.settling_ns));
        pass(Edge::WindowStart);
        let mut served = self.load(process, most_per_s, pace, duration);
        pass(Edge::WindowEnd);
        if let Some(requests) = settings.most_requests.filter(|_| !served.is_silent) {
            served.answered = requests;
        }
        let drain = if served.is_silent && !served.is_dead {
            let silence = self.state().life(process).silence();
            Duration::from_nanos(settings.drain_limit_ns).min(silence.saturating_add(DRAIN))
        } else {
            DRAIN
        };
        let drained = {
            let mut state = self.state();
            let drained = state.pass(drain);
            let now = state.now;
            let life = state.life(process);
            life.loaded += drained;
            life.asked_at = now;
            drained
        };
        let cpu_ns = served.answered * GENERATOR_NS;
        Ok(WindowReport {
            tally: tally(settings, &settled, &served, most_per_s),
            asked: settings.connections,
            settling_ns: settings.settling_ns,
            duration_ns: served.lasted.as_nanos() as u64,
            drain_ns: drained.as_nanos() as u64,
            interrupted: self.state().is_stopped() || stop.load(std::sync::atomic::Ordering::Relaxed),
            driver: "fake",
            scheduled_ns: None,
            thread_cpu_ns: vec![cpu_ns],
            thread_cpu_total_ns: vec![cpu_ns + settled.answered * GENERATOR_NS],
        })
    }
}

fn tally(settings: &WindowSettings, settled: &Served, served: &Served, most_per_s: f64) -> Tally {
    let connections = settings.connections;
    let answered = served.answered;
    let lasted_ns = served.lasted.as_nanos() as u64;
    let mut tally = Tally::default();
    tally.outcomes.correct = answered;
    tally.settling.correct = settled.answered;
    tally.requests = vec![PerRequest { correct: answered, failed: 0 }];
    let is_open = most_per_s.is_finite();
    let due = most_per_s * served.lasted.as_secs_f64();
    tally.offered = if is_open { due as u64 } else { answered };
    tally.sent = answered;
    if served.is_dead {
        tally.outcomes.closed_by_server = u64::from(connections);
    } else {
        tally.established = connections;
        tally.completions = vec![(answered / u64::from(connections)) as u32; connections as usize];
    }
    if answered == 0 {
        tally.outcomes.timeout = if served.is_dead { 0 } else { u64::from(connections) };
        return tally;
    }
    let service_ns = if is_open { SERVICE_NS } else { lasted_ns * u64::from(connections) / answered };
    // Where more is due than is answered, each request waits longer than the one before.
    let behind = if is_open { 1.0 - answered as f64 / due } else { 0.0 };
    let lag_ns = SEND_LAG_NS + (0.5 * behind.max(0.0) * lasted_ns as f64) as u64;
    tally.in_flight_request_ns = service_ns * answered;
    tally.clipped_service_ns = service_ns * answered;
    tally.service_time.record_many(service_ns, answered);
    tally.first_byte_time.record_many(service_ns, answered);
    tally.response_time.record_many(service_ns + lag_ns, answered);
    tally.send_lag.record_many(lag_ns, answered);
    tally
}
