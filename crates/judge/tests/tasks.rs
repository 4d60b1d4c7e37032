//! Tasks are ranked by their steady time, and one that cheats is not; claims, the published table and handlers' shares
//! follow from them.

use velo_fixtures::{Simulated, SimulatedTask, Simulation};
use velo_judge::{Check, Holds, Judgement, RowState, TaskRow, TaskTable, judge, unfit_for_tasks};
use velo_model::{
    Bound, Claim, ClaimFigure, ContenderName, Figure, PartyRole, PublishedFigure, PublishedRow, Role, Side,
    Subject,
};
use velo_record::{ContenderState, Party, RunFile, RunState, Stage, TaskProcess, Window};

const MS: f64 = 1e6;

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

/// Rust 3 ms, PHP and its variant 8 ms, Node 12 ms, C# 14 ms; C# is the slowest cold.
fn run() -> (RunFile, Vec<Window>) {
    let (mut file, windows) = Simulation::new(vec![
        Simulated::new("rust/actix-web", 20_000.0),
        Simulated::new("php/slim", 4_000.0),
        Simulated::new("go/net-http", 18_000.0),
    ])
    .run();
    let tasks = [
        SimulatedTask::new("rust/program", 3.3 * MS, 3.0 * MS),
        SimulatedTask::new("php/program", 9.0 * MS, 8.0 * MS),
        SimulatedTask::new("php/program-fast", 9.0 * MS, 8.0 * MS).variant_of("php/program"),
        SimulatedTask::new("js/program", 30.0 * MS, 12.0 * MS),
        SimulatedTask::new("csharp/program", 170.0 * MS, 14.0 * MS),
    ];
    SimulatedTask::add(&tasks, &mut file, 5);
    (file, windows)
}

fn judged(change: impl FnOnce(&mut RunFile, &mut Vec<Window>)) -> Judgement {
    let (mut file, mut windows) = run();
    change(&mut file, &mut windows);
    judge(&file, &windows)
}

fn processes<'f>(file: &'f mut RunFile, contender: &str) -> &'f mut Vec<TaskProcess> {
    let contender = name(contender);
    &mut file.contenders.iter_mut().find(|record| record.manifest.name == contender).unwrap().tasks
}

fn table(judgement: &Judgement) -> &TaskTable {
    judgement.workloads[0].tasks.as_ref().unwrap()
}

#[track_caller]
fn row<'j>(judgement: &'j Judgement, contender: &str) -> &'j TaskRow {
    let found = table(judgement).rows.iter().find(|row| row.contender == name(contender));
    found.unwrap_or_else(|| panic!("no row for {contender}"))
}

#[track_caller]
fn ranks(judgement: &Judgement, contender: &str) -> (u32, u32) {
    match &row(judgement, contender).state {
        RowState::Ranked { best, worst } => (*best, *worst),
        other => panic!("{contender} is not ranked: {other:?}"),
    }
}

/// The `cause` and the `reason` of its state, as they are written.
#[track_caller]
fn not_ranked(judgement: &Judgement, contender: &str) -> (String, String) {
    let state = serde_json::to_value(&row(judgement, contender).state).unwrap();
    let member =
        |name: &str| state[name].as_str().unwrap_or_else(|| panic!("{contender}: {state}")).to_owned();
    (member("cause"), member("reason"))
}

