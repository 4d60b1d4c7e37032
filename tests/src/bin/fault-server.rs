//! A server with one fault, for trying clients by hand: `fault-server FAULT [OPTION=VALUE ...]`.
//!
//! The first line on standard output says where it listens. SIGUSR1 prints what it has done so far as a line of JSON;
//! SIGTERM and SIGINT print it and end the server.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;
use velo_tests::faults::{Fault, FaultServer, Row, Tuning};

const HELP: &str = "usage: fault-server FAULT [OPTION=VALUE ...]
options: listen=ADDRESS:PORT      127.0.0.1:0
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

struct Asked {
    fault: Fault,
    address: SocketAddr,
    tuning: Tuning,
}

fn help() -> String {
    let line = |row: &Row| format!("\n  {:3} {:20} {}", row.row, row.name, row.title);
    Fault::ALL.iter().map(line).fold(HELP.to_owned(), |text, line| text + &line)
}

fn parse(arguments: &[String]) -> Result<Asked, String> {
    let (name, options) = arguments.split_first().ok_or("which fault?")?;
    let fault = Fault::named(name).ok_or_else(|| format!("no fault `{name}`"))?.fault;
    let mut asked = Asked { fault, address: ([127, 0, 0, 1], 0).into(), tuning: Tuning::default() };
    for option in options {
        let (key, value) = option.split_once('=').ok_or_else(|| format!("`{option}` is not OPTION=VALUE"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{key}: `{value}` is not a number"));
        let millis = || number().map(Duration::from_millis);
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
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGUSR1]).map_err(|error| error.to_string())?;
    let server = FaultServer::start_at(asked.address, asked.fault, asked.tuning)
        .map_err(|error| format!("cannot listen on {}: {error}", asked.address))?;
    println!("{{\"listening\": \"{}\"}}", server.address());
    for signal in signals.forever() {
        if signal != SIGUSR1 {
            break;
        }
        print(&server.truth())?;
    }
    print(&server.finish())
}

fn print(truth: &velo_tests::faults::Truth) -> Result<(), String> {
    let line = serde_json::to_string(truth).map_err(|error| error.to_string())?;
    println!("{line}");
    Ok(())
}
