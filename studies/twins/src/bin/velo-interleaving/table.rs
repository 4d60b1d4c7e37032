use std::fmt::Write as _;
use std::path::Path;

use velo_judge::{Estimate, JudgedWorkload, judge};
use velo_model::Figure;
use velo_record::{HostWindow, Run, read_run};
use velo_stats::median;

use crate::Outcome;

/// One run's ratios of a program over itself.
struct Told {
    /// Of two contenders.
    twins: Option<Estimate>,
    /// Of the reference server, A' over A.
    control: Option<Estimate>,
    launches: u32,
    measured_ns: u64,
    /// Share of the blocks that the host disturbed.
    disturbed: f64,
}

/// Schedules in the order in which they come first.
pub(crate) fn markdown(one: &str, twin: &str, runs: &[&str]) -> Outcome<String> {
    let mut schedules: Vec<(&str, Vec<Told>)> = Vec::new();
    for run in runs {
        let (schedule, folder) = run.split_once('=').ok_or("a run is SCHEDULE=FOLDER")?;
        let told = tell(&read_run(Path::new(folder))?, one, twin)?;
        match schedules.iter_mut().find(|(name, _)| *name == schedule) {
            Some((_, of_schedule)) => of_schedule.push(told),
            None => schedules.push((schedule, vec![told])),
        }
    }
    let mut out = String::from(
        "| schedule | runs | launches | time | half-width, twins | hold 1 | half-width, A/A' | hold 1 | blocks disturbed |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (schedule, runs) in &schedules {
        let twins: Vec<Option<Estimate>> = runs.iter().map(|run| run.twins).collect();
        let control: Vec<Option<Estimate>> = runs.iter().map(|run| run.control).collect();
        let launches = middle(runs.iter().map(|run| f64::from(run.launches)));
        let seconds = middle(runs.iter().map(|run| run.measured_ns as f64 / 1e9));
        let disturbed = middle(runs.iter().map(|run| run.disturbed * 100.0));
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {schedule} | {} | {launches:.0} | {seconds:.0} s | {} | {} | {} | {} | {disturbed:.0} % |",
            runs.len(),
            half_widths(&twins),
            hold_one(&twins),
            half_widths(&control),
            hold_one(&control),
        );
    }
    Ok(out)
}

fn tell(run: &Run, one: &str, twin: &str) -> Outcome<Told> {
    let kept = judge(&run.file, &run.windows);
    let disturbed = kept.host.disturbed_blocks as f64 / kept.host.blocks.max(1) as f64;
    let mut windows = run.windows.clone();
    // Here the schedule alone has to cope, not the rule that drops what was disturbed.
    for window in &mut windows {
        window.host = HostWindow::default();
    }
    let judgement = judge(&run.file, &windows);
    let workload = judgement.workloads.first().ok_or("the run has no workload")?;
    Ok(Told {
        twins: ratio(workload, one, twin),
        control: workload.controls.first().and_then(|control| control.ratio),
        launches: run.file.plan.as_ref().map_or(0, |plan| plan.launches),
        measured_ns: run.file.timings.measure_ns,
        disturbed,
    })
}

fn ratio(workload: &JudgedWorkload, one: &str, twin: &str) -> Option<Estimate> {
    let pairs = workload.pairs_by(Figure::Goodput, None)?;
    let is = |over: &str, under: &str| over == one && under == twin || over == twin && under == one;
    pairs.compared.iter().find(|pair| is(&pair.over.to_string(), &pair.under.to_string()))?.ratio
}

/// Median, least and greatest, of those that have an interval.
fn half_widths(estimates: &[Option<Estimate>]) -> String {
    let mut widths: Vec<f64> = estimates.iter().flatten().filter_map(Estimate::relative_half_width).collect();
    widths.sort_by(f64::total_cmp);
    match (widths.first(), median(&widths), widths.last()) {
        (Some(least), Some(middle), Some(greatest)) => {
            format!("{:.1} % ({:.1} to {:.1})", middle * 100.0, least * 100.0, greatest * 100.0)
        }
        _ => "-".to_owned(),
    }
}

fn hold_one(estimates: &[Option<Estimate>]) -> String {
    let intervals: Vec<(f64, f64)> = estimates.iter().flatten().filter_map(Estimate::interval).collect();
    let holding = intervals.iter().filter(|(low, high)| (*low..=*high).contains(&1.0)).count();
    format!("{holding} of {}", intervals.len())
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    median(&values.collect::<Vec<_>>()).unwrap_or(f64::NAN)
}
