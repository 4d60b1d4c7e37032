use std::hash::{BuildHasher as _, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use velo_judge::Judgement;
use velo_lab::{ExternalServers, LabError, Ran, RunOptions, SingleCalls, TurnOrder, doctor};
use velo_model::{ContenderName, Figure, LoadSettings, PartyRole, Workload};
use velo_record::{ContenderRecord, CostQuestion, EndedBy, Placement, Run, RunFile, RunState};
use velo_report::Weight;
use velo_stats::number::{self, waited};

use super::dry_run;
use crate::again::Deeper;
use crate::args::{CostArgs, RunArgs, ScheduleArg, SingleCallsArg};
use crate::columns;
use crate::exit::{self, usage};
use crate::progress::Display;
use crate::root::Root;
use crate::select::{self, Selection, Unfiltered};
use crate::values::Cpus;
use crate::{again, link, out, protocol, signals, values};

const BUDGET: Duration = Duration::from_secs(180);
/// What `--timeout` is unless said otherwise.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) fn run(args: &RunArgs, root: Option<&Path>) -> anyhow::Result<u8> {
    let root = Root::read(root, &args.filters.workload)?;
    let names = select::workload_names(&args.workloads, &args.filters.workload);
    if names.is_empty() {
        let names: Vec<&str> = root.workloads.iter().map(|workload| workload.name.as_str()).collect();
        return Err(usage(format!("velo run needs a workload\n  name one or more of: {}", names.join(", "))));
    }
    let workloads = select::workloads(&root, &names)?;
    let Selection { mut workloads, contenders } =
        select::contenders(&root, workloads, &args.filters, Unfiltered::DefaultSet)?;
    let mut overrides = overrides(&workloads, args);
    overrides.extend(protocol::overrides(&workloads, args.protocol, args.streams));
    protocol::set(&mut workloads, args.protocol, args.streams)?;
    overrides.extend(link::overrides(&workloads, args.link));
    link::set(&mut workloads, args.link, &contenders)?;
    let needs_link = args.link.is_some();
    let single_calls = single_calls(&workloads, args)?;
    let has_distance = |workload: &Workload| {
        single_calls != SingleCalls::No && workload.call_conditions().any(|condition| condition.rtt_ms > 0)
    };
    if workloads.iter().any(|one| one.load.link.is_some() || has_distance(one)) && !args.dry_run {
        // While there is one thread. Where a workload alone asks for the link, the lab goes on without and says so.
        match velo_link::obtain_rights() {
            Err(error) if needs_link => anyhow::bail!("--link: {error}\n  {}", error.cure()),
            _ => {}
        }
    }
    if let Some(dir) = args.download_dir.as_ref().filter(|dir| !dir.is_dir()) {
        return Err(usage(format!("--download-dir {}: expected an existing folder", dir.display())));
    }
    if args.download_dir.is_some() && workloads.iter().all(|workload| workload.download.is_none()) {
        return Err(usage(
            "--download-dir does nothing here\n  it is for workloads that compare clients, as velo run download",
        ));
    }
    let stop = signals::stop_on_signals()?;
    set_load(&mut workloads, args)?;
    check_cpus(args)?;

    let budget = args.budget.unwrap_or_else(|| usual_budget(&workloads));
    let seed = args.seed.unwrap_or_else(new_seed);
    let out_dir = match &args.out {
        Some(dir) if dir.exists() => return Err(is_there_already(dir)),
        Some(dir) if args.dry_run => dir.clone(),
        None if args.dry_run => root.results_dir(),
        Some(dir) if claim(dir)? => dir.clone(),
        Some(dir) => return Err(is_there_already(dir)),
        None => new_folder(&root)?,
    };
    let options = RunOptions {
        workloads,
        contenders,
        out_dir: out_dir.clone(),
        cache_dir: root.cache_dir(),
        seed,
        budget,
        size: args.plan,
        precision: args.precision,
        latency: args.latency,
        curve: args.curve,
        full: args.full,
        single_calls,
        warm_up: args.warm_up,
        equal_rate_per_s: args.equal_rate,
        gate: None,
        varies_layout: false,
        schedule: match args.schedule {
            ScheduleArg::Blocks => TurnOrder::Blocks,
            ScheduleArg::Contiguous => TurnOrder::Contiguous,
        },
        strict: args.strict,
        cost: cost_question(&args.cost),
        quick: args.quick,
        as_published: args.as_published,
        timeout: args.timeout,
        needs_link,
        memory_limit_bytes: args.memory_limit,
        download_dir: args.download_dir.clone(),
        placement: placement(args),
        external: external(args)?,
        overrides,
        command: again::command_line().iter().skip(1).cloned().collect(),
    };
    if args.dry_run {
        out::print(&dry_run::text(&options, &velo_lab::preview(&options)?))?;
        return Ok(exit::DONE);
    }
    for workload in &options.workloads {
        let question = columns::wrap(&workload.question, workload.name.len() + 2, 80);
        out::talk(&format!("{}: {question}\n", workload.name));
    }
    out::talk(&format!(
        "velo {}, seed {seed}, {}\n",
        env!("CARGO_PKG_VERSION"),
        values::count(options.contenders.len(), "contender")
    ));
    let unfit = |_: &LabError| drop(std::fs::remove_dir(&out_dir));
    out::talk(&dry_run::time(&options, &velo_lab::preview(&options).inspect_err(unfit)?));

    let mut display = Display::new();
    let ran = velo_lab::run(&options, &mut display, &stop);
    display.end();
    // A run that never began leaves nothing; what is not empty stays.
    let Ran { file, failed } = ran.inspect_err(|_| drop(std::fs::remove_dir(&out_dir)))?;
    let mut run = velo_record::read_run(&out_dir)?;
    // A full disk may have kept the folder from what is known here.
    run.file = file;
    if run.file.state == RunState::Interrupted && failed.is_none() && is_empty(&run) {
        std::fs::remove_dir_all(&out_dir)?;
        out::talk("stopped before anything was measured\n");
        return Ok(exit::INTERRUPTED);
    }
    let judged = velo_judge::judge_run(&run.file, &run.windows);
    let judgement = &judged.judgement;
    out::talk(&timings(&run.file));
    let depth = if args.verbose { Weight::Main } else { Weight::Headline };
    // The table first: whatever happens to the files, it is told.
    let printed = out::print(&format!("\n{}", super::report::terminal(judgement, depth)));
    let written = super::report::write(&out_dir, &run, &judged);
    if let Some(error) = failed {
        return Err(not_finished(&out_dir, &run.file, error));
    }
    written?;
    printed?;
    let has_servers = judgement.workloads.iter().any(|workload| !workload.rows.is_empty());
    let deeper = (has_servers && !args.as_published)
        .then(|| deeper(&run.file, judgement, budget, args.budget.is_some()));
    out::print(&footer(&out_dir, deeper, seed))?;
    Ok(if stop.asked() || run.file.state == RunState::Interrupted {
        exit::INTERRUPTED
    } else {
        exit::verdict(judgement)
    })
}

