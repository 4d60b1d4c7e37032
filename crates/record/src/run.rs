use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use velo_model::{Contender, ContenderName, PartyRole, Workload};

use crate::{CallBlock, HostFacts, Placement, RatePurpose, TaskProcess};

/// `run.json`: everything about a run but its windows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunFile {
    /// [`crate::FORMAT`].
    pub format: u32,
    /// How far the run came.
    pub state: RunState,
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// When it ended, RFC 3339, UTC.
    pub ended_at: Option<String>,
    /// The command line, without the program's path.
    pub command: Vec<String>,
    /// What the generator was: runs of different identity are not compared without saying so.
    pub identity: Identity,
    /// What was asked.
    pub settings: Settings,
    /// The machine.
    pub host: HostFacts,
    /// Which CPUs served, which loaded, and which others had.
    pub placement: Placement,
    /// Where the contenders' CPU time was read.
    pub cpu_accounting: CpuAccounting,
    /// What servers and tasks were given of the environment of `velo`, beside what the contract gives each; a name and password
    /// within an address are masked.
    pub environment: BTreeMap<String, String>,
    /// The names of what fetching and building were given of it in addition.
    pub build_environment: Vec<String>,
    /// The workloads as they were, in the order asked.
    pub workloads: Vec<Workload>,
    /// The contenders as they were, measured or not.
    pub contenders: Vec<ContenderRecord>,
    /// What things cost, as the first launch's warm-up has shown; the plan rests on it, and budgets that more would take.
    pub costs: Option<Costs>,
    /// The plan, once it is fixed.
    pub plan: Option<Plan>,
    /// What ended the measuring.
    pub ended_by: Option<EndedBy>,
    /// How long the stages took.
    pub timings: Timings,
    /// Single calls that could not be made under some conditions, and why, each in words.
    #[serde(default)]
    pub calls_left_out: Vec<String>,
    /// Single calls, in the order in which they were made. They lie in a file of their own, `calls.ndjson`.
    #[serde(skip)]
    pub calls: Vec<CallBlock>,
}

/// How far a run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Under way, or ended without a chance to say so.
    Running,
    /// Every planned window was measured or its contender excluded.
    Complete,
    /// Stopped by a signal.
    Interrupted,
}

/// What ended a run that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum EndedBy {
    /// All planned launches were made.
    Plan,
    /// The precision asked for was reached at a look before that.
    Precision {
        /// After which launch.
        launch: u32,
    },
    /// What a gate asks was known at a look before that.
    Gate {
        /// After which launch.
        launch: u32,
    },
}

/// What measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// The version of `velo`.
    pub velo: String,
    /// The generator's driver: `epoll` or `io_uring`.
    pub driver: String,
    /// `release`, or `debug`: figures of a debug build are worth nothing.
    pub build: String,
    /// The workloads' hashes, in the order of [`RunFile::workloads`].
    pub workload_hashes: Vec<String>,
}

/// What was asked of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settings {
    /// The seed of everything random.
    pub seed: u64,
    /// The measuring time allowed, launches and warm-up included.
    pub budget_ns: u64,
    /// The half-width of every ratio's interval at which the run may end early, as a share.
    pub precision: Option<f64>,
    /// Measuring time for latency at stated rates, beside the budget.
    pub latency_budget_ns: Option<u64>,
    /// A quick look: nothing is ranked.
    pub quick: bool,
    /// The source's own load.
    pub as_published: bool,
    /// A request without an answer after this long is a timeout.
    pub timeout_ns: u64,
    /// What the processes of a contender may have in memory together, kept by the kernel.
    pub memory_limit_bytes: Option<u64>,
    /// Settings that depart from the workloads' own, each in words; they mark the result.
    pub overrides: Vec<String>,
    /// What is to be made of the figures in cores, money and hours.
    pub cost: Option<CostQuestion>,
}

