use std::path::Path;

use velo_record::HardwareCounters;

use super::spin;
use crate::host::counters::Counters;

const NO_GROUPS: [&Path; 0] = [];

/// Counts this process for a moment, in the way that needs least permission.
pub(super) fn look() -> HardwareCounters {
    let missing = |reason: String| HardwareCounters::Missing { reason };
    let counters = match Counters::open(NO_GROUPS, &[], &[std::process::id()]) {
        Ok(counters) => counters,
        Err(why) => return missing(why.to_string()),
    };
    let before = counters.read();
    spin::once();
    match before.zip(counters.read()) {
        // Some virtual machines show counters that never count.
        Some((before, after))
            if after.instructions <= before.instructions || after.cycles <= before.cycles =>
        {
            missing("the counters stand still".to_owned())
        }
        Some(_) => HardwareCounters::Counting,
        None => missing("other programs use the counters".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_counts_or_says_why_not() {
        match look() {
            HardwareCounters::Unknown => panic!("somebody has looked"),
            HardwareCounters::Counting => {}
            HardwareCounters::Missing { reason } => assert!(!reason.is_empty()),
        }
    }
}
