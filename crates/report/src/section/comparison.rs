//! What a comparison says, in clean words, before it is laid out.

use std::collections::{BTreeMap, BTreeSet};

use velo_judge::compare::{
    Breach, Change, ChangeState, ComparedContenders, ComparedRuns, ComparedWorkload, Comparison,
    ContenderPair, Difference, HoursApart, JudgedCondition, NotCompared, Ratio, RunHead, Untold,
    WaitingHours,
};
use velo_judge::{Estimate, Holds, Standing};
use velo_model::{ContenderName, Figure, FigureKind, LoadCondition};

use super::phrases::plural;
use super::series::{self, value};
use crate::number::{
    change, change_range, count, figure, p_value, percent, ratio, ratio_range, tidy_percent,
};
use crate::text::clean;
use crate::words::figures;

/// So many names are in a sentence; the others are in the JSON.
const MOST_NAMES: usize = 6;

/// Which question is answered, and of whom.
pub(crate) fn question(comparison: &Comparison) -> String {
    match comparison {
        Comparison::AcrossTime(_) => {
            "across time: each contender against itself, before and after".to_owned()
        }
        Comparison::AcrossContenders(compared) => {
            format!("across contenders: {}, within one run", names(compared.contenders.iter()))
        }
    }
}

/// A run in a few words.
pub(crate) fn head(run: &RunHead) -> String {
    let no_ranks = run.nothing_ranked.as_ref().map(|reason| format!("; no ranks: {reason}"));
    clean(&format!("velo {}, {}{}", run.velo, run.started_at, no_ranks.unwrap_or_default()))
}

/// The comparison in a line: whether a condition is broken, else what was told apart.
pub(crate) fn verdict(compared: &ComparedRuns) -> String {
    let of = |holds: Holds| compared.conditions.iter().filter(move |condition| condition.holds == holds);
    let broken: Vec<&JudgedCondition> = of(Holds::DoesNotHold).collect();
    if let Some(first) = broken.first() {
        let texts: Vec<&str> = broken.iter().map(|condition| condition.text.as_str()).collect();
        let more = match broken.iter().map(|condition| condition.breaches.len()).sum::<usize>() {
            0 | 1 => String::new(),
            all => format!("; {} more", count(all as u64 - 1)),
        };
        let worst = first.breaches.first().map(breach).unwrap_or_default();
        return clean(&format!("fails {}: {worst}{more}", texts.join(", ")));
    }
    if compared.changes.is_empty() {
        return "nothing to compare: no contender was measured in both runs".to_owned();
    }
    let state =
        |state: ChangeState| compared.changes.iter().filter(|change| change.state == state).count() as u64;
    let told = format!(
        "{}: {} worse, {} better, {} not resolved",
        plural(compared.changes.len() as u64, "change", "changes"),
        count(state(ChangeState::Worse)),
        count(state(ChangeState::Better)),
        count(state(ChangeState::Open))
    );
    let texts = |conditions: &mut dyn Iterator<Item = &JudgedCondition>| {
        conditions.map(|condition| condition.text.as_str()).collect::<Vec<_>>().join(", ")
    };
    let kept = texts(&mut of(Holds::Holds));
    let open = texts(&mut of(Holds::CannotBeTold).filter(|condition| condition.told > 0));
    let unheld = texts(&mut of(Holds::CannotBeTold).filter(|condition| condition.told == 0));
    let parts = [
        (!unheld.is_empty()).then(|| format!("nothing to hold {unheld} against")),
        (!kept.is_empty()).then(|| format!("{kept} holds")),
        (!open.is_empty()).then(|| format!("{open} passed, some inconclusive")),
        Some(told),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// `not the same: kernel: 6.1.0, then 6.18.0`: what the contenders share said once.
pub(crate) fn differences(compared: &ComparedRuns) -> Vec<String> {
    let mut said: Vec<(&Difference, Vec<&ContenderName>)> = Vec::new();
    for difference in &compared.differences {
        let is_same = |known: &Difference| {
            known.contender.is_some()
                && difference.contender.is_some()
                && (known.setting, &known.before, &known.after)
                    == (difference.setting, &difference.before, &difference.after)
        };
        let contender = difference.contender.as_ref();
        match said.iter_mut().find(|(known, _)| is_same(known)) {
            Some((_, names)) => names.extend(contender),
            None => said.push((difference, contender.into_iter().collect())),
        }
    }
    said.into_iter()
        .map(|(Difference { setting, before, after, .. }, whose)| {
            let whose =
                if whose.is_empty() { String::new() } else { format!("{}: ", names(whose.into_iter())) };
            clean(&format!("not the same: {whose}{setting}: {before}, then {after}"))
        })
        .collect()
}

/// The workloads that are not compared.
pub(crate) fn refused(compared: &ComparedRuns) -> Vec<String> {
    let words = compared
        .refused
        .iter()
        .map(|refused| format!("{}: not compared: {}", refused.workload, refused.reason));
    words.map(|words| clean(&words)).collect()
}

/// What the machine did between the runs, and whether it is in the changes.
pub(crate) fn machine(workload: &ComparedWorkload) -> String {
    let Some(reference) = &workload.reference else {
        let reason = workload.no_reference.as_deref().unwrap_or("no reference");
        return clean(&format!("{reason}: the machine's own change is in these figures"));
    };
    let is_closed = |figure: Figure| figure.kind() == FigureKind::OwnLoad;
    let has_closed = workload.machine.iter().any(|level| is_closed(level.figure));
    let levels: Vec<String> = workload
        .machine
        .iter()
        .filter(|level| is_closed(level.figure) || !has_closed)
        .map(|level| format!("{} {}", figures::of(level.figure).short, change_with_interval(&level.ratio)))
        .collect();
    let levels = if levels.is_empty() { "not known".to_owned() } else { levels.join(", ") };
    clean(&format!("{reference}: {levels}; contenders are compared over it, so that this cancels"))
}

/// The figures of a workload that changes are of (`None`: those of no workload), in their order.
pub(crate) fn figures(compared: &ComparedRuns, workload: Option<&str>) -> Vec<Figure> {
    let is_in = |figure: &Figure| changes(compared, workload, *figure).next().is_some();
    Figure::compared().filter(is_in).collect()
}

fn changes<'c>(
    compared: &'c ComparedRuns,
    workload: Option<&str>,
    figure: Figure,
) -> impl Iterator<Item = &'c Change> {
    let changes = compared.changes.iter();
    changes.filter(move |change| change.figure == figure && change.workload.as_deref() == workload)
}

