//! Counts the instructions that the load engine takes for each request, its driver's and the kernel's left out, with
//! valgrind: unlike time they are the same on a busy machine. `scripts/instructions.sh` runs this.

mod count;
mod recorded;

use std::process::ExitCode;

use count::{Measured, measure};
use recorded::Recorded;
use velo_load::bench;
use velo_stats::number::{decimals, percent, signed_percent};

const USAGE: &str =
    "usage: velo-instructions --compare DOCUMENT CONDITIONS | --table CONDITIONS | --run CASE REQUESTS";
/// What a case may take above what is recorded. A few lines of code are less, an allocation or a copy is more.
const MOST_ABOVE: f64 = 0.05;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["--run", case, requests] => run(case, requests),
        ["--table", conditions] => {
            measure_all().map(|measured| print!("{}", recorded::write(&measured, conditions)))
        }
        ["--compare", document, conditions] => compare(document, conditions),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("velo-instructions: {why}");
            ExitCode::FAILURE
        }
    }
}

/// What runs inside valgrind.
fn run(case: &str, requests: &str) -> Result<(), String> {
    let requests = requests.parse().map_err(|_| USAGE.to_owned())?;
    if !bench::CASES.iter().any(|(known, _)| *known == case) {
        return Err(format!("no case {case:?}"));
    }
    match bench::run(case, requests) {
        correct if correct == requests => Ok(()),
        correct => Err(format!("{case}: {correct} of {requests} answers are correct")),
    }
}

fn measure_all() -> Result<Vec<Measured>, String> {
    bench::CASES.iter().map(|(case, _)| measure(case)).collect()
}

/// Conditions are what counts depend on beside the code: compiler, machine, C library.
fn compare(document: &str, conditions: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(document).map_err(|error| format!("{document}: {error}"))?;
    let recorded = Recorded::read(&text).map_err(|why| format!("{document}: {why}"))?;
    let measured = measure_all()?;
    println!("{:<16}{:>12}{:>12}{:>10}", "case", "per request", "recorded", "change");
    let mut above = Vec::new();
    for Measured { case, per_request } in &measured {
        let (was, change) = match recorded.per_request(case) {
            Some(was) => (format!("{was}"), Some(per_request / was as f64 - 1.0)),
            None => ("-".to_owned(), None),
        };
        let shown = change.map_or("-".to_owned(), signed_percent);
        println!("{case:<16}{:>12}{was:>12}{shown:>10}", decimals(*per_request, 0));
        if change.is_none_or(|change| change > MOST_ABOVE) {
            above.push(*case);
        }
    }
    if recorded.conditions != conditions {
        println!("not compared: recorded with {}, and this is {conditions}", recorded.conditions);
        return Ok(());
    }
    if above.is_empty() {
        return Ok(());
    }
    Err(format!(
        "more than {} above {document}, or not in it: {}; make it cheaper, or say in the commit why not and record it \
         with scripts/instructions.sh --record",
        percent(MOST_ABOVE),
        above.join(", ")
    ))
}
