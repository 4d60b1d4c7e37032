//! What can be said of a run before its end: that the machine spoils it.

use velo_record::{ContenderRecord, Placement, Window};

use crate::measure::blocks::{Disturbed, UNFIT, Unfit};
use crate::tasks::is_disturbed;

/// Why nothing would be ranked if the blocks so far were all: more than half of them are dropped. `None` when that is not so.
pub fn unfit_host(placement: &Placement, windows: &[Window]) -> Option<Unfit> {
    Disturbed::find(placement, windows.iter()).unfit()
}

/// How many processes of tasks are dropped, when that is more than half of those so far.
pub fn unfit_for_tasks(contenders: &[ContenderRecord]) -> Option<Unfit> {
    let tasks = || contenders.iter().flat_map(|record| &record.tasks);
    let (dropped, processes) = (tasks().filter(|process| is_disturbed(process)).count(), tasks().count());
    (dropped as f64 > UNFIT * processes as f64).then_some(Unfit::Processes { dropped, processes })
}
