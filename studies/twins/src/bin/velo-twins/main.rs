//! What the judge makes of a truth that is known, as `scripts/twins.sh` runs it.
//!
//! `velo-twins table RUN ONE TWIN OTHER SPIN_NS` reads the run in a folder, in which ONE and TWIN are the same program and OTHER
//! does the same and spins for SPIN_NS at each request. It judges the whole run, and the disjoint runs of five launches that it
//! can be cut into, and prints how often twins were told apart and the other one was found, as Markdown.
//!
//! `velo-twins spread RUN` prints how much each contender's goodput varied within launches and between them.
//!
//! `velo-twins promised RUN` prints the budget that would tell the run's open pair, as it is typed; `velo-twins promise RUN LATER`
//! compares what was promised with what a later run of that budget came to.

mod promise;
mod spread;
mod table;

use std::error::Error;
use std::path::Path;

use velo_judge::{Judgement, judge};
use velo_record::{Look, Run, read_run};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Launches of each part.
const LAUNCHES: u32 = 5;

const USAGE: &str =
    "usage: velo-twins table RUN ONE TWIN OTHER SPIN_NS | spread RUN | promised RUN | promise RUN LATER";

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["table", folder, one, twin, other, spin_ns] => {
            let names = table::Names { one, twin, other };
            print!("{}", known_truth(&read_run(Path::new(folder))?, &names, spin_ns.parse()?)?);
        }
        ["spread", folder] => print!("{}", spread::markdown(&read_run(Path::new(folder))?)),
        ["promised", folder] => println!("{}", promise::budget(&read_run(Path::new(folder))?)?),
        ["promise", folder, later] => {
            let (run, later) = (read_run(Path::new(folder))?, read_run(Path::new(later))?);
            print!("{}", promise::markdown(&run, &later)?);
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

fn known_truth(run: &Run, names: &table::Names<'_>, spin_ns: f64) -> Outcome<String> {
    let whole = judge(&run.file, &run.windows);
    let launches = run.file.plan.as_ref().map_or(0, |plan| plan.launches);
    let parts: Vec<Judgement> =
        (0..launches / LAUNCHES).map(|part| judge_part(run, part * LAUNCHES + 1)).collect();
    table::markdown(run, &whole, &parts, names, spin_ns)
}

/// Judges the launches from this one on as if they were all.
fn judge_part(run: &Run, first: u32) -> Judgement {
    let mut file = run.file.clone();
    if let Some(plan) = &mut file.plan {
        plan.launches = LAUNCHES;
        plan.looks = vec![Look { launch: LAUNCHES, level: velo_stats::LEVEL }];
    }
    let of_part = first..first + LAUNCHES;
    let windows: Vec<_> =
        run.windows.iter().filter(|window| of_part.contains(&window.launch)).cloned().collect();
    for record in &mut file.contenders {
        record.launches.retain(|launch| of_part.contains(&launch.launch));
    }
    judge(&file, &windows)
}
