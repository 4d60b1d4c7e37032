//! The command line; `--help` is the manual.

use clap::{Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use velo_judge::planning::Size;
use velo_model::{ContenderName, Link, LoadSettings, Protocol};

use crate::complete;
use crate::examples::{COMPARE_EXAMPLES, EXAMPLES, LINK_EXAMPLES, RUN_EXAMPLES};
use crate::flags::ConfigArgs;
use crate::gate::flags::GateArgs;
use crate::link::{self, LinkChoice};
use crate::load::flags::LoadArgs;
use crate::load::units;
use crate::protocol;
use crate::running::{self, Running};
use crate::values::{self, Cpus, Price};

/// Compares HTTP service stacks and proves its numbers.
///
/// Velodrome builds real servers, checks that each answers correctly, measures them in interleaved blocks of short
/// windows while checking every response, and reports how far each number can be trusted.
#[derive(Debug, Parser)]
#[command(name = "velo", version, after_long_help = EXAMPLES, arg_required_else_help = true)]
#[command(max_term_width = 110)]
pub(crate) struct Args {
    // Taken before and behind every command, and shown by those that have a use for it.
    #[arg(long, global = true, hide = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Measure contenders on workloads and compare them
    Run(Box<RunArgs>),
    /// List workloads and contenders, with the toolchain found or how to install it
    List(ListArgs),
    /// Build contenders, without starting them
    ///
    /// What is built is kept, so that a run begins at once, without the network or a compiler that takes CPU time. Without a
    /// workload: those of all workloads.
    Build(BuildArgs),
    /// Check that contenders answer correctly, without measuring
    Verify(VerifyArgs),
    /// Start contenders as for a run and leave them running, for curl, another load generator or a profiler
    ///
    /// Each is built, started on the CPUs that contenders have in a run, given the data of the workloads, and asked one request of
    /// them. Ctrl-C ends all.
    Serve(ServeArgs),
    /// Print the exact bytes that a workload sends and the answers that it accepts
    Show(ShowArgs),
    /// Look at this machine: what would disturb a run, and which toolchains are here
    Doctor(DoctorArgs),
    /// Report a run's folder again, also that of a partial run
    Report(ReportArgs),
    /// Put a run's measurements into one file, to be reported and compared on another machine
    ///
    /// A tar archive, compressed with gzip: run.json, which names the versions of all that was measured, every window, single
    /// calls, and the checksums of these files, which are verified wherever it is read. Logs and reports are left out.
    Archive(ArchiveArgs),
    /// Compare a run with an earlier one, or contenders within one run
    Compare(CompareArgs),
    /// Measure two revisions of a service against each other: is the later one worse?
    ///
    /// Both are checked out, built, verified, and measured in one run, window beside window, so that what the machine does hits both
    /// alike. It ends as soon as worse, better or within the bounds is known, and at --budget in any case.
    Gate(Box<GateArgs>),
    /// Make a static site of many runs, for any web host
    Site(SiteArgs),
    /// Make a workload, or a contender that answers one, from a template
    New(NewArgs),
    /// Write out the contenders and workloads that velo carries
    ///
    /// For a velo that was installed without a checkout of Velodrome: DIR gets contenders/ and workloads/, half a megabyte of
    /// sources, and runs and builds are kept beside them. Files that are there and differ are not overwritten.
    Contenders(ContendersArgs),
    /// Load a server of your own: checked answers, closed or open loop
    Load(Box<LoadArgs>),
    /// Run a server of your own behind a link with distance
    Link(LinkArgs),
    /// Serve files for a client of your own, whole or with the faults of servers
    ///
    /// Addresses are printed once it listens, on 127.0.0.1 alone. A fault is the first part of a path: short-body, reset, stall, redirect
    /// and others, which velo verify --strictness tries clients with.
    ServeFiles(ServeFilesArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages, one for each command
    Man(ManArgs),
    /// Print the version
    Version,
}

/// Where workloads and contenders are.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct RootArg {
    /// The folder that holds workloads/ and contenders/ [default: the first above the current one that does]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,
}

/// Make a workload, or a contender that answers one, from a template
#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// What to make.
    #[command(subcommand)]
    pub(crate) what: NewWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum NewWhat {
    /// A server, with --task a program without one, with --client a client, in contenders/LANGUAGE/NAME
    Contender(NewContenderArgs),
    /// A workload of one request, in workloads/NAME
    Workload(NewWorkloadArgs),
}

/// A server, with --task a program without one, with --client a client, in contenders/LANGUAGE/NAME
#[derive(Debug, clap::Args)]
pub(crate) struct NewContenderArgs {
    /// Its name, as in python/mine; the languages are go, js and python
    #[arg(value_name = "LANGUAGE/NAME")]
    pub(crate) name: String,
    /// The workload that it answers, or one that velo new made [default: void, of a client download]
    #[arg(long, value_name = "NAME")]
    pub(crate) workload: Option<String>,
    /// A program without a server, for a workload that has a task
    #[arg(long, conflicts_with = "client")]
    pub(crate) task: bool,
    /// A client, for a workload that has downloads
    #[arg(long)]
    pub(crate) client: bool,
    /// The folder in which contenders/ is or will be
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
}

/// A workload of one request, in workloads/NAME
#[derive(Debug, clap::Args)]
pub(crate) struct NewWorkloadArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The contender that scores are relative to [default: python/NAME]
    #[arg(long, value_name = "LANGUAGE/NAME")]
    pub(crate) baseline: Option<String>,
    /// The folder in which workloads/ is or will be
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
}

