//! What a report says, in clean words, before it is laid out: the terminal and the Markdown say the same.

pub(crate) mod answer;
pub(crate) mod bursts;
pub(crate) mod comparison;
pub(crate) mod cost;
pub(crate) mod latency;
pub(crate) mod pairs;
pub(crate) mod tasks;

use velo_judge::{
    Cause, Check, ComparedRow, Fairness, Holds, JudgedClaim, JudgedWorkload, Judgement, Kind, Limit, Row,
    RowState, Tax, Told, Validity, Verdict,
};
use velo_record::{EndedBy, RunState};
use velo_spec::{ContenderName, Figure, PublishedFigure, Subject};

use crate::number::{
    binary_bytes, change, count, lasted_ns, percent, plus_minus, rate, ratio, tidy_percent, time_ns,
};
use crate::text::clean;

/// A hint that more contenders share says how many they are.
const MOST_NAMES: usize = 6;

const BASELINE: &str = "1 (baseline)";

/// The run in a few labelled lines.
pub(crate) fn head(judgement: &Judgement) -> Vec<(&'static str, String)> {
    let host = &judgement.host;
    let machine = host.virtualisation.as_ref().map(|hypervisor| format!(", virtual ({hypervisor})"));
    let model = host.cpu_model.as_deref().unwrap_or("unknown CPU");
    let mut lines = vec![
        (
            "run",
            format!("velo {}, seed {}, {}", judgement.identity.velo, judgement.seed, judgement.started_at),
        ),
        (
            "host",
            format!(
                "{model}, {}{}; server on CPU {}, load on CPU {}",
                plural(u64::from(host.cpus), "CPU", "CPUs"),
                machine.unwrap_or_default(),
                cpus(&host.server_cpus),
                cpus(&host.load_cpus)
            ),
        ),
    ];
    if let Some(plan) = &judgement.plan {
        let launches = plural(u64::from(plan.launches), "launch", "launches");
        let blocks = plural(u64::from(plan.blocks), "block", "blocks");
        let built = lasted_ns(judgement.timings.build_ns);
        // The measuring time is only known of a run that has ended.
        let measured = match judgement.state {
            RunState::Running => String::new(),
            _ => format!(", measured in {}", lasted_ns(judgement.timings.measure_ns)),
        };
        let ended = ended(judgement);
        lines.push(("plan", format!("{launches} of {blocks}{ended}; built in {built}{measured}")));
    }
    if let Some(limit) = judgement.memory_limit_bytes {
        lines.push(("memory", format!("limited to {} for each contender", binary_bytes(limit))));
    }
    lines.into_iter().map(|(label, text)| (label, clean(&text))).collect()
}

/// Which of the two ended a run that could end early.
fn ended(judgement: &Judgement) -> String {
    let could_end_early = judgement.plan.as_ref().is_some_and(|plan| plan.looks.len() > 1);
    match judgement.ended_by {
        Some(EndedBy::Precision { launch }) => {
            format!(", ended after launch {} by the precision reached", count(u64::from(launch)))
        }
        Some(EndedBy::Plan) if could_end_early => ", ended by the plan".to_owned(),
        _ => String::new(),
    }
}

/// The line that says that nothing is ranked.
pub(crate) fn no_ranks(judgement: &Judgement) -> Option<String> {
    judgement.nothing_ranked.as_ref().map(|reason| format!("no ranks: {}", clean(reason)))
}

/// What a workload asks, and how it was loaded.
pub(crate) fn load(workload: &JudgedWorkload) -> String {
    let connections = plural(u64::from(workload.connections), "connection", "connections");
    if let Some(per_s) = workload.rate_per_s {
        return format!("{connections}, open loop at {} requests/s; see equal work", rate(per_s));
    }
    let score = match &workload.baseline_fault {
        None => format!("score: goodput against {}", workload.baseline),
        Some(fault) => format!("no scores: {}", clean(fault)),
    };
    format!("{connections}, closed loop; {score}")
}

