//! What contenders are ranked by, and what stands beside it.

use super::entry::{Entry, Rank};
use super::figures::Figure;
use crate::document::{Column, TableRow};
use crate::number::{bytes, rate, tidy, time_ns};

/// What ranks contenders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Servers by correct responses per second.
    Goodput,
    /// Servers by CPU time per request at the common rate.
    CpuAtRate,
    /// Tasks by the time of an iteration.
    Steady,
}

impl Measure {
    /// `goodput/s`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Goodput => "goodput/s",
            Self::CpuAtRate => "CPU/request at the common rate",
            Self::Steady => "steady time of an iteration",
        }
    }

    /// What it is in words, and which end is the better one.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Goodput => "Correct answers per second: more is better.",
            Self::CpuAtRate => {
                "CPU time of the contender's processes for each correct answer, at a rate that all were given: less is \
                 better. The rate may differ between runs."
            }
            Self::Steady => {
                "Time of an iteration once the program runs steadily, by its own clock: less is better."
            }
        }
    }

    /// Whether it is about a contender: tasks have measures of their own.
    pub(super) fn is_of(self, entry: &Entry) -> bool {
        entry.is_task == (self == Self::Steady)
    }

    /// The contender's place by it.
    pub(super) fn rank(self, entry: &Entry) -> Option<Rank> {
        match self {
            Self::Goodput | Self::Steady => entry.rank,
            Self::CpuAtRate => entry.at_rate.as_ref().map(|at_rate| at_rate.rank),
        }
    }

    /// The contender's figure, as far as it stands.
    pub(super) fn figure(self, entry: &Entry) -> Option<Figure> {
        match self {
            Self::Goodput => entry.goodput_per_s,
            Self::CpuAtRate => entry.at_rate.as_ref().map(|at_rate| at_rate.cpu_ns),
            Self::Steady => entry.steady_ns,
        }
    }

    /// The rate that the figure is at, where there is one for all.
    pub(super) fn rate_per_s(self, entry: &Entry) -> Option<f64> {
        let at_rate = entry.at_rate.as_ref().filter(|_| self == Self::CpuAtRate);
        at_rate.map(|at_rate| at_rate.rate_per_s)
    }

    /// A value with its unit: `48,100`, `20.7 us`.
    pub(super) fn value(self, value: f64) -> String {
        match self {
            Self::Goodput => rate(value),
            Self::CpuAtRate | Self::Steady => time_ns(value),
        }
    }

    /// A value at an axis.
    pub(super) fn tick(self, value: f64) -> String {
        match self {
            Self::Goodput if value == 0.0 => "0".to_owned(),
            _ if value == 0.0 => "0 s".to_owned(),
            _ => tidy(&self.value(value)),
        }
    }

    /// The contenders that it is about, in its order.
    pub(super) fn sorted(self, entries: &[Entry]) -> Vec<&Entry> {
        let mut sorted: Vec<&Entry> = entries.iter().filter(|entry| self.is_of(entry)).collect();
        if self == Self::CpuAtRate {
            // Ties keep the order that they had.
            sorted.sort_by_key(|entry| {
                entry
                    .at_rate
                    .as_ref()
                    .map_or((u32::MAX, u32::MAX), |at_rate| (at_rate.rank.best, at_rate.rank.worst))
            });
        }
        sorted
    }

    /// The columns of a table of figures. A rank is none of them: it means something only beside those of the same run.
    pub(super) fn columns(self) -> Vec<Column> {
        let titles: &[&'static str] = match self {
            Self::Goodput => &["goodput/s", "CPU/request", "memory"],
            Self::CpuAtRate => &["CPU/request at the common rate", "requests/s", "memory"],
            Self::Steady => &["steady", "cold", "CPU/iteration", "peak memory"],
        };
        titles.iter().copied().map(Column::number).collect()
    }

    /// A contender's row: its cells in these columns between others. Where it has no figure, it says why.
    pub(super) fn row(
        self,
        before: Vec<Option<String>>,
        entry: &Entry,
        behind: Vec<Option<String>>,
    ) -> TableRow {
        let place = before.len();
        let time = |figure: Option<Figure>| figure.map(|figure| figure.words(time_ns));
        let figure = self.figure(entry).map(|figure| figure.words(|value| self.value(value)));
        let reason = figure.is_none().then_some(place);
        let first = figure.unwrap_or_else(|| match &entry.at_rate_fault {
            Some(fault) if self == Self::CpuAtRate => fault.clone(),
            _ => entry.standing.clone(),
        });
        let beside = match self {
            Self::Goodput => vec![time(entry.cpu_ns)],
            Self::CpuAtRate => vec![self.rate_per_s(entry).map(rate)],
            Self::Steady => vec![time(entry.cold_ns), time(entry.cpu_ns)],
        };
        let own = [Some(first)].into_iter().chain(beside).chain([entry.memory_bytes.map(bytes)]);
        let cells: Vec<Option<String>> = before.into_iter().chain(own).chain(behind).collect();
        TableRow { reason, ..TableRow::from(cells) }
    }
}
