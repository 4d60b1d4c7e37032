//! Before anything is measured: every contender is built, started once, and checked.

use std::path::Path;
use std::time::Duration;

use velo_model::{Contender, Protocol, Workload};
use velo_record::{ContenderState, Stage, StopRecord};

use crate::LabError;
use crate::build::builder::{self, Built, NotBuilt};
use crate::clock::Clock;
use crate::host::toolchain::Missing;
use crate::prepare::conformance;
use crate::prepare::context::Context;
use crate::prepare::speech;
use crate::process::end::STOP_LIMIT;
use crate::progress::Event;
use crate::sides::origin::{Origin, Peer};
use crate::sides::serve_side::Server;

/// How long a contender is watched without load: one that keeps its CPU busy while idle would look server-bound.
const IDLE_LOOK: Duration = Duration::from_millis(200);
/// How often it is looked at, at most.
const IDLE_LOOKS: u32 = 10;
/// So little of a CPU is quiet; half of what the judge allows.
const IDLE_ENOUGH: f64 = 0.025;

/// The contenders that passed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Passed {
    pub(crate) servers: Vec<Verified>,
    pub(crate) tasks: Vec<VerifiedTask>,
}

/// A task that passed in a workload.
#[derive(Debug, Clone)]
pub(crate) struct VerifiedTask {
    /// By its index in the records.
    pub(crate) record: usize,
    pub(crate) built: Built,
    /// By its index in the run's workloads.
    pub(crate) workload: usize,
    /// What one of its processes will take, by what this one took.
    pub(crate) expected: Duration,
}

/// A contender that passed, by its index in the records.
#[derive(Debug, Clone)]
pub(crate) struct Verified {
    pub(crate) record: usize,
    pub(crate) origin: Origin,
    pub(crate) stop_ns: u64,
    pub(crate) processes: usize,
}

