//! Launches, warm-up, blocks of windows in random order.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use velo_load::{DriverChoice, Generator, Limits, Target};
use velo_record::{LaunchRecord, Plan, RunFile, RunWriter, Stage, WarmUpRecord, Window, WindowKind};

use crate::LabError;
use crate::command::last_line;
use crate::lane::{Lane, Learnt, Lengths, Life, Track, Trouble};
use crate::options::RunOptions;
use crate::planning::{self, Costs};
use crate::prepare::{Stable, Verified, will_not_stop};
use crate::process::tree;
use crate::progress::Event;
use crate::sampling::HostSampler;
use crate::steady::{LEAST_WINDOWS, is_steady};
use crate::translate::translate;
use crate::window::WindowSpec;

/// Switching, probing and writing, beside the load of a window.
const SWITCH_NS: u64 = 6_000_000;
const LONGEST_WARM_UP: Duration = Duration::from_secs(15);
const QUICK_WARM_UP: Duration = Duration::from_secs(1);
/// Each connection may hold an answer of this size, so that a server without end costs megabytes at most.
const LIMITS: Limits = Limits { head_bytes: 32 * 1024, body_bytes: 256 * 1024, interim: 8 };
/// A contender that answers nothing, or leaves requests unanswered, in this many windows in a row is not measured
/// further.
const SILENT_WINDOWS: u32 = 3;
/// A contender whose processes change in this many launches is not measured further.
const EARLY_ENDS: u32 = 2;

/// Everything that measures.
pub(crate) struct Measuring<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) stable: Stable<'a>,
    pub(crate) file: RunFile,
    pub(crate) writer: RunWriter,
    pub(crate) generator: Generator,
    pub(crate) sampler: HostSampler,
    pub(crate) lanes: Vec<Lane>,
    /// CPU time of all contenders, of those that have ended too.
    pub(crate) contenders_cpu_ns: u64,
    pub(crate) epoch: Instant,
    pub(crate) random: ChaCha8Rng,
}

impl<'a> Measuring<'a> {
    pub(crate) fn new(
        options: &'a RunOptions,
        stable: Stable<'a>,
        file: RunFile,
        writer: RunWriter,
        verified: Vec<Verified>,
    ) -> Result<Self, LabError> {
        let generator = Generator::new(&file.placement.load_cpus, DriverChoice::Auto).map_err(|error| {
            LabError::Unfit { what: error.to_string(), cure: "see `velo doctor`".to_owned() }
        })?;
        let lanes = verified
            .into_iter()
            .map(|verified| {
                let contender = stable.records[verified.record].manifest.clone();
                let tracks = file
                    .workloads
                    .iter()
                    .enumerate()
                    .filter(|(_, workload)| contender.workloads.contains(&workload.name))
                    .map(|(index, workload)| Track {
                        workload: index,
                        connections: workload.load.connections,
                        lengths: Lengths::first(),
                        learnt: None,
                    })
                    .collect();
                Lane {
                    record: verified.record,
                    contender,
                    built: verified.built,
                    stop_ns: verified.stop_ns,
                    verified_processes: verified.processes,
                    tracks,
                    life: None,
                    early_ends: 0,
                    silent_windows: 0,
                }
            })
            .collect();
        Ok(Self {
            options,
            stable,
            file,
            writer,
            generator,
            sampler: HostSampler::new(),
            lanes,
            contenders_cpu_ns: 0,
            epoch: Instant::now(),
            random: ChaCha8Rng::seed_from_u64(options.seed),
        })
    }

