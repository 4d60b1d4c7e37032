//! Runs and loads as a page may have to show them, written to disk: `velo-scenes FOLDER` makes `FOLDER/runs/NAME` of a run, to be
//! reported, and `FOLDER/load.html`, the page of a load.

use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use velo_fixtures::load::open_loop;
use velo_fixtures::{Simulated, SimulatedBurst, SimulatedOpenLoop, SimulatedTask, Simulation, contender_mut};
use velo_judge::load::{judge, parse_conditions};
use velo_model::{
    Bound, Claim, ClaimFigure, Class, ContenderName, Figure, PublishedFigure, PublishedRow, Side, Subject,
};
use velo_record::{
    CaseRecord, ContenderState, GroupRate, RatePurpose, RunFile, RunState, RunWriter, Stage, Window,
};
use velo_report::load;

/// A run that was never made.
type Scene = (RunFile, Vec<Window>);

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| Error::other("expected the folder to write to"))?;
    let folder = Path::new(&folder);
    for (name, scene) in [
        ("coin", coin as fn() -> Scene),
        ("wait", wait),
        ("users", users),
        ("one", one),
        ("sixty", sixty),
        ("hostile", hostile),
        ("partial", partial),
        ("before", before),
        ("after", after),
    ] {
        let (file, windows) = scene();
        let mut writer = RunWriter::create(&folder.join("runs").join(name), &file).map_err(Error::other)?;
        for window in &windows {
            writer.append(window).map_err(Error::other)?;
        }
        for block in &file.calls {
            writer.append_calls(block).map_err(Error::other)?;
        }
    }
    let conditions = parse_conditions("p99<20ms,errors=0,rate>=6000").map_err(Error::other)?;
    fs::write(folder.join("load.html"), load::html(&judge(open_loop(5_000, 10), &conditions)))
}

fn name(name: &str) -> ContenderName {
    // OK because all names are written here.
    ContenderName::new(name).expect("a contender's name")
}

/// Six contenders, to be compared with [`after`].
fn before() -> Scene {
    of_six(1, [48_100.0, 47_900.0, 39_000.0, 33_500.0, 11_000.0, 5_310.0])
}

/// The same later: two are slower, one is faster.
fn after() -> Scene {
    of_six(2, [48_100.0, 44_000.0, 39_000.0, 36_000.0, 11_000.0, 3_900.0])
}

fn of_six(seed: u64, rates_per_s: [f64; 6]) -> Scene {
    let names =
        ["go/net-http", "go/gin", "js/node-http", "js/fastify", "python/asgi", "python/fastapi"].into_iter();
    let contenders = names.zip(rates_per_s).map(|(name, rate_per_s)| Simulated::new(name, rate_per_s).coin());
    Simulation { seed, noise_of_windows: 0.03, ..Simulation::new(contenders.collect()) }.run()
}

