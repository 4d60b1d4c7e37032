//! Processes of a contender: started together in a cage, on their CPUs, and ended for certain. Servers and tasks alike.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Instant;

use rustix::thread::{CpuSet, sched_setaffinity};
use tempfile::TempDir;
use velo_record::StopRecord;

use crate::LabError;
use crate::build::build_log::last_line;
use crate::build::certificates::Certificates;
use crate::build::command::shell;
use crate::build::data::DataSet;
use crate::build::environment::Use;
use crate::host::network::Network;
use crate::process::cage::{Cage, CageMaker};
use crate::process::end::end;
use crate::process::guard::Guard;
use crate::process::logs::{BoundedLog, Logs, WatchedLog, WrittenLogs};
use crate::process::pin;
use crate::process::tree;
use crate::sides::external::ExternalServers;
use crate::sides::layout::{self, Layout};

/// What every start needs.
pub(crate) struct LaunchPad {
    cages: CageMaker,
    guard: Arc<Guard>,
    logs: Logs,
    /// Holds the folders of all starts: of a name that nobody can guess, and open to this user alone.
    folder: TempDir,
    /// What servers are encrypted with, where they are.
    certificates: Option<Certificates>,
    server_cpus: Vec<u32>,
    /// Where all of them are.
    network: Network,
    /// Unique on this machine.
    run_name: String,
    launches: u64,
    /// The port of the next server, where it may not be any; the one behind it is of the one after.
    pub(crate) next_port: Option<u16>,
    /// Lengths that differ from start to start, where they are to.
    pub(crate) layout: Option<Layout>,
    /// Of servers that run already.
    pub(crate) external: ExternalServers,
}

/// What is to be started, and with what.
pub(crate) struct Program<'a> {
    /// For the shell.
    pub(crate) command: &'a str,
    /// Where it runs.
    pub(crate) dir: &'a Path,
    /// In place of the usual `PATH`.
    pub(crate) search_path: Option<&'a OsStr>,
    /// Beside what every contender is given.
    pub(crate) environment: &'a [(&'a str, &'a OsStr)],
    /// The files that it may read.
    pub(crate) data: &'a [&'a DataSet],
    /// Takes its standard error, and its standard output unless that is a pipe.
    pub(crate) log: &'a Path,
    /// What the log says before.
    pub(crate) title: &'a str,
    /// Whether its standard input and output are pipes.
    pub(crate) is_piped: bool,
    /// Where it is to be.
    pub(crate) network: &'a Network,
}

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) cage: Arc<Cage>,
    /// When.
    pub(crate) began: Instant,
    /// The same on the clock of the kernel's list of processes.
    pub(crate) began_ticks: u64,
    /// When its program had taken the place of the lab's: to enter control groups may take ten milliseconds before that.
    pub(crate) ran_at: Instant,
    guard: Arc<Guard>,
    child: Child,
    /// Holds its working folder and its data.
    dir: PathBuf,
    log: PathBuf,
    /// Where its own lines begin in the log.
    log_begins: u64,
    bounded: WatchedLog,
    written: WrittenLogs,
    gone: bool,
}

/// Its folder for what it writes.
const WORK: &str = "work";
/// Its folder with what it reads.
const DATA: &str = "data";

