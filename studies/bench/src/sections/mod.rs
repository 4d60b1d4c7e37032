//! The parts of the comparison; each makes the text between one pair of markers.

mod floor;
mod https;
mod keep_alive;
mod pipelining;
mod start;

use crate::Outcome;
use crate::bench::Bench;
use crate::compare::{Figures, Series};
use crate::settings::Settings;
use crate::table;
use crate::tools::{Tool, VELO, Workload};

/// What starting and ending a server and a tool costs beside the load, in seconds.
const OVERHEAD_S: f64 = 0.4;

/// A part of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Coin,
    User,
    Pipelining,
    Https,
    Start,
    Floor,
}

impl Section {
    const ALL: [(&'static str, Self); 6] = [
        ("coin", Self::Coin),
        ("user", Self::User),
        ("pipelining", Self::Pipelining),
        ("https", Self::Https),
        ("start", Self::Start),
        ("floor", Self::Floor),
    ];

    pub(crate) fn named(name: &str) -> Outcome<Self> {
        let names = Self::ALL.map(|(name, _)| name).join(", ");
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, section)| section).ok_or_else(|| format!("no part {name:?}; there are {names}").into())
    }

    /// About how long it takes.
    pub(crate) fn expected_seconds(self, settings: &Settings) -> f64 {
        let each = f64::from(settings.seconds) + OVERHEAD_S;
        let runs = match self {
            Self::Coin => keep_alive::runs(Workload::Coin, settings),
            Self::User => keep_alive::runs(Workload::User, settings),
            Self::Pipelining => pipelining::runs(settings),
            Self::Https => https::runs(settings),
            Self::Start => start::runs(),
            Self::Floor => floor::runs(settings),
        };
        runs as f64 * each
    }

    /// Measures, and returns its text.
    pub(crate) fn run(self, bench: &Bench) -> Outcome<String> {
        match self {
            Self::Coin => keep_alive::run(Workload::Coin, bench),
            Self::User => keep_alive::run(Workload::User, bench),
            Self::Pipelining => pipelining::run(bench),
            Self::Https => https::run(bench),
            Self::Start => start::run(bench),
            Self::Floor => floor::run(bench),
        }
    }
}

/// Those that can be run here.
fn installed(tools: &[&'static Tool]) -> Vec<&'static Tool> {
    tools.iter().copied().filter(|tool| tool.installed().is_some()).collect()
}

/// velo's CPU per request against a tool's: the figure in words, and whether it passes; `None` when it is missing.
fn cpu_ratio(
    label: &str,
    all: &[Series],
    tool: &Tool,
    passes: impl Fn(crate::statistics::Ratio) -> Option<bool>,
) -> (String, Option<bool>) {
    let named = |name: &str| all.iter().find(|series| series.tool.name == name);
    let ratio = named(VELO.name).zip(named(tool.name)).and_then(|(a, b)| a.ratio_to(b, Figures::cpu_us));
    match ratio {
        Some(ratio) => (format!("{}{label}", table::ratio(ratio)), passes(ratio)),
        None => (format!("no figure{label}"), None),
    }
}

/// Whether the whole interval lies below 1.
fn interval_below_1(ratio: crate::statistics::Ratio) -> Option<bool> {
    ratio.interval.map(|(_, high)| high < 1.0)
}
