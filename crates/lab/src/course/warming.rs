//! Warm-up: learnt in the first launch, replayed in the others.

use std::rc::Rc;
use std::time::Duration;

use rand::Rng as _;
use velo_model::PartyRole;
use velo_record::{GroupRate, WarmUpRecord};

use crate::LabError;
use crate::course::backlog::answers;
use crate::course::lane::{Learnt, Lengths, Track};
use crate::course::launches::Launches;
use crate::course::order::Place;
use crate::course::rig::Rig;
use crate::course::steady::{LEAST_WINDOWS, Warmer, is_steady, level_from};
use crate::course::window::{Paced, WindowSpec, WindowTask};

/// Of the source's own load.
const PUBLISHED_WARM_UP: Duration = Duration::from_secs(15);
/// Unless `--warm-up` says more.
const LONGEST_WARM_UP: Duration = Duration::from_secs(30);
/// The share of the budget that the warm-ups of one launch may take together. Those that are steady sooner leave their time to the
/// others.
const BUDGETS_PER_LAUNCH: u32 = 10;
/// What a learnt warm-up may take in the launches after the first, over what it took there.
const REPLAYED: f64 = 1.5;
const REPLAYED_BESIDE: Duration = Duration::from_millis(200);
/// What is replayed of a warm-up, over what it took until it was at its level.
const SPARE: f64 = 1.3;
/// Windows at that level which are replayed at the least: blocks are held against them.
const LEVEL_WINDOWS: usize = 10;
const QUICK_WARM_UP: Duration = Duration::from_secs(1);
/// Windows of a closed loop in the longest warm-up that a workload names, at most.
const WINDOWS_OF_LONGEST: u64 = 120;
/// A contender that uses this share of its CPUs has none to spare.
const BUSY: f64 = 0.9;
/// One that answers less than this share of a stated rate does not keep up with it.
const KEEPS_UP: f64 = 0.9;

/// How far one workload of a contender has come in its warm-up.
#[derive(Default)]
struct Warming {
    track: usize,
    cap: Duration,
    least_window_ns: u64,
    rates: Vec<f64>,
    paces: Vec<f64>,
    requests: u64,
    /// In its own windows.
    spent: Duration,
    /// What each window had reached.
    so_far: Vec<(u64, Duration)>,
    is_warm: bool,
}

impl Launches {
    /// Warms a contender up on its workloads, a window of each in turn as in blocks: compilers that see one kind of load after the other
    /// may take back at each change what they took for granted. It ends when all are warm at the same time, or at the sum of their caps.
    pub(crate) fn warm_up(&mut self, rig: &mut Rig<'_>, index: usize) -> Result<(), LabError> {
        let mut all: Vec<Warming> =
            (0..self.lanes[index].tracks.len()).map(|track| self.warming(rig, index, track)).collect();
        let cap: Duration = all.iter().map(|own| own.cap).sum();
        loop {
            for own in &mut all {
                if rig.stopped() || !self.warm_up_window(rig, index, own)? {
                    return Ok(());
                }
            }
            let spent: Duration = all.iter().map(|own| own.spent).sum();
            if all.iter().all(|own| own.is_warm) || spent >= cap {
                break;
            }
        }
        let lane = &mut self.lanes[index];
        for own in all {
            let track = &mut lane.tracks[own.track];
            if track.learnt.is_none() {
                let shown = shown(&own.rates, &own.paces, track.stated_per_s).0;
                track.learnt = to_be_replayed(&own.so_far, own.is_warm.then(|| level_from(shown)));
            }
            let workload = rig.file.workloads[track.workload].name.clone();
            if let Some(launch) = rig.context.records[lane.record].launches.last_mut() {
                launch.warm_up.push(WarmUpRecord {
                    workload,
                    windows: own.rates.len() as u32,
                    requests: own.requests,
                    duration_ns: own.spent.as_nanos() as u64,
                    steady: own.is_warm,
                });
            }
        }
        Ok(())
    }

    fn warming(&self, rig: &Rig<'_>, index: usize, track: usize) -> Warming {
        let cap = self.warm_up_cap(rig, index, track);
        Warming {
            track,
            cap,
            least_window_ns: self.least_window_ns(rig, self.lanes[index].tracks[track].workload, cap),
            ..Warming::default()
        }
    }