/// The workloads that there is something to say of: a run of tasks alone leaves a workload's further loads empty.
pub(crate) fn sections(judgement: &Judgement) -> impl Iterator<Item = &JudgedWorkload> {
    let has_tasks = judgement.workloads.iter().any(|workload| workload.tasks.is_some());
    let is_empty = |workload: &JudgedWorkload| workload.rows.is_empty() && workload.tasks.is_none();
    judgement.workloads.iter().filter(move |workload| !has_tasks || !is_empty(workload))
}

/// Whether there is anything to say of servers: a run may have tasks alone.
pub(crate) fn has_servers(workload: &JudgedWorkload) -> bool {
    !workload.rows.is_empty() || workload.tasks.is_none()
}

/// The rows of the main table: ranked ones, and those that stand though the run ranks nothing.
pub(crate) fn table_rows(workload: &JudgedWorkload) -> impl Iterator<Item = &Row> {
    workload.rows.iter().filter(|row| is_in_table(row))
}

fn is_in_table(row: &Row) -> bool {
    matches!(row.state, RowState::Ranked { .. } | RowState::NotRanked { cause: Cause::Run, .. })
}

/// `1-2`, `3`, or `-`.
pub(crate) fn rank(row: &Row) -> String {
    rank_of(&row.state)
}

fn rank_of(state: &RowState) -> String {
    match state {
        RowState::Ranked { best, worst } if best == worst => best.to_string(),
        RowState::Ranked { best, worst } => format!("{best}-{worst}"),
        _ => "-".to_owned(),
    }
}

pub(crate) fn goodput(row: &Row) -> Option<String> {
    let goodput = row.goodput_per_s.as_ref()?;
    Some(with_interval(rate(goodput.value), row.at_least, plus_minus(goodput, rate)))
}

pub(crate) fn score(row: &Row, workload: &JudgedWorkload) -> Option<String> {
    let score = row.against_baseline.as_ref()?;
    if row.contender == workload.baseline {
        return Some(BASELINE.to_owned());
    }
    // Both of two launches stand beside the goodput; here they would take the place of other columns.
    let interval = score.interval().and_then(|_| plus_minus(score, ratio));
    Some(with_interval(ratio(score.value), row.at_least, interval))
}

/// A figure and how sure it is. A lower bound says so and has no interval: what it could have been is not known.
fn with_interval(value: String, at_least: bool, plus_minus: Option<String>) -> String {
    match plus_minus {
        _ if at_least => format!(">= {value}"),
        Some(plus_minus) => format!("{value} {plus_minus}"),
        None => value,
    }
}

/// A row that is not in the main table.
pub(crate) struct Outside {
    pub(crate) name: String,
    /// One word or figure: `skipped`, `>= 171,000`.
    pub(crate) what: String,
    pub(crate) reason: String,
    /// Where to read on, what to do.
    pub(crate) more: Option<String>,
}

pub(crate) fn outside(workload: &JudgedWorkload) -> Vec<Outside> {
    // Those at a stated rate are ranked by what they use there.
    let has_no_goodput =
        |row: &&Row| matches!(row.state, RowState::NotRanked { cause: Cause::StatedRate, .. });
    let rows = workload.rows.iter().filter(|row| !is_in_table(row) && !has_no_goodput(row));
    rows.map(outside_row).collect()
}