/// The changes of a figure, worse ones first, then better ones.
pub(crate) fn sorted<'c>(
    compared: &'c ComparedRuns,
    workload: Option<&str>,
    figure: Figure,
) -> Vec<&'c Change> {
    let mut changes: Vec<&Change> = changes(compared, workload, figure).collect();
    changes.sort_by_key(|change| change.state);
    changes
}

/// Whether the machine's own change is in the changes of a figure; nothing where the workload says so already.
pub(crate) fn level(changes: &[&Change], workload: Option<&ComparedWorkload>) -> Option<String> {
    let without: Vec<&Change> = changes.iter().copied().filter(|change| !change.over_reference).collect();
    let all = "the machine's own change is in it";
    if without.iter().any(|change| !change.figure.kind().row().has_reference) {
        return Some(all.to_owned());
    }
    let is_said = workload.is_some_and(|own| own.reference.is_none());
    (!without.is_empty() && !is_said).then(|| {
        let whose = names(without.iter().map(|change| &change.contender));
        format!("{all} for {whose}: too few launches have the reference")
    })
}

/// Whose figure it is, with its load where that is to be said.
pub(crate) fn whose(contender: &ContenderName, load: Option<LoadCondition>) -> String {
    format!("{contender}{}", under(load))
}

/// `, at 100/s`, or nothing.
fn under(load: Option<LoadCondition>) -> String {
    load.and_then(series::load).map(|load| format!(", {load}")).unwrap_or_default()
}

/// One change: state, before, after, change, interval, p.
pub(crate) fn row(change: &Change) -> [String; 6] {
    [
        state(change.state).to_owned(),
        value(change.figure.row().unit, change.before.value),
        value(change.figure.row().unit, change.after.value),
        self::change(change.ratio.value),
        change.ratio.interval().map_or_else(unknown, |(low, high)| change_range(low, high)),
        change.p_holm.map_or_else(unknown, p_value),
    ]
}

fn state(state: ChangeState) -> &'static str {
    match state {
        ChangeState::Worse => "worse",
        ChangeState::Better => "better",
        ChangeState::Open => "not resolved",
    }
}

fn unknown() -> String {
    "-".to_owned()
}

/// `-10 % (-12 to -8.3 %)`.
fn change_with_interval(ratio: &Ratio) -> String {
    let value = change(ratio.value);
    match ratio.interval() {
        Some((low, high)) => format!("{value} ({})", change_range(low, high)),
        None => value,
    }
}

/// Why no verdict rests on changes: each reason once, with whom and what it is about.
pub(crate) fn doubts(compared: &ComparedRuns) -> Vec<String> {
    let mut doubts: BTreeMap<&str, (BTreeSet<&ContenderName>, BTreeSet<Figure>)> = BTreeMap::new();
    for change in &compared.changes {
        if let Some(doubt) = change.doubt.as_deref() {
            let (whose, figures) = doubts.entry(doubt).or_default();
            whose.insert(&change.contender);
            figures.insert(change.figure);
        }
    }
    let all = compared.changes.iter().all(|change| change.doubt.is_some());
    doubts
        .into_iter()
        .map(|(doubt, (whose, figures))| {
            let figures: Vec<&str> = figures.into_iter().map(|figure| figures::of(figure).short).collect();
            match all {
                true => clean(&format!("no verdicts: {doubt}")),
                false => clean(&format!(
                    "no verdict on {} of {}: {doubt}",
                    figures.join(", "),
                    names(whose.into_iter())
                )),
            }
        })
        .collect()
}

