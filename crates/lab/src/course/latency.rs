//! Launches beside the plan: response times at stated rates, and the sweep of rates upward.

use std::time::Duration;

use rand::Rng as _;
use rand::seq::SliceRandom;
use velo_judge::is_rate_met;
use velo_record::{GroupRate, RatePurpose};

use crate::LabError;
use crate::course::blocks::LATENCY_WINDOW_NS;
use crate::course::countdown::Countdown;
use crate::course::fix_plan::SWITCH_NS;
use crate::course::lane::{CURVE_POINTS, Track};
use crate::course::latency_plan::{LatencyCosts, latency_plan};
use crate::course::launches::Launches;
use crate::course::order::{self, Load, Place, Turn};
use crate::course::rate_search::RateSearch;
use crate::course::rig::Rig;
use crate::course::window::{Paced, WindowSpec, WindowTask};
use crate::options::TurnOrder;
use crate::progress::{Event, Part};

/// At shares of what each can do, and at the common rate.
const LOADS: [Load; 3] = [
    Load::Paced(RatePurpose::Share { percent: 50 }),
    Load::Paced(RatePurpose::Share { percent: 80 }),
    Load::Paced(GroupRate::PURPOSE),
];
/// Windows of the search: long enough to see a backlog grow by one per cent.
const SEARCH_WINDOW_NS: u64 = 500_000_000;
/// Tries that a search usually takes.
const USUAL_TRIES: u64 = 4;

impl Launches {
    /// Launches that only measure response times at stated rates.
    pub(crate) fn latency(&mut self, rig: &mut Rig<'_>, budget: Duration) -> Result<(), LabError> {
        let plan = latency_plan(budget.as_nanos() as u64, &self.latency_costs());
        let windows = self.places_in(Part::Latency) * LOADS.len() as u64 * u64::from(plan.rounds);
        let expected = Duration::from_nanos(plan.expected_ns);
        self.begin_part(rig, Part::Latency, (plan.launches, windows, expected), plan.too_small.clone());
        if let Some(plan_of_run) = &mut rig.file.plan {
            plan_of_run.left_out.extend(plan.too_small);
        }
        self.launches_of_part(rig, |launches, rig| {
            if launches.course.launch_of_part() == 1 {
                launches.search(rig)?;
            }
            let (order, places) = (TurnOrder::Blocks, launches.places());
            Ok(order::turns(order, &places, plan.rounds, &[&LOADS], &mut launches.random))
        })
    }

    /// One launch with a sweep of rates upward: each point is a block.
    pub(crate) fn curve(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        let windows = self.places_in(Part::Curve) * u64::from(CURVE_POINTS);
        let lanes = self.lanes.iter().filter(|lane| lane.takes_part(Part::Curve));
        let point_ns: u64 = lanes.flat_map(|lane| &lane.tracks).map(latency_window_ns).sum();
        let expected = self.launch_cost + Duration::from_nanos(u64::from(CURVE_POINTS) * point_ns);
        self.begin_part(rig, Part::Curve, (1, windows, expected), None);
        self.launches_of_part(rig, |launches, _| {
            let places = launches.places();
            let point = |point| {
                let load = Load::Paced(RatePurpose::Curve { point });
                order::block(&places, point + 1, &[&[load]], &mut launches.random)
            };
            Ok((0..CURVE_POINTS).flat_map(point).collect())
        })
    }

    /// A part beside the plan begins. `windows`: of one launch; `expected`: of all.
    fn begin_part(
        &mut self,
        rig: &mut Rig<'_>,
        part: Part,
        (launches, windows, expected): (u32, u64, Duration),
        too_small: Option<String>,
    ) {
        let windows = Countdown::new(rig.now(), expected, windows * u64::from(launches));
        self.course.begin(part, launches, windows);
        rig.tell(&Event::PartPlanned { part, launches, expected, too_small });
    }

    /// The launches of the part that has begun, each with turns that are drawn once everybody is warm.
    fn launches_of_part(
        &mut self,
        rig: &mut Rig<'_>,
        turns: impl Fn(&mut Self, &mut Rig<'_>) -> Result<Vec<Turn>, LabError>,
    ) -> Result<(), LabError> {
        for _ in 0..self.course.launches.unwrap_or(0) {
            self.begin_launch(rig, self.course.launch + 1)?;
            let turns = turns(self, rig)?;
            self.take_turns(rig, &turns)?;
            self.end_launch(rig)?;
            if !self.may_go_on(rig) {
                break;
            }
        }
        Ok(())
    }

    fn places_in(&self, part: Part) -> u64 {
        let lanes = self.lanes.iter().filter(|lane| lane.takes_part(part));
        lanes.map(|lane| lane.tracks.len() as u64).sum()
    }

    fn latency_costs(&self) -> LatencyCosts {
        let tracks = || {
            let lanes = self.lanes.iter().filter(|lane| lane.takes_part(Part::Latency));
            lanes.flat_map(|lane| &lane.tracks)
        };
        let search_ns = |track: &Track| USUAL_TRIES * (track.lengths.settling_ns + search_window_ns(track));
        LatencyCosts {
            launch_ns: self.launch_cost.as_nanos() as u64,
            round_ns: LOADS.len() as u64 * tracks().map(latency_window_ns).sum::<u64>(),
            search_ns: tracks().map(search_ns).sum(),
        }
    }

    /// Finds the highest rate that each contender meets.
    fn search(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        let mut places = self.places();
        places.shuffle(&mut self.random);
        for place in places {
            if rig.stopped() {
                return Ok(());
            }
            let contender = self.lanes[place.lane].contender.name.clone();
            rig.tell(&Event::Searching { contender });
            self.search_of(rig, place)?;
        }
        Ok(())
    }

    fn search_of(&mut self, rig: &mut Rig<'_>, place: Place) -> Result<(), LabError> {
        let Place { lane, track, .. } = place;
        let own = &self.lanes[lane].tracks[track];
        let Some(goodput_per_s) = own.goodput_per_s() else { return Ok(()) };
        let (settling_ns, duration_ns) = (own.lengths.settling_ns, search_window_ns(own));
        let mut search = RateSearch::around(goodput_per_s);
        let mut position = 0;
        while let Some(rate_per_s) = search.next_rate() {
            position += 1;
            let seed = self.random.next_u64();
            let spec = WindowSpec {
                place,
                task: WindowTask::Paced(Paced { rate_per_s, purpose: RatePurpose::Search, seed }),
                launch: self.course.launch,
                block: 0,
                position,
                settling_ns,
                duration_ns,
                drains_fully: false,
                ends_block: true,
            };
            let Some(window) = self.window(rig, &spec)? else { return Ok(()) };
            search.tried(is_rate_met(&window));
        }
        self.lanes[lane].tracks[track].highest_met_per_s = search.highest_met_per_s();
        Ok(())
    }
}

fn search_window_ns(track: &Track) -> u64 {
    SEARCH_WINDOW_NS.max(track.lengths.window_ns)
}

/// A window with what is around it.
fn latency_window_ns(track: &Track) -> u64 {
    let window_ns = LATENCY_WINDOW_NS.max(track.lengths.window_ns);
    track.lengths.settling_ns + window_ns + track.lengths.drain_ns + SWITCH_NS
}
