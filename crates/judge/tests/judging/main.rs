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
use velo_judge::{Judgement, judge};
use velo_record::{RunFile, Window};

/// The `cause` and the `reason` of its state, as they are written.
#[track_caller]
fn cause(judgement: &Judgement, contender: &str) -> (String, String) {
    let state = serde_json::to_value(&row(judgement, contender).state).unwrap();
    let member =
        |name: &str| state[name].as_str().unwrap_or_else(|| panic!("{contender}: {state}")).to_owned();
    (member("cause"), member("reason"))
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
