//! What a workload's picture shows, before it is drawn.

use velo_judge::{
    EqualWorkGroup, EqualWorkRow, Estimate, JudgedBurst, JudgedWorkload, Judgement, RowState, TaskTable,
};
use velo_stats::CONFIDENCE;

use super::axis::{self, Figure};
use crate::number::{rate, tidy, tidy_percent, time_ns};
use crate::scale::Scale;
use crate::text::clean;
use crate::view::{self, answer, bursts, latency, tasks};

/// The picture of a workload. All text in it is cleaned.
pub(super) struct Chart {
    /// With the workload's name.
    pub(super) question: String,
    pub(super) answer: Option<String>,
    /// What is drawn, and how it is to be read.
    pub(super) caption: String,
    /// Best first.
    pub(super) dots: Vec<Dot>,
    /// Whether the figures stand; else they are those of a run that ranks nothing.
    pub(super) is_settled: bool,
    /// Where the figures lie; `None` where there are none.
    pub(super) axis: Option<Scale>,
    /// How a place on the axis is written.
    pub(super) tick: fn(f64) -> String,
    /// Those without a rank.
    pub(super) asides: Vec<Aside>,
    /// Further rows, for which there was no room.
    pub(super) left_out: usize,
}

/// A contender with a place in the picture.
pub(super) struct Dot {
    /// `1-2`; `None` without ranks.
    pub(super) rank: Option<String>,
    pub(super) name: String,
    /// `None` where it is no number that can be drawn.
    pub(super) figure: Option<Figure>,
    /// The figure in words.
    pub(super) words: String,
}

/// A contender without one, and why.
pub(super) struct Aside {
    pub(super) name: String,
    pub(super) reason: String,
}

/// What may be drawn of a workload: goodput, CPU time, the time of an iteration, or a makespan.
struct Plot {
    what: String,
    confidence: f64,
    dots: Vec<Dot>,
    asides: Vec<Aside>,
    /// What is drawn of a run that ranks nothing is not settled.
    is_settled: bool,
    tick: fn(f64) -> String,
}