#[test]
fn tasks_are_ranked_by_steady_time_and_those_not_told_apart_share_ranks() {
    let judgement = judged(|_, _| {});
    assert_eq!(ranks(&judgement, "rust/program"), (1, 1));
    assert_eq!(ranks(&judgement, "php/program"), (2, 3));
    assert_eq!(ranks(&judgement, "php/program-fast"), (2, 3));
    assert_eq!(ranks(&judgement, "js/program"), (4, 4));
    assert_eq!(ranks(&judgement, "csharp/program"), (5, 5));
    let csharp = row(&judgement, "csharp/program");
    let near = |estimate: Option<velo_judge::Estimate>, ms: f64| {
        let found = estimate.unwrap();
        assert!((found.value / (ms * MS) - 1.0).abs() < 0.03, "{found:?} and {ms} ms");
        assert_eq!(found.launches, 10);
        assert!(found.interval().is_some());
    };
    near(csharp.steady_ns, 14.0);
    near(csharp.cold_ns, 170.0);
    near(csharp.cpu_per_iteration_ns, (39.0 * 14.0 + 170.0) / 40.0);
    assert_eq!((csharp.processes, csharp.dropped, csharp.iterations), (10, 0, 400));
    assert!(csharp.read_share > Some(1.0) && csharp.own_clock_share > Some(0.9), "{csharp:?}");
    let pairs = judgement.workloads[0].pairs_by(Figure::IterationSteady, None).unwrap();
    assert_eq!((pairs.compared.len(), pairs.separated), (10, 9));
    let slowest = pairs.compared.iter().find(|pair| {
        [&pair.over, &pair.under].contains(&&name("rust/program"))
            && [&pair.over, &pair.under].contains(&&name("csharp/program"))
    });
    let slowest = slowest.unwrap();
    assert_eq!(slowest.over, name("csharp/program"), "the longer time is over the shorter one");
    assert!((slowest.ratio.unwrap().value - 14.0 / 3.0).abs() < 0.1);
}

#[test]
fn tasks_and_servers_have_tables_of_their_own() {
    let judgement = judged(|_, _| {});
    let servers: Vec<&str> = judgement.workloads[0].rows.iter().map(|row| row.contender.as_str()).collect();
    assert_eq!(servers, ["rust/actix-web", "go/net-http", "php/slim"]);
    assert_eq!(table(&judgement).rows.len(), 5);
    let (mut file, windows) = run();
    file.contenders.retain(|record| record.manifest.role != Role::Task);
    assert_eq!(judge(&file, &windows).workloads[0].tasks, None);
}

#[test]
fn a_run_of_tasks_alone_needs_no_plan() {
    let alone = |file: &mut RunFile, windows: &mut Vec<Window>| {
        file.contenders.retain(|record| record.manifest.role == Role::Task);
        (file.plan, file.ended_by) = (None, None);
        windows.clear();
    };
    let judgement = judged(alone);
    assert_eq!((&judgement.nothing_ranked, ranks(&judgement, "rust/program")), (&None, (1, 1)));
    assert!(judgement.workloads[0].rows.is_empty());
    let judgement = judged(|file, windows| {
        alone(file, windows);
        file.state = RunState::Interrupted;
    });
    assert_eq!(
        not_ranked(&judgement, "rust/program"),
        ("run".to_owned(), "partial run: it was stopped".to_owned())
    );
    // Servers that were to be measured and were not are another matter.
    let judgement = judged(|file, windows| {
        (file.plan, file.ended_by) = (None, None);
        windows.clear();
    });
    assert_eq!(judgement.nothing_ranked.as_ref().unwrap().to_string(), "no plan was fixed");
    assert_eq!(ranks(&judgement, "rust/program"), (1, 1), "tasks have no plan");
}

#[test]
fn a_wrong_answer_or_none_takes_a_task_out() {
    let judgement = judged(|file, _| {
        let wrong = &mut processes(file, "rust/program")[3];
        wrong.wrong_answers = 1;
        wrong.wrong_examples = vec!["17\tx: `absent`, expected `abc`".to_owned()];
        wrong.iterations.truncate(39);
        processes(file, "php/program")[0].ended_early = Some("no answer within 5 s".to_owned());
        file.contenders.last_mut().unwrap().state = ContenderState::Excluded {
            stage: Stage::Verify,
            reason: "users, lines: it ended".to_owned(),
            log: None,
        };
    });
    let (cause, reason) = not_ranked(&judgement, "rust/program");
    assert_eq!(cause, "wrong-answers");
    assert_eq!(reason, "wrong answers: 1 of 400 (0.2 %), such as 17\tx: `absent`, expected `abc`");
    assert_eq!(
        not_ranked(&judgement, "php/program"),
        ("failures".to_owned(), "process 1 ended early: no answer within 5 s".to_owned())
    );
    assert_eq!(row(&judgement, "php/program").processes, 9, "what broke off is in no figure");
    assert!(matches!(row(&judgement, "csharp/program").state, RowState::Excluded { .. }));
    assert_eq!((ranks(&judgement, "php/program-fast"), ranks(&judgement, "js/program")), ((1, 1), (2, 2)));
    let order: Vec<&str> = table(&judgement).rows.iter().map(|row| row.contender.short()).collect();
    assert_eq!(order.last(), Some(&"program"), "the excluded one is last");
}

