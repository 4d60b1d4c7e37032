//! The launches of a run's servers, one after the other, until the plan is done or the results are precise enough.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use velo_judge::{Looked, gate};
use velo_record::{EndedBy, Look, RunFile, RunState};

use crate::LabError;
use crate::course::lane::{Lane, Silence, Track, settle};
use crate::course::part::Course;
use crate::course::plan::Kind;
use crate::course::rig::Rig;
use crate::prepare::context::Context;
use crate::prepare::verify::Verified;
use crate::progress::Event;

/// One alone says nothing of the other.
const SIDES_OF_A_GATE: usize = 2;

/// The servers of a run, and how far their launches have come.
pub(crate) struct Launches {
    pub(crate) lanes: Vec<Lane>,
    pub(crate) random: ChaCha8Rng,
    pub(crate) course: Course,
    /// What starting, warming up and stopping everybody takes, as the first launch has shown.
    pub(crate) launch_cost: Duration,
    /// What the first launch spent on contenders that left in it.
    pub(crate) lost: Duration,
    told_disturbed: bool,
}

impl Launches {
    pub(crate) fn of(rig: &Rig<'_>, mut servers: Vec<Verified>) -> Self {
        if rig.options.gate.is_some() && servers.len() < SIDES_OF_A_GATE {
            servers.clear();
        }
        let lanes = servers.into_iter().map(|verified| lane(&rig.context, &rig.file, verified)).collect();
        let (random, course) = (rig.random(0), Course::blocks(rig.now()));
        let (launch_cost, lost) = (Duration::ZERO, Duration::ZERO);
        Self { lanes, random, course, launch_cost, lost, told_disturbed: false }
    }

    fn planned_launches(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        for launch in 1.. {
            self.begin_launch(rig, launch)?;
            if launch == 1 && !rig.stopped() {
                self.fix_plan(rig)?;
                self.proof(rig)?;
            }
            if !rig.stopped() {
                self.blocks(rig)?;
            }
            if !rig.stopped() {
                self.bursts(rig)?;
            }
            self.end_launch(rig)?;
            let Some(plan) = rig.file.plan.as_ref().filter(|_| self.may_go_on(rig)) else { return Ok(()) };
            let look = plan.looks.iter().copied().find(|look| look.launch == launch);
            if launch >= plan.launches {
                rig.file.ended_by = Some(EndedBy::Plan);
                break;
            }
            self.tell_disturbed(rig);
            if self.is_precise_enough(rig, look) {
                rig.file.ended_by = Some(EndedBy::Precision { launch });
                break;
            }
            if self.is_gate_decided(rig, look) {
                rig.file.ended_by = Some(EndedBy::Gate { launch });
                break;
            }
        }
        settle(&mut rig.context.records, self.lanes.iter().map(|lane| lane.record));
        rig.save()
    }

    /// Says once that the machine spoils too much, so that nobody waits for ranks that will not come.
    fn tell_disturbed(&mut self, rig: &mut Rig<'_>) {
        if !self.told_disturbed
            && let Some(reason) = velo_judge::unfit_host(&rig.file.placement, &rig.windows)
        {
            self.told_disturbed = true;
            rig.tell(&Event::Disturbed { reason: reason.to_string() });
        }
    }

    /// Whether the results so far are as precise as was asked; looked at only when the plan says so.
    fn is_precise_enough(&mut self, rig: &mut Rig<'_>, look: Option<Look>) -> bool {
        let (Some(precision), Some(look)) = (rig.options.precision, look) else { return false };
        let file = self.as_if_ended(rig, EndedBy::Precision { launch: look.launch });
        let found = velo_judge::look(&file, &rig.windows, look, precision);
        rig.tell(&Event::Looked { launch: look.launch, found });
        matches!(found, Looked::Precise { .. })
    }

    /// Whether what a gate asks is known by now; looked at only when the plan says so.
    fn is_gate_decided(&mut self, rig: &mut Rig<'_>, look: Option<Look>) -> bool {
        let (Some(question), Some(look)) = (&rig.options.gate, look) else { return false };
        let file = self.as_if_ended(rig, EndedBy::Gate { launch: look.launch });
        let found = gate::look(&file, &rig.windows, question, look.launch);
        let is_decided = gate::is_decided(&found);
        rig.tell(&Event::GateLooked { launch: look.launch, found, is_decided });
        is_decided
    }

    /// The run file as it would be if the run ended here, which is what is to be judged.
    fn as_if_ended(&self, rig: &Rig<'_>, ended_by: EndedBy) -> RunFile {
        let mut file = rig.file.clone();
        file.state = RunState::Complete;
        file.ended_by = Some(ended_by);
        settle(&mut file.contenders, self.lanes.iter().map(|lane| lane.record));
        file
    }

    /// Whether anybody is left, of a gate both sides, and the run is not to end.
    pub(crate) fn may_go_on(&self, rig: &Rig<'_>) -> bool {
        let least = if rig.options.gate.is_some() { SIDES_OF_A_GATE } else { 1 };
        !rig.stopped() && self.lanes.len() >= least
    }
}

impl Kind for Launches {
    fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    fn tell(&self, rig: &mut Rig<'_>) {
        if self.may_go_on(rig) {
            self.tell_estimate(rig);
            self.tell_bursts(rig);
        }
    }

    /// The launches of the plan, then those beside it.
    fn measure(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        self.course = Course::blocks(rig.now());
        self.planned_launches(rig)?;
        if let Some(budget) = rig.options.latency
            && self.may_go_on(rig)
        {
            self.latency(rig, budget)?;
        }
        if rig.options.curve && self.may_go_on(rig) {
            self.curve(rig)?;
        }
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
        silence: Silence::default(),
    }
}
