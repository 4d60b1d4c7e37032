use std::path::PathBuf;
use std::time::Duration;

use crate::sides::external::ExternalServers;
use velo_judge::gate::GateQuestion;
use velo_judge::planning::Size;
use velo_model::{Contender, Workload};
use velo_record::{CostQuestion, Placement};

/// What a run is asked to do.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The workloads, in the order to report them; `load.connections` as they are to be used.
    pub workloads: Vec<Workload>,
    /// The contenders. Each is measured on those of the workloads that it lists.
    pub contenders: Vec<Contender>,
    /// The folder to write; must not exist.
    pub out_dir: PathBuf,
    /// Where builds are kept.
    pub cache_dir: PathBuf,
    /// The seed of everything random.
    pub seed: u64,
    /// The measuring time of the whole run, launches and warm-up included.
    pub budget: Duration,
    /// Launches and blocks in place of those that the budget buys.
    pub size: Option<Size>,
    /// The half-width of every ratio's interval at which the run may end before its budget is used, as a share above 0.
    pub precision: Option<f64>,
    /// Two contenders, and what ends the run as soon as it is known; launches then have a fixed number of blocks.
    pub gate: Option<GateQuestion>,
    /// Gives each start an environment and a working folder's path of another length: both move what a program has in memory,
    /// so that what that does to it scatters over launches in place of staying in the figures.
    pub varies_layout: bool,
    /// Measuring time for latency at stated rates, beside the budget; `None`: it is not measured.
    pub latency: Option<Duration>,
    /// A sweep of rates upward, beside both.
    pub curve: bool,
    /// A sweep of connections upward, of workloads with bursts, beside the budget.
    pub full: bool,
    /// Whether single calls are made, of workloads that ask for them, in addition to the budget.
    pub single_calls: SingleCalls,
    /// The longest warm-up of each contender in a launch; `None`: what the budget leaves.
    pub warm_up: Option<Duration>,
    /// The common rate in requests a second, in place of half of what the slowest of a group can do.
    pub equal_rate_per_s: Option<f64>,
    /// In which order contenders take turns.
    pub schedule: TurnOrder,
    /// Refuses a host that would disturb the figures.
    pub strict: bool,
    /// What is to be made of the figures in cores, money and hours.
    pub cost: Option<CostQuestion>,
    /// A quick look: two launches, few windows, nothing ranked.
    pub quick: bool,
    /// The source's own load, in windows of the source's length.
    pub as_published: bool,
    /// A request without an answer after this long is a timeout.
    pub timeout: Duration,
    /// Does not run where the link of the workloads cannot be had; else it runs without one, and says so.
    pub needs_link: bool,
    /// What the processes of a contender may have in memory together.
    pub memory_limit_bytes: Option<u64>,
    /// Where clients save what they fetch; `None`: in memory.
    pub download_dir: Option<PathBuf>,
    /// The CPUs of those for whom the lab is not to choose them.
    pub placement: Placement,
    /// Of servers that run already.
    pub external: ExternalServers,
    /// Settings that depart from the workloads' own, each in words; they mark the result.
    pub overrides: Vec<String>,
    /// The command line, for the record.
    pub command: Vec<String>,
}

/// Whether single calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SingleCalls {
    /// They are not.
    No,
    /// After everything else.
    #[default]
    Yes,
    /// And nothing else is measured.
    Only,
}

/// In which order contenders take turns within a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnOrder {
    /// One window of each in random order, again and again, so that drift of the machine hits all alike.
    #[default]
    Blocks,
    /// The same in one order and its reverse in turn, of which chance chooses the first: two contenders are neighbours in every
    /// block, and those of a kind between two blocks.
    Alternating,
    /// All windows of one, then all of the next: only to show what blocks are good for.
    Contiguous,
}

/// What a check without measurement is asked to do.
#[derive(Debug, Clone)]
pub struct VerifyOptions {
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// Where builds are kept.
    pub cache_dir: PathBuf,
    /// Where logs are written.
    pub log_dir: PathBuf,
    /// The seed of the requests' values.
    pub seed: u64,
    /// Clients are tried with the faults of servers too.
    pub faults: bool,
    /// The port of the first server that is started, and of the next ones in turn those behind it; `None`: any free one.
    pub port: Option<u16>,
}
