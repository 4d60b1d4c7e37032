//! How a contender left its CPUs.

use velo_stats::number::decimals;

use crate::doubt::placement::Left;
use crate::words::{count, list};

impl Left {
    /// `its threads could run on CPU 1, outside of its CPU 0, in 37 of 120 windows; it used 1.62 of its 1 CPU`.
    pub(crate) fn in_words(&self) -> String {
        let cpus = |cpus: &[u32]| format!("CPU {}", list(cpus, 8));
        let outside: Vec<u32> = self.outside.iter().copied().collect();
        let used = self.used_cpus.map_or_else(
            || "how much CPU time it used is not known".to_owned(),
            |used| {
                format!(
                    "it used {} CPUs, and {} is its own",
                    decimals(used, 2),
                    count(self.given_cpus, "CPU", "CPUs")
                )
            },
        );
        let used = if self.given_cpus > 1 { used.replace(" is its own", " are its own") } else { used };
        if outside.is_empty() {
            return used;
        }
        let place = if self.seen > 0 {
            format!("in {} of {}", self.seen, count(self.windows, "window", "windows"))
        } else {
            format!("after the start of launch {}", list(&self.launches, 5))
        };
        format!(
            "its threads could run on {}, outside of its {}, {place}; {used}",
            cpus(&outside),
            cpus(&self.own)
        )
    }
}