    /// `false` when the contender has no processes any more, or the run was asked to end.
    fn warm_up_window(
        &mut self,
        rig: &mut Rig<'_>,
        index: usize,
        own: &mut Warming,
    ) -> Result<bool, LabError> {
        let clock = Rc::clone(&rig.context.clock);
        let began = clock.now();
        let launch = self.course.launch;
        let cpus = rig.file.placement.cpus(PartyRole::Contender).len();
        let Some(life) = &self.lanes[index].life else { return Ok(false) };
        let is_cold = life.is_cold;
        let &Track { workload, lengths, learnt, stated_per_s, .. } = &self.lanes[index].tracks[own.track];
        let paced = stated_per_s.map(|rate_per_s| Paced {
            rate_per_s,
            purpose: GroupRate::PURPOSE,
            seed: self.random.next_u64(),
        });
        let spec = WindowSpec {
            place: Place { lane: index, track: own.track, workload },
            task: if is_cold { WindowTask::Cold(paced) } else { WindowTask::WarmUp(paced) },
            launch,
            block: 0,
            position: 0,
            settling_ns: 0,
            duration_ns: lengths.warm_up_ns.max(own.least_window_ns).min(own.cap.as_nanos() as u64),
            drains_fully: false,
            ends_block: true,
        };
        let Some(window) = self.window(rig, &spec)? else { return Ok(false) };
        let answers = answers(&window);
        own.requests += answers;
        own.spent += clock.since(began);
        own.so_far.push((own.requests, own.spent));
        let took_ns = window.loaded_ns();
        let rate = answers as f64 * 1e9 / took_ns as f64;
        own.rates.push(rate);
        own.paces.push(match window.cpu_total_ns(PartyRole::Contender).filter(|_| stated_per_s.is_some()) {
            Some(used_ns) => {
                let had_ns = took_ns as f64 * cpus as f64;
                pace_at_a_rate(window.cpu_per_request_ns(), used_ns as f64 / had_ns)
            }
            None => rate,
        });
        if launch == 1 {
            let generator_cpus = rig.file.placement.cpus(PartyRole::Generator).len();
            let generator_had_ns = window.duration_ns as f64 * generator_cpus as f64;
            let generator_used_ns = window.cpu_ns(PartyRole::Generator);
            let lately = &own.rates[own.rates.len().saturating_sub(5)..];
            let rate = lately.iter().sum::<f64>() / lately.len() as f64;
            let track = &mut self.lanes[index].tracks[own.track];
            if track.stated_per_s.is_none() {
                track.lengths = Lengths::of(rate, track.most_in_flight());
            }
            track.rate_per_s = Some(rate);
            track.generator_busy = generator_used_ns.map(|used_ns| used_ns as f64 / generator_had_ns);
        }
        own.is_warm = match learnt {
            Some(learnt) => own.requests >= learnt.requests && own.spent >= learnt.duration,
            None => is_warm(&own.rates, &own.paces, stated_per_s),
        };
        Ok(true)
    }

    /// In a closed loop of a workload that names its longest warm-up, windows are a share of it, so that what changes over seconds is seen.
    fn least_window_ns(&self, rig: &Rig<'_>, workload: usize, cap: Duration) -> u64 {
        let load = &rig.file.workloads[workload].load;
        let is_long = load.warm_up_s.is_some() && load.rate_per_s.is_none();
        if is_long { cap.as_nanos() as u64 / WINDOWS_OF_LONGEST } else { 0 }
    }

    /// What `--warm-up` says; in later launches what was learnt in the first; the workload's own, less in proportion where there is
    /// less than its budget, but not less than an equal part of what the warm-ups before it have left of a tenth of the budget; else that.
    fn warm_up_cap(&self, rig: &Rig<'_>, index: usize, track: usize) -> Duration {
        if let Some(cap) = rig.options.warm_up {
            return cap;
        }
        if rig.options.quick {
            return QUICK_WARM_UP;
        }
        if rig.options.as_published {
            return PUBLISHED_WARM_UP;
        }
        let track = &self.lanes[index].tracks[track];
        if let Some(learnt) = track.learnt {
            return learnt.duration.mul_f64(REPLAYED) + REPLAYED_BESIDE;
        }
        let budget = rig.options.budget;
        let load = &rig.file.workloads[track.workload].load;
        let (done, spent) = self.warmed(rig);
        let all: usize = self.lanes.iter().map(|lane| lane.tracks.len()).sum();
        let left = u32::try_from(all.saturating_sub(done)).unwrap_or(u32::MAX).max(1);
        let equal_part = (budget / BUDGETS_PER_LAUNCH).saturating_sub(spent) / left;
        longest(load.warm_up_s.zip(load.budget_s), budget, equal_part)
    }

