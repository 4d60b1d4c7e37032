//! What an earlier run was asked, as words of a command line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, CommandFactory as _};
use velo_judge::planning::Size;
use velo_model::{Class, Contender, ContenderName};
use velo_record::{ContenderRecord, RunFile};
use velo_spec::read;

use super::{VERB, values};
use crate::args::Args;
use crate::config::{is_given, is_settled, keys};
use crate::exit::usage;
use crate::root::Root;
use crate::run_folder::shown;
use crate::values as flag_values;

/// Flags that choose among contenders: in their place stand the names of those that were chosen.
const FILTERS: [&str; 3] = ["only", "skip", "all"];
/// What an earlier plan no longer is for.
const OTHER_PLANS: [&str; 5] = ["budget", "plan", "precision", "quick", "as_published"];

/// An earlier run.
pub(super) struct Before {
    pub(super) file: RunFile,
    /// Its command line, as this program takes it.
    asked: ArgMatches,
}

impl Before {
    /// # Errors
    /// When the run's command line is none of `velo run`.
    pub(super) fn of(path: &Path, file: RunFile) -> anyhow::Result<Self> {
        let line = std::iter::once("velo").chain(file.command.iter().map(String::as_str));
        let refuse =
            |why: &str| usage(format!("--like {}: {why}\n  expected a run of velo run", shown(path)));
        let matches = Args::command().try_get_matches_from(line).map_err(|error| {
            let told = error.to_string();
            refuse(&format!(
                "this velo does not take its flags: {}",
                told.lines().next().unwrap_or_default().trim_start_matches("error: ")
            ))
        })?;
        match matches.subcommand() {
            Some((VERB, asked)) => Ok(Self { asked: asked.clone(), file }),
            _ => Err(refuse("it was measured by another command")),
        }
    }

    /// Folders of workloads that it named.
    pub(super) fn workload_folders(&self) -> Vec<PathBuf> {
        values(&self.asked, "workload")
    }

    /// Folders of contenders that it named, and that are still there.
    fn contender_folders(&self) -> Vec<PathBuf> {
        let mut folders = values(&self.asked, "contender");
        folders.retain(|dir| dir.join("contender.toml").is_file());
        folders
    }

    /// What was measured and did not run already.
    pub(super) fn contenders(&self) -> impl Iterator<Item = &ContenderRecord> {
        let is_own =
            |record: &&ContenderRecord| record.twin_of.is_none() && record.manifest.class != Class::Running;
        self.file.contenders.iter().filter(is_own)
    }

    /// The contenders that are here: the checkout's own, and those of the folders that it named.
    pub(super) fn here(&self, root: &Root) -> anyhow::Result<Vec<Contender>> {
        let mut here = root.contenders.clone();
        for dir in self.contender_folders() {
            here.extend(read::contender(&dir)?);
        }
        Ok(here)
    }

    /// Whether other contenders were typed than it had.
    pub(super) fn has_other_contenders(typed: &ArgMatches) -> bool {
        FILTERS.iter().any(|id| is_given(typed, id))
    }

    /// All that was asked of it and is not typed.
    pub(super) fn words(&self, root: &Root, typed: &ArgMatches) -> anyhow::Result<Vec<String>> {
        let command = keys::command(VERB);
        let is_open = |id: &str| {
            keys::of(&command)
                .find(|(_, arg)| arg.get_id() == id)
                .is_some_and(|(_, arg)| !is_settled(&command, arg, typed))
        };
        let mut words = Vec::new();
        for (_, arg) in keys::of(&command).filter(|(_, arg)| is_given(&self.asked, arg.get_id().as_str())) {
            let id = arg.get_id().as_str();
            let is_told_apart = FILTERS.contains(&id) || ["contender", "plan", "seed"].contains(&id);
            if !is_told_apart && is_open(id) {
                words.extend(self.words_of(arg));
            }
        }
        let settings = &self.file.settings;
        if is_open("seed") {
            words.push(format!("--seed={}", settings.seed));
        }
        let is_usual = !settings.quick && !settings.as_published;
        if is_usual && !is_given(&self.asked, "budget") && is_open("budget") {
            let budget = Duration::from_nanos(settings.budget_ns);
            words.push(format!("--budget={}", flag_values::shown(budget)));
        }
        if is_usual && let Some(plan) = &self.file.plan {
            let is_same = OTHER_PLANS.iter().all(|id| !is_given(typed, id));
            if is_same && Size::new(plan.launches.into(), plan.blocks.into()).is_some() {
                words.push(format!("--plan={}x{}", plan.launches, plan.blocks));
            }
        }
        if let [rate_per_s] = self.common_rates()[..]
            && !is_given(&self.asked, "equal_rate")
            && is_open("equal_rate")
        {
            words.push(format!("--equal-rate={rate_per_s}"));
        }
        if !Self::has_other_contenders(typed) {
            words.extend(self.words_of_contenders(&self.here(root)?)?);
        }
        Ok(words)
    }

    /// The rates that all contenders of a group had, each once; without those that workloads state.
    pub(super) fn common_rates(&self) -> Vec<f64> {
        let mut rates = Vec::new();
        for rate in self.file.plan.iter().flat_map(|plan| &plan.common_rates) {
            let workload = self.file.workload(&rate.workload);
            let is_stated = workload.is_some_and(|workload| workload.load.rate_per_s.is_some());
            if !is_stated && rate.rate_per_s.is_finite() && !rates.contains(&rate.rate_per_s) {
                rates.push(rate.rate_per_s);
            }
        }
        rates
    }

    fn words_of(&self, arg: &Arg) -> Vec<String> {
        let id = arg.get_id().as_str();
        let flag = || format!("--{}", arg.get_long().unwrap_or_default());
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            return vec![flag()];
        }
        let word = |value: &std::ffi::OsStr| match arg.is_positional() {
            true => value.to_string_lossy().into_owned(),
            false => format!("{}={}", flag(), value.to_string_lossy()),
        };
        self.asked.get_raw(id).into_iter().flatten().map(word).collect()
    }

    /// The names of those that are here, and that it had no reference where it had none.
    fn words_of_contenders(&self, here: &[Contender]) -> anyhow::Result<Vec<String>> {
        let folder = |dir: PathBuf| format!("--contender={}", dir.display());
        let mut words: Vec<String> = self.contender_folders().into_iter().map(folder).collect();
        let names: BTreeSet<&ContenderName> = self.contenders().map(|record| &record.manifest.name).collect();
        if names.is_empty() {
            words.extend(keys::of(&keys::command(VERB)).flat_map(|(_, arg)| {
                let is_filter =
                    FILTERS.contains(&arg.get_id().as_str()) && is_given(&self.asked, arg.get_id().as_str());
                if is_filter { self.words_of(arg) } else { Vec::new() }
            }));
            return Ok(words);
        }
        let only: Vec<&str> =
            here.iter().filter(|one| names.contains(&one.name)).map(|one| one.name.as_str()).collect();
        if only.is_empty() {
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            return Err(usage(format!(
                "--like: none of its contenders is here: {}\n  --root or --contender names the folder that has them",
                names.join(", ")
            )));
        }
        words.push(format!("--only={}", only.join(",")));
        let is_added = |one: &&Contender| {
            one.class == Class::Reference
                && !names.contains(&one.name)
                && self.file.workloads.iter().any(|workload| workload.is_for(one))
        };
        words.extend(here.iter().filter(is_added).map(|one| format!("--skip={}", one.name)));
        Ok(words)
    }
}
