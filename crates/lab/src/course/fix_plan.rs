//! Fixes the plan: what the first launch's warm-up has shown becomes costs and rates, and those become a plan.

use std::time::Duration;

use velo_judge::planning::{self, PROOF_PAIRS};
use velo_model::Class;
use velo_record::{Costs, GroupRate};

use crate::LabError;
use crate::course::common_rate::{self, Group, Member};
use crate::course::lane::{CURVE_POINTS, Lane, Lengths, Track};
use crate::course::launches::Launches;
use crate::course::order::Place;
use crate::course::rig::Rig;
use crate::progress::Event;

/// Switching, probing and writing, beside the load of a window; 1.4 ms as measured.
pub(crate) const SWITCH_NS: u64 = 1_500_000;
/// The same where the contender stays.
const NEXT_WINDOW_NS: u64 = 1_000_000;
/// Where goodput ranks, a smaller budget tells more with all of it in blocks.
const COMMON_RATE_FROM: Duration = Duration::from_secs(120);
/// A window of a sweep with what is around it, before anything is known.
pub(crate) const CURVE_WINDOW: Duration = Duration::from_millis(1200);

impl Launches {
    /// Says how long it may take, as far as that is known before anything has been started.
    pub(crate) fn tell_estimate(&self, rig: &mut Rig<'_>) {
        let expected = if rig.options.as_published {
            let windows =
                self.lanes.iter().flat_map(|lane| &lane.tracks).map(|track| self.window_ns(rig, track));
            Duration::from_nanos(windows.sum())
        } else if rig.options.quick {
            return;
        } else {
            let tracks: usize = self.lanes.iter().map(|lane| lane.tracks.len()).sum();
            let curve =
                if rig.options.curve { CURVE_WINDOW * CURVE_POINTS * tracks as u32 } else { Duration::ZERO };
            rig.options.budget + rig.options.latency.unwrap_or_default() + curve
        };
        let contenders = self.lanes.iter().filter(|lane| !lane.is_twin).count();
        let has_control = contenders < self.lanes.len();
        rig.tell(&Event::Estimated { expected, contenders, has_control });
    }

    /// Fixes the plan, before the first counted window.
    pub(crate) fn fix_plan(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        let is_usual = !rig.options.quick && !rig.options.as_published;
        self.shorten_unanswered(rig);
        let mut rates = self.give_rates(rig);
        let is_stated = |rate: &GroupRate| {
            rig.file.workload(&rate.workload).is_some_and(|workload| workload.load.rate_per_s.is_some())
        };
        let stated: Vec<GroupRate> = rates.iter().filter(|rate| is_stated(rate)).cloned().collect();
        if !is_usual {
            rates.clear();
        }
        let costs = self.costs(rig);
        let chosen = if rig.options.as_published {
            planning::as_published(&costs)
        } else if rig.options.quick {
            planning::quick(&costs)
        } else if let Some(size) = rig.options.size {
            planning::given(size, &costs, rig.options.precision.is_some())
        } else {
            let budget_ns = planning::plannable_ns(rig.options.budget.as_nanos() as u64);
            match &rig.options.gate {
                Some(question) => planning::gate(budget_ns, &costs, question.needs_common_rate()),
                None => planning::plan(budget_ns, &costs, rig.options.precision.is_some()),
            }
        };
        let mut plan = chosen.plan;
        plan.common_rates = if chosen.has_common_rate { rates } else { stated };
        let full = u64::from(plan.full_blocks());
        let paced = if chosen.has_common_rate { full } else { 0 };
        let windows_of = |lane: &Lane| {
            let blocks = if self.is_seldom(lane) { full } else { u64::from(plan.blocks) };
            lane.tracks.len() as u64 * (blocks + paced)
        };
        let of_launch: u64 = self.lanes.iter().map(windows_of).sum();
        self.launch_cost = Duration::from_nanos(costs.launch_ns);
        self.course.launches = Some(plan.launches);
        self.course.windows.expected = Duration::from_nanos(plan.expected_ns);
        self.course.windows.of = of_launch * u64::from(plan.launches);
        rig.tell(&Event::Planned(plan.clone()));
        rig.file.costs = Some(costs);
        rig.file.plan = Some(plan);
        rig.save()
    }

    /// One that answered nothing in its warm-up shows with the first timeouts what is to be seen of it.
    fn shorten_unanswered(&mut self, rig: &mut Rig<'_>) {
        let timeout_ns = rig.options.timeout.as_nanos() as u64;
        for track in self.lanes.iter_mut().flat_map(|lane| &mut lane.tracks) {
            if track.rate_per_s.is_none_or(|rate| rate <= 0.0) && track.stated_per_s.is_none() {
                track.lengths = Lengths::unanswered(timeout_ns);
            }
        }
    }

