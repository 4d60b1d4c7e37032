//! One life of a server: started, ready, and ended for certain.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use velo_record::StopRecord;
use velo_spec::{Contender, Workload};

use crate::build::Built;
use crate::conformance;
use crate::data::DataSet;
use crate::process::cage::Cage;
use crate::process::guard::Guard;
use crate::progress::Stop;
use crate::started::{LaunchPad, Program, Started};

/// A contender that answers.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) address: SocketAddr,
    pub(crate) cage: Arc<Cage>,
    pub(crate) startup: Duration,
    started: Started,
}

/// What a contender is started for.
pub(crate) struct Purpose<'a> {
    /// Its first request shows that it is ready.
    pub(crate) workload: &'a Workload,
    /// The files of that workload.
    pub(crate) data: &'a DataSet,
    /// The files of all workloads that it answers.
    pub(crate) all_data: Vec<&'a DataSet>,
}

/// Why a server is not there.
pub(crate) struct NotLaunched {
    /// One line.
    pub(crate) reason: String,
    /// Its first process ended without being asked to.
    pub(crate) ended_itself: bool,
}

impl From<String> for NotLaunched {
    fn from(reason: String) -> Self {
        Self { reason, ended_itself: false }
    }
}

/// Between two tries while it starts: fine enough for the startup figure, coarse enough to cost nothing.
const READY_POLL: Duration = Duration::from_millis(2);

impl LaunchPad {
    /// Starts a contender and waits until it answers correctly.
    pub(crate) fn launch(
        &mut self,
        contender: &Contender,
        built: &Built,
        purpose: &Purpose<'_>,
        stderr_log: &Path,
        stop: &Stop,
    ) -> Result<Launched, NotLaunched> {
        let address = free_address().map_err(|error| format!("no free port: {error}"))?;
        let (host, port) = (address.ip().to_string(), address.port().to_string());
        let mut started = self.start(&Program {
            command: &contender.start,
            dir: &built.dir,
            search_path: built.search_path.as_deref(),
            environment: &[("HOST", host.as_ref()), ("PORT", port.as_ref())],
            data: &purpose.all_data,
            log: stderr_log,
            title: &format!("launch on port {port}"),
            is_piped: false,
        })?;
        let limit = Duration::from_secs(u64::from(contender.ready_seconds));
        loop {
            if stop.asked() {
                started.end(&mut self.guard);
                return Err("interrupted".to_owned().into());
            }
            if let Some(status) = started.ended() {
                let what = format!("it ended while starting ({status})");
                let what = started.cage.out_of_memory().unwrap_or(what);
                let what = started.with_last_line(&what);
                started.end(&mut self.guard);
                return Err(NotLaunched { reason: what, ended_itself: true });
            }
            let Err(why) = conformance::first_answer(address, purpose.workload, purpose.data) else { break };
            if started.began.elapsed() > limit {
                let what = format!("no correct answer within {} s of its start: {why}", limit.as_secs());
                started.end(&mut self.guard);
                return Err(started.with_last_line(&what).into());
            }
            std::thread::sleep(READY_POLL);
        }
        let (cage, startup) = (Arc::clone(&started.cage), started.began.elapsed());
        Ok(Launched { address, cage, startup, started })
    }
}

/// A port that nobody listens on now. It is given back before the contender takes it; who comes between makes
/// that launch fail with the contender's own message.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

impl Launched {
    /// Whether the first process still runs.
    pub(crate) fn is_running(&mut self) -> Result<(), String> {
        self.started.is_running()
    }

    /// Asks it to end, and ends it if it does not.
    pub(crate) fn end(&mut self, guard: &mut Guard) -> StopRecord {
        self.started.end(guard)
    }

    /// Puts other files in the place of those that it reads.
    pub(crate) fn renew(&self, data: &DataSet) -> io::Result<()> {
        self.started.renew(data)
    }

    /// Its processes, in ascending order.
    pub(crate) fn pids(&self) -> Vec<u32> {
        self.started.pids()
    }

    /// The CPUs its threads may run on.
    pub(crate) fn cpus(&self) -> Vec<u32> {
        self.started.cpus()
    }
}
