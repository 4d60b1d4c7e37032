//! Whether a contender behaved in its counted windows as it did in the others: at the end of the warm-up of the same launch and in the
//! proof, early and late in a launch, and from the first launch to the last. Who does not earns no rank.

use std::collections::{BTreeMap, BTreeSet};
use velo_model::Figure;

use serde::Serialize;
use velo_model::PartyRole;
use velo_record::{Window, WindowKind};
use velo_stats::{LogsByLaunch, Shift, Slope, median, shift, slope};

use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::measure::cell::{Cell, Cells};
use crate::measure::figures::{figure_of_speed, of_window};

/// Goodput that differs by more than this factor is another figure: compilers that still find something change it by less.
pub const GOODPUT_FACTOR: f64 = 1.25;
/// The same of CPU time per request at a stated rate, where compilers have few requests to learn from and go on for minutes: an honest
/// server's fell by 38 % over a launch.
pub(crate) const CPU_FACTOR: f64 = 2.0;
/// The windows at the end of a warm-up that are at its level, in launches that replay it too.
const LAST_WINDOWS: usize = 10;
/// The standard deviation of normal numbers over their median absolute deviation.
const NORMAL_MAD: f64 = 1.4826;
/// With fewer of them a launch says nothing.
const LEAST_WINDOWS: usize = 5;

/// With more contenders, or of more launches, which only a file has that somebody made up, nothing is looked at.
const MOST_CONTENDERS: usize = 100;
const MOST_LAUNCHES: usize = 100;

/// Whether the figure that a contender is ranked by was the same wherever it was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Consistency {
    /// The figure that contenders are ranked by.
    pub figure: Figure,
    /// What was looked at, as far as there are launches enough.
    pub findings: Vec<ConsistencyFinding>,
}

/// A figure in one part of the run over the same in another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConsistencyFinding {
    /// Which parts.
    pub of: ConsistencyOf,
    /// The one over the other.
    pub ratio: f64,
    /// The same over what the others show; `None` of a contender that is alone.
    pub against_others: Option<f64>,
    /// The ends of the 99 % interval of the latter, else of the former.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The figure at the end of the warm-up, early in a launch, or in the first third of the launches: the median over launches, correct
    /// answers per second or nanoseconds of CPU time per request.
    pub before: f64,
    /// The same of the proof, where there is one and blocks are held against it.
    pub proof: Option<f64>,
    /// The same in the blocks, late in a launch, or in the last third of the launches.
    pub after: f64,
    /// A factor up or down that takes the rank.
    pub bound: f64,
    /// How many launches it rests on.
    pub launches: u32,
    /// Whether it keeps the bound, or chance may have broken it.
    pub passed: bool,
}

/// Parts of a run that should show the same figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConsistencyOf {
    /// The blocks, over the end of the warm-up of the same launch and the proof.
    Blocks,
    /// The last third of a launch's blocks over the first.
    Launch,
    /// The last launch over the first, by a line through all.
    Launches,
}

/// What the windows of one launch of a contender show, in natural logarithms: of correct answers per second, or of nanoseconds of
/// CPU time per request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LaunchLogs {
    /// At the end of the warm-up.
    pub warm_up: Option<f64>,
    /// In the proof, with a generator that was not slowed.
    pub proof: Option<f64>,
    /// In the blocks, in the order measured.
    pub blocks: Vec<f64>,
}

/// The consistency of every contender of a run, by workload and contender.
pub(crate) fn of_all(
    cells: &Cells<'_>,
    workloads: &[velo_model::Workload],
) -> BTreeMap<(String, String), Consistency> {
    let mut found = BTreeMap::new();
    for workload in workloads {
        let measured: Vec<&Cell<'_>> =
            cells.of_workload(&workload.name).filter(|cell| !counted(cell).is_empty()).collect();
        if measured.len() > MOST_CONTENDERS {
            continue;
        }
        let logs: Vec<BTreeMap<u32, LaunchLogs>> = measured.iter().map(|cell| logs(cell)).collect();
        let numbers: BTreeSet<u32> = logs.iter().flat_map(BTreeMap::keys).copied().collect();
        if numbers.len() > MOST_LAUNCHES {
            continue;
        }
        let by_contender: Vec<Vec<LaunchLogs>> = logs
            .iter()
            .map(|own| numbers.iter().map(|launch| own.get(launch).cloned().unwrap_or_default()).collect())
            .collect();
        let figure = figure_of_speed(workload);
        let factor = if figure == Figure::Goodput { GOODPUT_FACTOR } else { CPU_FACTOR };
        for (contender, cell) in measured.iter().enumerate() {
            let key = (workload.name.clone(), cell.record.manifest.name.as_str().to_owned());
            let findings = findings(&by_contender, contender, factor);
            found.insert(key, Consistency { figure, findings });
        }
    }
    found
}