fn outside_row(row: &Row) -> Outside {
    let figure = || row.goodput_per_s.map(|goodput| with_interval(rate(goodput.value), row.at_least, None));
    let cpu = || {
        row.cpu_per_request_ns.map(|cpu| format!("; CPU/request {}", time_ns(cpu.value))).unwrap_or_default()
    };
    let (what, reason, more) = match &row.state {
        RowState::NotRanked { cause, reason } => {
            let what = match cause {
                Cause::NotServerBound | Cause::RanAlready | Cause::FewLaunches => figure(),
                Cause::Failures => Some("failures".to_owned()),
                cause => match cause.validity() {
                    Validity::Doubtful => Some("doubtful".to_owned()),
                    Validity::Invalid => Some("invalid".to_owned()),
                    _ => None,
                },
            };
            let cpu = if *cause == Cause::NotServerBound { cpu() } else { String::new() };
            (what, format!("{reason}{cpu}"), None)
        }
        RowState::Reference => {
            let limit = row.limit.as_ref().map(|limit| format!("; {}", limit.words)).unwrap_or_default();
            let wrong = if row.answers.wrong_answer > 0 { ", with wrong answers" } else { "" };
            let ceiling = match row.limit.as_ref().map(|limit| limit.limit) {
                Some(Limit::Client | Limit::Both) => "the reference: the generator's ceiling here",
                _ => "the reference",
            };
            (figure(), format!("{ceiling}{wrong}{limit}"), None)
        }
        RowState::Skipped { reason, cure } => {
            let cure = cure.as_ref().map(|cure| format!("to have it: {cure}"));
            (Some("skipped".to_owned()), reason.clone(), cure)
        }
        RowState::Excluded { reason, log, .. } => {
            let log = log.as_ref().map(|log| format!("all of it: {log}"));
            (Some("failed".to_owned()), reason.clone(), log)
        }
        RowState::Ranked { .. } => (None, row.standing(), None),
    };
    Outside {
        name: row.contender.to_string(),
        what: what.unwrap_or_else(|| "no figure".to_owned()),
        reason: clean(&reason),
        more: more.as_deref().map(clean),
    }
}

/// What is to be known beside the figures.
pub(crate) struct Note {
    pub(crate) kind: Kind,
    /// Of whom; empty: of the run.
    pub(crate) names: Vec<String>,
    pub(crate) words: String,
}

impl Note {
    /// `go/gin, js/fastify: SIGTERM did not stop it`.
    pub(crate) fn sentence(&self) -> String {
        match self.names.len() {
            0 => self.words.clone(),
            // Who it is stands in the JSON; a list of all would hide what is said of few.
            many if many > MOST_NAMES && self.kind == Kind::Hint => {
                format!("{many} contenders: {}", self.words)
            }
            _ => format!("{}: {}", self.names.join(", "), self.words),
        }
    }
}

/// The rows' verdicts, the gravest first, what several share said once. What is a row's reason already is not said
/// again.
pub(crate) fn notes(workload: &JudgedWorkload) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for row in &workload.rows {
        let said = |kind: Kind, check: Check| match row.state {
            RowState::NotRanked { cause: Cause::NotServerBound, .. } => {
                kind == Kind::Error || matches!(check, Check::Limit | Check::Proof)
            }
            RowState::NotRanked { .. } => kind == Kind::Error,
            RowState::Reference => matches!(check, Check::Limit | Check::Proof),
            _ => false,
        };
        for verdict in row.verdicts.iter().filter(|verdict| !said(verdict.kind, verdict.check)) {
            add_note(&mut notes, verdict, &row.contender);
        }
    }
    notes.sort_by_key(|note| std::cmp::Reverse(note.kind));
    notes
}

/// Adds a contender's verdict; what another one has too is said once.
fn add_note(notes: &mut Vec<Note>, verdict: &Verdict, contender: &ContenderName) {
    let (words, name) = (clean(&verdict.words), contender.to_string());
    match notes.iter_mut().find(|note| note.kind == verdict.kind && note.words == words) {
        Some(note) => note.names.push(name),
        None => notes.push(Note { kind: verdict.kind, names: vec![name], words }),
    }
}

/// Jain's index, and between how many processes the connections were shared.
pub(crate) fn fairness(fairness: &Fairness) -> String {
    let index = format!("{:.2}", fairness.jains_index);
    match (fairness.processes, fairness.connections_per_process) {
        (Some(processes), Some(each)) if processes > 1 => {
            format!("{index} ({processes} processes, {each:.1} connections each)")
        }
        _ => index,
    }
}

