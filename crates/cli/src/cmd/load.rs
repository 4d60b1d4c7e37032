use std::path::Path;
use std::sync::Arc;

use velo_judge::load::{LoadResult, compare, judge, parse_conditions};
use velo_lab::doctor::CpuQuota;
use velo_load::{Connect, Generator, Limits, Live, Target, WindowReport, WindowSettings};
use velo_record::{LoadMoment, LoadSettings, LoadTarget};
use velo_report::TerminalOptions;

use crate::exit::{self, usage};
use crate::load::flags::LoadArgs;
use crate::load::live::{Shown, Watch, Watched};
use crate::load::mix::{self, Asked};
use crate::load::model::{self, Model};
use crate::load::outputs::Outputs;
use crate::load::target::{self, Endpoints};
use crate::load::{checks, engine, hints, record, shown, tls};
use crate::{out, signals, values};

/// A load that only a count would end is given up when no connection could be opened for so long.
const GIVE_UP_NS: u64 = 10_000_000_000;
/// A load of any kind is, when none could be opened from its beginning on.
const GIVE_UP_UNREACHED_NS: u64 = 1_000_000_000;

pub(crate) fn run(args: &LoadArgs) -> anyhow::Result<u8> {
    if let Some(other) = args.against.url.as_ref().filter(|_| !args.requests.dry_run) {
        return super::load_against::run(args, other);
    }
    let seed = args.model.seed.unwrap_or_else(super::run::new_seed);
    let conditions = match &args.result.fail_on {
        Some(text) => parse_conditions(text).map_err(|error| usage(format!("--fail-on {error}")))?,
        None => Vec::new(),
    };
    let model = model::read(&args.model, seed)?;
    checks::connections(args)?;
    checks::count(args, &model)?;
    let asked = mix::read(args)?;
    if args.requests.dry_run {
        out::print(&shown::dry_run(&asked, seed))?;
        return Ok(exit::DONE);
    }
    let encryption = tls::settings(&args.https, &args.url, args.speaks_http2())?;
    let before = args.result.compare_to.as_deref().map(earlier).transpose()?;
    velo_load::make_room(model.connections)?;
    let threads = engine::threads(&args.model, &args.engine, model.connections)?;
    target::wait(&args.url, &args.connections, !args.result.quiet)?;
    let endpoints = target::endpoints(&args.url, &args.connections)?;
    let settings = record::settings(args, &model, &asked, &threads.cpus, seed);
    if let Some(why) = conditions.iter().find_map(|condition| condition.is_impossible(&settings)) {
        return Err(usage(format!("--fail-on {why}")));
    }
    let files = &args.result;
    let outputs = Outputs::open(&[
        ("--json", &files.json, velo_report::load::json),
        ("--csv", &files.csv, velo_report::load::csv),
        ("--html", &files.html, velo_report::load::html),
        ("--hdr-log", &files.hdr_log, velo_report::load::hdr_log),
    ])?;
    if !args.result.quiet {
        announce(args, &settings, &endpoints, &asked);
    }
    let lacking = conditions.iter().filter_map(|condition| condition.lacks_samples(&settings));
    for warning in threads.warning.iter().cloned().chain(lacking) {
        out::talk(&format!("warning: {warning}\n"));
    }

    let shown = Shown::of(args.shown_live());
    let stop = signals::stop_telling({
        let shown = shown.clone();
        move || shown.stop(signals::MEASURED_IS_KEPT)
    })?;
    let target = Target {
        endpoints: endpoints.all,
        tls: encryption,
        sources: args.connections.source.clone(),
        plans: vec![(Arc::clone(&asked.mix), Arc::clone(&asked.checker))],
        limits: Limits {
            head_bytes: args.engine.limit_head,
            body_bytes: args.engine.limit_body,
            ..Limits::default()
        },
        seed,
    };
    let started_at = jiff::Timestamp::now().to_string();
    let quota = CpuQuota::of_this_process();
    let before_load = quota.throttling();
    let (report, moments) = load(args, &model, &settings, &target, shown, &stop, &quota)?;
    let cpu_limit = record::cpu_limit(&quota, &before_load);
    if args.shows_exchange() {
        out::talk(&shown::exchange(&asked, seed, report.tally.first_answer.as_ref()));
    }
    let loaded = LoadTarget {
        url: args.url.text.clone(),
        endpoints: target.endpoints.iter().map(ToString::to_string).collect(),
        tls: target.tls.is_some().then(|| tls::recorded(&args.https, report.tally.tls.as_ref())),
    };
    let record = record::record(started_at, loaded, settings, &asked.mix, report, moments, cpu_limit);
    let result = judge(record, &conditions);
    tell(args, &result, before.as_ref(), outputs)?;
    Ok(code(&result, stop.asked(), args.result.strict))
}

