//! What can be said of a run before its end: that the machine spoils it.

use velo_record::{ContenderRecord, Window};

use crate::series::blocks::{Disturbed, UNFIT};
use crate::tasks::is_disturbed;

/// Why nothing would be ranked if the blocks so far were all: more than half of them are dropped. `None` when that is not so.
pub fn unfit_host(windows: &[Window]) -> Option<String> {
    Disturbed::find(windows.iter()).unfit()
}

/// How many processes of tasks are dropped, when that is more than half of those so far.
pub fn unfit_for_tasks(contenders: &[ContenderRecord]) -> Option<String> {
    let processes = || contenders.iter().flat_map(|record| &record.tasks);
    let (dropped, all) = (processes().filter(|process| is_disturbed(process)).count(), processes().count());
    (dropped as f64 > UNFIT * all as f64)
        .then(|| format!("others or the hypervisor took CPU time in {dropped} of {all} processes of tasks"))
}
