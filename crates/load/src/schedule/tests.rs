use std::f64::consts::SQRT_2;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::rng::Rng;

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn even(shape: Shape) -> Arrivals {
    Arrivals { shape, spacing: Spacing::Even, seed: 0 }
}

fn poisson(shape: Shape, seed: u64) -> Arrivals {
    Arrivals { shape, spacing: Spacing::Poisson, seed }
}

fn step(per_s: f64, for_ns: u64) -> Step {
    Step { per_s, for_ns }
}

/// How many are due before a time.
fn count(arrivals: &Arrivals, before_ns: u64) -> usize {
    arrivals.intended().take_while(|ns| *ns < before_ns).count()
}

#[test]
fn a_constant_rate_is_evenly_spaced_from_the_start() {
    let thousand = even(Shape::Constant { per_s: 1000.0 });
    assert_eq!(thousand.intended().take(4).collect::<Vec<_>>(), [0, MS, 2 * MS, 3 * MS]);
    assert_eq!(count(&thousand, 30 * S), 30_000);
    let third = even(Shape::Constant { per_s: 3.0 });
    assert_eq!(third.intended().take(4).collect::<Vec<_>>(), [0, 333_333_333, 666_666_666, S]);
    assert_eq!(thousand.expected(1_500_000), 1.5);
}

/// The arrival of this number, as the first of a worker among so many that it is theirs: going through the ones before
/// would take too long.
fn number(arrivals: &Arrivals, number: u64) -> Option<u64> {
    let workers = 1 << 20;
    let (worker, group) = (number % u64::from(workers), number / u64::from(workers));
    arrivals.intended().dealt(worker as u32, workers).dealt(group as u32, u32::MAX).next()
}

#[test]
fn a_constant_rate_does_not_drift_in_hours() {
    for per_s in [7_u64, 999, 20_000, 123_457] {
        let arrivals = even(Shape::Constant { per_s: per_s as f64 });
        for hours in [1, 10, 100] {
            for index in (0..50).map(|behind| per_s * 3600 * hours + behind * 13) {
                let exact = u128::from(index) * u128::from(S) / u128::from(per_s);
                let found = number(&arrivals, index).expect("endless");
                assert!(u128::from(found).abs_diff(exact) <= 1, "{index} of {per_s}/s: {found}, not {exact}");
            }
            // A whole number of seconds is met exactly.
            assert_eq!(number(&arrivals, per_s * 3600 * hours), Some(3600 * hours * S));
        }
    }
}

#[test]
fn a_ramp_has_known_times_and_counts() {
    // The integral is 50 t^2, so the k-th is due at sqrt(k / 50).
    let up = even(Shape::Ramp { from_per_s: 0.0, to_per_s: 1000.0, over_ns: 10 * S });
    let times: Vec<u64> = up.intended().take(51).collect();
    assert_eq!((times[0], times[50]), (0, S));
    assert!(times[1].abs_diff((S as f64 * SQRT_2 / 10.0) as u64) <= 1, "{}", times[1]);
    assert_eq!((up.expected(10 * S), up.expected(12 * S)), (5_000.0, 7_000.0));
    assert_eq!(count(&up, 12 * S), 7_000);

    // Down to nothing, where it ends: 500 before the last second is over.
    let down = even(Shape::Ramp { from_per_s: 1000.0, to_per_s: 0.0, over_ns: S });
    let times: Vec<u64> = down.intended().collect();
    assert_eq!(times.len(), 500);
    // One is left when 1000 (1 - t)^2 / 2 = 1.
    let last = S - (S as f64 * (2.0_f64 / 1000.0).sqrt()) as u64;
    assert!(times[499].abs_diff(last) <= 10, "{} is not {last}", times[499]);
    assert_eq!(down.expected(5 * S), 500.0);

    // From a rate to the same rate.
    let level = even(Shape::Ramp { from_per_s: 100.0, to_per_s: 100.0, over_ns: S });
    let constant = even(Shape::Constant { per_s: 100.0 });
    assert!(level.intended().take(300).eq(constant.intended().take(300)));
}

