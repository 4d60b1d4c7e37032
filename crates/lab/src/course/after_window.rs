//! What a window showed of a contender, and what follows from it.

use std::collections::BTreeSet;
use std::time::Duration;

use velo_record::{Stage, Window};

use crate::build::build_log::last_line;
use crate::course::backlog::answers;
use crate::course::lane::{Silence, Trouble};
use crate::course::launches::Launches;
use crate::course::rig::Rig;
use crate::progress::Part;

/// A contender that answers nothing, or leaves requests unanswered, in this many windows in a row, and for as long as a request is
/// waited for, is not measured further. The first windows of several loads are short, and a pool of threads may grow for seconds.
const SILENT_WINDOWS: u32 = 3;
/// A contender whose processes change in this many launches is not measured further.
const EARLY_ENDS: u32 = 2;

impl Launches {
    /// Acts on what a window showed of a contender, whose window is on disk already.
    pub(crate) fn act_on(&mut self, rig: &mut Rig<'_>, index: usize, window: &Window) {
        let Some(trouble) = self.trouble(rig, index, window) else { return };
        let record = self.lanes[index].record;
        let (Trouble::Failed(reason) | Trouble::Changed(reason)) = &trouble;
        self.end_life(rig, index, Some(reason));
        // What its blocks have shown stays, whatever becomes of it at rates, or in bursts, that are too much for it.
        if self.course.part != Part::Blocks || window.kind().is_apart() {
            return;
        }
        match trouble {
            Trouble::Failed(reason) => {
                rig.context.exclude_unless_stopped(record, Stage::Measure, reason);
            }
            Trouble::Changed(reason) => {
                self.lanes[index].early_ends += 1;
                if self.lanes[index].early_ends >= EARLY_ENDS {
                    let reason = format!("{reason}, in {EARLY_ENDS} launches");
                    rig.context.exclude(record, Stage::Measure, reason);
                }
            }
        }
    }

    fn trouble(&mut self, rig: &mut Rig<'_>, index: usize, window: &Window) -> Option<Trouble> {
        let lane = &mut self.lanes[index];
        // Cold, too, at a stated rate.
        let may_fail = window.paced().is_some() || window.kind().may_overload();
        let silent = !may_fail && (window.all().timeout > 0 || answers(window) == 0);
        let before = lane.silence;
        lane.silence = if silent {
            let lasted = before.lasted + Duration::from_nanos(window.loaded_ns());
            Silence { windows: before.windows + 1, lasted }
        } else {
            Silence::default()
        };
        let Silence { windows, lasted } = lane.silence;
        let life = lane.life.as_mut()?;
        if let Err(why) = life.server.is_running() {
            let line = last_line(&rig.context.stderr_log(lane.record), 0);
            let what = format!("{why} under load");
            let reason = if line.is_empty() { what } else { format!("{what}; last line: {line}") };
            return Some(Trouble::Failed(reason));
        }
        if windows >= SILENT_WINDOWS && lasted >= rig.options.timeout {
            return Some(Trouble::Failed(format!(
                "{windows} windows in a row without a whole answer or with requests that got none in time"
            )));
        }
        changed(life.processes.as_ref(), &life.server.pids()).map(Trouble::Changed)
    }
}

/// How the processes differ from those that were warmed up, if they do.
fn changed(before: Option<&BTreeSet<u32>>, now: &[u32]) -> Option<String> {
    let before = before?;
    let now: BTreeSet<u32> = now.iter().copied().collect();
    let (came, went) = (now.difference(before).count(), before.difference(&now).count());
    (came + went > 0).then(|| {
        format!("its processes changed under load: {} before, {came} came and {went} went", before.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_processes_is_said() {
        let before = BTreeSet::from([1, 2]);
        assert_eq!(changed(Some(&before), &[2, 1]), None);
        assert_eq!(changed(None, &[3]), None);
        assert_eq!(
            changed(Some(&before), &[2, 3, 4]).as_deref(),
            Some("its processes changed under load: 2 before, 2 came and 1 went")
        );
    }
}
