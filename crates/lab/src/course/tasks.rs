//! Tasks: programs without a server, and clients. Each of their processes is fed line after line, one process at a time; in each
//! round one process of every task, in random order, so that drift of the machine hits all alike.

mod course;
mod download;
mod feed;
mod line;
mod manners;
pub(crate) mod verify;

use std::time::Duration;

use rand::seq::SliceRandom;
use velo_model::PartyRole;
use velo_record::{ContenderState, Party, Stage, TaskProcess};

use self::course::ANSWER_LIMIT;
use self::feed::{NoIteration, feed};
use self::line::Line;
use crate::LabError;
use crate::build::data::VERSIONS;
use crate::course::countdown::Countdown;
use crate::course::lane::settle;
use crate::course::plan::{Begun, Kind, Plan};
use crate::course::rig::Rig;
use crate::prepare::verify::VerifiedTask;
use crate::progress::Event;
use crate::sides::serve_side::Worker;

/// Processes of each task; of each client at least.
const PROCESSES: u32 = 10;
/// A task that breaks off in this many processes is not measured further.
const EARLY_ENDS: usize = 2;
/// Processes of each client, however much time there is.
const MOST_PROCESSES: u32 = 60;
/// Of a quick look.
const QUICK_PROCESSES: u32 = 2;

/// The tasks of a run.
pub(crate) struct Tasks {
    tasks: Vec<VerifiedTask>,
    /// Of each task.
    processes: u32,
    /// What they may take, where that is known.
    budget: Option<Duration>,
    countdown: Countdown,
}

impl Tasks {
    /// Those that passed. `quick`: for a quick look. `budget`: what the time that they may take is, where nothing else needs it.
    pub(crate) fn of(verified: Vec<VerifiedTask>, quick: bool, budget: Option<Duration>) -> Self {
        let processes = if quick { QUICK_PROCESSES } else { PROCESSES };
        let (budget, countdown) = (budget.filter(|_| !quick), Countdown::default());
        let mut tasks = Self { tasks: verified, processes, budget, countdown };
        if let Some(budget) = tasks.budget {
            tasks.processes = processes_within(budget, tasks.round());
        }
        tasks
    }

    fn will_take(&self) -> Duration {
        self.round() * self.processes
    }

    /// A process of each.
    fn round(&self) -> Duration {
        self.tasks.iter().map(|task| task.expected).sum()
    }

    /// One process, which is on disk when this returns.
    fn measure_process(&self, rig: &mut Rig<'_>, task: usize, process: u32) -> Result<(), LabError> {
        let task = &self.tasks[task];
        let &VerifiedTask { record, workload: number, ref built, .. } = task;
        let workload = rig.file.workloads[number].clone();
        let limit = rig.options.timeout.max(ANSWER_LIMIT);
        let is_each = rig.context.records[record].manifest.process_for_each;
        let alone = match &workload.download {
            Some(download) if !is_each => {
                match download::alone(rig, task, (&workload, download), (process, limit)) {
                    Ok(None) => return rig.save(),
                    alone => alone,
                }
            }
            _ => Ok(None),
        };
        rig.sampler.begin_block();
        let mut worker = match rig.context.start_task(record, built, (number, &workload), limit) {
            Ok(worker) => worker,
            Err(reason) => {
                rig.context.exclude_unless_stopped(record, Stage::Start, reason);
                return rig.save();
            }
        };
        let mut found = TaskProcess {
            workload: workload.name.clone(),
            process,
            iterations: Vec::new(),
            wrong_answers: 0,
            wrong_examples: Vec::new(),
            parties: Vec::new(),
            memory_peak_bytes: None,
            file_bytes: file_bytes(rig, number),
            read_bytes: None,
            alone_ns: None,
            others_share: None,
            steal_share: None,
            ended_early: None,
        };
        match alone {
            Ok(lived) => found.alone_ns = lived.map(|lived| lived.as_nanos() as u64),
            Err(reason) => found.ended_early = Some(format!("with one file: {reason}")),
        }
        let is_whole = match &workload.download {
            _ if found.ended_early.is_some() => true,
            Some(download) => {
                download::feed_errands(rig, worker.as_mut(), (number, download), is_each, &mut found)
            }
            None => feed_lines(rig, worker.as_mut(), number, &mut found),
        };
        read_figures(rig, worker.as_ref(), &mut found);
        let finished = if found.ended_early.is_none() && is_whole {
            worker.finish(rig.context.stop)
        } else {
            worker.abandon()
        };
        let seen_ns = found.cpu_ns(PartyRole::Contender);
        let used_ns = finished.cpu_ns.or(seen_ns).unwrap_or(0);
        rig.sampler.contenders_used(used_ns.saturating_sub(seen_ns.unwrap_or(0)));
        rig.sampler.note();
        if !is_whole {
            // What the end of the run has cut short says nothing of the task.
            return rig.save();
        }
        found.ended_early = found.ended_early.take().or(finished.fault);
        let ended_early = found.ended_early.clone();
        rig.context.records[record].tasks.push(found);
        if let Some(reason) = ended_early.filter(|_| !rig.stopped()) {
            let processes = rig.context.records[record].tasks.iter();
            let own = processes.filter(|one| one.workload == workload.name);
            if own.filter(|one| one.ended_early.is_some()).count() >= EARLY_ENDS {
                rig.context.exclude(record, Stage::Measure, format!("{reason}, in {EARLY_ENDS} processes"));
            }
        }
        rig.save()
    }
}