/// What a stated load would cost. Each part is answered where what it needs is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostQuestion {
    /// The load to be served, in requests per second, above 0: how many cores that takes.
    pub target_rps: Option<f64>,
    /// The price of one core for an hour, at least 0: what a million requests cost.
    pub price_per_core_hour: Option<f64>,
    /// What the price is in, such as `EUR`; only printed.
    pub currency: Option<String>,
    /// People who wait for answers. With the calls: how many hours all of them wait in a year.
    pub users: Option<u64>,
    /// Calls that each of them makes in a year.
    pub calls_per_user_per_year: Option<u64>,
}

/// Where CPU time of a process tree is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CpuAccounting {
    /// `cpu.stat` of a cgroup v2.
    CgroupV2,
    /// `cpuacct.usage` of a cgroup v1.
    CgroupV1,
    /// `/proc/PID/task/TID/schedstat` summed over the tree; what exited between two readings is missing.
    Schedstat,
}

/// The plan, fixed before the first counted window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// Launches of every contender.
    pub launches: u32,
    /// Blocks in each launch, for each workload.
    pub blocks: u32,
    /// What it was expected to take from the first start.
    pub expected_ns: u64,
    /// What that is for, as far as it is one of these.
    pub time: PlannedTime,
    /// How precise that is expected to make the ratio of two contenders; missing where nothing is ranked.
    #[serde(default)]
    pub expected_precision: Option<ExpectedPrecision>,
    /// Why nothing will be ranked, when that is so already.
    pub not_ranked: Option<String>,
    /// The budget that would have had room for ranks, in seconds, where this one has none.
    pub needed_budget_s: Option<u64>,
    /// When the pairs are looked at, the last launch among them; empty: once, at the end.
    pub looks: Vec<Look>,
    /// Pairs of windows with and without a slowed generator, for each contender and workload, in the first launch.
    pub proof_pairs: u32,
    /// The rates that all contenders of a group are given; empty: none.
    #[serde(rename = "equal_work")]
    pub common_rates: Vec<GroupRate>,
    /// Every so manyth block of a launch, the first among them, has windows at the common rate and of the reference; at least 1. CPU
    /// time per request scatters less than goodput, so that fewer windows are as precise, and nobody is ranked against the reference.
    #[serde(alias = "equal_work_every")]
    pub full_every: u32,
    /// What the budget has no room for, each in words.
    pub left_out: Vec<String>,
}

impl Plan {
    /// Whether a block, counted from 1, has windows at the common rate.
    pub fn has_common_rate_in(&self, block: u32) -> bool {
        !self.common_rates.is_empty() && self.is_full(block)
    }

    /// Whether a block, counted from 1, has all windows that any block has.
    pub fn is_full(&self, block: u32) -> bool {
        block.saturating_sub(1).is_multiple_of(self.full_every.max(1))
    }

    /// How many blocks of a launch are such.
    pub fn full_blocks(&self) -> u32 {
        self.blocks.div_ceil(self.full_every.max(1))
    }
}

/// What a plan's launches and blocks are expected to tell, by what ratios of usual contenders scatter by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExpectedPrecision {
    /// Half of the width of the 95 % interval of a ratio, as a share of it.
    pub half_width: f64,
    /// The budget that makes it half as wide, in seconds; missing where none does.
    pub halved_budget_s: Option<u64>,
}

/// What the parts of a run cost, for all contenders and workloads together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Costs {
    /// Starting, warming up and stopping every contender once.
    pub launch_ns: u64,
    /// How much of that is warm-up.
    pub warm_up_ns: u64,
    /// One block of every workload, without what [`Costs::reference_ns`] has.
    pub block_ns: u64,
    /// How much of that is counted windows.
    pub counted_ns: u64,
    /// What windows of the reference and of its twin add to a block, where others are measured; 0 where they are in every block.
    #[serde(default)]
    pub reference_ns: u64,
    /// How much of that is counted windows.
    #[serde(default)]
    pub reference_counted_ns: u64,
    /// What windows at the common rate add to a block; 0 when there is no such rate.
    #[serde(rename = "equal_work_ns")]
    pub common_rate_ns: u64,
    /// With a smaller budget they are left out, since goodput ranks alone; 0 where they may be what ranks, or were asked for.
    #[serde(default)]
    pub common_rate_from_ns: u64,
    /// The proof by slowing the generator, once a run.
    pub proof_ns: u64,
    /// What the first launch alone takes: for contenders that left in it, and to see that a warm-up was enough.
    pub once_ns: u64,
}