/// Which contenders; the same in every verb.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Filters {
    /// Only contenders whose language/name matches, as in `go/gin,js/*`; may be given more than once
    #[arg(long, value_name = "GLOB,...", add = ArgValueCompleter::new(complete::contenders))]
    pub(crate) only: Vec<String>,
    /// Not the contenders whose language/name matches; may be given more than once
    #[arg(long, value_name = "GLOB,...", add = ArgValueCompleter::new(complete::contenders))]
    pub(crate) skip: Vec<String>,
    /// All contenders that answer one of the workloads, instead of the default set
    #[arg(long, conflicts_with = "only")]
    pub(crate) all: bool,
    /// A contender's folder (`language/name`, with contender.toml) beside those of contenders/; may be given more
    /// than once
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) contender: Vec<PathBuf>,
    /// A server that runs already, under a name of your choice, as in `mine=http://127.0.0.1:3000`; ranked among such servers
    /// alone, and on this machine only; may be given more than once
    #[arg(long, value_name = "NAME=URL", value_parser = running::parse)]
    pub(crate) url: Vec<Running>,
    /// A workload's folder (with workload.toml) beside those of workloads/; may be given more than once
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workload: Vec<PathBuf>,
}

/// Measure contenders on workloads and compare them
#[derive(Debug, clap::Args)]
#[command(after_long_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// The workloads; `velo list` names them
    #[arg(value_name = "WORKLOAD", add = ArgValueCompleter::new(complete::workloads))]
    pub(crate) workloads: Vec<String>,
    /// Measure as an earlier run did: its workloads, contenders, flags, seed, budget, launches and blocks, and common rate; flags
    /// that are typed win, and what cannot be the same is named before
    #[arg(long, value_name = "RUN", add = ArgValueCompleter::new(complete::runs))]
    pub(crate) like: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// The process of a server that runs already, as in mine=4711, where it is not found by who listens at its address; with all
    /// that it has started; may be given more than once
    #[arg(long, value_name = "NAME=PID", value_parser = running::process)]
    pub(crate) url_pid: Vec<(ContenderName, u32)>,
    /// Move servers that run already to the CPUs of contenders, and back at the end
    #[arg(long)]
    pub(crate) pin: bool,
    /// Measuring time of all servers, launches and warm-up included; in a run of clients alone theirs, of which ten processes for
    /// each size are measured at least, however long that takes; a plain number is seconds [default: what the workloads need, else 3m]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) budget: Option<Duration>,
    /// The longest warm-up of each contender in a launch; it ends sooner when steady
    /// [default: what a tenth of the budget leaves, at most 30s]
    #[arg(long, value_name = "TIME", value_parser = values::duration, conflicts_with = "as_published")]
    pub(crate) warm_up: Option<Duration>,
    /// Launches and blocks of each, as in 8x12, however long they take [default: what the budget buys]
    #[arg(long, value_name = "LAUNCHESxBLOCKS", value_parser = values::plan, conflicts_with_all = ["quick", "as_published"])]
    pub(crate) plan: Option<Size>,
    /// End before the budget is used when every pair is separated or its ratio is known to this half-width, as in
    /// 2%; looked at after launches 5 and 8 of at most 12
    #[arg(long, value_name = "PERCENT", value_parser = values::share, conflicts_with_all = ["quick", "as_published"])]
    pub(crate) precision: Option<f64>,
    /// Also response times at stated rates: 50 % and 80 % of each contender's own highest, and one for all; with
    /// measuring time of its own [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = values::duration, num_args = 0..=1, require_equals = true,
        default_missing_value = "2m", conflicts_with_all = ["quick", "as_published"])]
    pub(crate) latency: Option<Duration>,
    /// Also a sweep of rates from 10 % to 110 % of each contender's goodput, to the knee, in addition to the budget
    #[arg(long, conflicts_with_all = ["quick", "as_published"])]
    pub(crate) curve: bool,
    /// The common rate at which CPU time is compared, as in 2000 or 2k, so that runs of other contenders have the same; those that
    /// cannot serve it are left out there [default: half of what the slowest serves]
    #[arg(long, value_name = "RATE", value_parser = units::positive_rate, conflicts_with_all = ["quick", "as_published"])]
    pub(crate) equal_rate: Option<f64>,
    /// Also, of workloads with bursts, a sweep from 40 to 2,000 connections with one request on each, in addition to the budget
    #[arg(long, conflicts_with_all = ["quick", "as_published"])]
    pub(crate) full: bool,
    /// Single calls, of workloads that ask for them: what one request costs when it is the only one, by phases of connection, TLS,
    /// request and distance, in addition to the budget; `only`: nothing else is measured; `no`: left out [default: as the
    /// workload says, and left out with --quick and --as-published]
    #[arg(long, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub(crate) single_calls: Option<SingleCallsArg>,
    #[command(flatten)]
    pub(crate) cost: CostArgs,
    /// The seed of everything random [default: a new one, printed]
    #[arg(long, value_name = "N", value_parser = values::seed)]
    pub(crate) seed: Option<u64>,
    /// A smoke run: two launches, few windows, no ranking
    #[arg(long, conflicts_with_all = ["budget", "as_published"])]
    pub(crate) quick: bool,
    /// The source's own connections and duration, one window each: for comparing with the published table only
    #[arg(long, conflicts_with_all = ["budget", "connections"])]
    pub(crate) as_published: bool,
    /// Refuse a host that would disturb the figures (exit code 3); otherwise what disturbs is shown and the run goes on
    #[arg(long)]
    pub(crate) strict: bool,
    /// In which order contenders take turns: blocks of one window each, or each in one piece, which only shows what
    /// blocks are good for and marks the result
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = ScheduleArg::Blocks)]
    pub(crate) schedule: ScheduleArg,
    /// Connections, each with as many requests in flight as --streams says [default: the workload's]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) connections: Option<u32>,
    /// What contenders are spoken to in: http1 and h2c (HTTP/2 by prior knowledge) in clear, https1 and h2 (HTTP/2 by ALPN) over
    /// TLS, with certificates made for the run; those that do not speak it are skipped, and services of gRPC are measured
    /// beside any of them [default: the workload's, else http1]
    #[arg(long, value_name = "PROTOCOL", value_parser = protocol::parser())]
    pub(crate) protocol: Option<Protocol>,
    /// Requests in flight on each connection, with h2c and h2; in all, connections times streams. One is what HTTP/1.1 has, so
    /// that the two compare [default: the workload's, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(LoadSettings::MOST_STREAMS)))]
    pub(crate) streams: Option<u32>,
    /// A link with distance between load and contenders, as in rtt=20ms,rate=100mbit,loss=0.1%; none: none, also where a workload
    /// names one. Needs root or user namespaces, and /dev/net/tun [default: the workload's, else none]
    #[arg(long, value_name = "LINK", value_parser = link::choice)]
    pub(crate) link: Option<LinkChoice>,
    /// CPUs of the contenders, as in 0-2 [default: velo chooses]
    #[arg(long, value_name = "LIST", value_parser = values::cpus)]
    pub(crate) server_cpus: Option<Cpus>,
    /// CPUs of the load generator, as in 3 [default: velo chooses]
    #[arg(long, value_name = "LIST", value_parser = values::cpus)]
    pub(crate) load_cpus: Option<Cpus>,
    /// What the processes of each contender may have in memory together, as in 512M or 2G; one that needs more is ended
    /// by the kernel. Needs control groups [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) memory_limit: Option<u64>,
    /// Where clients save what they fetch, as on a real disk [default: memory, /dev/shm]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) download_dir: Option<PathBuf>,
    /// A request without an answer after this long is a timeout
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "5s")]
    pub(crate) timeout: Duration,
    /// Print what would be measured, on which CPUs and for how long, and who is skipped and why; nothing is built or started
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the whole report, not the answer alone
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// The run's folder; must not exist [default: `results/TIME-HOST`]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) place: RootArg,
}

