//! What disturbed a run.

use std::fmt;

use crate::measure::blocks::{DisturbedBy, TAKEN, Unfit};
use crate::words::{count, percent};

impl DisturbedBy {
    /// The causes, the most frequent first: `a CPU was throttled in 2`.
    pub fn in_words(&self) -> Vec<String> {
        let mut causes = [
            (
                self.taken,
                format!(
                    "{} or the hypervisor took {} or more of the CPU time",
                    self.others(),
                    percent(TAKEN)
                ),
            ),
            (self.throttled, "a CPU was throttled".to_owned()),
            (self.swap, "memory was swapped".to_owned()),
        ];
        causes.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
        let seen = causes.into_iter().filter(|(times, _)| *times > 0);
        seen.map(|(times, words)| format!("{words} in {times}")).collect()
    }

    /// Others, with the names of the busiest where they are known: `others (cc1)`.
    pub fn others(&self) -> String {
        if self.names.is_empty() {
            "others".to_owned()
        } else {
            format!("others ({})", self.names.join(", "))
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocks { disturbed, blocks, by } => {
                let blocks = count(usize::try_from(*blocks).unwrap_or(usize::MAX), "block", "blocks");
                write!(f, "{disturbed} of {blocks} do not count: {}", by.in_words().join(", "))
            }
            Self::Processes { dropped, processes } => {
                write!(
                    f,
                    "{dropped} of {processes} processes of tasks do not count: others or the hypervisor took {} or more of the \
                     CPU time",
                    percent(TAKEN)
                )
            }
        }
    }
}
