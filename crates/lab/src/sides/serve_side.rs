//! What serves: processes that are started on this machine, servers that run already, or in tests what stands for them.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use velo_model::{Contender, ContenderName, PartyRole, Workload};
use velo_record::{External, StopRecord};

use crate::build::builder::Built;
use crate::build::data::DataSet;
use crate::host::counters::Counters;
use crate::host::network::Network;
use crate::process::cage::Cage;
use crate::process::found::FoundTree;
use crate::process::io as process_io;
use crate::process::memory;
use crate::process::tree::{self, Snapshot, ThreadUse};
use crate::progress::Stop;
use crate::sides::feed::{Answer, NoAnswer};
use crate::sides::origin::{Origin, Peer};

/// Starts contenders.
pub(crate) trait ServeSide {
    /// Starts a server and waits until it answers correctly; of one that runs already, only asks whether it does. Its standard
    /// error is appended to `log`.
    fn launch(
        &mut self,
        contender: &Contender,
        origin: &Origin,
        purpose: &Purpose<'_>,
        log: &Path,
        stop: &Stop,
    ) -> Result<Box<dyn Server>, NotLaunched>;

    /// What contenders have written to a log, in bytes, where only a part of it is kept.
    fn log_bytes(&self, _log: &Path) -> Option<u64> {
        None
    }

    /// Looks for the processes of a server that runs already. The error is one line: what was asked cannot be done.
    fn find(&mut self, name: &ContenderName, peer: &Peer) -> Result<Found, String>;

    /// Starts a task. The error is one line.
    fn start_task(&mut self, task: &TaskStart<'_>) -> Result<Box<dyn Worker>, String>;
}

/// What is seen of a server that runs already, and its processes where they are.
pub(crate) type Found = (External, Option<Arc<FoundTree>>);

/// What a server is started for.
pub(crate) struct Purpose<'a> {
    /// Its first request shows that it is ready.
    pub(crate) workload: &'a Workload,
    /// The files of that workload.
    pub(crate) data: &'a DataSet,
    /// The files of all workloads that it answers.
    pub(crate) all_data: Vec<&'a DataSet>,
    /// Nobody connects before it has listened for a moment. How long it took to start is then not known.
    pub(crate) connects_late: bool,
    /// Nobody asks it anything: it is there as soon as it has listened for a moment, and the first call is somebody else's.
    pub(crate) leaves_first_call: bool,
    /// Where it is to be, in place of where all others are.
    pub(crate) network: Option<Network>,
}

/// Why a server is not there.
#[derive(Debug)]
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

/// A server that answers.
pub(crate) trait Server {
    /// Where it listens.
    fn peer(&self) -> &Peer;

    /// Where its processes listen on its port, as far as that can be seen.
    fn listens_on(&self) -> &[SocketAddr] {
        &[]
    }

    /// From exec to the first correct answer, where that is known.
    fn startup(&self) -> Option<Duration>;

    /// Its processes; `None` of one that ran already and of which nothing can be seen.
    fn processes(&self) -> Option<Arc<dyn Processes>>;

    /// All that was started with it, itself first: what they use is not that of others, and they stop and run again together.
    fn parties(&self) -> Vec<(PartyRole, Arc<dyn Processes>)> {
        self.processes().map(|own| (PartyRole::Contender, own)).into_iter().collect()
    }

    /// Whether its first process still runs, as far as that can be seen. The error says in one line how it ended.
    fn is_running(&mut self) -> Result<(), String>;

    /// Where the files lie that it reads, which may be replaced while it is asked; `None` of one that ran already.
    fn data_dir(&self) -> Option<PathBuf>;

    /// Puts other files in the place of those that it reads.
    fn renew(&self, data: &DataSet) -> io::Result<()> {
        match self.data_dir() {
            Some(dir) => data.write(&dir),
            None => Err(io::Error::other("externally started, with files of its own")),
        }
    }

    /// Asks it to end, and ends it if it does not; one that ran already is left alone.
    fn end(&mut self) -> Option<StopRecord>;

    /// Its processes, in ascending order.
    fn pids(&self) -> Vec<u32> {
        self.processes().map_or_else(Vec::new, |processes| processes.pids())
    }

    /// The CPU time of its processes since it was started.
    fn cpu_ns(&self) -> Option<u64> {
        self.processes()?.cpu_ns()
    }

    /// The CPU time of all its parties since they were started; `None` where it is not known of one.
    fn parties_cpu_ns(&self) -> Option<u64> {
        self.parties()
            .iter()
            .map(|(_, party)| party.cpu_ns())
            .reduce(|one, other| one?.checked_add(other?))?
    }

    /// Stops its parties until [`Server::thaw`].
    fn freeze(&self) {
        self.parties().iter().for_each(|(_, party)| party.freeze());
    }

    /// Lets its parties run again.
    fn thaw(&self) {
        self.parties().iter().for_each(|(_, party)| party.thaw());
    }
}

/// The processes of a contender, as far as the kernel tells of them. Where processes are named, they are some that
/// [`Processes::pids`] has returned.
pub(crate) trait Processes: Send + Sync {
    /// All of them, in ascending order.
    fn pids(&self) -> Vec<u32>;

    /// CPU time of all that are or were there.
    fn cpu_ns(&self) -> Option<u64>;

