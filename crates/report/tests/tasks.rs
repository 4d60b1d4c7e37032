//! Tasks as a person sees them: `INSTA_UPDATE=always cargo test -p velo-report --test tasks` renews the snapshots.

use unicode_width::UnicodeWidthStr;
use velo_fixtures::{Simulated, SimulatedTask, Simulation};
use velo_judge::judge;
use velo_model::{
    Bound, Claim, ClaimFigure, ContenderName, Figure, PublishedFigure, PublishedRow, Role, Side, Subject,
};
use velo_record::{ContenderState, RunFile, Stage, TaskProcess, Window};
use velo_report::{TerminalOptions, Weight, markdown, terminal};

const MS: f64 = 1e6;

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn side(contender: &str) -> Side {
    Side { workload: "coin".to_owned(), contender: name(contender) }
}

fn processes<'f>(file: &'f mut RunFile, contender: &str) -> &'f mut Vec<TaskProcess> {
    let contender = name(contender);
    &mut file.contenders.iter_mut().find(|record| record.manifest.name == contender).unwrap().tasks
}

/// Servers and tasks: ties, a cheat, one excluded, one skipped.
fn run() -> (RunFile, Vec<Window>) {
    let servers = vec![Simulated::new("js/node-http", 5_000.0), Simulated::new("go/net-http", 8_000.0)];
    let (mut file, windows) = Simulation::new(servers).run();
    let tasks = [
        SimulatedTask::new("rust/program", 3.3 * MS, 3.0 * MS),
        SimulatedTask::new("go/program", 9.0 * MS, 8.0 * MS),
        SimulatedTask::new("php/program", 9.0 * MS, 8.0 * MS),
        SimulatedTask::new("js/program", 30.0 * MS, 12.0 * MS),
        SimulatedTask::new("csharp/program", 170.0 * MS, 14.0 * MS),
        SimulatedTask::new("python/program", 12.0 * MS, 11.0 * MS),
        SimulatedTask::new("python/program-orjson", 7.0 * MS, 6.0 * MS).variant_of("python/program"),
        SimulatedTask::new("ruby/program", 20.0 * MS, 18.0 * MS),
        SimulatedTask::new("java/program", 120.0 * MS, 6.5 * MS),
    ];
    SimulatedTask::add(&tasks, &mut file, 5);
    file.settings.memory_limit_bytes = Some(512 << 20);
    let wrong = &mut processes(&mut file, "python/program")[2];
    wrong.wrong_answers = 20;
    wrong.wrong_examples = vec!["948381 horse-9-staple: `absent`, expected `9a4a1087cc9a1055...`".to_owned()];
    processes(&mut file, "python/program-orjson")
        .iter_mut()
        .for_each(|process| process.read_bytes = Some(9_000_000));
    processes(&mut file, "js/program")[4].others_share = Some(0.3);
    for record in &mut file.contenders {
        match record.manifest.name.as_str() {
            "ruby/program" => {
                record.state = ContenderState::Excluded {
                    stage: Stage::Measure,
                    reason: "no answer within 5 s, in 2 processes".to_owned(),
                    log: Some("logs/ruby-program.stderr".to_owned()),
                };
            }
            "java/program" => {
                let cure = Some("apt-get install maven".to_owned());
                record.state = ContenderState::Skipped { reason: "maven is missing".to_owned(), cure };
                record.tasks.clear();
            }
            _ => {}
        }
    }
    let published = |row: &str, contender: &str, ms| PublishedRow {
        row: row.to_owned(),
        contender: Some(name(contender)),
        not_measured: None,
        figure: PublishedFigure::IterationMs(ms),
    };
    file.workloads[0].published = vec![
        published("Node", "js/program", 20.3),
        published("Python", "python/program", 8.22),
        published("C#", "csharp/program", 54.0),
        published("Rust", "rust/program", 3.0),
    ];
    file.workloads[0].claims =
        [ClaimFigure::of(Figure::IterationSteady), ClaimFigure::of(Figure::IterationCold)]
            .map(|figure| Claim {
                says: "C# takes 18 times as long as Rust".to_owned(),
                figure,
                subject: Subject::Ratio(side("csharp/program"), side("rust/program")),
                printed: Some(18.0),
                bound: Bound { low: Some(12.6), high: Some(23.4) },
            })
            .to_vec();
    (file, windows)
}

#[test]
fn servers_and_tasks_on_a_terminal() {
    let (file, windows) = run();
    insta::assert_snapshot!(terminal(
        &judge(&file, &windows),
        &TerminalOptions { down_to: Weight::Detail, ..TerminalOptions::default() }
    ));
}

#[test]
fn servers_and_tasks_in_markdown() {
    let (file, windows) = run();
    insta::assert_snapshot!(markdown(&judge(&file, &windows)));
}

#[test]
fn tasks_alone_say_nothing_of_servers() {
    let (mut file, mut windows) = run();
    file.contenders.retain(|record| record.manifest.role == Role::Task);
    windows.clear();
    (file.plan, file.ended_by) = (None, None);
    let mut other_load = file.workloads[0].clone();
    (other_load.name, other_load.load_of, other_load.task) =
        ("coin-4".to_owned(), Some("coin".to_owned()), None);
    file.workloads.push(other_load);
    let judgement = judge(&file, &windows);
    let text = terminal(&judgement, &TerminalOptions::default());
    for absent in ["connection", "coin-4", "no ranks", "no answers", "handler"] {
        assert!(!text.contains(absent), "`{absent}` in\n{text}");
    }
    assert!(text.contains("tasks") && text.contains("rust/program"), "{text}");
    let markdown = markdown(&judgement);
    assert!(!markdown.contains("coin-4:"));
    // What was typed, and not what became of it.
    assert!(markdown.starts_with("# velo run coin\n"), "{markdown}");
}

#[test]
fn what_tasks_print_stays_within_the_width() {
    let (mut file, windows) = run();
    let hostile = "\u{1b}[31m漢字\u{202e}\t".repeat(200);
    for record in file.contenders.iter_mut().filter(|record| record.manifest.role == Role::Task) {
        record.version = Some(hostile.clone());
        for process in &mut record.tasks {
            process.wrong_answers = 1;
            process.wrong_examples = vec![hostile.clone()];
        }
    }
    processes(&mut file, "go/program")[0].ended_early = Some(hostile);
    file.workloads[0].published[0].row = "x".repeat(300);
    for width in [60, 80] {
        let text = terminal(
            &judge(&file, &windows),
            &TerminalOptions { width, colour: false, down_to: Weight::Detail },
        );
        for line in text.lines() {
            assert!(
                line.width() <= width && !line.chars().any(char::is_control),
                "{}: {line:?}",
                line.width()
            );
        }
    }
    assert!(!markdown(&judge(&file, &windows)).contains('\u{1b}'));
}