#[test]
fn who_keeps_a_file_or_lies_about_its_time_is_not_ranked() {
    let judgement = judged(|file, _| {
        // One process is enough.
        let kept = &mut processes(file, "rust/program")[9];
        kept.read_bytes = Some(kept.file_bytes * 39);
        for process in processes(file, "php/program") {
            for iteration in &mut process.iterations {
                iteration.own_ns /= 3;
            }
        }
        for process in processes(file, "js/program") {
            process.read_bytes = None;
        }
    });
    let (cause, reason) = not_ranked(&judgement, "rust/program");
    assert_eq!(
        (cause.as_str(), reason.as_str()),
        ("not-read", "it read 98 % of what its iterations must read from its files")
    );
    let (cause, reason) = not_ranked(&judgement, "php/program");
    assert_eq!(cause, "own-clock");
    assert_eq!(
        reason,
        "its own clock leaves out a part of the time: in coin it says 33 % of what the lab's does"
    );
    let unknown = row(&judgement, "js/program");
    assert!(matches!(unknown.state, RowState::Ranked { .. }) && unknown.read_share.is_none());
    assert!(unknown.verdicts.iter().any(|verdict| verdict.check == Check::Record), "{:?}", unknown.verdicts);
}

#[test]
fn what_pipes_cost_is_no_lie() {
    let judgement = judged(|file, _| {
        for process in processes(file, "rust/program") {
            for iteration in &mut process.iterations {
                (iteration.own_ns, iteration.outside_ns) = (1_000, 150_000);
            }
        }
    });
    let rust = row(&judgement, "rust/program");
    assert_eq!((ranks(&judgement, "rust/program"), rust.own_clock_share), ((1, 1), Some(1.0 / 150.0)));
}

#[test]
fn disturbed_processes_are_dropped_and_too_few_are_not_ranked() {
    let judgement = judged(|file, _| {
        for (number, process) in processes(file, "rust/program").iter_mut().enumerate() {
            // The bounds count as disturbed.
            process.others_share = Some(if number < 3 { 0.2 } else { 0.19 });
            process.steal_share = (number == 4).then_some(0.01);
            for iteration in process.iterations.iter_mut().filter(|_| number < 3 || number == 4) {
                iteration.own_ns *= 9;
            }
        }
        processes(file, "php/program")
            .iter_mut()
            .take(6)
            .for_each(|process| process.others_share = Some(0.2));
        processes(file, "js/program").iter_mut().for_each(|process| process.steal_share = Some(0.2));
    });
    let rust = row(&judgement, "rust/program");
    assert_eq!((rust.processes, rust.dropped, ranks(&judgement, "rust/program")), (6, 4, (1, 1)));
    assert!(rust.steady_ns.unwrap().value < 3.2 * MS);
    assert!(rust.verdicts.iter().any(|verdict| verdict.check == Check::Host));
    let few = ("few-launches".to_owned(), "4 processes, and ranks need 5".to_owned());
    assert_eq!(not_ranked(&judgement, "php/program"), few);
    let none = ("not-measured".to_owned(), "all its processes were disturbed, and are dropped".to_owned());
    assert_eq!(not_ranked(&judgement, "js/program"), none);
}

