use serde::{Deserialize, Serialize};
use study_openloop::queue::{Delay, Freeze, Model};
use velo_stats::number::thousands;

use crate::CONNECTIONS;
use crate::protocol::Protocol;

const MOST_PER_S: u32 = 20_000;
const MS: u64 = 1_000_000;
const DELAY_NS: u64 = 5 * MS;
const DELAYED_SHARE: f64 = 0.02;
const FREEZE_NS: u64 = 200 * MS;
const FREEZE_EVERY_NS: u64 = 2500 * MS;
/// Of the choice of delayed answers: the server and the simulation delay the same ones.
const SEED: u64 = 1;

/// What the server does to its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    /// Nothing.
    Plain,
    /// Some leave later.
    Delays,
    /// It stands still at times.
    Freezes,
}

/// A rate and what the server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub(crate) per_s: u32,
    pub(crate) mode: Mode,
}

impl Cell {
    /// Those that are measured over a protocol.
    pub(crate) fn of(protocol: Protocol) -> Vec<Self> {
        let mut cells = Self::all();
        if protocol == Protocol::H2c {
            cells.retain(|cell| cell.per_s == MOST_PER_S);
        }
        cells
    }

    pub(crate) fn all() -> Vec<Self> {
        let modes = [Mode::Plain, Mode::Delays, Mode::Freezes];
        [1_000, MOST_PER_S].into_iter().flat_map(|per_s| modes.map(|mode| Self { per_s, mode })).collect()
    }

    pub(crate) fn title(self) -> String {
        let mode = match self.mode {
            Mode::Plain => "plain",
            Mode::Delays => "5 ms more for 2 % of the requests",
            Mode::Freezes => "everything frozen for 200 ms every 2.5 s",
        };
        format!("{}/s, {mode}", thousands(self.per_s.into()))
    }

    /// What the server's command line says of it.
    pub(crate) fn server_arguments(self, protocol: Protocol) -> Vec<String> {
        let words = match self.mode {
            Mode::Plain => vec![],
            Mode::Delays => {
                vec!["--delay".to_owned(), us(DELAY_NS), "--share".to_owned(), DELAYED_SHARE.to_string()]
            }
            Mode::Freezes => {
                vec!["--freeze".to_owned(), us(FREEZE_NS), "--every".to_owned(), us(FREEZE_EVERY_NS)]
            }
        };
        let common = ["--seed", &SEED.to_string(), "--protocol", protocol.name()].map(str::to_owned);
        [common.to_vec(), words].concat()
    }

    /// The queue that a client sees, for a measured server and path.
    pub(crate) fn model(self, service_ns: u64, queued_service_ns: u64, path_ns: u64) -> Model {
        // The server counts from the first request, which arrives one path after its intended start.
        let freeze =
            Freeze { first_ns: path_ns + FREEZE_EVERY_NS / 2, every_ns: FREEZE_EVERY_NS, for_ns: FREEZE_NS };
        let delay = Delay { share: DELAYED_SHARE, for_ns: DELAY_NS, seed: SEED };
        Model {
            connections: CONNECTIONS as usize,
            service_ns,
            queued_service_ns,
            path_ns,
            delay: (self.mode == Mode::Delays).then_some(delay),
            freeze: (self.mode == Mode::Freezes).then_some(freeze),
        }
    }
}

fn us(ns: u64) -> String {
    format!("{}us", ns / 1000)
}