/// What could not be compared: each reason once.
pub(crate) fn not_compared(all: &[NotCompared]) -> Vec<String> {
    struct Said<'n> {
        one: &'n NotCompared,
        contenders: Vec<&'n ContenderName>,
        figures: Vec<Figure>,
    }
    let mut said: Vec<Said<'_>> = Vec::new();
    for one in all {
        let is_same = |known: &&mut Said<'_>| {
            (&known.one.reason, &known.one.workload, known.one.load) == (&one.reason, &one.workload, one.load)
                && (known.contenders.as_slice() == [&one.contender]
                    || known.figures.as_slice() == one.figure.as_slice())
        };
        match said.iter_mut().rev().take(MOST_NAMES).find(is_same) {
            Some(known) => {
                if !known.contenders.contains(&&one.contender) {
                    known.contenders.push(&one.contender);
                }
                known.figures.extend(one.figure.filter(|figure| !known.figures.contains(figure)));
            }
            None => said.push(Said {
                one,
                contenders: vec![&one.contender],
                figures: one.figure.into_iter().collect(),
            }),
        }
    }
    said.into_iter()
        .map(|Said { one, contenders, figures }| {
            let place = place(one.workload.as_deref());
            let figures: Vec<&str> = figures.into_iter().map(|figure| figures::of(figure).short).collect();
            let figures =
                if figures.is_empty() { String::new() } else { format!(", {}", figures.join(", ")) };
            let under = under(one.load);
            clean(&format!("{}{under}{place}{figures}: {}", names(contenders.into_iter()), one.reason))
        })
        .collect()
}

/// ` on coin`, or nothing.
fn place(workload: Option<&str>) -> String {
    workload.map(|workload| format!(" on {workload}")).unwrap_or_default()
}

/// `regression:3% holds`, and what it rests on.
pub(crate) fn condition(condition: &JudgedCondition) -> (String, Holds) {
    let held = plural(u64::from(condition.told), "change", "changes");
    let untold = condition.untold.len() as u64;
    let words = match condition.holds {
        Holds::DoesNotHold => {
            format!("{}: broken by {}", condition.text, count(condition.breaches.len() as u64))
        }
        Holds::Holds => format!("{}: holds, every interval of {held} lies within", condition.text),
        Holds::CannotBeTold if condition.told == 0 => {
            format!("{}: nothing to hold it against", condition.text)
        }
        Holds::CannotBeTold => {
            format!("{}: passed; {} of {held} inconclusive", condition.text, count(untold))
        }
    };
    (clean(&words), condition.holds)
}

/// Who breaks a condition and how sure that is.
pub(crate) fn breach(breach: &Breach) -> String {
    let place = place(breach.workload.as_deref());
    let Some((figure, ratio)) = breach.figure.zip(breach.ratio.as_ref()) else {
        let reason = breach.reason.as_deref().unwrap_or("it failed");
        let whose = whose(&breach.contender, breach.load);
        return clean(&format!("{whose}{place}: had a figure, now has none; {reason}"));
    };
    let p = breach.p_holm.map(|p| format!(", p {}", p_value(p))).unwrap_or_default();
    let whose = whose(&breach.contender, breach.load);
    clean(&format!("{whose}{place}, {}: {}{p}", figures::of(figure).short, change_with_interval(ratio)))
}

/// Why a condition is inconclusive for a change, and what would help.
pub(crate) fn untold(untold: &Untold, bound: f64) -> String {
    let whose = format!(
        "{}{}, {}",
        whose(&untold.contender, untold.load),
        place(untold.workload.as_deref()),
        figures::of(untold.figure).short
    );
    let bound_words = tidy_percent(bound);
    let words = match (&untold.doubt, untold.half_width) {
        (Some(doubt), _) => format!("no verdict: {doubt}"),
        (None, Some(half_width)) if half_width > bound => {
            let more = match untold.launches {
                Some(launches) => {
                    format!("{} in each run would", plural(u64::from(launches), "launch", "launches"))
                }
                None => "more launches would".to_owned(),
            };
            format!("inconclusive at {bound_words}: the interval is ± {}; {more}", percent(half_width))
        }
        (None, Some(_)) => {
            let seen = change_with_interval(&untold.ratio);
            format!("inconclusive at {bound_words}: {seen}; more launches would")
        }
        (None, None) => format!("inconclusive at {bound_words}: one launch has no interval"),
    };
    clean(&format!("{whose}: {words}"))
}