/// Twenty contenders in eight languages: ties, a tax, rows that are not ranked, latency and a curve.
fn coin() -> Scene {
    let mut contenders: Vec<Simulated> = [
        ("go/net-http", 48_100.0),
        ("rust/actix-web", 103_000.0),
        ("rust/axum", 97_000.0),
        ("rust/hyper", 110_000.0),
        ("java/jdk-httpserver", 30_000.0),
        ("java/jetty", 31_000.0),
        ("js/node-http", 39_000.0),
        ("python/asgi", 11_000.0),
        ("ruby/rack-thin", 8_870.0),
        ("ruby/rack-puma", 9_400.0),
        ("php/stream-select", 21_000.0),
        ("php/fpm", 9_300.0),
        ("csharp/httplistener", 17_000.0),
    ]
    .map(|(name, rate_per_s)| Simulated::new(name, rate_per_s).coin())
    .into();
    for (name, rate_per_s, raw) in [
        ("go/gin", 47_900.0, "go/net-http"),
        ("js/fastify", 33_500.0, "js/node-http"),
        ("python/fastapi", 5_310.0, "python/asgi"),
        ("java/javalin", 26_000.0, "java/jetty"),
        ("ruby/sinatra", 4_100.0, "ruby/rack-puma"),
        ("php/slim", 4_300.0, "php/fpm"),
        ("php/mark", 90_000.0, "php/stream-select"),
    ] {
        contenders.push(Simulated::new(name, rate_per_s).coin().on(raw));
    }
    contenders.push(Simulated::new("rust/reference", 900_000.0).class(Class::Reference).coin());
    contenders.push(
        Simulated::new("rust/reference-twin", 900_000.0)
            .class(Class::Reference)
            .coin()
            .twin_of("rust/reference"),
    );
    let mut simulation = Simulation::new(contenders);
    simulation.blocks = 10;
    simulation.noise_of_windows = 0.03;
    let (mut file, mut windows) = simulation.run();
    file.host.cpu_model = Some("A CPU of two".to_owned());
    exclude(
        &mut file,
        &mut windows,
        "php/mark",
        ContenderState::Skipped {
            reason: "its fetch failed: Composer cannot reach its repository".to_owned(),
            cure: Some("run again with a network".to_owned()),
        },
    );
    exclude(
        &mut file,
        &mut windows,
        "php/slim",
        ContenderState::Excluded {
            stage: Stage::Verify,
            reason: "coin, a bet is answered: 500 Internal Server Error".to_owned(),
            log: Some("logs/php-slim.stderr".to_owned()),
        },
    );
    for window in windows.iter_mut().filter(|window| window.launch == 2 && window.block == 3) {
        window.host.others_share = Some(0.11);
    }
    open_loops(&mut file, &mut windows);
    let workload = &mut file.workloads[0];
    workload.published = [("Rack", "ruby/rack-thin", 8_869.0), ("Gin", "go/gin", 49_093.0)]
        .map(|(row, contender, rate)| PublishedRow {
            row: row.to_owned(),
            contender: Some(name(contender)),
            not_measured: None,
            figure: PublishedFigure::RequestsPerS(rate),
        })
        .into();
    let side = |contender: &str| Side { workload: workload.name.clone(), contender: name(contender) };
    workload.claims = vec![
        Claim {
            says: "Gin serves 5.54 times what Rack serves".to_owned(),
            figure: ClaimFigure::of(Figure::Goodput),
            subject: Subject::Ratio(side("go/gin"), side("ruby/rack-thin")),
            printed: Some(5.54),
            bound: Bound { low: Some(4.7), high: Some(6.4) },
        },
        Claim {
            says: "Fastify serves more than Gin".to_owned(),
            figure: ClaimFigure::of(Figure::Goodput),
            subject: Subject::Order(vec![side("js/fastify"), side("go/gin")]),
            printed: None,
            bound: Bound { low: Some(1.0), high: None },
        },
    ];
    (file, windows)
}

fn exclude(file: &mut RunFile, windows: &mut Vec<Window>, contender: &str, state: ContenderState) {
    let contender = name(contender);
    windows.retain(|window| window.contender != contender);
    if let Some(record) = file.contenders.iter_mut().find(|record| record.manifest.name == contender) {
        record.state = state;
        record.launches.clear();
    }
}

/// One rate for all, and the sweep of two contenders.
fn open_loops(file: &mut RunFile, windows: &mut Vec<Window>) {
    let rate_per_s = 2_000.0;
    let measured: Vec<ContenderName> = file
        .contenders
        .iter()
        .filter(|record| record.twin_of.is_none() && !record.launches.is_empty())
        .map(|record| record.manifest.name.clone())
        .collect();
    if let Some(plan) = &mut file.plan {
        plan.common_rates = vec![GroupRate {
            workload: file.workloads[0].name.clone(),
            rate_per_s,
            contenders: measured.clone(),
        }];
    }
    for (place, contender) in measured.iter().enumerate() {
        let slower = 1 + place as u64;
        let mut at_rate = SimulatedOpenLoop::new(RatePurpose::CommonRate, rate_per_s);
        (at_rate.shortest_ns, at_rate.longest_ns) = (100_000 * slower, 160_000 * slower);
        at_rate.add_to(windows, contender);
    }
    for contender in ["go/net-http", "js/fastify"] {
        for point in 0..10 {
            let rate_per_s = 4_000.0 * f64::from(point + 1);
            let mut at_point = SimulatedOpenLoop::new(RatePurpose::Curve { point }, rate_per_s);
            at_point.longest_ns = 200_000 + 200_000 * u64::from(point.saturating_sub(5)).pow(3);
            at_point.add_to(windows, &name(contender));
        }
    }
}

