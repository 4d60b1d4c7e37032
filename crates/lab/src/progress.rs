use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use velo_record::{Plan, Stage};
use velo_spec::ContenderName;

/// Told what happens while it happens.
pub trait Progress {
    /// Something happened.
    fn event(&mut self, event: &Event);
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// The run's CPUs are chosen: the contender's and the generator's.
    Placed {
        /// The contender's CPUs.
        server_cpus: Vec<u32>,
        /// The generator's CPUs.
        load_cpus: Vec<u32>,
    },
    /// A contender's build began.
    BuildStarted {
        /// Which.
        contender: ContenderName,
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
        /// From the first start: the budget, or the source's own load.
        expected: Duration,
        /// Contenders that will be measured.
        contenders: usize,
    },
    /// The plan is fixed.
    Planned(Plan),
    /// A launch began.
    LaunchStarted {
        /// From 1.
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
    /// A window is about to begin.
    Window {
        /// The launch.
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
    /// A launch ended.
    LaunchDone {
        /// From 1.
        launch: u32,
        /// Of how many.
        of: u32,
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