/// The budget that would tell more: one that ranks, where this one had no room for it; the whole of this one, where the run did not
/// use it; that which resolves all pairs that one can resolve; else three times as much.
fn deeper(file: &RunFile, judgement: &Judgement, budget: Duration, is_given: bool) -> Deeper {
    if file.settings.quick {
        return if is_given { Deeper::Budget(budget) } else { Deeper::Usual };
    }
    if matches!(file.ended_by, Some(EndedBy::Precision { .. })) {
        return Deeper::Whole(budget);
    }
    let pairs = judgement.workloads.iter().filter_map(|workload| workload.pairs_by(Figure::Goodput, None));
    let promised = pairs
        .flat_map(|pairs| &pairs.compared)
        .filter_map(|pair| pair.would_tell?.budget_ns)
        .max()
        .map(Duration::from_nanos)
        .filter(|promised| *promised > budget);
    let needed_s = file.plan.as_ref().and_then(|plan| plan.needed_budget_s).unwrap_or(0);
    Deeper::Budget(Duration::from_secs(needed_s).max(promised.unwrap_or(budget * 3)))
}

/// Nothing was measured.
fn is_empty(run: &Run) -> bool {
    let has_none = |contender: &ContenderRecord| contender.tasks.is_empty();
    run.windows.is_empty() && run.file.calls.is_empty() && run.file.contenders.iter().all(has_none)
}

