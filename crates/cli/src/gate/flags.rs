//! The flags of `velo gate`; their help is the manual.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ValueEnum, ValueHint};
use velo_judge::gate::{Bound, USUAL_BOUNDS, figure_named, parse_bounds};
use velo_model::Figure;

use crate::flags::ConfigArgs;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  velo gate                              the work tree against where its branch began
  velo gate --base v1.4 --head HEAD --budget 5m
  velo gate --bound cpu=3%,p99=10%       these figures, with bounds of their own
  velo gate --accept cpu                 it may need more CPU time, and that is noted
  velo gate --json gate.json --junit gate.xml

The service: a folder contenders/LANGUAGE/NAME with a contender.toml, or a
[contender] table with the same keys in velo.toml at the repository's root.
The workload is one of the head's workloads/ or one that velo carries, and both
revisions are held to it.

Figures of --bound and --accept:
  cpu       CPU time per request under the workload's own load
  goodput   correct responses per second; left out where the generator is the limit
  p99       99th percentile of response times at one rate for both
  startup   from exec to the first correct answer
  memory    resident set size after the last block
  The fewer there are, the smaller a change is found: they share one probability of
  1 % that any is called worse where none is.

A commit between base and head accepts a figure with the trailer Velo-Accept: cpu

Exit codes:
  0    within the bounds, better, accepted, new, or undecided (said as a warning)
  1    worse, or the head does not build, start or answer correctly
  2    the command line or a definition is wrong
  3    the machine is unfit, or the base does not build, start or answer correctly
  4    undecided, with --strict
  130  interrupted (SIGINT, SIGQUIT, SIGTERM, SIGHUP)";

/// Measure two revisions of a service against each other
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct GateArgs {
    /// The revision to measure against [default: where the branch began: the merge base with its upstream,
    /// else with origin/HEAD or main]
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// The revision to judge [default: the work tree, with what is not committed and not ignored]
    #[arg(long, value_name = "REV")]
    pub(crate) head: Option<String>,
    /// The workload [default: the contender's own, where it has one alone]
    #[arg(long, value_name = "NAME")]
    pub(crate) workload: Option<String>,
    /// The contender, where the head has several: a name, or a pattern such as 'go/*'
    #[arg(long, value_name = "CONTENDER")]
    pub(crate) only: Option<String>,
    /// Measuring time, launches and warm-up included; a plain number is seconds
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "180s")]
    pub(crate) budget: Duration,
    /// The figures that can be worse, and by how much each may be, separated by commas
    #[arg(long, value_name = "FIGURE=PERCENT", value_parser = bounds, default_value = USUAL_BOUNDS)]
    pub(crate) bound: Bounds,
    /// Accept that a figure is worse, as cpu; separated by commas
    #[arg(long, value_name = "FIGURE", value_parser = figure, value_delimiter = ',')]
    pub(crate) accept: Vec<Figure>,
    /// Fail when it is undecided (exit code 4)
    #[arg(long)]
    pub(crate) strict: bool,
    /// The seed of everything random [default: a new one, printed]
    #[arg(long, value_name = "N", value_parser = values::seed)]
    pub(crate) seed: Option<u64>,
    /// The run's folder; must not exist [default: results/TIME-HOST]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = GateFormat::Terminal)]
    pub(crate) format: GateFormat,
    /// Also write it as JSON to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Also write it as JUnit's XML, a case for each figure, for GitLab and Jenkins
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) junit: Option<PathBuf>,
    /// Also write the head's figures in Bencher's JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) bencher: Option<PathBuf>,
    /// Also write the head's figures for github-action-benchmark (customSmallerIsBetter)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) github_benchmark: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// Bounds as they are typed in one word.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bounds(pub(crate) Vec<Bound>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GateFormat {
    /// The figures and the verdict.
    Terminal,
    /// For a comment or a job's summary.
    Markdown,
    /// For programs.
    Json,
}

fn bounds(text: &str) -> Result<Bounds, String> {
    parse_bounds(text).map(Bounds).map_err(|error| error.to_string())
}

fn figure(text: &str) -> Result<Figure, String> {
    figure_named(text.trim()).map_err(|error| error.to_string())
}
