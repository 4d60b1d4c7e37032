//! The lab's reference server: the least work that a correct server of HTTP/1.1 and HTTP/2 can do for a request. One
//! event loop for each CPU, one read and one write for all the requests that a read brought.
#![forbid(unsafe_code)]

mod answers;
mod bet;
mod connection;
mod echo;
mod http1;
mod http2;
mod json;
mod limits;
mod protocol;
mod routes;
mod sources;
mod text;
mod tls;
mod users;
mod worker;
#[cfg(feature = "wrong-answers")]
mod wrong;

use std::env;
use std::io;
use std::net::ToSocketAddrs;
use std::path::PathBuf;
use std::process;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use worker::Worker;

/// How long clients of HTTP/2 have to take the answers that they asked for, once the server is told to end.
const GRACE: Duration = Duration::from_secs(1);

fn main() {
    if let Err(error) = serve() {
        eprintln!("reference-server: {error}");
        process::exit(1);
    }
}

fn serve() -> io::Result<()> {
    let host = variable("HOST")?;
    let port: u16 = number("PORT")?;
    let cores: usize = number("CORES")?;
    let address = (host.as_str(), port)
        .to_socket_addrs()?
        .next()
        .ok_or_else(|| io::Error::other("HOST has no address"))?;
    // Only one workload needs it: without it that one is answered with an error.
    let user_file = PathBuf::from(env::var_os("DATA_DIR").unwrap_or_default()).join("user.json");
    let tls = tls::config()?;
    raise_file_limit()?;
    let mut signals = Signals::new([SIGTERM])?;
    #[cfg(feature = "wrong-answers")]
    wrong::report_at_end_of_input();

    // All listen before the first one answers, or a connection could go to a queue that is not there yet.
    let workers = (0..cores.max(1))
        .map(|_| Worker::new(address, &user_file, tls.clone()))
        .collect::<io::Result<Vec<_>>>()?;
    let ends: Vec<_> = workers.iter().map(Worker::end_event).collect();
    let (running, all_ended) = mpsc::channel::<()>();
    for worker in workers {
        let running = running.clone();
        thread::spawn(move || {
            if let Err(error) = worker.run() {
                eprintln!("reference-server: {error}");
                process::exit(1);
            }
            drop(running);
        });
    }
    drop(running);

    // Nothing else is waited for, so the first one is it.
    signals.forever().next();
    for end in &ends {
        rustix::io::write(&**end, &1_u64.to_ne_bytes())?;
    }
    // It ends with the time or with the last worker, whichever comes first.
    let _ = all_ended.recv_timeout(GRACE);
    emulate_default_handler(SIGTERM)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|error| io::Error::other(format!("{name}: {error}")))
}

fn number<T: std::str::FromStr>(name: &str) -> io::Result<T> {
    variable(name)?.parse().map_err(|_| io::Error::other(format!("{name} is not a number in range")))
}

fn raise_file_limit() -> io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}
