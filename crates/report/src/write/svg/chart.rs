//! What a workload's picture shows, before it is drawn.

use velo_judge::{JudgedWorkload, Judgement, Reason, Series, SeriesPoint};
use velo_model::{FigureKind, LoadCondition, Unit};
use velo_stats::CONFIDENCE;

use super::figure::Figure;
use crate::document::Axis;
use crate::number::{plus_minus, rate, tidy, tidy_percent};
use crate::section::series::{label, value, without};
use crate::section::{self, answer, name_in, rank_range};
use crate::text::clean;

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
    pub(super) axis: Option<Axis>,
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

impl Chart {
    /// The picture of a workload with at most so many rows.
    pub(super) fn of(judgement: &Judgement, workload: &JudgedWorkload, most_rows: usize) -> Self {
        Self {
            answer: answer::answer(judgement, workload),
            ..Self::drawn(judgement, workload, main_series(workload), most_rows)
        }
    }

    /// The picture of one of its series.
    pub(super) fn of_series(
        judgement: &Judgement,
        workload: &JudgedWorkload,
        series: &Series,
        most_rows: usize,
    ) -> Self {
        Self::drawn(judgement, workload, Some(series), most_rows)
    }

    /// Without an answer.
    fn drawn(
        judgement: &Judgement,
        workload: &JudgedWorkload,
        series: Option<&Series>,
        most_rows: usize,
    ) -> Self {
        let (mut dots, mut asides) = series.map_or_else(Default::default, |series| rows(series, workload));
        let rows = dots.len() + asides.len();
        dots.truncate(most_rows);
        asides.truncate(most_rows - dots.len());
        let left_out = rows - dots.len() - asides.len();
        let figures: Vec<Figure> = dots.iter().filter_map(|dot| dot.figure).collect();
        let unit = series.map_or(Unit::PerSecond, |series| series.unit);
        let drawn: Vec<_> = figures.iter().map(|figure| (figure.value, figure.interval)).collect();
        let axis = Axis::spread("", "value", &drawn, &|place| tick(unit, place));
        let mut caption = match series.filter(|_| !dots.is_empty()) {
            Some(series) => {
                let (label, about) = label(series, workload);
                let under = match series.under {
                    LoadCondition::ClosedLoop { connections } => {
                        format!(
                            "; {}",
                            section::carried(
                                connections,
                                workload.requests_per_connection,
                                workload.protocol,
                                workload.streams,
                                workload.link.as_ref()
                            )
                        )
                    }
                    LoadCondition::OpenLoop { rate_per_s } => format!("; {} requests/s", rate(rate_per_s)),
                    LoadCondition::Burst { .. } | LoadCondition::Call { .. } | LoadCondition::None => {
                        String::new()
                    }
                };
                format!("{label}: {about}{under}")
            }
            None => "No figure to draw".to_owned(),
        };
        if figures.iter().any(|figure| figure.interval.is_some()) {
            caption.push_str(&format!("; {} intervals", tidy_percent(confidence(series, judgement))));
        }
        if axis.as_ref().is_some_and(|axis| axis.is_log) {
            caption.push_str("; logarithmic axis");
        }
        Self {
            question: clean(&format!("{}: {}", workload.name, workload.question)),
            answer: None,
            caption: clean(&caption),
            dots,
            is_settled: series.is_some_and(|series| has_ranks(series) || is_never_ranked(series)),
            axis,
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
    fn new(series: &Series, point: &SeriesPoint, workload: &JudgedWorkload) -> Self {
        let figure = Figure::of(&point.estimate);
        // A number that cannot be drawn is not written either.
        let words = if figure.is_some() { words(series, point) } else { "no figure".to_owned() };
        let rank = point.best.zip(point.worst).map(|(best, worst)| rank_range(best, worst));
        Self { rank, name: name_in(workload, &point.contender), figure, words }
    }
}

/// How a place on the axis is written.
fn tick(unit: Unit, place: f64) -> String {
    match tidy(&value(unit, place)) {
        zero if zero.starts_with("0 ") => "0".to_owned(),
        text => text,
    }
}

/// The ranking by goodput has that of the look that decided.
fn confidence(series: Option<&Series>, judgement: &Judgement) -> f64 {
    match series.map(|series| series.of.kind()) {
        Some(FigureKind::CommonRate | FigureKind::Process) => CONFIDENCE,
        _ => judgement.confidence,
    }
}

/// What contenders of a workload are drawn by: the first series that ranks them; where none does, the first there is.
fn main_series(workload: &JudgedWorkload) -> Option<&Series> {
    let is_result = |series: &&Series| series.of.row().is_ranked || series.of.kind() == FigureKind::Burst;
    let mut results = workload.series.iter().filter(is_result);
    results.clone().find(|series| has_ranks(series)).or_else(|| results.next())
}

fn has_ranks(series: &Series) -> bool {
    series.points.iter().any(|point| point.best.is_some())
}

/// Of a quantity that is shown beside the ranking.
fn is_never_ranked(series: &Series) -> bool {
    series.points.iter().all(|point| point.best.is_none() && point.reason.is_none())
}

/// Those with a place in the picture, best first, and those without one. Where nothing is ranked, those are drawn that would be
/// ranked in another run.
fn rows(series: &Series, workload: &JudgedWorkload) -> (Vec<Dot>, Vec<Aside>) {
    let is_drawn = |point: &&SeriesPoint| match has_ranks(series) {
        true => point.best.is_some(),
        false => point.reason.as_ref().is_none_or(Reason::is_of_run),
    };
    let (mut drawn, others): (Vec<&SeriesPoint>, Vec<&SeriesPoint>) =
        series.points.iter().partition(is_drawn);
    drawn.sort_by_key(|point| (point.best, point.worst));
    let dots = drawn.into_iter().map(|point| Dot::new(series, point, workload));
    let beside = others.into_iter().map(|point| Aside {
        name: name_in(workload, &point.contender),
        reason: clean(&match &point.reason {
            Some(reason) => format!("{}: {reason}", words(series, point)),
            None => words(series, point),
        }),
    });
    let without = without(series, workload).into_iter();
    let without = without.map(|(name, reason)| Aside { name: name_in(workload, &name), reason });
    (dots.collect(), beside.chain(without).collect())
}

/// `48,100 ± 0.5 %`, `≥ 171,000`.
fn words(series: &Series, point: &SeriesPoint) -> String {
    let write = |number| value(series.unit, number);
    let interval = plus_minus(&point.estimate, write);
    section::with_interval(write(point.estimate.value), point.at_least, interval)
}
