//! What the judge makes of a truth that is known, as `scripts/twins.sh` runs it.
//!
//! `velo-twins RUN ONE TWIN OTHER` reads the run in a folder, in which ONE and TWIN are the same program and OTHER costs more
//! for each request. It judges the whole run, and the disjoint runs of five launches that it can be cut into, and prints how
//! often twins were told apart and the other one was found, as Markdown.

mod spread;
mod table;

use std::error::Error;
use std::path::Path;

use velo_judge::{Judgement, judge};
use velo_record::{Look, Run, read_run};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Launches of each part.
const LAUNCHES: u32 = 5;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, one, twin, other] = arguments.as_slice() else {
        return Err("usage: velo-twins RUN ONE TWIN OTHER".into());
    };
    let run = read_run(Path::new(folder))?;
    let whole = judge(&run.file, &run.windows);
    let launches = run.file.plan.as_ref().map_or(0, |plan| plan.launches);
    let parts: Vec<Judgement> =
        (0..launches / LAUNCHES).map(|part| judge_part(&run, part * LAUNCHES + 1)).collect();
    let names = table::Names { one, twin, other };
    print!("{}", table::markdown(&run, &whole, &parts, &names)?);
    Ok(())
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