#[test]
fn tasks_that_were_mostly_disturbed_are_told_of_at_once() {
    let (mut file, _) = run();
    let all = file.contenders.iter().map(|record| record.tasks.len()).sum::<usize>();
    assert_eq!(unfit_for_tasks(&file.contenders), None);
    let mut disturb = |count: usize| {
        let processes = file.contenders.iter_mut().flat_map(|record| &mut record.tasks);
        processes.take(count).for_each(|process| process.steal_share = Some(0.2));
        unfit_for_tasks(&file.contenders)
    };
    assert_eq!(disturb(all / 2), None, "half of them are not most");
    let most = all / 2 + 1;
    let words = format!(
        "{most} of {all} processes of tasks do not count: others or the hypervisor took 20 % or more of the CPU time"
    );
    assert_eq!(disturb(most).unwrap().to_string(), words);
    assert_eq!(unfit_for_tasks(&[]), None);
}

#[test]
fn one_that_still_gets_faster_has_a_warning() {
    let judgement = judged(|file, _| {
        for process in processes(file, "csharp/program") {
            for (number, iteration) in process.iterations.iter_mut().enumerate() {
                iteration.own_ns = iteration.own_ns * (100 - number as u64) / 100;
            }
        }
    });
    let warned = |contender: &str| {
        row(&judgement, contender).verdicts.iter().any(|verdict| verdict.check == Check::Steady)
    };
    assert!(warned("csharp/program") && !warned("rust/program"));
}

fn side(contender: &str) -> Side {
    Side { workload: "coin".to_owned(), contender: name(contender) }
}

fn claim(figure: ClaimFigure, subject: Subject, low: f64, high: Option<f64>) -> Claim {
    Claim { says: String::new(), figure, subject, printed: None, bound: Bound { low: Some(low), high } }
}

#[test]
fn claims_compare_times_and_an_order_names_the_longest_first() {
    let ratio = |over, under| Subject::Ratio(side(over), side(under));
    let order = |names: &[&str]| Subject::Order(names.iter().map(|name| side(name)).collect());
    let judgement = judged(|file, _| {
        file.workloads[0].claims = vec![
            claim(
                ClaimFigure::of(Figure::IterationSteady),
                ratio("csharp/program", "rust/program"),
                4.4,
                Some(4.9),
            ),
            claim(
                ClaimFigure::of(Figure::IterationCold),
                ratio("csharp/program", "rust/program"),
                4.4,
                Some(4.9),
            ),
            claim(
                ClaimFigure::of(Figure::IterationCold),
                ratio("csharp/program", "rust/program"),
                45.0,
                None,
            ),
            claim(
                ClaimFigure::of(Figure::IterationSteady),
                order(&["csharp/program", "js/program", "php/program", "rust/program"]),
                1.0,
                None,
            ),
            claim(
                ClaimFigure::of(Figure::IterationSteady),
                order(&["js/program", "csharp/program"]),
                1.0,
                None,
            ),
            claim(
                ClaimFigure::of(Figure::IterationSteady),
                order(&["php/program", "php/program-fast"]),
                1.0,
                None,
            ),
            claim(ClaimFigure::of(Figure::IterationSteady), ratio("go/net-http", "rust/program"), 1.0, None),
            claim(ClaimFigure::of(Figure::Goodput), ratio("rust/program", "go/net-http"), 1.0, None),
        ];
    });
    let claims = &judgement.workloads[0].claims;
    let held: Vec<Holds> = claims.iter().map(|claim| claim.holds).collect();
    let (yes, no, open) = (Holds::Holds, Holds::DoesNotHold, Holds::CannotBeTold);
    assert_eq!(held, [yes, no, yes, yes, no, open, open, open], "{claims:#?}");
    assert!((claims[0].measured.unwrap().value - 14.0 / 3.0).abs() < 0.1);
    assert_eq!(
        claims[6].reason.as_ref().map(ToString::to_string).as_deref(),
        Some("go/net-http was not in this run"),
        "it is a server"
    );
    assert_eq!(
        claims[7].reason.as_ref().map(ToString::to_string).as_deref(),
        Some("rust/program was not run on coin"),
        "it is a task"
    );
    let quick = judged(|file, _| {
        file.settings.quick = true;
        file.workloads[0].claims = vec![claim(
            ClaimFigure::of(Figure::IterationSteady),
            ratio("csharp/program", "rust/program"),
            4.4,
            None,
        )];
    });
    let claim = &quick.workloads[0].claims[0];
    assert_eq!(
        (claim.holds, claim.reason.as_ref().map(ToString::to_string).as_deref()),
        (open, Some("quick look"))
    );
}

