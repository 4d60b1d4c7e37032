//! Two services with a known effect are judged as far apart as they are, and no surer than that is.

use proptest::prelude::*;
use velo_fixtures::against::two_services;
use velo_judge::Kind;
use velo_judge::against::{
    AgainstFigure, AgainstFigureName, AgainstFinding, AgainstResult, Which, judge, parse_conditions,
};
use velo_record::{AgainstRecord, AgainstWindow, LoadSchedule, Outcomes};

fn judged(record: AgainstRecord) -> AgainstResult {
    judge(record, &[])
}

fn figure(result: &AgainstResult, name: AgainstFigureName) -> &AgainstFigure {
    result.figures.iter().find(|figure| figure.figure == name).expect("the figure")
}

fn interval(result: &AgainstResult, name: AgainstFigureName) -> Option<(f64, f64)> {
    figure(result, name).ratio?.interval()
}

fn found(result: &AgainstResult, is_wanted: fn(&AgainstFinding) -> bool) -> Option<(Option<Which>, Kind)> {
    result.notes.iter().find(|note| is_wanted(&note.finding)).map(|note| (note.of, note.kind))
}

#[test]
fn a_known_effect_is_found_in_every_figure() {
    let conditions =
        parse_conditions("goodput>-3%,cpu<30%,goodput>-10%,errors=0", false).expect("conditions");
    let result = judge(two_services(0.9, 200, 1), &conditions);
    for (name, truth) in [
        (AgainstFigureName::Goodput, 0.9),
        (AgainstFigureName::Cpu, 1.0 / 0.9),
        (AgainstFigureName::P50, 1.0 / 0.9),
        (AgainstFigureName::P99, 1.0 / 0.9),
    ] {
        let (low, high) = interval(&result, name).expect("an interval");
        assert!(low < truth && truth < high && high / low < 1.25, "{name:?}: {low} to {high}");
        let one = figure(&result, name);
        let (a, b) = one.a.zip(one.b).expect("both");
        let ratio = one.ratio.expect("a ratio").value;
        assert!((a / b / ratio - 1.0).abs() < 1e-9, "{name:?}: the ratio is that of the figures beside it");
    }
    let holds: Vec<Option<bool>> = result.conditions.iter().map(|condition| condition.holds).collect();
    assert_eq!(holds, [Some(false), Some(true), None, Some(true)]);
    assert_eq!((result.batches, result.counted_blocks, result.taken_share), (10, 200, Some(0.0)));
    assert_eq!(result.notes, []);
}

#[test]
fn equal_services_are_told_apart_as_seldom_as_intervals_say() {
    const PAIRS: u64 = 400;
    let apart = |name: AgainstFigureName| {
        let holds_one = |seed: &u64| {
            let (low, high) = interval(&judged(two_services(1.0, 60, *seed)), name).expect("an interval");
            low <= 1.0 && 1.0 <= high
        };
        PAIRS - (0..PAIRS).filter(holds_one).count() as u64
    };
    // 5 % of 400 are 20, with a standard deviation of 4.4.
    let apart = apart(AgainstFigureName::Goodput);
    assert!((7..=35).contains(&apart), "{apart} of {PAIRS}");
}

#[test]
fn what_others_took_widens_intervals_and_then_takes_them() {
    let with_taken = |share: f64, blocks: usize| {
        let mut record = two_services(1.0, 60, 3);
        for block in record.blocks.iter_mut().take(blocks) {
            block.taken_ns = Some((share * block.elapsed_ns as f64) as i64);
        }
        judged(record)
    };
    let width = |result: &AgainstResult, name| {
        let (low, high) = interval(result, name).expect("an interval");
        (high / low).ln()
    };
    let (quiet, busy) = (with_taken(0.0, 60), with_taken(0.15, 60));
    assert!(width(&busy, AgainstFigureName::Goodput) > width(&quiet, AgainstFigureName::Goodput));
    assert!(width(&busy, AgainstFigureName::Cpu) > width(&quiet, AgainstFigureName::Cpu));
    let is_taken = |finding: &AgainstFinding| matches!(finding, AgainstFinding::Taken { .. });
    assert_eq!((found(&quiet, is_taken), found(&busy, is_taken)), (None, Some((None, Kind::Warning))));

    let some = with_taken(0.25, 6);
    assert_eq!((some.counted_blocks, some.dropped_blocks), (54, 6));
    let most = with_taken(0.25, 40);
    assert_eq!((most.counted_blocks, most.dropped_blocks, most.batches), (60, 0, 0));
    assert_eq!(interval(&most, AgainstFigureName::Goodput), None);
    let is_dropped = |finding: &AgainstFinding| matches!(finding, AgainstFinding::Dropped { .. });
    assert_eq!(found(&most, is_dropped), Some((None, Kind::Error)));
}