/// Whether single calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SingleCallsArg {
    /// After everything else
    Yes,
    /// They are left out
    No,
    /// Nothing else is measured
    Only,
}

/// What the figures would mean for a service of a stated size.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct CostArgs {
    /// How many cores each contender needs for so many requests a second, as in 20000 or 20k
    #[arg(long, value_name = "RATE", value_parser = units::positive_rate)]
    pub(crate) target_rps: Option<f64>,
    /// What a million requests cost when a core costs so much an hour, as in 0.04 or 0.04EUR
    #[arg(long, value_name = "PER_CORE_HOUR", value_parser = values::price)]
    pub(crate) price: Option<Price>,
    /// How many hours so many people wait in a year for their calls
    #[arg(long, value_name = "N", value_parser = units::count, requires = "calls")]
    pub(crate) users: Option<u64>,
    /// Calls that each of them makes in a year
    #[arg(long, value_name = "N", value_parser = units::count, requires = "users")]
    pub(crate) calls: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleArg {
    /// One window of each contender in random order, again and again.
    Blocks,
    /// All windows of one contender, then all of the next.
    Contiguous,
}

/// List workloads and contenders, with the toolchain found or how to install it
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Only these workloads, and the contenders that answer one of them [default: all]
    #[arg(value_name = "WORKLOAD", add = ArgValueCompleter::new(complete::workloads))]
    pub(crate) workloads: Vec<String>,
    /// Only the contenders that a run of these workloads measures without --only and --all
    #[arg(long)]
    pub(crate) default: bool,
    /// Only the Debian packages that contenders want and that are not installed, one a line
    #[arg(long)]
    pub(crate) missing_packages: bool,
    /// Print workloads and contenders as JSON, for programs
    #[arg(long, conflicts_with = "missing_packages")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: RootArg,
}

