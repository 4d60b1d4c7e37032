//! What preparing and measuring share: contenders with their records, how they are started, and who is told.

use std::io::Read as _;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use velo_model::{Contender, Workload};
use velo_record::{ContenderRecord, ContenderState, Stage};

use crate::LabError;
use crate::build::builder::Built;
use crate::build::data::AllData;
use crate::clock::Clock;
use crate::host::network::Network;
use crate::progress::{Event, Progress, Stop};
use crate::sides::files::Files;
use crate::sides::origin::Origin;
use crate::sides::serve_side::{Purpose, ServeSide, Server, TaskStart, Worker};

/// What preparing and measuring share.
pub(crate) struct Context<'a> {
    /// Starts contenders.
    pub(crate) pad: Box<dyn ServeSide>,
    pub(crate) clock: Rc<dyn Clock>,
    pub(crate) log_dir: PathBuf,
    pub(crate) records: Vec<ContenderRecord>,
    pub(crate) progress: &'a mut dyn Progress,
    pub(crate) stop: &'a Stop,
    /// Of all workloads.
    pub(crate) data: AllData,
    /// What clients fetch from, where any are measured.
    pub(crate) files: Option<Rc<Files>>,
    /// Clients are tried with the faults of servers before they are measured.
    pub(crate) tries_faults: bool,
    pub(crate) seed: u64,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        contenders: &[Contender],
        workloads: &[Workload],
        (pad, clock): (Box<dyn ServeSide>, Rc<dyn Clock>),
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
                listens_on: None,
                external: None,
                log_bytes: None,
                launches: Vec::new(),
                tasks: Vec::new(),
            })
            .collect();
        let data = AllData::make(workloads, seed);
        Ok(Self { pad, clock, log_dir, records, progress, stop, data, files: None, tries_faults: true, seed })
    }

    /// Starts a contender, once more if it ends by itself while starting; its standard error is kept in the run's logs. One that
    /// runs already is asked whether it answers.
    pub(crate) fn launch(
        &mut self,
        index: usize,
        origin: &Origin,
        workloads: &[Workload],
        first: usize,
    ) -> Result<Box<dyn Server>, String> {
        let manifest = self.records[index].manifest.clone();
        let manifest = &manifest;
        let log = self.stderr_log(index);
        let own = (0..workloads.len()).filter(|&number| workloads[number].is_for(manifest));
        let purpose = Purpose {
            workload: &workloads[first],
            data: self.data.set(first, 0),
            all_data: own.map(|number| self.data.set(number, 0)).collect(),
            connects_late: false,
            leaves_first_call: false,
            network: None,
        };
        let launched = self.pad.launch(manifest, origin, &purpose, &log, self.stop);
        match launched {
            // Somebody may have taken its port in the meantime, or it cannot bear to be connected to so early.
            Err(failed) if failed.ended_itself && !self.stop.asked() => {
                let purpose = Purpose { connects_late: true, ..purpose };
                self.pad.launch(manifest, origin, &purpose, &log, self.stop)
            }
            launched => launched,
        }
        .map(|server| self.note_listening(index, server))
        .map_err(|failed| failed.reason)
    }

    /// Notes that a server can be reached from other machines, if it can.
    fn note_listening(&mut self, index: usize, server: Box<dyn Server>) -> Box<dyn Server> {
        let all = server.listens_on().iter().map(SocketAddr::ip).find(IpAddr::is_unspecified);
        let record = &mut self.records[index];
        record.listens_on = record.listens_on.or(all);
        server
    }

    /// Notes what was written to the logs of contenders that are not kept whole.
    pub(crate) fn note_logs(&mut self) {
        for index in 0..self.records.len() {
            self.records[index].log_bytes = self.pad.log_bytes(&self.stderr_log(index));
        }
    }

    /// Starts a contender for single calls in the protocol of a workload, which is given by its number too. With `leaves_first_call` nobody has asked it anything.
    pub(crate) fn launch_for_calls(
        &mut self,
        index: usize,
        origin: &Origin,
        (number, workload): (usize, &Workload),
        network: &Network,
        leaves_first_call: bool,
    ) -> Result<Box<dyn Server>, String> {
        let log = self.stderr_log(index);
        let data = self.data.set(number, 0);
        let purpose = Purpose {
            workload,
            data,
            all_data: vec![data],
            connects_late: false,
            leaves_first_call,
            network: Some(network.clone()),
        };
        let manifest = &self.records[index].manifest;
        self.pad.launch(manifest, origin, &purpose, &log, self.stop).map_err(|failed| failed.reason)
    }

    /// Starts a task for a workload, which is given by its number too; its standard error is kept in the run's logs. `limit`:
    /// for each answer.
    pub(crate) fn start_task(
        &mut self,
        index: usize,
        built: &Built,
        (number, workload): (usize, &Workload),
        limit: Duration,
    ) -> Result<Box<dyn Worker>, String> {
        let log = self.stderr_log(index);
        let contender = &self.records[index].manifest;
        let data = self.data.set(number, 0);
        self.pad.start_task(&TaskStart { contender, built, workload, data, log: &log, limit })
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
    let file = velo_model::open_file(&contender.dir.join("README.md")).ok()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