    /// All launches. Returns when the plan is done, nobody is left, or the run was asked to end.
    pub(crate) fn run(&mut self) -> Result<(), LabError> {
        let began = Instant::now();
        let mut launch = 1;
        let mut launches = None;
        let mut done = 0;
        if let Some(expected) = self.estimate() {
            self.stable.progress.event(&Event::Estimated { expected, contenders: self.lanes.len() });
        }
        while !self.stopped() && !self.lanes.is_empty() && launches.is_none_or(|of| launch <= of) {
            self.stable.progress.event(&Event::LaunchStarted { launch, of: launches });
            self.begin_launch(launch)?;
            if launch == 1 && !self.stopped() {
                let plan = self.plan(began.elapsed());
                launches = Some(plan.launches);
                self.stable.progress.event(&Event::Planned(plan.clone()));
                self.file.plan = Some(plan);
                self.save()?;
            }
            if !self.stopped() {
                self.blocks(launch, began, &mut done)?;
            }
            self.end_launch(launch)?;
            if let Some(of) = launches
                && !self.stopped()
            {
                self.stable.progress.event(&Event::LaunchDone { launch, of });
            }
            launch += 1;
        }
        self.file.timings.measure_ns = began.elapsed().as_nanos() as u64;
        Ok(())
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stable.stop.asked()
    }

    /// Writes `run.json` as things stand.
    pub(crate) fn save(&mut self) -> Result<(), LabError> {
        self.file.contenders.clone_from(&self.stable.records);
        self.writer.update(&self.file)?;
        Ok(())
    }

    /// How long it may take, as far as that is known before anything has been started.
    fn estimate(&self) -> Option<Duration> {
        if self.options.as_published {
            let windows = self.lanes.iter().flat_map(|lane| &lane.tracks).map(|track| self.window_ns(track));
            return Some(Duration::from_nanos(windows.sum()));
        }
        (!self.options.quick).then_some(self.options.budget)
    }

    fn plan(&self, first_launch: Duration) -> Plan {
        let stops: u64 = self.lanes.iter().map(|lane| lane.stop_ns).sum();
        let windows: u64 = self.lanes.iter().map(|lane| lane.tracks.len() as u64).sum();
        let load_ns =
            |track: &Track| track.lengths.settling_ns + self.window_ns(track) + track.lengths.drain_ns;
        let blocks: u64 = self.lanes.iter().flat_map(|lane| &lane.tracks).map(load_ns).sum();
        let costs = Costs {
            launch_ns: first_launch.as_nanos() as u64 + stops,
            block_ns: blocks + windows * SWITCH_NS,
        };
        if self.options.as_published {
            planning::as_published(&costs)
        } else if self.options.quick {
            planning::quick(&costs)
        } else {
            planning::plan(planning::plannable_ns(self.options.budget.as_nanos() as u64), &costs)
        }
    }

    /// Starts and warms up every contender, in random order; those that are not being warmed up are stopped.
    fn begin_launch(&mut self, launch: u32) -> Result<(), LabError> {
        let mut order: Vec<usize> = (0..self.lanes.len()).collect();
        order.shuffle(&mut self.random);
        for lane in order {
            if self.stopped() {
                return Ok(());
            }
            let contender = self.lanes[lane].contender.name.clone();
            self.stable.progress.event(&Event::WarmingUp { launch, contender });
            self.start(lane, launch);
            for track in 0..self.lanes[lane].tracks.len() {
                self.warm_up(lane, track, launch)?;
            }
            self.settle_in(lane, launch);
        }
        self.lanes_left();
        Ok(())
    }

