//! The words for what was judged: a sentence for each finding, one file for each group of checks. Sentences begin in lower case
//! and end without a full stop, as they stand behind a label or a name.

pub(crate) mod against;
mod connections;
pub(crate) mod figures;
pub(crate) mod launches;
mod limits;
mod loads;
mod machine;
mod plural;
pub(crate) mod rates;
mod requests;
mod steadiness;
#[cfg(test)]
mod tests;

use velo_judge::Finding;
use velo_judge::words::list;
use velo_stats::number::percent;

/// What a finding says: `only 12 of 64 connections were open at the end`.
pub(crate) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::WrongAnswers { answers, share } => requests::wrong_answers(*answers, *share),
        Finding::UnfairCoin { coin } => coin.in_words(),
        Finding::Failures { share, answers } => requests::failures(*share, answers),
        Finding::ServiceTimeSamples { percentiles } => requests::samples("service time", percentiles),
        Finding::ServiceTimesUnreadable { windows } => requests::unreadable(*windows),
        Finding::LittlesLaw { share } => connections::littles_law(*share),
        Finding::ConnectionsIdle { busy_share, cause } => connections::idle(*busy_share, cause),
        Finding::ConnectionsMissing { open, asked } => connections::missing(*open, *asked),
        Finding::ConnectionsReopened { times, each_answers } => connections::reopened(*times, *each_answers),
        Finding::ConnectionsStarved { fairness, below_share } => connections::starved(fairness, *below_share),
        Finding::Bottleneck { limit } => limits::bottleneck(limit),
        Finding::IdleCpuUnknown => {
            "its CPU use without load is not known, so a busy wait would not be seen".to_owned()
        }
        Finding::GeneratorMatters { slowed_ns, cost_share } => limits::matters(*slowed_ns, *cost_share),
        Finding::GeneratorUnresolved { slowed_ns, within_share } => {
            limits::unresolved(*slowed_ns, *within_share)
        }
        Finding::OpenLoopsUnreadable { histograms } => rates::unreadable(*histograms),
        Finding::RatesDropped { rates } => rates::dropped(rates),
        Finding::RateNotOffered { at, sent_share, cause } => {
            rates::not_offered(at.as_ref(), *sent_share, cause.as_ref())
        }
        Finding::RateOfferedLate { at, behind_share } => rates::offered_late(at.as_ref(), *behind_share),
        Finding::NeverSent { at, requests, cause } => {
            rates::never_sent(at.as_ref(), *requests, cause.as_ref())
        }
        Finding::FailuresAtRate { at, share, answers } => rates::failures(at, *share, answers),
        Finding::SendLag { at, p99_ns, closed_loop } => rates::send_lag(at.as_ref(), *p99_ns, *closed_loop),
        Finding::ResponseTimeSamples { at, percentiles } => rates::samples(at.as_ref(), percentiles),
        Finding::Trend { figure, change_share } => steadiness::trend(*figure, *change_share),
        Finding::TrendUnknown { figure, within_share } => steadiness::unknown(*figure, *within_share),
        Finding::Inconsistent { figure, parts } => parts.in_words(*figure),
        Finding::TaskTrend { change_share } => steadiness::task(*change_share),
        Finding::LeftByBuild { programs } => {
            format!("its build left programs running, which were ended: {}", list(programs, 5))
        }
        Finding::ListensOnAll { address } => launches::listens_on_all(*address),
        Finding::LogCut { log, written_bytes } => launches::log_cut(log, *written_bytes),
        Finding::LaunchEndedEarly { launch, reason } => format!("launch {launch} ended early: {reason}"),
        Finding::LaunchesApart { figure, launches, of, change_share } => {
            launches::apart(*figure, launches, *of, *change_share)
        }
        Finding::WarmUpNotSteady { launches, of } => launches::warm_up(*launches, *of),
        Finding::OutsideCpus { launches } => {
            format!("it could run outside its CPUs in launch {}", list(launches, 5))
        }
        Finding::NotStoppedBySigterm { launches, of } => launches::not_stopped(*launches, *of),
        Finding::ProcessEndedEarly { process, reason } => format!("process {process} ended early: {reason}"),
        Finding::ProcessesDropped { processes, of } => launches::processes_dropped(*processes, *of),
        Finding::ReadBytesUnknown => {
            "what it read is not known, so that one that keeps its files would not be seen".to_owned()
        }
        Finding::OthersBusy { names, share, rest_share } => machine::others_busy(names, *share, *rest_share),
        Finding::DebugBuild => {
            "this is a debug build of velo: the generator is slow, and its figures mean nothing".to_owned()
        }
        Finding::Override { setting } => format!("not the usual settings: {setting}"),
        Finding::ExternallyStarted { contenders } => machine::externally_started(contenders),
        Finding::ExternalLaunch { contenders } => machine::external_launch(contenders),
        Finding::ExternalPlacement { contenders } => machine::external_placement(contenders),
        Finding::OthersUnknown { steal, others } => machine::unknown(*steal, *others),
        Finding::InterruptsApart => machine::INTERRUPTS_APART.to_owned(),
        Finding::StealInCpuTimes => machine::STEAL_IN_CPU_TIMES.to_owned(),
        Finding::CpuTimeTaken { taken, others } => machine::cpu_time_taken(taken, others),
        Finding::SlowerCpu { launches, longer_share } => machine::slower_cpu(launches, *longer_share),
        Finding::BlocksDisturbed { disturbed, blocks, by, are_counted } => {
            machine::blocks_disturbed(*disturbed, *blocks, by, *are_counted)
        }
        Finding::NoiseFloorUnknown { workload, reason } => {
            format!("the noise floor on {workload} is not known: {reason}")
        }
        Finding::ControlFailed { workload, contender, difference_share, half_width_share } => {
            machine::control(workload, contender, *difference_share, *half_width_share)
        }
        Finding::Interrupted { after_ns, asked_ns } => loads::interrupted(*after_ns, *asked_ns),
        Finding::GaveUp { after_ns, tried, of } => loads::gave_up(*after_ns, *tried, *of),
        Finding::NothingWorked { answers, outside } => loads::nothing_worked(answers, outside),
        Finding::FailuresExitWithZero => {
            "failed requests do not change the exit code; --fail-on errors=0 exits with 1 where there are any"
                .to_owned()
        }
        Finding::WarmUpFailures { answers } => loads::warm_up(answers),
        Finding::DrainedFailures { answers } => loads::drained(answers),
        Finding::BodiesUnchecked => "bodies were not checked; the --expect-* options check them".to_owned(),
        Finding::ClosedLoop => {
            "service times of a closed loop hide stalls; -R shows response times".to_owned()
        }
        Finding::GeneratorPaused { longest_ns, closed_loop } => loads::paused(*longest_ns, *closed_loop),
        Finding::BusyPolling => "busy polling: whether the generator was the limit cannot be seen".to_owned(),
        Finding::Throttled { cpus, throttled, periods, held_ns } => {
            loads::throttled(*cpus, *throttled, *periods, *held_ns)
        }
        Finding::GeneratorBusy { share, closed_loop } => loads::generator_busy(*share, *closed_loop),
        Finding::ThreadBusy { share } => {
            format!("one of the generator's threads was busy {}", percent(*share))
        }
        Finding::ConnectionsClosedIdle { connections, shortest_ns } => {
            connections::closed_idle(*connections, *shortest_ns)
        }
        Finding::StreamsLimited { allowed, asked } => connections::streams(*allowed, *asked),
        Finding::NoPort { times } => connections::no_port(*times),
        Finding::HistogramsUnreadable { times } => {
            format!("the histograms of {} cannot be read: their percentiles are missing", times.join(", "))
        }
    }
}
