//! Tells on standard error what the lab does: a bar on a terminal, one line a build or a launch elsewhere.

mod bar;
mod lines;
mod so_far;
mod stages;

use std::time::Instant;

use velo_lab::{BuildOutcome, Event, Progress, SoFar, doctor};
use velo_stats::number::waited;

use self::bar::Bar;
use self::lines::{
    block_of, bursts_line, calls_line, gate_line, host_line, look_line, part_line, plan_line, stage_in_words,
    stage_of, tasks_line, warning,
};
use self::stages::{Builds, Verified};
use crate::{out, values};

/// Told by the lab, tells people.
#[derive(Debug)]
pub(crate) struct Display {
    bar: Bar,
    builds: Builds,
    verified: Verified,
    stage: Under,
    /// Which process of each task is measured.
    round: u32,
    /// The launch of single calls under way.
    calls_launch: u32,
    /// What the launch under way is for, and how many there will be.
    under_way: &'static str,
    launches: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Under {
    Nothing,
    Build,
    Verify,
    Measure,
}

impl Display {
    /// Looks whether standard error is a terminal.
    pub(crate) fn new() -> Self {
        Self {
            bar: Bar::new(),
            builds: Builds::default(),
            verified: Verified::default(),
            stage: Under::Nothing,
            round: 0,
            calls_launch: 0,
            under_way: "measure",
            launches: None,
        }
    }

    /// Removes the bar and says what was left to say.
    pub(crate) fn end(&mut self) {
        self.enter(Under::Measure);
        self.bar.clear();
    }

    fn line(&self, text: &str) {
        let text = if self.bar.is_drawn() { lines::wrapped(text, out::width()) } else { text.to_owned() };
        let talk = || out::talk(&format!("{text}\n"));
        // Before the first stage there is nothing on the screen to make room for.
        if self.stage > Under::Nothing { self.bar.suspend(talk) } else { talk() }
    }

    /// Says how the stages before this one went, once.
    fn enter(&mut self, stage: Under) {
        if self.stage < Under::Verify && stage >= Under::Verify && self.builds.of > 0 {
            let took = self.builds.began.map(|began| began.elapsed());
            self.line(&self.builds.summary(took.unwrap_or_default()));
        }
        if self.stage < Under::Measure && stage >= Under::Measure && self.verified.of > 0 {
            self.line(&self.verified.summary());
        }
        if stage > self.stage {
            self.stage = stage;
        }
    }

    fn of_launches(&self) -> String {
        self.launches.map_or(String::new(), |of| format!("/{of}"))
    }

    fn so_far(&mut self, so_far: &[SoFar]) {
        let lines = so_far::lines(so_far);
        if self.bar.is_drawn() && !lines.is_empty() {
            self.bar.below(lines.join("\n"));
        } else {
            lines.iter().for_each(|line| self.line(line));
        }
    }

