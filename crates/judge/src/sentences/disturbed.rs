//! What disturbed a run.

use std::fmt;

use crate::measure::blocks::{DisturbedBy, OTHERS, SLOWER, STEAL, Unfit};
use crate::words::{count, percent};

impl DisturbedBy {
    /// The causes, the most frequent first: `others (cc1) used 5.0 % or more of the CPUs in 2`.
    pub fn in_words(&self) -> Vec<String> {
        let names =
            if self.names.is_empty() { String::new() } else { format!(" ({})", self.names.join(", ")) };
        let mut causes = [
            (self.others, format!("others{names} used {} or more of the CPUs", percent(OTHERS))),
            (self.steal, format!("the hypervisor stole {} or more", percent(self.steal_bound_share))),
            (
                self.slower_cpu,
                format!(
                    "the CPU ran slow: a fixed piece of work took over {} longer than usual",
                    percent(SLOWER - 1.0)
                ),
            ),
            (self.throttled, "a CPU was throttled".to_owned()),
            (self.swap, "memory was swapped".to_owned()),
        ];
        causes.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
        let seen = causes.into_iter().filter(|(times, _)| *times > 0);
        seen.map(|(times, words)| format!("{words} in {times}")).collect()
    }

    /// What to do where the hypervisor took most, in words that follow others; `None` where it did not, or the bound was set already.
    pub fn cure_of_steal(&self) -> Option<&'static str> {
        let others = self.others.max(self.slower_cpu).max(self.throttled).max(self.swap);
        (self.steal > others && self.steal_bound_share <= STEAL)
            .then_some("on a machine where some is always stolen, --max-steal 5% counts blocks with less, and marks the result")
    }
}

impl Unfit {
    /// What to do about it, if anything.
    pub fn cure(&self) -> Option<&'static str> {
        match self {
            Self::Blocks { by, .. } => by.cure_of_steal(),
            Self::Processes { .. } => None,
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocks { disturbed, blocks, by } => {
                let blocks = count(usize::try_from(*blocks).unwrap_or(usize::MAX), "block", "blocks");
                write!(f, "the host was disturbed in {disturbed} of {blocks}: {}", by.in_words().join(", "))
            }
            Self::Processes { dropped, processes } => {
                write!(
                    f,
                    "others or the hypervisor took CPU time in {dropped} of {processes} processes of tasks"
                )
            }
        }
    }
}
