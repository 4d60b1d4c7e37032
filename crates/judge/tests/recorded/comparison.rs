//! A comparison as lines: of two runs, or of the contenders of one.

use velo_judge::compare::{
    Change, ComparedContenders, ComparedRuns, ComparedWorkload, JudgedCondition, NotCompared, Ratio,
};
use velo_model::LoadCondition;

use crate::lines::{Lines, data, ends, estimate, some, why};

pub(crate) fn runs(compared: &ComparedRuns) -> String {
    let mut lines = Lines::default();
    lines.say(["before", &data(&compared.before)]);
    lines.say(["after", &data(&compared.after)]);
    lines.say(["rules", &format!("confidence={:?} level={:?}", compared.confidence, compared.level)]);
    compared.differences.iter().for_each(|difference| lines.say(["differs", &data(difference)]));
    compared.refused.iter().for_each(|refused| lines.say([&refused.workload, "refused", &refused.reason]));
    compared.workloads.iter().for_each(|one| workload(&mut lines, one));
    compared.changes.iter().for_each(|one| change(&mut lines, one));
    compared.not_compared.iter().for_each(|one| not_compared(&mut lines, one));
    compared.conditions.iter().for_each(|one| condition(&mut lines, one));
    lines.text()
}

fn workload(lines: &mut Lines, workload: &ComparedWorkload) {
    let load = format!(
        "connections={} protocol={} streams={} closed after={} link={} rate={}",
        workload.connections,
        workload.protocol,
        workload.streams,
        some(workload.requests_per_connection),
        workload.link.map_or_else(|| "none".to_owned(), |link| link.to_string()),
        some(workload.rate_per_s),
    );
    let name = workload.name.as_str();
    lines.say([name, "load", &load]);
    lines.say([name, "reference", &why(workload.reference.as_ref()), &why(workload.no_reference.as_ref())]);
    for level in &workload.machine {
        lines.say([name, "machine", &data(&level.figure), &ratio(&level.ratio)]);
    }
}

fn ratio(ratio: &Ratio) -> String {
    format!("ratio {:?} | {}", ratio.value, ends(ratio.low, ratio.high))
}

/// `void | go/gin | goodput`, with the condition of single calls.
macro_rules! about {
    ($of:expr, $figure:expr) => {{
        let workload = $of.workload.as_deref().unwrap_or("no workload");
        let call =
            $of.load.and_then(LoadCondition::call).map_or_else(String::new, |call| format!(", call {call}"));
        format!("{workload} | {} | {}{call}", $of.contender, $figure)
    }};
}

fn change(lines: &mut Lines, change: &Change) {
    let about = about!(change, data(&change.figure));
    let over = if change.over_reference { "over the reference" } else { "alone" };
    let tests = format!("p={} p by Holm={}", some(change.p), some(change.p_holm));
    lines.say([
        &about,
        &data(&change.state),
        over,
        &ratio(&change.ratio),
        &tests,
        &why(change.doubt.as_ref()),
    ]);
    lines.say([&about, "before", &estimate(&change.before)]);
    lines.say([&about, "after", &estimate(&change.after)]);
}

fn not_compared(lines: &mut Lines, not: &NotCompared) {
    let about = about!(not, not.figure.map_or_else(|| "no figure".to_owned(), |figure| data(&figure)));
    lines.say([&about, "not compared", if not.is_lost { "lost" } else { "not lost" }, &not.reason]);
}

fn condition(lines: &mut Lines, condition: &JudgedCondition) {
    let about = format!("condition {}", condition.text);
    let held = format!("bound={:?} held against {}", condition.bound, condition.told);
    lines.say([&about, &data(&condition.holds), &held]);
    for breach in &condition.breaches {
        let of = about!(breach, breach.figure.map_or_else(|| "no figure".to_owned(), |figure| data(&figure)));
        let by = breach.ratio.map_or_else(|| "no ratio".to_owned(), |found| ratio(&found));
        let tests = format!("p by Holm={}", some(breach.p_holm));
        lines.say([&about, "breach", &of, &by, &tests, &why(breach.reason.as_ref())]);
    }
    for untold in &condition.untold {
        let of = about!(untold, data(&untold.figure));
        let width = format!("half width={} launches={}", some(untold.half_width), some(untold.launches));
        lines.say([&about, "inconclusive", &of, &ratio(&untold.ratio), &width, &why(untold.doubt.as_ref())]);
    }
}

pub(crate) fn contenders(compared: &ComparedContenders) -> String {
    let mut lines = Lines::default();
    lines.say(["run", &data(&compared.run)]);
    lines.say(["rules", &format!("confidence={:?}", compared.confidence)]);
    lines.say(["contenders", &data(&compared.contenders)]);
    for pair in &compared.pairs {
        let call =
            pair.load.and_then(LoadCondition::call).map_or_else(String::new, |call| format!(", call {call}"));
        let about =
            format!("{} | {}{call} | {} over {}", pair.workload, data(&pair.figure), pair.over, pair.under);
        let state = pair.state.map_or_else(|| "no such pair".to_owned(), |state| data(&state));
        lines.say([&about, &state, &format!("p by Holm={}", some(pair.p_holm)), &why(pair.reason.as_ref())]);
        lines.figure(&about, pair.over.as_str(), "figure", pair.over_figure);
        lines.figure(&about, pair.under.as_str(), "figure", pair.under_figure);
        lines.figure(&about, "ratio", "paired", pair.ratio);
    }
    for waiting in &compared.waiting {
        waiting.pairs.iter().for_each(|pair| {
            lines.say([&waiting.workload, "waiting", &data(&waiting.of), &data(pair)]);
        });
    }
    compared.not_compared.iter().for_each(|one| not_compared(&mut lines, one));
    lines.text()
}
