//! `velo load --against`: two running services, loaded in turn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use velo_judge::against::{AgainstResult, judge, parse_conditions};
use velo_lab::{AgainstMeasured, AgainstOptions, AgainstSoFar, SideOptions};
use velo_load::{Connect, Limits, Target, WindowSettings};
use velo_record::{AgainstRecord, LoadSettings, LoadTarget};
use velo_report::{TerminalOptions, Weight};

use crate::exit::{self, usage};
use crate::load::flags::{LiveShown, LoadArgs};
use crate::load::mix::{self, Asked};
use crate::load::model::{self, Model};
use crate::load::outputs::Outputs;
use crate::load::redact::redacted;
use crate::load::url::Url;
use crate::load::{against, checks, engine, record, target, tls};
use crate::{again, out, signals};

/// Load on each before anything counts, unless --warm-up says otherwise.
const USUAL_WARM_UP: Duration = Duration::from_secs(1);
/// The lengths of windows follow from the rate that the warm-up shows.
const LEAST_WARM_UP: Duration = Duration::from_millis(100);
/// Every block is kept.
const LONGEST: Duration = Duration::from_secs(3600);
/// Where standard error is read later.
const A_LINE: Duration = Duration::from_secs(5);

pub(crate) fn run(args: &LoadArgs, other: &Url) -> anyhow::Result<u8> {
    let seed = args.model.seed.unwrap_or_else(super::run::new_seed);
    let model = model::read(&args.model, seed)?;
    let conditions = match &args.result.fail_on {
        Some(text) => {
            parse_conditions(text, model.is_open()).map_err(|error| usage(format!("--fail-on {error}")))?
        }
        None => Vec::new(),
    };
    checks::connections(args)?;
    if model.duration.is_some_and(|duration| duration > LONGEST) {
        return Err(usage("-d is too long with --against\n  expected at most 1h"));
    }
    let other = against::other(args, other);
    let asked = [mix::read(args)?, mix::read(&other)?];
    if asked[0].hash != asked[1].hash && args.url.path == other.url.path {
        return Err(usage(
            "the requests differ from one service to the other\n  \
             expected files that can be read twice, not a pipe",
        ));
    }
    velo_load::make_room(model.connections.saturating_mul(2))?;
    let threads = engine::threads(&args.model, &args.engine, model.connections)?;
    if let Some(warning) = &threads.warning {
        out::talk(&format!("warning: {warning}\n"));
    }
    let of_a = side(args, &asked[0], seed, ("--pid", args.against.pid))?;
    let of_b = side(&other, &asked[1], seed, ("--against-pid", args.against.against_pid))?;
    let files = &args.result;
    let outputs = Outputs::open(&[
        ("--json", &files.json, velo_report::against::json),
        ("--html", &files.html, velo_report::against::html),
    ])?;
    let warm_up = args.model.warm_up.unwrap_or(USUAL_WARM_UP).max(LEAST_WARM_UP);
    let settings = LoadSettings {
        warm_up_ns: warm_up.as_nanos() as u64,
        ..record::settings(args, &model, &asked[0], &threads.cpus, seed)
    };
    if !files.quiet {
        let driver = engine::driver(&args.engine).name(settings.connections);
        out::talk(&format!(
            "{}\nA {}, B {}, in turn; seed {seed}\n",
            velo_report::load::plan_line(&settings, driver),
            args.url.text,
            other.url.text
        ));
    }
    let stop = signals::stop_on_signals()?;
    let started_at = jiff::Timestamp::now().to_string();
    let options = AgainstOptions {
        cpus: threads.cpus.clone(),
        driver: engine::driver(&args.engine),
        sides: [of_a, of_b],
        window: window(args, &model, &settings),
        warm_up_ns: settings.warm_up_ns,
        duration_ns: model.duration_ns(),
        stop: stop.flag(),
    };
    let mut told = Told::new(args.shown_live());
    let measured = velo_lab::against(options, &mut |so_far| told.show(so_far))
        .context("the services could not be loaded")?;
    let record = recorded(args, started_at, settings, measured);
    let result = judge(record, &conditions);
    tell(args, &result, outputs)?;
    Ok(code(&result, args.result.strict))
}

