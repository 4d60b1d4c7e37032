use velo_model::{CallCondition, ContenderName, Role};
use velo_record::Outcomes;

use super::cause::Cause;
use super::state::RowState;

/// Why a figure is not there, cannot be used, or has no rank; as JSON it is what it says. Shares are parts of 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// A rule keeps it from being ranked.
    Rule(Box<Cause>),
    /// The state of its row.
    Standing(Box<RowState>),
    /// The state of a contender's row.
    StateOf {
        /// The contender.
        contender: ContenderName,
        /// Its state.
        state: Box<RowState>,
    },
    /// The same, and why stands elsewhere.
    StateInShort {
        /// The contender.
        contender: ContenderName,
        /// Its state.
        state: Box<RowState>,
    },
    /// A contender was not in the run.
    Absent {
        /// Which.
        contender: ContenderName,
    },
    /// Its CPU time is not known.
    CpuTimeUnknown,
    /// The CPU time of two is not known.
    CpuTimesUnknown,
    /// It did not meet the rate that it was given.
    RateNotMet {
        /// Sent, of the requests that were due.
        sent_share: f64,
        /// What was still unsent at a window's end.
        behind_share: f64,
        /// Failed, of the requests that were sent.
        failed_share: f64,
    },
    /// Two were given different rates.
    RatesDiffer {
        /// The rate of the first, in requests per second.
        over_per_s: f64,
        /// That of the second.
        under_per_s: f64,
    },
    /// There are fewer launches than it needs.
    FewerLaunches {
        /// How many it needs.
        needed: u32,
    },
    /// Fewer launches than it needs have what is claimed; of a task processes.
    FewHave {
        /// How many it needs.
        needed: u32,
        /// Which of the two.
        role: Role,
        /// Both sides are needed.
        both: bool,
    },
    /// A side of a claim is not above the next.
    NotAbove {
        /// The one that should be.
        over: ContenderName,
        /// The next.
        under: ContenderName,
    },
    /// Two sides of a claim were not told apart.
    NotToldApart {
        /// The one that should be above.
        over: ContenderName,
        /// The other.
        under: ContenderName,
    },
    /// A claim orders fewer than two.
    NothingToOrder,
    /// It was measured once, and has no interval.
    MeasuredOnce,
    /// A claim has no bound.
    NoBound,
    /// The interval crosses the bound.
    CrossesBound,
    /// It is a figure that is compared only.
    NotClaimedAsItIs,
    /// It is a figure of tasks.
    OfTasks,
    /// A contender has no figure.
    NoFigure {
        /// Which.
        contender: ContenderName,
    },
    /// Two have no windows together, or of tasks no processes.
    NothingTogether {
        /// Which of the two.
        role: Role,
        /// The one.
        over: ContenderName,
        /// The other.
        under: ContenderName,
    },
    /// A workload was not run.
    NotRun {
        /// Which.
        workload: String,
    },
    /// A contender was not run on a workload.
    NotRunOn {
        /// Which contender.
        contender: ContenderName,
        /// Which workload.
        workload: String,
    },
    /// A workload has no tasks in the run.
    NoTasks {
        /// Which.
        workload: String,
    },
    /// Scores have no baseline.
    NoBaseline(Box<Reason>),
    /// A contender was not measured with a burst.
    NoBurst {
        /// Which contender.
        contender: ContenderName,
        /// Of so many requests.
        requests: u32,
    },
    /// A contender's burst says nothing.
    Burst {
        /// Which contender.
        contender: ContenderName,
        /// Why.
        fault: BurstFault,
    },
    /// No contender stands for a published row.
    Unmapped,
    /// The contender of a published row was not in the run.
    NotInRun,
    /// The contender of a published row was not in the run, and the workload says what keeps it from being measured.
    NotMeasured {
        /// As the workload words it.
        why: String,
    },
    /// There is no score.
    NoScore,
    /// No server in a language was in the run.
    NoServer {
        /// Which.
        language: String,
    },
    /// A contender has no service time.
    NoServiceTime {
        /// Which.
        contender: ContenderName,
    },
    /// A workload has no single calls in the run.
    NoCalls {
        /// Which.
        workload: String,
    },
    /// Single calls say nothing.
    Call(CallFault),
    /// The same of a contender.
    CallOf {
        /// Which.
        contender: ContenderName,
        /// Why.
        fault: Box<Reason>,
    },
}

