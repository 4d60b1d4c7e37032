//! What a workload's figures come to, in a sentence or two: the first thing to read.

mod contest;
mod main_figures;
mod no_ranks;
#[cfg(test)]
mod tests;

pub(crate) use main_figures::{at_main_rate, main_burst};

use velo_judge::{Cause, JudgedBurst, JudgedWorkload, Judgement, Row, RowState};
use velo_model::{ContenderName, Figure};

use self::contest::{Contest, Started};
use super::phrases::{plural, with_interval};
use super::tasks;
use crate::number::{count, percent, plus_minus, rate, ratio_range, tidy, tidy_percent, time_ns};
use crate::text::clean;

/// Of more names than these two are said, and how many others there are.
const MOST_NAMES: usize = 4;

/// The answer to a workload's question, as far as the run has one: who is fastest or needs least, who cannot be told from
/// them, how far the others are behind; beside it tasks or bursts. `None` where there is nothing to say.
pub(crate) fn answer(judgement: &Judgement, workload: &JudgedWorkload) -> Option<String> {
    let servers = on_a_busy_host(judgement, workload)
        .or_else(|| by_goodput(workload))
        .or_else(|| by_cpu_time(workload));
    let tasks = by_tasks(workload);
    let no_ranks = match &servers {
        Some(_) => None,
        None => no_ranks::reason(judgement, workload, tasks.is_some()),
    };
    let others = tasks.or_else(|| by_bursts(workload));
    let sentences: Vec<String> = [no_ranks, servers, others].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| clean(&sentences.join(" ")))
}

/// `go/gin is fastest: 1.05 to 1.12 times what js/fastify does, and 3.1 to 3.4 times what ruby/rack does.`
fn by_goodput(workload: &JudgedWorkload) -> Option<String> {
    let goodput = workload.series_of(Figure::Goodput, |_| true)?;
    let launched =
        Contest::among(goodput, workload, Started::ByVelo).and_then(|own| of_goodput(workload, &own));
    let external =
        Contest::among(goodput, workload, Started::Externally).and_then(|own| of_goodput(workload, &own));
    let external = external.map(|told| format!("Of the externally started servers, one launch each: {told}"));
    let told: Vec<String> = launched.into_iter().chain(external).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

fn of_goodput(workload: &JudgedWorkload, contest: &Contest<'_>) -> Option<String> {
    let leaders = contest.leaders();
    let (first, several) = (leaders.first()?, leaders.len() > 1);
    let faster = served_more(workload, first);
    let times: Vec<String> = contest
        .behind()
        .into_iter()
        .filter_map(|other| {
            let (low, high) = contest.times(other)?;
            Some(format!("{} times what {other} does", ratio_range(low, high)))
        })
        .collect();
    let times = times.join(", and ");
    let sentence = match contest.ranked() {
        1 => only_one(workload, first),
        _ if several => {
            let told = tied(contest, &leaders, "");
            let who = if leaders.len() == 2 { "both" } else { "all" };
            if times.is_empty() { told } else { format!("{told}; {who} serve {times}") }
        }
        2 if !times.is_empty() => format!("{first} serves {times}"),
        _ => {
            let most = if faster.is_empty() { "is fastest" } else { "is the fastest of those ranked" };
            if times.is_empty() { format!("{first} {most}") } else { format!("{first} {most}: {times}") }
        }
    };
    let more = match faster.as_slice() {
        [] => String::new(),
        faster => format!(" {} served more, but cannot be ranked.", names(faster)),
    };
    Some(format!("{sentence}.{more}"))
}

/// `The machine was busy, so this is by CPU time per request: go/gin uses least; ruby/rack uses 3.1 to 3.4 times as much.`
fn on_a_busy_host(judgement: &Judgement, workload: &JudgedWorkload) -> Option<String> {
    let cpu_time =
        workload.series_of(Figure::LEAST_DISTURBED, |_| true).filter(|_| judgement.host.is_busy)?;
    let contest = Contest::by(cpu_time, workload)?;
    let says =
        Less { only: "only", leads: "uses least", by: "", verb: "uses", as_much: "as much", figure: None };
    Some(format!(
        "The machine was busy, so this is by CPU time per request: {}.",
        less_is_better(&contest, &says)?
    ))
}

/// `Only go/gin is ranked: 48,000 requests/s ± 0.7 %`.
fn only_one(workload: &JudgedWorkload, contender: &ContenderName) -> String {
    let row = workload.rows.iter().find(|row| row.contender == *contender);
    let goodput = row.and_then(|row| row.goodput_per_s).filter(|goodput| goodput.value.is_finite());
    let figure = goodput.map(|goodput| {
        let figure = format!("{} requests/s", rate(goodput.value));
        format!(": {}", with_interval(figure, false, plus_minus(&goodput, rate)))
    });
    format!("Only {contender} is ranked{}", figure.unwrap_or_default())
}

/// Those without a rank that served more than the first of the ranked ones all the same: what they could have served is not
/// known, but that they are not behind is.
fn served_more<'j>(workload: &'j JudgedWorkload, first: &ContenderName) -> Vec<&'j ContenderName> {
    let figure = |row: &Row| row.goodput_per_s.map_or(0.0, |goodput| goodput.value);
    let most = workload.rows.iter().find(|row| row.contender == *first).map_or(f64::INFINITY, figure);
    let is_real = |row: &&Row| {
        matches!(
            row.state,
            RowState::NotRanked {
                cause: Cause::NotServerBound { .. } | Cause::RanAlready { .. } | Cause::FewLaunches { .. }
            }
        )
    };
    let more = |row: &&Row| figure(row) > most && figure(row).is_finite();
    workload.rows.iter().filter(is_real).filter(more).map(|row| &row.contender).collect()
}

