//! `velo load` and its peers on one server, as `make bench` runs them: interleaved rounds, CPU time of the whole process
//! tree per request, ratios round by round. scripts/bench.sh builds what is needed and sets the environment.
//!
//! `velo-bench PART` measures one part and writes its text to standard output; `velo-bench --time PART...` says how long
//! parts take; `velo-bench --floor ...` is a client of the part `floor`, and `velo-bench --floor-h2 ...` one of scripts/bench-h2.sh.

mod bench;
mod compare;
mod floor_client;
mod floor_h2;
mod goals;
mod order;
mod sections;
mod server;
mod settings;
mod statistics;
mod syscalls;
mod table;
mod tools;

use std::error::Error;

use rustix::process::{Resource, getrlimit, setrlimit};

use bench::Bench;
use sections::Section;
use settings::Settings;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match carry_out(&words) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn carry_out(words: &[&str]) -> Outcome<()> {
    match words {
        ["--floor", arguments @ ..] => floor_client::main(arguments),
        ["--floor-h2", arguments @ ..] => floor_h2::main(arguments),
        ["--version"] => {
            println!("velo-bench {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        ["--time", parts @ ..] => {
            let settings = Settings::from_environment()?;
            let sections = parts.iter().map(|part| Section::named(part)).collect::<Outcome<Vec<_>>>()?;
            let seconds: f64 = sections.iter().map(|section| section.expected_seconds(&settings)).sum();
            println!("about {:.0} minutes", (seconds / 60.0).ceil());
            Ok(())
        }
        [part] => {
            let section = Section::named(part)?;
            raise_file_limit()?;
            let text = section.run(&Bench::new(Settings::from_environment()?)?)?;
            print!("{text}");
            Ok(())
        }
        _ => Err("usage: velo-bench PART, or velo-bench --time PART...".into()),
    }
}

/// The tools inherit it, and 1,024 connections need more than many systems give at first.
fn raise_file_limit() -> Outcome<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}
