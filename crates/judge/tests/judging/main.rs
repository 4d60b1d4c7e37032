//! Simulated runs with known effects, and what is said of them.

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod claims;
mod connections;
mod cpus;
mod limits;
mod ranks;
mod runs;
mod strictness;
mod tax;

use crate::common::{name, row};
use velo_fixtures::{Simulated, Simulation};
use velo_judge::{Cause, Judgement, RowState, judge};
use velo_record::{RunFile, Window};

fn cause(judgement: &Judgement, contender: &str) -> (Cause, String) {
    match &row(judgement, contender).state {
        RowState::NotRanked { cause, reason } => (*cause, reason.clone()),
        other => panic!("{contender}: {other:?}"),
    }
}

fn of<'w>(windows: &'w mut [Window], contender: &str) -> impl Iterator<Item = &'w mut Window> {
    let contender = name(contender);
    windows.iter_mut().filter(move |window| window.contender == contender)
}

fn three() -> Simulation {
    Simulation::new(vec![
        Simulated::new("ruby/rack-thin", 8_000.0).coin(),
        Simulated::new("go/net-http", 48_000.0).coin(),
        Simulated::new("js/fastify", 30_000.0).coin(),
    ])
}

fn judged(simulation: &Simulation, change: impl FnOnce(&mut RunFile, &mut Vec<Window>)) -> Judgement {
    let (mut file, mut windows) = simulation.run();
    change(&mut file, &mut windows);
    judge(&file, &windows)
}

fn unchanged(simulation: &Simulation) -> Judgement {
    judged(simulation, |_, _| {})
}
