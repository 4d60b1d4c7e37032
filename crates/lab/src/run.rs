//! A run from first to last.

use std::path::Path;
use std::rc::Rc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use velo_model::PartyRole;
use velo_record::{ContenderRecord, Identity, RunFile, RunState, RunWriter, Settings, Timings};

use crate::LabError;
use crate::build::environment;
use crate::clock::{self, Clock, MachineClock};
use crate::course::measure::measure;
use crate::course::rig::Rig;
use crate::host::doctor;
use crate::host::machine::{Host, Machine};
use crate::host::network::Network;
use crate::host::placement;
use crate::host::strict;
use crate::options::{RunOptions, SingleCalls, VerifyOptions};
use crate::prepare::context::Context;
use crate::prepare::distance::{self, Joined};
use crate::prepare::speech;
use crate::prepare::twin;
use crate::process::cage::CageMaker;
use crate::process::memory_limit::MemoryLimit;
use crate::progress::{Event, Progress, Stop};
use crate::sides::files::Files;
use crate::sides::layout::Layout;
use crate::sides::load_side::{LoadSide, LocalLoad};
use crate::sides::started::LaunchPad;

/// What a run came to once it was measuring.
#[derive(Debug)]
pub struct Ran {
    /// The run as it ended, whether or not its folder could still take it. Its windows are on disk.
    pub file: RunFile,
    /// What kept it from its end, or from saying so in its folder.
    pub failed: Option<LabError>,
}

/// Runs: builds, verifies, measures; each window is on disk before the next begins.
///
/// # Errors
/// When the host is unfit or the run's folder cannot be written, before anything was measured. A contender's failure is in
/// the record instead.
pub fn run(options: &RunOptions, progress: &mut dyn Progress, stop: &Stop) -> Result<Ran, LabError> {
    raise_file_limit();
    let placement = placement::choose(&options.placement)?;
    let mut workloads = workloads(options, placement.cpus(PartyRole::Contender).len());
    make_room(most_connections(&workloads))?;
    progress.event(&Event::Placed(placement.clone()));
    let cages = cages(options)?;
    let Joined { network, without } =
        distance::join(&mut workloads, options.seed, placement.cpus(PartyRole::Link), options.needs_link)?;
    let mut settings = settings(options);
    if let Some(without) = without {
        progress.event(&Event::NoLink { words: without.clone() });
        settings.overrides.push(without);
    }
    let (host, checks) = doctor::before_run();
    if options.strict
        && let Some(refusal) = strict::refusal(&checks)
    {
        return Err(refusal);
    }
    progress.event(&Event::Examined(checks));
    let mut file = RunFile {
        format: velo_record::FORMAT,
        state: RunState::Running,
        started_at: clock::today(),
        ended_at: None,
        command: options.command.clone(),
        identity: identity(options),
        settings,
        host,
        workloads,
        placement,
        cpu_accounting: cages.accounting(),
        environment: environment::of_measured(),
        build_environment: environment::names_of_builds(),
        contenders: Vec::new(),
        costs: None,
        plan: None,
        ended_by: None,
        timings: Timings::default(),
        calls_left_out: Vec::new(),
        calls: Vec::new(),
    };
    let mut writer = RunWriter::create(&options.out_dir, &file)?;
    let log_dir = options.out_dir.join("logs");
    let clock: Rc<dyn Clock> = Rc::new(MachineClock::start());
    let mut pad = LaunchPad::new(
        cages,
        file.placement.cpus(PartyRole::Contender),
        speech::is_encrypted(&file.workloads),
        network.clone(),
    )?;
    pad.external = options.external.clone();
    pad.layout = options.varies_layout.then(|| Layout::new(options.seed));
    let files = files(
        &file.workloads,
        file.placement.cpus(PartyRole::FileServer),
        options.download_dir.as_deref(),
        &pad,
    )?;
    let mut context = Context::new(
        &options.contenders,
        &file.workloads,
        (Box::new(pad), Rc::clone(&clock)),
        log_dir,
        options.seed,
        progress,
        stop,
    )?;
    context.files = files;

    let began = clock.now();
    let built = context.build(&options.cache_dir, speech::of(&file.workloads))?;
    file.timings.build_ns = clock.since(began).as_nanos() as u64;
    file.contenders.clone_from(&context.records);
    writer.update(&file)?;

    let began = clock.now();
    let mut passed = context.verify(built, &file.workloads);
    if has_control(options) {
        twin::add(&mut context.records, &mut passed.servers);
    }
    file.timings.verify_ns = clock.since(began).as_nanos() as u64;
    file.contenders.clone_from(&context.records);
    writer.update(&file)?;

    let load = LocalLoad::new(
        file.placement.cpus(PartyRole::Generator),
        velo_load::DriverChoice::Auto,
        network.clone(),
    )
    .map_err(|error| LabError::Unfit { what: error.to_string(), cure: "see `velo doctor`".to_owned() })?;
    let sides = (Box::new(load) as Box<dyn LoadSide>, Rc::new(Machine::new(network)) as Rc<dyn Host>);
    let (file, failed) = measure(Rig::new(options, context, file, writer, sides), passed);
    Ok(Ran { file, failed })
}

/// Builds contenders without starting them.
///
/// # Errors
/// As of [`verify`].
pub fn build(
    options: &VerifyOptions,
    progress: &mut dyn Progress,
    stop: &Stop,
) -> Result<Vec<ContenderRecord>, LabError> {
    let mut context = prepared(options, progress, stop)?;
    context.build(&options.cache_dir, speech::of(&options.workloads))?;
    Ok(context.records)
}