    /// Stops them, so that they cost nothing while others are measured.
    fn freeze(&self);

    /// Lets them run again.
    fn thaw(&self);

    /// What each thread has used.
    fn used_by(&self, pids: &[u32]) -> Snapshot;

    /// CPUs beside these on which threads that have used so much were seen, or may run.
    fn outside_cpus(&self, used: &[((u32, u32), ThreadUse)], own: &[u32]) -> Vec<u32>;

    /// How many threads they have.
    fn threads(&self, pids: &[u32]) -> u32;

    /// What they occupy in bytes, pages that they share once, and their peak resident sizes summed.
    fn memory(&self, pids: &[u32]) -> (Option<u64>, Option<u64>);

    /// The bytes that they have read.
    fn read_bytes(&self, pids: &[u32]) -> Option<u64>;

    /// The CPUs that any of them may run on.
    fn allowed_cpus(&self, pids: &[u32]) -> Vec<u32>;

    /// Begins to count their instructions and cycles on these CPUs, where that can be had.
    fn count(&self, cpus: &[u32], pids: &[u32]) -> Option<Counters>;
}

impl Processes for Cage {
    fn pids(&self) -> Vec<u32> {
        Self::pids(self)
    }

    fn cpu_ns(&self) -> Option<u64> {
        Self::cpu_ns(self)
    }

    fn freeze(&self) {
        Self::freeze(self);
    }

    fn thaw(&self) {
        Self::thaw(self);
    }

    fn used_by(&self, pids: &[u32]) -> Snapshot {
        tree::snapshot(pids)
    }

    fn outside_cpus(&self, used: &[((u32, u32), ThreadUse)], own: &[u32]) -> Vec<u32> {
        tree::outside_cpus(used, own)
    }

    fn threads(&self, pids: &[u32]) -> u32 {
        tree::threads(pids)
    }

    fn memory(&self, pids: &[u32]) -> (Option<u64>, Option<u64>) {
        memory::memory(pids)
    }

    fn read_bytes(&self, pids: &[u32]) -> Option<u64> {
        process_io::read_bytes(pids)
    }

    fn allowed_cpus(&self, pids: &[u32]) -> Vec<u32> {
        tree::allowed_cpus(pids)
    }

    fn count(&self, cpus: &[u32], pids: &[u32]) -> Option<Counters> {
        Counters::open(self.dirs(), cpus, pids).ok()
    }
}

impl Processes for FoundTree {
    fn pids(&self) -> Vec<u32> {
        Self::pids(self)
    }

    fn cpu_ns(&self) -> Option<u64> {
        Some(Self::cpu_ns(self))
    }

    /// Whoever uses it meanwhile would wait.
    fn freeze(&self) {}

    fn thaw(&self) {}

    fn used_by(&self, pids: &[u32]) -> Snapshot {
        tree::snapshot(pids)
    }

    fn outside_cpus(&self, used: &[((u32, u32), ThreadUse)], own: &[u32]) -> Vec<u32> {
        tree::outside_cpus(used, own)
    }

    fn threads(&self, pids: &[u32]) -> u32 {
        tree::threads(pids)
    }

    fn memory(&self, pids: &[u32]) -> (Option<u64>, Option<u64>) {
        memory::memory(pids)
    }

    fn read_bytes(&self, pids: &[u32]) -> Option<u64> {
        process_io::read_bytes(pids)
    }

    fn allowed_cpus(&self, pids: &[u32]) -> Vec<u32> {
        tree::allowed_cpus(pids)
    }

    fn count(&self, cpus: &[u32], pids: &[u32]) -> Option<Counters> {
        Counters::open(Vec::<PathBuf>::new(), cpus, pids).ok()
    }
}

/// What is needed to start a task.
pub(crate) struct TaskStart<'a> {
    /// Its manifest.
    pub(crate) contender: &'a Contender,
    /// As it was built.
    pub(crate) built: &'a Built,
    /// What it is started for.
    pub(crate) workload: &'a Workload,
    /// The files that it reads.
    pub(crate) data: &'a DataSet,
    /// Takes its standard error.
    pub(crate) log: &'a Path,
    /// For each answer; the first may take as long as a server's.
    pub(crate) limit: Duration,
}

/// A process of a task, which answers line after line.
pub(crate) trait Worker {
    /// It and its descendants.
    fn processes(&self) -> Arc<dyn Processes>;

    /// How long ago it was started.
    fn age(&self) -> Duration;

    /// Asks one line.
    fn ask(&mut self, line: &str, stop: &Stop) -> Result<Answer, NoAnswer>;

    /// Puts other files in the place of those that it reads.
    fn renew(&self, data: &DataSet) -> io::Result<()>;

    /// Why there was no answer, in one line.
    fn explain(&mut self, why: &NoAnswer) -> String;

    /// Ends its input and waits for its end.
    fn finish(self: Box<Self>, stop: &Stop) -> Finished;

    /// Ends one that does not answer, without waiting for it to see the end of its input.
    fn abandon(self: Box<Self>) -> Finished;
}

/// How a task ended.
pub(crate) struct Finished {
    /// What was wrong with that.
    pub(crate) fault: Option<String>,
    /// CPU time of all its processes to the end.
    pub(crate) cpu_ns: Option<u64>,
    /// From the start of its program to its end, where it ended by itself.
    pub(crate) lived: Option<Duration>,
}