    fn start(&mut self, index: usize, launch: u32) {
        let lane = &self.lanes[index];
        let (record, built) = (lane.record, lane.built.clone());
        let workload = self.file.workloads[lane.tracks[0].workload].clone();
        let mut launched = match self.stable.launch(record, &built, &workload) {
            Ok(launched) => launched,
            Err(reason) => return self.stable.exclude_unless_stopped(record, Stage::Start, reason),
        };
        let host = launched.address.to_string();
        let plans = lane
            .tracks
            .iter()
            .map(|track| translate(&self.file.workloads[track.workload], &host))
            .collect::<Result<Vec<_>, _>>();
        let seed = self.options.seed ^ (u64::from(launch) << 32) ^ record as u64;
        let target = plans.map_err(|error| error.to_string()).and_then(|plans| {
            let target = Target {
                endpoints: vec![launched.address.into()],
                tls: None,
                sources: Vec::new(),
                plans,
                limits: LIMITS,
                seed,
            };
            self.generator.add(&target).map_err(|error| error.to_string())
        });
        let target = match target {
            Ok(target) => target,
            Err(reason) => {
                launched.end(&mut self.stable.pad.guard);
                return self.stable.exclude(record, Stage::Start, reason);
            }
        };
        self.stable.records[record].launches.push(LaunchRecord {
            launch,
            startup_ns: launched.startup.as_nanos() as u64,
            processes: 0,
            threads: 0,
            cpus_read_back: launched.cpus(),
            memory_steady_bytes: None,
            memory_peak_bytes: None,
            warm_up: Vec::new(),
            ended_early: None,
            stop: None,
        });
        let cpu_ns = launched.cage.cpu_ns().unwrap_or(0);
        self.contenders_cpu_ns += cpu_ns;
        self.lanes[index].life = Some(Life { launched, target, processes: None, cpu_ns, is_cold: true });
        self.lanes[index].silent_windows = 0;
    }

    fn warm_up(&mut self, index: usize, track: usize, launch: u32) -> Result<(), LabError> {
        let began = Instant::now();
        let cap = self.warm_up_cap();
        let learnt = self.lanes[index].tracks[track].learnt;
        let (mut rates, mut requests) = (Vec::new(), 0);
        let steady = loop {
            if self.stopped() {
                return Ok(());
            }
            let Some(life) = &self.lanes[index].life else { return Ok(()) };
            let kind = if life.is_cold { WindowKind::Cold } else { WindowKind::WarmUp };
            let lengths = self.lanes[index].tracks[track].lengths;
            let spec = WindowSpec {
                kind,
                launch,
                block: 0,
                position: 0,
                settling_ns: 0,
                duration_ns: lengths.warm_up_ns.min(cap.as_nanos() as u64),
                drains_fully: false,
            };
            let Some(window) = self.window(index, track, &spec)? else { return Ok(()) };
            let answers = answers(&window);
            requests += answers;
            rates.push(
                answers as f64 * 1e9 / (window.settling_ns + window.duration_ns + window.drain_ns) as f64,
            );
            if launch == 1 {
                let lately = &rates[rates.len().saturating_sub(5)..];
                let rate = lately.iter().sum::<f64>() / lately.len() as f64;
                let lane = &mut self.lanes[index].tracks[track];
                lane.lengths = Lengths::of(rate, lane.connections);
            }
            let enough = match learnt {
                Some(learnt) => requests >= learnt.requests && began.elapsed() >= learnt.duration,
                None => rates.len() >= LEAST_WINDOWS && is_steady(&rates),
            };
            if enough {
                break true;
            }
            if began.elapsed() >= cap {
                break false;
            }
        };
        let lane = &mut self.lanes[index];
        let (record, workload) = (lane.record, lane.tracks[track].workload);
        lane.tracks[track].learnt.get_or_insert(Learnt { requests, duration: began.elapsed() });
        if let Some(launch) = self.stable.records[record].launches.last_mut() {
            launch.warm_up.push(WarmUpRecord {
                workload: self.file.workloads[workload].name.clone(),
                windows: rates.len() as u32,
                requests,
                duration_ns: began.elapsed().as_nanos() as u64,
                steady,
            });
        }
        Ok(())
    }

    /// `min(15 s, budget / (10 x contenders x workloads))`.
    fn warm_up_cap(&self) -> Duration {
        if self.options.quick {
            return QUICK_WARM_UP;
        }
        if self.options.as_published {
            return LONGEST_WARM_UP;
        }
        let shares = 10 * self.lanes.len().max(1) * self.file.workloads.len().max(1);
        LONGEST_WARM_UP.min(self.options.budget / shares as u32)
    }

