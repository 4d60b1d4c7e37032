//! Simulated runs to report on.

use velo_fixtures::{Simulated, Simulation};
use velo_model::{
    Bound, Claim, ClaimFigure, Class, ContenderName, PublishedFigure, PublishedRow, Side, Subject,
};
use velo_record::{CaseRecord, ContenderState, RunFile, Stage, Window, WindowKind};

pub(crate) fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn side(workload: &str, contender: &str) -> Side {
    Side { workload: workload.to_owned(), contender: name(contender) }
}

fn claim(says: &str, printed: Option<f64>, subject: Subject, low: f64, high: Option<f64>) -> Claim {
    let figure = ClaimFigure::SCORE;
    Claim { says: says.to_owned(), figure, subject, printed, bound: Bound { low: Some(low), high } }
}

fn of<'w>(windows: &'w mut [Window], contender: &str) -> impl Iterator<Item = &'w mut Window> {
    let contender = name(contender);
    windows.iter_mut().filter(move |window| window.contender == contender)
}

/// A run of `coin` as it may well go: ties, a tax, an unfair coin, one excluded, one skipped, warnings.
pub(crate) fn run(blocks: u32) -> (RunFile, Vec<Window>) {
    let mut simulation = Simulation::new(vec![
        Simulated::new("ruby/rack-thin", 8_870.0).coin(),
        Simulated::new("go/net-http", 48_100.0).coin(),
        Simulated::new("go/gin", 47_900.0).coin().on("go/net-http"),
        Simulated::new("js/node-http", 39_000.0).coin(),
        Simulated::new("js/fastify", 33_500.0).coin().on("js/node-http"),
        Simulated::new("python/fastapi", 5_310.0).coin().on("python/asgi"),
        Simulated::new("rust/hyper", 260_000.0).coin(),
        Simulated::new("php/stream-select", 21_000.0).coin(),
        Simulated::new("java/jdk-httpserver", 18_000.0).coin(),
        Simulated::new("php/mark", 90_000.0).coin(),
        Simulated::new("rust/reference", 900_000.0).class(Class::Reference).coin(),
        Simulated::new("rust/reference-twin", 900_000.0)
            .class(Class::Reference)
            .coin()
            .twin_of("rust/reference"),
    ]);
    simulation.blocks = blocks;
    simulation.noise_of_windows = 0.03;
    let (mut file, mut windows) = simulation.run();
    for window in of(&mut windows, "php/stream-select") {
        let draws = &mut window.coin.as_mut().unwrap().draws;
        *draws = [[0, draws[0][0] + draws[0][1]], [0, draws[1][0] + draws[1][1]]];
    }
    windows.retain(|window| window.contender != name("php/mark"));
    windows.retain(|window| window.contender != name("java/jdk-httpserver") || window.launch < 3);
    for window in of(&mut windows, "js/node-http") {
        window.connections.completions[2] = 0;
        window.outcomes.closed_by_server = u64::from(window.kind() == WindowKind::Cold);
    }
    for window in windows.iter_mut().filter(|window| window.launch == 2 && window.block == 3) {
        window.host.others_share = Some(0.11);
    }
    file.host.cpu_model = Some("AMD EPYC 7R13".to_owned());
    file.host.virtualisation = Some("kvm".to_owned());
    for record in &mut file.contenders {
        match record.manifest.name.as_str() {
            "php/mark" => {
                record.state = ContenderState::Skipped {
                    reason: "Composer could not fetch mark: curl error 6, the host cannot be resolved"
                        .to_owned(),
                    cure: Some("apt-get install composer".to_owned()),
                };
            }
            "java/jdk-httpserver" => {
                record.state = ContenderState::Excluded {
                    stage: Stage::Measure,
                    reason: "it died in launch 3 (signal 9): java.lang.OutOfMemoryError: Java heap space"
                        .to_owned(),
                    log: Some("logs/java-jdk-httpserver.stderr".to_owned()),
                };
            }
            "js/fastify" | "python/fastapi" => record.launches[1].stop.as_mut().unwrap().by_sigterm = false,
            _ => {}
        }
        let status =
            if record.manifest.name == name("js/fastify") { "200 {\"win\":true}" } else { "400 bad request" };
        for case in ["the bet is 1", "the bet is null"] {
            record.cases.push(CaseRecord {
                workload: "coin".to_owned(),
                case: case.to_owned(),
                required: false,
                passed: true,
                got: status.to_owned(),
            });
        }
    }
    let workload = &mut file.workloads[0];
    workload.source.command = "wrk -t12 -c400 -d120s".to_owned();
    workload.source.machine = "4-vCPU AWS c5a.xlarge".to_owned();
    workload.source.notes = vec!["Process counts differ by row.".to_owned()];
    let published = [
        ("Rack", "ruby/rack-thin", 8_869.0),
        ("FastAPI", "python/fastapi", 2_997.0),
        ("Fastify", "js/fastify", 20_161.0),
        ("Gin", "go/gin", 49_093.0),
        ("Mark", "php/mark", 141_205.0),
    ];
    workload.published = published
        .map(|(row, contender, requests_per_s)| PublishedRow {
            row: row.to_owned(),
            contender: Some(name(contender)),
            not_measured: None,
            figure: PublishedFigure::RequestsPerS(requests_per_s),
        })
        .to_vec();
    let ratio = |over, under| Subject::Ratio(over, under);
    workload.claims = vec![
        claim(
            "Gin serves 5.54 times what Rack serves",
            Some(5.54),
            ratio(side("coin", "go/gin"), side("coin", "ruby/rack-thin")),
            4.7,
            Some(6.4),
        ),
        claim(
            "Fastify serves 2.27 times what Rack serves",
            Some(2.27),
            ratio(side("coin", "js/fastify"), side("coin", "ruby/rack-thin")),
            1.9,
            Some(2.6),
        ),
        claim(
            "FastAPI loses most when there is work to do (void 1.35, coin 0.34)",
            Some(0.25),
            ratio(side("coin", "python/fastapi"), side("void", "python/fastapi")),
            0.0,
            Some(0.5),
        ),
        claim(
            "The order is Mark, Gin, Fastify, Rack, FastAPI",
            None,
            Subject::Order(
                ["php/mark", "go/gin", "js/fastify", "ruby/rack-thin", "python/fastapi"]
                    .map(|contender| side("coin", contender))
                    .to_vec(),
            ),
            1.0,
            None,
        ),
    ];
    (file, windows)
}