#[test]
fn steps_and_spikes_have_known_times() {
    let steps = even(Shape::Steps(vec![step(2.0, S), step(0.0, 10 * S), step(4.0, S)]));
    let times: Vec<u64> = steps.intended().take(6).collect();
    assert_eq!(times, [0, S / 2, 11 * S, 11 * S + S / 4, 11 * S + S / 2, 11 * S + S / 4 * 3]);
    assert_eq!([S, 5 * S, 11 * S, 12 * S, 13 * S].map(|ns| steps.expected(ns)), [2.0, 2.0, 2.0, 6.0, 10.0]);

    let spike = even(Shape::Spike { base_per_s: 10.0, peak_per_s: 1000.0, from_ns: 2 * S, for_ns: S / 2 });
    assert_eq!([2 * S, S / 2 * 5, 3 * S].map(|ns| spike.expected(ns)), [20.0, 520.0, 525.0]);
    assert_eq!([2 * S, S / 2 * 5, 3 * S].map(|ns| count(&spike, ns)), [20, 520, 525]);
    let from_start = even(Shape::Spike { base_per_s: 0.0, peak_per_s: 100.0, from_ns: 0, for_ns: S });
    assert_eq!(from_start.intended().count(), 100, "without a base it ends with the spike");
}

#[test]
fn bursts_and_offsets_are_as_given() {
    let burst = even(Shape::Burst { requests: 3, every_ns: 5 });
    assert_eq!(burst.intended().take(7).collect::<Vec<_>>(), [0, 0, 0, 5, 5, 5, 10]);
    assert_eq!([0, 1, 5, 6, 11].map(|ns| burst.expected(ns)), [0.0, 3.0, 3.0, 6.0, 9.0]);
    // The end of time ends it.
    let far = even(Shape::Burst { requests: 1, every_ns: u64::MAX });
    assert_eq!(far.intended().collect::<Vec<_>>(), [0, u64::MAX]);

    let offsets = even(Shape::Offsets(Arc::from([3_u64, 3, 9])));
    assert_eq!(offsets.intended().collect::<Vec<_>>(), [3, 3, 9]);
    assert_eq!([3, 4, 9, 10].map(|ns| offsets.expected(ns)), [0.0, 2.0, 2.0, 3.0]);
}

#[test]
fn poisson_gaps_are_exponential_and_independent_of_their_neighbours() {
    let n = 50_000;
    let times: Vec<u64> = poisson(Shape::Constant { per_s: 1000.0 }, 11).intended().take(n + 1).collect();
    let mut gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / MS as f64).collect();
    let mean = gaps.iter().sum::<f64>() / n as f64;
    assert!((mean - 1.0).abs() < 4.0 / (n as f64).sqrt(), "{mean}");
    let lagged = gaps.windows(2).map(|pair| (pair[0] - 1.0) * (pair[1] - 1.0)).sum::<f64>() / n as f64;
    assert!(lagged.abs() < 4.0 / (n as f64).sqrt(), "{lagged}");
    gaps.sort_by(f64::total_cmp);
    let distance = gaps.iter().enumerate().fold(0.0_f64, |distance, (index, gap)| {
        let expected = 1.0 - (-gap).exp();
        distance.max((expected - (index as f64 + 0.5) / n as f64).abs() + 0.5 / n as f64)
    });
    // Kolmogorov-Smirnov: 1.95 / sqrt(n) is exceeded once in 1,000 seeds.
    assert!(distance < 1.95 / (n as f64).sqrt(), "{distance}");
}