/// The error of a run that could not come to its end, or not put that on disk, with what is left of it.
fn not_finished(dir: &Path, file: &RunFile, error: LabError) -> anyhow::Error {
    let dir = again::shown_path(dir);
    let kept = match file.state {
        RunState::Running => {
            format!("what was measured until then is kept in {dir}: `velo report {dir}` prints it again")
        }
        RunState::Complete | RunState::Interrupted => format!(
            "all was measured, and the table above counts; {dir} does not know that the run has ended, so that `velo report` \
             calls it partial"
        ),
    };
    anyhow::anyhow!("{:#}\n  {kept}", anyhow::Error::from(error))
}

/// What workloads need that say so, else three minutes.
fn usual_budget(workloads: &[Workload]) -> Duration {
    let own = workloads.iter().filter_map(|workload| workload.load.budget_s);
    own.max().map_or(BUDGET, |seconds| Duration::from_secs(u64::from(seconds)))
}

/// A seed that a person can type again.
pub(crate) fn new_seed() -> u64 {
    RandomState::new().hash_one(()) % 1_000_000
}

/// What is to be made of the figures, when anything is.
fn cost_question(args: &CostArgs) -> Option<CostQuestion> {
    let price = args.price.as_ref();
    let question = CostQuestion {
        target_rps: args.target_rps,
        price_per_core_hour: price.map(|price| price.amount),
        currency: price.and_then(|price| price.currency.clone()),
        users: args.users,
        calls_per_user_per_year: args.calls,
    };
    (question != CostQuestion::default()).then_some(question)
}

/// What departs from the workloads' own settings and so from what others measure with them.
fn overrides(workloads: &[Workload], args: &RunArgs) -> Vec<String> {
    let mut overrides = Vec::new();
    if let Some(connections) = args.connections {
        for workload in workloads {
            let is_other =
                |load: &&LoadSettings| load.connections_per_core.is_some() || load.connections != connections;
            let Some(own) = workload.load_settings().find(is_other) else { continue };
            let own = match own.connections_per_core {
                None => own.connections.to_string(),
                Some(per_core) => format!("{per_core} for each CPU of the contender"),
            };
            overrides.push(format!("{connections} connections instead of {own} on {}", workload.name));
        }
    }
    if args.timeout < TIMEOUT {
        overrides.push(format!(
            "--timeout {} ms instead of {} ms",
            args.timeout.as_millis(),
            TIMEOUT.as_millis()
        ));
    }
    if let Some(dir) = &args.download_dir {
        overrides.push(format!("files saved in {} instead of memory", dir.display()));
    }
    if let Some(rate_per_s) = args.equal_rate {
        overrides.push(format!(
            "--equal-rate {} requests/s instead of half of what the slowest serves",
            number::rate(rate_per_s)
        ));
    }
    if args.schedule == ScheduleArg::Contiguous {
        overrides
            .push("each contender measured in one piece, so that drift of the machine counts".to_owned());
    }
    overrides
}

fn set_load(workloads: &mut [Workload], args: &RunArgs) -> anyhow::Result<()> {
    for workload in workloads {
        if let Some(connections) = args.connections {
            set_connections(workload, connections);
        }
        if args.as_published && workload.load.as_published.is_none() {
            return Err(usage(format!(
                "--as-published: {} does not say how its source loaded it (`run.as_published`)",
                workload.name
            )));
        }
    }
    Ok(())
}

