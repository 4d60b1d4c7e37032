//! What a run measured of a contender in a workload: one number a launch for each quantity.

use velo_model::{Figure, LoadCondition};
use velo_record::LaunchRecord;

use crate::measure::cell::Cell;
use crate::measure::launch_logs::LaunchLogs;

/// A quantity of a contender, launch by launch.
pub(crate) struct Measured {
    pub(crate) of: Figure,
    pub(crate) under: LoadCondition,
    pub(crate) logs: LaunchLogs,
}

/// Each quantity of a server. `rate_per_s`: the common rate that it was given, where it was given one.
pub(crate) fn measured(cell: &Cell<'_>, rate_per_s: Option<f64>) -> Vec<Measured> {
    let own = LoadCondition::own(cell.workload.load.connections, cell.workload.load.rate_per_s);
    let at_one_rate = rate_per_s.map(|rate_per_s| Measured {
        of: Figure::CpuAtOneRate,
        under: LoadCondition::OpenLoop { rate_per_s },
        logs: cell.logs_at(rate_per_s),
    });
    let under_own = |of, quantity| Measured { of, under: own, logs: cell.logs(quantity) };
    [under_own(Figure::Goodput, Figure::Goodput), under_own(Figure::CpuPerRequest, Figure::CpuPerRequest)]
        .into_iter()
        .chain(at_one_rate)
        .chain(once_a_launch(cell))
        .chain([of_launches(cell, Figure::Memory, |launch| launch.memory_steady_bytes)])
        .collect()
}

/// What is measured once a launch and has no place of its own in a row: its series is made of these numbers alone.
pub(crate) fn once_a_launch(cell: &Cell<'_>) -> Vec<Measured> {
    vec![of_launches(cell, Figure::Startup, |launch| launch.startup_ns)]
}

fn of_launches(cell: &Cell<'_>, of: Figure, figure: fn(&LaunchRecord) -> Option<u64>) -> Measured {
    let launches = cell.record.launches.iter();
    let figures = launches
        .filter_map(|launch| Some((launch.launch, figure(launch).filter(|value| *value > 0)? as f64)));
    Measured { of, under: LoadCondition::None, logs: LaunchLogs::of_figures(&figures.collect()) }
}
