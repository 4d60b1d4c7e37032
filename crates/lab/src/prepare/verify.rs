//! Before anything is measured: every contender is built, started once, and checked.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use velo_record::{ContenderRecord, ContenderState, Placement, Stage};
use velo_spec::{Contender, Workload};

use crate::LabError;
use crate::course::tasks::VerifiedTask;
use crate::prepare::build::{self, NotBuilt};
use crate::prepare::command;
use crate::prepare::conformance;
use crate::prepare::data::AllData;
use crate::process::cage::CageMaker;
use crate::process::guard::Guard;
use crate::progress::{Event, Progress, Stop};
use crate::sides::launched::{Launched, Purpose};
use crate::sides::origin::{Origin, Peer};
use crate::sides::started::LaunchPad;

/// How long a contender is watched without load: one that keeps its CPU busy while idle would look server-bound.
const IDLE_LOOK: Duration = Duration::from_millis(200);
/// How often it is looked at, at most.
const IDLE_LOOKS: u32 = 10;
/// So little of a CPU is quiet; half of what the judge allows.
const IDLE_ENOUGH: f64 = 0.025;

/// What preparing and measuring share.
pub(crate) struct Stable<'a> {
    pub(crate) pad: LaunchPad,
    pub(crate) log_dir: PathBuf,
    pub(crate) records: Vec<ContenderRecord>,
    pub(crate) progress: &'a mut dyn Progress,
    pub(crate) stop: &'a Stop,
    /// Of all workloads.
    pub(crate) data: AllData,
    pub(crate) seed: u64,
}

/// The contenders that passed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Passed {
    pub(crate) servers: Vec<Verified>,
    pub(crate) tasks: Vec<VerifiedTask>,
}

/// A contender that passed, by its index in the records.
#[derive(Debug, Clone)]
pub(crate) struct Verified {
    pub(crate) record: usize,
    pub(crate) origin: Origin,
    pub(crate) stop_ns: u64,
    pub(crate) processes: usize,
}

