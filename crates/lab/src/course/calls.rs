//! Single calls: what one request costs when it is the only one in flight. In each launch every contender is started anew for each
//! protocol; under each condition, distances among them, in random order, one contender after the other is called some times.

mod block;
mod distances;
mod first;
mod group;
mod pace;
mod plan;

use std::collections::BTreeSet;
use std::time::Duration;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use velo_link::LinkError;
use velo_model::{CallCondition, Contender, Workload};

use self::distances::Distances;
use self::group::{Group, Life, Member};
use self::pace::Sort;
pub(crate) use self::pace::will_take;
use crate::LabError;
use crate::course::countdown::Countdown;
use crate::course::lane::settle;
use crate::course::plan::{Begun, Kind, Plan};
use crate::course::rig::Rig;
use crate::host::network::Network;
use crate::options::SingleCalls;
use crate::prepare::verify::Verified;
use crate::progress::Event;

/// The single calls of a run.
pub(crate) struct Calls {
    groups: Vec<Group>,
    launches: u32,
    countdown: Countdown,
}

impl Calls {
    /// Those that the run's workloads ask for.
    pub(crate) fn of(rig: &Rig<'_>, servers: &[Verified]) -> Self {
        let launches = pace::launches(rig.options);
        if rig.options.single_calls == SingleCalls::No {
            return Self { groups: Vec::new(), launches, countdown: Countdown::default() };
        }
        let mut groups: Vec<Group> = Vec::new();
        for (number, workload) in rig.file.workloads.iter().enumerate() {
            for sort in pace::sorts(workload) {
                let takes_part = |one: &&Verified| {
                    let record = &rig.context.records[one.record];
                    let is_called =
                        |condition: &CallCondition| pace::is_called(&record.manifest, workload, condition);
                    record.twin_of.is_none() && sort.conditions.iter().any(is_called)
                };
                let member = |one: &Verified| Member { record: one.record, origin: one.origin.clone() };
                let members = servers.iter().filter(takes_part).map(member).collect();
                let Sort { protocol, request, conditions } = sort;
                groups.push(Group { workload: number, protocol, request, conditions, members });
            }
        }
        groups.retain(|group| !group.members.is_empty());
        Self { groups, launches, countdown: Countdown::default() }
    }

    /// Those who take part, by their index in the records.
    fn records(&self) -> BTreeSet<usize> {
        self.groups.iter().flat_map(|group| group.members.iter().map(|member| member.record)).collect()
    }

    fn will_take(&self, rig: &Rig<'_>) -> Duration {
        let manifest = |record: usize| &rig.context.records[record].manifest;
        let contenders: Vec<&Contender> = self.records().into_iter().map(manifest).collect();
        will_take(rig.options, &rig.file.workloads, &contenders)
    }

    /// Distances that cannot be made here are not tried again.
    fn leave_out(&mut self, rig: &mut Rig<'_>, refused: &[(usize, LinkError)]) {
        for (group, error) in refused {
            for rtt_ms in self.groups[*group].rtts_ms().into_iter().filter(|rtt_ms| *rtt_ms > 0) {
                let reason = format!("single calls over {rtt_ms} ms: {error}; {}", error.cure());
                if !rig.file.calls_left_out.contains(&reason) {
                    rig.tell(&Event::CallsLeftOut { reason: reason.clone() });
                    rig.file.calls_left_out.push(reason);
                }
            }
            self.groups[*group].conditions.retain(|condition| condition.rtt_ms == 0);
        }
        self.groups.retain(|group| !group.conditions.is_empty());
    }

