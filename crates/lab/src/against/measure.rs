//! The course of it: both sides are warmed up, then loaded in turn, block by block.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use velo_load::{Arrivals, GeneratorError, Schedule, WindowReport, WindowSettings};
use velo_record::{AgainstBlock, Outcomes};
use velo_stats::batch_of;

use super::options::{AgainstMeasured, AgainstOptions, AgainstSoFar, SideOptions};
use super::others::Others;
use super::side::{self, Side};
use crate::course::lane::Lengths;
use crate::host::machine::{Host, Machine};
use crate::host::network::Network;
use crate::sides::load_side::{LoadSide, LocalLoad};

/// A side to which no connection can be opened for so long from its beginning on ends it all.
const GIVE_UP_NS: u64 = 1_000_000_000;
/// Beside the timeout, the engine's own last steps.
const BESIDE_TIMEOUT_NS: u64 = 1_000_000_000;

/// Loads two services in turn. A side ends it when no connection to it can be opened.
///
/// # Errors
/// When the generator cannot work on this machine.
pub fn against(
    options: AgainstOptions,
    told: &mut dyn FnMut(&AgainstSoFar),
) -> Result<AgainstMeasured, GeneratorError> {
    let mut load = LocalLoad::new(&options.cpus, options.driver, Network::default())?;
    measure(options, &mut load, &Machine::new(Network::default()), told)
}

pub(super) fn measure(
    options: AgainstOptions,
    load: &mut dyn LoadSide,
    host: &dyn Host,
    told: &mut dyn FnMut(&AgainstSoFar),
) -> Result<AgainstMeasured, GeneratorError> {
    let AgainstOptions { cpus, driver: _, sides, window, warm_up_ns, duration_ns, stop } = options;
    let [a, b] = sides;
    let mut side = |side: SideOptions| Ok::<_, GeneratorError>(Side::new(load.add(&side.target)?, side));
    let mut sides = [side(a)?, side(b)?];
    let others = Others::new(host, &cpus);
    let mut course = Course { load, stop: &stop, window, driver: None };
    told(&AgainstSoFar { blocks: 0, planned: 0, correct_per_s: [0.0; 2] });
    let mut planned = 0;
    let mut blocks = Vec::new();
    if course.warm_up(&mut sides, warm_up_ns)? {
        planned = planned_blocks(duration_ns, &sides);
        for number in 0..planned {
            let batch_at = |number: u32| batch_of(number as usize, planned as usize);
            let batch = batch_at(number);
            if number > 0 && batch > batch_at(number - 1) && !course.reconnect(&mut sides, batch)? {
                break;
            }
            let is_last = number + 1 == planned || batch_at(number + 1) > batch;
            let place = Place { number, batch, is_last };
            let Some(block) = course.block(&mut sides, &others, place)? else { break };
            blocks.push(block);
            let correct_per_s = [sides[0].correct_per_s(), sides[1].correct_per_s()];
            told(&AgainstSoFar { blocks: number + 1, planned, correct_per_s });
        }
    }
    let driver = course.driver;
    let tls = [sides[0].tls, sides[1].tls];
    Ok(AgainstMeasured {
        driver,
        interrupted: stop.load(Ordering::Relaxed),
        planned_blocks: planned,
        sides: sides.map(Side::into_record),
        tls,
        blocks,
    })
}

/// Whether all requests failed for want of a connection.
fn is_unreached(outcomes: &Outcomes) -> bool {
    outcomes.correct == 0 && outcomes.connect_error > 0 && outcomes.connect_error == outcomes.failed()
}

/// As many as the side with the longer windows has room for.
fn planned_blocks(duration_ns: u64, sides: &[Side; 2]) -> u32 {
    let longest_ns = sides.iter().map(|side| side.lengths.window_ns).max().unwrap_or(1).max(1);
    u32::try_from(duration_ns.div_ceil(longest_ns)).unwrap_or(u32::MAX).max(1)
}

/// Where a block stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    number: u32,
    batch: usize,
    /// Of its batch: connections are closed behind it.
    is_last: bool,
}

struct Course<'a> {
    load: &'a mut dyn LoadSide,
    stop: &'a Arc<AtomicBool>,
    window: WindowSettings,
    driver: Option<&'static str>,
}