/// What the rules of consistency find of the contender with the number `of`.
///
/// `contenders` has for each its launches, those of all in the same order; `factor` (above 1, [`GOODPUT_FACTOR`] where ranks are by
/// goodput) is what a figure may differ by, up or down, before it takes the rank. Parts of which too little is known have no finding.
pub fn findings(contenders: &[Vec<LaunchLogs>], of: usize, factor: f64) -> Vec<ConsistencyFinding> {
    let launches = contenders.iter().map(Vec::len).max().unwrap_or(0);
    let table = |value: &dyn Fn(&LaunchLogs) -> Option<f64>| -> LogsByLaunch {
        let of_launch = |launch: usize| contenders.iter().map(move |own| value(own.get(launch)?)).collect();
        (0..launches).map(of_launch).collect()
    };
    let own = |value: &dyn Fn(&LaunchLogs) -> Option<f64>| -> Vec<f64> {
        contenders.get(of).into_iter().flatten().filter_map(value).collect()
    };
    let level = |values: Vec<f64>| median(&values).map(f64::exp).filter(|level| level.is_finite());
    let mut findings = Vec::new();

    let against_warm_up = shift(&table(&|launch| Some(launch.level()? - launch.before()?)), of);
    let with_warm_up = |value: fn(&LaunchLogs) -> Option<f64>| {
        move |launch: &LaunchLogs| value(launch).filter(|_| launch.before().is_some())
    };
    if let Some((before, after)) =
        level(own(&with_warm_up(|l| l.warm_up))).zip(level(own(&with_warm_up(LaunchLogs::level))))
    {
        let proof = level(own(&|launch| launch.proof));
        let found = against_warm_up.and_then(|shift| of_shift(ConsistencyOf::Blocks, &shift, factor));
        findings.extend(found.map(|found| ConsistencyFinding { before, proof, after, ..found }));
    }
    if let Some((before, after)) =
        level(own(&|launch| launch.third(0))).zip(level(own(&|launch| launch.third(2))))
    {
        let change = table(&|launch| Some(launch.third(2)? - launch.third(0)?));
        let found = shift(&change, of).and_then(|shift| of_shift(ConsistencyOf::Launch, &shift, factor));
        findings.extend(found.map(|found| ConsistencyFinding { before, after, ..found }));
    }
    let levels = own(&LaunchLogs::level);
    let third = (levels.len() / 3).max(1);
    if let Some((before, after)) = level(levels.iter().copied().take(third).collect())
        .zip(level(levels.iter().copied().rev().take(third).collect()))
    {
        let found = slope(&table(&LaunchLogs::level), of, error(&contenders[of]))
            .and_then(|slope| of_slope(&slope, factor));
        findings.extend(found.map(|found| ConsistencyFinding { before, after, ..found }));
    }
    findings
}

