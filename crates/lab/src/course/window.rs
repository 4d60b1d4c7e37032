//! One window: the contender is let run, loaded, read, stopped again, and the window written to disk.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use velo_load::{
    Arrivals, EdgeHook, GeneratorError, Schedule, Shape, Spacing, Tally, Think, WindowReport, WindowSettings,
};
use velo_model::{ContenderName, PartyRole, Request, Workload};
use velo_record::{
    BurstSaturation, BurstWindow, ConnectionCounts, DataWindow, EncodedHistogram, HostWindow, LinkWindow,
    PacedWindow, Party, Purpose, RatePurpose, RequestCounts, Window, WindowKind, spans_in_order,
};

use crate::LabError;
use crate::course::backlog::backlog;
use crate::course::burst_plan::BurstSpec;
use crate::course::lane::Lane;
use crate::course::launches::Launches;
use crate::course::order::Place;
use crate::course::rig::Rig;
use crate::course::watched::Watched;
use crate::host::counters::Counters;
use crate::host::sampling::TurnUse;
use crate::sides::load_side::LoadSide;

/// A window to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowSpec {
    pub(crate) place: Place,
    pub(crate) task: WindowTask,
    pub(crate) launch: u32,
    pub(crate) block: u32,
    pub(crate) position: u32,
    pub(crate) settling_ns: u64,
    pub(crate) duration_ns: u64,
    /// Waits for every answer, however long: the last window of a launch, so that what never comes is counted.
    pub(crate) drains_fully: bool,
    /// It is the last of its block, as far as can be known before.
    pub(crate) ends_block: bool,
}

/// What a window to be is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WindowTask {
    /// At the stated rate, where the workload has one.
    Cold(Option<Paced>),
    /// At the stated rate, where the workload has one.
    WarmUp(Option<Paced>),
    Block,
    /// CPU time that the generator wastes with each request.
    Proof {
        slowed_ns: Option<u64>,
    },
    Paced(Paced),
    Burst(BurstSpec),
}

/// The open loop of a window to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paced {
    pub(crate) rate_per_s: f64,
    pub(crate) purpose: RatePurpose,
    /// Of the arrivals.
    pub(crate) seed: u64,
}

impl WindowTask {
    pub(crate) fn kind(&self) -> WindowKind {
        match self {
            Self::Cold(_) => WindowKind::Cold,
            Self::WarmUp(_) => WindowKind::WarmUp,
            Self::Block => WindowKind::Block,
            Self::Proof { .. } => WindowKind::Proof,
            Self::Paced(_) => WindowKind::Paced,
            Self::Burst(_) => WindowKind::Burst,
        }
    }

    fn paced(&self) -> Option<Paced> {
        match *self {
            Self::Cold(paced) | Self::WarmUp(paced) => paced,
            Self::Paced(paced) => Some(paced),
            Self::Block | Self::Proof { .. } | Self::Burst(_) => None,
        }
    }

    fn slowed_ns(&self) -> Option<u64> {
        match *self {
            Self::Proof { slowed_ns } => slowed_ns,
            _ => None,
        }
    }

    /// The requests of the mix that are sent: a burst has one alone.
    fn requests<'w>(&self, workload: &'w Workload) -> &'w [Request] {
        match self {
            Self::Burst(spec) => workload.requests.get(spec.request..=spec.request).unwrap_or_default(),
            _ => &workload.requests,
        }
    }

    /// What is recorded of it, once it was counted.
    fn purpose(&self, tally: &Tally, saturation: BurstSaturation) -> Purpose {
        let counted = |paced: &Paced| PacedWindow::counted(paced.rate_per_s, paced.purpose, tally);
        match self {
            Self::Cold(paced) => Purpose::Cold { paced: paced.as_ref().map(counted) },
            Self::WarmUp(paced) => Purpose::WarmUp { paced: paced.as_ref().map(counted) },
            Self::Block => Purpose::Block,
            Self::Proof { slowed_ns } => Purpose::Proof { slowed_ns: *slowed_ns },
            Self::Paced(paced) => Purpose::Paced(counted(paced)),
            Self::Burst(spec) => Purpose::Burst(BurstWindow {
                shape: spec.shape,
                answered: EncodedHistogram::new(&tally.response_time),
                spans: spans_in_order(tally),
                saturation,
            }),
        }
    }
}

impl Paced {
    fn schedule(&self) -> Schedule {
        Schedule::Open(Arrivals {
            shape: Shape::Constant { per_s: self.rate_per_s },
            spacing: Spacing::Poisson,
            seed: self.seed,
        })
    }
}

/// What was seen while a contender was loaded.
pub(crate) struct Loaded {
    pub(crate) started_ns: u64,
    pub(crate) report: WindowReport,
    pub(crate) contender: Party,
    /// Who else took part, beside the generator.
    beside: Vec<Party>,
    /// Of a burst.
    pub(crate) saturation: BurstSaturation,
    data: Option<DataWindow>,
    link: Option<LinkWindow>,
    /// What others did while it ran.
    others: Option<TurnUse>,
    /// The CPU time of its launch's parties since they were started.
    cpu_ns: Option<u64>,
}

