//! Tells on standard error what the lab does: a bar on a terminal, one line a build or a launch elsewhere.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use velo_lab::doctor::Check;
use velo_lab::{BuildOutcome, Event, Part, Progress, doctor};
use velo_record::{Plan, Stage};
use velo_stats::number::waited;

use crate::{out, values};

/// Faster builds are not worth their name in the summary.
const SLOW_BUILD: Duration = Duration::from_secs(2);
const MOST_NAMED: usize = 3;

/// Told by the lab, tells people.
#[derive(Debug)]
pub(crate) struct Teller {
    /// The bar under way; `None` where standard error is no terminal.
    bar: Option<ProgressBar>,
    builds: Builds,
    verified: Verified,
    stage: Under,
    /// Which process of each task is measured.
    round: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Under {
    Nothing,
    Build,
    Verify,
    Measure,
}

#[derive(Debug, Default)]
struct Builds {
    done: usize,
    of: usize,
    cached: usize,
    skipped: usize,
    failed: usize,
    built: Vec<(String, Duration)>,
    began: Option<Instant>,
}

#[derive(Debug, Default)]
struct Verified {
    done: usize,
    of: usize,
    cases: usize,
    failed: usize,
}

impl Teller {
    /// Looks whether standard error is a terminal.
    pub(crate) fn new() -> Self {
        let bar = out::talks_to_terminal().then(ProgressBar::hidden);
        Self {
            bar,
            builds: Builds::default(),
            verified: Verified::default(),
            stage: Under::Nothing,
            round: 0,
        }
    }

    /// Removes the bar and says what was left to say.
    pub(crate) fn end(&mut self) {
        self.enter(Under::Measure);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            // Before the first stage there is nothing on the screen to make room for.
            Some(bar) if self.stage > Under::Nothing => bar.suspend(|| out::talk(&format!("{text}\n"))),
            _ => out::talk(&format!("{text}\n")),
        }
    }

    fn bar(&self, stage: &str, done: u64, of: u64, message: String) {
        let Some(bar) = &self.bar else { return };
        bar.set_message(message);
        let template = format!("{stage:8} {{bar:20.##.}}  {{wide_msg}}");
        // OK to go on with the old style: the template is fixed.
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("##."));
        }
        bar.set_length(of);
        bar.set_position(done);
        if bar.is_hidden() {
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        }
    }

    /// What stands beside the bar, where there is one.
    fn message(&self, message: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(message);
        }
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
        let remarkable = match outcome {
            BuildOutcome::Cached => false,
            BuildOutcome::Built(_) => self.bar.is_none(),
            BuildOutcome::Skipped(_) | BuildOutcome::Failed(_) => true,
        };
        if remarkable {
            self.line(&format!("build    {done}/{of}  {name} {told}"));
        }
        self.bar("build", done as u64, of as u64, format!("{done}/{of}  {name} {told}"));
    }
}