/// The standard error of a launch's median, from how its blocks scatter: that of a normal median, `sqrt(pi / 2n)`, with the
/// scatter by the median absolute deviation; over launches the root of the mean square.
fn error(launches: &[LaunchLogs]) -> f64 {
    let squares: Vec<f64> = launches
        .iter()
        .filter_map(|launch| {
            let level = launch.level()?;
            let deviations: Vec<f64> = launch.blocks.iter().map(|log| (log - level).abs()).collect();
            let scatter = NORMAL_MAD * median(&deviations)?;
            Some(scatter * scatter * std::f64::consts::FRAC_PI_2 / launch.blocks.len() as f64)
        })
        .collect();
    (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt()
}

impl LaunchLogs {
    fn level(&self) -> Option<f64> {
        median(&self.blocks)
    }

    /// Warm-up and proof count alike; there is a proof in the first launch only, and it may be left out.
    fn before(&self) -> Option<f64> {
        let warm_up = self.warm_up?;
        Some(self.proof.map_or(warm_up, |proof| (warm_up + proof) / 2.0))
    }

    /// The median over the first (0) or the last (2) third of the blocks.
    fn third(&self, which: usize) -> Option<f64> {
        let blocks = self.blocks.len();
        let third = blocks / 3;
        let from = if which == 0 { 0 } else { blocks - third };
        median(&self.blocks[from..from + third])
    }
}

/// `None` with too few launches, which are not ranked anyway.
fn of_shift(of: ConsistencyOf, shift: &Shift, factor: f64) -> Option<ConsistencyFinding> {
    let decisive = shift.against_others.unwrap_or(shift.own);
    let found = ConsistencyFinding {
        of,
        ratio: shift.own.value.exp(),
        against_others: shift
            .against_others
            .map(|against| against.value.exp())
            .filter(|ratio| ratio.is_finite()),
        low: decisive.low().map(f64::exp).filter(|low| low.is_finite()),
        high: decisive.high().map(f64::exp).filter(|high| high.is_finite()),
        before: f64::NAN,
        proof: None,
        after: f64::NAN,
        bound: factor,
        launches: u32::try_from(shift.own.launches).unwrap_or(u32::MAX),
        passed: !shift.is_beyond(factor),
    };
    (found.launches >= LEAST_LAUNCHES && found.ratio.is_finite()).then_some(found)
}

fn of_slope(slope: &Slope, factor: f64) -> Option<ConsistencyFinding> {
    let (low, high) = slope.interval()?;
    let found = ConsistencyFinding {
        of: ConsistencyOf::Launches,
        ratio: slope.own.exp(),
        against_others: Some(slope.against_others.exp()).filter(|ratio| ratio.is_finite()),
        low: Some(low.exp()).filter(|low| low.is_finite()),
        high: Some(high.exp()).filter(|high| high.is_finite()),
        before: f64::NAN,
        proof: None,
        after: f64::NAN,
        bound: factor,
        launches: u32::try_from(slope.launches).unwrap_or(u32::MAX),
        passed: !slope.is_beyond(factor),
    };
    (found.launches >= LEAST_LAUNCHES && found.ratio.is_finite()).then_some(found)
}

/// The windows that the rank rests on.
fn counted<'a>(cell: &Cell<'a>) -> Vec<&'a Window> {
    match cell.workload.load.rate_per_s {
        None => cell.blocks.clone(),
        Some(rate_per_s) => {
            // Warm-up is at that rate too, but of another kind, and the latency launches have no blocks of it.
            let at_rate = cell.at_common_rates().filter(|(_, rate)| *rate == rate_per_s);
            at_rate.map(|(window, _)| window).collect()
        }
    }
}

fn logs(cell: &Cell<'_>) -> BTreeMap<u32, LaunchLogs> {
    let figure = figure_of_speed(cell.workload);
    let log = |window: &Window| {
        let value = match figure {
            Figure::Goodput => whole_rate_per_s(window),
            _ => of_window(figure, window),
        };
        value.map(f64::ln).filter(|log| log.is_finite())
    };
    let mut launches: BTreeMap<u32, LaunchLogs> = BTreeMap::new();
    for window in in_order(&counted(cell)) {
        launches.entry(window.launch).or_default().blocks.extend(log(window));
    }
    let mut others: BTreeMap<(u32, bool), Vec<f64>> = BTreeMap::new();
    for window in
        in_order(&cell.windows).into_iter().filter(|window| window.slowed_ns().is_none_or(|ns| ns == 0))
    {
        if matches!(window.kind(), WindowKind::WarmUp | WindowKind::Proof) {
            let of_kind = others.entry((window.launch, window.kind() == WindowKind::Proof)).or_default();
            of_kind.extend(log(window));
        }
    }
    for (number, launch) in &mut launches {
        let warm_up = others.get(&(*number, false)).map_or(&[][..], Vec::as_slice);
        let last = &warm_up[warm_up.len().saturating_sub(LAST_WINDOWS)..];
        launch.warm_up = median(last).filter(|_| last.len() >= LEAST_WINDOWS);
        launch.proof = others.get(&(*number, true)).and_then(|proof| median(proof));
    }
    launches
}

/// In the order measured, whatever the order in the file.
pub(crate) fn in_order<'w>(windows: &[&'w Window]) -> Vec<&'w Window> {
    let mut sorted = windows.to_vec();
    sorted.sort_by_key(|window| {
        let lengths = (window.settling_ns, window.duration_ns, window.drain_ns);
        let answers =
            (window.outcomes.correct, window.outside.correct, window.cpu_total_ns(PartyRole::Contender));
        let draws = window.coin.as_ref().map(|coin| coin.draws);
        // What comes after the times decides only in a file that somebody made up.
        (window.launch, window.started_ns, window.block, window.position, lengths, answers, draws)
    });
    sorted
}

/// Answers per second over settling, window and draining. A warm-up's windows have no settling and are shorter than those of blocks, so
/// that what the edges cut from them is more.
fn whole_rate_per_s(window: &Window) -> Option<f64> {
    let answers = window.all().correct;
    let ns = window.evenly_loaded_ns();
    (ns > 0).then(|| answers as f64 * 1e9 / ns as f64)
}