    /// How many warm-ups this launch has had, and what they took.
    fn warmed(&self, rig: &Rig<'_>) -> (usize, Duration) {
        let launch = self.course.launch;
        let launches = rig.context.records.iter().filter_map(|record| record.launches.last());
        let of_this = launches.filter(|own| own.launch == launch).flat_map(|own| &own.warm_up);
        of_this.fold((0, Duration::ZERO), |(done, spent), warm_up| {
            (done + 1, spent + Duration::from_nanos(warm_up.duration_ns))
        })
    }
}

/// Of a workload that names its longest warm-up and the budget which that is for, in seconds: as much, less in proportion where there is
/// less, and an equal part of it at least, since that budget is for all of the default set and a few can have more of a smaller one.
fn longest(named_s: Option<(u32, u32)>, budget: Duration, equal_part: Duration) -> Duration {
    let Some((warm_up_s, budget_s)) = named_s else { return LONGEST_WARM_UP.min(equal_part) };
    let longest = Duration::from_secs(u64::from(warm_up_s));
    let share = budget.as_secs_f64() / f64::from(budget_s.max(1));
    longest.mul_f64(share.min(1.0)).max(equal_part).min(longest)
}

/// What later launches repeat of a warm-up, of which this is what each window had reached: all of it where it never came to rest; else
/// what it took to its level (`level_from`: the first window there), with some to spare, and some windows at that level. What only
/// showed that it was level is left out.
fn to_be_replayed(so_far: &[(u64, Duration)], level_from: Option<usize>) -> Option<Learnt> {
    let &whole = so_far.last()?;
    let Some(level_from) = level_from else {
        return Some(Learnt { requests: whole.0, duration: whole.1, beside: Duration::ZERO });
    };
    let before = level_from.checked_sub(1).and_then(|last| so_far.get(last)).copied().unwrap_or_default();
    let level = so_far.get(level_from + LEVEL_WINDOWS - 1).copied().unwrap_or(whole);
    let requests = level.0.max((before.0 as f64 * SPARE) as u64).min(whole.0);
    let duration = level.1.max(before.1.mul_f64(SPARE)).min(whole.1);
    Some(Learnt { requests, duration, beside: whole.1.saturating_sub(duration) })
}

/// Whether a warm-up may end. At a stated rate the last `paces` hold still (how busy it was shows whether more is to come), or the rates
/// where a contender stays behind the load though it has CPU time to spare: that is as far as it gets.
fn is_warm(rates: &[f64], paces: &[f64], stated_per_s: Option<f64>) -> bool {
    let (values, warmer) = shown(rates, paces, stated_per_s);
    let lately = if stated_per_s.is_some() { values.len().saturating_sub(LEAST_WINDOWS) } else { 0 };
    is_steady(&values[lately..], warmer)
}

/// Of the windows of a warm-up, what shows how warm it is.
fn shown<'w>(rates: &'w [f64], paces: &'w [f64], stated_per_s: Option<f64>) -> (&'w [f64], Warmer) {
    let (Some(stated_per_s), Some(start)) = (stated_per_s, rates.len().checked_sub(LEAST_WINDOWS)) else {
        return (rates, Warmer::Higher);
    };
    let rate = rates[start..].iter().sum::<f64>() / LEAST_WINDOWS as f64;
    let stays_behind = rate < KEEPS_UP * stated_per_s && paces[start..].iter().all(|pace| !pace.is_nan());
    if stays_behind { (rates, Warmer::Higher) } else { (paces, Warmer::Lower) }
}

