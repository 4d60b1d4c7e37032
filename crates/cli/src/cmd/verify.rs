use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use velo_lab::{Stop, doctor};
use velo_link::LinkError;
use velo_model::Workload;
use velo_record::{CaseRecord, ContenderRecord, ContenderState, Stage};
use velo_stats::number::waited;

use super::strictness;
use crate::args::VerifyArgs;
use crate::columns::align;
use crate::progress::Display;
use crate::root::Root;
use crate::select::{self, Unfiltered};
use crate::{again, exit, out, protocol, signals, values};

pub(crate) fn run(args: &VerifyArgs, root: Option<&Path>) -> anyhow::Result<u8> {
    let root = Root::read(root, &args.filters.workload)?;
    let names = select::workload_names(&args.workloads, &args.filters.workload);
    let workloads = if names.is_empty() { root.workloads.clone() } else { select::workloads(&root, &names)? };
    let workloads = if args.strictness { strictness::with_odd_input(workloads)? } else { workloads };
    let mut selection = select::contenders(&root, workloads, &args.filters, Unfiltered::NamedFolders)?;
    let note =
        no_distance(&selection.workloads, || velo_link::obtain_rights().and_then(|_| doctor::try_link()));
    let stop = signals::stop_saying(signals::BUILDS_ARE_KEPT)?;
    protocol::set(&mut selection.workloads, args.protocol, None)?;
    let seed = args.seed.unwrap_or_else(super::run::new_seed);
    let count = values::count(selection.contenders.len(), "contender");
    out::talk(&format!("verify {count}, seed {seed}\n"));
    let options = selection.into_options(&root, seed, args.strictness);
    let began = Instant::now();
    let mut display = Display::new();
    let records = velo_lab::verify(&options, &mut display, &stop)?;
    display.end();
    // A record names its log as it lies in the folder of a run.
    let logs = options.log_dir.parent().unwrap_or(Path::new("."));
    let summary = format!("{note}{}, {}\n", summary(&records), waited(began.elapsed()));
    if args.strictness {
        let failed: String = records
            .iter()
            .filter(|record| !answered(record))
            .map(|record| story(record, logs, true))
            .collect();
        strictness::print(&options.workloads, &records, args.format)?;
        out::talk(&format!("{failed}{summary}"));
    } else {
        let text: String = records.iter().map(|record| story(record, logs, args.quiet)).collect();
        out::print(&format!("{text}{summary}"))?;
    }
    if let Some(path) = &args.junit {
        velo_record::write_whole(path, velo_report::verification_junit(&records).as_bytes())
            .with_context(|| format!("--junit {} cannot be written", path.display()))?;
    }
    Ok(code(&records, &stop))
}

/// The exit code of a command that measures nothing.
pub(super) fn code(records: &[ContenderRecord], stop: &Stop) -> u8 {
    match records.iter().any(has_failed) {
        _ if stop.asked() => exit::INTERRUPTED,
        true => exit::CHECK_FAILED,
        false => exit::DONE,
    }
}

fn has_failed(record: &ContenderRecord) -> bool {
    matches!(record.state, ContenderState::Excluded { .. })
}

/// Which workloads ask for distances that cannot be had here, in a line; nothing where all can. A link is tried only where one asks.
fn no_distance(workloads: &[Workload], try_link: impl FnOnce() -> Result<(), LinkError>) -> String {
    let is_far = |workload: &&Workload| workload.call_conditions().any(|condition| condition.rtt_ms > 0);
    let far: Vec<&str> = workloads.iter().filter(is_far).map(|workload| workload.name.as_str()).collect();
    if far.is_empty() {
        return String::new();
    }
    try_link().err().map_or_else(String::new, |error| {
        let names = values::listed(&far);
        format!(
            "note: single calls of {names} at a distance would be left out: {error}\n  {}\n",
            error.cure()
        )
    })
}