#[test]
fn published_milliseconds_stand_beside_steady_and_cold() {
    let published = |row: &str, contender: Option<&str>, ms| PublishedRow {
        row: row.to_owned(),
        contender: contender.map(name),
        not_measured: None,
        figure: PublishedFigure::IterationMs(ms),
    };
    let rows = |baseline: &'static str| {
        move |file: &mut RunFile, _: &mut Vec<Window>| {
            file.workloads[0].baseline = name(baseline);
            file.workloads[0].published = vec![
                published("C#", Some("csharp/program"), 54.0),
                published("Rust", Some("rust/program"), 3.0),
                published("Perl", None, 9.0),
                published("Python", Some("python/program"), 8.22),
            ];
        }
    };
    let judgement = judged(rows("rust/program"));
    let compared = &judgement.workloads[0].published;
    let csharp = &compared[0];
    assert_eq!((csharp.there, csharp.times_baseline), (Some(54.0), Some(18.0)));
    assert!(
        (csharp.here.unwrap().value - 14.0).abs() < 0.5 && (csharp.cold.unwrap().value - 170.0).abs() < 6.0
    );
    assert!(csharp.here.unwrap().relative_half_width().unwrap() < 0.05);
    assert_eq!(
        compared[2].reason.as_ref().map(ToString::to_string).as_deref(),
        Some("no contender mapped to this row")
    );
    assert_eq!(
        (compared[3].here, compared[3].reason.as_ref().map(ToString::to_string).as_deref()),
        (None, Some("not in this run"))
    );
    let judgement = judged(rows("go/net-http"));
    assert_eq!(judgement.workloads[0].published[0].times_baseline, None, "the baseline is a server");
}

#[test]
fn a_handlers_share_is_that_of_its_language_at_the_fewest_connections() {
    let judgement = judged(|file, windows| {
        let mut few = file.workloads[0].clone();
        (few.name, few.load_of, few.task) = ("coin-1".to_owned(), Some("coin".to_owned()), None);
        few.load.connections = 1;
        file.workloads.push(few);
        let fewest: Vec<Window> = windows
            .iter()
            .filter(|window| window.contender == name("php/slim"))
            .map(|window| Window { workload: "coin-1".to_owned(), ..window.clone() })
            .collect();
        windows.extend(fewest);
    });
    assert_eq!(
        judgement.workloads.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(),
        ["coin", "coin-1"]
    );
    assert_eq!(judgement.listed_workloads(), ["coin"]);
    let shares = &table(&judgement).handler_shares;
    let of = |task: &str| shares.iter().find(|share| share.task == name(task)).unwrap();
    let (php, rust) = (of("php/program"), of("rust/program"));
    assert_eq!((php.server.clone(), php.connections), (Some(name("php/slim")), Some(1)));
    assert_eq!((rust.server.clone(), rust.connections), (Some(name("rust/actix-web")), Some(64)));
    let expected = php.handler_ns.unwrap().value / php.service_p50_ns.unwrap() as f64;
    assert_eq!((php.share, &php.reason), (Some(expected), &None));
    assert!((0.3..0.7).contains(&expected), "8 ms of 16 ms: {expected}");
    let js = of("js/program");
    assert_eq!((js.server.clone(), js.share), (None, None));
    assert_eq!(
        js.reason.as_ref().map(ToString::to_string).as_deref(),
        Some("no server in js was in this run")
    );
    assert!(
        shares.iter().all(|share| share.task != name("php/program-fast")),
        "a variant is not its language's task"
    );
    assert!(judgement.workloads[1].tasks.is_none(), "tasks belong to the first load");

    let judgement = judged(|file, windows| {
        processes(file, "php/program")[0].wrong_answers = 1;
        windows.retain(|window| window.contender != name("rust/actix-web"));
    });
    let reason = |task: &str| {
        let share = table(&judgement).handler_shares.iter().find(|share| share.task == name(task)).unwrap();
        assert_eq!(share.share, None);
        share.reason.clone().unwrap().to_string()
    };
    assert_eq!(reason("php/program"), "php/program is not ranked");
    assert_eq!(reason("rust/program"), "rust/actix-web is not ranked");
    let alone = judged(|file, _| file.contenders.retain(|record| record.manifest.role == Role::Task));
    assert!(table(&alone).handler_shares.is_empty(), "no servers at all");
}

