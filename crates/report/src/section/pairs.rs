//! What was told apart, what was not, and what would tell.

use velo_judge::{
    ComparedPair, ContenderMean, Control, GeometricMean, JudgedWorkload, Judgement, Pairs, Standing,
};
use velo_model::Figure;

use super::phrases::{BASELINE, difference, plural, with_interval};
use crate::document::{Block, Column, Named, Room, Section, Table};
use crate::number::{budget, count, percent, plus_minus, ratio, tidy_percent};

/// `15 pairs: 13 separated, 1 equal within 4 %, 1 open`.
pub(crate) fn summary(pairs: &Pairs) -> String {
    let equal = match pairs.equal {
        0 => String::new(),
        n => format!(", {} equal within {}", count(u64::from(n)), tidy_percent(pairs.equal_within)),
    };
    format!(
        "{}: {} separated{equal}, {} not resolved",
        plural(pairs.compared.len() as u64, "pair", "pairs"),
        count(u64::from(pairs.separated)),
        count(u64::from(pairs.open))
    )
}

/// So many open pairs are named on a terminal.
const MOST_OPEN: usize = 5;

/// How the ranked ones compare, what would tell open pairs, and the control.
pub(crate) fn section(workload: &JudgedWorkload) -> Option<Section> {
    let columns = [
        Column::text("A"),
        Column::text("A'"),
        Column::number("goodput of A' over A"),
        Column::text("control"),
    ];
    let rows = workload.controls.iter().map(|own| {
        let (figure, holds) = control(own);
        [own.contender.to_string(), own.twin.to_string(), figure, holds.to_owned()].map(Some)
    });
    let controls = Block::Table(Table::new(columns, rows).only(Room::Wide));
    let Some(compared) = workload.pairs_by(Figure::Goodput, None) else {
        let section = Section::new("control", String::new(), vec![controls]);
        return (!workload.controls.is_empty()).then_some(section.detail());
    };
    let open = Named::new(["pair", "goodput, and what would resolve it"], open(compared));
    let open = Named { most_when_narrow: MOST_OPEN, ..open };
    Some(Section::new("pairs", summary(compared), vec![Block::Named(open), controls]))
}

/// The open pairs, those that are told soonest first: `open: go/gin over go/net-http`, what is known, and what would resolve it.
fn open(pairs: &Pairs) -> Vec<(String, String)> {
    let mut open: Vec<&ComparedPair> =
        pairs.compared.iter().filter(|pair| pair.state == Standing::Open).collect();
    open.sort_by_key(|pair| pair.would_tell.map_or(u32::MAX, |would_tell| would_tell.launches));
    open.into_iter()
        .map(|pair| (format!("not resolved: {} over {}", pair.over, pair.under), open_words(pair)))
        .collect()
}

fn open_words(pair: &ComparedPair) -> String {
    let difference = pair.ratio.as_ref().map_or_else(|| "not known".to_owned(), difference);
    match pair.would_tell {
        None => difference,
        Some(would_tell) => {
            let launches = plural(u64::from(would_tell.launches), "launch", "launches");
            match would_tell.budget_ns {
                Some(ns) => format!("{difference}; {launches} needed to resolve: --budget {}", budget(ns)),
                None => format!("{difference}; {launches} needed to resolve"),
            }
        }
    }
}

/// `noise floor 1.1 % (A against A'); smallest detectable difference 2.4 % (1.1 % to 5.0 %)`; nothing when neither is known.
pub(crate) fn resolution(judgement: &Judgement) -> Option<String> {
    let floor = by_workload(judgement, |workload| {
        let floors = workload.controls.iter().filter_map(|control| control.noise_floor);
        floors.reduce(f64::max).map(percent)
    });
    let seen =
        by_workload(judgement, |workload| smallest_difference(workload.pairs_by(Figure::Goodput, None)?));
    let parts: Vec<String> = [
        floor.map(|floor| format!("noise floor {floor} (A against A')")),
        seen.map(|seen| format!("smallest detectable difference {seen}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What the median pair could have shown, and the range over the pairs: `2.4 % (1.1 % to 5.0 %)`.
pub(crate) fn smallest_difference(pairs: &Pairs) -> Option<String> {
    let (least, middle) = (percent(pairs.could_have_seen_least?), percent(pairs.could_have_seen?));
    let most = percent(pairs.could_have_seen_most?);
    Some(if least == most { middle } else { format!("{middle} ({least} to {most})") })
}

/// Of each workload: `1.1 %`, or `1.1 % on void, 0.9 % on coin`.
fn by_workload(judgement: &Judgement, share: impl Fn(&JudgedWorkload) -> Option<String>) -> Option<String> {
    let shares: Vec<(&str, String)> = judgement
        .workloads
        .iter()
        .filter_map(|workload| Some((workload.name.as_str(), share(workload)?)))
        .collect();
    match shares.as_slice() {
        [] => None,
        [(_, share)] if judgement.workloads.len() == 1 => Some(share.clone()),
        several => {
            let named = several.iter().map(|(name, share)| format!("{share} on {name}"));
            Some(named.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A program against itself: `1.00 ± 1.1 %`, and whether that holds 1.
fn control(control: &Control) -> (String, &'static str) {
    let figure = control
        .ratio
        .as_ref()
        .map_or_else(|| "-".to_owned(), |own| with_interval(ratio(own.value), false, plus_minus(own, ratio)));
    let holds = match control.holds_one {
        Some(true) => "the interval holds 1",
        Some(false) => "the interval misses 1",
        None => "no interval",
    };
    (figure, holds)
}

/// The head of the geometric means.
pub(crate) fn geometric_head(geometric: &GeometricMean) -> String {
    format!("geometric mean of the scores over {}", geometric.workloads.join(", "))
}

/// Each contender with its mean.
pub(crate) fn geometric_means(judgement: &Judgement, geometric: &GeometricMean) -> Vec<(String, String)> {
    let common =
        || judgement.workloads.iter().filter(|workload| geometric.workloads.contains(&workload.name));
    let mean = |one: &ContenderMean| {
        if common().all(|workload| workload.baseline == one.contender) {
            return BASELINE.to_owned();
        }
        with_interval(ratio(one.mean.value), false, plus_minus(&one.mean, ratio))
    };
    geometric.means.iter().map(|one| (one.contender.to_string(), mean(one))).collect()
}