/// `logs`: the folder that the path of a log begins at.
fn story(record: &ContenderRecord, logs: &Path, quiet: bool) -> String {
    let required = || record.cases.iter().filter(|case| case.required);
    let passed = required().filter(|case| case.passed).count();
    let counts = format!("{passed} of {} required cases", required().count());
    let state = why_not(record, logs).unwrap_or_else(|| match answered(record) {
        true => format!("ok, {counts}"),
        false => "not tried".to_owned(),
    });
    let mut text = format!("{}  {state}\n", record.manifest.name);
    let shown: Vec<Vec<String>> =
        record.cases.iter().filter(|case| !quiet || (case.required && !case.passed)).map(row).collect();
    text.push_str(&align(&shown));
    if !quiet {
        if let Some(version) = &record.version {
            let _ = writeln!(text, "  version   {version}");
        }
        if !record.left_by_build.is_empty() {
            let left = record.left_by_build.join(", ");
            let _ = writeln!(text, "  warning   its build left programs running, which were ended: {left}");
        }
        if let Some(address) = record.listens_on {
            let _ = writeln!(text, "  warning   {}", velo_report::listens_on_all(address));
        }
        if let Some(written) = record.log_bytes {
            let log = logs.join(format!("logs/{}.stderr", record.manifest.name.file_stem()));
            let _ =
                writeln!(text, "  warning   {}", velo_report::log_cut(&log.display().to_string(), written));
        }
        text.push('\n');
    }
    text
}

/// Why a contender was skipped or failed, and what to do; nothing of one that was not. `logs` is that of [`story`].
pub(super) fn why_not(record: &ContenderRecord, logs: &Path) -> Option<String> {
    Some(match &record.state {
        ContenderState::Pending | ContenderState::Measured => return None,
        ContenderState::Skipped { reason, cure: None } => format!("skipped: {reason}"),
        ContenderState::Skipped { reason, cure: Some(cure) } => format!("skipped: {reason}\n  {cure}"),
        ContenderState::Excluded { reason, log: None, .. } => format!("FAILED: {reason}"),
        ContenderState::Excluded { reason, log: Some(log), stage } => {
            let log = logs.join(log);
            let printed = if *stage == Stage::Build { velo_lab::build_excerpt(&log) } else { Vec::new() };
            let printed: String = printed.iter().map(|line| format!("\n  | {line}")).collect();
            format!("FAILED: {reason}{printed}\n  all of it: {}", again::shown_path(&log))
        }
    })
}

fn row(case: &CaseRecord) -> Vec<String> {
    let state = match (case.required, case.passed) {
        (true, true) => "  ok",
        (true, false) => "  FAILED",
        (false, _) => "  recorded",
    };
    let got = if case.required && !case.passed { case.got.clone() } else { short(&case.got) };
    vec![state.to_owned(), case.workload.clone(), case.case.clone(), got]
}