/// Build contenders, without starting them
#[derive(Debug, clap::Args)]
// A server that runs already is not built.
#[command(mut_arg("url", |url| url.hide(true)))]
pub(crate) struct BuildArgs {
    /// The workloads [default: all]
    #[arg(value_name = "WORKLOAD", add = ArgValueCompleter::new(complete::workloads))]
    pub(crate) workloads: Vec<String>,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) place: RootArg,
}

/// Check that contenders answer correctly, without measuring
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    /// The workloads [default: all]
    #[arg(value_name = "WORKLOAD", add = ArgValueCompleter::new(complete::workloads))]
    pub(crate) workloads: Vec<String>,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// What contenders are spoken to in, as of velo run: http1, https1, h2c or h2 [default: the workloads', else http1]
    #[arg(long, value_name = "PROTOCOL", value_parser = protocol::parser())]
    pub(crate) protocol: Option<Protocol>,
    /// The seed of the requests' values [default: a new one, printed]
    #[arg(long, value_name = "N", value_parser = values::seed)]
    pub(crate) seed: Option<u64>,
    /// One line a contender, and the cases that failed
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print what each does with odd input, in one table over all contenders; who failed or was skipped goes to standard error
    #[arg(long)]
    pub(crate) strictness: bool,
    /// How to print that table [default: terminal]
    #[arg(long, value_name = "FORMAT", value_enum, requires = "strictness")]
    pub(crate) format: Option<StrictnessFormat>,
    /// Also write each case of each contender as JUnit's XML to this file, for GitLab and Jenkins
    #[arg(long, value_name = "FILE", conflicts_with = "strictness", value_hint = ValueHint::FilePath)]
    pub(crate) junit: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) place: RootArg,
}

