//! One life of a contender's processes: started, ready, and ended for certain.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use velo_record::StopRecord;
use velo_spec::{Contender, Workload};

use crate::build::Built;
use crate::command::{last_line, shell};
use crate::conformance;
use crate::process::cage::{Cage, CageMaker};
use crate::process::guard::Guard;
use crate::process::tree;
use crate::progress::Stop;

/// What every launch needs.
pub(crate) struct LaunchPad {
    pub(crate) cages: CageMaker,
    pub(crate) guard: Guard,
    pub(crate) server_cpus: Vec<u32>,
    /// Unique on this machine.
    pub(crate) run_name: String,
    pub(crate) launches: u64,
}

/// A contender that answers.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) address: SocketAddr,
    pub(crate) cage: Arc<Cage>,
    pub(crate) startup: Duration,
    child: Child,
    work_dir: PathBuf,
    gone: bool,
}

/// How long a contender may take to end after SIGTERM.
const STOP_LIMIT: Duration = Duration::from_secs(5);
/// Between two tries while it starts: fine enough for the startup figure, coarse enough to cost nothing.
const READY_POLL: Duration = Duration::from_millis(2);

impl LaunchPad {
    /// Starts a contender and waits until it answers correctly. The error is one line.
    pub(crate) fn launch(
        &mut self,
        contender: &Contender,
        built: &Built,
        workload: &Workload,
        stderr_log: &Path,
        stop: &Stop,
    ) -> Result<Launched, String> {
        self.launches += 1;
        let name = format!("{}-{}", self.run_name, self.launches);
        let io_error = |what: &str| {
            let what = what.to_owned();
            move |error: io::Error| format!("{what}: {error}")
        };
        let work_dir = std::env::temp_dir().join(&name);
        fs::create_dir(&work_dir).map_err(io_error("no working folder"))?;
        let cage = self.cages.make(&name).map_err(io_error("no control group"))?;
        self.guard.watch(&cage, &work_dir);

        let address = free_address().map_err(io_error("no free port"))?;
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(stderr_log)
            .map_err(io_error("no log for its standard error"))?;
        io::Write::write_all(&mut log, format!("--- launch on port {}\n", address.port()).as_bytes())
            .map_err(io_error("no log"))?;
        let log_begins = log.metadata().map(|data| data.len()).unwrap_or(0);
        let port = address.port().to_string();
        let cores = self.server_cpus.len().to_string();
        let host = address.ip().to_string();
        let (key, value) = cage.environment();
        let environment: [(&str, &OsStr); 5] = [
            ("HOST", host.as_ref()),
            ("PORT", port.as_ref()),
            ("CORES", cores.as_ref()),
            ("WORK_DIR", work_dir.as_os_str()),
            (key, value.as_ref()),
        ];
        let mut command = shell(&contender.start, &built.dir, &environment);
        command.stdout(Stdio::from(log.try_clone().map_err(io_error("no log"))?)).stderr(Stdio::from(log));
        let mut cpus = CpuSet::new();
        for &cpu in &self.server_cpus {
            cpus.set(cpu as usize);
        }
        let doors: Vec<fs::File> = cage
            .doors()
            .iter()
            .map(|door| OpenOptions::new().write(true).open(door))
            .collect::<io::Result<_>>()
            .map_err(io_error("its control group cannot be entered"))?;
        let enter = move || {
            sched_setaffinity(None, &cpus)?;
            for door in &doors {
                // `0` is the writer itself.
                rustix::io::write(door, b"0")?;
            }
            Ok(())
        };
        // SAFETY: between fork and exec only two kinds of system call are made, on values made before; nothing is
        // allocated and no lock is taken.
        unsafe { command.pre_exec(enter) };
        let began = Instant::now();
        let child = command.spawn().map_err(io_error("it cannot be started"))?;
        let mut cage = cage;
        cage.set_group(child.id());
        self.guard.watch_group(&cage, child.id());
        let mut launched =
            Launched { address, cage: Arc::new(cage), startup: Duration::ZERO, child, work_dir, gone: false };

        let limit = Duration::from_secs(u64::from(contender.ready_seconds));
        loop {
            if stop.asked() {
                launched.end(&mut self.guard);
                return Err("interrupted".to_owned());
            }
            if let Ok(Some(status)) = launched.child.try_wait() {
                launched.end(&mut self.guard);
                return Err(with_line(
                    &format!("it ended while starting ({status})"),
                    stderr_log,
                    log_begins,
                ));
            }
            let Err(why) = conformance::first_answer(address, workload) else { break };
            if began.elapsed() > limit {
                launched.end(&mut self.guard);
                let what = format!("no correct answer within {} s of its start: {why}", limit.as_secs());
                return Err(with_line(&what, stderr_log, log_begins));
            }
            std::thread::sleep(READY_POLL);
        }
        launched.startup = began.elapsed();
        Ok(launched)
    }
}

fn with_line(what: &str, log: &Path, begins: u64) -> String {
    let line = last_line(log, begins);
    if line.is_empty() { what.to_owned() } else { format!("{what}; last line: {line}") }
}

/// A port that nobody listens on now. It is given back before the contender takes it; who comes between makes
/// that launch fail with the contender's own message.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

impl Launched {
    /// Whether the first process still runs.
    pub(crate) fn is_running(&mut self) -> Result<(), String> {
        match self.child.try_wait() {
            Ok(Some(status)) => Err(format!("it ended ({status})")),
            _ => Ok(()),
        }
    }

    /// Asks it to end, and ends it if it does not.
    pub(crate) fn end(&mut self, guard: &mut Guard) -> StopRecord {
        self.cage.thaw();
        let began = Instant::now();
        self.cage.terminate();
        let all_gone = |launched: &mut Self| {
            // Reaps the first process, which would otherwise stay a zombie.
            let _ = launched.child.try_wait();
            launched.cage.pids().is_empty()
        };
        let mut by_sigterm = true;
        while !all_gone(self) {
            if by_sigterm && began.elapsed() > STOP_LIMIT {
                by_sigterm = false;
            }
            if !by_sigterm {
                self.cage.kill();
            }
            if began.elapsed() > STOP_LIMIT * 2 {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let duration_ns = began.elapsed().as_nanos() as u64;
        let _ = self.child.try_wait();
        self.cage.remove();
        // What is left in the temporary folder is of no use to anyone.
        let _ = fs::remove_dir_all(&self.work_dir);
        guard.forget(&self.cage);
        self.gone = true;
        StopRecord { by_sigterm, duration_ns }
    }

    /// Its processes, in ascending order.
    pub(crate) fn pids(&self) -> Vec<u32> {
        self.cage.pids()
    }

    /// The CPUs its threads may run on.
    pub(crate) fn cpus(&self) -> Vec<u32> {
        tree::allowed_cpus(&self.pids())
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        // Only a panic comes here with processes left; the guard does the rest.
        if !self.gone {
            self.cage.kill();
        }
    }
}