#[test]
fn poisson_counts_follow_the_rate_over_time() {
    let shapes = [
        Shape::Constant { per_s: 2000.0 },
        Shape::Ramp { from_per_s: 0.0, to_per_s: 4000.0, over_ns: 8 * S },
        Shape::Ramp { from_per_s: 4000.0, to_per_s: 0.0, over_ns: 8 * S },
        Shape::Steps(vec![step(500.0, 2 * S), step(0.0, S), step(3000.0, S)]),
        Shape::Spike { base_per_s: 100.0, peak_per_s: 5000.0, from_ns: 3 * S, for_ns: 2 * S },
    ];
    for (seed, shape) in shapes.into_iter().enumerate() {
        let arrivals = poisson(shape, seed as u64);
        let mut in_window = [0_u32; 10];
        arrivals.intended().take_while(|ns| *ns < 10 * S).for_each(|ns| in_window[(ns / S) as usize] += 1);
        for (second, count) in (0_u64..).zip(in_window) {
            let expected = arrivals.expected((second + 1) * S) - arrivals.expected(second * S);
            let far = (f64::from(count) - expected).abs();
            assert!(far <= 5.0 * expected.sqrt(), "second {second}: {count}, not {expected}");
        }
    }
}

#[test]
fn a_seed_repeats_and_another_one_does_not() {
    let shape = Shape::Constant { per_s: 50.0 };
    let first = |seed| poisson(shape.clone(), seed).intended().take(20).collect::<Vec<_>>();
    assert_eq!(first(3), first(3));
    assert_ne!(first(3), first(4));
}

#[test]
fn pauses_have_the_length_that_they_were_given() {
    let mut rng = Rng::new(5);
    assert_eq!(Think::None.pause_ns(&mut rng), 0);
    assert_eq!(Think::Constant { ns: 7 }.pause_ns(&mut rng), 7);
    let mean =
        (0..10_000).map(|_| Think::Exponential { mean_ns: MS }.pause_ns(&mut rng)).sum::<u64>() / 10_000;
    assert!(mean.abs_diff(MS) < MS / 25, "{mean}");
    Think::Exponential { mean_ns: u64::MAX }.pause_ns(&mut rng);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let constant = |per_s| Shape::Constant { per_s };
    let ramp = |from_per_s, to_per_s, over_ns| Shape::Ramp { from_per_s, to_per_s, over_ns };
    let spike = |peak_per_s, from_ns, for_ns| Shape::Spike { base_per_s: 1.0, peak_per_s, from_ns, for_ns };
    for bad in [
        constant(f64::NAN),
        constant(f64::INFINITY),
        constant(-1.0),
        constant(1e9 + 1.0),
        constant(0.0),
        ramp(1.0, f64::NAN, S),
        ramp(-1.0, 1.0, S),
        ramp(1.0, 2.0, 0),
        ramp(0.0, 0.0, S),
        Shape::Steps(vec![]),
        Shape::Steps(vec![step(1.0, 0)]),
        Shape::Steps(vec![step(1.0, S), step(f64::NEG_INFINITY, S)]),
        Shape::Steps(vec![step(1.0, u64::MAX), step(1.0, 1), step(1.0, 1)]),
        spike(f64::NAN, 1, 1),
        spike(2.0, 1, 0),
        spike(2.0, u64::MAX, 1),
        Shape::Burst { requests: 0, every_ns: 1 },
        Shape::Burst { requests: 1, every_ns: 0 },
        Shape::Offsets(Arc::from([])),
        Shape::Offsets(Arc::from([1, 3, 2])),
    ] {
        let arrivals = even(bad);
        assert!(arrivals.validate().is_err(), "{arrivals:?}");
        // Refused or not, nothing panics or hangs.
        arrivals.intended().dealt(1, 3).take(10).count();
        arrivals.expected(S);
        poisson(arrivals.shape, 1).intended().take(10).count();
    }
    for good in [
        constant(1e9),
        constant(f64::MIN_POSITIVE),
        ramp(5.0, 0.0, 1),
        Shape::Steps(vec![step(0.0, u64::MAX), step(1.0, u64::MAX)]),
        spike(0.0, 0, u64::MAX),
        Shape::Burst { requests: 1, every_ns: 1 },
        Shape::Offsets(Arc::from([0, 0, u64::MAX])),
    ] {
        assert_eq!(even(good.clone()).validate(), Ok(()), "{good:?}");
    }
    let unsorted = even(Shape::Offsets(Arc::from([1, 3, 2]))).validate().map_err(|error| error.to_string());
    let says = "offset 3 is 2 ns, but the one before it is 3 ns: sort the offsets in ascending order";
    assert_eq!(unsorted, Err(says.to_owned()));
}

