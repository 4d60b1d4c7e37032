//! The proof by slowing the generator: does it matter to a contender's goodput?

use rand::seq::SliceRandom;

use crate::LabError;
use crate::course::launches::Launches;
use crate::course::order::{self, Place};
use crate::course::rig::Rig;
use crate::course::window::{WindowSpec, WindowTask};
use crate::progress::Event;
use velo_judge::planning::PROOF_PAIRS;

/// What the generator wastes with each request: about a tenth of what a request costs it anyway.
const SLOWED_NS: u64 = 500;

impl Launches {
    /// Tries, before the first block, whether the generator matters to those for whom it was busy: pairs of windows of which one has the generator
    /// waste CPU time with each request.
    pub(crate) fn proof(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError> {
        if rig.file.plan.as_ref().is_none_or(|plan| plan.proof_pairs == 0) {
            return Ok(());
        }
        let mut places = self.places();
        places.retain(|place| {
            let lane = &self.lanes[place.lane];
            !lane.is_twin && lane.tracks[place.track].may_be_limited_by_generator()
        });
        places.shuffle(&mut self.random);
        for place in places {
            let contender = self.lanes[place.lane].contender.name.clone();
            rig.tell(&Event::Proving { contender });
            self.proof_of(rig, place)?;
            if let Some(life) = &self.lanes[place.lane].life {
                life.server.freeze();
            }
        }
        rig.writer.sync()?;
        Ok(())
    }

    fn proof_of(&mut self, rig: &mut Rig<'_>, place: Place) -> Result<(), LabError> {
        let lengths = self.lanes[place.lane].tracks[place.track].lengths;
        let mut position = 0;
        for (number, pair) in order::proof(PROOF_PAIRS, &mut self.random).into_iter().enumerate() {
            for is_slowed in pair {
                if rig.stopped() {
                    return Ok(());
                }
                position += 1;
                let spec = WindowSpec {
                    place,
                    task: WindowTask::Proof { slowed_ns: is_slowed.then_some(SLOWED_NS) },
                    launch: self.course.launch,
                    block: number as u32 + 1,
                    position,
                    settling_ns: lengths.settling_ns,
                    duration_ns: lengths.window_ns,
                    drains_fully: false,
                    ends_block: true,
                };
                if self.window(rig, &spec)?.is_none() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
