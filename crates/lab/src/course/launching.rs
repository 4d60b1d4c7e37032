//! A launch: contenders are started and warmed up one after the other, and ended together.

use std::collections::BTreeSet;
use std::time::Duration;

use rand::seq::SliceRandom;
use velo_load::Target;
use velo_model::{Class, PartyRole, Workload};
use velo_record::{ContenderState, HardwareCounters, LaunchRecord, Stage};

use crate::LabError;
use crate::build::data::VERSIONS;
use crate::course::lane::{Lane, Life, Silence, Track};
use crate::course::launches::Launches;
use crate::course::rig::Rig;
use crate::prepare::verify::fault_of_end;
use crate::progress::{Event, Part, SoFar};
use crate::sides::limits::limits;
use crate::sides::origin::Origin;
use crate::sides::translate::translate;

impl Launches {
    /// Starts and warms up every contender that takes part, in random order; those that are not being warmed up are
    /// stopped.
    pub(crate) fn begin_launch(&mut self, rig: &mut Rig<'_>, launch: u32) -> Result<(), LabError> {
        self.course.launch = launch;
        rig.sampler.restart();
        let (part, of) = (self.course.part, self.course.launches);
        let shown = self.course.launch_of_part();
        rig.tell(&Event::LaunchStarted { part, launch: shown, of });
        let mut order: Vec<usize> =
            (0..self.lanes.len()).filter(|&lane| self.lanes[lane].takes_part(part)).collect();
        order.shuffle(&mut self.random);
        if launch == 1 {
            // They are steady at once, and what they leave of the time for warm-ups goes to the others.
            order.sort_by_key(|&lane| self.lanes[lane].contender.class != Class::Reference);
        }
        for lane in order {
            if rig.stopped() {
                return Ok(());
            }
            let contender = self.lanes[lane].contender.name.clone();
            rig.tell(&Event::WarmingUp { launch: shown, contender });
            let began = rig.now();
            self.start(rig, lane);
            self.warm_up(rig, lane)?;
            self.settle_in(rig, lane);
            let state = &rig.context.records[self.lanes[lane].record].state;
            if launch == 1 && matches!(state, ContenderState::Excluded { .. }) {
                self.lost += rig.context.clock.since(began);
            }
        }
        self.lanes_left(rig);
        Ok(())
    }

    fn start(&mut self, rig: &mut Rig<'_>, index: usize) {
        let lane = &self.lanes[index];
        let (record, origin) = (lane.record, lane.origin.clone());
        let first = lane.tracks[0].workload;
        let mut server = match rig.context.launch(record, &origin, &rig.file.workloads, first) {
            Ok(server) => server,
            Err(reason) => return rig.context.exclude_unless_stopped(record, Stage::Start, reason),
        };
        let host = server.peer().authority.clone();
        let versions = if self.has_data(rig, lane) { VERSIONS } else { 1 };
        let plan = |version: u32, track: &Track| {
            let data = rig.context.data.set(track.workload, version);
            translate(&rig.file.workloads[track.workload].asked_of(&lane.contender), data, &host)
        };
        let plans = (0..versions)
            .flat_map(|version| lane.tracks.iter().map(move |track| (version, track)))
            .map(|(version, track)| plan(version, track))
            .collect::<Result<Vec<_>, _>>();
        let launch = self.course.launch;
        let seed = rig.options.seed ^ (u64::from(launch) << 32) ^ record as u64;
        let workloads = lane.tracks.iter().map(|track| &rig.file.workloads[track.workload]);
        let target = plans.map_err(|error| error.to_string()).and_then(|plans| {
            let target = Target {
                endpoints: vec![server.peer().address.into()],
                tls: server.peer().tls.clone(),
                sources: Vec::new(),
                plans,
                limits: limits(workloads),
                seed,
            };
            rig.load_side.add(&target).map_err(|error| error.to_string())
        });
        let target = match target {
            Ok(target) => target,
            Err(reason) => {
                server.end();
                return rig.context.exclude(record, Stage::Start, reason);
            }
        };
        rig.context.records[record].launches.push(LaunchRecord {
            launch,
            startup_ns: server.startup().map(|startup| startup.as_nanos() as u64),
            processes: None,
            threads: None,
            cpus_read_back: server.processes().map_or_else(Vec::new, |all| all.allowed_cpus(&all.pids())),
            memory_steady_bytes: None,
            memory_peak_bytes: None,
            warm_up: Vec::new(),
            ended_early: None,
            stop: None,
        });
        let cpu_ns = server.parties_cpu_ns().unwrap_or(0);
        // What one that ran already has used before is nothing of this launch.
        if matches!(origin, Origin::Built(_)) {
            rig.sampler.contenders_used(cpu_ns);
        }
        self.lanes[index].life = Some(Life {
            server,
            target,
            processes: None,
            cpu_ns,
            counters: None,
            is_cold: true,
            data_version: 0,
            in_flight: 0,
            backlog: Duration::ZERO,
        });
        self.lanes[index].silence = Silence::default();
    }

