//! Single calls: what one request costs when it is the only one in flight. In each launch every contender is started anew for each
//! protocol and distance; under each condition, in random order, one contender after the other is called some times.

mod block;
mod first;
mod group;
mod near;
mod plan;

use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use velo_link::LinkError;

use self::group::{Group, Life, Member};
use crate::LabError;
use crate::course::lane::settle;
use crate::course::rig::Rig;
use crate::options::SingleCalls;
use crate::prepare::verify::Verified;
use crate::progress::Event;
use crate::sides::origin::Origin;

/// Launches of each contender: one more than a comparison needs, since others may disturb one.
const LAUNCHES: u32 = 6;
/// Of a quick look.
const QUICK_LAUNCHES: u32 = 2;
/// What starting and ending a contender takes, as long as nothing better is known.
const START: Duration = Duration::from_secs(1);

/// The single calls of a run.
pub(crate) struct Calls {
    groups: Vec<Group>,
    launches: u32,
}

/// How far they have come.
struct Blocks {
    began: Duration,
    expected: Duration,
    done: u64,
    of: u64,
}

impl Calls {
    /// Those that the run's workloads ask for.
    pub(crate) fn of(rig: &Rig<'_>, servers: &[Verified]) -> Self {
        let launches = if rig.options.quick { QUICK_LAUNCHES } else { LAUNCHES };
        if rig.options.single_calls == SingleCalls::No {
            return Self { groups: Vec::new(), launches };
        }
        let mut groups: Vec<Group> = Vec::new();
        for (number, workload) in rig.file.workloads.iter().enumerate() {
            let asked = workload.calls.iter().flat_map(|settings| {
                settings.conditions.iter().map(|condition| (*condition, settings.request))
            });
            for (condition, request) in asked {
                let is_it = |group: &&mut Group| {
                    (group.workload, group.request, group.protocol, group.rtt_ms)
                        == (number, request, condition.protocol, condition.rtt_ms)
                };
                if let Some(known) = groups.iter_mut().find(is_it) {
                    known.conditions.push(condition);
                    continue;
                }
                let (protocol, rtt_ms) = (condition.protocol, condition.rtt_ms);
                let takes_part = |one: &&Verified| {
                    let record = &rig.context.records[one.record];
                    let is_reached = match one.origin {
                        Origin::Built(_) => record.manifest.is_called_over(protocol),
                        // One that ran already stays where it is, and speaks what the run asks of it.
                        Origin::Running(_) => rtt_ms == 0 && protocol == workload.load.protocol,
                    };
                    record.twin_of.is_none() && workload.is_for(&record.manifest) && is_reached
                };
                let member = |one: &Verified| Member { record: one.record, origin: one.origin.clone() };
                let members: Vec<Member> = servers.iter().filter(takes_part).map(member).collect();
                let conditions = vec![condition];
                groups.push(Group { workload: number, protocol, rtt_ms, request, conditions, members });
            }
        }
        groups.retain(|group| !group.members.is_empty());
        Self { groups, launches }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Says how long they will take at least, where there are any.
    pub(crate) fn tell(&self, rig: &mut Rig<'_>) {
        if self.groups.is_empty() {
            return;
        }
        let mut records: Vec<usize> =
            self.groups.iter().flat_map(|group| group.members.iter().map(|member| member.record)).collect();
        records.sort_unstable();
        records.dedup();
        let conditions = self.groups.iter().map(|group| group.conditions.len()).sum();
        let (launches, expected) = (self.launches, self.will_take(rig));
        rig.tell(&Event::CallsPlanned { contenders: records.len(), conditions, launches, expected });
    }

    fn will_take(&self, rig: &Rig<'_>) -> Duration {
        let launch: Duration = self
            .groups
            .iter()
            .map(|group| {
                let workload = &rig.file.workloads[group.workload];
                let blocks: Duration =
                    group.conditions.iter().map(|condition| block::will_take(workload, condition)).sum();
                (START + group::warm_up(rig.options) + blocks) * group.members.len() as u32
            })
            .sum();
        launch * self.launches
    }

    /// All calls of all launches.
    pub(crate) fn measure(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        if self.groups.is_empty() || rig.stopped() {
            return Ok(());
        }
        let (began, expected) = (rig.now(), self.will_take(rig));
        let blocks = |group: &Group| (group.conditions.len() * group.members.len()) as u64;
        let of = self.groups.iter().map(blocks).sum::<u64>() * u64::from(self.launches);
        let mut progress = Blocks { began, expected, done: 0, of };
        // Of its own, so that servers take the same turns with calls and without.
        let mut random = ChaCha8Rng::seed_from_u64(rig.options.seed);
        random.set_stream(2);
        for launch in 1..=self.launches {
            let mut order: Vec<usize> = (0..self.groups.len()).collect();
            order.shuffle(&mut random);
            let mut refused: Vec<(usize, LinkError)> = Vec::new();
            for group in order {
                if rig.stopped() {
                    return rig.save();
                }
                if let Err(error) = self.measure_group(rig, group, launch, &mut random, &mut progress)? {
                    refused.push((group, error));
                }
            }
            self.leave_out(rig, &refused);
            rig.save()?;
        }
        if !rig.stopped() {
            for member in self.groups.iter().flat_map(|group| &group.members) {
                settle(&mut rig.context.records[member.record].state);
            }
        }
        rig.save()
    }

    /// Distances that cannot be made here are not tried again.
    fn leave_out(&mut self, rig: &mut Rig<'_>, refused: &[(usize, LinkError)]) {
        for (group, error) in refused {
            let rtt_ms = self.groups[*group].rtt_ms;
            let reason = format!("single calls over {rtt_ms} ms: {error}; {}", error.cure());
            if !rig.file.calls_left_out.contains(&reason) {
                rig.tell(&Event::CallsLeftOut { reason: reason.clone() });
                rig.file.calls_left_out.push(reason);
            }
        }
        let gone: Vec<usize> = refused.iter().map(|(group, _)| *group).collect();
        let mut place = 0;
        self.groups.retain(|_| {
            place += 1;
            !gone.contains(&(place - 1))
        });
    }

    /// One launch of one group; the inner error: there is no such link here.
    fn measure_group(
        &self,
        rig: &mut Rig<'_>,
        number: usize,
        launch: u32,
        random: &mut ChaCha8Rng,
        progress: &mut Blocks,
    ) -> Result<Result<(), LinkError>, LabError> {
        let group = &self.groups[number];
        let network = match group.join(rig, launch) {
            Ok(network) => network,
            Err(error) => return Ok(Err(error)),
        };
        rig.sampler.restart();
        let workload = group.workload(rig);
        let mut order: Vec<usize> = (0..group.members.len()).collect();
        order.shuffle(random);
        let mut lives: Vec<Life> = Vec::new();
        for member in order {
            if rig.stopped() {
                break;
            }
            lives.push(group.start(rig, &workload, &network, member));
        }
        let mut conditions = group.conditions.clone();
        conditions.shuffle(random);
        let mut result = Ok(());
        'blocks: for condition in conditions {
            lives.shuffle(random);
            for life in &mut lives {
                if rig.stopped() {
                    break 'blocks;
                }
                let manifest = rig.context.records[life.record].manifest.clone();
                let (workload, contender) = (workload.asked_of(&manifest), manifest.name.clone());
                rig.tell(&Event::Calls {
                    launch,
                    launches: self.launches,
                    workload: workload.name.clone(),
                    contender: contender.clone(),
                    condition: condition.to_string(),
                    done: progress.done,
                    of: progress.of,
                    left: progress.expected.saturating_sub(rig.context.clock.since(progress.began)),
                });
                progress.done += 1;
                let found = block::measure(rig, &group.asked(&workload), life, (condition, launch));
                let Some(found) = found else { break 'blocks };
                if let Err(error) = rig.writer.append_calls(&found) {
                    result = Err(error);
                    break 'blocks;
                }
                rig.file.calls.push(found);
            }
        }
        for life in &mut lives {
            life.end(rig);
        }
        rig.writer.sync()?;
        result?;
        Ok(Ok(()))
    }
}