/// The rate at a time, written in another way than the one under test.
fn rate_at(shape: &Shape, ns: u64) -> f64 {
    match shape {
        Shape::Constant { per_s } => *per_s,
        Shape::Ramp { from_per_s, to_per_s, over_ns } => {
            let share = (ns as f64 / *over_ns as f64).min(1.0);
            from_per_s * (1.0 - share) + to_per_s * share
        }
        Shape::Steps(steps) => {
            let mut end_ns = 0_u64;
            let current = steps.iter().find(|step| {
                end_ns = end_ns.saturating_add(step.for_ns);
                ns < end_ns
            });
            current.or(steps.last()).map_or(0.0, |step| step.per_s)
        }
        Shape::Spike { base_per_s, peak_per_s, from_ns, for_ns } => {
            if (*from_ns..from_ns.saturating_add(*for_ns)).contains(&ns) { *peak_per_s } else { *base_per_s }
        }
        Shape::Burst { .. } | Shape::Offsets(_) => 0.0,
    }
}

fn rates() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.001..100.0, 100.0..100_000.0]
}

fn rate_shapes() -> impl Strategy<Value = Shape> {
    let lengths = || prop_oneof![1..1000_u64, MS..10 * S];
    prop_oneof![
        rates().prop_map(|per_s| Shape::Constant { per_s }),
        (rates(), rates(), lengths()).prop_map(|(from_per_s, to_per_s, over_ns)| Shape::Ramp {
            from_per_s,
            to_per_s,
            over_ns
        }),
        prop::collection::vec((rates(), lengths()), 1..6).prop_map(|steps| Shape::Steps(
            steps.into_iter().map(|(per_s, for_ns)| Step { per_s, for_ns }).collect()
        )),
        (rates(), rates(), lengths(), lengths()).prop_map(|(base_per_s, peak_per_s, from_ns, for_ns)| {
            Shape::Spike { base_per_s, peak_per_s, from_ns, for_ns }
        }),
    ]
}

fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        4 => rate_shapes(),
        1 => (1..50_u32, 1..S).prop_map(|(requests, every_ns)| Shape::Burst { requests, every_ns }),
        1 => prop::collection::vec(0..100 * S, 1..300).prop_map(|mut offsets| {
            offsets.sort_unstable();
            Shape::Offsets(Arc::from(offsets))
        }),
    ]
}

fn any_spacing() -> impl Strategy<Value = Spacing> {
    prop_oneof![Just(Spacing::Even), Just(Spacing::Poisson)]
}

