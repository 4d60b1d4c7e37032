use std::fmt::Write as _;

use velo_judge::{ComparedPair, Estimate, JudgedWorkload, Judgement, Standing};
use velo_model::{ContenderName, Figure};
use velo_record::Run;

use crate::{LAUNCHES, Outcome, spread};

pub(crate) struct Names<'a> {
    pub(crate) one: &'a str,
    pub(crate) twin: &'a str,
    pub(crate) other: &'a str,
}

/// The whole run and its parts.
pub(crate) fn markdown(
    run: &Run,
    whole: &Judgement,
    parts: &[Judgement],
    names: &Names<'_>,
    spin_ns: f64,
) -> Outcome<String> {
    let workload = whole.workloads.first().ok_or("the run has no workload")?;
    let Names { one, twin, other } = *names;
    let mut out = String::from(
        "| | whole run | interval | state | in its parts told apart |\n|---|---:|---:|---|---:|\n",
    );
    for (over, under) in [(one, twin), (one, other), (twin, other)] {
        let told = parts.iter().filter(|part| is_separated(part, over, under)).count();
        let judged = parts.iter().filter(|part| in_judgement(part, over, under).is_some()).count();
        let found = pair(workload, over, under);
        let ratio = found.and_then(|found| ratio_of(found, over));
        let (value, interval) = ratio.map_or(("-".to_owned(), "-".to_owned()), |(value, low, high)| {
            (format!("{value:.4}"), format!("{low:.4} to {high:.4}"))
        });
        let state = found.map_or("not compared", |found| words(found.state));
        // Writing to a String cannot fail.
        let _ =
            writeln!(out, "| {over} over {under} | {value} | {interval} | {state} | {told} of {judged} |");
    }
    out.push('\n');
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "The spin takes {:.2} us by itself. By that the ratios of CPU time a request must be:\n",
        spin_ns / 1e3
    );
    out.push_str(&effects(workload, names, spin_ns));
    out.push('\n');
    for name in [one, twin, other] {
        if let Some(spread) = spread::of(&run.windows, name) {
            let _ = writeln!(
                out,
                "- {name}: standard deviation of a window {:.1} %, of a launch's median {:.2} %",
                spread.windows * 100.0,
                spread.launches * 100.0
            );
        }
    }
    let launches = run.file.plan.as_ref().map_or(0, |plan| plan.launches);
    let host = &run.file.host;
    let model = host.cpu_model.as_deref().unwrap_or("unknown CPU");
    let _ = writeln!(
        out,
        "\n{launches} launches, {} parts of {LAUNCHES}; {:.0} min; {}, {model}, {} CPUs, Linux {}.",
        parts.len(),
        run.file.timings.measure_ns as f64 / 6e10,
        run.file.started_at.get(..10).unwrap_or_default(),
        host.cpus,
        host.kernel
    );
    Ok(out)
}

/// What the spin must do to CPU per request, and what was seen of it.
fn effects(workload: &JudgedWorkload, names: &Names<'_>, spin_ns: f64) -> String {
    let mut out = String::from(
        "| load | us of CPU a request without | ratio as made | as measured | interval |\n|---|---:|---:|---:|---:|\n",
    );
    let row = workload.rows.iter().find(|row| row.contender.to_string() == names.one);
    let full = pair(workload, names.one, names.other).and_then(|pair| ratio_of(pair, names.one));
    let full = row.and_then(|row| row.cpu_per_request_ns).zip(full);
    let paced = at_one_rate(workload, names);
    let unpaired = row.and_then(|row| row.cpu_per_request_ns).zip(
        workload
            .rows
            .iter()
            .find(|row| row.contender.to_string() == names.other)
            .and_then(|row| row.cpu_per_request_ns),
    );
    if let Some((cpu_ns, dearer)) = unpaired {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| as fast as they can, by CPU time | {:.1} | {:.3} | {:.3} | - |",
            cpu_ns.value / 1e3,
            1.0 + spin_ns / cpu_ns.value,
            dearer.value / cpu_ns.value
        );
    }
    for (load, seen) in [("as fast as they can, by goodput", full), ("the common rate, by CPU time", paced)] {
        if let Some((cpu_ns, (value, low, high))) = seen {
            let made = 1.0 + spin_ns / cpu_ns.value;
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "| {load} | {:.1} | {made:.3} | {value:.3} | {low:.3} to {high:.3} |",
                cpu_ns.value / 1e3
            );
        }
    }
    out
}

/// CPU per request of ONE, and the ratio of OTHER's over it with its interval.
fn at_one_rate(workload: &JudgedWorkload, names: &Names<'_>) -> Option<(Estimate, (f64, f64, f64))> {
    let mut groups = workload.series.iter().filter(|series| series.of == Figure::CpuAtOneRate);
    let point =
        groups.find_map(|group| group.points.iter().find(|point| point.contender.as_str() == names.one))?;
    let is = |name: &ContenderName, wanted: &str| name.to_string() == wanted;
    let pairs = workload.pairs.iter().filter(|own| own.of == Figure::CpuAtOneRate);
    let pair = pairs.flat_map(|own| &own.pairs.compared).find(|pair| {
        (is(&pair.under, names.one) && is(&pair.over, names.other))
            || (is(&pair.under, names.other) && is(&pair.over, names.one))
    })?;
    let (ratio, is_turned) = (pair.ratio?, is(&pair.under, names.other));
    let (low, high) = ratio.interval()?;
    let seen = if is_turned { (1.0 / ratio.value, 1.0 / high, 1.0 / low) } else { (ratio.value, low, high) };
    Some((point.estimate, seen))
}

fn words(state: Standing) -> &'static str {
    match state {
        Standing::Separated => "separated",
        Standing::Equal => "equal",
        Standing::Open => "open",
    }
}

fn in_judgement<'a>(judgement: &'a Judgement, one: &str, other: &str) -> Option<&'a ComparedPair> {
    pair(judgement.workloads.first()?, one, other)
}

fn is_separated(judgement: &Judgement, one: &str, other: &str) -> bool {
    in_judgement(judgement, one, other).is_some_and(|pair| pair.state == Standing::Separated)
}

fn pair<'a>(workload: &'a JudgedWorkload, one: &str, other: &str) -> Option<&'a ComparedPair> {
    let is = |pair: &&ComparedPair| {
        let (over, under) = (pair.over.to_string(), pair.under.to_string());
        (over == one && under == other) || (over == other && under == one)
    };
    workload.pairs_by(Figure::Goodput, None)?.compared.iter().find(is)
}

/// The ratio with this one above, and its interval.
fn ratio_of(pair: &ComparedPair, over: &str) -> Option<(f64, f64, f64)> {
    let ratio = pair.ratio?;
    let (low, high) = ratio.interval()?;
    let is_turned = pair.over.to_string() != over;
    Some(if is_turned { (1.0 / ratio.value, 1.0 / high, 1.0 / low) } else { (ratio.value, low, high) })
}