impl<'a> Stable<'a> {
    pub(crate) fn new(
        contenders: &[Contender],
        workloads: &[Workload],
        placement: &Placement,
        log_dir: PathBuf,
        seed: u64,
        progress: &'a mut dyn Progress,
        stop: &'a Stop,
    ) -> Result<Self, LabError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| LabError::Io { path, source }
        };
        std::fs::create_dir_all(&log_dir).map_err(io(&log_dir))?;
        let log_dir = std::fs::canonicalize(&log_dir).map_err(io(&log_dir))?;
        let mut guard = Guard::start().map_err(io(Path::new("/proc/self/exe")))?;
        let folder = tempfile::Builder::new().prefix("velo-").tempdir();
        let folder = folder.map_err(io(&std::env::temp_dir()))?;
        guard.watch_folder(folder.path());
        let now = jiff::Timestamp::now().as_millisecond();
        let pad = LaunchPad {
            cages: CageMaker::find(),
            guard,
            folder,
            server_cpus: placement.server_cpus.clone(),
            run_name: format!("velo-{}-{now}", std::process::id()),
            launches: 0,
        };
        let records = contenders
            .iter()
            .map(|contender| ContenderRecord {
                manifest: contender.clone(),
                twin_of: None,
                state: ContenderState::Pending,
                version: None,
                notes: notes(contender),
                toolchains: Vec::new(),
                build: None,
                left_by_build: Vec::new(),
                cases: Vec::new(),
                idle_cpu_share: None,
                launches: Vec::new(),
                tasks: Vec::new(),
            })
            .collect();
        let data = AllData::make(workloads, seed);
        Ok(Self { pad, log_dir, records, progress, stop, data, seed })
    }

    /// Builds every contender that does not run already, and looks the others up.
    ///
    /// # Errors
    /// When builds cannot be kept; then none is tried.
    pub(crate) fn build(&mut self, cache_dir: &Path) -> Result<Vec<(usize, Origin)>, LabError> {
        let is_running = |index: &usize| self.records[*index].manifest.runs_at.is_some();
        let (running, own): (Vec<usize>, Vec<usize>) = (0..self.records.len()).partition(is_running);
        if !own.is_empty() {
            build::check_cache(cache_dir)?;
        }
        let contenders: Vec<Contender> =
            own.iter().map(|&index| self.records[index].manifest.clone()).collect();
        let log_dir = self.log_dir.clone();
        let log_path = move |contender: &Contender, kind: &str| {
            log_dir.join(format!("{}.{kind}", contender.name.file_stem()))
        };
        let results = build::build_all(&contenders, cache_dir, &log_path, self.progress, self.stop);
        for (&index, contender) in own.iter().zip(&contenders) {
            self.records[index].left_by_build = command::take_left(&log_path(contender, "build.log"));
        }
        let mut ready = Vec::new();
        for (index, result) in own.into_iter().zip(results) {
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
            match Peer::find(&authority) {
                Ok(peer) => ready.push((index, Origin::Running(peer))),
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
                Origin::Built(built) if self.records[index].manifest.is_task => {
                    passed.tasks.extend(self.verify_task(index, built, workloads));
                }
                _ => {
                    if let Some((stop_ns, processes)) = self.verify_one(index, &origin, workloads) {
                        passed.servers.push(Verified { record: index, origin, stop_ns, processes });
                    }
                }
            }
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
        let mut launched = match self.launch(index, origin, workloads, *own.first()?) {
            Ok(launched) => launched,
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
            let cases = conformance::verify(&launched.peer, workload, self.data.set(number, 0), self.seed);
            self.records[index].cases.extend(cases);
            let renewed = self.data.set(number, 1);
            if !renewed.is_empty() {
                let case = match launched.renew(renewed) {
                    Ok(()) => conformance::verify_renewed(&launched.peer, workload, renewed, self.seed),
                    Err(error) => {
                        launched.end(&mut self.pad.guard);
                        self.exclude(index, Stage::Verify, format!("its data cannot be replaced: {error}"));
                        return None;
                    }
                };
                self.records[index].cases.push(case);
            }
        }
        self.records[index].idle_cpu_share = idle_cpu_share(&launched);
        let died = launched.is_running().err();
        let processes = launched.pids().len();
        let stopped = launched.end(&mut self.pad.guard);

        let failure = self.records[index].cases.iter().find(|case| case.required && !case.passed);
        let reason = failure.map(|case| format!("{}, {}: {}", case.workload, case.case, case.got));
        if let Some(reason) = reason.or(died) {
            self.exclude(index, Stage::Verify, reason);
            return None;
        }
        if stopped.as_ref().is_some_and(|stopped| !stopped.by_sigterm) {
            self.exclude(index, Stage::Verify, will_not_stop());
            return None;
        }
        Some((stopped.map_or(0, |stopped| stopped.duration_ns), processes))
    }

    /// Starts a contender, once more if it ends by itself while starting; its standard error is kept in the run's logs. One that
    /// runs already is asked whether it answers.
    pub(crate) fn launch(
        &mut self,
        index: usize,
        origin: &Origin,
        workloads: &[Workload],
        first: usize,
    ) -> Result<Launched, String> {
        let manifest = &self.records[index].manifest;
        let log = self.stderr_log(index);
        let own = (0..workloads.len()).filter(|&number| workloads[number].is_for(manifest));
        let purpose = Purpose {
            workload: &workloads[first],
            data: self.data.set(first, 0),
            all_data: own.map(|number| self.data.set(number, 0)).collect(),
            gently: false,
        };
        let built = match origin {
            Origin::Built(built) => built,
            Origin::Running(peer) => return Launched::already(peer, &purpose),
        };
        let launched = self.pad.launch(manifest, built, &purpose, &log, self.stop);
        match launched {
            // Somebody may have taken its port in the meantime, or it cannot bear to be connected to so early.
            Err(failed) if failed.ended_itself && !self.stop.asked() => {
                let purpose = Purpose { gently: true, ..purpose };
                self.pad.launch(manifest, built, &purpose, &log, self.stop)
            }
            launched => launched,
        }
        .map_err(|failed| failed.reason)
    }

    pub(crate) fn stderr_log(&self, index: usize) -> PathBuf {
        self.log_dir.join(format!("{}.stderr", self.records[index].manifest.name.file_stem()))
    }

    /// Records that a contender failed; the run goes on without it.
    pub(crate) fn exclude(&mut self, index: usize, stage: Stage, reason: String) {
        let kind = if matches!(stage, Stage::Build | Stage::Version) { "build.log" } else { "stderr" };
        let record = &mut self.records[index];
        let contender = record.manifest.name.clone();
        // One that runs already writes its own log, wherever that is.
        let log = record.manifest.runs_at.is_none().then(|| format!("logs/{}.{kind}", contender.file_stem()));
        record.state = ContenderState::Excluded { stage, reason: reason.clone(), log };
        self.progress.event(&Event::Excluded { contender, stage, reason });
    }

    /// A contender that was interrupted has not failed.
    pub(crate) fn exclude_unless_stopped(&mut self, index: usize, stage: Stage, reason: String) {
        if !self.stop.asked() {
            self.exclude(index, stage, reason);
        }
    }
}

/// The README of a contender; one that cannot be read is none.
fn notes(contender: &Contender) -> Option<String> {
    const MOST_BYTES: u64 = 32 * 1024;
    if contender.runs_at.is_some() {
        return None;
    }
    let mut bytes = Vec::new();
    let file = velo_spec::open_file(&contender.dir.join("README.md")).ok()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn will_not_stop() -> String {
    "it did not end within 5 s of SIGTERM and was killed".to_owned()
}

/// The least of some looks: what a compiler or a collector still has to do after verification is not idling.
fn idle_cpu_share(launched: &Launched) -> Option<f64> {
    let mut least: Option<f64> = None;
    for _ in 0..IDLE_LOOKS {
        let before = launched.cpu_ns()?;
        let began = Instant::now();
        std::thread::sleep(IDLE_LOOK);
        let used = launched.cpu_ns()?.saturating_sub(before);
        let share = used as f64 / began.elapsed().as_nanos() as f64;
        least = Some(least.map_or(share, |least| least.min(share)));
        if share < IDLE_ENOUGH {
            break;
        }
    }
    least
}