/// Start contenders as for a run and leave them running
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// The workloads that they are to answer
    #[arg(value_name = "WORKLOAD", required_unless_present = "workload", add = ArgValueCompleter::new(complete::workloads))]
    pub(crate) workloads: Vec<String>,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// What contenders are to speak, as of velo run: http1, https1, h2c or h2 [default: the workloads', else http1]
    #[arg(long, value_name = "PROTOCOL", value_parser = protocol::parser())]
    pub(crate) protocol: Option<Protocol>,
    /// The port of the first, and of several in turn those behind it [default: free ones, others each time]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    #[command(flatten)]
    pub(crate) place: RootArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrictnessFormat {
    /// For each input who answers what.
    Terminal,
    /// A matrix of contenders and inputs.
    Markdown,
    /// Each answer, for programs.
    Json,
}

/// Print the exact bytes that a workload sends and the answers that it accepts
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// The workload
    #[arg(value_name = "WORKLOAD", add = ArgValueCompleter::new(complete::workloads))]
    pub(crate) workload: String,
    /// A workload's folder (with workload.toml) beside those of workloads/; may be given more than once
    #[arg(long = "workload", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folders: Vec<PathBuf>,
    /// The seed of the values drawn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) place: RootArg,
}

/// Look at this machine: what would disturb a run, and which toolchains are here
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print facts and checks as JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Report a run's folder again, also that of a partial run
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// The run's folder, `results/TIME-HOST`, or its archive
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(complete::runs))]
    pub(crate) run: PathBuf,
    /// How to print it
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Terminal)]
    pub(crate) format: Format,
    /// On a terminal also published figures, details of each contender and its answers to odd input
    #[arg(short, long, conflicts_with = "svg")]
    pub(crate) verbose: bool,
    /// Write the main chart of each workload to this file as one SVG, for a README; `-`: print it
    #[arg(long, value_name = "FILE", conflicts_with = "format", value_hint = ValueHint::FilePath)]
    pub(crate) svg: Option<PathBuf>,
}

/// Put a run's measurements into one file, to be reported and compared on another machine
#[derive(Debug, clap::Args)]
pub(crate) struct ArchiveArgs {
    /// The run's folder: `results/TIME-HOST`
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(complete::runs))]
    pub(crate) dir: PathBuf,
    /// The file; replaces one of that name [default: TIME-HOST.tar.gz in the current folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
}

/// Compare a run with an earlier one, or contenders within one run
///
/// Two questions, and the first line says which is answered. Across time: the same contenders, before and after, with Welch's t
/// over launches; where both runs have the reference, what the machine did between them cancels. Across contenders, with
/// --between: the pairs of one run, as its report has them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArgs {
    /// The run before and the run after: folders (`results/TIME-HOST`), archives, or snapshots that --save wrote; or one run, with
    /// --between or --save behind it
    #[arg(value_name = "RUN", required = true, num_args = 1..=2, add = ArgValueCompleter::new(complete::runs))]
    pub(crate) runs: Vec<PathBuf>,
    /// Compare these contenders of the one run with one another, each pair; as in --between go/gin js/fastify
    #[arg(long, value_name = "CONTENDER", num_args = 2.., value_parser = ContenderName::recorded, add = ArgValueCompleter::new(complete::contenders))]
    pub(crate) between: Vec<ContenderName>,
    /// Write a snapshot of the one run: all that a later comparison needs of it, as JSON; replaces a file of that name
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["between", "format"])]
    pub(crate) save: Option<PathBuf>,
    /// Exit with code 1 when a contender is worse after by more than a percentage, as in regression:3%,startup:10%
    #[arg(long, value_name = "CONDITIONS", conflicts_with_all = ["between", "save"])]
    pub(crate) fail_on: Option<String>,
    /// With --fail-on: exit with code 4 when a condition is undecided; otherwise that is a warning and code 0
    #[arg(long, requires = "fail_on")]
    pub(crate) strict: bool,
    /// With --between: so many people wait for the single calls [default: as the run was asked, else 10,000]
    #[arg(long, value_name = "N", value_parser = units::count, requires_all = ["calls", "between"])]
    pub(crate) users: Option<u64>,
    /// Calls that each of them makes in a year [default: as the run was asked, else 1,000]
    #[arg(long, value_name = "N", value_parser = units::count, requires_all = ["users", "between"])]
    pub(crate) calls: Option<u64>,
    /// How to print it [default: terminal]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: Option<CompareFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// Tables for a terminal.
    Terminal,
    /// A summary for a pull request.
    Markdown,
    /// The comparison, for programs.
    Json,
    /// One page with charts.
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table for a terminal.
    Terminal,
    /// A document.
    Markdown,
    /// A page for a browser, in one file.
    Html,
    /// The judged run, for programs.
    Json,
}