/// What intervals and states rest on.
pub(crate) fn worth(compared: &ComparedRuns) -> String {
    let of_conditions =
        if compared.conditions.is_empty() { "" } else { ", in conditions over all that they ask about" };
    format!(
        "intervals: {} each, Welch's t over launches; worse and better: told apart by Holm's procedure over all contenders and workloads of a figure, at most {} false; p is adjusted by it{of_conditions}. Intervals do not cover what affects a whole run alike",
        tidy_percent(compared.confidence),
        tidy_percent(compared.level)
    )
}

/// The two, the first over the second; of single calls with their condition.
pub(crate) fn of_pair(pair: &ContenderPair) -> String {
    let under = whose(&pair.under, pair.load);
    format!("{} over {under}", pair.over)
}

/// A pair of contenders: state, the pair, first, second, ratio, interval, p.
pub(crate) fn pair(pair: &ContenderPair) -> [String; 7] {
    let own = |estimate: &Option<Estimate>| {
        estimate.as_ref().map_or_else(unknown, |own| value(pair.figure.row().unit, own.value))
    };
    let standing = match pair.state {
        Some(Standing::Separated) => "separated",
        Some(Standing::Equal) => "equal",
        Some(Standing::Open) => "not resolved",
        None => "-",
    };
    let ends = pair.ratio.as_ref().and_then(Estimate::interval);
    [
        standing.to_owned(),
        of_pair(pair),
        own(&pair.over_figure),
        own(&pair.under_figure),
        pair.ratio.as_ref().map_or_else(unknown, |own| ratio(own.value)),
        ends.map_or_else(unknown, |(low, high)| ratio_range(low, high)),
        pair.p_holm.map_or_else(unknown, p_value),
    ]
}

/// What the hours of a workload are: `hours a year that 10,000 users wait who make 1,000 calls each`.
pub(crate) fn hours(waiting: &WaitingHours) -> String {
    format!(
        "hours a year that {} wait who make {} each: whole call x calls x users",
        plural(waiting.of.users, "user", "users"),
        plural(waiting.of.calls_per_user_per_year, "call", "calls")
    )
}

/// The titles of a row of hours, then those of its columns.
pub(crate) const HOURS: [&str; 5] = ["pair", "first", "second", "difference", "interval"];

/// The hours of a pair: who, with the first, with the second, the first less the second, its interval.
pub(crate) fn hours_of(pair: &HoursApart) -> [String; 5] {
    let signed = |hours: f64| match hours {
        hours if hours < 0.0 => format!("-{}", figure(-hours)),
        hours if hours > 0.0 => format!("+{}", figure(hours)),
        _ => "0".to_owned(),
    };
    let ends = pair.interval().map(|(low, high)| format!("{} to {}", signed(low), signed(high)));
    [
        format!("{} over {}, {}", pair.over, pair.under, pair.call),
        figure(pair.over_hours),
        figure(pair.under_hours),
        signed(pair.more_hours),
        ends.unwrap_or_else(unknown),
    ]
}

/// The workloads that pairs are of, in their order.
pub(crate) fn workloads_of_pairs(compared: &ComparedContenders) -> Vec<&str> {
    let mut workloads: Vec<&str> = Vec::new();
    for pair in &compared.pairs {
        if workloads.last() != Some(&pair.workload.as_str()) {
            workloads.push(&pair.workload);
        }
    }
    workloads
}

/// Those of a workload and a figure.
pub(crate) fn pairs<'c>(
    compared: &'c ComparedContenders,
    workload: &'c str,
    figure: Figure,
) -> impl Iterator<Item = &'c ContenderPair> {
    compared.pairs.iter().filter(move |pair| pair.workload == workload && pair.figure == figure)
}

/// Why pairs have no state, each reason once.
pub(crate) fn no_states<'c>(pairs: impl Iterator<Item = &'c ContenderPair>) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for reason in pairs.filter_map(|pair| pair.reason.as_deref()).map(clean) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

/// What the pairs rest on.
pub(crate) fn worth_of_pairs(compared: &ComparedContenders) -> String {
    format!(
        "ratios: paired by block, of tasks by process; intervals: {} each, over launches; states and p are those of the run's report",
        tidy_percent(compared.confidence)
    )
}

fn names<'n>(names: impl Iterator<Item = &'n ContenderName>) -> String {
    let all: Vec<&str> = names.map(ContenderName::as_str).collect();
    match all.len().saturating_sub(MOST_NAMES) {
        0 | 1 => all.join(", "),
        more => format!("{} and {} more", all[..MOST_NAMES].join(", "), count(more as u64)),
    }
}
