//! Single calls as a person sees them: `INSTA_UPDATE=always cargo test -p velo-report --test calls` renews the snapshots.

use unicode_width::UnicodeWidthStr as _;
use velo_fixtures::{Simulated, SimulatedCalls, Simulation};
use velo_judge::{judge, judge_run};
use velo_model::{
    Bound, CallCondition, Claim, ClaimFigure, ContenderName, PublishedFigure, PublishedRow, Side, Subject,
};
use velo_record::{RunFile, Window};
use velo_report::{TerminalOptions, Weight, markdown, page, terminal};

const MS: u64 = 1_000_000;

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn condition(text: &str) -> CallCondition {
    text.parse().unwrap()
}

/// Two servers, one of which resumes no sessions; a claim and a published call.
fn run() -> (RunFile, Vec<Window>) {
    let servers = vec![Simulated::new("rust/actix-web", 20_000.0), Simulated::new("go/net-http", 18_000.0)];
    let (mut file, windows) = Simulation::new(servers).run();
    let conditions = [
        "http1 new",
        "http1 kept",
        "http1 kept apart-nagle",
        "https1 new 100ms",
        "https1 kept 100ms",
        "h2 new 100ms",
        "h2 resumed 100ms",
        "h2 kept 100ms",
    ];
    let conditions = conditions.map(condition);
    let all = [SimulatedCalls::new("rust/actix-web", MS), SimulatedCalls::new("go/net-http", 4 * MS)];
    SimulatedCalls::add(&all, &mut file, &conditions, 5, 8);
    for block in &mut file.calls {
        if block.contender.as_str() == "go/net-http" && block.condition == conditions[6] {
            block
                .calls
                .iter_mut()
                .filter_map(|call| call.tls.as_mut())
                .for_each(|tls| tls.is_resumed = false);
        }
    }
    let workload = file.workloads[0].name.clone();
    let side = || Side { workload: workload.clone(), contender: name("rust/actix-web") };
    file.workloads[0].claims = vec![Claim {
        says: "the gain is HTTP/2's".to_owned(),
        figure: ClaimFigure::call(conditions[5], conditions[3]),
        subject: Subject::Ratio(side(), side()),
        printed: Some(0.56),
        bound: Bound { low: Some(0.39), high: Some(0.73) },
    }];
    file.workloads[0].published = vec![PublishedRow {
        row: "REST, over the internet".to_owned(),
        contender: Some(name("rust/actix-web")),
        not_measured: None,
        figure: PublishedFigure::Call { ms: 182.0, condition: conditions[3] },
    }];
    file.calls_left_out = vec!["single calls over 20 ms: a link cannot be made here".to_owned()];
    (file, windows)
}

#[test]
fn calls_on_a_terminal() {
    let (file, windows) = run();
    let judgement = judge(&file, &windows);
    let text =
        terminal(&judgement, &TerminalOptions { down_to: Weight::Detail, ..TerminalOptions::default() });
    for line in text.lines() {
        assert!(line.width() <= 80, "{} columns: {line}", line.width());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn calls_in_markdown() {
    let (file, windows) = run();
    insta::assert_snapshot!(markdown(&judge(&file, &windows)));
}

#[test]
fn a_wait_for_a_delayed_acknowledgement_is_said_everywhere() {
    let (mut file, windows) = run();
    let is_held = |block: &&mut velo_record::CallBlock| {
        block.contender.as_str() == "rust/actix-web" && block.condition == condition("https1 new 100ms")
    };
    for block in file.calls.iter_mut().filter(is_held) {
        block.calls.iter_mut().for_each(|call| call.first_byte_ns += 40 * MS);
    }
    let judgement = judge(&file, &windows);
    let words =
        "rust/actix-web: calls take 41.0 ms longer than their round trips explain (https1 new tls1.3 100ms)";
    let on_terminal = terminal(&judgement, &TerminalOptions::default());
    let on_one_line = on_terminal.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in
        [on_one_line, markdown(&judgement), page(&file, &judgement, judge_run(&file, &windows).detail())]
    {
        assert!(text.contains(words), "{text}");
    }
}