    /// One launch of one group, over those of its distances that there are.
    fn measure_group(
        &mut self,
        rig: &mut Rig<'_>,
        number: usize,
        (distances, launch): (&Distances, u32),
        random: &mut ChaCha8Rng,
    ) -> Result<(), LabError> {
        let group = &self.groups[number];
        let is_there = |condition: &CallCondition| distances.at(condition.rtt_ms).is_some();
        let mut conditions: Vec<CallCondition> = group.conditions.iter().copied().filter(is_there).collect();
        if conditions.is_empty() {
            return Ok(());
        }
        rig.sampler.restart();
        let workload = group.workload(rig);
        let mut order: Vec<usize> = (0..group.members.len()).collect();
        order.shuffle(random);
        let mut lives: Vec<Life> = Vec::new();
        for member in order {
            if rig.stopped() {
                break;
            }
            lives.push(group.start(rig, &workload, distances, member));
        }
        conditions.shuffle(random);
        let mut order: Vec<usize> = (0..lives.len()).collect();
        let mut turns = Vec::new();
        for condition in conditions {
            order.shuffle(random);
            turns.extend(order.iter().map(|&life| (life, condition)));
        }
        let (launches, countdown) = (self.launches, &mut self.countdown);
        let mut blocks = Blocks { group, workload, lives, launch, launches, countdown };
        let result = blocks.take(rig, &turns);
        for life in &mut blocks.lives {
            life.end(rig);
        }
        rig.writer.sync()?;
        result
    }
}

/// The blocks of a group in a launch.
struct Blocks<'c> {
    group: &'c Group,
    /// In the group's protocol.
    workload: Workload,
    lives: Vec<Life>,
    launch: u32,
    launches: u32,
    countdown: &'c mut Countdown,
}

impl Plan for Blocks<'_> {
    /// Who is called, by its index in the lives, and under which condition.
    type Turn = (usize, CallCondition);
    type Ready = Network;

    fn begin(&mut self, rig: &mut Rig<'_>, turns: &[Self::Turn], number: usize) -> Begun<Network> {
        let (life, condition) = turns[number];
        let Life { record, ref distances, .. } = self.lives[life];
        let Some(network) = distances.at(condition.rtt_ms).cloned() else { return Ok(None) };
        let manifest = &rig.context.records[record].manifest;
        if !pace::is_called(manifest, &rig.file.workloads[self.group.workload], &condition) {
            return Ok(None);
        }
        let event = Event::Calls {
            launch: self.launch,
            launches: self.launches,
            workload: self.workload.name.clone(),
            contender: manifest.name.clone(),
            condition: condition.to_string(),
            done: self.countdown.done,
            of: self.countdown.of,
            left: self.countdown.left(rig.now()),
        };
        Ok(Some((event, network)))
    }

    fn measure(&mut self, rig: &mut Rig<'_>, turn: &Self::Turn, network: Network) -> Result<(), LabError> {
        let (life, condition) = *turn;
        self.countdown.done += 1;
        let life = &mut self.lives[life];
        let workload = self.workload.asked_of(&rig.context.records[life.record].manifest);
        let asked = self.group.asked(&workload);
        if let Some(found) = block::measure(rig, &asked, life, &network, (condition, self.launch)) {
            rig.writer.append_calls(&found)?;
            rig.file.calls.push(found);
        }
        Ok(())
    }
}

impl Kind for Calls {
    fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    fn tell(&self, rig: &mut Rig<'_>) {
        let contenders = self.records().len();
        let conditions = self.groups.iter().map(|group| group.conditions.len()).sum();
        let (launches, expected) = (self.launches, self.will_take(rig));
        rig.tell(&Event::CallsPlanned { contenders, conditions, launches, expected });
    }

    fn measure(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        let blocks = |group: &Group| group.blocks(rig).count() as u64;
        let of = self.groups.iter().map(blocks).sum::<u64>() * u64::from(self.launches);
        self.countdown = Countdown::new(rig.now(), self.will_take(rig), of);
        let mut random = rig.random(2);
        for launch in 1..=self.launches {
            let mut order: Vec<usize> = (0..self.groups.len()).collect();
            order.shuffle(&mut random);
            let mut refused: Vec<(usize, LinkError)> = Vec::new();
            for group in order {
                if rig.stopped() {
                    return rig.save();
                }
                let (distances, error) = match Distances::open(rig, &self.groups[group].rtts_ms(), launch) {
                    Ok(distances) => (distances, None),
                    // Without distance they can be called all the same.
                    Err(error) => (Distances::default(), Some(error)),
                };
                refused.extend(error.map(|error| (group, error)));
                self.measure_group(rig, group, (&distances, launch), &mut random)?;
            }
            self.leave_out(rig, &refused);
            rig.save()?;
        }
        if !rig.stopped() {
            settle(&mut rig.context.records, self.records().into_iter());
        }
        rig.save()
    }
}
