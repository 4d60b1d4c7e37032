//! Windows in turn: blocks, and the rounds of launches that measure latency.

use rand::Rng as _;
use velo_model::Class;
use velo_record::{GroupRate, WindowKind};

use crate::LabError;
use crate::course::common_rate;
use crate::course::lane::{Lane, Track};
use crate::course::launches::Launches;
use crate::course::order::{self, Load, Place, Turn};
use crate::course::plan::{Begun, Plan};
use crate::course::rig::Rig;
use crate::course::window::{Paced, WindowSpec, WindowTask};
use crate::options::TurnOrder;
use crate::progress::{Event, Part};

/// Windows of a part that measures response times: long enough for their tail.
pub(crate) const LATENCY_WINDOW_NS: u64 = 1_000_000_000;
/// Windows longer than so many of the shortest are at the ends of a block.
const SLOW_FROM: u64 = 2;

impl Launches {
    /// All contenders on all their workloads, those that have left this launch too. Workloads with a stated rate have
    /// blocks only.
    pub(crate) fn places(&self) -> Vec<Place> {
        let is_block = self.course.part == Part::Blocks;
        let lanes = self.lanes.iter().enumerate().filter(|(_, lane)| lane.takes_part(self.course.part));
        lanes
            .flat_map(|(index, lane)| {
                let tracks = lane.tracks.iter().enumerate();
                tracks
                    .filter(move |(_, own)| is_block || own.stated_per_s.is_none())
                    .map(move |(track, own)| Place { lane: index, track, workload: own.workload })
            })
            .collect()
    }

    /// The blocks of a launch.
    pub(crate) fn blocks(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        let Some(plan) = &rig.file.plan else { return Ok(()) };
        let mut passes: Vec<&[Load]> = vec![&[Load::Goodput]];
        if !plan.common_rates.is_empty() {
            passes.push(&[Load::Paced(GroupRate::PURPOSE)]);
        }
        let places = self.places();
        let mut turns = order::turns(rig.options.schedule, &places, plan.blocks, &passes, &mut self.random);
        turns.retain(|turn| {
            let lane = &self.lanes[turn.place.lane];
            let track = &lane.tracks[turn.place.track];
            let name = &rig.file.workloads[turn.place.workload].name;
            if self.is_seldom(lane) && !plan.is_full(turn.block) {
                return false;
            }
            match turn.load {
                Load::Goodput => track.stated_per_s.is_none(),
                // A workload's own rate is all that it has, so that each block has it.
                Load::Paced(_) => {
                    let is_due = track.stated_per_s.is_some() || plan.has_common_rate_in(turn.block);
                    is_due && plan.common_rates.iter().any(|group| group.workload == *name)
                }
            }
        });
        if rig.options.schedule == TurnOrder::Blocks {
            order::slow_at_the_ends(&mut turns, |place| self.is_slow(place));
        }
        if rig.options.schedule != TurnOrder::Contiguous {
            order::count_positions(&mut turns);
        }
        self.take_turns(rig, &turns)
    }

    /// Whether it is in full blocks only: the reference and its twin, where there are others to be ranked.
    pub(crate) fn is_seldom(&self, lane: &Lane) -> bool {
        let is_reference = |lane: &Lane| lane.contender.class == Class::Reference;
        is_reference(lane) && !self.lanes.iter().all(is_reference)
    }

    /// Whether its windows are much longer than the shortest of its workload.
    fn is_slow(&self, place: &Place) -> bool {
        let tracks = self.lanes.iter().flat_map(|lane| &lane.tracks);
        let own = |track: &&Track| track.workload == place.workload;
        let shortest_ns = tracks.filter(own).map(|track| track.lengths.window_ns).min().unwrap_or(0);
        self.lanes[place.lane].tracks[place.track].lengths.window_ns > SLOW_FROM * shortest_ns
    }

    /// Measures window after window.
    pub(crate) fn take_turns(&mut self, rig: &mut Rig<'_>, turns: &[Turn]) -> Result<(), LabError> {
        let blocks = turns.iter().map(|turn| turn.block).max().unwrap_or(0);
        Windows { launches: self, blocks, block: None }.take(rig, turns)?;
        rig.writer.sync()?;
        Ok(())
    }

