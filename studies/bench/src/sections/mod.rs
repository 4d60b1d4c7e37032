//! The parts of the comparison; each makes the text between one pair of markers.

mod floor;
mod https;
mod keep_alive;
mod pipelining;
mod start;

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use velo_tests::child::{on_cpu, run};

use crate::Outcome;
use crate::compare::{Figures, Series};
use crate::server::{Reference, Server};
use crate::settings::{LOAD_CPU, SERVER_CPU, Settings, reference_server};
use crate::table;
use crate::tools::{Amount, Job, Tool, VELO, Workload, write_files};

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

/// What the sections share.
pub(crate) struct Bench {
    pub(crate) settings: Settings,
    folder: TempDir,
    reference: String,
}

impl Bench {
    pub(crate) fn new(settings: Settings) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        write_files(folder.path(), settings.seed)?;
        Ok(Self { settings, folder, reference: reference_server()? })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The reference server, ready to begin.
    pub(crate) fn server(&self) -> Reference {
        Reference::new(&self.reference)
    }

    /// The driver that velo, as this tool starts it, uses here; an error when it cannot.
    fn velo_driver(&self, tool: &'static Tool, connections: u32) -> Outcome<&'static str> {
        let mut server = self.server();
        let url = server.begin()?;
        let job = Job {
            workload: Workload::Coin,
            server: &url,
            connections,
            pipelining: 1,
            amount: Amount::OneRequest,
            folder: self.folder(),
        };
        let finished = run(on_cpu(&mut tool.command(&job), LOAD_CPU), Duration::from_secs(30))?;
        let completed = (tool.completed)(&job, &finished)?;
        server.end()?;
        completed.driver.ok_or_else(|| format!("{} has no drivers", tool.name).into())
    }

    /// The lines under a section's tables: how it was measured, by which versions, and which are missing.
    fn footer(&self, tools: &[&'static Tool], rounds: usize) -> String {
        let mut programs: Vec<&Tool> = Vec::new();
        for tool in tools {
            if !programs.iter().any(|known| known.program == tool.program) {
                programs.push(tool);
            }
        }
        let (mut here, mut missing) = (Vec::new(), Vec::new());
        for tool in programs {
            match tool.installed() {
                Some(version) => here.push(version),
                None => missing.push(tool.program.to_owned()),
            }
        }
        let mut text = format!(
            "{rounds} rounds of {} s, order within a round by seed {}; server on CPU {SERVER_CPU}, generator on CPU {LOAD_CPU}; {}.",
            self.settings.seconds,
            self.settings.seed,
            here.join(", "),
        );
        if !missing.is_empty() {
            text.push_str(&format!(" Not installed, so not measured: {}.", table::list(&missing)));
        }
        text.push('\n');
        text
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