fn load(
    args: &LoadArgs,
    model: &Model,
    settings: &LoadSettings,
    target: &Target,
    shown: Shown,
    stop: &velo_lab::Stop,
    quota: &CpuQuota,
) -> anyhow::Result<(WindowReport, Vec<LoadMoment>)> {
    let mut generator = Generator::new(&settings.cpus, engine::driver(&args.engine))?;
    let id = generator.add(target)?;
    let watched = Watched {
        arrivals: model.arrivals().cloned(),
        cpus: quota.cpus().unwrap_or(f64::INFINITY).min(settings.cpus.len().max(1) as f64),
        warm_up_ns: settings.warm_up_ns,
        shown,
        whole_ns: settings.duration_ns.and_then(|ns| ns.checked_add(settings.warm_up_ns)),
        most_requests: settings.most_requests,
    };
    let is_told = !matches!(watched.shown, Shown::Nothing);
    let is_watched = is_told || args.result.html.is_some() || args.result.json.is_some();
    let live = is_watched.then(|| Arc::new(Live::default()));
    let window = WindowSettings {
        plan: 0,
        connections: model.connections,
        settling_ns: settings.warm_up_ns,
        duration_ns: model.duration_ns(),
        // The engine still starts what was due for half a second, and that may take its whole time too.
        drain_limit_ns: settings.timeout_ns.saturating_add(1_000_000_000),
        timeout_ns: settings.timeout_ns,
        schedule: model.schedule.clone(),
        when_full: model.when_full,
        most_requests: model.count,
        // A duration ends a load anyway, and whoever gave one may want to see when the server is back.
        give_up_ns: model.duration.is_none().then_some(GIVE_UP_NS),
        give_up_unreached_ns: Some(GIVE_UP_UNREACHED_NS),
        pipelining: args.connections.in_flight_on_each(),
        requests_per_connection: settings.requests_per_connection,
        // A closed loop uses all of its connections from the start on.
        connect: if model.is_open() { Connect::OnDemand } else { Connect::Ahead },
        is_burst: false,
        busy_poll: settings.busy_poll,
        slowed_ns: 0,
        keeps_first_answer: args.shows_exchange(),
        live: live.clone(),
    };
    let watch = live.map(|live| Watch::begin(live, watched));
    let report = generator.window(id, &window, None, &stop.flag());
    let moments = watch.map(Watch::end).unwrap_or_default();
    Ok((report?, moments))
}

/// The plan and usage hints, before anything is sent.
fn announce(args: &LoadArgs, settings: &LoadSettings, endpoints: &Endpoints, asked: &Asked) {
    let driver =
        engine::driver(&args.engine).name(settings.connections.div_ceil(settings.cpus.len().max(1) as u32));
    let places: Vec<String> = endpoints.all.iter().map(ToString::to_string).collect();
    let mut text = format!(
        "{}\n{} at {}; on {}, seed {}\n",
        velo_report::load::plan_line(settings, driver),
        asked.words,
        places.join(", "),
        values::cpus_in_words(&settings.cpus),
        settings.seed
    );
    if let Some(left_out) = &endpoints.left_out {
        text.push_str(&format!("note: {left_out}\n"));
    }
    for hint in hints::for_flags(args) {
        text.push_str(&format!("hint: {hint}\n"));
    }
    out::talk(&text);
}

/// The result, to where it was asked for.
fn tell(
    args: &LoadArgs,
    result: &LoadResult,
    before: Option<&LoadResult>,
    outputs: Outputs<LoadResult>,
) -> anyhow::Result<()> {
    // Standard output itself drops the colours where they are not wanted.
    let options = TerminalOptions {
        colour: true,
        down_to: if args.result.verbose { velo_report::Weight::Detail } else { velo_report::Weight::Main },
        ..TerminalOptions::default()
    };
    let mut text = velo_report::load::terminal(result, &options);
    if args.result.latency {
        text.push_str(&format!("\n{}", velo_report::load::distribution(result, &options)));
    }
    if let Some(before) = before {
        let comparison = velo_report::load::comparison(&compare(result, before), &options);
        text.push_str(&format!("\n{comparison}"));
    }
    let mut printed = Ok(());
    if !outputs.take_stdout() {
        printed = out::print(&text);
    } else if !args.result.quiet {
        out::talk(&text);
    }
    if !args.result.quiet {
        out::talk(&velo_report::load::hints(result, &options));
    }
    // A table that nobody could take is no reason to lose the files.
    outputs.write(result).and(printed)
}

fn code(result: &LoadResult, interrupted: bool, is_strict: bool) -> u8 {
    if interrupted {
        exit::INTERRUPTED
    } else if result.nothing_worked() || result.record.gave_up || result.has_failed_condition() {
        exit::CHECK_FAILED
    } else if is_strict && result.has_undecided_condition() {
        exit::UNDECIDED
    } else {
        exit::DONE
    }
}

/// An earlier result.
fn earlier(path: &Path) -> anyhow::Result<LoadResult> {
    let place = format!("--compare-to {}", path.display());
    let bytes =
        velo_request::text::read(path).map_err(|problem| crate::exit::at(&problem, "--compare-to"))?;
    LoadResult::from_json(&bytes).map_err(|error| usage(format!("{place}: {error}")))
}