/// Builds and conformance-checks contenders without measuring.
///
/// # Errors
/// When the host is unfit or the log folder cannot be written. A contender's failure is in its record instead.
pub fn verify(
    options: &VerifyOptions,
    progress: &mut dyn Progress,
    stop: &Stop,
) -> Result<Vec<ContenderRecord>, LabError> {
    let mut context = prepared(options, progress, stop)?;
    let built = context.build(&options.cache_dir, speech::of(&options.workloads))?;
    context.verify(built, &options.workloads);
    Ok(context.records)
}

/// What starts contenders without measuring them.
pub(crate) fn prepared<'a>(
    options: &VerifyOptions,
    progress: &'a mut dyn Progress,
    stop: &'a Stop,
) -> Result<Context<'a>, LabError> {
    // Its cases are asked one by one.
    make_room(1)?;
    let placement = placement::unmeasured()?;
    let mut pad = LaunchPad::new(
        CageMaker::find(),
        placement.cpus(PartyRole::Contender),
        speech::is_encrypted(&options.workloads),
        // What an answer is does not depend on how far it comes from.
        Network::default(),
    )?;
    pad.next_port = options.port;
    let files = files(&options.workloads, placement.cpus(PartyRole::FileServer), None, &pad)?;
    let mut context = Context::new(
        &options.contenders,
        &options.workloads,
        (Box::new(pad), Rc::new(MachineClock::start())),
        options.log_dir.clone(),
        options.seed,
        progress,
        stop,
    )?;
    context.files = files;
    context.tries_faults = options.faults;
    Ok(context)
}

/// What clients fetch from, where any are to be measured.
fn files(
    workloads: &[velo_model::Workload],
    cpus: &[u32],
    dir: Option<&Path>,
    pad: &LaunchPad,
) -> Result<Option<Rc<Files>>, LabError> {
    if workloads.iter().all(|workload| workload.download.is_none()) {
        return Ok(None);
    }
    let files = Files::start(cpus, dir).map_err(|error| LabError::Unfit {
        what: format!("the server of files cannot be started: {error}"),
        cure:
            "see that /dev/shm, TMPDIR or --download-dir can be written, and that 127.0.0.1 has a free port"
                .to_owned(),
    })?;
    pad.watch_folder(files.folder());
    if let Some(saved) = files.saved_in() {
        pad.watch_folder(saved);
    }
    Ok(Some(Rc::new(files)))
}

/// Where contenders' processes are kept together, with a limit on their memory when one is asked for.
fn cages(options: &RunOptions) -> Result<CageMaker, LabError> {
    let Some(bytes) = options.memory_limit_bytes else { return Ok(CageMaker::find()) };
    CageMaker::with_memory_limit(MemoryLimit(bytes)).map_err(|reason| LabError::Unfit {
        what: format!("--memory-limit cannot be kept on this machine: {reason}"),
        cure: "run as root, or in a control group of your own (`systemd-run --user --scope -p Delegate=yes velo run ...`); \
               without --memory-limit there is none"
            .to_owned(),
    })
}

/// With so few launches as these have there is no interval that could hold 1.
fn has_control(options: &RunOptions) -> bool {
    !options.quick && !options.as_published
}

fn identity(options: &RunOptions) -> Identity {
    Identity {
        velo: env!("CARGO_PKG_VERSION").to_owned(),
        driver: driver(options).to_owned(),
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        workload_hashes: options.workloads.iter().map(|workload| workload.hash.clone()).collect(),
    }
}

/// What the generator moves bytes with when the workload with the most connections is loaded.
fn driver(options: &RunOptions) -> &'static str {
    let loads = options.workloads.iter().flat_map(velo_model::Workload::load_settings);
    let most = loads.map(|load| load.connections).max();
    velo_load::DriverChoice::Auto.name(most.unwrap_or(1))
}

fn settings(options: &RunOptions) -> Settings {
    Settings {
        seed: options.seed,
        budget_ns: options.budget.as_nanos() as u64,
        precision: options.precision,
        latency_budget_ns: options.latency.map(|budget| budget.as_nanos() as u64),
        quick: options.quick,
        as_published: options.as_published,
        timeout_ns: options.timeout.as_nanos() as u64,
        memory_limit_bytes: options.memory_limit_bytes,
        overrides: options.overrides.clone(),
        cost: options.cost.clone(),
    }
}

/// The workloads as they will be used: one for each of their loads, and with the source's own connections when those are
/// asked for.
pub(crate) fn workloads(options: &RunOptions, cores: usize) -> Vec<velo_model::Workload> {
    let mut workloads: Vec<_> =
        options.workloads.iter().flat_map(|workload| workload.loads(cores as u32)).collect();
    if options.single_calls == SingleCalls::Only {
        workloads.retain(|workload| !workload.calls.is_empty());
    }
    if options.as_published {
        for workload in &mut workloads {
            if let Some(published) = &workload.load.as_published {
                workload.load.connections = published.connections;
            }
        }
    }
    workloads
}

/// Each connection is an open file: the soft limit is raised to the hard one.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    // Where it may not be raised it stays, and is looked at below.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// Else a generator that cannot open its connections would be taken for contenders that refuse them.
fn make_room(connections: u32) -> Result<(), LabError> {
    velo_load::make_room(connections).map_err(|few| LabError::Unfit { what: few.what, cure: few.cure })
}

/// That any part of the workloads opens at a time.
fn most_connections(workloads: &[velo_model::Workload]) -> u32 {
    let bursts = workloads.iter().flat_map(|workload| &workload.bursts).map(|burst| burst.connections);
    let at_once =
        workloads.iter().filter_map(|workload| workload.download.as_ref()).map(|download| download.at_once);
    let loads = workloads.iter().filter(|workload| !workload.requests.is_empty());
    loads.map(|workload| workload.load.connections).chain(bursts).chain(at_once).max().unwrap_or(1)
}