/// The tasks as clients of one file, each with a server that uses this share of its CPU time.
fn clients(file: &mut RunFile, server_cpu_share: f64) {
    file.workloads[0].task = None;
    file.workloads[0].download = Some(velo_model::Download {
        name: "one".to_owned(),
        bytes: 80_000,
        files: 1,
        at_once: 1,
        iterations: 40,
    });
    for record in file.contenders.iter_mut().filter(|record| record.manifest.role == Role::Task) {
        record.manifest.role = Role::Client;
        for process in &mut record.tasks {
            (process.file_bytes, process.read_bytes) = (0, None);
            process.alone_ns = Some(process.iterations[0].own_ns + 90_000_000);
            let client_ns = process.cpu_ns(PartyRole::Contender);
            let cpu_ns = client_ns.map(|ns| (ns as f64 * server_cpu_share) as u64);
            process.parties.push(Party { cpu_ns, ..Party::new(PartyRole::FileServer) });
        }
    }
}

#[test]
fn clients_are_ranked_as_tasks_are_and_have_a_process_beside() {
    let judgement = judged(|file, _| clients(file, 0.3));
    assert_eq!(ranks(&judgement, "rust/program"), (1, 1));
    let csharp = row(&judgement, "csharp/program");
    assert_eq!(csharp.role, Role::Client);
    let process_ns = csharp.process_ns.unwrap();
    assert!((process_ns.value / (260.0 * MS) - 1.0).abs() < 0.05, "{process_ns:?}");
    assert!((csharp.server_cpu_share.unwrap() - 0.3).abs() < 0.01);
    assert!(csharp.verdicts.is_empty(), "files that it need not read are no fault: {:?}", csharp.verdicts);
}

#[test]
fn what_many_files_cost_together_is_said_and_is_no_point_of_the_line_through_sizes() {
    let of_one = judged(|file, _| clients(file, 0.3));
    assert_eq!(table(&of_one).batch, None);
    let of_many = judged(|file, _| {
        clients(file, 0.3);
        let download = file.workloads[0].download.as_mut().expect("a file");
        (download.files, download.at_once) = (50, 8);
    });
    let batch = table(&of_many).batch.expect("several files");
    assert_eq!((batch.files, batch.at_once), (50, 8));
    assert!(table(&of_many).costs.is_empty());
}

#[test]
fn a_client_whose_server_worked_more_than_half_as_much_is_not_ranked() {
    let judgement = judged(|file, _| clients(file, 0.6));
    let (cause, reason) = not_ranked(&judgement, "rust/program");
    assert_eq!(cause, "file-server");
    assert!(reason.starts_with("the server of files used 60 % of its CPU time"), "{reason}");
    // The floor is never ranked, and may be below what the server can do.
    let judgement = judged(|file, _| {
        clients(file, 0.6);
        let rust = name("rust/program");
        let record = file.contenders.iter_mut().find(|record| record.manifest.name == rust).unwrap();
        record.manifest.class = velo_model::Class::Reference;
    });
    assert_eq!(row(&judgement, "rust/program").state, RowState::Reference);
}