/// Gives each load so many connections, however many CPUs a contender has. Of loads that are equal then the first stays.
fn set_connections(workload: &mut Workload, connections: u32) {
    for load in workload.load_settings_mut() {
        load.connections = connections;
        load.connections_per_core = None;
    }
    let mut kept = vec![(workload.load.clone(), workload.download.clone())];
    workload.further.retain(|load| {
        let own = (load.settings.clone(), load.download.clone());
        let is_new = !kept.contains(&own);
        kept.push(own);
        is_new
    });
}

/// Whether single calls are made; asked for in so many words, a workload must have some.
fn single_calls(workloads: &[Workload], args: &RunArgs) -> anyhow::Result<SingleCalls> {
    let asked = match args.single_calls {
        None if args.quick || args.as_published => return Ok(SingleCalls::No),
        None => return Ok(SingleCalls::Yes),
        Some(SingleCallsArg::No) => return Ok(SingleCalls::No),
        Some(SingleCallsArg::Yes) => SingleCalls::Yes,
        Some(SingleCallsArg::Only) => SingleCalls::Only,
    };
    if workloads.iter().all(|workload| workload.calls.is_empty()) {
        let names: Vec<&str> = workloads.iter().map(|workload| workload.name.as_str()).collect();
        return Err(usage(format!(
            "--single-calls: {} asks for none (`[[calls]]` in its workload.toml)\n  expected a workload that does, such as users",
            names.join(", ")
        )));
    }
    Ok(asked)
}

/// The CPUs that were named.
fn placement(args: &RunArgs) -> Placement {
    let of = |role, cpus: &Option<Cpus>| cpus.as_ref().map(|cpus| (role, cpus.0.clone()));
    let named = [of(PartyRole::Contender, &args.server_cpus), of(PartyRole::Generator, &args.load_cpus)];
    Placement::new(named.into_iter().flatten())
}

/// What was said of servers that run already.
fn external(args: &RunArgs) -> anyhow::Result<ExternalServers> {
    let names: Vec<&ContenderName> = args.filters.url.iter().map(|running| &running.name).collect();
    if args.pin && names.is_empty() {
        return Err(usage(
            "--pin does nothing here\n  it is for servers that run already, as in --url mine=http://127.0.0.1:3000",
        ));
    }
    if let Some((name, pid)) = args.url_pid.iter().find(|(name, _)| !names.contains(&name)) {
        return Err(usage(format!(
            "--url-pid {name}={pid}: no --url has that name\n  expected --url {name}=URL"
        )));
    }
    Ok(ExternalServers { pids: args.url_pid.iter().cloned().collect(), pins: args.pin })
}

fn check_cpus(args: &RunArgs) -> anyhow::Result<()> {
    let (Some(server), Some(load)) = (&args.server_cpus, &args.load_cpus) else { return Ok(()) };
    match server.0.iter().find(|cpu| load.0.contains(cpu)) {
        Some(cpu) => Err(usage(format!(
            "--server-cpus and --load-cpus both name CPU {cpu}\n  expected CPUs of their own for contenders and generator"
        ))),
        None => Ok(()),
    }
}

pub(super) fn is_there_already(out: &Path) -> anyhow::Error {
    usage(format!("--out {}: expected the name of a new folder", out.display()))
}

/// Makes a run's folder, which from then on is nobody else's. False: it is there already.
pub(super) fn claim(dir: &Path) -> anyhow::Result<bool> {
    let cannot = |error: std::io::Error| {
        anyhow::anyhow!("{} cannot be made: {error}\n  --out DIR names another folder", dir.display())
    };
    std::fs::create_dir_all(dir.parent().unwrap_or(Path::new(""))).map_err(cannot)?;
    match std::fs::create_dir(dir) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        made => made.map(|()| true).map_err(cannot),
    }
}

