use velo_judge::gate::{
    self, Acceptance, GateQuestion, GateRun, GateSide, GateSubject, GateVerdict, SideState, figure_named,
};
use velo_lab::{ExternalServers, Ran, RunOptions, SingleCalls, Stop, TurnOrder, VerifyOptions};
use velo_model::Contender;
use velo_record::{ContenderRecord, ContenderState, Placement, RunState};

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::run::{claim, is_there_already, new_folder, new_seed};
use crate::gate::flags::GateArgs;
use crate::gate::git::{Repository, Revision};
use crate::gate::outputs;
use crate::gate::sides::{self, Head};
use crate::gate::worktrees::Worktrees;
use crate::progress::Display;
use crate::root::Root;
use crate::{again, exit, out, signals};

/// A request without an answer after this long is a timeout.
const TIMEOUT: Duration = Duration::from_secs(5);
const BASE: &str = "base";
const HEAD: &str = "head";

pub(crate) fn run(args: &GateArgs) -> anyhow::Result<u8> {
    if let Some(dir) = args.out.as_ref().filter(|dir| dir.exists()) {
        return Err(is_there_already(dir));
    }
    let repository = Repository::here()?;
    // Before anything is checked out, so that a signal finds somebody who removes it again.
    let stop = signals::stop_on_signals()?;
    let head = repository.head(args.head.as_deref())?;
    let base = repository.base(args.base.as_deref(), &head)?;
    let accepted = accepted(args, &repository, &base, &head)?;
    let worktrees = Worktrees::add(&repository, &base, &head)?;
    let gate = Gate { args, stop: &stop, seed: args.seed.unwrap_or_else(new_seed) };
    let result = gate.measured(&repository, &worktrees, [&base, &head], accepted);
    drop(worktrees);
    let (result, defined_in) = match result {
        // What was interrupted may fail for that.
        Err(error) if stop.asked() => {
            out::talk(&format!("{error:#}\n"));
            return Ok(exit::INTERRUPTED);
        }
        result => result?,
    };
    outputs::all(&result, args, &defined_in)?;
    if result.verdict == GateVerdict::Undecided {
        out::talk("warning: undecided: a longer --budget decides more\n");
    }
    Ok(if stop.asked() { exit::INTERRUPTED } else { outputs::code(result.verdict, args.strict) })
}

/// What the command line and commits accept. A trailer that names no figure is told and counts for nothing.
fn accepted(
    args: &GateArgs,
    repository: &Repository,
    base: &Revision,
    head: &Revision,
) -> anyhow::Result<Vec<Acceptance>> {
    let typed = args.accept.iter().map(|figure| Acceptance { figure: *figure, by: "--accept".to_owned() });
    let mut accepted: Vec<Acceptance> = typed.collect();
    for (commit, name) in repository.accepted(base, head)? {
        match figure_named(&name) {
            Ok(figure) => accepted.push(Acceptance { figure, by: format!("commit {commit}") }),
            Err(error) => out::talk(&format!("warning: commit {commit}: Velo-Accept: {error}\n")),
        }
    }
    Ok(accepted)
}

/// A gate under way.
struct Gate<'a> {
    args: &'a GateArgs,
    stop: &'a Stop,
    seed: u64,
}

