//! The measuring of a run: its launches one after the other, until the plan is done or the results are precise enough.

use std::rc::Rc;
use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use velo_record::{Canary, EndedBy, Look, RunFile, RunState, RunWriter, Window};

use crate::LabError;
use crate::clock;
use crate::course::lane::{Lane, Track, settle};
use crate::course::part::Course;
use crate::course::tasks::lane::TaskLane;
use crate::host::machine::Host;
use crate::host::sampling::HostSampler;
use crate::options::RunOptions;
use crate::prepare::context::Context;
use crate::prepare::verify::{Passed, Verified};
use crate::progress::Event;
use crate::sides::load_side::LoadSide;

/// Everything that measures.
pub(crate) struct Measuring<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) context: Context<'a>,
    pub(crate) file: RunFile,
    pub(crate) writer: RunWriter,
    /// All windows so far, in the order in which the writer got them.
    pub(crate) windows: Vec<Window>,
    pub(crate) load_side: Box<dyn LoadSide>,
    pub(crate) host: Rc<dyn Host>,
    pub(crate) sampler: HostSampler,
    /// The canary of the block that begins, until its first window takes it.
    pub(crate) canary: Vec<Canary>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) tasks: Vec<TaskLane>,
    /// When it began.
    pub(crate) epoch: Duration,
    pub(crate) random: ChaCha8Rng,
    pub(crate) course: Course,
    /// What starting, warming up and stopping everybody takes, as the first launch has shown.
    pub(crate) launch_cost: Duration,
    /// What the first launch spent on contenders that left in it.
    pub(crate) lost: Duration,
    told_disturbed: bool,
}

impl<'a> Measuring<'a> {
    pub(crate) fn new(
        options: &'a RunOptions,
        context: Context<'a>,
        file: RunFile,
        writer: RunWriter,
        passed: Passed,
        (load_side, host): (Box<dyn LoadSide>, Rc<dyn Host>),
    ) -> Self {
        let lanes = passed.servers.into_iter().map(|verified| lane(&context, &file, verified)).collect();
        let clock = Rc::clone(&context.clock);
        let epoch = clock.now();
        let sampler = HostSampler::new(Rc::clone(&host), clock, file.host.irq_time_apart);
        Self {
            options,
            context,
            file,
            writer,
            windows: Vec::new(),
            load_side,
            host,
            sampler,
            canary: Vec::new(),
            lanes,
            tasks: passed.tasks.into_iter().map(TaskLane::new).collect(),
            epoch,
            random: ChaCha8Rng::seed_from_u64(options.seed),
            course: Course::blocks(epoch),
            launch_cost: Duration::ZERO,
            lost: Duration::ZERO,
            told_disturbed: false,
        }
    }

    /// Measures, and returns the run as it ended, with what kept it from its end or from saying so in its folder.
    pub(crate) fn run(mut self) -> (RunFile, Option<LabError>) {
        let result = self.measure();
        self.file.state = match &result {
            Err(_) => RunState::Running,
            Ok(()) if self.stopped() => RunState::Interrupted,
            Ok(()) => RunState::Complete,
        };
        self.file.ended_at = Some(clock::today());
        // A full disk may take no more, and what was measured is told all the same.
        let saved = self.save();
        let failed = result.and(saved).err();
        (self.file, failed)
    }

    /// All tasks and all launches. Returns when they are done, nobody is left, or the run was asked to end.
    fn measure(&mut self) -> Result<(), LabError> {
        if self.stopped() || (self.lanes.is_empty() && self.tasks.is_empty()) {
            return Ok(());
        }
        let began = self.now();
        self.tell_tasks();
        if self.may_go_on() {
            self.tell_estimate();
            self.tell_bursts();
        }
        let result = self.all_parts();
        self.file.timings.measure_ns = self.context.clock.since(began).as_nanos() as u64;
        result
    }

    fn all_parts(&mut self) -> Result<(), LabError> {
        self.measure_tasks()?;
        if !self.may_go_on() {
            return Ok(());
        }
        self.course = Course::blocks(self.now());
        self.planned_launches()?;
        if let Some(budget) = self.options.latency
            && self.may_go_on()
        {
            self.latency(budget)?;
        }
        if self.options.curve && self.may_go_on() {
            self.curve()?;
        }
        Ok(())
    }

    fn planned_launches(&mut self) -> Result<(), LabError> {
        for launch in 1.. {
            self.begin_launch(launch)?;
            if launch == 1 && !self.stopped() {
                self.fix_plan()?;
                self.proof()?;
            }
            if !self.stopped() {
                self.blocks()?;
            }
            if !self.stopped() {
                self.bursts()?;
            }
            self.end_launch()?;
            let Some(plan) = self.file.plan.as_ref().filter(|_| self.may_go_on()) else { return Ok(()) };
            let look = plan.looks.iter().copied().find(|look| look.launch == launch);
            if launch >= plan.launches {
                self.file.ended_by = Some(EndedBy::Plan);
                break;
            }
            self.tell_disturbed();
            if self.is_precise_enough(look) {
                self.file.ended_by = Some(EndedBy::Precision { launch });
                break;
            }
        }
        for lane in &self.lanes {
            settle(&mut self.context.records[lane.record].state);
        }
        self.save()
    }

    /// Says once that the machine spoils too much, so that nobody waits for ranks that will not come.
    fn tell_disturbed(&mut self) {
        if !self.told_disturbed
            && let Some(reason) = velo_judge::unfit_host(&self.windows)
        {
            self.told_disturbed = true;
            self.context.progress.event(&Event::Disturbed { reason });
        }
    }

    /// Whether the results so far are as precise as was asked; looked at only when the plan says so.
    fn is_precise_enough(&mut self, look: Option<Look>) -> bool {
        let (Some(precision), Some(look)) = (self.options.precision, look) else { return false };
        let file = self.as_if_ended(look.launch);
        let is_enough = velo_judge::precision_reached(&file, &self.windows, look, precision);
        self.context.progress.event(&Event::Looked { launch: look.launch, is_enough });
        is_enough
    }

    /// The run file as it would be if the run ended after this launch, which is what is to be judged.
    fn as_if_ended(&self, launch: u32) -> RunFile {
        let mut file = self.file.clone();
        file.state = RunState::Complete;
        file.ended_by = Some(EndedBy::Precision { launch });
        for lane in &self.lanes {
            settle(&mut file.contenders[lane.record].state);
        }
        file
    }

    pub(crate) fn now(&self) -> Duration {
        self.context.clock.now()
    }

    pub(crate) fn stopped(&self) -> bool {
        self.context.stop.asked()
    }

    pub(crate) fn may_go_on(&self) -> bool {
        !self.stopped() && !self.lanes.is_empty()
    }

    /// Writes `run.json` as things stand.
    pub(crate) fn save(&mut self) -> Result<(), LabError> {
        self.file.contenders.clone_from(&self.context.records);
        self.writer.update(&self.file)?;
        Ok(())
    }
}

fn lane(context: &Context<'_>, file: &RunFile, verified: Verified) -> Lane {
    let record = &context.records[verified.record];
    let contender = record.manifest.clone();
    let tracks = file
        .workloads
        .iter()
        .enumerate()
        .filter(|(_, workload)| workload.is_for(&contender))
        .map(|(index, workload)| Track::new(index, &workload.load))
        .collect();
    Lane {
        record: verified.record,
        contender,
        origin: verified.origin,
        is_twin: record.twin_of.is_some(),
        stop_ns: verified.stop_ns,
        verified_processes: verified.processes,
        tracks,
        life: None,
        early_ends: 0,
        silent_windows: 0,
    }
}