    /// `None` when the contender has no processes, or the rate of this turn is not known.
    fn spec(
        &mut self,
        rig: &mut Rig<'_>,
        turn: &Turn,
        is_last_block: bool,
        ends_block: bool,
    ) -> Option<WindowSpec> {
        let lane = &self.lanes[turn.place.lane];
        lane.life.as_ref()?;
        let track = &lane.tracks[turn.place.track];
        let is_block = self.course.part == Part::Blocks;
        let mut spec = WindowSpec {
            place: turn.place,
            task: WindowTask::Block,
            launch: self.course.launch,
            block: turn.block,
            position: turn.position,
            settling_ns: track.lengths.settling_ns,
            duration_ns: self.window_ns(rig, track),
            // A part about response times waits for each of them.
            drains_fully: is_last_block || !is_block,
            ends_block,
        };
        if let Load::Paced(purpose) = turn.load {
            let rate_per_s = track.rate_for(purpose)?;
            spec.duration_ns = if is_block {
                match track.stated_per_s {
                    Some(_) => track.lengths.window_ns.max(common_rate::window_ns(rate_per_s)),
                    None => common_rate::window_ns(rate_per_s),
                }
            } else {
                LATENCY_WINDOW_NS.max(track.lengths.window_ns)
            };
            spec.task = WindowTask::Paced(Paced { rate_per_s, purpose, seed: self.random.next_u64() });
        }
        Some(spec)
    }

    /// How long a counted window is: as the contender's rate asks, or as the source loaded.
    pub(crate) fn window_ns(&self, rig: &Rig<'_>, track: &Track) -> u64 {
        let published = rig.file.workloads[track.workload].load.as_published.as_ref();
        match published.filter(|_| rig.options.as_published) {
            Some(published) => u64::from(published.seconds) * 1_000_000_000,
            None => track.lengths.window_ns,
        }
    }
}

/// The windows of a launch.
struct Windows<'l> {
    launches: &'l mut Launches,
    blocks: u32,
    /// The block under way, once there is one.
    block: Option<u32>,
}

impl Plan for Windows<'_> {
    type Turn = Turn;
    type Ready = WindowSpec;

    fn begin(&mut self, rig: &mut Rig<'_>, turns: &[Self::Turn], number: usize) -> Begun<WindowSpec> {
        let Self { launches, blocks, block } = self;
        let turn = &turns[number];
        let mut rest = turns[number + 1..].iter().take_while(|next| next.block == turn.block);
        let ends_block = rest.all(|next| launches.lanes[next.place.lane].life.is_none());
        let Some(spec) = launches.spec(rig, turn, turn.block == *blocks, ends_block) else { return Ok(None) };
        let begins_block = block.replace(turn.block) != Some(turn.block);
        let part = launches.course.part;
        // Windows of a second are looked at one by one.
        if begins_block || part != Part::Blocks {
            rig.sampler.begin_block();
        }
        if begins_block {
            rig.begin_block()?;
        }
        let (launch, windows) = (launches.course.launch_of_part(), &launches.course.windows);
        let event = Event::Window {
            part,
            launch,
            launches: launches.course.launches.unwrap_or(launch),
            block: turn.block,
            blocks: *blocks,
            workload: rig.file.workloads[turn.place.workload].name.clone(),
            contender: launches.lanes[turn.place.lane].contender.name.clone(),
            done: windows.done,
            of: windows.of.max(windows.done + 1),
            left: windows.left(rig.now()),
        };
        Ok(Some((event, spec)))
    }

    fn measure(&mut self, rig: &mut Rig<'_>, turn: &Turn, spec: WindowSpec) -> Result<(), LabError> {
        let Place { lane, track, .. } = turn.place;
        let window = self.launches.window(rig, &spec)?;
        self.launches.course.windows.done += 1;
        if let Some(window) = window.filter(|window| window.kind() == WindowKind::Block) {
            self.launches.lanes[lane].tracks[track].goodputs_per_s.push(window.goodput_per_s());
        }
        Ok(())
    }
}