    /// After warm-up: what the contender consists of, and then it waits for its turn.
    fn settle_in(&mut self, index: usize, launch: u32) {
        let lane = &mut self.lanes[index];
        let Some(life) = &mut lane.life else { return };
        let pids = life.launched.pids();
        if let Some(own) =
            self.stable.records[lane.record].launches.last_mut().filter(|own| own.launch == launch)
        {
            own.processes = pids.len() as u32;
            own.threads = tree::threads(&pids);
            own.cpus_read_back = life.launched.cpus();
        }
        let (then, now) = (lane.verified_processes, pids.len());
        life.processes = Some(pids.into_iter().collect::<BTreeSet<u32>>());
        life.launched.cage.freeze();
        if now != then {
            let record = lane.record;
            let reason = format!(
                "{then} processes when it was verified and {now} after warm-up: their number must be fixed from the first answer on"
            );
            self.end_life(index, Some(&reason));
            self.stable.exclude_unless_stopped(record, Stage::Measure, reason);
        }
    }

    fn blocks(&mut self, launch: u32, began: Instant, done: &mut u64) -> Result<(), LabError> {
        let Some(plan) = self.file.plan.clone() else { return Ok(()) };
        let in_launch: u64 = self.lanes.iter().map(|lane| lane.tracks.len() as u64).sum();
        let of = in_launch * u64::from(plan.launches) * u64::from(plan.blocks);
        self.sampler.restart();
        for block in 1..=plan.blocks {
            for workload in 0..self.file.workloads.len() {
                let mut order: Vec<(usize, usize)> = self
                    .lanes
                    .iter()
                    .enumerate()
                    .flat_map(|(lane, state)| {
                        let track = state.tracks.iter().position(|track| track.workload == workload);
                        track.map(|track| (lane, track))
                    })
                    .collect();
                order.shuffle(&mut self.random);
                for (position, (lane, track)) in order.into_iter().enumerate() {
                    if self.stopped() {
                        return Ok(());
                    }
                    if self.lanes[lane].life.is_none() {
                        continue;
                    }
                    let left = Duration::from_nanos(plan.expected_ns).saturating_sub(began.elapsed());
                    self.stable.progress.event(&Event::Window {
                        launch,
                        launches: plan.launches,
                        block,
                        blocks: plan.blocks,
                        workload: self.file.workloads[workload].name.clone(),
                        contender: self.lanes[lane].contender.name.clone(),
                        done: *done,
                        of: of.max(*done + 1),
                        left,
                    });
                    let spec = self.block_window(lane, track, launch, block, position as u32 + 1);
                    self.window(lane, track, &spec)?;
                    *done += 1;
                }
            }
            // What a block measured survives a power cut.
            self.writer.sync()?;
        }
        Ok(())
    }

    /// How long a counted window is: as the contender's rate asks, or as the source loaded.
    fn window_ns(&self, track: &Track) -> u64 {
        let published = self.file.workloads[track.workload].load.as_published.as_ref();
        match published.filter(|_| self.options.as_published) {
            Some(published) => u64::from(published.seconds) * 1_000_000_000,
            None => track.lengths.window_ns,
        }
    }

    fn block_window(&self, lane: usize, track: usize, launch: u32, block: u32, position: u32) -> WindowSpec {
        let track = &self.lanes[lane].tracks[track];
        let duration_ns = self.window_ns(track);
        let settling_ns = track.lengths.settling_ns;
        let drains_fully = self.file.plan.as_ref().is_none_or(|plan| block == plan.blocks);
        WindowSpec {
            kind: WindowKind::Block,
            launch,
            block,
            position,
            settling_ns,
            duration_ns,
            drains_fully,
        }
    }