impl Builds {
    fn summary(&self, took: Duration) -> String {
        let mut slow: Vec<_> = self.built.iter().filter(|(_, took)| *took >= SLOW_BUILD).collect();
        slow.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        let mut parts: Vec<String> =
            slow.iter().take(MOST_NAMED).map(|(name, took)| format!("{name} {}", waited(*took))).collect();
        for (count, what) in [(self.cached, "from cache"), (self.skipped, "skipped"), (self.failed, "failed")]
        {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        let list = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        format!("build    {}/{}   {}{list}", self.done, self.of, waited(took))
    }
}

impl Verified {
    fn summary(&self) -> String {
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        format!("verify   {}/{}   {} cases{failed}", self.done, self.of, self.cases)
    }
}

impl Progress for Teller {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Placed { server_cpus, load_cpus } => self.line(&host_line(server_cpus, load_cpus)),
            Event::Examined(checks) => {
                for check in doctor::unfit(checks) {
                    self.line(&warning(check));
                }
            }
            Event::BuildStarted { contender } => {
                self.enter(Under::Build);
                self.builds.began.get_or_insert_with(Instant::now);
                let Builds { done, of, .. } = self.builds;
                self.bar("build", done as u64, of.max(1) as u64, contender.to_string());
            }
            Event::BuildWaits { contender, holder } => {
                self.enter(Under::Build);
                let holder = holder.map_or(String::new(), |process| format!(" (process {process})"));
                self.line(&format!("build    {contender} waits for another velo{holder} that builds it"));
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
                self.bar("verify", *done as u64, *of as u64, format!("{done}/{of}  {contender}"));
            }
            Event::Estimated { expected, contenders, has_control } => {
                self.enter(Under::Measure);
                let control = if *has_control { ", the reference twice" } else { "" };
                self.line(&format!(
                    "plan     {}{control}, about {} to measure, in addition to building and verifying",
                    values::count(*contenders, "contender"),
                    values::clock(*expected)
                ));
            }
            Event::TasksPlanned { tasks, processes, expected } => {
                self.enter(Under::Measure);
                self.line(&tasks_line(*tasks, *processes, *expected));
            }
            Event::TaskProcess { process, processes, workload, contender, done, of, left } => {
                self.enter(Under::Measure);
                if self.bar.is_none() && self.round < *process {
                    self.line(&format!(
                        "tasks    process {process} of {processes}, {} left",
                        values::clock(*left)
                    ));
                }
                self.round = *process;
                let left = values::clock(*left);
                let message =
                    format!("{left} left, process {process} of {processes}, {workload} {contender}");
                self.bar("tasks", *done, *of, message);
            }
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
                let of = of.map_or(String::new(), |of| format!(" of {of}"));
                let stage = stage_of(*part);
                if self.bar.is_none() {
                    self.line(&format!("{stage:8} launch {launch}{of}"));
                }
                self.bar(stage, 0, 1, format!("launch {launch}{of}"));
            }
            Event::WarmingUp { launch, contender } => {
                self.message(format!("launch {launch}, starting and warming up {contender}"));
            }
            Event::Proving { contender } => {
                self.message(format!("checking generator headroom: {contender}"));
            }
            Event::Searching { contender } => {
                self.message(format!("the highest rate that {contender} meets"));
            }
            Event::Window { part, launch, launches, block, blocks, workload, contender, done, of, left } => {
                let message = format!(
                    "{} left, launch {launch} of {launches}, {} {block} of {blocks}, {workload} {contender}",
                    values::clock(*left),
                    block_of(*part)
                );
                self.bar(stage_of(*part), *done, *of, message);
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
            Event::Burst { workload, contender, requests, connections, first_alone, done, of, left } => {
                let alone = if *first_alone { ", the first alone" } else { "" };
                let message = format!(
                    "{} left, {workload} {contender}, {requests} over {connections}{alone}",
                    values::clock(*left)
                );
                self.bar("bursts", *done, *of, message);
            }
            Event::Disturbed { reason } => {
                self.line(&format!("warning  {reason}\n         if that goes on, nothing will be ranked"));
            }
            Event::Looked { launch, is_enough } => {
                let found = if *is_enough { "precise enough" } else { "not yet precise enough" };
                self.line(&format!("look     after launch {launch}: {found}"));
            }
            Event::LaunchDone { .. } => {}
            Event::Excluded { contender, stage, reason } => {
                self.line(&format!("{contender} excluded {}: {reason}", stage_in_words(*stage)));
            }
        }
    }
}

fn host_line(server_cpus: &[u32], load_cpus: &[u32]) -> String {
    let facts = doctor::facts_at_a_glance();
    let model = facts.cpu_model.as_deref().unwrap_or("unknown CPU");
    let virtual_word = if facts.virtualisation.is_some() { ", virtual" } else { "" };
    format!(
        "host     {model}, {} CPUs{virtual_word}; server on {}, load on {}",
        facts.cpus,
        values::cpus_in_words(server_cpus),
        values::cpus_in_words(load_cpus)
    )
}

fn plan_line(plan: &Plan) -> String {
    let launches = values::count_of(plan.launches, "launch", "launches");
    let blocks = values::count(plan.blocks as usize, "block");
    let time = values::clock(Duration::from_nanos(plan.expected_ns));
    let early = plan.looks.split_last().map_or(&[][..], |(_, early)| early);
    let early: Vec<String> = early.iter().map(|look| look.launch.to_string()).collect();
    let looks = if early.is_empty() {
        String::new()
    } else {
        format!(", less if precise enough after {}", early.join(" or "))
    };
    let mut lines = vec![format!("plan     {launches} of {blocks}, about {time}{looks}")];
    lines.extend(plan.not_ranked.iter().map(|reason| format!("no ranks: {reason}")));
    lines.extend(plan.left_out.iter().map(|what| format!("left out {what}")));
    lines.join("\n")
}

fn tasks_line(tasks: usize, processes: u32, expected: Duration) -> String {
    let processes = values::count_of(processes, "process", "processes");
    format!("tasks    {}, {processes} each, about {}", values::count(tasks, "task"), values::clock(expected))
}

fn part_line(part: Part, launches: u32, expected: Duration) -> String {
    let (stage, launches) = (stage_of(part), values::count_of(launches, "launch", "launches"));
    let what = match part {
        Part::Blocks => "blocks",
        Part::Latency => "response times at stated rates",
        Part::Curve => "rates upward to 110 % of the goodput",
    };
    format!("{stage:8} {what}: {launches}, about {}", values::clock(expected))
}

fn bursts_line(first_launch: Duration, other_launches: Duration) -> String {
    let others = if other_launches.is_zero() {
        String::new()
    } else {
        format!(" and {} in each other", values::clock(other_launches))
    };
    format!(
        "bursts   in addition to the budget: at least {} in the first launch{others},\n         \
         more where requests hold a thread while they wait",
        values::clock(first_launch)
    )
}