/// The start of a text that nobody needs in full.
fn short(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

/// Neither skipped nor excluded, and its cases were tried.
fn answered(record: &ContenderRecord) -> bool {
    matches!(record.state, ContenderState::Pending | ContenderState::Measured) && !record.cases.is_empty()
}

fn summary(records: &[ContenderRecord]) -> String {
    let ok = records.iter().filter(|record| answered(record)).count();
    format!("verify: {ok} ok, {}", rest(records, ok))
}

/// What became of those that are not among the `done`, in numbers.
pub(super) fn rest(records: &[ContenderRecord], done: usize) -> String {
    let count = |is: fn(&ContenderRecord) -> bool| records.iter().filter(|record| is(record)).count();
    let failed = count(has_failed);
    let skipped = count(|record| matches!(record.state, ContenderState::Skipped { .. }));
    let untried = records.len() - done - failed - skipped;
    let untried = if untried > 0 { format!(", {untried} not tried") } else { String::new() };
    format!("{failed} failed, {skipped} skipped{untried}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_model::{CallSettings, Class, Contender, ContenderName, Role};

    fn record(name: &str, state: ContenderState, cases: Vec<CaseRecord>) -> ContenderRecord {
        ContenderRecord {
            manifest: Contender {
                name: ContenderName::new(name).expect("a name"),
                variant_of: None,
                role: Role::Server,
                dir: std::path::PathBuf::new(),
                borrows: Vec::new(),
                runs_at: None,
                class: Class::Raw,
                raw: None,
                rest: None,
                workloads: vec!["coin".to_owned()],
                toolchain: vec![],
                debian: vec![],
                fetch: None,
                build: None,
                start: "true".to_owned(),
                version: "true".to_owned(),
                process_for_each: false,
                ready_seconds: 20,
                protocols: vec![velo_model::Protocol::Http1],
                other_protocols: None,
            },
            twin_of: None,
            state,
            version: Some("1.2.3".to_owned()),
            notes: None,
            toolchains: vec![],
            build: None,
            left_by_build: vec![],
            cases,
            idle_cpu_share: None,
            listens_on: None,
            external: None,
            log_bytes: None,
            launches: vec![],
            tasks: Vec::new(),
        }
    }

    fn case(required: bool, passed: bool) -> CaseRecord {
        let (workload, case, got) = ("coin".to_owned(), "a bet".to_owned(), "200 {}".repeat(20));
        CaseRecord { workload, case, required, passed, got }
    }

    #[test]
    fn a_story_says_what_failed_in_full_and_the_rest_in_short() {
        let failed =
            ContenderState::Excluded { stage: Stage::Verify, reason: "a bet: 500".to_owned(), log: None };
        let record = record("go/x", failed, vec![case(true, true), case(true, false), case(false, false)]);
        let text = story(&record, Path::new("."), false);
        assert!(text.starts_with("go/x  FAILED: a bet: 500\n"), "{text}");
        assert!(
            text.contains("ok        coin  a bet  200 {}200 {}200 {}200 {}200 {}200 {}200 ..."),
            "{text}"
        );
        assert!(text.contains(&format!("FAILED    coin  a bet  {}\n", "200 {}".repeat(20))), "{text}");
        assert!(text.contains("recorded  coin"), "{text}");
        assert_eq!(
            story(&record, Path::new("."), true).lines().count(),
            2,
            "quiet: its name and the case that failed"
        );
    }

    #[test]
    fn a_failed_build_shows_what_it_printed_and_where_all_of_it_is() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(dir.path().join("logs")).expect("a folder");
        let log = dir.path().join("logs/c-x.build.log");
        std::fs::write(&log, "$ make\nx.c:1: error: bad\nstopped\n").expect("a log");
        let failed = ContenderState::Excluded {
            stage: Stage::Build,
            reason: "bad".to_owned(),
            log: Some("logs/c-x.build.log".to_owned()),
        };
        let text = story(&record("c/x", failed, vec![]), dir.path(), true);
        assert_eq!(
            text,
            format!("c/x  FAILED: bad\n  | x.c:1: error: bad\n  | stopped\n  all of it: {}\n", log.display())
        );
    }

    #[test]
    fn the_summary_counts_each_contender_once() {
        let skipped = ContenderState::Skipped { reason: "no go".to_owned(), cure: None };
        let failed = ContenderState::Excluded { stage: Stage::Start, reason: "hung".to_owned(), log: None };
        let records = [
            record("go/a", ContenderState::Pending, vec![case(true, true)]),
            record("go/b", ContenderState::Pending, vec![]),
            record("go/c", skipped, vec![]),
            record("go/d", failed, vec![case(true, true)]),
        ];
        assert_eq!(summary(&records), "verify: 1 ok, 1 failed, 1 skipped, 1 not tried");
    }

    #[test]
    fn a_distance_that_cannot_be_had_is_noted_where_one_is_asked_for() {
        let near = crate::carried::void_named("void");
        let refused = || Err(LinkError::NoAddress);
        assert_eq!(no_distance(std::slice::from_ref(&near), || unreachable!("no workload asks")), "");
        let mut far = crate::carried::void_named("far");
        let condition = "http1 new 20ms".parse().expect("a condition");
        far.calls = vec![CallSettings { request: 0, conditions: vec![condition], calls: 3 }];
        let both = [near, far];
        assert_eq!(no_distance(&both, || Ok(())), "");
        let note = no_distance(&both, refused);
        assert!(
            note.starts_with("note: single calls of far at a distance would be left out: a link cannot"),
            "{note}"
        );
        assert!(note.contains("\n  end other links"), "{note}");
    }
}