/// What shows in an open loop how warm a contender is: CPU time per request, since its rate is that of the load from the start. Not a
/// number in a window without an answer, and in one that kept the CPUs busy: compilers that take all that the requests leave make a
/// level of their own.
fn pace_at_a_rate(cpu_per_request_ns: Option<f64>, used_share: f64) -> f64 {
    cpu_per_request_ns.filter(|_| used_share < BUSY).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_showed_that_a_level_was_reached_is_not_replayed() {
        let reached = |windows: u64| {
            let of = |window| (100 * window, Duration::from_millis(20 * window));
            (1..=windows).map(of).collect::<Vec<_>>()
        };
        let replayed = |windows, level_from| {
            let Learnt { requests, duration, beside } = to_be_replayed(&reached(windows), level_from)?;
            Some((requests, duration.as_millis(), beside.as_millis()))
        };
        assert_eq!(replayed(80, Some(40)), Some((5_200, 1_040, 560)), "with a third to spare");
        assert_eq!(replayed(40, Some(5)), Some((1_500, 300, 500)), "with ten windows at the level");
        assert_eq!(replayed(15, Some(0)), Some((1_000, 200, 100)));
        assert_eq!(replayed(40, Some(36)), Some((4_000, 800, 0)), "not more than it took");
        assert_eq!(replayed(40, None), Some((4_000, 800, 0)), "nobody knows when it would have been level");
        assert_eq!(replayed(3, Some(0)), Some((300, 60, 0)), "a cap within the first windows");
        assert_eq!(replayed(0, None), None);
    }

    #[test]
    fn few_contenders_have_long_warm_ups_of_a_small_budget() {
        let seconds = Duration::from_secs;
        let of = |budget_s, equal_part_s| longest(Some((10, 1000)), seconds(budget_s), seconds(equal_part_s));
        assert_eq!(of(1000, 2), seconds(10), "all of the default set");
        assert_eq!(of(100, 0), seconds(1), "in proportion");
        assert_eq!(of(100, 4), seconds(4), "of few");
        assert_eq!((of(100, 60), of(5000, 60)), (seconds(10), seconds(10)));
        assert_eq!(
            (longest(None, seconds(100), seconds(4)), longest(None, seconds(900), seconds(90))),
            (seconds(4), seconds(30))
        );
    }

    #[test]
    fn at_a_rate_cpu_time_shows_how_warm_a_contender_is() {
        assert_eq!(pace_at_a_rate(Some(200_000.0), 0.2), 200_000.0);
        assert!(pace_at_a_rate(None, 0.2).is_nan(), "no answer");
        assert!(pace_at_a_rate(Some(960_000.0), 0.96).is_nan(), "it had no CPU to spare");
    }

    /// About this level, five windows alike to the next five.
    fn level(level: f64, windows: usize) -> Vec<f64> {
        (0..windows).map(|i| level * (1.0 + 0.02 * [0.0, 1.0, -1.0, 0.5, -0.5][i % 5])).collect()
    }

    #[test]
    fn what_compiles_at_full_tilt_is_not_warm_before_it_has_done_so() {
        let compiling = level(1e6, 60).into_iter().map(|ns| pace_at_a_rate(Some(ns), 0.99));
        let done = level(2e5, 15).into_iter().map(|ns| pace_at_a_rate(Some(ns), 0.2));
        let (rates, paces): (_, Vec<f64>) = (level(1_000.0, 75), compiling.chain(done).collect());
        let end = (1..=75).find(|&end| is_warm(&rates[..end], &paces[..end], Some(1_000.0)));
        assert_eq!(end, Some(75));
        assert!(is_warm(&rates[..15], &rates[..15], None), "in a closed loop the rate shows it");
    }

    #[test]
    fn who_stays_behind_without_using_its_cpus_need_not_get_cheaper() {
        let falling: Vec<f64> = (0..15).map(|i| 4e6 * 0.9_f64.powi(i)).collect();
        assert!(is_warm(&level(40.0, 15), &falling, Some(1_000.0)));
        assert!(!is_warm(&level(1_000.0, 15), &falling, Some(1_000.0)), "it keeps up");
        let busy = vec![f64::NAN; 15];
        assert!(!is_warm(&level(40.0, 15), &busy, Some(1_000.0)), "it may yet keep up");
    }
}