impl Gate<'_> {
    /// The result, and where the head's contender is defined.
    fn measured(
        &self,
        repository: &Repository,
        worktrees: &Worktrees,
        [base, head]: [&Revision; 2],
        accepted: Vec<Acceptance>,
    ) -> anyhow::Result<(GateRun, PathBuf)> {
        let dir = worktrees.head();
        let (only, workload) = (self.args.only.as_deref(), self.args.workload.as_deref());
        let defined = sides::head(repository, &dir, only, workload)?;
        let of_base = sides::base(repository, &worktrees.base(), &defined);
        let side = |revision: &Revision, state: SideState| GateSide {
            revision: revision.name.clone(),
            commit: revision.commit.clone(),
            is_work_tree: revision.is_work_tree,
            state,
        };
        let base_state = match &of_base {
            Ok(Some(_)) => SideState::Fit,
            Ok(None) => SideState::Absent,
            Err(error) => SideState::Broken { reason: error.to_string(), log: None },
        };
        let subject = GateSubject {
            contender: defined.contender.name.clone(),
            workload: defined.workload.name.clone(),
            workload_differs: sides::has_another(&worktrees.base(), &defined.workload),
            base: side(base, base_state),
            head: side(head, SideState::Fit),
            accepted,
            budget_ns: self.args.budget.as_nanos() as u64,
            seed: self.seed,
            started_at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            command: again::command_line().iter().skip(1).cloned().collect(),
        };
        let of_head = sides::at(&defined.contender, HEAD, &defined.workload);
        out::talk(&format!(
            "velo {}, gate of {} on {}: {} against {}, seed {}\n",
            env!("CARGO_PKG_VERSION"),
            subject.contender,
            subject.workload,
            head.name,
            base.name,
            self.seed
        ));
        let out_dir = match &self.args.out {
            Some(dir) if claim(dir)? => dir.clone(),
            Some(dir) => return Err(is_there_already(dir)),
            None => new_folder(&nowhere())?,
        };
        let result = match of_base {
            Ok(Some(of_base)) => {
                let of_base = sides::at(&of_base, BASE, &defined.workload);
                self.both(&defined, of_base, of_head, subject, &out_dir)
            }
            Ok(None) | Err(_) => self.head_alone(&defined, of_head, subject, &out_dir),
        };
        // One that never began leaves nothing; what is not empty stays.
        let result = result.inspect_err(|_| drop(std::fs::remove_dir(&out_dir)))?;
        velo_record::write_whole(&out_dir.join("gate.json"), velo_report::gate::json(&result).as_bytes())?;
        velo_record::write_whole(&out_dir.join("gate.md"), velo_report::gate::markdown(&result).as_bytes())?;
        Ok((result, defined.defined_in))
    }

    /// Without a base the head is built and verified.
    fn head_alone(
        &self,
        defined: &Head,
        of_head: Contender,
        subject: GateSubject,
        out_dir: &Path,
    ) -> anyhow::Result<GateRun> {
        let options = VerifyOptions {
            workloads: vec![defined.workload.clone()],
            contenders: vec![of_head],
            log_dir: out_dir.join("logs"),
            cache_dir: cache_dir(),
            seed: self.seed,
            faults: false,
            port: None,
        };
        let mut display = Display::new();
        let records = velo_lab::verify(&options, &mut display, self.stop)?;
        display.end();
        let state = records.first().map_or(SideState::Fit, state_of);
        let run = if self.stop.asked() { RunState::Interrupted } else { RunState::Complete };
        let head = GateSide { state, ..subject.head };
        Ok(gate::unmeasured(GateSubject { head, ..subject }, run))
    }

    /// Both in one run, whose folder gets the report of any run.
    fn both(
        &self,
        defined: &Head,
        of_base: Contender,
        of_head: Contender,
        subject: GateSubject,
        out_dir: &Path,
    ) -> anyhow::Result<GateRun> {
        let question = GateQuestion {
            base: of_base.name.clone(),
            head: of_head.name.clone(),
            bounds: self.args.bound.0.clone(),
            accepted: subject.accepted.iter().map(|one| one.figure).collect(),
        };
        let options = self.options(defined, vec![of_base, of_head], &question, out_dir.to_owned());
        let mut display = Display::new();
        let ran = velo_lab::run(&options, &mut display, self.stop);
        display.end();
        let Ran { file, failed } = ran?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        let mut run = velo_record::read_run(out_dir)?;
        run.file = file;
        let result = gate::judge(&run.file, &run.windows, &question, subject);
        super::report::write(out_dir, &run, &velo_judge::judge_run(&run.file, &run.windows))?;
        out::talk(&format!("run      velo report {}\n", again::shown_path(out_dir)));
        Ok(result)
    }

    fn options(
        &self,
        defined: &Head,
        contenders: Vec<Contender>,
        question: &GateQuestion,
        out_dir: PathBuf,
    ) -> RunOptions {
        RunOptions {
            workloads: vec![defined.workload.clone()],
            contenders,
            out_dir,
            cache_dir: cache_dir(),
            seed: self.seed,
            budget: self.args.budget,
            size: None,
            precision: None,
            gate: Some(question.clone()),
            varies_layout: true,
            latency: None,
            curve: false,
            full: false,
            single_calls: SingleCalls::No,
            warm_up: None,
            equal_rate_per_s: None,
            schedule: TurnOrder::Alternating,
            strict: false,
            cost: None,
            quick: false,
            as_published: false,
            timeout: TIMEOUT,
            needs_link: false,
            memory_limit_bytes: None,
            download_dir: None,
            placement: Placement::default(),
            external: ExternalServers::default(),
            overrides: vec!["two revisions in alternating order, ended by a gate".to_owned()],
            command: again::command_line().iter().skip(1).cloned().collect(),
        }
    }
}

fn state_of(record: &ContenderRecord) -> SideState {
    match &record.state {
        ContenderState::Pending | ContenderState::Measured => SideState::Fit,
        ContenderState::Skipped { reason, .. } => SideState::Skipped { reason: reason.clone() },
        ContenderState::Excluded { reason, log, .. } => {
            SideState::Broken { reason: reason.clone(), log: log.clone() }
        }
    }
}

/// Builds are kept with the user's own: a repository that is judged gets no folder for it.
fn cache_dir() -> PathBuf {
    nowhere().cache_dir()
}

/// No checkout of contenders.
fn nowhere() -> Root {
    Root { dir: None, workloads: Vec::new(), contenders: Vec::new() }
}