impl Consistency {
    /// What takes the rank; `None` when nothing does.
    pub(crate) fn fault(&self) -> Option<ConsistencyFinding> {
        self.findings.iter().copied().find(|finding| !finding.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doubt::cause::Cause;
    use crate::doubt::state::RowState;
    use crate::doubt::verdict::{Check, Kind};
    use crate::rows::row::Row;
    use crate::{Judgement, judge};
    use velo_fixtures::{Simulated, Simulation, contender_mut};
    use velo_record::{Purpose, RunFile};

    /// A run of three with a warm-up in each launch; the third is the slowest.
    fn run() -> (RunFile, Vec<Window>) {
        let contenders = vec![
            Simulated::new("go/a", 40_000.0),
            Simulated::new("go/b", 30_000.0),
            Simulated::new("go/c", 20_000.0),
        ];
        let (file, windows) = Simulation::new(contenders).run();
        let mut all = Vec::new();
        for window in windows {
            let is_last_cold = window.kind() == WindowKind::Cold;
            let warm = Window { purpose: Purpose::WarmUp { paced: None }, ..window.clone() };
            all.push(window);
            if is_last_cold {
                all.extend(std::iter::repeat_n(warm, 20));
            }
        }
        (file, all)
    }

    /// As many answers in so many times the time.
    fn slow(window: &mut Window, times: f64) {
        for ns in [
            &mut window.settling_ns,
            &mut window.duration_ns,
            &mut window.drain_ns,
            &mut window.in_flight_request_ns,
            &mut window.clipped_service_ns,
        ] {
            *ns = (*ns as f64 * times) as u64;
        }
        let server = contender_mut(window);
        let cpu = [&mut server.cpu_ns, &mut server.cpu_total_ns, &mut server.cpu_elapsed_ns];
        for ns in cpu.into_iter().flatten() {
            *ns = (*ns as f64 * times) as u64;
        }
    }

    /// Judges the run after the windows of `go/c` were slowed by what is said of each.
    fn judged(times: impl Fn(&Window) -> f64) -> Judgement {
        let (file, mut windows) = run();
        for window in windows.iter_mut().filter(|window| window.contender.as_str() == "go/c") {
            let times = times(window);
            slow(window, times);
        }
        judge(&file, &windows)
    }

    fn row<'a>(judgement: &'a Judgement, name: &str) -> &'a Row {
        judgement.workloads[0].rows.iter().find(|row| row.contender.as_str() == name).unwrap()
    }

    fn cause(judgement: &Judgement) -> Option<Cause> {
        for honest in ["go/a", "go/b"] {
            assert!(matches!(row(judgement, honest).state, RowState::Ranked { .. }), "{honest}");
        }
        match &row(judgement, "go/c").state {
            RowState::NotRanked { cause } => Some(cause.clone()),
            _ => None,
        }
    }

    #[test]
    fn the_honest_keep_their_ranks() {
        let judgement = judged(|_| 1.0);
        assert_eq!(cause(&judgement), None);
        let consistency = row(&judgement, "go/c").consistency.clone().unwrap();
        let of: Vec<_> = consistency.findings.iter().map(|finding| finding.of).collect();
        assert_eq!(of, [ConsistencyOf::Blocks, ConsistencyOf::Launch, ConsistencyOf::Launches]);
        assert!(consistency.findings.iter().all(|finding| finding.passed && finding.launches == 5));
        // Compilers that still find something, or lose it again, are a few per cent.
        assert_eq!(cause(&judged(|window| if window.block == 0 { 1.15 } else { 1.0 })), None);
        assert_eq!(cause(&judged(|window| if window.block > 5 { 1.04 } else { 1.0 })), None);
    }

    #[test]
    fn a_wait_for_the_last_answers_of_a_launch_is_no_fall() {
        let (file, mut windows) = run();
        for window in windows.iter_mut().filter(|window| window.kind() == WindowKind::Block) {
            // So few blocks count that the last is one of two in its third.
            if (2..=5).contains(&window.block) {
                window.host.steal_share = Some(0.2);
            }
            if window.block == 10 && window.contender.as_str() == "go/c" {
                window.drain_ns = 600_000_000;
            }
        }
        let judgement = judge(&file, &windows);
        assert_eq!(cause(&judgement), None);
        let launch = row(&judgement, "go/c").consistency.as_ref().unwrap().findings[1];
        assert!(launch.of == ConsistencyOf::Launch && launch.ratio > 0.8, "{launch:?}");
    }

