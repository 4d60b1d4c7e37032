//! What is measured where; the environment may change how often and how long.

use std::env;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Outcome;

/// Where the server runs.
pub(crate) const SERVER_CPU: usize = 0;
/// Where the generator runs.
pub(crate) const LOAD_CPU: usize = 1;

/// How often and how long.
#[derive(Debug)]
pub(crate) struct Settings {
    /// `ROUNDS`: how often each tool runs in each cell of a table.
    pub(crate) rounds: usize,
    /// `SECONDS_EACH`: how long one run loads.
    pub(crate) seconds: u32,
    /// `SEED`: of the order within each round.
    pub(crate) seed: u64,
    /// `CONNECTIONS`: only these counts of connections, for a quick look.
    pub(crate) only_connections: Option<Vec<u32>>,
    /// `RUNS_CSV`: where every run leaves a line.
    pub(crate) runs_csv: Option<PathBuf>,
}

impl Settings {
    pub(crate) fn from_environment() -> Outcome<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let settings = Self {
            rounds: variable("ROUNDS")?.unwrap_or(7),
            seconds: variable("SECONDS_EACH")?.unwrap_or(3),
            seed: variable("SEED")?.unwrap_or(now),
            only_connections: match env::var("CONNECTIONS") {
                Ok(list) => {
                    Some(list.split(',').map(|word| parse("CONNECTIONS", word)).collect::<Outcome<_>>()?)
                }
                Err(_) => None,
            },
            runs_csv: env::var_os("RUNS_CSV").map(PathBuf::from),
        };
        if settings.rounds == 0 || settings.seconds == 0 {
            return Err("ROUNDS and SECONDS_EACH must be at least 1".into());
        }
        Ok(settings)
    }

    /// Those of `counts` that are asked for.
    pub(crate) fn connections(&self, counts: &[u32]) -> Vec<u32> {
        let asked = |count: &u32| self.only_connections.as_ref().is_none_or(|only| only.contains(count));
        counts.iter().copied().filter(asked).collect()
    }
}

/// The reference server that answers wrongly now and then.
pub(crate) fn reference_server() -> Outcome<String> {
    env::var("REFERENCE").map_err(|_| "REFERENCE must name the reference server: use scripts/bench.sh".into())
}

fn variable<T: FromStr>(name: &str) -> Outcome<Option<T>> {
    env::var(name).ok().map(|text| parse(name, &text)).transpose()
}

fn parse<T: FromStr>(name: &str, text: &str) -> Outcome<T> {
    text.trim().parse().map_err(|_| format!("{name}: {text:?} is not a number in range").into())
}