    /// Gives each contender the one rate of its group, workload by workload.
    fn give_rates(&mut self, rig: &mut Rig<'_>) -> Vec<GroupRate> {
        let mut rates = Vec::new();
        for (number, workload) in rig.file.workloads.iter().enumerate() {
            let mut places = self.places();
            places.retain(|place| place.workload == number);
            let member = |place: &Place| Member {
                goodput_per_s: self.lanes[place.lane].tracks[place.track].rate_per_s.unwrap_or(0.0),
                is_reference: self.lanes[place.lane].contender.class == Class::Reference,
            };
            let members: Vec<Member> = places.iter().map(member).collect();
            let groups = match (workload.load.rate_per_s, rig.options.equal_rate_per_s) {
                (Some(rate_per_s), _) => vec![Group { rate_per_s, members: (0..places.len()).collect() }],
                (None, Some(rate_per_s)) => common_rate::group_at(rate_per_s, &members),
                (None, None) => common_rate::groups(&members),
            };
            for group in groups {
                let mut contenders = Vec::new();
                for member in group.members {
                    let Place { lane, track, .. } = places[member];
                    self.lanes[lane].tracks[track].common_rate_per_s = Some(group.rate_per_s);
                    contenders.push(self.lanes[lane].contender.name.clone());
                }
                rates.push(GroupRate {
                    workload: workload.name.clone(),
                    rate_per_s: group.rate_per_s,
                    contenders,
                });
            }
        }
        rates
    }

    /// Whether the common rate was asked for, or goodput may leave somebody without a rank whom CPU time there gives one.
    fn may_need_common_rate(&self, rig: &Rig<'_>) -> bool {
        let ranked = self.lanes.iter().filter(|lane| lane.contender.class != Class::Reference);
        rig.options.equal_rate_per_s.is_some()
            || rig.options.latency.is_some()
            || ranked.flat_map(|lane| &lane.tracks).any(Track::may_be_limited_by_generator)
    }

    fn costs(&self, rig: &Rig<'_>) -> Costs {
        let stops_ns: u64 = self.lanes.iter().map(|lane| lane.stop_ns).sum();
        let canary_ns: u64 = rig.file.host.canary.iter().map(|canary| canary.duration_ns).sum();
        let tracks = || self.lanes.iter().flat_map(|lane| &lane.tracks);
        let of_blocks = |is_seldom: bool| {
            let lanes = self.lanes.iter().filter(move |lane| self.is_seldom(lane) == is_seldom);
            lanes.flat_map(|lane| &lane.tracks)
        };
        let loaded_ns =
            |track: &Track| track.lengths.settling_ns + self.window_ns(rig, track) + track.lengths.drain_ns;
        let common_rate_ns = |track: &Track| {
            if track.stated_per_s.is_some() {
                return None;
            }
            let window_ns = common_rate::window_ns(track.common_rate_per_s?);
            Some(track.lengths.settling_ns + window_ns + track.lengths.drain_ns + SWITCH_NS)
        };
        let proven = self.lanes.iter().filter(|lane| !lane.is_twin).flat_map(|lane| &lane.tracks);
        let proven = proven.filter(|track| track.may_be_limited_by_generator());
        let once = self.lost + tracks().filter_map(|track| Some(track.learnt?.beside)).sum::<Duration>();
        Costs {
            launch_ns: self.course.windows.elapsed(rig.now()).saturating_sub(once).as_nanos() as u64
                + stops_ns,
            once_ns: once.as_nanos() as u64,
            warm_up_ns: tracks().filter_map(|track| Some(track.learnt?.duration.as_nanos() as u64)).sum(),
            counted_ns: of_blocks(false).map(|track| self.window_ns(rig, track)).sum(),
            block_ns: canary_ns + of_blocks(false).map(|track| loaded_ns(track) + SWITCH_NS).sum::<u64>(),
            reference_counted_ns: of_blocks(true).map(|track| self.window_ns(rig, track)).sum(),
            reference_ns: of_blocks(true).map(|track| loaded_ns(track) + SWITCH_NS).sum::<u64>(),
            common_rate_ns: tracks().filter_map(common_rate_ns).sum(),
            common_rate_from_ns: if self.may_need_common_rate(rig) {
                0
            } else {
                COMMON_RATE_FROM.as_nanos() as u64
            },
            proof_ns: proven
                .map(|track| 2 * u64::from(PROOF_PAIRS) * (loaded_ns(track) + NEXT_WINDOW_NS))
                .sum(),
        }
    }
}
