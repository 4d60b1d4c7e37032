//! What an open pair was promised, and what came of it.

use std::fmt::Write as _;

use velo_judge::{ComparedPair, Standing, judge};
use velo_model::Figure;
use velo_record::Run;

use crate::Outcome;

/// The budget that would tell the only pair of a run, as `--budget` takes it.
pub(crate) fn budget(run: &Run) -> Outcome<String> {
    let pair = only_pair(run)?;
    let would_tell = pair.would_tell.ok_or("the pair is not open: nothing is promised")?;
    let budget_ns = would_tell.budget_ns.ok_or("more launches would tell than a run ever has")?;
    Ok(format!("{}s", budget_ns / 1_000_000_000))
}

/// Both runs in a table.
pub(crate) fn markdown(run: &Run, later: &Run) -> Outcome<String> {
    let (first, second) = (only_pair(run)?, only_pair(later)?);
    let promised = first.would_tell.ok_or("the pair is not open: nothing is promised")?;
    let got = half_width(&second).ok_or("the later run has no interval")?;
    let mut out =
        String::from("| | budget | launches | ratio | half-width | state |\n|---|---:|---:|---:|---:|---|\n");
    for (what, run, pair) in [("first run", run, &first), ("with the promised budget", later, &second)] {
        let launches = run.file.plan.as_ref().map_or(0, |plan| plan.launches);
        let ratio = pair.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.4}", ratio.value));
        let half_width =
            half_width(pair).map_or_else(|| "-".to_owned(), |half| format!("{:.2} %", half * 100.0));
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {what} | {} s | {launches} | {ratio} | {half_width} | {} |",
            run.file.settings.budget_ns / 1_000_000_000,
            match pair.state {
                Standing::Separated => "separated",
                Standing::Equal => "equal",
                Standing::Open => "open",
            }
        );
    }
    let _ = writeln!(
        out,
        "\nPromised: a half-width of {:.2} % after {} launches. Got: {:.2} of that.",
        promised.half_width * 100.0,
        promised.launches,
        got / promised.half_width
    );
    Ok(out)
}

fn only_pair(run: &Run) -> Outcome<ComparedPair> {
    let judgement = judge(&run.file, &run.windows);
    let workload = judgement.workloads.first();
    let pairs = workload.and_then(|workload| workload.pairs_by(Figure::Goodput, None));
    let compared = &pairs.ok_or("nothing was ranked")?.compared;
    match compared.len() {
        1 => Ok(compared[0].clone()),
        count => Err(format!("{count} pairs, expected one").into()),
    }
}

/// On the scale of logarithms, as it is promised.
fn half_width(pair: &ComparedPair) -> Option<f64> {
    Some((pair.simultaneous_high? / pair.simultaneous_low?).sqrt() - 1.0)
}