    /// Acts on what a window showed of a contender, whose window is on disk already.
    pub(crate) fn heed(&mut self, index: usize, window: &Window) {
        let lane = &mut self.lanes[index];
        let record = lane.record;
        let silent = window.outcomes.timeout > 0 || answers(window) == 0;
        lane.silent_windows = if silent { lane.silent_windows + 1 } else { 0 };
        let silent = lane.silent_windows >= SILENT_WINDOWS;
        let Some(life) = &mut lane.life else { return };
        let trouble = if let Err(why) = life.launched.is_running() {
            let line = last_line(&self.stable.stderr_log(record), 0);
            let what = format!("{why} under load");
            Some(Trouble::Failed(if line.is_empty() { what } else { format!("{what}; last line: {line}") }))
        } else if silent {
            Some(Trouble::Failed(format!(
                "{SILENT_WINDOWS} windows in a row without a whole answer or with requests that got none in time"
            )))
        } else {
            changed(life.processes.as_ref(), &life.launched.pids()).map(Trouble::Changed)
        };
        match trouble {
            None => {}
            Some(Trouble::Failed(reason)) => {
                self.end_life(index, Some(&reason));
                self.stable.exclude_unless_stopped(record, Stage::Measure, reason);
            }
            Some(Trouble::Changed(reason)) => {
                self.lanes[index].early_ends += 1;
                self.end_life(index, Some(&reason));
                if self.lanes[index].early_ends >= EARLY_ENDS {
                    let reason = format!("{reason}, in {EARLY_ENDS} launches");
                    self.stable.exclude(record, Stage::Measure, reason);
                }
            }
        }
    }

    /// Ends a contender's processes and says how.
    fn end_life(&mut self, index: usize, early: Option<&str>) {
        let lane = &mut self.lanes[index];
        let Some(mut life) = lane.life.take() else { return };
        life.launched.cage.thaw();
        let (steady, peak) = tree::memory(&life.launched.pids());
        self.generator.remove(life.target);
        let stopped = life.launched.end(&mut self.stable.pad.guard);
        let refused = !stopped.by_sigterm;
        if let Some(own) = self.stable.records[lane.record].launches.last_mut() {
            own.memory_steady_bytes = steady.filter(|_| early.is_none());
            own.memory_peak_bytes = peak.filter(|_| early.is_none());
            own.ended_early = early.map(str::to_owned);
            own.stop = Some(stopped);
        }
        let measured = matches!(
            self.stable.records[lane.record].state,
            velo_record::ContenderState::Pending | velo_record::ContenderState::Measured
        );
        if refused && early.is_none() && measured {
            self.stable.exclude(lane.record, Stage::Measure, will_not_stop());
        }
    }

    fn end_launch(&mut self, launch: u32) -> Result<(), LabError> {
        for index in 0..self.lanes.len() {
            let cut_short = self.stopped().then_some("interrupted");
            self.end_life(index, cut_short);
        }
        let planned = self.file.plan.as_ref().map_or(0, |plan| plan.launches);
        for lane in &self.lanes {
            let state = &mut self.stable.records[lane.record].state;
            if launch >= planned
                && !self.stable.stop.asked()
                && *state == velo_record::ContenderState::Pending
            {
                *state = velo_record::ContenderState::Measured;
            }
        }
        self.lanes_left();
        self.save()
    }

    /// Contenders that were excluded leave.
    fn lanes_left(&mut self) {
        let records = &self.stable.records;
        self.lanes.retain(|lane| {
            !matches!(records[lane.record].state, velo_record::ContenderState::Excluded { .. })
        });
    }
}

/// Whole answers of a window. Wrong ones are answers: what they are worth is for the judge to say.
fn answers(window: &Window) -> u64 {
    let outcomes = &window.outcomes;
    outcomes.correct + window.correct_outside + outcomes.wrong_answer + outcomes.http_error
}

/// How the processes differ from those that were warmed up, if they do.
fn changed(before: Option<&BTreeSet<u32>>, now: &[u32]) -> Option<String> {
    let before = before?;
    let now: BTreeSet<u32> = now.iter().copied().collect();
    let (came, went) = (now.difference(before).count(), before.difference(&now).count());
    (came + went > 0).then(|| {
        format!("its processes changed under load: {} before, {came} came and {went} went", before.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_processes_is_said() {
        let before = BTreeSet::from([1, 2]);
        assert_eq!(changed(Some(&before), &[2, 1]), None);
        assert_eq!(changed(None, &[3]), None);
        assert_eq!(
            changed(Some(&before), &[2, 3, 4]).as_deref(),
            Some("its processes changed under load: 2 before, 2 came and 1 went")
        );
    }
}
