use std::fmt::Write as _;

use velo_judge::{ComparedPair, Estimate, JudgedWorkload, Judgement, Standing};
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
    let (mine, dearer) = (cpu_ns(workload, one), cpu_ns(workload, other));
    if let (Some(mine), Some(dearer)) = (mine, dearer) {
        let _ = writeln!(
            out,
            "At one rate for all {one} uses {:.2} us of CPU time a request and {other} {:.2} us: {:.4} of it, the effect as \
             it was made.\n",
            mine.value / 1e3,
            dearer.value / 1e3,
            mine.value / dearer.value
        );
    }
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

fn words(state: Standing) -> &'static str {
    match state {
        Standing::Separated => "separated",
        Standing::Equal => "equal",
        Standing::Open => "open",
    }
}

fn cpu_ns(workload: &JudgedWorkload, name: &str) -> Option<Estimate> {
    let rows = workload.equal_work.groups.iter().flat_map(|group| &group.rows);
    rows.into_iter().find(|row| row.contender.to_string() == name)?.cpu_per_request_ns
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
    workload.pairs.as_ref()?.compared.iter().find(is)
}

/// The ratio with this one above, and its interval.
fn ratio_of(pair: &ComparedPair, over: &str) -> Option<(f64, f64, f64)> {
    let ratio = pair.ratio?;
    let (low, high) = ratio.interval()?;
    let is_turned = pair.over.to_string() != over;
    Some(if is_turned { (1.0 / ratio.value, 1.0 / high, 1.0 / low) } else { (ratio.value, low, high) })
}