impl Launches {
    /// Measures one window. `None` when the run was asked to end in it, or the contender has no processes or has lost
    /// them in it: then it is in the record why.
    pub(crate) fn window(
        &mut self,
        rig: &mut Rig<'_>,
        spec: &WindowSpec,
    ) -> Result<Option<Window>, LabError> {
        self.renew_data(rig, spec);
        let Place { lane: index, track, .. } = spec.place;
        let lane = &self.lanes[index];
        let Some(life) = &lane.life else { return Ok(None) };
        let has_data = self.has_data(rig, lane);
        let timeout_ns = rig.options.timeout.as_nanos() as u64;
        let drain_limit_ns =
            // Files are only replaced while nothing is in flight.
            if spec.drains_fully || has_data { timeout_ns } else { lane.tracks[track].lengths.drain_limit_ns() };
        let settings = WindowSettings {
            plan: self.plan_index(lane, track),
            settling_ns: spec.settling_ns,
            drain_limit_ns,
            slowed_ns: spec.task.slowed_ns().unwrap_or(0),
            schedule: spec
                .task
                .paced()
                .map_or(Schedule::Closed { think: Think::None }, |paced| paced.schedule()),
            pipelining: lane.tracks[track].streams,
            requests_per_connection: lane.tracks[track].requests_per_connection,
            ..WindowSettings::closed_loop(lane.tracks[track].connections, spec.duration_ns, timeout_ns)
        };
        let target = life.target;
        let loaded = self.loaded(rig, spec, |load_side, hook, stop| {
            load_side.window(target, &settings, Some(hook), stop)
        })?;
        let Some(loaded) = loaded else { return Ok(None) };
        if let Some(life) = &mut self.lanes[index].life {
            life.in_flight = loaded.report.tally.carried;
        }
        self.keep(rig, spec, loaded)
    }

    /// Lets a contender run while it is loaded, and reads what the kernel says of it. `None` when the run was asked to end
    /// in it, or the contender has no processes.
    pub(crate) fn loaded(
        &mut self,
        rig: &mut Rig<'_>,
        spec: &WindowSpec,
        load: impl FnOnce(&mut dyn LoadSide, &EdgeHook, &Arc<AtomicBool>) -> Result<WindowReport, GeneratorError>,
    ) -> Result<Option<Loaded>, LabError> {
        let lane = &self.lanes[spec.place.lane];
        let Some(life) = &lane.life else { return Ok(None) };
        let (server, clock) = (&life.server, &rig.context.clock);
        let has_data = self.has_data(rig, lane);
        let processes = server.processes();
        let read_bytes = || processes.as_ref().filter(|_| has_data)?.read_bytes(&server.pids());
        let started_ns = clock.since(rig.epoch).as_nanos() as u64;
        let mut watched = Watched::all(server.as_ref());
        let hook = Watched::hook(&watched);
        let read_before = read_bytes();
        let counted = || life.counters.as_ref().and_then(Counters::read);
        let counted_before = counted();
        let turn = rig.sampler.begin_turn();
        let read_at = clock.now();
        Watched::begin(&mut watched);
        let passed_before = rig.load_side.passed();
        let link_cpu_before = rig.load_side.link_cpu_ns();
        server.thaw();
        let report = load(rig.load_side.as_mut(), &hook, &rig.context.stop.flag());
        Watched::end(&mut watched);
        let cpu_elapsed_ns = clock.since(read_at).as_nanos() as u64;
        let link = passed_before.zip(rig.load_side.passed());
        let link = link.map(|(before, after)| after.since(&before));
        let link_cpu = link_cpu_before.zip(rig.load_side.link_cpu_ns());
        let link_party = link_cpu.map(|(before, after)| Party {
            cpu_total_ns: Some(after.saturating_sub(before)),
            ..Party::new(PartyRole::Link)
        });
        let own_ns = Watched::used_ns(&watched);
        let others = turn.zip(own_ns);
        let placement = rig.context.records[lane.record].placement(&rig.file.placement).into_owned();
        let others = others.and_then(|(turn, own_ns)| rig.sampler.end_turn(&turn, own_ns, &placement));
        let counted = counted_before.zip(counted());
        Watched::look(&mut watched);
        let data = self.data_window(rig, spec.place, read_before.zip(read_bytes()));
        // The windows of a warm-up and of the proof follow one another on one contender.
        if spec.task.kind().is_interleaved() {
            server.freeze();
        }
        let report = match report {
            Ok(report) if report.interrupted => return Ok(None),
            Ok(report) => report,
            Err(error) => {
                return Err(LabError::Unfit { what: error.to_string(), cure: "run again".to_owned() });
            }
        };

        let loaded_ns = report.settling_ns + report.duration_ns + report.drain_ns;
        let seen = watched.iter().map(|one| one.party(&placement, cpu_elapsed_ns, loaded_ns));
        let (contenders, beside): (Vec<Party>, Vec<Party>) =
            seen.chain(link_party).partition(|party| party.role == PartyRole::Contender);
        let contender = Party {
            instructions: counted.and_then(|(then, now)| now.instructions.checked_sub(then.instructions)),
            cycles: counted.and_then(|(then, now)| now.cycles.checked_sub(then.cycles)),
            // Nothing is known of one that ran already and is not seen.
            ..contenders.into_iter().next().unwrap_or_else(|| Party::new(PartyRole::Contender))
        };
        let saturation = BurstSaturation::default();
        let cpu_ns = Watched::used_since_start_ns(&watched);
        Ok(Some(Loaded { started_ns, report, contender, beside, saturation, data, link, others, cpu_ns }))
    }