/// Make a static site of many runs, for any web host
///
/// Pages of workloads and contenders with their figures from run to run, and each run's own page. Plain files without a
/// script: they can also be opened from a disk. Runs are held against one another only where host, workload and settings are the
/// same. At most 500 runs and 300 contenders; what is left out is named.
#[derive(Debug, clap::Args)]
pub(crate) struct SiteArgs {
    /// Runs' folders (`results/TIME-HOST`), their archives, or folders that hold such; broken ones are named and left out
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) dirs: Vec<PathBuf>,
    /// The site's folder: a new one, or one that velo site has written, which is written anew; files that others put into it stay
    #[arg(long, value_name = "FOLDER", default_value = "site", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    /// Where the site will be, as in `https://example.org/velo/`: a link to one of its pages then has a title and a sentence where it is
    /// shared
    #[arg(long, value_name = "ADDRESS", value_parser = address, value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
}

/// Of a site: without what comes behind a path.
fn address(text: &str) -> Result<String, String> {
    let host = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let is_host = |host: &str| !host.is_empty() && !host.starts_with('/');
    let is_plain = |c: char| c.is_ascii_graphic() && !"?#\"<>\\".contains(c);
    match host {
        Some(host) if is_host(host) && text.chars().all(is_plain) => Ok(text.to_owned()),
        _ => Err(
            "expected https:// or http:// with a host and perhaps a path, as in https://example.org/velo/"
                .to_owned(),
        ),
    }
}

/// Run a server of your own behind a link with distance
///
/// Each packet to and from it is held for its time: by half of the round-trip time, by the rate, and by none when it is lost.
/// The addresses at which it is reached are printed as it begins to listen.
#[derive(Debug, clap::Args)]
#[command(after_long_help = LINK_EXAMPLES)]
pub(crate) struct LinkArgs {
    /// The link, as in rtt=20ms,rate=100mbit,loss=0.1%
    #[arg(value_name = "LINK", value_parser = link::link)]
    pub(crate) link: Link,
    /// Leave this machine's own network alone, also as root: what connects must be started within the link's other namespace
    #[arg(long)]
    pub(crate) apart: bool,
    /// The seed of random loss
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub(crate) seed: u64,
    /// The server and its arguments
    #[arg(value_name = "COMMAND", last = true, required = true, num_args = 1.., value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

/// Serve files for a client of your own, whole or with the faults of servers
#[derive(Debug, clap::Args)]
pub(crate) struct ServeFilesArgs {
    /// The folder that holds the files
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
    /// The port; 0: any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
}

/// Write out the contenders and workloads that velo carries
#[derive(Debug, clap::Args)]
pub(crate) struct ContendersArgs {
    /// The folder, new or not
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
    /// Replace files that differ
    #[arg(long)]
    pub(crate) force: bool,
}

/// Write the manual pages, one for each command
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The folder that they are written to, as in /usr/local/share/man/man1
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
}

/// Print a completion script for a shell
///
/// It offers commands, flags, workloads, contenders and runs. For this user: velo completions bash >
/// ~/.local/share/bash-completion/completions/velo, velo completions zsh > _velo in a folder of fpath, velo completions fish >
/// ~/.config/fish/completions/velo.fish. Print it anew after velo was replaced.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_fit_a_terminal_of_80_columns() {
        for line in [EXAMPLES, RUN_EXAMPLES, COMPARE_EXAMPLES, LINK_EXAMPLES].into_iter().flat_map(str::lines)
        {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn the_address_of_a_site_is_one_that_pages_can_be_put_behind() {
        for text in ["https://example.org/velo/", "http://localhost:8000", "https://example.org/a%20b"] {
            assert_eq!(address(text).as_deref(), Ok(text));
        }
        for text in [
            "",
            "example.org",
            "ftp://example.org",
            "https://",
            "https:///velo",
            "https://a/?q",
            "https://a/#b",
            "https://a b",
        ] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
