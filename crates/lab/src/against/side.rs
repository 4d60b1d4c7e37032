//! One of the two services while it is measured.

use std::net::SocketAddr;

use velo_load::{Tally, Target, TlsFacts, WindowReport};
use velo_record::{AgainstService, AgainstSide, AgainstWindow, EncodedHistogram, LoadTarget, Outcomes};
use velo_stats::Histogram;

use super::options::{ServiceChoice, SideOptions};
use crate::course::lane::Lengths;
use crate::process::service::ServiceProcesses;
use crate::process::tree::Snapshot;
use crate::sides::load_side::TargetNumber;

/// As many failures are kept in words.
const MOST_EXAMPLES: usize = 3;

/// A service, its connections, and what was counted so far.
pub(super) struct Side {
    pub(super) number: TargetNumber,
    pub(super) target: Target,
    pub(super) lengths: Lengths,
    pub(super) gave_up: bool,
    pub(super) tls: Option<TlsFacts>,
    recorded: LoadTarget,
    processes: Result<ServiceProcesses, String>,
    is_here: bool,
    outcomes: Outcomes,
    examples: Vec<String>,
    reconnects: u64,
    duration_ns: u64,
    /// A histogram a batch of the planned blocks.
    times: Vec<Histogram>,
}

impl Side {
    pub(super) fn new(number: TargetNumber, options: SideOptions) -> Self {
        let SideOptions { target, recorded, service } = options;
        Self {
            number,
            target,
            lengths: Lengths::first(),
            gave_up: false,
            tls: None,
            recorded,
            processes: found(service),
            is_here: !matches!(service, ServiceChoice::Elsewhere),
            outcomes: Outcomes::default(),
            examples: Vec::new(),
            reconnects: 0,
            duration_ns: 0,
            times: Vec::new(),
        }
    }

    /// What its processes have used so far, where they are known.
    pub(super) fn snapshot(&mut self) -> Option<Snapshot> {
        self.processes.as_mut().ok().map(ServiceProcesses::snapshot)
    }

    /// What they used since, where they are known.
    pub(super) fn used_ns(&mut self, since: Option<&Snapshot>) -> Option<u64> {
        self.processes.as_mut().ok()?.used_ns(since?)
    }

    /// Whether others can be told from it: it is on another machine, or its processes are known.
    pub(super) fn is_told_apart(&self) -> bool {
        !self.is_here || self.processes.is_ok()
    }

    /// Notes what is told of a window that does not count, too.
    pub(super) fn note(&mut self, tally: &Tally) {
        self.reconnects = self.reconnects.saturating_add(tally.reconnects);
        self.tls = self.tls.or(tally.tls);
        for example in tally.settling_examples.iter().chain(&tally.wrong_examples) {
            if self.examples.len() < MOST_EXAMPLES && !self.examples.contains(example) {
                self.examples.push(example.clone());
            }
        }
    }

    /// Adds the window of a block in a batch.
    pub(super) fn add(&mut self, report: &WindowReport, is_open: bool, batch: usize) {
        let tally = &report.tally;
        self.outcomes.add(&tally.outcomes);
        self.duration_ns = self.duration_ns.saturating_add(report.duration_ns);
        let times = if is_open { &tally.response_time } else { &tally.service_time };
        self.times.resize_with(self.times.len().max(batch + 1), Histogram::new);
        self.times[batch].merge(times);
    }

    /// Correct answers per second so far.
    pub(super) fn correct_per_s(&self) -> f64 {
        self.outcomes.correct as f64 * 1e9 / self.duration_ns.max(1) as f64
    }

    pub(super) fn into_record(self) -> AgainstSide {
        let service = match &self.processes {
            Ok(processes) => AgainstService {
                pids: processes.roots(),
                name: processes.name(),
                unknown: None,
                ended: processes.has_ended(),
            },
            Err(why) => AgainstService { unknown: Some(why.clone()), ..AgainstService::default() },
        };
        AgainstSide {
            target: self.recorded,
            service,
            settling_ns: self.lengths.settling_ns,
            window_ns: self.lengths.window_ns,
            outcomes: self.outcomes,
            examples: self.examples,
            gave_up: self.gave_up,
            reconnects: self.reconnects,
            times: self.times.iter().map(EncodedHistogram::new).collect(),
        }
    }
}

/// A window as it is recorded.
pub(super) fn window(report: &WindowReport, cpu_ns: Option<u64>) -> AgainstWindow {
    let tally = &report.tally;
    let correct = [&tally.settling, &tally.outcomes, &tally.draining].map(|outcomes| outcomes.correct);
    AgainstWindow {
        duration_ns: report.duration_ns,
        correct: tally.outcomes.correct,
        failed: tally.outcomes.failed(),
        correct_with_settling: correct.into_iter().fold(0, u64::saturating_add),
        cpu_ns,
        generator_cpu_ns: report.thread_cpu_ns.iter().sum(),
    }
}

fn found(service: ServiceChoice) -> Result<ServiceProcesses, String> {
    match service {
        ServiceChoice::Pid(pid) => ServiceProcesses::named(pid),
        ServiceChoice::ListeningAt(at) => ServiceProcesses::listening(canonical(at)),
        ServiceChoice::Elsewhere => Err("it is not on this machine".to_owned()),
    }
}

/// An IPv4 address that is written as one of IPv6 is what the kernel's tables are read as.
fn canonical(at: SocketAddr) -> SocketAddr {
    SocketAddr::new(at.ip().to_canonical(), at.port())
}