    /// Writes a window down and acts on what it showed. `None` when its contender has lost its processes.
    pub(crate) fn keep(
        &mut self,
        rig: &mut Rig<'_>,
        spec: &WindowSpec,
        loaded: Loaded,
    ) -> Result<Option<Window>, LabError> {
        let Place { lane: index, workload, .. } = spec.place;
        let mut host = self.host(rig, spec, loaded.cpu_ns);
        // What a server that ran already uses would count as that of others.
        if let Some(others) =
            loaded.others.filter(|_| spec.task.kind().is_interleaved() && !self.has_stranger())
        {
            others.note(&mut host);
        }
        let workload = &rig.file.workloads[workload];
        let contender = &self.lanes[index].contender.name;
        let window = assemble(contender, workload, spec, loaded, host);
        rig.writer.append(&window)?;
        rig.windows.push(window.clone());
        if let Some(life) = &mut self.lanes[index].life {
            life.is_cold = false;
            life.backlog = backlog(&window);
        }
        self.act_on(rig, index, &window);
        Ok(self.lanes[index].life.is_some().then_some(window))
    }

    /// Whether a server that ran already, and of which nothing is seen, is on this machine.
    fn has_stranger(&self) -> bool {
        self.lanes.iter().any(|lane| lane.origin.is_stranger_here())
    }

    fn host(&mut self, rig: &mut Rig<'_>, spec: &WindowSpec, cpu_ns: Option<u64>) -> HostWindow {
        if let Some(life) = &mut self.lanes[spec.place.lane].life
            && let Some(cpu_ns) = cpu_ns
        {
            rig.sampler.contenders_used(cpu_ns.saturating_sub(life.cpu_ns));
            life.cpu_ns = life.cpu_ns.max(cpu_ns);
        }
        if spec.task.kind().is_interleaved() {
            let canary = std::mem::take(&mut rig.canary);
            let lanes = &self.lanes;
            let ours = || -> Vec<u32> {
                lanes.iter().flat_map(Lane::parties).flat_map(|(_, all)| all.pids()).collect()
            };
            let sampled = rig.sampler.sample(spec.ends_block, ours);
            let seen = HostWindow { canary, ..sampled };
            match self.has_stranger() {
                true => HostWindow { others_share: None, others: Vec::new(), ..seen },
                false => seen,
            }
        } else {
            rig.sampler.note();
            HostWindow::default()
        }
    }
}

fn assemble(
    contender: &ContenderName,
    workload: &Workload,
    spec: &WindowSpec,
    loaded: Loaded,
    host: HostWindow,
) -> Window {
    let Loaded { started_ns, report, contender: contenders, beside, saturation, data, link, .. } = loaded;
    let generator = Party {
        cpu_ns: Some(report.thread_cpu_ns.iter().sum()),
        cpu_total_ns: Some(report.thread_cpu_total_ns.iter().sum()),
        cpu_by_thread_ns: report.thread_cpu_ns.clone(),
        ..Party::new(PartyRole::Generator)
    };
    let connections = ConnectionCounts::from(&report);
    let tally = report.tally;
    let requests = spec.task.requests(workload).iter().map(|request| request.name.as_str());
    Window {
        contender: contender.clone(),
        workload: workload.name.clone(),
        launch: spec.launch,
        block: spec.block,
        position: spec.position,
        purpose: spec.task.purpose(&tally, saturation),
        started_ns,
        settling_ns: report.settling_ns,
        duration_ns: report.duration_ns,
        drain_ns: report.drain_ns,
        outcomes: tally.outcomes,
        outside: tally.outside(),
        requests: RequestCounts::counted(requests, &tally.requests),
        wrong_examples: [tally.settling_examples, tally.wrong_examples].concat(),
        connections,
        in_flight_request_ns: tally.in_flight_request_ns,
        clipped_service_ns: tally.clipped_service_ns,
        service_time: EncodedHistogram::new(&tally.service_time),
        data,
        coin: tally.coin,
        parties: [generator, contenders].into_iter().chain(beside).collect(),
        host,
        link,
    }
}