/// The run's own verdicts.
pub(crate) fn run_notes(judgement: &Judgement) -> Vec<Note> {
    let note = |verdict: &velo_judge::Verdict| Note {
        kind: verdict.kind,
        names: Vec::new(),
        words: clean(&verdict.words),
    };
    judgement.verdicts.iter().map(note).collect()
}

pub(crate) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Hint => "hint",
        Kind::Warning => "warning",
        Kind::Error => "error",
    }
}

/// What the run's numbers are worth, a sentence each.
pub(crate) fn worth(judgement: &Judgement) -> Vec<String> {
    let answers = &judgement.answers;
    let tasks = tasks::worth(&judgement.workloads);
    let mut first = match answers.checked() {
        0 if tasks.is_some() && answers.requests() == 0 => String::new(),
        0 => "no answers".to_owned(),
        n => format!(
            "{}, every one checked, {} wrong",
            plural(n, "answer", "answers"),
            count(answers.wrong_answer)
        ),
    };
    if answers.failures() > 0 {
        first.push_str(&format!(", {}", plural(answers.failures(), "request failed", "requests failed")));
    }
    if let Some(worst) = judgement.littles_law_worst {
        first.push_str(&format!("; Little's law within {}", percent(worst)));
    }
    let mut lines: Vec<String> =
        [Some(first), tasks].into_iter().flatten().filter(|line| !line.is_empty()).collect();
    let shown: Vec<&Row> = judgement.workloads.iter().flat_map(table_rows).collect();
    if !shown.is_empty() {
        let ranked = shown.iter().any(|row| matches!(row.state, RowState::Ranked { .. }));
        let ties = if ranked { "; ranks not told apart are shared" } else { "" };
        let confidence = tidy_percent(judgement.confidence);
        lines.push(format!("+- is half of a {confidence} interval over launches{ties}"));
    }
    lines.extend(pairs::resolution(judgement).map(|line| clean(&line)));
    let host = &judgement.host;
    let shares = [(host.steal_share, "steal"), (host.others_share, "others")];
    let shares: Vec<String> = shares
        .iter()
        .filter_map(|(share, name)| share.map(|share| format!("{name} {}", percent(share))))
        .collect();
    if !shares.is_empty() {
        let dropped =
            format!(", {} of {} dropped", count(host.dropped_blocks), plural(host.blocks, "block", "blocks"));
        lines.push(format!("host: {} of CPU time{dropped}", shares.join(", ")));
    }
    lines
}

/// A tax: of what over what, and how much.
pub(crate) fn tax(tax: &Tax) -> (String, String) {
    let pair = format!("{} over {}", tax.contender, tax.raw);
    let words = match &tax.ratio {
        Some(ratio) => {
            let range = ratio
                .interval()
                .map(|(low, high)| format!(" ({} to {})", change(low).trim_end_matches(" %"), change(high)));
            let range = range.unwrap_or_default();
            let open = if tax.told == Told::Open { "open: " } else { "" };
            let why = tax.reason.as_ref().map(|reason| format!("; {}", clean(reason))).unwrap_or_default();
            format!("{open}{}{range}{why}", change(ratio.value))
        }
        None => format!("not known: {}", clean(tax.reason.as_deref().unwrap_or("there is no figure"))),
    };
    (pair, words)
}

/// Where the published table comes from.
pub(crate) fn source(workload: &JudgedWorkload) -> String {
    let source = &workload.source;
    clean(&format!("\"{}\", {}: {}, {}", source.title, source.year, source.command, source.machine))
}

/// The rows of the published table that are rates, and so scores.
pub(crate) fn published_scores(workload: &JudgedWorkload) -> impl Iterator<Item = &ComparedRow> {
    workload.published.iter().filter(|row| matches!(row.figure, PublishedFigure::RequestsPerS(_)))
}