#[test]
fn a_client_that_leaves_out_its_steady_time_is_caught_where_files_take_less_than_a_millisecond() {
    let quick = |divisor: u64| {
        judged(|file, _| {
            clients(file, 0.3);
            for process in processes(file, "rust/program") {
                for (number, iteration) in process.iterations.iter_mut().enumerate() {
                    (iteration.own_ns, iteration.outside_ns) = (600_000, 700_000);
                    if number >= 8 {
                        iteration.own_ns /= divisor;
                    }
                }
            }
        })
    };
    assert_eq!(ranks(&quick(1), "rust/program"), (1, 1));
    assert_eq!(not_ranked(&quick(10), "rust/program").0, "own-clock");
    // A process for each file starts and ends outside of what it tells.
    let each = judged(|file, _| {
        clients(file, 0.3);
        let rust = name("rust/program");
        let record = file.contenders.iter_mut().find(|record| record.manifest.name == rust).unwrap();
        record.manifest.process_for_each = true;
        for iteration in record.tasks.iter_mut().flat_map(|process| &mut process.iterations) {
            iteration.own_ns /= 10;
        }
    });
    assert_eq!(ranks(&each, "rust/program"), (1, 1));
}

/// The tasks as clients of files of two sizes, the larger of which takes 2 ms a megabyte more.
fn clients_of_two_sizes(file: &mut RunFile) {
    clients(file, 0.3);
    let mut large = file.workloads[0].clone();
    large.load_of = Some(large.name.clone());
    file.workloads[0].load_of = Some(large.name.clone());
    large.name = format!("{}-large", large.name);
    large.download.as_mut().expect("a file").bytes = 10_080_000;
    large.claims.clear();
    for record in file.contenders.iter_mut().filter(|record| record.manifest.role == Role::Client) {
        let more: Vec<TaskProcess> = record
            .tasks
            .iter()
            .map(|process| {
                let mut process = process.clone();
                process.workload.clone_from(&large.name);
                for iteration in &mut process.iterations {
                    iteration.own_ns += 20_000_000;
                    iteration.outside_ns += 20_000_000;
                }
                process
            })
            .collect();
        record.tasks.extend(more);
    }
    file.workloads.insert(1, large);
}

#[test]
fn a_clock_that_leaves_out_what_grows_with_the_file_is_believed_at_no_size() {
    let told = |share: f64, is_each: bool| {
        judged(|file, _| {
            clients_of_two_sizes(file);
            let rust = name("rust/program");
            let record = file.contenders.iter_mut().find(|record| record.manifest.name == rust).unwrap();
            record.manifest.process_for_each = is_each;
            for process in &mut record.tasks {
                let is_large = process.workload.ends_with("-large");
                for iteration in &mut process.iterations {
                    // Of the small file 60 us are left out, as pipes may cost; a process starts and ends besides.
                    iteration.outside_ns = iteration.own_ns + if is_each { 8_000_000 } else { 60_000 };
                    if is_large {
                        iteration.own_ns = (iteration.own_ns as f64 * share) as u64;
                    }
                }
            }
        })
    };
    for is_each in [false, true] {
        let judgement = told(0.53, is_each);
        let (cause, reason) = not_ranked(&judgement, "rust/program");
        assert_eq!(cause, "own-clock");
        assert!(reason.contains(": in coin-large it says "), "{reason}");
        let large = judgement.workloads[1].tasks.as_ref().unwrap();
        let large = large.rows.iter().find(|row| row.contender == name("rust/program")).unwrap();
        assert!(matches!(large.state, RowState::NotRanked { .. }), "{:?}", large.state);
        assert_eq!(ranks(&told(0.97, is_each), "rust/program"), (1, 1));
    }
}

#[test]
fn what_a_file_costs_by_parts_is_a_line_through_the_sizes() {
    let judgement = judged(|file, _| clients_of_two_sizes(file));
    let costs = &table(&judgement).costs;
    assert_eq!(costs.len(), 5);
    let rust = costs.iter().find(|cost| cost.contender == name("rust/program")).unwrap();
    let near = |part: Option<velo_judge::Estimate>, ms: f64| {
        let value = part.unwrap().value;
        assert!((value / (ms * MS) - 1.0).abs() < 0.03, "{value} and {ms} ms");
    };
    near(rust.start_ns, 90.0);
    near(rust.megabyte_ns, 2.0);
    near(rust.request_ns, 3.0 - 0.16);
    let of_large = judgement.workloads.iter().find(|one| one.name.ends_with("-large")).unwrap();
    assert!(of_large.tasks.as_ref().unwrap().costs.is_empty(), "they stand with the first size");
}