    fn built(&mut self, name: &str, outcome: &BuildOutcome, done: usize, of: usize) {
        self.builds.done = done;
        self.builds.of = of;
        let told = match outcome {
            BuildOutcome::Built(took) => {
                self.builds.built.push((name.to_owned(), *took));
                format!("built in {}", waited(*took))
            }
            BuildOutcome::Cached => {
                self.builds.cached += 1;
                "from cache".to_owned()
            }
            BuildOutcome::Skipped(reason) => {
                self.builds.skipped += 1;
                format!("skipped: {reason}")
            }
            BuildOutcome::Failed(reason) => {
                self.builds.failed += 1;
                format!("FAILED: {reason}")
            }
        };
        let left = self.builds.left(self.builds.began.map(|began| began.elapsed()).unwrap_or_default());
        let remarkable = match outcome {
            BuildOutcome::Cached => false,
            BuildOutcome::Built(_) => !self.bar.is_drawn(),
            BuildOutcome::Skipped(_) | BuildOutcome::Failed(_) => true,
        };
        if remarkable {
            let left = left.map_or(String::new(), |left| format!(", about {} left", values::clock(left)));
            self.line(&format!("build    {done}/{of}  {name} {told}{left}"));
        }
        let message = format!("{done}/{of}  {name} {told}");
        match left {
            Some(left) => self.bar.advance_with("build", (done as u64, of as u64), left, &message),
            None => self.bar.advance("build", done as u64, of as u64, message),
        }
    }
}

impl Progress for Display {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Placed(placement) => self.line(&host_line(placement)),
            Event::NoLink { words } => self.line(&format!("warning  {words}")),
            Event::Examined(checks) => {
                for check in doctor::unfit(checks) {
                    self.line(&warning(check));
                }
            }
            Event::BuildStarted { contender } => {
                self.enter(Under::Build);
                self.builds.began.get_or_insert_with(Instant::now);
                let Builds { done, of, .. } = self.builds;
                self.bar.advance("build", done as u64, of.max(1) as u64, contender.to_string());
            }
            Event::BuildWaits { contender, holder } => {
                self.enter(Under::Build);
                let holder = holder.map_or(String::new(), |process| format!(" (process {process})"));
                self.line(&format!("build    {contender} waits for another velo{holder} that builds it"));
            }
            Event::BuildChanged { contender, file } => {
                self.enter(Under::Build);
                self.line(&format!(
                    "build    {contender} again: {file:?} in its kept build was changed since, as by a contender that writes there"
                ));
            }
            Event::BuildDone { contender, outcome, done, of } => {
                self.enter(Under::Build);
                self.built(contender.as_str(), outcome, *done, *of);
            }
            Event::VerifyDone { contender, cases, failed, done, of } => {
                self.enter(Under::Verify);
                self.verified.done = *done;
                self.verified.of = *of;
                self.verified.cases += cases;
                self.verified.failed += usize::from(*failed > 0);
                self.bar.advance("verify", *done as u64, *of as u64, format!("{done}/{of}  {contender}"));
            }
            Event::Estimated { expected, contenders, has_control } => {
                self.enter(Under::Measure);
                self.bar.expect(*expected);
                let control = if *has_control { ", the reference twice" } else { "" };
                self.line(&format!(
                    "plan     {}{control}, about {} to measure",
                    values::count(*contenders, "contender"),
                    values::clock(*expected)
                ));
            }
            Event::TasksPlanned { tasks, processes, expected, over } => {
                self.enter(Under::Measure);
                self.line(&tasks_line(*tasks, *processes, *expected, *over));
            }
            Event::TaskProcess { process, processes, workload, contender, done, of, left } => {
                self.enter(Under::Measure);
                if !self.bar.is_drawn() && self.round < *process {
                    self.line(&format!(
                        "tasks    process {process} of {processes}, {} left",
                        values::clock(*left)
                    ));
                }
                self.round = *process;
                let message = format!("process {process}/{processes}, {contender}, {workload}");
                self.bar.advance_with("tasks", (*done, *of), *left, &message);
            }
            Event::CallsPlanned { contenders, conditions, launches, expected } => {
                self.enter(Under::Measure);
                self.line(&calls_line(*contenders, *conditions, *launches, *expected));
            }
            Event::Calls { launch, launches, workload, contender, condition, done, of, left } => {
                self.enter(Under::Measure);
                if !self.bar.is_drawn() && self.calls_launch < *launch {
                    self.line(&format!(
                        "calls    launch {launch} of {launches}, {} left",
                        values::clock(*left)
                    ));
                }
                self.calls_launch = *launch;
                let message = format!("launch {launch}/{launches}, {contender}, {workload}, {condition}");
                self.bar.advance_with("calls", (*done, *of), *left, &message);
            }
            Event::CallsLeftOut { reason } => self.line(&format!("left out {reason}")),
            Event::Planned(plan) => {
                self.enter(Under::Measure);
                self.line(&plan_line(plan));
            }
            Event::PartPlanned { part, launches, expected, too_small } => {
                self.line(&part_line(*part, *launches, *expected));
                if let Some(reason) = too_small {
                    self.line(&format!("left out {reason}"));
                }
            }
            Event::LaunchStarted { part, launch, of } => {
                self.enter(Under::Measure);
                let stage = stage_of(*part);
                if !self.bar.is_drawn() {
                    let of = of.map_or(String::new(), |of| format!(" of {of}"));
                    self.line(&format!("{stage:8} launch {launch}{of}"));
                }
                (self.under_way, self.launches) = (stage, *of);
                self.bar.message(stage, &format!("launch {launch}{}", self.of_launches()));
            }
            Event::WarmingUp { launch, contender } => {
                let message = format!("launch {launch}{}, warming up {contender}", self.of_launches());
                self.bar.message(self.under_way, &message);
            }
            Event::Proving { contender } => {
                self.bar.message(self.under_way, &format!("checking generator headroom: {contender}"));
            }
            Event::Searching { contender } => {
                self.bar.message(self.under_way, &format!("the highest rate that {contender} meets"));
            }
            Event::Window { part, launch, launches, block, blocks, workload, contender, done, of, left } => {
                let message = format!(
                    "launch {launch}/{launches}, {} {block}/{blocks}, {contender}, {workload}",
                    block_of(*part)
                );
                self.bar.advance_with(stage_of(*part), (*done, *of), *left, &message);
            }
            Event::BurstsPlanned { first_launch, other_launches } => {
                self.enter(Under::Measure);
                self.line(&bursts_line(*first_launch, *other_launches));
            }
            Event::BurstsSeen { this_launch, other_launches } => {
                self.line(&format!(
                    "bursts   as seen so far: about {} more in this launch, {} in all others together",
                    values::clock(*this_launch),
                    values::clock(*other_launches)
                ));
            }
            Event::Turn { kind, workload, contender, under, done, of, left } => {
                let under = velo_report::load_in_words(*under).map(|load| format!(", {load}"));
                let message = format!("{contender}{}, {workload}", under.unwrap_or_default());
                self.bar.advance_with(kind, (*done, *of), *left, &message);
            }
            Event::Disturbed { reason } => {
                self.line(&format!(
                    "warning  {reason}
         if that goes on, nothing will be ranked"
                ));
            }
            Event::Looked { launch, found } => self.line(&look_line(*launch, *found)),
            Event::GateLooked { launch, found, is_decided } => {
                self.line(&gate_line(*launch, found, *is_decided));
            }
            Event::LaunchDone { so_far, .. } => self.so_far(so_far),
            // A result, which the command prints.
            Event::Serving { .. } => self.end(),
            Event::Excluded { contender, stage, reason } => {
                self.line(&format!("{contender} excluded {}: {reason}", stage_in_words(*stage)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_builds_summary_names_the_slowest() {
        let mut display = Display {
            bar: Bar::default(),
            builds: Builds::default(),
            verified: Verified::default(),
            stage: Under::Nothing,
            round: 0,
            calls_launch: 0,
            under_way: "measure",
            launches: None,
        };
        assert_eq!(display.builds.left(Duration::from_secs(5)), None, "none was built yet");
        display.built("go/gin", &BuildOutcome::Built(Duration::from_secs(38)), 1, 4);
        assert_eq!(display.builds.left(Duration::from_secs(38)), Some(Duration::from_secs(114)));
        display.built("go/net-http", &BuildOutcome::Built(Duration::from_millis(900)), 2, 4);
        display.built("js/node", &BuildOutcome::Cached, 3, 4);
        display.built("php/mark", &BuildOutcome::Skipped("no network".to_owned()), 4, 4);
        assert_eq!(display.builds.left(Duration::from_secs(41)), None, "none is left");
        assert_eq!(
            display.builds.summary(Duration::from_secs(41)),
            "build    4/4   41 s (go/gin 38 s, 1 from cache, 1 skipped)"
        );
    }
}
