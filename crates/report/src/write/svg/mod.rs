//! A judged run as a picture for a page that shows images: the main chart of each workload.

mod canvas;
mod chart;
mod drawing;
mod figure;

use velo_judge::{Check, JudgedWorkload, Judgement, Kind, Series};
use velo_record::RunState;

use self::canvas::Canvas;
use self::chart::Chart;
use self::drawing::LINE;
use crate::number::count;
use crate::section;
use crate::text::{clean, cut};
use crate::words::sentence;

/// Rows of all workloads together: a file that somebody made up may have any number.
const MOST_ROWS: usize = 200;
/// Warnings at the foot.
const MOST_WARNINGS: usize = 3;
/// The title names as many workloads as fit.
const TITLE: usize = 100;

/// The main chart of each workload as one standalone SVG: each contender's figure with its interval, best first, the answer
/// in words, and what measured it. Goodput where that is ranked; else CPU time per request at the common rate, the time of a
/// task's iteration, or how long the largest burst took.
///
/// It is 800 units wide, suits light and dark pages, refers to nothing outside itself, and has at most 200 rows; how many are
/// left out stands in it. Text from outside is escaped, and numbers that are not finite are left out.
pub fn svg(judgement: &Judgement) -> String {
    let mut canvas = Canvas::default();
    let (mut room, mut without_room) = (MOST_ROWS, 0);
    let mut described = Vec::new();
    for workload in section::sections(judgement) {
        if room == 0 {
            without_room += 1;
            continue;
        }
        let chart = Chart::of(judgement, workload, room);
        if !described.is_empty() {
            canvas.rule();
        }
        drawing::draw(&chart, &mut canvas);
        described.push(chart.words());
        // A workload without a row takes room as well.
        room = room.saturating_sub(chart.rows().max(1));
    }
    if without_room > 0 {
        let workloads = if without_room == 1 { "workload" } else { "workloads" };
        let more = format!("and {} more {workloads} in the report", count(without_room));
        canvas.paragraph("faint", &more, LINE, 17.0, 1);
    }
    let foot = foot(judgement);
    canvas.y += 2.0;
    foot.iter().for_each(|line| canvas.paragraph("faint", line, LINE, 17.0, 2));
    canvas.y += 12.0;
    let title = cut(&clean(&format!("velo run {}", judgement.listed_workloads().join(" "))), TITLE);
    described.extend(foot);
    canvas.finish(&title, &described.join(" "))
}

/// The chart of one of a workload's series as an SVG like that of [`svg`], without the answer, which is about the ranking.
pub(crate) fn of_series(judgement: &Judgement, workload: &JudgedWorkload, series: &Series) -> String {
    let chart = Chart::of_series(judgement, workload, series, MOST_ROWS);
    let mut canvas = Canvas::default();
    drawing::draw(&chart, &mut canvas);
    let foot = foot(judgement);
    foot.iter().for_each(|line| canvas.paragraph("faint", line, LINE, 17.0, 2));
    canvas.y += 12.0;
    let title = cut(&clean(&format!("velo run {}", workload.listed_as)), TITLE);
    let described: Vec<String> = [chart.words()].into_iter().chain(foot).collect();
    canvas.finish(&title, &described.join(" "))
}

/// What measured, on what and when; that the run is not whole; what makes the figures worth less or nothing.
fn foot(judgement: &Judgement) -> Vec<String> {
    let host = &judgement.host;
    let model = host.cpu_model.as_deref().unwrap_or("unknown CPU");
    let cpus = section::plural(u64::from(host.cpus), "CPU", "CPUs");
    let machine = host
        .virtualisation
        .as_ref()
        .map(|hypervisor| format!(", virtual ({hypervisor})"))
        .unwrap_or_default();
    let date = judgement.started_at.split('T').next().unwrap_or_default();
    let partial = if judgement.state == RunState::Complete { "" } else { "; partial run" };
    let version = &judgement.identity.velo;
    let first = format!("velo {version}, seed {}; {model}, {cpus}{machine}; {date}{partial}", judgement.seed);
    let is_grave =
        |kind: Kind, check: Check| kind == Kind::Error || matches!(check, Check::Overrides | Check::Build);
    let verdicts = judgement.verdicts.iter().filter(|verdict| is_grave(verdict.kind, verdict.check));
    let warnings = verdicts
        .take(MOST_WARNINGS)
        .map(|verdict| clean(&format!("{}: {}", section::kind(verdict.kind), sentence(&verdict.finding))));
    [clean(&first)].into_iter().chain(warnings).collect()
}