/// `At 1,000 requests/s rust/axum uses least CPU time per request; python/fastapi uses 9.1 to 10.2 times as much.`
fn by_cpu_time(workload: &JudgedWorkload) -> Option<String> {
    let group = at_main_rate(workload)?;
    let contest = Contest::by(group, workload)?;
    let says = Less {
        only: "only",
        leads: "uses least CPU time per request",
        by: " by CPU time per request",
        verb: "uses",
        as_much: "as much",
        figure: None,
    };
    Some(format!("At {} requests/s {}.", rate(group.under.rate_per_s()?), less_is_better(&contest, &says)?))
}

/// `rust/program takes least time for an iteration: 3.10 ms ± 2.0 %; csharp/program takes 4.2 to 4.6 times as long.`
fn by_tasks(workload: &JudgedWorkload) -> Option<String> {
    let table = workload.tasks.as_ref()?;
    let steady = workload.series_of(Figure::IterationSteady, |_| true)?;
    let contest = Contest::by(steady, workload)?;
    let first = *contest.leaders().first()?;
    let steady_ns = steady.points.iter().find(|point| point.contender == *first).map(|point| point.estimate);
    let steady_ns = steady_ns.filter(|ns| ns.value.is_finite());
    let of_what = if tasks::is_of_clients(table) { tasks::fetched(table) } else { "an iteration".to_owned() };
    let says = Less {
        only: "Only",
        leads: &format!("takes least time for {of_what}"),
        by: &format!(" by the time of {of_what}"),
        verb: "takes",
        as_much: "as long",
        figure: steady_ns.map(|ns| with_interval(time_ns(ns.value), false, plus_minus(&ns, time_ns))),
    };
    Some(format!("{}.", less_is_better(&contest, &says)?))
}

/// How a figure is spoken of of which less is better.
struct Less<'s> {
    only: &'s str,
    leads: &'s str,
    by: &'s str,
    verb: &'s str,
    as_much: &'s str,
    /// That of the first one, where it is to be said.
    figure: Option<String>,
}

fn less_is_better(contest: &Contest<'_>, says: &Less<'_>) -> Option<String> {
    let Less { only, leads, by, verb, as_much, figure } = says;
    let leaders = contest.leaders();
    let first = *leaders.first()?;
    let figure = figure.as_ref().map(|figure| format!(": {figure}")).unwrap_or_default();
    let sentence = match (contest.ranked(), leaders.len()) {
        (1, _) => format!("{only} {first} is ranked{by}{figure}"),
        (_, 1) => format!("{first} {leads}{figure}"),
        _ => tied(contest, &leaders, by),
    };
    let mut parts = vec![sentence];
    for other in contest.behind() {
        let Some((low, high)) = contest.times(other) else { continue };
        let times = format!("{} times", ratio_range(low, high));
        parts.push(match parts.len() {
            1 => format!("; {other} {verb} {times} {as_much}"),
            _ => format!(", {other} {times}"),
        });
    }
    Some(parts.concat())
}

/// That the leaders are not told apart, and how close they are where they are all that are ranked.
fn tied(contest: &Contest<'_>, leaders: &[&ContenderName], by: &str) -> String {
    let names = names(leaders);
    let is_equal = contest.leaders_are_equal();
    let told = if is_equal {
        format!("{names} are equal within {}{by}", tidy_percent(contest.equal_within))
    } else {
        format!("{names} are not distinguishable{by}")
    };
    let are_all = leaders.len() == contest.ranked();
    match leaders {
        [one, other] if are_all => match contest.between(one, other) {
            Some((low, high)) => format!("{told}: their ratio lies within {}", ratio_range(low, high)),
            None => told,
        },
        _ if are_all && !is_equal => match contest.could_have_seen {
            Some(seen) => format!("{told}; a difference of {} would have been seen", percent(seen)),
            None => told,
        },
        _ => told,
    }
}

/// `a and b`, `a, b and c`, `a, b and 3 others`.
fn names(names: &[&ContenderName]) -> String {
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [first, second, others @ ..] if names.len() > MOST_NAMES => {
            format!("{first}, {second} and {} others", count(others.len() as u64))
        }
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(|name| name.as_str()).collect();
            format!("{} and {last}", first.join(", "))
        }
    }
}

/// `400 requests that wait 1 s each, over 40 connections: go/net-http takes 10.0 s, java/spring-mvc 101 s.`
fn by_bursts(workload: &JudgedWorkload) -> Option<String> {
    let burst = main_burst(workload)?;
    let mut took = burst.rows.iter().filter(|row| row.fault.is_none()).filter_map(|row| {
        let ns = row.makespan_ns.filter(|makespan| makespan.value.is_finite())?.value;
        Some((&row.contender, time_ns(ns)))
    });
    // The shortest stands first.
    let (first, shortest) = took.next()?;
    let longest = took.next_back().map(|(last, longest)| format!(", {last} {longest}")).unwrap_or_default();
    Some(format!("{}: {first} takes {shortest}{longest}.", burst_in_words(burst)))
}

/// `400 requests that wait 1 s each, over 40 connections`.
pub(crate) fn burst_in_words(burst: &JudgedBurst) -> String {
    let requests = plural(burst.requests.into(), "request", "requests");
    let wait = burst.wait_ns.map(|ns| format!(" that wait {} each", tidy(&time_ns(ns as f64))));
    let wait = wait.unwrap_or_default();
    let way = if burst.first_alone { ", as ab sends them" } else { "" };
    let connections = plural(burst.connections.into(), "connection", "connections");
    format!("{requests}{wait}{way}, over {connections}")
}
