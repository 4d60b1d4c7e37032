//! Tasks: programs without a server. Each of their processes is fed line after line, one process at a time; in each round
//! one process of every task, in random order, so that drift of the machine hits all alike.

mod course;
pub(crate) mod lane;
mod line;
pub(crate) mod verify;

use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use velo_record::{ContenderState, Stage, TaskProcess};

use self::course::{ANSWER_LIMIT, FeedingCourse, Step};
use self::line::Line;
use self::verify::VerifiedTask;
use crate::LabError;
use crate::course::lane::settle;
use crate::course::measure::Measuring;
use crate::prepare::data::VERSIONS;
use crate::progress::Event;
use crate::sides::feed::NoAnswer;
use crate::sides::serve_side::Worker;

/// Processes of each task.
const PROCESSES: u32 = 10;
/// Of a quick look.
const QUICK_PROCESSES: u32 = 2;
/// A task that breaks off in this many processes is not measured further.
const EARLY_ENDS: u32 = 2;
/// Wrong answers that are kept in words.
const EXAMPLES: usize = 4;

/// How far the tasks have come.
struct Rounds {
    processes: u32,
    began: Duration,
    expected: Duration,
    done: u64,
    of: u64,
}

impl Measuring<'_> {
    /// Says how long the tasks will take, where there are any.
    pub(crate) fn tell_tasks(&mut self) {
        if self.tasks.is_empty() {
            return;
        }
        let (tasks, processes) = (self.tasks.len(), self.processes_of_a_task());
        let expected = self.tasks_take();
        self.context.progress.event(&Event::TasksPlanned { tasks, processes, expected });
    }

    fn processes_of_a_task(&self) -> u32 {
        if self.options.quick { QUICK_PROCESSES } else { PROCESSES }
    }

    fn tasks_take(&self) -> Duration {
        let round: Duration = self.tasks.iter().map(|lane| lane.verified.expected).sum();
        round * self.processes_of_a_task()
    }

    /// All processes of all tasks.
    pub(crate) fn measure_tasks(&mut self) -> Result<(), LabError> {
        if self.tasks.is_empty() {
            return Ok(());
        }
        let processes = self.processes_of_a_task();
        let of = self.tasks.len() as u64 * u64::from(processes);
        let (began, expected) = (self.now(), self.tasks_take());
        let mut rounds = Rounds { processes, began, expected, done: 0, of };
        // Of its own, so that servers take the same turns with tasks and without.
        let mut random = ChaCha8Rng::seed_from_u64(self.options.seed);
        random.set_stream(1);
        for process in 1..=processes {
            let mut order: Vec<usize> = (0..self.tasks.len()).collect();
            order.shuffle(&mut random);
            for lane in order {
                if self.stopped() {
                    return Ok(());
                }
                if self.is_excluded(lane) {
                    continue;
                }
                self.tell_process(lane, process, &rounds);
                self.measure_process(lane, process)?;
                rounds.done += 1;
            }
        }
        if !self.stopped() {
            for lane in &self.tasks {
                settle(&mut self.context.records[lane.verified.record].state);
            }
            if let Some(reason) = velo_judge::unfit_for_tasks(&self.context.records) {
                self.context.progress.event(&Event::Disturbed { reason });
            }
        }
        self.save()
    }

    fn is_excluded(&self, lane: usize) -> bool {
        let state = &self.context.records[self.tasks[lane].verified.record].state;
        matches!(state, ContenderState::Excluded { .. })
    }

    fn tell_process(&mut self, lane: usize, process: u32, rounds: &Rounds) {
        let verified = &self.tasks[lane].verified;
        self.context.progress.event(&Event::TaskProcess {
            process,
            processes: rounds.processes,
            workload: self.file.workloads[verified.workload].name.clone(),
            contender: self.context.records[verified.record].manifest.name.clone(),
            done: rounds.done,
            of: rounds.of,
            left: rounds.expected.saturating_sub(self.context.clock.since(rounds.began)),
        });
    }

    /// One process, which is on disk when this returns.
    fn measure_process(&mut self, lane: usize, process: u32) -> Result<(), LabError> {
        let VerifiedTask { record, workload: number, ref built, .. } = self.tasks[lane].verified;
        let built = built.clone();
        let workload = self.file.workloads[number].clone();
        let limit = self.options.timeout.max(ANSWER_LIMIT);
        self.sampler.begin_block();
        let mut worker = match self.context.start_task(record, &built, (number, &workload), limit) {
            Ok(worker) => worker,
            Err(reason) => {
                self.context.exclude_unless_stopped(record, Stage::Start, reason);
                return self.save();
            }
        };
        let mut found = TaskProcess {
            workload: workload.name.clone(),
            process,
            iterations: Vec::new(),
            wrong_answers: 0,
            wrong_examples: Vec::new(),
            cpu_ns: None,
            memory_peak_bytes: None,
            file_bytes: self.file_bytes(number),
            read_bytes: None,
            others_share: None,
            steal_share: None,
            ended_early: None,
        };
        let is_whole = self.feed(worker.as_mut(), number, &mut found);
        self.read_figures(worker.as_ref(), &mut found);
        let finished = if found.ended_early.is_none() && is_whole {
            worker.finish(self.context.stop)
        } else {
            worker.abandon()
        };
        let used_ns = finished.cpu_ns.or(found.cpu_ns).unwrap_or(0);
        self.sampler.contenders_used(used_ns.saturating_sub(found.cpu_ns.unwrap_or(0)));
        self.sampler.note();
        if !is_whole {
            // What the end of the run has cut short says nothing of the task.
            return self.save();
        }
        found.ended_early = found.ended_early.take().or(finished.fault);
        let ended_early = found.ended_early.clone();
        self.context.records[record].tasks.push(found);
        if let Some(reason) = ended_early {
            self.act_on_early_end(lane, reason);
        }
        self.save()
    }

    /// Lines and answers, until it has had enough or does not answer. False when the run was asked to end meanwhile.
    fn feed(&self, worker: &mut dyn Worker, number: usize, found: &mut TaskProcess) -> bool {
        let workload = &self.file.workloads[number];
        let Some(task) = &workload.task else { return true };
        // The same lines for all tasks of a round.
        let mut random = ChaCha8Rng::seed_from_u64(self.options.seed ^ (number as u64) << 48);
        random.set_stream(u64::from(found.process) << 1);
        let mut course = FeedingCourse::new(task.iterations);
        let began = self.now();
        loop {
            let version = match course.next(self.context.clock.since(began)) {
                Step::Ask { version } => version,
                Step::Renew => {
                    if let Err(error) = worker.renew(self.context.data.set(number, 1)) {
                        found.ended_early = Some(format!("its data cannot be replaced: {error}"));
                        return true;
                    }
                    continue;
                }
                Step::Stop => return true,
            };
            let line = Line::draw(workload, task, self.context.data.set(number, version), &mut random);
            match worker.ask(&line.input, self.context.stop).map(|answer| line.iteration(&answer)) {
                Ok(Ok(iteration)) => found.iterations.push(iteration),
                Ok(Err(what)) => {
                    found.wrong_answers += 1;
                    if found.wrong_examples.len() < EXAMPLES {
                        found.wrong_examples.push(what);
                    }
                }
                Err(NoAnswer::Stopped) => return false,
                Err(why) => {
                    found.ended_early = Some(worker.explain(&why));
                    return true;
                }
            }
        }
    }

    /// What the kernel says of it, before it ends.
    fn read_figures(&mut self, worker: &dyn Worker, found: &mut TaskProcess) {
        let processes = worker.processes();
        let pids = processes.pids();
        found.read_bytes = processes.read_bytes(&pids);
        found.memory_peak_bytes = processes.memory(&pids).1;
        found.cpu_ns = processes.cpu_ns();
        self.sampler.contenders_used(found.cpu_ns.unwrap_or(0));
        let host = self.sampler.sample(true, || pids);
        (found.others_share, found.steal_share) = (host.others_share, host.steal_share);
    }

    fn act_on_early_end(&mut self, lane: usize, reason: String) {
        if self.stopped() {
            return;
        }
        self.tasks[lane].early_ends += 1;
        if self.tasks[lane].early_ends >= EARLY_ENDS {
            let record = self.tasks[lane].verified.record;
            self.context.exclude(record, Stage::Measure, format!("{reason}, in {EARLY_ENDS} processes"));
        }
    }

    /// What each iteration must read at least: the lesser of the versions.
    fn file_bytes(&self, number: usize) -> u64 {
        (0..VERSIONS).map(|version| self.context.data.set(number, version).bytes()).min().unwrap_or(0)
    }
}