    /// After warm-up: what the contender consists of, and then it waits for its turn.
    fn settle_in(&mut self, rig: &mut Rig<'_>, index: usize) {
        let launch = self.course.launch;
        let lane = &mut self.lanes[index];
        let Some(life) = &mut lane.life else { return };
        // One that ran already and is not seen is as it was, as far as anybody knows.
        let Some(processes) = life.server.processes() else { return };
        let pids = processes.pids();
        if let Some(own) =
            rig.context.records[lane.record].launches.last_mut().filter(|own| own.launch == launch)
        {
            own.processes = Some(pids.len() as u32);
            own.threads = Some(processes.threads(&pids));
            own.cpus_read_back = processes.allowed_cpus(&pids);
        }
        let (then, now) = (lane.verified_processes, pids.len());
        if rig.file.host.hardware_counters == HardwareCounters::Counting {
            // Where they cannot be had for this contender its windows have none.
            life.counters = processes.count(rig.file.placement.cpus(PartyRole::Contender), &pids);
        }
        life.processes = Some(pids.into_iter().collect::<BTreeSet<u32>>());
        life.server.freeze();
        if now != then {
            let record = lane.record;
            let reason = format!(
                "{then} processes when it was verified and {now} after warm-up: their number must be fixed from the first answer on"
            );
            self.end_life(rig, index, Some(&reason));
            if self.course.part == Part::Blocks {
                rig.context.exclude_unless_stopped(record, Stage::Measure, reason);
            }
        }
    }

    /// Ends a contender's processes and says how.
    pub(crate) fn end_life(&mut self, rig: &mut Rig<'_>, index: usize, early: Option<&str>) {
        let lane = &mut self.lanes[index];
        let Some(mut life) = lane.life.take() else { return };
        life.server.thaw();
        rig.load_side.remove(life.target);
        let stopped = life.server.end();
        let fault = stopped.as_ref().and_then(fault_of_end);
        if let Some(own) = rig.context.records[lane.record].launches.last_mut() {
            own.ended_early = early.map(str::to_owned);
            own.stop = stopped;
        }
        let measured = matches!(
            rig.context.records[lane.record].state,
            ContenderState::Pending | ContenderState::Measured
        );
        if let Some(fault) = fault.filter(|_| early.is_none() && measured) {
            rig.context.exclude(lane.record, Stage::Measure, fault);
        }
    }

    /// What each occupies at the end of the launch; all are read before the first is ended.
    fn read_memory(&self, rig: &mut Rig<'_>) {
        for lane in &self.lanes {
            let processes = lane.life.as_ref().and_then(|life| life.server.processes());
            let (steady, peak) = processes.map_or((None, None), |all| all.memory(&all.pids()));
            if let Some(own) =
                rig.context.records[lane.record].launches.last_mut().filter(|_| lane.life.is_some())
            {
                (own.memory_steady_bytes, own.memory_peak_bytes) = (steady, peak);
            }
        }
    }

    pub(crate) fn end_launch(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        if !rig.stopped() {
            self.read_memory(rig);
        }
        for index in 0..self.lanes.len() {
            let cut_short = rig.stopped().then_some("interrupted");
            self.end_life(rig, index, cut_short);
        }
        self.lanes_left(rig);
        rig.save()?;
        if let Some(of) = self.course.launches
            && !rig.stopped()
        {
            let launch = self.course.launch_of_part();
            let so_far = if self.course.part == Part::Blocks { self.so_far(rig) } else { Vec::new() };
            rig.tell(&Event::LaunchDone { launch, of, so_far });
        }
        Ok(())
    }

    /// The medians of what was counted, workload by workload, of those that can be ranked.
    fn so_far(&self, rig: &Rig<'_>) -> Vec<SoFar> {
        let records = &rig.context.records;
        let can_be_ranked =
            |lane: &&Lane| records[lane.record].twin_of.is_none() && lane.contender.class != Class::Reference;
        let lanes = || self.lanes.iter().filter(can_be_ranked);
        let of_workload = |(index, workload): (usize, &Workload)| {
            lanes()
                .filter_map(|lane| {
                    let track = lane.tracks.iter().find(|track| track.workload == index)?;
                    let goodput_per_s = velo_stats::median(&track.goodputs_per_s)?;
                    Some(SoFar {
                        workload: workload.name.clone(),
                        contender: lane.contender.name.clone(),
                        goodput_per_s,
                    })
                })
                .collect::<Vec<_>>()
        };
        rig.file.workloads.iter().enumerate().flat_map(of_workload).collect()
    }

    /// Contenders that were excluded leave.
    fn lanes_left(&mut self, rig: &mut Rig<'_>) {
        let records = &rig.context.records;
        self.lanes.retain(|lane| !matches!(records[lane.record].state, ContenderState::Excluded { .. }));
    }
}