/// One of the two as it is loaded.
fn side(
    args: &LoadArgs,
    asked: &Asked,
    seed: u64,
    (flag, pid): (&str, Option<u32>),
) -> anyhow::Result<SideOptions> {
    let encryption = tls::settings(&args.https, &args.url, args.speaks_http2())?;
    target::wait(&args.url, &args.connections, !args.result.quiet)?;
    let endpoints = target::endpoints(&args.url, &args.connections)?.all;
    Ok(SideOptions {
        recorded: LoadTarget {
            url: args.url.text.clone(),
            endpoints: endpoints.iter().map(ToString::to_string).collect(),
            tls: encryption.is_some().then(|| tls::recorded(&args.https, None)),
        },
        service: against::service(flag, pid, &endpoints)?,
        target: Target {
            endpoints,
            tls: encryption,
            sources: args.connections.source.clone(),
            plans: vec![(Arc::clone(&asked.mix), Arc::clone(&asked.checker))],
            limits: Limits {
                head_bytes: args.engine.limit_head,
                body_bytes: args.engine.limit_body,
                ..Limits::default()
            },
            seed,
        },
    })
}

fn window(args: &LoadArgs, model: &Model, settings: &LoadSettings) -> WindowSettings {
    WindowSettings {
        schedule: model.schedule.clone(),
        when_full: model.when_full,
        pipelining: args.connections.in_flight_on_each(),
        requests_per_connection: settings.requests_per_connection,
        connect: if model.is_open() { Connect::OnDemand } else { Connect::Ahead },
        busy_poll: settings.busy_poll,
        // Its lengths follow from the warm-up.
        ..WindowSettings::closed_loop(model.connections, 0, settings.timeout_ns)
    }
}

fn recorded(
    args: &LoadArgs,
    started_at: String,
    settings: LoadSettings,
    measured: AgainstMeasured,
) -> AgainstRecord {
    let line: Vec<String> = again::command_line().iter().skip(1).cloned().collect();
    let [mut a, mut b] = measured.sides;
    for (side, facts) in [&mut a, &mut b].into_iter().zip(&measured.tls) {
        side.target.tls = side.target.tls.take().map(|_| tls::recorded(&args.https, facts.as_ref()));
    }
    AgainstRecord {
        velo: env!("CARGO_PKG_VERSION").to_owned(),
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        started_at,
        command: redacted(&line),
        watched_cpus: settings.cpus.len() as u32,
        settings,
        driver: measured.driver.map(str::to_owned),
        interrupted: measured.interrupted,
        planned_blocks: measured.planned_blocks,
        a,
        b,
        blocks: measured.blocks,
    }
}

fn tell(args: &LoadArgs, result: &AgainstResult, outputs: Outputs<AgainstResult>) -> anyhow::Result<()> {
    // Standard output itself drops the colours where they are not wanted.
    let options = TerminalOptions {
        colour: true,
        down_to: if args.result.verbose { Weight::Detail } else { Weight::Main },
        ..TerminalOptions::default()
    };
    let text = velo_report::against::terminal(result, &options);
    let mut printed = Ok(());
    if !outputs.take_stdout() {
        printed = out::print(&text);
    } else if !args.result.quiet {
        out::talk(&text);
    }
    if result.has_undecided_condition() && !result.has_failed_condition() && !result.record.interrupted {
        out::talk("warning: a condition is undecided; a longer -d decides more\n");
    }
    // A table that nobody could take is no reason to lose the files.
    outputs.write(result).and(printed)
}

fn code(result: &AgainstResult, is_strict: bool) -> u8 {
    if result.record.interrupted {
        exit::INTERRUPTED
    } else if result.nothing_worked() || result.has_failed_condition() {
        exit::CHECK_FAILED
    } else if is_strict && result.has_undecided_condition() {
        exit::UNDECIDED
    } else {
        exit::DONE
    }
}

/// A line from time to time while it is under way.
struct Told {
    every: Option<Duration>,
    last: Instant,
}

impl Told {
    fn new(shown: LiveShown) -> Self {
        let every = match shown {
            LiveShown::Auto => Some(A_LINE),
            LiveShown::Plain => Some(Duration::from_secs(1)),
            LiveShown::Off => None,
        };
        Self { every, last: Instant::now() }
    }

    fn show(&mut self, so_far: &AgainstSoFar) {
        let Some(every) = self.every else { return };
        if so_far.planned > 0 && self.last.elapsed() >= every {
            self.last = Instant::now();
            let [a, b] = so_far.correct_per_s;
            out::talk(&velo_report::against::live_line(so_far.blocks, so_far.planned, [a, b]));
        }
    }
}