    #[test]
    fn windows_unlike_the_warm_up_take_the_rank_and_both_figures_are_told() {
        let judgement = judged(|window| if window.block == 0 { 3.0 } else { 1.0 });
        assert!(matches!(cause(&judgement), Some(Cause::Inconsistent { .. })));
        let row = row(&judgement, "go/c");
        let told = row.verdicts.iter().find(|verdict| verdict.check == Check::Consistency).unwrap();
        assert_eq!((told.kind, told.bound), (Kind::Error, Some(GOODPUT_FACTOR)));
        assert!((told.figure.unwrap() / 3.0 - 1.0).abs() < 0.1, "{told:?}");
        let finding = row.consistency.as_ref().unwrap().findings[0];
        assert!((finding.after / finding.before / 3.0 - 1.0).abs() < 0.1 && finding.proof.is_none());
        assert!(row.standing().contains("unlike its warm-up: goodput"), "{}", row.standing());
        // Slower is unlike it too.
        let slower = judged(|window| if window.block == 0 { 1.0 } else { 3.0 });
        assert!(matches!(cause(&slower), Some(Cause::Inconsistent { .. })));
    }

    #[test]
    fn a_proof_counts_beside_the_warm_up_of_its_launch() {
        let own = |proof| LaunchLogs { warm_up: Some(1.0), proof, blocks: vec![2.0; 6] };
        let launches: Vec<LaunchLogs> = (0..5).map(|launch| own((launch == 0).then_some(1.5))).collect();
        let others = vec![LaunchLogs { warm_up: Some(0.0), proof: None, blocks: vec![0.0; 6] }; 5];
        let found = findings(&[launches, others.clone(), others], 0, GOODPUT_FACTOR);
        assert!(!found[0].passed);
        assert!((found[0].ratio.ln() - (0.75 + 4.0) / 5.0).abs() < 1e-12);
        assert_eq!(found[0].proof, Some(1.5_f64.exp()));
    }

    #[test]
    fn a_figure_that_rises_within_each_launch_takes_the_rank() {
        let judgement = judged(|window| if window.block <= 5 { 3.0 } else { 1.0 });
        // The warm-up is like the slow half, and the median over blocks is between the two.
        assert!(matches!(cause(&judgement), Some(Cause::Unsteady { .. } | Cause::Inconsistent { .. })));
        let launch = row(&judgement, "go/c").consistency.as_ref().unwrap().findings[1];
        assert_eq!((launch.of, launch.passed), (ConsistencyOf::Launch, false));
        assert!((launch.ratio / 3.0 - 1.0).abs() < 0.1, "{launch:?}");
        let gradual = judged(|window| 1.6 - 0.06 * f64::from(window.block));
        let launch = row(&gradual, "go/c").consistency.as_ref().unwrap().findings[1];
        assert!(!launch.passed, "{launch:?}");
    }

    #[test]
    fn a_figure_that_rises_from_launch_to_launch_takes_the_rank() {
        for times in [
            |launch: u32| if launch < 3 { 2.0 } else { 1.0 },
            |launch: u32| 1.6 - 0.12 * f64::from(launch - 1),
        ] {
            let judgement = judged(|window| times(window.launch));
            assert!(matches!(cause(&judgement), Some(Cause::Unsteady { .. })));
            let row = row(&judgement, "go/c");
            assert!(row.standing().contains("rose by"), "{}", row.standing());
            assert!(row.verdicts.iter().any(|verdict| verdict.check == Check::Consistency));
        }
    }

    #[test]
    fn fewer_launches_than_a_rank_needs_are_not_looked_at() {
        let (file, mut windows) = run();
        windows.retain(|window| window.launch < 5);
        let judgement = judge(&file, &windows);
        assert!(row(&judgement, "go/c").consistency.as_ref().unwrap().findings.is_empty());
    }

    #[test]
    fn a_warm_up_of_few_windows_says_nothing() {
        let (file, mut windows) = run();
        let mut seen = BTreeMap::new();
        windows.retain(|window| {
            let warm = seen.entry((window.contender.clone(), window.launch)).or_insert(0_usize);
            *warm += usize::from(window.kind() == WindowKind::WarmUp);
            window.kind() != WindowKind::WarmUp || *warm < LEAST_WINDOWS
        });
        let judgement = judge(&file, &windows);
        let findings = &row(&judgement, "go/c").consistency.as_ref().unwrap().findings;
        assert!(findings.iter().all(|finding| finding.of != ConsistencyOf::Blocks), "{findings:?}");
    }
}