/// Bursts as `ab` does them and all at once, and a sweep.
fn wait() -> Scene {
    let at_a_time = [
        ("java/spring-2-webflux", 4),
        ("java/spring-mvc", 200),
        ("go/net-http", 100_000),
        ("ruby/sinatra", 16),
    ];
    let contenders = at_a_time.map(|(name, _)| Simulated::new(name, 1_000.0));
    let (mut file, mut windows) = Simulation::new(contenders.into()).run();
    for (contender, at_a_time) in at_a_time {
        for requests in [40, 200, 400] {
            let burst = SimulatedBurst::new(requests, at_a_time);
            burst.add_to(&mut file, &mut windows, &name(contender), 1..=5);
            burst.as_ab().add_to(&mut file, &mut windows, &name(contender), 1..=5);
        }
        for connections in [40, 200, 500, 1_000, 2_000] {
            SimulatedBurst::sweep(connections, at_a_time).add_to(
                &mut file,
                &mut windows,
                &name(contender),
                1..=1,
            );
        }
    }
    (file, windows)
}

/// Tasks beside servers.
fn users() -> Scene {
    let servers = ["rust/axum", "js/node-http", "csharp/httplistener"];
    let contenders = servers.map(|name| Simulated::new(name, 400.0)).into();
    let (mut file, windows) = Simulation::new(contenders).run();
    let tasks = [
        SimulatedTask::new("rust/program", 4e6, 3.1e6),
        SimulatedTask::new("rust/program-simd-json", 4e6, 3.0e6).variant_of("rust/program"),
        SimulatedTask::new("js/program", 40e6, 14e6),
        SimulatedTask::new("csharp/program", 170e6, 14.2e6),
        SimulatedTask::new("python/program", 31e6, 29e6),
    ];
    SimulatedTask::add(&tasks, &mut file, 1);
    (file, windows)
}

fn one() -> Scene {
    Simulation::new(vec![Simulated::new("go/net-http", 48_100.0).coin()]).run()
}

fn sixty() -> Scene {
    let contenders = (0..60).map(|number| {
        Simulated::new(&format!("lang{}/server-{number}", number % 9), 5_000.0 * 1.05_f64.powi(number))
    });
    Simulation::new(contenders.collect()).run()
}

/// Texts that would act, figures that are not there, a log without end.
fn hostile() -> Scene {
    let script = "</script><script>window.hacked = true</script><img src=x onerror=\"window.hacked = true\">";
    let contenders = vec![Simulated::new("go/net-http", 48_100.0), Simulated::new("js/fastify", 33_500.0)];
    let (mut file, mut windows) = Simulation::new(contenders).run();
    file.host.cpu_model = Some(script.to_owned());
    file.command = vec!["run".to_owned(), script.to_owned()];
    let workload = &mut file.workloads[0];
    workload.question = script.to_owned();
    workload.source.title = script.to_owned();
    let record = &mut file.contenders[0];
    record.version = Some(script.to_owned());
    record.notes = Some(format!("# {script}\n\n{script}\n\n[a]( javascript:window.hacked=true )\n"));
    record.manifest.start = script.repeat(100);
    record.cases.push(CaseRecord {
        workload: workload.name.clone(),
        case: script.to_owned(),
        required: false,
        passed: true,
        got: "x".repeat(10_000_000),
    });
    record.launches.iter_mut().for_each(|launch| {
        (launch.startup_ns, launch.processes, launch.memory_steady_bytes) = (None, None, None);
    });
    file.contenders[1].state = ContenderState::Excluded {
        stage: Stage::Measure,
        reason: script.to_owned(),
        log: Some(script.to_owned()),
    };
    for window in windows.iter_mut().filter(|window| window.launch == 1) {
        contender_mut(window).cpu_total_ns = None;
        window.duration_ns = 0;
        window.wrong_examples = vec![script.to_owned()];
    }
    (file, windows)
}

fn partial() -> Scene {
    let (mut file, mut windows) = coin();
    file.state = RunState::Interrupted;
    windows.truncate(windows.len() / 3);
    (file, windows)
}