/// The published score and the one measured here.
pub(crate) fn there_and_here(row: &ComparedRow, workload: &JudgedWorkload) -> (String, String) {
    let there = row.there.map_or_else(|| "-".to_owned(), ratio);
    let here = match &row.here {
        Some(_) if row.contender.as_ref() == Some(&workload.baseline) => BASELINE.to_owned(),
        Some(here) => with_interval(ratio(here.value), row.at_least, plus_minus(here, ratio)),
        None => "-".to_owned(),
    };
    (there, here)
}

/// Why a published row has no score here, in a word or two: the whole reason stands with the contender's row.
pub(crate) fn no_score(compared: &ComparedRow, workload: &JudgedWorkload) -> Option<String> {
    let reason = compared.reason.as_deref()?;
    let row = workload.rows.iter().find(|row| Some(&row.contender) == compared.contender.as_ref());
    Some(match row.map(|row| &row.state) {
        None => clean(reason),
        Some(RowState::Skipped { .. }) => "skipped".to_owned(),
        Some(RowState::Excluded { .. }) => "failed".to_owned(),
        Some(_) if workload.baseline_fault.is_some() => "no baseline".to_owned(),
        Some(_) => "not ranked".to_owned(),
    })
}

/// A claim's figure: seconds where it is about a makespan itself, else a ratio.
pub(crate) fn claimed(judged: &JudgedClaim, value: f64) -> String {
    match (&judged.claim.subject, judged.claim.figure) {
        (Subject::Value(_), Figure::Makespan { .. }) => time_ns(value * 1e9),
        _ => ratio(value),
    }
}

pub(crate) fn holds(holds: Holds) -> &'static str {
    match holds {
        Holds::Holds => "holds",
        Holds::DoesNotHold => "does not hold",
        Holds::CannotBeTold => "cannot be told",
    }
}

/// What contenders did in a case: `400: go/gin, python/fastapi; 200: js/fastify`. Of groups larger than `at_most` the
/// largest is `the others`.
pub(crate) fn strictness(case: &velo_judge::StrictnessCase, at_most: usize) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for answer in &case.answers {
        let got = status_or_all(&clean(&answer.got));
        let name = answer.contender.to_string();
        match groups.iter_mut().find(|(known, _)| *known == got) {
            Some((_, names)) => names.push(name),
            None => groups.push((got, vec![name])),
        }
    }
    groups.sort_by_key(|(got, names)| (names.len(), got.clone()));
    let alone = groups.len() == 1;
    let last = groups.len().saturating_sub(1);
    let groups: Vec<String> = groups
        .iter()
        .enumerate()
        .map(|(index, (got, names))| match names.len() {
            n if index < last || n <= at_most => format!("{got}: {}", names.join(", ")),
            n if alone => format!("{got}: all {n}"),
            n => format!("{got}: the {n} others"),
        })
        .collect();
    groups.join("; ")
}

/// Bodies differ in wording, so answers are grouped by their status.
fn status_or_all(got: &str) -> String {
    let first = got.split(' ').next().unwrap_or_default();
    let is_status = first.len() == 3 && first.bytes().all(|byte| byte.is_ascii_digit());
    if is_status { first.to_owned() } else { got.to_owned() }
}

pub(crate) fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// CPUs as ranges: `0-3,8`.
fn cpus(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*cpu) => *last = *cpu,
            _ => ranges.push((*cpu, *cpu)),
        }
    }
    if ranges.is_empty() {
        return "unknown".to_owned();
    }
    let range = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_written_as_ranges() {
        assert_eq!(cpus(&[0]), "0");
        assert_eq!(cpus(&[0, 1, 2, 3, 8, u32::MAX]), "0-3,8,4294967295");
        assert_eq!(cpus(&[]), "unknown");
    }
}