/// `results/2026-11-21T10-31-02-myhost`; with a number behind it when another run began in the same second.
pub(super) fn new_folder(root: &Root) -> anyhow::Result<PathBuf> {
    let time = jiff::Zoned::now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
    let host: String = doctor::facts_at_a_glance()
        .hostname
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '-' })
        .take(64)
        .collect();
    let name = format!("{time}-{}", if host.is_empty() { "host" } else { &host });
    claim_numbered(&root.results_dir().join(name))
}

fn claim_numbered(dir: &Path) -> anyhow::Result<PathBuf> {
    let numbered = (2..100).map(|number| PathBuf::from(format!("{}-{number}", dir.display())));
    for dir in std::iter::once(dir.to_owned()).chain(numbered) {
        if claim(&dir)? {
            return Ok(dir);
        }
    }
    Err(usage(format!("{} is taken: name another with --out", dir.display())))
}

fn timings(file: &RunFile) -> String {
    let time = |nanoseconds| waited(Duration::from_nanos(nanoseconds));
    let timings = &file.timings;
    format!(
        "took     build {}, verify {}, measure {}\n{}",
        time(timings.build_ns),
        time(timings.verify_ns),
        time(timings.measure_ns),
        ended(file)
    )
}

/// Which of the two ended a run that could end early; nothing of one that could not, or was stopped.
fn ended(file: &RunFile) -> String {
    let (Some(precision), Some(ended_by)) = (file.settings.precision, file.ended_by) else {
        return String::new();
    };
    let planned = file.plan.as_ref().map_or(0, |plan| plan.launches);
    let precision = values::percent(precision);
    match ended_by {
        // A gate says itself how it ended.
        EndedBy::Gate { .. } => String::new(),
        EndedBy::Precision { launch } => format!(
            "ended    after launch {launch} of {planned}: every pair is separated or known to {precision}\n"
        ),
        EndedBy::Plan if file.plan.as_ref().is_some_and(|plan| plan.looks.len() > 1) => format!(
            "ended    by its plan, after launch {planned}: no look before found every pair separated or known to {precision}\n"
        ),
        EndedBy::Plan => format!(
            "ended    by its plan, after launch {planned}: the first look comes after 5 launches, and --budget had room for no more\n"
        ),
    }
}