/// Why single calls say nothing; as JSON it is what it says.
#[derive(Debug, Clone, PartialEq)]
pub enum CallFault {
    /// Answers were wrong.
    WrongAnswers {
        /// How many.
        wrong: u64,
        /// Of how many answers.
        of: u64,
        /// One of them.
        example: Option<String>,
    },
    /// Calls got no answer.
    NoAnswer {
        /// How many.
        failed: u64,
        /// Of how many calls.
        of: u64,
        /// Why.
        example: Option<String>,
    },
    /// A launch broke off.
    EndedEarly {
        /// Which.
        launch: u32,
        /// Why, as it was recorded.
        ended: String,
    },
    /// The contender resumes no sessions.
    NotResumed {
        /// Calls that resumed one.
        resumed: u64,
        /// Of how many.
        of: u64,
    },
    /// The contender keeps no connection.
    NotKept {
        /// Calls whose connection was not as the condition says.
        opened: u64,
        /// Of how many.
        of: u64,
    },
    /// Another version of TLS was agreed on than the one that was offered.
    OtherTls {
        /// Which.
        agreed: String,
        /// The one that was offered.
        asked: String,
    },
    /// A phase took less than its packets were on their way: the link did not hold them.
    Impossible {
        /// Which.
        phase: CallPhase,
        /// How long it took.
        ns: u64,
        /// The round-trip time of the link.
        rtt_ns: u64,
    },
    /// No call was made, or none that counts.
    NotMeasured,
    /// Others or the hypervisor took CPU time in so many launches that all of them count.
    Disturbed {
        /// In how many.
        launches: u32,
        /// Of how many.
        of: u32,
    },
    /// A contender was not called under a condition.
    NotMade {
        /// Which contender.
        contender: ContenderName,
        /// Which condition.
        condition: CallCondition,
    },
}

/// A phase of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPhase {
    /// Opening TCP.
    Connect,
    /// The handshake of TLS.
    Handshake,
    /// From the request to the first byte of its answer.
    FirstByte,
}

/// Why a burst's makespan says nothing; as JSON it is what it says.
#[derive(Debug, Clone, PartialEq)]
pub enum BurstFault {
    /// Answers were wrong.
    WrongAnswers {
        /// How many.
        wrong: u64,
        /// Requests that were asked for.
        asked: u64,
    },
    /// Requests failed.
    Failures {
        /// The failures by class.
        answers: Outcomes,
        /// Requests that were asked for.
        asked: u64,
    },
    /// Not all requests could be sent in time.
    NotSent {
        /// Answered.
        answered: u64,
        /// Requests that were asked for.
        asked: u64,
    },
    /// Requests of an earlier one were left without an answer.
    NotTried {
        /// Over so many connections.
        connections: u32,
    },
    /// It was not measured.
    NotMeasured {
        /// Why its launch ended early, as it was recorded.
        ended: Option<String>,
    },
}

impl Reason {
    /// Why a row in this state has no rank; `None` where it has one.
    pub(crate) fn not_ranked(state: &RowState) -> Option<Self> {
        match state {
            RowState::Ranked { .. } => None,
            RowState::NotRanked { cause } => Some(Self::Rule(Box::new(cause.clone()))),
            state => Some(Self::Standing(Box::new(state.clone()))),
        }
    }

    /// The same in a sentence that names the contender whose fault it is.
    pub(crate) fn of(self, contender: &ContenderName) -> Self {
        let contender = contender.clone();
        match self {
            Self::Standing(state) => Self::StateOf { contender, state },
            Self::Call(_) => Self::CallOf { contender, fault: Box::new(self) },
            named => named,
        }
    }

    /// Whether the contender itself is at fault.
    pub(crate) fn is_failure(&self) -> bool {
        match self {
            Self::Standing(state) => state.is_failure(),
            Self::Call(fault) => matches!(
                fault,
                CallFault::WrongAnswers { .. } | CallFault::EndedEarly { .. } | CallFault::NoAnswer { .. }
            ),
            _ => false,
        }
    }

    /// Whether it is only that the contender is the reference, which is never ranked.
    pub(crate) fn is_of_reference(&self) -> bool {
        matches!(self, Self::Standing(state) if **state == RowState::Reference)
    }

    /// Whether it is that nothing of the run is ranked.
    pub fn is_of_run(&self) -> bool {
        matches!(self, Self::Rule(cause) if matches!(**cause, Cause::Run { .. }))
    }
}
