use std::collections::BTreeMap;
use std::fmt::Write as _;

use velo_stats::number::thousands;

use crate::cell::{Cell, Mode};
use crate::figures::Times;
use crate::judge::{Group, Truth, disturbance, is_near, quickest_ns};
use crate::record::{Line, Run};
use crate::tools::{BARE, SLEEP, VELO};
use crate::{CONNECTIONS, LOAD_CPU, SERVER_CPU};

/// The tables of all cells, as Markdown.
pub(crate) fn markdown(lines: &[Line]) -> String {
    let mut versions: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut runs: Vec<&Run> = Vec::new();
    for line in lines {
        match line {
            Line::Tools(tools) => {
                versions.extend(tools.iter().map(|(name, version)| (name.as_str(), version.as_deref())));
            }
            Line::Run(run) => runs.push(run),
        }
    }
    let seconds = runs.first().map_or(0, |run| run.seconds);
    let mut out = format!(
        "{CONNECTIONS} connections, runs of {seconds} s, server on CPU {SERVER_CPU}, generator on CPU {LOAD_CPU}. Times in \
         microseconds, from the intended start where the tool knows it; in brackets the difference from the simulation. \
         Bold: not within 1 % or 50 us of it, whichever is more. Medians over the runs that the canary says were \
         undisturbed.\n"
    );
    let (mut near, mut of) = (0, 0);
    for cell in Cell::all() {
        let (text, velo_near, velo_of) = table(cell, &runs);
        out.push_str(&text);
        near += velo_near;
        of += velo_of;
    }
    let found: Vec<&str> = versions
        .values()
        .filter_map(|version| *version)
        .filter(|name| ![BARE, SLEEP].contains(name))
        .collect();
    let missing: Vec<&str> =
        versions.iter().filter(|(_, version)| version.is_none()).map(|(name, _)| *name).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "\n{near} of {of} of velo's times are within bounds. Tools: {}.", found.join(", "));
    if !missing.is_empty() {
        let _ = writeln!(out, "Not there: {}.", missing.join(", "));
    }
    let _ = writeln!(out, "{}", disturbed(&runs));
    out
}

/// How many runs were disturbed, and by what.
fn disturbed(runs: &[&Run]) -> String {
    let quickest_ns = quickest_ns(runs);
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for cause in runs.iter().filter_map(|run| disturbance(run, quickest_ns)) {
        *causes.entry(cause).or_default() += 1;
    }
    let sum: usize = causes.values().sum();
    let each: Vec<String> = causes.iter().map(|(cause, count)| format!("{cause} {count}")).collect();
    let each = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
    format!("Disturbed: {sum} of {} runs{each}.", runs.len())
}

/// The table of a cell, how many of velo's times are near enough, and how many there are.
fn table(cell: Cell, runs: &[&Run]) -> (String, usize, usize) {
    let bare = Group::of(runs, cell, BARE);
    let Some(truth) = Truth::of(&bare, cell) else { return (String::new(), 0, 0) };
    let mut out = format!(
        "\n### {}\n\nMeasured with the bare client: service {:.1} us, {:.1} us in a queue; path there and back {:.1} us.\n\n",
        cell.title(),
        truth.service_ns as f64 / 1e3,
        truth.queued_service_ns as f64 / 1e3,
        truth.path_ns as f64 / 1e3
    );
    out.push_str(
        "| | p50 | p90 | p99 | p99.9 | max | rate | failed | send lag p99 | own CPU | undisturbed |\n",
    );
    out.push_str("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    let cells = truth.times.all().map(|time| time.map_or("-".to_owned(), |ns| thousands(ns / 1000)));
    let _ = writeln!(out, "| simulation | {} | | | | | |", cells.join(" | "));
    let mut names: Vec<&str> = vec![BARE, VELO];
    for run in runs {
        if !names.contains(&run.tool.as_str()) {
            names.push(&run.tool);
        }
    }
    let (mut near, mut of) = (0, 0);
    for name in names {
        let group = Group::of(runs, cell, name);
        if group.all == 0 {
            continue;
        }
        out.push_str(&row(cell, name, &group, &truth.times));
        if name == VELO {
            let judged = judged(cell, &group.times(), &truth.times);
            near = judged.iter().filter(|near| **near).count();
            of = judged.len();
        }
    }
    (out, near, of)
}

/// Whether each time that matters in a cell is near the true one. The greatest one is left to chance, except where a
/// freeze makes it.
fn judged(cell: Cell, times: &Times, truth: &Times) -> Vec<bool> {
    let count = if cell.mode == Mode::Freezes { 5 } else { 4 };
    let pairs = times.all().into_iter().zip(truth.all()).take(count);
    pairs.map(|(ns, true_ns)| ns.zip(true_ns).is_some_and(|(ns, true_ns)| is_near(ns, true_ns))).collect()
}

fn row(cell: Cell, name: &str, group: &Group<'_>, truth: &Times) -> String {
    let share = format!("{} of {}", group.undisturbed, group.all);
    if group.counted.is_empty() {
        let problem = group.problem.unwrap_or("no figures").replace('|', "/");
        return format!("| {name} | {problem} | | | | | | | | | {share} |\n");
    }
    let judged = judged(cell, &group.times(), truth);
    let times: Vec<String> = group
        .times()
        .all()
        .into_iter()
        .zip(truth.all())
        .enumerate()
        .map(|(place, (ns, true_ns))| time(ns, true_ns, judged.get(place) == Some(&false)))
        .collect();
    let rate = group.median(|_, figures| figures.achieved_per_s).map_or("-".to_owned(), |per_s| match name {
        "wrk" => format!("{}/s", thousands(per_s as u64)),
        _ => format!("{:+.2} %", (per_s / f64::from(cell.per_s) - 1.0) * 100.0),
    });
    let failed = group.median(|_, figures| Some(figures.failed as f64)).unwrap_or(0.0);
    let lag = group.median(|_, figures| figures.send_lag_p99_ns.map(|ns| ns as f64));
    let lag = lag.map_or("-".to_owned(), |ns| thousands((ns / 1e3).round() as u64));
    let cpu = group.median(|run, _| Some(run.cpu_share)).unwrap_or(0.0) * 100.0;
    let failed = thousands(failed as u64);
    format!("| {name} | {} | {rate} | {failed} | {lag} | {cpu:.0} % | {share} |\n", times.join(" | "))
}

fn time(ns: Option<u64>, true_ns: Option<u64>, bold: bool) -> String {
    let Some(ns) = ns else { return "-".to_owned() };
    let text = match true_ns {
        Some(true_ns) => {
            let (sign, difference_ns) = if ns < true_ns { ('-', true_ns - ns) } else { ('+', ns - true_ns) };
            format!("{} ({sign}{})", thousands(ns / 1000), thousands(difference_ns / 1000))
        }
        None => thousands(ns / 1000),
    };
    if bold && true_ns.is_some() { format!("**{text}**") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_show_their_difference() {
        assert_eq!(time(Some(85_400), Some(82_000), false), "85 (+3)");
        assert_eq!(time(Some(80_000), Some(182_000), true), "**80 (-102)**");
        assert_eq!(time(None, Some(1), true), "-");
        assert_eq!(time(Some(1_000_000), None, true), "1,000", "nothing to compare it with");
    }
}