#[test]
fn few_blocks_have_no_interval() {
    let mut record = two_services(0.5, 200, 1);
    record.blocks.truncate(40);
    record.interrupted = true;
    let result = judged(record);
    assert_eq!(interval(&result, AgainstFigureName::Goodput), None, "two batches");
    let is_few = |finding: &AgainstFinding| matches!(finding, AgainstFinding::FewBlocks { .. });
    assert!(found(&result, is_few).is_some());
    let cut = |finding: &AgainstFinding| *finding == AgainstFinding::Interrupted { blocks: 40, of: 200 };
    assert!(found(&result, cut).is_some());
}

#[test]
fn a_percentile_needs_its_samples_in_each_batch() {
    let result = judged(two_services(1.0, 60, 1));
    let p99 = figure(&result, AgainstFigureName::P99);
    assert!(p99.ratio.is_some_and(|ratio| ratio.interval().is_none()), "600 samples a batch");
    let is_few =
        |finding: &AgainstFinding| *finding == AgainstFinding::FewSamples { figure: AgainstFigureName::P99 };
    assert!(found(&result, is_few).is_some());
    assert!(interval(&result, AgainstFigureName::P50).is_some());
}

#[test]
fn what_is_wrong_with_a_side_is_told_of_it() {
    let mut record = two_services(1.0, 60, 1);
    record.b.outcomes = Outcomes { wrong_answer: 9, ..record.b.outcomes };
    record.b.service.ended = true;
    record.a.service.pids.clear();
    record.a.service.unknown = Some("it is not on this machine".to_owned());
    record.blocks.iter_mut().for_each(|block| {
        block.a.cpu_ns = None;
        block.a.generator_cpu_ns = block.a.duration_ns;
    });
    let result = judged(record);
    let of_b = |kind| Some((Some(Which::B), kind));
    assert_eq!(found(&result, |one| *one == AgainstFinding::Ended), of_b(Kind::Warning));
    let is_wrong = |one: &AgainstFinding| matches!(one, AgainstFinding::OfLoad { .. });
    assert_eq!(found(&result, is_wrong).and_then(|(of, _)| of), Some(Which::B));
    let is_unknown = |one: &AgainstFinding| matches!(one, AgainstFinding::CpuUnknown { .. });
    assert_eq!(found(&result, is_unknown), Some((Some(Which::A), Kind::Hint)));
    let cpu = figure(&result, AgainstFigureName::Cpu);
    assert_eq!((cpu.a, cpu.b.is_some(), cpu.ratio), (None, true, None));
    let goodput = figure(&result, AgainstFigureName::Goodput);
    assert_eq!((goodput.a_at_least, goodput.b_at_least), (true, false));
    assert_eq!(
        found(&result, |one| matches!(one, AgainstFinding::GeneratorBusy { .. })).map(|one| one.0),
        Some(Some(Which::A))
    );
}

#[test]
fn a_side_that_answers_nothing_has_no_ratio() {
    let mut record = two_services(1.0, 60, 1);
    record.b.outcomes = Outcomes { connect_error: 5, ..Outcomes::default() };
    record.b.times.clear();
    for block in &mut record.blocks {
        block.b = AgainstWindow { duration_ns: block.b.duration_ns, failed: 1, ..AgainstWindow::default() };
    }
    let result = judged(record);
    assert!(result.nothing_worked());
    assert!(result.figures.iter().all(|figure| figure.ratio.is_none() && figure.b.is_none()));
    assert!(figure(&result, AgainstFigureName::Goodput).a.is_some());
}

#[test]
fn an_open_loop_has_no_goodput_of_a_services_own() {
    let mut record = two_services(1.0, 60, 1);
    let (shape, spacing) = ("5,000/s".to_owned(), "poisson".to_owned());
    record.settings.schedule = LoadSchedule::Open { shape, spacing, expected: 1e4 };
    let result = judged(record);
    assert!(result.figures.iter().all(|figure| figure.figure != AgainstFigureName::Goodput));
    assert!(interval(&result, AgainstFigureName::Cpu).is_some());
}

proptest! {
    #[test]
    fn whatever_was_recorded_is_judged(
        numbers in prop::collection::vec((any::<u64>(), any::<u64>(), any::<i64>(), 0_u32..5), 0..60),
        small: bool,
    ) {
        let mut record = two_services(1.0, 60, 1);
        record.blocks.truncate(numbers.len());
        for (block, (x, y, taken, batch)) in record.blocks.iter_mut().zip(numbers) {
            let small = |number: u64| if small { number % 3 } else { number };
            block.batch = batch;
            block.taken_ns = Some(taken);
            (block.a.duration_ns, block.a.correct, block.a.cpu_ns) = (small(x), small(y), Some(small(x)));
            (block.b.correct_with_settling, block.b.generator_cpu_ns) = (small(y), small(x));
            block.elapsed_ns = small(y);
        }
        let result = judged(record);
        for figure in &result.figures {
            let ratio = figure.ratio.map(|ratio| [Some(ratio.value), ratio.low, ratio.high]);
            let all = ratio.into_iter().flatten().chain([figure.a, figure.b]);
            prop_assert!(all.flatten().all(|value| value.is_finite() && value >= 0.0), "{figure:?}");
        }
    }
}