/// What a plan's time is for. Settling, draining, and the ways between windows are the rest of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedTime {
    /// Counted windows of blocks.
    pub counted_ns: u64,
    /// Windows at the common rate, with their settling and draining.
    pub common_rate_ns: u64,
    /// Warm-ups.
    pub warm_up_ns: u64,
    /// Starting and stopping.
    pub starts_ns: u64,
    /// The proof by slowing the generator.
    pub proof_ns: u64,
}

/// One rate for contenders that are near enough to one another to be given the same work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "EqualWork"))]
pub struct GroupRate {
    /// The workload.
    pub workload: String,
    /// Requests a second on average: half of the slowest one's goodput.
    pub rate_per_s: f64,
    /// Who is given it.
    pub contenders: Vec<ContenderName>,
}

impl GroupRate {
    /// What windows at such a rate are for.
    pub const PURPOSE: RatePurpose = RatePurpose::CommonRate;
}

/// A moment at which pairs of contenders are separated or not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Look {
    /// After this launch.
    pub launch: u32,
    /// The family-wise level, such as 0.05.
    pub level: f64,
}

/// How long the stages took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timings {
    /// Fetching and building.
    pub build_ns: u64,
    /// Conformance.
    pub verify_ns: u64,
    /// Launches, warm-up and blocks.
    pub measure_ns: u64,
}

/// One contender's story.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContenderRecord {
    /// The manifest as it was.
    pub manifest: Contender,
    /// It is the same program as this one, measured as if it were another: the control (A against A').
    pub twin_of: Option<ContenderName>,
    /// What became of it.
    pub state: ContenderState,
    /// The receipt: what its version command printed.
    pub version: Option<String>,
    /// The README of its folder, Markdown, at most 32 KiB.
    pub notes: Option<String>,
    /// The versions of the toolchains that it needs, as found: `go 1.26.8`.
    pub toolchains: Vec<String>,
    /// How it was built.
    pub build: Option<BuildRecord>,
    /// Programs that fetching and building it left running, which were ended.
    pub left_by_build: Vec<String>,
    /// Each conformance case of each workload.
    pub cases: Vec<CaseRecord>,
    /// The least share of one CPU that it used in 200 ms without load after conformance, of up to ten looks.
    pub idle_cpu_share: Option<f64>,
    /// The address of all of the machine's networks, when it listened on that in place of the one that it was given.
    #[serde(default)]
    pub listens_on: Option<IpAddr>,
    /// What it wrote to its log, in bytes, over all starts of which only the first and the last MiB are kept. `None` when its log is whole.
    #[serde(default)]
    pub log_bytes: Option<u64>,
    /// What is seen of it, when it ran already.
    #[serde(default)]
    pub external: Option<External>,
    /// Its launches, in order.
    pub launches: Vec<LaunchRecord>,
    /// Its processes, in order, when it has no server.
    pub tasks: Vec<TaskProcess>,
}

impl ContenderRecord {
    /// The CPUs of the parties while it is loaded: those of the run, but for a server that runs already and was not moved to them.
    pub fn placement<'p>(&self, of_run: &'p Placement) -> Cow<'p, Placement> {
        let given = of_run.cpus(PartyRole::Contender);
        match &self.external {
            Some(External::Seen { cpus, .. }) if !cpus.iter().all(|cpu| given.contains(cpu)) => {
                let others = of_run.parties().iter().filter(|party| party.role != PartyRole::Contender);
                let others = others.map(|party| (party.role, party.cpus.clone()));
                Cow::Owned(Placement::new(others.chain([(PartyRole::Contender, cpus.clone())])))
            }
            _ => Cow::Borrowed(of_run),
        }
    }
}