impl Chart {
    /// The picture of a workload with at most so many rows.
    pub(super) fn of(judgement: &Judgement, workload: &JudgedWorkload, most_rows: usize) -> Self {
        let Plot { what, confidence, mut dots, mut asides, is_settled, tick } =
            main_plot(judgement, workload);
        let rows = dots.len() + asides.len();
        dots.truncate(most_rows);
        asides.truncate(most_rows - dots.len());
        let left_out = rows - dots.len() - asides.len();
        let figures: Vec<Figure> = dots.iter().filter_map(|dot| dot.figure).collect();
        let axis = axis::over(&figures);
        let mut caption = if dots.is_empty() { "No figure to draw".to_owned() } else { what };
        if figures.iter().any(|figure| figure.interval.is_some()) {
            caption.push_str(&format!("; {} intervals", tidy_percent(confidence)));
        }
        if axis.as_ref().is_some_and(|axis| axis.is_logarithmic) {
            caption.push_str("; logarithmic axis");
        }
        Self {
            question: clean(&format!("{}: {}", workload.name, workload.question)),
            answer: answer::answer(judgement, workload),
            caption: clean(&caption),
            dots,
            is_settled,
            axis,
            tick,
            asides,
            left_out,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.dots.len() + self.asides.len()
    }

    /// The picture in words, for who does not see it.
    pub(super) fn words(&self) -> String {
        let dots = self.dots.iter().map(|dot| {
            let rank = dot.rank.as_ref().map(|rank| format!("{rank}. ")).unwrap_or_default();
            format!("{rank}{}: {}", dot.name, dot.words)
        });
        let asides = self.asides.iter().map(|aside| format!("not ranked: {}: {}", aside.name, aside.reason));
        let rows: Vec<String> = dots.chain(asides).collect();
        let mut sentences = vec![format!("{}.", self.question.trim_end_matches(['.', '?']))];
        sentences.extend(self.answer.clone());
        sentences.push(format!("{}.", self.caption));
        if !rows.is_empty() {
            sentences.push(format!("{}.", rows.join("; ")));
        }
        sentences.join(" ")
    }
}

impl Dot {
    fn new(rank: &str, name: String, estimate: Option<&Estimate>, words: String) -> Self {
        let figure = estimate.and_then(Figure::of);
        // A number that cannot be drawn is not written either.
        let words = if figure.is_some() { words } else { "no figure".to_owned() };
        Self { rank: (rank != "-").then(|| rank.to_owned()), name, figure, words }
    }
}

/// The first of the plots that has ranks; of none that has, the first with anything to draw, or at least to say.
fn main_plot(judgement: &Judgement, workload: &JudgedWorkload) -> Plot {
    let mut plots: Vec<Plot> = [
        Some(by_goodput(judgement, workload)),
        answer::main_group(workload).map(|group| at_equal_work(judgement, workload, group)),
        workload.tasks.as_ref().map(by_tasks),
        answer::main_burst(workload).map(|burst| by_burst(judgement, burst)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let is_best = |plot: &Plot| plot.is_settled && !plot.dots.is_empty();
    let best = plots
        .iter()
        .position(is_best)
        .or_else(|| plots.iter().position(|plot| !plot.dots.is_empty()))
        .or_else(|| plots.iter().position(|plot| !plot.asides.is_empty()));
    plots.swap_remove(best.unwrap_or(0))
}

fn by_goodput(judgement: &Judgement, workload: &JudgedWorkload) -> Plot {
    let connections = view::plural(u64::from(workload.connections), "connection", "connections");
    let dots = view::table_rows(workload).map(|row| {
        let words = view::goodput(row).unwrap_or_default();
        Dot::new(&view::rank(row), row.contender.to_string(), row.goodput_per_s.as_ref(), words)
    });
    let dots: Vec<Dot> = dots.collect();
    Plot {
        what: format!("Correct answers/s over {connections}, closed loop; more is better"),
        confidence: judgement.confidence,
        is_settled: dots.iter().any(|dot| dot.rank.is_some()),
        dots,
        asides: view::outside(workload).into_iter().map(outside).collect(),
        tick: |per_s| tick(&rate(per_s)),
    }
}

fn at_equal_work(judgement: &Judgement, workload: &JudgedWorkload, group: &EqualWorkGroup) -> Plot {
    let is_settled = group.rows.iter().any(|row| row.best.is_some());
    // In a run that ranks nothing those are drawn that would be ranked in another one.
    let is_drawn = |row: &EqualWorkRow| match is_settled {
        true => row.best.is_some(),
        false => row.reason.is_some() && row.reason == judgement.nothing_ranked,
    };
    let (mut dots, mut asides) = (Vec::new(), Vec::new());
    for row in &group.rows {
        if is_drawn(row) {
            let [rank, name, words, ..] = latency::equal_work_row(row, group, workload);
            dots.push(Dot::new(&rank, name, row.cpu_per_request_ns.as_ref(), words));
        } else {
            // That it is not ranked is said above the row.
            let reason = row.reason.as_deref().unwrap_or("no reason is given");
            let reason = clean(reason.strip_prefix("not ranked: ").unwrap_or(reason));
            asides.push(Aside { name: row.contender.to_string(), reason });
        }
    }
    let others = workload.equal_work.groups.iter().filter(|other| other.rate_per_s != group.rate_per_s);
    for other in others {
        let reason = format!("measured at {} requests/s instead", rate(other.rate_per_s));
        let names = other.rows.iter().map(|row| row.contender.to_string());
        asides.extend(names.map(|name| Aside { name, reason: reason.clone() }));
    }
    let is_elsewhere: std::collections::HashSet<String> =
        dots.iter().map(|dot| &dot.name).chain(asides.iter().map(|aside| &aside.name)).cloned().collect();
    let outsiders = view::outside(workload).into_iter().filter(|row| !is_elsewhere.contains(&row.name));
    asides.extend(outsiders.map(outside));
    let at = rate(group.rate_per_s);
    Plot {
        what: format!("CPU time per request at {at} requests/s, the same for all; less is better"),
        confidence: CONFIDENCE,
        dots,
        asides,
        is_settled,
        tick: |ns| tick(&time_ns(ns)),
    }
}

fn by_tasks(table: &TaskTable) -> Plot {
    let dots = tasks::table_rows(table).map(|row| {
        let [rank, name, words, ..] = tasks::row(row).map(Option::unwrap_or_default);
        Dot::new(&rank, name, row.steady_ns.as_ref(), words)
    });
    Plot {
        what: "Time of an iteration once warm, without a server; less is better".to_owned(),
        confidence: CONFIDENCE,
        dots: dots.collect(),
        asides: tasks::outside(table).into_iter().map(outside).collect(),
        is_settled: table.rows.iter().any(|row| matches!(row.state, RowState::Ranked { .. })),
        tick: |ns| tick(&time_ns(ns)),
    }
}

fn by_burst(judgement: &Judgement, burst: &JudgedBurst) -> Plot {
    let (mut dots, mut asides) = (Vec::new(), Vec::new());
    for row in &burst.rows {
        let name = row.contender.to_string();
        match bursts::fault(row) {
            Some(reason) => asides.push(Aside { name, reason }),
            None => dots.push(Dot::new("-", name, row.makespan_ns.as_ref(), bursts::makespan(row))),
        }
    }
    Plot {
        what: format!("Time until all are answered of {}; less is better", answer::burst_in_words(burst)),
        confidence: judgement.confidence,
        dots,
        asides,
        is_settled: true,
        tick: |ns| tick(&time_ns(ns)),
    }
}

fn outside(row: view::Outside) -> Aside {
    Aside { name: row.name, reason: format!("{}: {}", row.what, row.reason) }
}

fn tick(text: &str) -> String {
    match tidy(text) {
        zero if zero.starts_with("0 ") => "0".to_owned(),
        text => text,
    }
}
