use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use velo_judge::Looked;
use velo_judge::gate::LookedFigure;
use velo_model::{ContenderName, LoadCondition};
use velo_record::{Placement, Plan, Stage};

use crate::host::doctor::Check;

/// Told what happens while it happens.
pub trait Progress {
    /// Something happened.
    fn event(&mut self, event: &Event);
}

/// What launches are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The blocks: goodput, and CPU time at equal work.
    Blocks,
    /// Latency at stated rates.
    Latency,
    /// The sweep of rates upward.
    Curve,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// The run's CPUs are chosen.
    Placed(Placement),
    /// The link that the workloads name cannot be had.
    NoLink {
        /// What is measured instead and why, in one line.
        words: String,
    },
    /// The machine was looked at.
    Examined(Vec<Check>),
    /// A contender's build began.
    BuildStarted {
        /// Which.
        contender: ContenderName,
    },
    /// Another process builds the same, and is waited for.
    BuildWaits {
        /// Which contender.
        contender: ContenderName,
        /// The other process, where it is known.
        holder: Option<u32>,
    },
    /// Its kept build was changed by somebody, and is made anew.
    BuildChanged {
        /// Which contender.
        contender: ContenderName,
        /// The first file that is not what was built.
        file: PathBuf,
    },
    /// A contender's build ended.
    BuildDone {
        /// Which.
        contender: ContenderName,
        /// How.
        outcome: BuildOutcome,
        /// How many have ended.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// A contender's conformance cases ended.
    VerifyDone {
        /// Which.
        contender: ContenderName,
        /// Cases tried.
        cases: usize,
        /// Required cases failed.
        failed: usize,
        /// How many contenders have ended.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// How long the measuring may take, before the first launch has shown what things cost.
    Estimated {
        /// From the first start: the budgets, or the source's own load.
        expected: Duration,
        /// Contenders that will be measured.
        contenders: usize,
        /// Whether the reference will be measured twice.
        has_control: bool,
    },
    /// How long the tasks may take, by what they took when they were verified.
    TasksPlanned {
        /// How many.
        tasks: usize,
        /// Processes of each.
        processes: u32,
        /// For all of them.
        expected: Duration,
        /// The budget, where so few processes as there must be take longer.
        over: Option<Duration>,
    },
    /// A process of a task is about to begin.
    TaskProcess {
        /// Which of its processes, from 1.
        process: u32,
        /// Of how many.
        processes: u32,
        /// The workload.
        workload: String,
        /// Which contender.
        contender: ContenderName,
        /// Processes of all tasks measured so far.
        done: u64,
        /// Of how many.
        of: u64,
        /// What is left, as far as can be told.
        left: Duration,
    },
    /// How long single calls may take at least, before the first is made.
    CallsPlanned {
        /// Contenders.
        contenders: usize,
        /// Conditions of all of them together, each counted once.
        conditions: usize,
        /// Launches.
        launches: u32,
        /// For all of them.
        expected: Duration,
    },
    /// Single calls on a contender under a condition are about to begin.
    Calls {
        /// The launch.
        launch: u32,
        /// Of how many.
        launches: u32,
        /// The workload.
        workload: String,
        /// Which contender.
        contender: ContenderName,
        /// The condition as in workload files.
        condition: String,
        /// Blocks of calls made so far.
        done: u64,
        /// Of how many.
        of: u64,
        /// What is left, as far as can be told.
        left: Duration,
    },
    /// Single calls cannot be made under some conditions.
    CallsLeftOut {
        /// Which, and why, in one line.
        reason: String,
    },
    /// The plan is fixed.
    Planned(Plan),
    /// What launches beside the plan will do.
    PartPlanned {
        /// What they are for.
        part: Part,
        /// How many.
        launches: u32,
        /// What they may take.
        expected: Duration,
        /// Why there are fewer than there should be.
        too_small: Option<String>,
    },
    /// A launch began.
    LaunchStarted {
        /// What it is for.
        part: Part,
        /// From 1 within its part.
        launch: u32,
        /// Of how many; `None` before the plan.
        of: Option<u32>,
    },
    /// A contender is being started and warmed up.
    WarmingUp {
        /// The launch.
        launch: u32,
        /// Which.
        contender: ContenderName,
    },
    /// Whether the generator matters to a contender is about to be tried.
    Proving {
        /// Which.
        contender: ContenderName,
    },
    /// The highest rate that a contender meets is about to be searched for.
    Searching {
        /// Which.
        contender: ContenderName,
    },
    /// A window is about to begin.
    Window {
        /// What its launch is for.
        part: Part,
        /// The launch, from 1 within its part.
        launch: u32,
        /// Of how many.
        launches: u32,
        /// The block.
        block: u32,
        /// Of how many.
        blocks: u32,
        /// The workload.
        workload: String,
        /// Which contender.
        contender: ContenderName,
        /// Windows measured so far.
        done: u64,
        /// Windows planned.
        of: u64,
        /// What is left, as far as can be told.
        left: Duration,
    },
    /// How long the bursts will take at least, beside the budget; more for contenders that hold a thread while a request
    /// waits.
    BurstsPlanned {
        /// In the first launch.
        first_launch: Duration,
        /// In each of the others.
        other_launches: Duration,
    },
    /// The first bursts have shown how many requests contenders serve at a time.
    BurstsSeen {
        /// What is left of the first launch's bursts.
        this_launch: Duration,
        /// The bursts of all other launches together.
        other_launches: Duration,
    },
    /// A contender is about to be measured under a load beside the plan's windows.
    Turn {
        /// What such turns are called, in a word: `bursts`.
        kind: &'static str,
        /// The workload.
        workload: String,
        /// Which contender.
        contender: ContenderName,
        /// The load.
        under: LoadCondition,
        /// Turns taken so far in this part of the launch.
        done: u64,
        /// Of how many.
        of: u64,
        /// What is left of them, as far as can be told.
        left: Duration,
    },
    /// The machine spoilt so much of what was measured so far that it would not be ranked.
    Disturbed {
        /// How much, and by what.
        reason: String,
    },
    /// The results so far were looked at, to see whether they are precise enough.
    Looked {
        /// After this launch.
        launch: u32,
        /// What was found; precise results end the run.
        found: Looked,
    },
    /// A gate's figures were looked at after a launch.
    GateLooked {
        /// The launch.
        launch: u32,
        /// What is known of each figure.
        found: Vec<LookedFigure>,
        /// The run ends with it.
        is_decided: bool,
    },
    /// A launch ended.
    LaunchDone {
        /// From 1 within its part.
        launch: u32,
        /// Of how many.
        of: u32,
        /// What was measured up to here; empty for launches that count no blocks.
        so_far: Vec<SoFar>,
    },
    /// A contender that is to be left running has answered its first request.
    Serving {
        /// Which.
        contender: ContenderName,
        /// `http://HOST:PORT` or `https://HOST:PORT`, without a path.
        url: String,
        /// Its processes, in ascending order.
        pids: Vec<u32>,
    },
    /// A contender will not be measured further.
    Excluded {
        /// Which.
        contender: ContenderName,
        /// Where.
        stage: Stage,
        /// Why, in one line.
        reason: String,
    },
}

/// What was counted of a contender up to now. Not yet judged.
#[derive(Debug, Clone, PartialEq)]
pub struct SoFar {
    /// The workload.
    pub workload: String,
    /// Which.
    pub contender: ContenderName,
    /// The median over its counted windows.
    pub goodput_per_s: f64,
}

/// How a build ended.
#[derive(Debug, Clone)]
pub enum BuildOutcome {
    /// It was built.
    Built(Duration),
    /// An earlier build was used.
    Cached,
    /// It was not tried.
    Skipped(String),
    /// It failed.
    Failed(String),
}

/// Asks a run to end: set by a signal handler, looked at between windows and in every wait.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// The flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether the run is to end.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