fn warning(check: &Check) -> String {
    let advice = check.advice.as_ref().map_or(String::new(), |advice| format!("\n         {advice}"));
    format!("{:8} {}: {}{advice}", check.state.word(), check.name, check.found)
}

fn stage_of(part: Part) -> &'static str {
    match part {
        Part::Blocks => "measure",
        Part::Latency => "latency",
        Part::Curve => "curve",
    }
}

fn block_of(part: Part) -> &'static str {
    match part {
        Part::Blocks => "block",
        Part::Latency => "round",
        Part::Curve => "point",
    }
}

fn stage_in_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Build => "at its build",
        Stage::Version => "at its version",
        Stage::Start => "at its start",
        Stage::Verify => "by its answers",
        Stage::Measure => "while it was measured",
    }
}

#[cfg(test)]
mod tests {
    use velo_lab::doctor::CheckState;
    use velo_record::Look;

    use super::*;

    #[test]
    fn a_builds_summary_names_the_slowest() {
        let mut teller = Teller {
            bar: None,
            builds: Builds::default(),
            verified: Verified::default(),
            stage: Under::Nothing,
            round: 0,
        };
        teller.built("go/gin", &BuildOutcome::Built(Duration::from_secs(38)), 1, 4);
        teller.built("go/net-http", &BuildOutcome::Built(Duration::from_millis(900)), 2, 4);
        teller.built("js/node", &BuildOutcome::Cached, 3, 4);
        teller.built("php/mark", &BuildOutcome::Skipped("no network".to_owned()), 4, 4);
        assert_eq!(
            teller.builds.summary(Duration::from_secs(41)),
            "build    4/4   41 s (go/gin 38 s, 1 from cache, 1 skipped)"
        );
    }

    #[test]
    fn a_plan_says_when_nothing_will_be_ranked() {
        let plan = Plan {
            launches: 5,
            blocks: 10,
            expected_ns: 160_000_000_000,
            needed_budget_s: None,
            not_ranked: None,
            looks: vec![Look { launch: 5, level: 0.05 }],
            proof_pairs: 10,
            equal_work: Vec::new(),
            left_out: Vec::new(),
        };
        assert_eq!(plan_line(&plan), "plan     5 launches of 10 blocks, about 2:40");
        let quick = Plan {
            launches: 1,
            blocks: 1,
            expected_ns: 1,
            needed_budget_s: None,
            not_ranked: Some("quick look".to_owned()),
            ..plan.clone()
        };
        assert_eq!(plan_line(&quick), "plan     1 launch of 1 block, about 0:01\nno ranks: quick look");
        let precise = Plan {
            launches: 12,
            looks: [5, 8, 12].map(|launch| Look { launch, level: 0.01 }).to_vec(),
            left_out: vec!["the proof: --budget 60s would do".to_owned()],
            ..plan
        };
        assert_eq!(
            plan_line(&precise),
            "plan     12 launches of 10 blocks, about 2:40, less if precise enough after 5 or 8\n\
             left out the proof: --budget 60s would do"
        );
    }

    #[test]
    fn tasks_say_how_long_they_take() {
        assert_eq!(
            tasks_line(12, 10, Duration::from_secs(95)),
            "tasks    12 tasks, 10 processes each, about 1:35"
        );
        assert_eq!(
            tasks_line(1, 2, Duration::from_millis(1)),
            "tasks    1 task, 2 processes each, about 0:01"
        );
    }

    #[test]
    fn what_is_beside_the_plan_has_a_line_of_its_own() {
        assert_eq!(
            part_line(Part::Latency, 5, Duration::from_secs(110)),
            "latency  response times at stated rates: 5 launches, about 1:50"
        );
        assert_eq!(
            part_line(Part::Curve, 1, Duration::from_secs(70)),
            "curve    rates upward to 110 % of the goodput: 1 launch, about 1:10"
        );
    }

    #[test]
    fn the_length_of_bursts_is_said_before_they_begin() {
        assert_eq!(
            bursts_line(Duration::from_secs(754), Duration::from_secs(160)),
            "bursts   in addition to the budget: at least 12:34 in the first launch and 2:40 in each other,\n         \
             more where requests hold a thread while they wait"
        );
        let once = bursts_line(Duration::from_secs(3), Duration::ZERO);
        assert!(once.contains("at least 0:03 in the first launch,\n"), "{once}");
    }

    #[test]
    fn a_warning_says_what_to_do() {
        let mut check = Check {
            name: "others".to_owned(),
            found: "12 % of the CPUs are busy".to_owned(),
            state: CheckState::Warning,
            advice: Some("end them".to_owned()),
        };
        assert_eq!(warning(&check), "warning  others: 12 % of the CPUs are busy\n         end them");
        check.advice = None;
        check.state = CheckState::Unfit;
        assert_eq!(warning(&check), "unfit    others: 12 % of the CPUs are busy");
    }
}
