//! What contenders are ranked by, and what stands beside it.

use velo_model::LoadCondition;

use super::entry::{Beside, Entry, Rank};
use super::figures::Figure;
use crate::document::{Column, TableRow};
use crate::number::{bytes, rate, tidy, time_ns};
use crate::section::series;
use crate::words::figures;

/// What ranks contenders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Measure {
    /// Servers by correct responses per second.
    Goodput,
    /// Servers by a figure under another load than the workload's own.
    Beside {
        of: velo_model::Figure,
        /// Where a contender has the figure under several.
        load: Option<LoadCondition>,
    },
    /// Tasks by the time of an iteration.
    Steady,
}

impl Measure {
    /// Those by which an entry is ranked, or could be, beside its own load.
    pub(super) fn beside(entry: &Entry) -> impl Iterator<Item = Self> {
        entry.beside.iter().map(|one| Self::Beside { of: one.of, load: one.of.told_apart_by(one.under) })
    }

    /// `goodput/s`.
    pub(super) fn name(self) -> String {
        match self {
            Self::Goodput => "goodput/s".to_owned(),
            Self::Beside { of, load } => match load.and_then(series::load) {
                Some(load) => format!("{}, {load}", figures::of(of).short),
                None => figures::of(of).short.to_owned(),
            },
            Self::Steady => "steady time of an iteration".to_owned(),
        }
    }

    /// What it is in words, and which end is the better one.
    pub(super) fn about(self) -> String {
        match self {
            Self::Goodput => "Correct answers per second: more is better.".to_owned(),
            Self::Beside { of, load } => {
                let about = sentence(figures::of(of).about);
                let rate = if load.is_none() { " The rate may differ between runs." } else { "" };
                format!("{about}{rate}")
            }
            Self::Steady => {
                "Time of an iteration once the program runs steadily, by its own clock: less is better."
                    .to_owned()
            }
        }
    }

    /// Whether it is about a contender: tasks have measures of their own.
    pub(super) fn is_of(self, entry: &Entry) -> bool {
        entry.is_task == (self == Self::Steady)
    }

    /// What it is of a contender, where it is one beside its own load.
    fn of(self, entry: &Entry) -> Option<&Beside> {
        let Self::Beside { of, load } = self else { return None };
        entry.beside.iter().find(|one| one.of == of && of.told_apart_by(one.under) == load)
    }

    /// The contender's place by it.
    pub(super) fn rank(self, entry: &Entry) -> Option<Rank> {
        match self {
            Self::Goodput | Self::Steady => entry.rank,
            Self::Beside { .. } => self.of(entry)?.place.as_ref().ok().map(|(rank, _)| *rank),
        }
    }

    /// The contender's figure, as far as it stands.
    pub(super) fn figure(self, entry: &Entry) -> Option<Figure> {
        match self {
            Self::Goodput => entry.goodput_per_s,
            Self::Beside { .. } => self.of(entry)?.place.as_ref().ok().map(|(_, figure)| *figure),
            Self::Steady => entry.steady_ns,
        }
    }

    /// The rate that the figure is at, where there is one for all.
    pub(super) fn rate_per_s(self, entry: &Entry) -> Option<f64> {
        let own = self.of(entry).filter(|own| own.place.is_ok());
        own?.under.rate_per_s()
    }

    /// A value with its unit: `48,100`, `20.7 us`.
    pub(super) fn value(self, value: f64) -> String {
        match self {
            Self::Goodput => rate(value),
            Self::Beside { of, .. } => series::value(of.row().unit, value),
            Self::Steady => time_ns(value),
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
        if matches!(self, Self::Beside { .. }) {
            // Ties keep the order that they had.
            sorted.sort_by_key(|entry| {
                self.rank(entry).map_or((u32::MAX, u32::MAX), |rank| (rank.best, rank.worst))
            });
        }
        sorted
    }

    /// The columns of a table of figures. A rank is none of them: it means something only beside those of the same run.
    pub(super) fn columns(self) -> Vec<Column> {
        let beside: &[&'static str] = match self {
            Self::Goodput => &["CPU/request"],
            Self::Beside { .. } => &["requests/s"],
            Self::Steady => &["cold", "CPU/iteration"],
        };
        let (own, memory) = match self {
            Self::Goodput | Self::Beside { .. } => (self.name(), "memory"),
            Self::Steady => ("steady".to_owned(), "peak memory"),
        };
        let beside = beside.iter().copied().chain([memory]).map(Column::number);
        std::iter::once(Column::number(own)).chain(beside).collect()
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
        let fault = self.of(entry).and_then(|own| own.place.as_ref().err()?.clone());
        let first = figure.or(fault).unwrap_or_else(|| entry.standing.clone());
        let beside = match self {
            Self::Goodput => vec![time(entry.cpu_ns)],
            Self::Beside { .. } => vec![self.rate_per_s(entry).map(rate)],
            Self::Steady => vec![time(entry.cold_ns), time(entry.cpu_ns)],
        };
        let own = [Some(first)].into_iter().chain(beside).chain([entry.memory_bytes.map(bytes)]);
        let cells: Vec<Option<String>> = before.into_iter().chain(own).chain(behind).collect();
        TableRow { reason, ..TableRow::from(cells) }
    }
}

/// Words that stand below a chart, as a sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}