impl Context<'_> {
    /// Builds every contender that speaks the protocol and does not run already, and looks the others up.
    ///
    /// # Errors
    /// When builds cannot be kept; then none is tried.
    pub(crate) fn build(
        &mut self,
        cache_dir: &Path,
        protocol: Protocol,
    ) -> Result<Vec<(usize, Origin)>, LabError> {
        for record in &mut self.records {
            if let Some(Missing { reason, cure }) = speech::missing(&record.manifest, protocol) {
                record.state = ContenderState::Skipped { reason, cure: Some(cure) };
            }
        }
        let speaking =
            (0..self.records.len()).filter(|&index| self.records[index].state == ContenderState::Pending);
        let is_running = |index: &usize| self.records[*index].manifest.runs_at.is_some();
        let (running, own): (Vec<usize>, Vec<usize>) = speaking.partition(is_running);
        if !own.is_empty() {
            builder::check_cache(cache_dir)?;
        }
        let contenders: Vec<Contender> =
            own.iter().map(|&index| self.records[index].manifest.clone()).collect();
        let log_dir = self.log_dir.clone();
        let log_path = move |contender: &Contender, kind: &str| {
            log_dir.join(format!("{}.{kind}", contender.name.file_stem()))
        };
        let results = builder::build_all(&contenders, cache_dir, &log_path, self.progress, self.stop);
        let mut ready = Vec::new();
        for (index, (result, left)) in own.into_iter().zip(results) {
            self.records[index].left_by_build = left;
            match result {
                Ok(one) => {
                    let record = &mut self.records[index];
                    record.version = Some(one.version.clone());
                    record.toolchains.clone_from(&one.toolchains);
                    record.build = Some(one.record.clone());
                    ready.push((index, Origin::Built(one)));
                }
                Err(NotBuilt::Skipped { reason, cure }) => {
                    self.records[index].state = ContenderState::Skipped { reason, cure };
                }
                Err(NotBuilt::BuildFailed(reason)) => self.exclude(index, Stage::Build, reason),
                Err(NotBuilt::NoVersion(reason)) => self.exclude(index, Stage::Version, reason),
                Err(NotBuilt::Stopped) => {}
            }
        }
        for index in running {
            let authority = self.records[index].manifest.runs_at.clone().unwrap_or_default();
            let name = self.records[index].manifest.name.clone();
            let found = Peer::find(&authority).and_then(|peer| {
                let (external, found) = self.pad.find(&name, &peer)?;
                Ok((external, Origin::Running { peer, found }))
            });
            match found {
                Ok((external, origin)) => {
                    self.records[index].external = Some(external);
                    ready.push((index, origin));
                }
                Err(reason) => self.exclude(index, Stage::Start, reason),
            }
        }
        Ok(ready)
    }

    /// Starts each contender once and tries the conformance cases.
    pub(crate) fn verify(&mut self, ready: Vec<(usize, Origin)>, workloads: &[Workload]) -> Passed {
        let of = ready.len();
        let mut passed = Passed::default();
        for (done, (index, origin)) in ready.into_iter().enumerate() {
            if self.stop.asked() {
                break;
            }
            match &origin {
                Origin::Built(built) if !self.records[index].manifest.role.is_server() => {
                    passed.tasks.extend(self.verify_task(index, built, workloads));
                }
                _ => {
                    if let Some((stop_ns, processes)) = self.verify_one(index, &origin, workloads) {
                        passed.servers.push(Verified { record: index, origin, stop_ns, processes });
                    }
                }
            }
            self.note_logs();
            let record = &self.records[index];
            let failed = record.cases.iter().filter(|case| case.required && !case.passed).count();
            let contender = record.manifest.name.clone();
            let cases = record.cases.len();
            self.progress.event(&Event::VerifyDone { contender, cases, failed, done: done + 1, of });
        }
        passed
    }

    /// How long it took to stop and how many processes it had, when all is well.
    fn verify_one(&mut self, index: usize, origin: &Origin, workloads: &[Workload]) -> Option<(u64, usize)> {
        let manifest = self.records[index].manifest.clone();
        let own: Vec<usize> =
            (0..workloads.len()).filter(|&number| workloads[number].is_for(&manifest)).collect();
        let mut server = match self.launch(index, origin, workloads, *own.first()?) {
            Ok(server) => server,
            Err(reason) => {
                self.exclude_unless_stopped(index, Stage::Start, reason);
                return None;
            }
        };
        for &number in &own {
            // Other loads of a workload ask the same.
            let workload = &workloads[number];
            if own.iter().any(|&other| other < number && workloads[other].listed_as() == workload.listed_as())
            {
                continue;
            }
            let workload = &*workload.asked_of(&manifest);
            let cases = conformance::verify(server.peer(), workload, self.data.set(number, 0), self.seed);
            self.records[index].cases.extend(cases);
            let renewed = self.data.set(number, 1);
            if !renewed.is_empty() {
                let case = match server.renew(renewed) {
                    Ok(()) => conformance::verify_renewed(server.peer(), workload, renewed, self.seed),
                    Err(error) => {
                        server.end();
                        self.exclude(index, Stage::Verify, format!("its data cannot be replaced: {error}"));
                        return None;
                    }
                };
                self.records[index].cases.push(case);
            }
        }
        self.records[index].idle_cpu_share = idle_cpu_share(server.as_ref(), self.clock.as_ref());
        let died = server.is_running().err();
        let processes = server.pids().len();
        let stopped = server.end();

        let failure = self.records[index].cases.iter().find(|case| case.required && !case.passed);
        let reason = failure.map(|case| format!("{}, {}: {}", case.workload, case.case, case.got));
        if let Some(reason) = reason.or(died) {
            self.exclude(index, Stage::Verify, reason);
            return None;
        }
        if let Some(fault) = stopped.as_ref().and_then(fault_of_end) {
            self.exclude(index, Stage::Verify, fault);
            return None;
        }
        Some((stopped.map_or(0, |stopped| stopped.duration_ns), processes))
    }
}

/// What was wrong with how a contender stopped, in one line, if anything was.
pub(crate) fn fault_of_end(stopped: &StopRecord) -> Option<String> {
    let killed = || format!("it did not end within {} s of SIGTERM and was killed", STOP_LIMIT.as_secs());
    stopped.fault.clone().or_else(|| (!stopped.by_sigterm).then(killed))
}

/// The least of some looks: what a compiler or a collector still has to do after verification is not idling.
fn idle_cpu_share(server: &dyn Server, clock: &dyn Clock) -> Option<f64> {
    let mut least: Option<f64> = None;
    for _ in 0..IDLE_LOOKS {
        let before = server.cpu_ns()?;
        let began = clock.now();
        clock.sleep(IDLE_LOOK);
        let used = server.cpu_ns()?.saturating_sub(before);
        let share = used as f64 / clock.since(began).as_nanos() as f64;
        least = Some(least.map_or(share, |least| least.min(share)));
        if share < IDLE_ENOUGH {
            break;
        }
    }
    least
}