impl LaunchPad {
    /// Starts the guard over all that will be started on these CPUs.
    ///
    /// # Errors
    /// When the guard cannot be started, there is no place for temporary files, or no certificate can be made.
    pub(crate) fn new(
        cages: CageMaker,
        server_cpus: &[u32],
        is_encrypted: bool,
        network: Network,
    ) -> Result<Self, LabError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| LabError::Io { path, source }
        };
        let guard = Guard::start().map_err(io(Path::new("/proc/self/exe")))?;
        let folder = tempfile::Builder::new().prefix("velo-").tempdir();
        let folder = folder.map_err(io(&std::env::temp_dir()))?;
        guard.watch_folder(folder.path());
        let own = folder.path().join("tls");
        let certificates = is_encrypted.then(|| Certificates::make(&own).map_err(io(&own))).transpose()?;
        let now = jiff::Timestamp::now().as_millisecond();
        Ok(Self {
            cages,
            guard: Arc::new(guard),
            logs: Logs::new(server_cpus).map_err(io(Path::new("velo-logs")))?,
            folder,
            certificates,
            server_cpus: server_cpus.to_vec(),
            network,
            run_name: format!("velo-{}-{now}", std::process::id()),
            launches: 0,
            next_port: None,
            layout: None,
            external: ExternalServers::default(),
        })
    }

    /// A folder that is removed too when this program is killed.
    pub(crate) fn watch_folder(&self, folder: &Path) {
        self.guard.watch_folder(folder);
    }

    /// Moves processes of others to the CPUs of contenders until the end, however that comes. The error is one line.
    pub(crate) fn pin(&self, pids: &[u32]) -> Result<(), String> {
        let pinned = pin::pin(pids, &self.server_cpus).map_err(|error| {
            format!("--pin: {error}; run velo as the server's user or as root, or without --pin")
        })?;
        self.guard.put_back(&pinned);
        Ok(())
    }

    /// What was written to logs that were cut.
    pub(crate) fn written_logs(&self) -> WrittenLogs {
        self.logs.written()
    }

    /// What servers are encrypted with, where they are.
    pub(crate) fn certificates(&self) -> Option<&Certificates> {
        self.certificates.as_ref()
    }

    /// Where all that is started is.
    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// Starts a program. The error is one line.
    pub(crate) fn start(&mut self, program: &Program<'_>) -> Result<Started, String> {
        self.launches += 1;
        let name = format!("{}-{}", self.run_name, self.launches);
        let io_error = |what: &str| {
            let what = what.to_owned();
            move |error: io::Error| format!("{what}: {error}")
        };
        let lengths = self.layout.as_mut().map(Layout::draw).unwrap_or_default();
        let dir = self.folder.path().join(format!("{}{}", self.launches, lengths.path));
        let (work_dir, data_dir) = (dir.join(WORK), dir.join(DATA));
        fs::create_dir(&dir)
            .and_then(|()| fs::create_dir(&work_dir))
            .map_err(io_error("no working folder"))?;
        fs::create_dir(&data_dir).map_err(io_error("no folder for its data"))?;
        let mut cage = self.cages.make(&name, &self.server_cpus).map_err(io_error("no control group"))?;
        self.guard.watch(&cage, Some(&dir));
        for set in program.data {
            set.write(&data_dir).map_err(io_error("its data cannot be written"))?;
        }

        let mut log = BoundedLog::open(program.log).map_err(io_error("no log for its standard error"))?;
        log.begin(&format!("--- {}", program.title)).map_err(io_error("no log"))?;
        let log_begins = log.begins;
        let cores = self.server_cpus.len().to_string();
        let (key, value) = cage.environment();
        let of_all: [(&str, &OsStr); 4] = [
            ("CORES", cores.as_ref()),
            ("WORK_DIR", work_dir.as_os_str()),
            ("DATA_DIR", data_dir.as_os_str()),
            (key, value.as_ref()),
        ];
        let search_path: Vec<(&str, &OsStr)> =
            program.search_path.into_iter().map(|path| ("PATH", path)).collect();
        let padding: Option<(&str, &OsStr)> =
            (!lengths.variable.is_empty()).then(|| (layout::VARIABLE, lengths.variable.as_ref()));
        let environment = [&of_all, search_path.as_slice(), program.environment, padding.as_slice()].concat();
        let mut command = shell(program.command, program.dir, Use::Measured, &environment);
        if program.is_piped {
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
        } else {
            command.stdout(Stdio::from(log.writer().map_err(io_error("no log"))?));
        }
        command.stderr(Stdio::from(log.writer().map_err(io_error("no log"))?));
        let (bounded, written) = (self.logs.watch(log), self.logs.written());
        let mut cpus = CpuSet::new();
        for &cpu in &self.server_cpus {
            cpus.set(cpu as usize);
        }
        let entry = cage.entry().map_err(io_error("its control group cannot be entered"))?;
        let network = program.network.clone();
        let enter = move || {
            entry.enter()?;
            network.enter_as_contender()?;
            // After that, since a set of CPUs that is entered undoes what was chosen before.
            Ok(sched_setaffinity(None, &cpus)?)
        };
        // SAFETY: between fork and exec only three kinds of system call are made, on values made before; nothing is
        // allocated and no lock is taken.
        unsafe { command.pre_exec(enter) };
        let (began, began_ticks) = (Instant::now(), tree::now_in_ticks());
        let child = cage.spawn(&mut command).map_err(io_error("it cannot be started"))?;
        let ran_at = Instant::now();
        self.guard.watch_group(&cage, child.id());
        let (cage, log, guard) = (Arc::new(cage), program.log.to_owned(), Arc::clone(&self.guard));
        Ok(Started {
            cage,
            began,
            began_ticks,
            ran_at,
            guard,
            child,
            dir,
            log,
            log_begins,
            bounded,
            written,
            gone: false,
        })
    }
}

impl Started {
    /// How its first process ended; `None` while it runs.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Whether the first process still runs and none was ended for its memory.
    pub(crate) fn is_running(&mut self) -> Result<(), String> {
        if let Some(reason) = self.cage.out_of_memory() {
            return Err(reason);
        }
        match self.ended() {
            Some(status) => Err(ended("it ended", status)),
            None => Ok(()),
        }
    }

    /// The sentence with the last line that it wrote, if it wrote any.
    pub(crate) fn with_last_line(&self, what: &str) -> String {
        let line = last_line(&self.log, self.log_begins);
        if line.is_empty() { what.to_owned() } else { format!("{what}; last line: {line}") }
    }

    /// Its standard input and output, once, where they are pipes.
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.child.stdin.take().zip(self.child.stdout.take())
    }

    /// Asks it to end, and ends it if it does not.
    pub(crate) fn end(&mut self) -> StopRecord {
        let stopped = end(&self.cage, &mut self.child);
        self.written.cut(&self.bounded, &self.log);
        // What is left in the temporary folder is of no use to anyone.
        let _ = fs::remove_dir_all(&self.dir);
        self.guard.forget(&self.cage);
        self.gone = true;
        stopped
    }

    /// Where the files lie that it reads.
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.dir.join(DATA)
    }

    /// Its processes, in ascending order.
    pub(crate) fn pids(&self) -> Vec<u32> {
        self.cage.pids()
    }
}

/// How the first process of a server ended, in one line.
pub(crate) fn ended(what: &str, status: ExitStatus) -> String {
    // As one does that goes into the background.
    let hint = match status.success() {
        true => "; its start command has to stay in the foreground, as nginx does with `daemon off`",
        false => "",
    };
    format!("{what} ({status}{hint})")
}

impl Drop for Started {
    fn drop(&mut self) {
        // Only a panic comes here with processes left; the guard does the rest.
        if !self.gone {
            self.cage.kill();
        }
    }
}