/// The run's folder, and what may be asked next. `deeper`: what would tell more; `servers`: the judged run, where servers
/// were compared in it. Tasks have neither. `has_own`: a server of the reader's own was among them.
fn footer(out_dir: &Path, deeper: Option<Deeper>, seed: u64) -> String {
    let dir = again::shown_path(out_dir);
    let command = again::command_line();
    let mut text = format!("\npage      {dir}/report.html\nall       velo report {dir}\n");
    let next = match deeper {
        Some(deeper) => format!("deeper    {}", again::deeper(command, deeper)),
        None => format!("again     {}", again::same(command, seed)),
    };
    text.push_str(&format!("{next}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation};
    use velo_model::Load;
    use velo_record::Look;

    /// Of five launches; three contenders, of which the first two may be alike.
    fn run(second_per_s: f64) -> (RunFile, Judgement) {
        let mut simulation = Simulation::new(vec![
            Simulated::new("go/net-http", 40_000.0),
            Simulated::new("go/gin", second_per_s),
            Simulated::new("js/node-http", 30_000.0),
        ]);
        simulation.noise_of_launches = 0.06;
        let (file, windows) = simulation.run();
        let judgement = velo_judge::judge(&file, &windows);
        (file, judgement)
    }

    fn looks(launches: &[u32]) -> Vec<Look> {
        launches.iter().map(|launch| Look { launch: *launch, level: 0.01 }).collect()
    }

    #[test]
    fn connections_are_the_same_in_each_load_and_loads_that_are_equal_then_are_one() {
        let mut workload = run(40_000.0).0.workloads.remove(0);
        let per_core = |connections| LoadSettings {
            connections,
            connections_per_core: Some(connections),
            ..workload.load.clone()
        };
        let turns = LoadSettings { requests_per_connection: Some(1), ..per_core(4) };
        let further = [("4-per-core", per_core(4)), ("turns", turns)];
        workload.load = per_core(1);
        workload.further =
            further.map(|(name, settings)| Load { name: name.to_owned(), settings, download: None }).to_vec();
        set_connections(&mut workload, 64);
        let loads = workload.loads(2);
        let told: Vec<_> = loads
            .iter()
            .map(|one| (one.name.as_str(), one.load.connections, one.load.requests_per_connection))
            .collect();
        let turns = format!("{}-turns", workload.name);
        assert_eq!(told, [(workload.name.as_str(), 64, None), (turns.as_str(), 64, Some(1))]);
    }

    #[test]
    fn runs_that_begin_at_once_have_a_folder_each() {
        let results = tempfile::tempdir().unwrap();
        let dir = results.path().join("results/2026-11-21T10-31-02-myhost");
        let names = |claimed: Vec<PathBuf>| -> Vec<String> {
            let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            let mut names: Vec<String> = claimed.iter().map(name).collect();
            names.sort();
            names
        };
        let claimed = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| claim_numbered(&dir).unwrap())).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        let name = "2026-11-21T10-31-02-myhost";
        assert_eq!(
            names(claimed),
            [name.to_owned(), format!("{name}-2"), format!("{name}-3"), format!("{name}-4")]
        );
        assert!(!claim(&dir).unwrap() && claim(&results.path().join("own")).unwrap());
        std::fs::write(results.path().join("file"), "").unwrap();
        assert!(claim(&results.path().join("file/own")).is_err());
    }

    #[test]
    fn what_ended_a_run_is_said() {
        let (mut file, _) = run(20_000.0);
        assert_eq!(ended(&file), "", "it could not end early");
        file.settings.precision = Some(0.02);
        let plan = file.plan.as_mut().expect("a plan");
        (plan.launches, plan.looks) = (12, looks(&[5, 8, 12]));
        file.ended_by = Some(EndedBy::Precision { launch: 5 });
        assert_eq!(ended(&file), "ended    after launch 5 of 12: every pair is separated or known to 2 %\n");
        file.ended_by = Some(EndedBy::Plan);
        assert_eq!(
            ended(&file),
            "ended    by its plan, after launch 12: no look before found every pair separated or known to 2 %\n"
        );
        let plan = file.plan.as_mut().expect("a plan");
        (plan.launches, plan.looks) = (5, looks(&[5]));
        assert_eq!(
            ended(&file),
            "ended    by its plan, after launch 5: the first look comes after 5 launches, and --budget had room for no more\n"
        );
    }

    #[test]
    fn the_budget_that_tells_more_is_what_was_promised() {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        let (mut file, judgement) = run(20_000.0);
        let told = |file: &RunFile, judgement: &Judgement| deeper(file, judgement, minutes(3), true);
        assert_eq!(told(&file, &judgement), Deeper::Budget(minutes(9)), "nothing is open");
        file.ended_by = Some(EndedBy::Precision { launch: 5 });
        assert_eq!(told(&file, &judgement), Deeper::Whole(minutes(3)), "which it has not used");
        let (mut file, judgement) = run(39_000.0);
        let pairs = judgement.workloads[0].pairs_by(Figure::Goodput, None).expect("pairs");
        let open = pairs.compared.iter().find_map(|pair| pair.would_tell).expect("an open pair");
        let promised = Duration::from_nanos(open.budget_ns.expect("a budget"));
        assert!(promised > minutes(3));
        assert_eq!(told(&file, &judgement), Deeper::Budget(promised));
        file.settings.quick = true;
        assert_eq!(told(&file, &judgement), Deeper::Budget(minutes(3)));
        assert_eq!(deeper(&file, &judgement, minutes(3), false), Deeper::Usual);
    }
}