impl Kind for Tasks {
    fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    fn tell(&self, rig: &mut Rig<'_>) {
        let (tasks, processes) = (self.tasks.len(), self.processes);
        let expected = self.will_take();
        let over = self.budget.filter(|budget| *budget < expected);
        rig.tell(&Event::TasksPlanned { tasks, processes, expected, over });
    }

    /// All processes of all tasks.
    fn measure(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        let of = self.tasks.len() as u64 * u64::from(self.processes);
        self.countdown = Countdown::new(rig.now(), self.will_take(), of);
        let mut random = rig.random(1);
        for process in 1..=self.processes {
            let mut round: Vec<(usize, u32)> = (0..self.tasks.len()).map(|task| (task, process)).collect();
            round.shuffle(&mut random);
            self.take(rig, &round)?;
        }
        if !rig.stopped() {
            settle(&mut rig.context.records, self.tasks.iter().map(|task| task.record));
            if let Some(reason) = velo_judge::unfit_for_tasks(&rig.context.records) {
                rig.tell(&Event::Disturbed { reason: reason.to_string() });
            }
        }
        rig.save()
    }
}

impl Plan for Tasks {
    /// A task by its index, and which of its processes, from 1.
    type Turn = (usize, u32);
    type Ready = ();

    fn begin(&mut self, rig: &mut Rig<'_>, turns: &[Self::Turn], number: usize) -> Begun<()> {
        let (task, process) = turns[number];
        let verified = &self.tasks[task];
        let record = &rig.context.records[verified.record];
        if matches!(record.state, ContenderState::Excluded { .. }) {
            return Ok(None);
        }
        let event = Event::TaskProcess {
            process,
            processes: self.processes,
            workload: rig.file.workloads[verified.workload].name.clone(),
            contender: record.manifest.name.clone(),
            done: self.countdown.done,
            of: self.countdown.of,
            left: self.countdown.left(rig.now()),
        };
        Ok(Some((event, ())))
    }

    fn measure(&mut self, rig: &mut Rig<'_>, turn: &Self::Turn, (): ()) -> Result<(), LabError> {
        let (task, process) = *turn;
        self.countdown.done += 1;
        self.measure_process(rig, task, process)
    }
}

/// As many processes of each as a budget has time for.
fn processes_within(budget: Duration, round: Duration) -> u32 {
    let rounds = budget.as_secs_f64() / round.as_secs_f64();
    // A round of no time fits any number of times, and what is no number is the least.
    (rounds as u32).clamp(PROCESSES, MOST_PROCESSES)
}

/// Lines of a program without a server. False when the run was asked to end meanwhile.
fn feed_lines(rig: &Rig<'_>, worker: &mut dyn Worker, number: usize, found: &mut TaskProcess) -> bool {
    let workload = &rig.file.workloads[number];
    let Some(task) = &workload.task else { return true };
    let data = |version| rig.context.data.set(number, version);
    let mut random = download::seeds(rig.options.seed, number, found.process);
    let renew = |worker: &dyn Worker| worker.renew(data(1));
    feed(rig, worker, (task.iterations, renew), found, |worker, version, _| {
        let line = Line::draw(workload, task, data(version), &mut random);
        let answer = worker.ask(&line.input, rig.context.stop).map_err(NoIteration::NoAnswer)?;
        line.iteration(&answer).map_err(NoIteration::Wrong)
    })
}

/// What the kernel says of it, before it ends.
fn read_figures(rig: &mut Rig<'_>, worker: &dyn Worker, found: &mut TaskProcess) {
    let processes = worker.processes();
    let pids = processes.pids();
    found.read_bytes = processes.read_bytes(&pids);
    // Of processes that have ended, what they held is known already.
    found.memory_peak_bytes = found.memory_peak_bytes.or_else(|| processes.memory(&pids).1);
    let cpu_ns = processes.cpu_ns();
    found.parties.push(Party { cpu_ns, ..Party::new(PartyRole::Contender) });
    rig.sampler.contenders_used(cpu_ns.unwrap_or(0));
    let host = rig.sampler.sample(true, || pids);
    (found.others_share, found.steal_share) = (host.others_share, host.steal_share);
}

/// What each iteration must read at least: the lesser of the versions.
fn file_bytes(rig: &Rig<'_>, number: usize) -> u64 {
    (0..VERSIONS).map(|version| rig.context.data.set(number, version).bytes()).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_has_room_for_ten_processes_at_least_and_for_sixty_at_most() {
        let within = |budget_s, round_ms| {
            processes_within(Duration::from_secs(budget_s), Duration::from_millis(round_ms))
        };
        assert_eq!(within(750, 74_500), 10);
        assert_eq!(within(10, 74_500), 10);
        assert_eq!(within(180, 7_000), 25);
        assert_eq!(within(180, 500), 60);
        assert_eq!((within(180, 0), within(0, 0)), (60, 10));
    }
}
