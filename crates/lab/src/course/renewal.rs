//! The change of data files in the middle of a launch, while no request is in flight.

use velo_record::{DataWindow, Stage};

use crate::course::lane::Lane;
use crate::course::launches::Launches;
use crate::course::order::Place;
use crate::course::rig::Rig;
use crate::course::window::WindowSpec;

impl Launches {
    /// Whether a contender reads files.
    pub(crate) fn has_data(&self, rig: &Rig<'_>, lane: &Lane) -> bool {
        lane.tracks.iter().any(|track| !rig.context.data.set(track.workload, 0).is_empty())
    }

    /// The index of the plan that a window is loaded with: that of the files that lie there.
    pub(crate) fn plan_index(&self, lane: &Lane, track: usize) -> usize {
        let version = lane.life.as_ref().map_or(0, |life| life.data_version);
        track + version as usize * lane.tracks.len()
    }

    /// Replaces the files of a contender when it is time to.
    pub(crate) fn renew_data(&mut self, rig: &mut Rig<'_>, spec: &WindowSpec) {
        let wanted = self.wanted_version(rig, spec);
        self.put_data(rig, spec.place.lane, wanted);
    }

    /// Puts a version of its files in the place of those that a contender reads, unless it lies there or requests are in flight. A
    /// failure ends its launch.
    pub(crate) fn put_data(&mut self, rig: &mut Rig<'_>, index: usize, wanted: u32) {
        let lane = &self.lanes[index];
        let is_due = |life: &crate::course::lane::Life| life.data_version != wanted && life.in_flight == 0;
        if !self.has_data(rig, lane) || !lane.life.as_ref().is_some_and(is_due) {
            return;
        }
        let (record, workloads) = (lane.record, lane.tracks.iter().map(|track| track.workload));
        let sets: Vec<_> = workloads.map(|workload| rig.context.data.set(workload, wanted)).collect();
        let Some(life) = &lane.life else { return };
        let result = sets.iter().try_for_each(|set| life.server.renew(set));
        match result {
            Ok(()) => {
                if let Some(life) = &mut self.lanes[index].life {
                    life.data_version = wanted;
                }
            }
            Err(error) => {
                let reason = format!("its data cannot be replaced: {error}");
                self.end_life(rig, index, Some(&reason));
                rig.context.exclude_unless_stopped(record, Stage::Measure, reason);
            }
        }
    }

    /// The second version from the middle of a launch's blocks on.
    fn wanted_version(&self, rig: &Rig<'_>, spec: &WindowSpec) -> u32 {
        let kind = spec.task.kind();
        if kind.is_apart() {
            // What comes after the blocks of a launch stays with what lies there.
            let lives = self.lanes.iter().filter_map(|lane| lane.life.as_ref());
            return lives.map(|life| life.data_version).max().unwrap_or(0);
        }
        let blocks = rig.file.plan.as_ref().map_or(0, |plan| plan.blocks);
        let is_of_a_block = kind.is_interleaved() && spec.block > 0;
        u32::from(is_of_a_block && spec.block * 2 > blocks)
    }

    /// What lay there in a window; `read_bytes`: what had been read before it and after.
    pub(crate) fn data_window(
        &self,
        rig: &Rig<'_>,
        place: Place,
        read_bytes: Option<(u64, u64)>,
    ) -> Option<DataWindow> {
        let version = self.lanes[place.lane].life.as_ref()?.data_version;
        let set = rig.context.data.set(place.workload, version);
        (!set.is_empty()).then(|| DataWindow {
            version,
            file_bytes: set.bytes(),
            read_bytes: read_bytes.map(|(before, after)| after.saturating_sub(before)),
        })
    }
}