/// What is seen of a server that ran already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum External {
    /// Its processes, which are counted as those of contenders that `velo` starts.
    Seen {
        /// The numbers of those that were found, in ascending order.
        pids: Vec<u32>,
        /// The name of the first one's program, at most 15 bytes.
        program: Option<String>,
        /// The CPUs on which any of their threads could run while it was measured.
        cpus: Vec<u32>,
        /// Whether they were moved there for the run.
        is_pinned: bool,
    },
    /// Nothing: it is measured without CPU time, memory and rank.
    Unseen {
        /// One line.
        reason: String,
        /// What would cure it, one line.
        cure: String,
    },
}

/// What became of a contender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum ContenderState {
    /// Not yet prepared.
    Pending,
    /// Prepared, verified and measured as planned, so far.
    Measured,
    /// Not tried, for want of something; no fault of its own.
    Skipped {
        /// One line.
        reason: String,
        /// What would cure it, such as the line that installs a toolchain.
        cure: Option<String>,
    },
    /// Failed.
    Excluded {
        /// Where.
        stage: Stage,
        /// One line.
        reason: String,
        /// The file in the run's folder that holds the whole story.
        log: Option<String>,
    },
}

/// A stage of a contender's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Fetching and building.
    Build,
    /// Reading the version.
    Version,
    /// Starting and answering for the first time.
    Start,
    /// Conformance.
    Verify,
    /// Warm-up and windows.
    Measure,
}

/// How a contender was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuildRecord {
    /// SHA-256 over the contender's folder, lower-case hex.
    pub content_hash: String,
    /// True when an earlier build of the same content was used.
    pub cached: bool,
    /// How long it took.
    pub duration_ns: u64,
}

/// How one conformance case went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaseRecord {
    /// The workload.
    pub workload: String,
    /// The case.
    pub case: String,
    /// False for a case that only records.
    pub required: bool,
    /// Whether the answer was accepted.
    pub passed: bool,
    /// What came back, in one line: the status and the start of the body, or what went wrong.
    pub got: String,
}

/// One life of a contender's processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaunchRecord {
    /// From 1.
    pub launch: u32,
    /// From exec to the first correct answer; `None` of a server that ran already, and of one that had to be started once more,
    /// since nobody connected to that one before it had listened for a while.
    pub startup_ns: Option<u64>,
    /// Processes, as read from the kernel after warm-up; `None` of a server that ran already.
    pub processes: Option<u32>,
    /// Threads of all of them.
    pub threads: Option<u32>,
    /// The CPUs that its threads may run on, read back from the kernel.
    pub cpus_read_back: Vec<u32>,
    /// Resident set size of the process tree, shared pages once, after the last block. Runs of earlier
    /// versions have the proportional set size.
    pub memory_steady_bytes: Option<u64>,
    /// The largest resident size (`VmHWM`), summed over processes; counts shared pages once for each.
    pub memory_peak_bytes: Option<u64>,
    /// Warm-up, for each workload.
    pub warm_up: Vec<WarmUpRecord>,
    /// Why this launch of this contender ended before its plan.
    pub ended_early: Option<String>,
    /// How it stopped.
    pub stop: Option<StopRecord>,
}

/// How a warm-up went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WarmUpRecord {
    /// The workload.
    pub workload: String,
    /// Windows.
    pub windows: u32,
    /// Requests answered.
    pub requests: u64,
    /// How long it took.
    pub duration_ns: u64,
    /// False when it ended at the cap.
    pub steady: bool,
}

/// How a contender stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopRecord {
    /// Whether SIGTERM sufficed.
    pub by_sigterm: bool,
    /// From SIGTERM to the last process gone.
    pub duration_ns: u64,
    /// What was wrong with its end besides, in one line: processes outside of its control group, or a group that stayed.
    #[serde(default)]
    pub fault: Option<String>,
}

impl RunFile {
    /// The record of a contender.
    pub fn contender(&self, name: &ContenderName) -> Option<&ContenderRecord> {
        self.contenders.iter().find(|record| record.manifest.name == *name)
    }

    /// A workload as it was.
    pub fn workload(&self, name: &str) -> Option<&Workload> {
        self.workloads.iter().find(|workload| workload.name == name)
    }
}
