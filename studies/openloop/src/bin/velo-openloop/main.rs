//! Open loops compared with what an ideal client must see, as `scripts/openloop.sh` runs it.
//!
//! - `velo-openloop run VELO SERVER FOLDER` loads the paced server by each tool in turn, and writes one line a run to
//!   `FOLDER/runs.ndjson`. `RUNS` (5), `PEER_RUNS` (as `RUNS`), `SECONDS_EACH` (30) and `TOOLS` (all, by name, with
//!   commas) may be set in the environment.
//!   With `PROTOCOL=h2c` all speak HTTP/2, one request at once on each connection, at the higher rate only.
//! - `velo-openloop table FOLDER` judges those lines and prints the table.
//! - `velo-openloop bare PROTOCOL PORT PER_S SECONDS` is the client that measures the floor.
//! - `velo-openloop sleep PER_S SECONDS` only sleeps as often as a request is due: the floor of the generator's CPU time.

mod bare;
mod bare_wire;
mod canary;
mod cell;
mod figures;
mod judge;
mod plan;
mod protocol;
mod record;
mod server;
mod sleeper;
mod table;
mod tools;

use std::error::Error;
use std::path::Path;

use protocol::Protocol;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Connections of every load.
pub(crate) const CONNECTIONS: u32 = 64;
pub(crate) const SERVER_CPU: usize = 0;
pub(crate) const LOAD_CPU: usize = 1;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["run", velo, server, folder] => plan::run(velo, Path::new(server), Path::new(folder)),
        ["table", folder] => {
            print!("{}", table::markdown(&record::read(&record::file(Path::new(folder)))?));
            Ok(())
        }
        ["bare", protocol, port, per_s, seconds] => {
            bare::run(Protocol::named(protocol)?, port.parse()?, per_s.parse()?, seconds.parse()?)
        }
        ["sleep", per_s, seconds] => sleeper::run(per_s.parse()?, seconds.parse()?),
        _ => Err("usage: velo-openloop run VELO SERVER FOLDER | table FOLDER | bare PROTOCOL PORT PER_S \
                  SECONDS | \
                  sleep PER_S SECONDS"
            .into()),
    }
}