impl Course<'_> {
    fn is_open(&self) -> bool {
        matches!(self.window.schedule, Schedule::Open(_))
    }

    /// Loads both, and finds how long their windows must be. False where nothing is to follow.
    fn warm_up(&mut self, sides: &mut [Side; 2], warm_up_ns: u64) -> Result<bool, GeneratorError> {
        for side in sides.iter_mut() {
            let settings = WindowSettings {
                settling_ns: 0,
                duration_ns: warm_up_ns,
                drain_limit_ns: self.window.timeout_ns.saturating_add(BESIDE_TIMEOUT_NS),
                give_up_unreached_ns: Some(GIVE_UP_NS),
                ..self.window.clone()
            };
            let report = self.loaded(side, &settings)?;
            side.note(&report.tally);
            side.gave_up = report.tally.gave_up || is_unreached(&report.tally.outcomes);
            if report.interrupted || side.gave_up {
                return Ok(false);
            }
            side.lengths = self.lengths(&report);
        }
        Ok(true)
    }

    /// Opens other connections to both, B's first in every other batch, and warms them up with a window that does not
    /// count. False where it was asked to end.
    fn reconnect(&mut self, sides: &mut [Side; 2], batch: usize) -> Result<bool, GeneratorError> {
        for which in if batch.is_multiple_of(2) { [0, 1] } else { [1, 0] } {
            let side = &mut sides[which];
            self.load.remove(side.number);
            side.number = self.load.add(&side.target)?;
            let settings = self.window_of(side, Place { number: u32::MAX, batch: 0, is_last: false });
            let report = self.loaded(side, &settings)?;
            side.note(&report.tally);
            if report.interrupted {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// As in a run: at a stated rate fixed, else by the rate that was seen, whatever the answers were.
    fn lengths(&self, report: &WindowReport) -> Lengths {
        let outcomes = &report.tally.outcomes;
        let answers = outcomes.correct.saturating_add(outcomes.failed());
        let in_flight = self.window.connections.saturating_mul(self.window.pipelining);
        match answers {
            _ if self.is_open() => Lengths::stated(),
            0 => Lengths::unanswered(self.window.timeout_ns),
            answers => Lengths::of(answers as f64 / (report.duration_ns.max(1) as f64 / 1e9), in_flight),
        }
    }

    /// One window of each, A first in every other block. `None` when it was asked to end.
    fn block(
        &mut self,
        sides: &mut [Side; 2],
        others: &Others<'_>,
        place: Place,
    ) -> Result<Option<AgainstBlock>, GeneratorError> {
        let a_first = place.number.is_multiple_of(2);
        let order = if a_first { [0, 1] } else { [1, 0] };
        let (began, stretch) = (Instant::now(), others.begin());
        let before = [sides[0].snapshot(), sides[1].snapshot()];
        let mut windows = [None, None];
        for which in order {
            let side = &mut sides[which];
            let settings = self.window_of(side, place);
            let used_before = side.snapshot();
            let report = self.loaded(side, &settings)?;
            if report.interrupted {
                return Ok(None);
            }
            let cpu_ns = side.used_ns(used_before.as_ref());
            windows[which] = Some((side::window(&report, cpu_ns), report));
        }
        let elapsed_ns = began.elapsed().as_nanos() as u64;
        let [Some((a, of_a)), Some((b, of_b))] = windows else { return Ok(None) };
        // Both may be of the same processes, whose time counts once here.
        let is_told_apart = sides.iter().all(Side::is_told_apart);
        let used = [sides[0].used_ns(before[0].as_ref()), sides[1].used_ns(before[1].as_ref())];
        let services_ns = match used {
            [Some(a), Some(b)] if before[0] == before[1] => a.max(b),
            used => used.into_iter().flatten().fold(0, u64::saturating_add),
        };
        let taken_ns = stretch.filter(|_| is_told_apart);
        let taken_ns = taken_ns.and_then(|stretch| others.taken_ns(&stretch, services_ns));
        let is_open = self.is_open();
        for (side, report) in sides.iter_mut().zip([&of_a, &of_b]) {
            side.note(&report.tally);
            side.add(report, is_open, place.batch);
        }
        Ok(Some(AgainstBlock { batch: place.batch as u32, a_first, a, b, elapsed_ns, taken_ns }))
    }

    fn window_of(&self, side: &Side, place: Place) -> WindowSettings {
        let fully_ns = self.window.timeout_ns.saturating_add(BESIDE_TIMEOUT_NS);
        let schedule = match &self.window.schedule {
            // Other arrivals in each block, and the same for both sides.
            Schedule::Open(arrivals) => Schedule::Open(Arrivals {
                seed: arrivals.seed.wrapping_add(u64::from(place.number) + 1),
                ..arrivals.clone()
            }),
            closed @ Schedule::Closed { .. } => closed.clone(),
        };
        WindowSettings {
            settling_ns: side.lengths.settling_ns,
            duration_ns: side.lengths.window_ns,
            // What never comes is counted in the last one.
            drain_limit_ns: if place.is_last { fully_ns } else { side.lengths.drain_limit_ns() },
            schedule,
            ..self.window.clone()
        }
    }

    fn loaded(&mut self, side: &Side, settings: &WindowSettings) -> Result<WindowReport, GeneratorError> {
        let report = self.load.window(side.number, settings, None, self.stop)?;
        self.driver = Some(report.driver);
        Ok(report)
    }
}