proptest! {
    #[test]
    fn intended_starts_ascend(shape in any_shape(), spacing in any_spacing(), seed: u64) {
        let times: Vec<u64> = Arrivals { shape, spacing, seed }.intended().take(3000).collect();
        prop_assert!(times.is_sorted());
    }

    #[test]
    fn parts_make_up_the_whole(
        shape in any_shape(), spacing in any_spacing(), seed: u64, workers in 1..6_u32, again in 1..4_u32,
    ) {
        let arrivals = Arrivals { shape, spacing, seed };
        let whole: Vec<u64> = arrivals.intended().take(600).collect();
        let mut parts: Vec<Intended> =
            (0..workers).map(|worker| arrivals.intended().dealt(worker, workers)).collect();
        for (index, ns) in whole.iter().enumerate() {
            prop_assert_eq!(parts[index % workers as usize].next(), Some(*ns));
        }
        // A part can be dealt again, and after it has begun.
        let mut first = arrivals.intended().dealt(0, workers);
        first.next();
        let rest: Vec<u64> = whole.iter().copied().step_by(workers as usize).skip(1).collect();
        let dealt: Vec<u64> = first.dealt(again - 1, again).take(rest.len() / again as usize).collect();
        let expected: Vec<u64> =
            rest.iter().copied().skip(again as usize - 1).step_by(again as usize).take(dealt.len()).collect();
        prop_assert_eq!(dealt, expected);
    }

    #[test]
    fn the_expected_number_is_the_integral_of_the_rate(shape in rate_shapes(), end_ns in 1..30 * S) {
        // Midpoints are exact for straight lines; only the slices in which the rate jumps are not.
        let slices = 20_000;
        let width_ns = end_ns as f64 / f64::from(slices);
        let rates: Vec<f64> = (0..slices)
            .map(|slice| rate_at(&shape, ((f64::from(slice) + 0.5) * width_ns) as u64))
            .collect();
        let sum = rates.iter().sum::<f64>() * width_ns / 1e9;
        let highest = [0, MS, S].iter().map(|ns| rate_at(&shape, *ns)).chain(rates.iter().copied()).fold(0.0, f64::max);
        let found = even(shape).expected(end_ns);
        let tolerance = 7.0 * highest.max(1e5) * (width_ns + 1000.0) / 1e9;
        prop_assert!((found - sum).abs() <= tolerance, "{found} is not {sum}");
    }

    #[test]
    fn an_even_arrival_is_due_when_the_integral_reaches_its_number(shape in rate_shapes()) {
        let arrivals = even(shape);
        for (number, ns) in (0_u32..).zip(arrivals.intended().take(2000)) {
            let number = f64::from(number);
            let slack = number * 1e-9 + 1e-6;
            prop_assert!(arrivals.expected(ns) <= number + slack, "{number} at {ns}");
            prop_assert!(arrivals.expected(ns.saturating_add(2)) >= number - slack, "{number} at {ns}");
        }
    }

    #[test]
    fn even_counts_are_the_expected_number_rounded_up(shape in rate_shapes(), end_ns in 1..S) {
        let arrivals = even(shape);
        let expected = arrivals.expected(end_ns);
        let count = count(&arrivals, end_ns) as f64;
        prop_assert!((expected - 1e-6..expected + 1.0 + 1e-6).contains(&count), "{count}, not {expected}");
    }

    #[test]
    fn poisson_counts_are_near_the_expected_number(shape in rate_shapes(), seed: u64, end_ns in 1..S) {
        let arrivals = poisson(shape, seed);
        let expected = arrivals.expected(end_ns);
        let far = (count(&arrivals, end_ns) as f64 - expected).abs();
        // Seven standard deviations, and a floor for small means, whose upper tail is longer.
        prop_assert!(far <= 7.0 * expected.sqrt() + 12.0, "{far} from {expected}");
    }

    #[test]
    fn any_numbers_whatever_neither_panic_nor_descend(
        a in any::<f64>(), b in any::<f64>(), m: u64, n: u64, spacing in any_spacing(), seed: u64,
    ) {
        for shape in [
            Shape::Constant { per_s: a },
            Shape::Ramp { from_per_s: a, to_per_s: b, over_ns: m },
            Shape::Steps(vec![step(a, m), step(b, n), step(a, n)]),
            Shape::Spike { base_per_s: a, peak_per_s: b, from_ns: m, for_ns: n },
            Shape::Burst { requests: m as u32, every_ns: n },
        ] {
            let arrivals = Arrivals { shape, spacing, seed };
            let sound = arrivals.validate().is_ok();
            let times: Vec<u64> = arrivals.intended().take(200).collect();
            prop_assert!(!sound || times.is_sorted());
            arrivals.intended().dealt(2, 7).take(50).count();
            prop_assert!(!sound || arrivals.expected(n) >= 0.0);
        }
    }
}
