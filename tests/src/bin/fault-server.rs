//! A server with one fault, for trying clients by hand: `fault-server FAULT [OPTION=VALUE ...]`. Faults of HTTP/2 (by prior
//! knowledge) and gRPC are among them.
//!
//! The first line on standard output says where it listens. SIGUSR1 prints what it has done so far as a line of JSON;
//! SIGTERM and SIGINT print it and end the server.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;
use velo_tests::faults::{Fault, FaultServer, Row, Tuning};
use velo_tests::faults_h2::{self, Server};

const HELP: &str = "usage: fault-server FAULT [OPTION=VALUE ...]
options: listen=ADDRESS:PORT      127.0.0.1:0; of HTTP/2 and gRPC the only one
         delay-every=N            50, for delay
         delay-ms=MS              5, for delay
         freeze-every-ms=MS       2500, for freeze
         freeze-ms=MS             200, for freeze
         bytes-per-s=N            1000000, of each connection, for bandwidth
         outage-ms=MS             1000, for outage
faults:";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match parse(&arguments).map_err(|what| format!("{what}\n{}", help())).and_then(|asked| serve(&asked)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("fault-server: {what}");
            ExitCode::from(2)
        }
    }
}

enum Which {
    Http1(Fault),
    Http2(faults_h2::Fault),
}

struct Asked {
    fault: Which,
    address: SocketAddr,
    tuning: Tuning,
}

fn help() -> String {
    let line = |row: &Row| format!("\n  {:3} {:20} {}", row.row, row.name, row.title);
    let line_h2 = |row: &faults_h2::Row| format!("\n  {:3} {:28} {}", row.number, row.name, row.does);
    let lines = Fault::ALL.iter().map(line).chain(["\nfaults of HTTP/2 and gRPC:".to_owned()]);
    lines.chain(faults_h2::ALL.iter().map(line_h2)).fold(HELP.to_owned(), |text, line| text + &line)
}

fn parse(arguments: &[String]) -> Result<Asked, String> {
    let (name, options) = arguments.split_first().ok_or("which fault?")?;
    let fault = match (Fault::named(name), faults_h2::named(name)) {
        (Some(row), _) => Which::Http1(row.fault),
        (None, Some(row)) => Which::Http2(row.fault),
        (None, None) => return Err(format!("no fault `{name}`")),
    };
    let mut asked = Asked { fault, address: ([127, 0, 0, 1], 0).into(), tuning: Tuning::default() };
    for option in options {
        let (key, value) = option.split_once('=').ok_or_else(|| format!("`{option}` is not OPTION=VALUE"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{key}: `{value}` is not a number"));
        let millis = || number().map(Duration::from_millis);
        if key != "listen" && matches!(asked.fault, Which::Http2(_)) {
            return Err(format!("{key}: `{name}` has no option but listen"));
        }
        let tuning = &mut asked.tuning;
        match key {
            "listen" => {
                let expected = format!("listen: `{value}` is not ADDRESS:PORT");
                asked.address = value.parse().map_err(|_| expected)?;
            }
            "delay-every" => tuning.delay_every = number()?,
            "delay-ms" => tuning.delay = millis()?,
            "freeze-every-ms" => tuning.freeze_every = millis()?,
            "freeze-ms" => tuning.freeze = millis()?,
            "bytes-per-s" => tuning.bytes_per_s = number()?,
            "outage-ms" => tuning.outage = millis()?,
            _ => return Err(format!("no option `{key}`")),
        }
    }
    Ok(asked)
}

fn serve(asked: &Asked) -> Result<(), String> {
    let signals = Signals::new([SIGINT, SIGTERM, SIGUSR1]).map_err(|error| error.to_string())?;
    let failed = |error: std::io::Error| format!("cannot listen on {}: {error}", asked.address);
    match asked.fault {
        Which::Http1(fault) => {
            let server = FaultServer::start_at(asked.address, fault, asked.tuning).map_err(failed)?;
            tell(server.address(), signals, || print(&server.truth()))?;
            print(&server.finish())
        }
        Which::Http2(fault) => {
            let server = Server::start_at(asked.address, fault).map_err(failed)?;
            tell(server.address(), signals, || print(&server.truth()))?;
            print(&server.finish())
        }
    }
}

/// Says where it listens, and what it has done whenever that is asked, until it is to end.
fn tell(
    address: SocketAddr,
    mut signals: Signals,
    say: impl Fn() -> Result<(), String>,
) -> Result<(), String> {
    println!("{{\"listening\": \"{address}\"}}");
    for signal in signals.forever() {
        if signal != SIGUSR1 {
            break;
        }
        say()?;
    }
    Ok(())
}

fn print(truth: &impl serde::Serialize) -> Result<(), String> {
    let line = serde_json::to_string(truth).map_err(|error| error.to_string())?;
    println!("{line}");
    Ok(())
}
