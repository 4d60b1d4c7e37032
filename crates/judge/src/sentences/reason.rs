//! Why a figure is not there, cannot be used, or has no rank.

use std::fmt;

use velo_stats::number::time_ns;

use crate::doubt::reason::{BurstFault, CallFault, CallPhase, Reason};
use crate::words::{count, failures_in_words, percent, rate};

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(cause) => cause.fmt(f),
            Self::Standing(state) => f.write_str(&state.in_passing()),
            Self::StateOf { contender, state } => f.write_str(&state.of(contender, &state.in_passing())),
            Self::StateInShort { contender, state } => f.write_str(&state.of(contender, state.in_short())),
            Self::Absent { contender } => write!(f, "{contender} was not in this run"),
            Self::CpuTimeUnknown => f.write_str("its CPU time is not known"),
            Self::CpuTimesUnknown => f.write_str("their CPU time is not known"),
            Self::RateNotMet { sent_share, behind_share, failed_share } => write!(
                f,
                "it did not meet the rate: {} sent, {} behind at the end, {} failed",
                percent(*sent_share),
                percent(*behind_share),
                percent(*failed_share)
            ),
            Self::RatesDiffer { over_per_s, under_per_s } => {
                write!(f, "not given the same rate: {} and {}", rate(*over_per_s, 3), rate(*under_per_s, 3))
            }
            Self::FewerLaunches { needed } => write!(f, "fewer than {needed} launches"),
            Self::FewHave { needed, role, both } => {
                let what = if role.is_server() { "launches" } else { "processes" };
                write!(f, "fewer than {needed} {what} have {}", if *both { "both" } else { "it" })
            }
            Self::NotAbove { over, under } => write!(f, "{over} is not above {under}"),
            Self::NotToldApart { over, under } => write!(f, "{over} and {under} were not told apart"),
            Self::NothingToOrder => f.write_str("the claim orders fewer than two contenders"),
            Self::MeasuredOnce => f.write_str("measured once, so there is no interval"),
            Self::NoBound => f.write_str("the claim has no bound"),
            Self::CrossesBound => f.write_str("the interval crosses the limit of the claim"),
            Self::NotClaimedAsItIs => f.write_str("only a makespan is claimed as it is"),
            Self::OfTasks => f.write_str("it is a figure of tasks"),
            Self::NoFigure { contender } => write!(f, "{contender} has no figure"),
            Self::NothingTogether { role, over, under } => {
                let what = if role.is_server() { "windows" } else { "processes" };
                write!(f, "{over} and {under} have no {what} that can be compared")
            }
            Self::NotRun { workload } => write!(f, "{workload} was not run"),
            Self::NotRunOn { contender, workload } => write!(f, "{contender} was not run on {workload}"),
            Self::NoTasks { workload } => write!(f, "{workload} has no tasks in this run"),
            Self::NoBaseline(reason) => write!(f, "no baseline: {reason}"),
            Self::NoBurst { contender, requests } => {
                write!(f, "{contender} was not measured with a burst of {requests}")
            }
            Self::Burst { contender, fault } => write!(f, "{contender}: {fault}"),
            Self::Unmapped => f.write_str("no contender mapped to this row"),
            Self::NotInRun => f.write_str("not in this run"),
            Self::NotMeasured { why } => write!(f, "not measured here: {why}"),
            Self::NoScore => f.write_str("there is no score"),
            Self::NoServer { language } => write!(f, "no server in {language} was in this run"),
            Self::NoServiceTime { contender } => write!(f, "{contender} has no service time"),
            Self::NoCalls { workload } => write!(f, "{workload} has no single calls in this run"),
            Self::Call(fault) => fault.fmt(f),
            Self::CallOf { contender, fault } => write!(f, "{contender}: {fault}"),
        }
    }
}

impl fmt::Display for CallFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let such_as = |example: &Option<String>| {
            example.as_ref().map(|example| format!(", such as \"{example}\"")).unwrap_or_default()
        };
        match self {
            Self::WrongAnswers { wrong, of, example } => {
                write!(f, "{wrong} of {of} answers wrong{}", such_as(example))
            }
            Self::NoAnswer { failed, of, example } => {
                write!(f, "{failed} of {of} calls without an answer{}", such_as(example))
            }
            Self::EndedEarly { launch, ended } => write!(f, "launch {launch}: {ended}"),
            Self::NotResumed { resumed, of } => {
                write!(f, "resumes no TLS sessions: {resumed} of {of} calls did")
            }
            Self::NotKept { opened, of } => {
                write!(f, "keeps no connection: {opened} of {of} calls needed another")
            }
            Self::OtherTls { agreed, asked } => write!(f, "agreed on {agreed}, and {asked} was offered"),
            Self::Impossible { phase, ns, rtt_ns } => {
                let phase = match phase {
                    CallPhase::Connect => "connecting",
                    CallPhase::Handshake => "the TLS handshake",
                    CallPhase::FirstByte => "the first byte",
                };
                let (took, rtt) = (time_ns(*ns as f64), time_ns(*rtt_ns as f64));
                write!(f, "{phase} took {took}, less than the link's round trip of {rtt}")
            }
            Self::NotMeasured => f.write_str("not measured"),
            Self::Disturbed { launches, of } => {
                write!(f, "others took CPU time in {launches} of {of} launches")
            }
            Self::NotMade { contender, condition } => {
                write!(f, "{contender} was not called under {condition} in this run")
            }
        }
    }
}

impl fmt::Display for BurstFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongAnswers { wrong, asked } => write!(f, "{wrong} of {asked} answers wrong"),
            Self::Failures { answers, asked } => {
                let failed = failures_in_words(answers);
                write!(f, "{} of {asked} requests failed: {failed}", answers.failures())
            }
            Self::NotSent { answered, asked } => {
                write!(f, "only {answered} of {asked} requests could be sent in time")
            }
            Self::NotTried { connections } => {
                let over = count(*connections as usize, "connection", "connections");
                write!(
                    f,
                    "not tried: requests over {over} were left without an answer, and it may still have worked on them"
                )
            }
            Self::NotMeasured { ended: Some(ended) } => write!(f, "not measured: {ended}"),
            Self::NotMeasured { ended: None } => f.write_str("not measured"),
        }
    }
}
