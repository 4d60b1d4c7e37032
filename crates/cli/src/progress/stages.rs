//! How building and verifying went.

use std::time::{Duration, Instant};

use velo_stats::number::waited;

/// Faster builds are not worth their name in the summary.
const SLOW_BUILD: Duration = Duration::from_secs(2);
const MOST_NAMED: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Builds {
    pub(super) done: usize,
    pub(super) of: usize,
    pub(super) cached: usize,
    pub(super) skipped: usize,
    pub(super) failed: usize,
    pub(super) built: Vec<(String, Duration)>,
    pub(super) began: Option<Instant>,
}

#[derive(Debug, Default)]
pub(super) struct Verified {
    pub(super) done: usize,
    pub(super) of: usize,
    pub(super) cases: usize,
    pub(super) failed: usize,
}

impl Builds {
    /// How long those that are left will take, if they take as long as those so far. `None`: none was built yet, or none is left.
    pub(super) fn left(&self, took: Duration) -> Option<Duration> {
        let left =
            u32::try_from(self.of - self.done).ok().filter(|left| *left > 0 && !self.built.is_empty())?;
        Some(took * left / u32::try_from(self.done).ok()?)
    }

    pub(super) fn summary(&self, took: Duration) -> String {
        let mut slow: Vec<_> = self.built.iter().filter(|(_, took)| *took >= SLOW_BUILD).collect();
        slow.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        let mut parts: Vec<String> =
            slow.iter().take(MOST_NAMED).map(|(name, took)| format!("{name} {}", waited(*took))).collect();
        for (count, what) in [(self.cached, "from cache"), (self.skipped, "skipped"), (self.failed, "failed")]
        {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        let list = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        format!("build    {}/{}   {}{list}", self.done, self.of, waited(took))
    }
}

impl Verified {
    pub(super) fn summary(&self) -> String {
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        format!("verify   {}/{}   {} cases{failed}", self.done, self.of, self.cases)
    }
}
