//! All pairs of a set of contenders: which are told apart, which are equal for practical purposes, which stay open.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::estimate::{CONFIDENCE, Estimate, Interval, allowing};
use crate::holm::holm_adjusted;
use crate::looks::LEVEL;
use crate::moments::Moments;
use crate::squeeze::{Prior, SampleVariance, fit_prior};
use crate::student::StudentT;

/// What is seen of two contenders: in each launch the logarithm of the first one's figure over the second one's.
/// A launch that lacks either of them is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct PairLogs<'a> {
    /// A contender, by its number.
    pub first: usize,
    /// Another one.
    pub second: usize,
    /// One finite number a launch.
    pub log_ratios: Cow<'a, [f64]>,
    /// The estimate of the mean log ratio, where launches that lack one of the two tell of it as well; `None`: the mean of
    /// `log_ratios`. It is tested with their spread and number, which is no less than the error that it has.
    pub mean: Option<f64>,
    /// By so much, in logarithms, what was taken from the machine may have moved the ratio, at least 0: see [`allowing`].
    pub allowance: f64,
}

/// By which numbers pairs are judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairRules {
    /// The probability of even one false separation among all pairs, in `(0, 1)`; at a look, that look's level.
    pub level: f64,
    /// The confidence of the interval of a single pair, in `(0, 1)`.
    pub confidence: f64,
    /// Two contenders are equal when neither is more than this share above the other, at least 0.
    pub equal_within: f64,
    /// How many degrees of freedom what pairs have in common counts for at most, at least 0; 0 turns it off.
    pub prior_df_cap: f64,
    /// The share of that which counts where few variances are drawn together, [`FEW_VARIANCES`] or fewer: they look more alike
    /// than they are.
    pub share_of_few: f64,
}

/// So many variances are few: those of the pairs of three contenders, and of four of which some have no launches in common.
pub const FEW_VARIANCES: usize = 5;
/// Fewer variances are not drawn together at all.
const LEAST_VARIANCES: usize = 3;

impl Default for PairRules {
    fn default() -> Self {
        Self {
            level: LEVEL,
            confidence: CONFIDENCE,
            equal_within: 0.04,
            prior_df_cap: 4.0,
            share_of_few: 0.25,
        }
    }
}

impl PairRules {
    /// The default rules at a look's level, which is that of its intervals too.
    pub fn at_level(level: f64) -> Self {
        Self { level, confidence: 1.0 - level, ..Self::default() }
    }
}

/// What is known of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairState {
    /// Told apart.
    Separated {
        /// The number of the contender with the greater figure.
        above: usize,
    },
    /// Not told apart, and the simultaneous interval lies within the margin of equality.
    Equal,
    /// Neither.
    Open,
}

/// A pair of contenders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// A contender.
    pub first: usize,
    /// Another one.
    pub second: usize,
    /// How many launches have both.
    pub launches: usize,
    /// The estimate of ln(first / second), the mean over launches; `None` when there are none or a number is not finite.
    pub mean_log_ratio: Option<f64>,
    /// The test; `None` with fewer than two launches.
    pub test: Option<PairTest>,
    /// What its variance was drawn towards, capped; `None` when it was not.
    pub prior: Option<Prior>,
    /// What follows.
    pub state: PairState,
}

/// Student's t test of a pair. All of it in logarithms; [`Interval::exp`] gives ratios.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairTest {
    /// Of the mean log ratio, from the squeezed variance.
    pub standard_error: f64,
    /// Degrees of freedom: launches - 1 and the prior ones.
    pub df: f64,
    /// The interval of this pair alone, at the rules' confidence.
    pub interval: Interval,
    /// The interval that holds for all pairs at once, at 1 - level.
    pub simultaneous: Interval,
    /// Two-sided, of no difference.
    pub p: f64,
    /// The same adjusted for all pairs.
    pub holm_p: f64,
}

/// All pairs of some contenders.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The pairs, in the order given.
    pub pairs: Vec<Pair>,
    /// The rules.
    pub rules: PairRules,
}

/// Judges pairs of contenders, all of them as one family. Pairs given but without launches count as part of it.
///
/// Each pair has Student's t test over its launches. Contenders that are tied by pairs are a group. In each group the variances of
/// the pairs are squeezed (limma's moderated t, see [`fit_prior`]), the prior degrees of freedom capped by how many variances there
/// are; and the degrees of freedom never exceed what independent comparisons there are: (contenders of the group - 1) x those of
/// its pair with most launches. Pairs of different groups have nothing in common: they were measured under different loads.
///
/// Separated is by Holm's procedure. The simultaneous intervals are Bonferroni's, at level / pairs for each: an
/// interval that leaves out 0 has p < level / pairs, which Holm rejects at its first step or any later one, so the two
/// never contradict each other. The other way round Holm may separate a pair whose simultaneous interval still
/// touches 0: simultaneous intervals that match Holm exactly exist but are not informative for the pairs it rejects
/// (Strassburger and Bretz, "Compatible simultaneous lower confidence bounds for the Holm procedure", 2008).
/// Tukey's studentised range would be a little narrower, but holds for equal variances of independent contenders only.
pub fn compare_pairs(logs: &[PairLogs<'_>], rules: PairRules) -> Comparison {
    let moments: Vec<Option<Moments>> = logs.iter().map(|pair| Moments::of(&pair.log_ratios)).collect();
    let groups = Group::all(logs, &moments, &rules);
    let mut critical = CriticalValues::new(logs.len(), &rules);
    let mut pairs: Vec<Pair> = logs
        .iter()
        .zip(&moments)
        .map(|(pair, moments)| {
            let group = groups.iter().find(|group| group.contenders.contains(&pair.first));
            let prior = group.and_then(|group| group.prior);
            let independent_df = group.map_or(0.0, |group| group.independent_df);
            let mean =
                moments.map(|moments| pair.mean.filter(|mean| mean.is_finite()).unwrap_or(moments.mean));
            let test = moments.as_ref().zip(mean).and_then(|(moments, mean)| {
                let own = SampleVariance { value: moments.variance?, df: moments.count as f64 - 1.0 };
                let squeezed = prior.map_or(own, |prior| prior.squeeze(own));
                let df = squeezed.df.min(independent_df.max(own.df));
                critical.test(mean, (squeezed.value / moments.count as f64).sqrt(), df, pair.allowance)
            });
            Pair {
                first: pair.first,
                second: pair.second,
                launches: pair.log_ratios.len(),
                mean_log_ratio: mean,
                test,
                prior: prior.filter(|_| test.is_some()),
                state: PairState::Open,
            }
        })
        .collect();
    let p_values: Vec<f64> = pairs.iter().map(|pair| pair.test.map_or(1.0, |test| test.p)).collect();
    let equal = Interval::of_log_ratios_within(rules.equal_within);
    for (pair, holm_p) in pairs.iter_mut().zip(holm_adjusted(&p_values)) {
        if let (Some(test), Some(mean)) = (&mut pair.test, pair.mean_log_ratio) {
            test.holm_p = holm_p;
            pair.state = if holm_p <= rules.level {
                PairState::Separated { above: if mean > 0.0 { pair.first } else { pair.second } }
            } else if test.simultaneous.is_inside(&equal) {
                PairState::Equal
            } else {
                PairState::Open
            };
        }
    }
    Comparison { pairs, rules }
}

/// Contenders that are tied by pairs.
struct Group {
    contenders: BTreeSet<usize>,
    prior: Option<Prior>,
    independent_df: f64,
}

impl Group {
    fn all(logs: &[PairLogs<'_>], moments: &[Option<Moments>], rules: &PairRules) -> Vec<Self> {
        let mut tied: Vec<BTreeSet<usize>> = Vec::new();
        for pair in logs {
            let mut joined = BTreeSet::from([pair.first, pair.second]);
            tied.retain(|group| {
                let is_apart = group.is_disjoint(&joined);
                if !is_apart {
                    joined.extend(group);
                }
                is_apart
            });
            tied.push(joined);
        }
        tied.into_iter().map(|contenders| Self::of(contenders, logs, moments, rules)).collect()
    }

    fn of(
        contenders: BTreeSet<usize>,
        logs: &[PairLogs<'_>],
        moments: &[Option<Moments>],
        rules: &PairRules,
    ) -> Self {
        let own = logs.iter().zip(moments).filter(|(pair, _)| contenders.contains(&pair.first));
        let own: Vec<&Moments> = own.filter_map(|(_, moments)| moments.as_ref()).collect();
        let most_df = own.iter().map(|m| m.count.saturating_sub(1)).max().unwrap_or(0);
        let variances: Vec<SampleVariance> = own
            .iter()
            .filter_map(|m| Some(SampleVariance { value: m.variance?, df: m.count as f64 - 1.0 }))
            .collect();
        let cap = match variances.len() {
            0..LEAST_VARIANCES => 0.0,
            LEAST_VARIANCES..=FEW_VARIANCES => rules.share_of_few * rules.prior_df_cap,
            _ => rules.prior_df_cap,
        };
        // Written so that what is no number turns it off.
        let prior = (cap > 0.0).then(|| fit_prior(&variances)).flatten().map(|prior| prior.capped(cap));
        Self { independent_df: ((contenders.len() - 1) * most_df) as f64, contenders, prior }
    }
}

/// Critical values of t, each computed once for a number of degrees of freedom: nearly all pairs have the same.
struct CriticalValues {
    pairwise_level: f64,
    simultaneous_level: f64,
    known: Vec<(StudentT, f64, f64)>,
}

impl CriticalValues {
    fn new(pairs: usize, rules: &PairRules) -> Self {
        Self {
            pairwise_level: 1.0 - rules.confidence,
            simultaneous_level: rules.level / pairs as f64,
            known: Vec::new(),
        }
    }

    fn of(&mut self, df: f64) -> Option<(StudentT, f64, f64)> {
        if let Some(known) = self.known.iter().find(|known| known.0.df() == df) {
            return Some(*known);
        }
        let student = StudentT::new(df)?;
        let pairwise = student.two_sided_critical(self.pairwise_level)?;
        let simultaneous = student.two_sided_critical(self.simultaneous_level)?;
        self.known.push((student, pairwise, simultaneous));
        self.known.last().copied()
    }

    fn test(&mut self, mean: f64, standard_error: f64, df: f64, allowance: f64) -> Option<PairTest> {
        let (student, pairwise, simultaneous) = self.of(df)?;
        let standard_error = allowing(standard_error, allowance, &student)?;
        // Without any spread a mean of 0 is no difference, and any other one is.
        let p = if mean == 0.0 { 1.0 } else { student.two_sided_p(mean / standard_error) };
        Some(PairTest {
            standard_error,
            df,
            interval: Interval::around(mean, pairwise * standard_error)?,
            simultaneous: Interval::around(mean, simultaneous * standard_error)?,
            p,
            holm_p: 1.0,
        })
    }
}

impl Pair {
    /// first / second with the interval of this pair alone; `None` without launches or when it is 0 or infinite.
    pub fn ratio(&self) -> Option<Estimate> {
        let interval = self.test.map(|test| test.interval);
        Estimate { value: self.mean_log_ratio?, interval, launches: self.launches }.exp()
    }

    /// The same at another confidence, in `(0, 1)`.
    pub fn ratio_at(&self, confidence: f64) -> Option<Estimate> {
        let value = self.mean_log_ratio?;
        let interval = self.test.and_then(|test| {
            let critical = StudentT::new(test.df)?.two_sided_critical(1.0 - confidence)?;
            Interval::around(value, critical * test.standard_error)
        });
        Estimate { value, interval, launches: self.launches }.exp()
    }

    /// The same pair with the other contender first.
    #[must_use]
    pub fn turned(&self) -> Self {
        let turned = |interval: Interval| Interval { low: -interval.high, high: -interval.low };
        Self {
            first: self.second,
            second: self.first,
            mean_log_ratio: self.mean_log_ratio.map(|mean| -mean),
            test: self.test.map(|test| PairTest {
                interval: turned(test.interval),
                simultaneous: turned(test.simultaneous),
                ..test
            }),
            ..*self
        }
    }
}

impl Comparison {
    /// The level at which the simultaneous interval of each pair is computed: the family's over the number of pairs.
    pub fn simultaneous_level(&self) -> f64 {
        self.rules.level / self.pairs.len() as f64
    }

    /// A pair by its contenders, `first` as the first of them; `None` when it was not compared.
    pub fn between(&self, first: usize, second: usize) -> Option<Pair> {
        self.pairs.iter().find_map(|pair| match (pair.first, pair.second) {
            (one, other) if (one, other) == (first, second) => Some(*pair),
            (one, other) if (one, other) == (second, first) => Some(pair.turned()),
            _ => None,
        })
    }

    /// Whether contender `one` is separated from `other` and has the greater figure, as `rank_ranges` asks.
    pub fn is_above(&self, one: usize, other: usize) -> bool {
        self.pairs.iter().any(|pair| {
            pair.state == PairState::Separated { above: one } && (pair.first == other || pair.second == other)
        })
    }

    /// Whether each pair is precise: then a run may end at a look.
    pub fn is_precise(&self, precision: f64) -> bool {
        self.precise_pairs(precision) == self.pairs.len()
    }

    /// How many pairs are separated, or have an interval around their ratio with at most this half-width, as a share of the ratio.
    pub fn precise_pairs(&self, precision: f64) -> usize {
        let is_precise = |pair: &&Pair| match pair.state {
            PairState::Separated { .. } => true,
            PairState::Equal | PairState::Open => {
                let half_width = pair.ratio().and_then(|ratio| ratio.relative_half_width());
                half_width.is_some_and(|half_width| half_width <= precision)
            }
        };
        self.pairs.iter().filter(is_precise).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    fn one_pair(log_ratios: &[f64]) -> Comparison {
        compare_pairs(
            &[PairLogs { first: 0, second: 1, log_ratios: log_ratios.into(), mean: None, allowance: 0.0 }],
            PairRules::default(),
        )
    }

    /// Ten log ratios of mean 0.0333 and deviation 0.0178; error and p-value by t.test of R 4.2.2.
    #[test]
    fn known_answers() {
        let logs = [0.02, 0.05, 0.03, 0.01, 0.04, 0.06, 0.02, 0.05, 0.01, 0.043];
        let found = one_pair(&logs);
        let pair = found.pairs[0];
        let test = pair.test.unwrap();
        assert!((pair.mean_log_ratio.unwrap() - 0.0333).abs() < 1e-12);
        assert_eq!((test.df, pair.prior), (9.0, None));
        assert!((test.standard_error - KNOWN_ERROR).abs() < 1e-12, "{}", test.standard_error);
        assert!((test.p - KNOWN_P).abs() < 1e-12, "{}", test.p);
        // A family of one pair: nothing is adjusted, and both intervals are the same.
        assert_eq!(test.holm_p, test.p);
        assert!((test.simultaneous.low - test.interval.low).abs() < 1e-12);
        assert_eq!(pair.state, PairState::Separated { above: 0 });
        assert!(found.is_above(0, 1) && !found.is_above(1, 0));
        let ratio = pair.ratio().unwrap();
        assert_eq!((ratio.value, ratio.launches), (pair.mean_log_ratio.unwrap().exp(), 10));
        assert_eq!(ratio.interval, test.interval.exp());
    }

    const KNOWN_ERROR: f64 = 0.005_637_276_726_300_465;
    const KNOWN_P: f64 = 0.000_227_062_798_898_846_6;

    #[test]
    fn the_three_states() {
        let state = |logs: &[f64]| one_pair(logs).pairs[0].state;
        assert_eq!(state(&[-0.10, -0.11, -0.09, -0.10, -0.12]), PairState::Separated { above: 1 });
        assert_eq!(state(&[0.001, -0.002, 0.0, 0.001, -0.001]), PairState::Equal);
        assert_eq!(state(&[0.1, -0.1, 0.0, 0.05, -0.02]), PairState::Open);
        // Separated comes first, though the difference is within the margin.
        assert_eq!(state(&[0.010, 0.011, 0.009, 0.010, 0.012]), PairState::Separated { above: 0 });
    }

    #[test]
    fn without_spread() {
        assert_eq!(one_pair(&[0.0; 5]).pairs[0].state, PairState::Equal);
        assert_eq!(one_pair(&[0.1; 5]).pairs[0].state, PairState::Separated { above: 0 });
    }

    #[test]
    fn what_is_missing_is_open_and_part_of_the_family() {
        for logs in [&[][..], &[0.3], &[0.3, f64::NAN], &[0.3, f64::INFINITY]] {
            let pair = one_pair(logs).pairs[0];
            assert_eq!((pair.test, pair.state, pair.launches), (None, PairState::Open, logs.len()));
            assert_eq!(pair.mean_log_ratio.is_some(), logs == [0.3]);
        }
        let known = [0.03, 0.05, 0.04, 0.02, 0.06];
        let missing = PairLogs { first: 0, second: 2, log_ratios: [][..].into(), mean: None, allowance: 0.0 };
        let pair = PairLogs { first: 0, second: 1, log_ratios: known[..].into(), mean: None, allowance: 0.0 };
        let alone = compare_pairs(std::slice::from_ref(&pair), PairRules::default()).pairs[0].test.unwrap();
        let found = compare_pairs(&[pair, missing], PairRules::default());
        let test = found.pairs[0].test.unwrap();
        assert_eq!((test.p, test.holm_p), (alone.p, 2.0 * alone.p));
        assert!(alone.simultaneous.is_inside(&test.simultaneous) && test.simultaneous != alone.simultaneous);
    }

    #[test]
    fn only_three_variances_or_more_are_squeezed() {
        let [a, b, c] =
            [[0.01, 0.03, 0.02, 0.0, 0.04], [0.0, 0.1, -0.1, 0.05, 0.0], [0.01, 0.02, 0.0, 0.01, 0.0]];
        fn of(first: usize, second: usize, log_ratios: &[f64]) -> PairLogs<'_> {
            PairLogs { first, second, log_ratios: log_ratios.into(), mean: None, allowance: 0.0 }
        }
        let logs: [PairLogs<'_>; 3] = [of(0, 1, &a), of(0, 2, &b), of(1, 2, &c)];
        let found = compare_pairs(&logs, PairRules::default());
        let prior = found.pairs[0].prior.unwrap();
        assert!(prior.df > 0.0 && prior.df <= 1.0, "a quarter of 4");
        assert_eq!(found.pairs[0].test.unwrap().df, 4.0 + prior.df);
        let whole = compare_pairs(&logs, PairRules { share_of_few: 1.0, ..PairRules::default() });
        assert!(whole.pairs[0].prior.unwrap().df > 1.0);
        let off = compare_pairs(&logs, PairRules { prior_df_cap: 0.0, ..PairRules::default() });
        assert_eq!((off.pairs[0].prior, off.pairs[0].test.unwrap().df), (None, 4.0));
        assert_eq!(compare_pairs(&logs[..2], PairRules::default()).pairs[0].prior, None, "two variances");
        // Two launches of three contenders: 1 + 4 degrees of freedom, but only 2 are independent.
        let short = logs.map(|pair| PairLogs { log_ratios: pair.log_ratios[..2].to_vec().into(), ..pair });
        let uncapped = PairRules { prior_df_cap: f64::INFINITY, ..PairRules::default() };
        assert!(compare_pairs(&short, uncapped).pairs.iter().all(|pair| pair.test.unwrap().df <= 2.0));
    }

    /// Groups were measured under loads of their own: what one scatters by says nothing of another.
    #[test]
    fn each_group_is_squeezed_by_itself() {
        let mut random = SplitMix64::new(9);
        let mut draw = |spread: f64| -> Vec<f64> { (0..5).map(|_| spread * random.normal()).collect() };
        let numbers = [(0, 1), (0, 2), (1, 2), (3, 4), (5, 6), (7, 8)];
        let logs: Vec<Vec<f64>> =
            numbers.iter().map(|(first, _)| draw(if *first > 2 { 9.0 } else { 1.0 })).collect();
        let of = |range: std::ops::Range<usize>| {
            let pairs: Vec<PairLogs<'_>> = range
                .map(|at| PairLogs {
                    first: numbers[at].0,
                    second: numbers[at].1,
                    log_ratios: logs[at][..].into(),
                    mean: None,
                    allowance: 0.0,
                })
                .collect();
            compare_pairs(&pairs, PairRules::default()).pairs
        };
        let together = of(0..6);
        for (pair, alone) in together.iter().zip(of(0..3)) {
            assert_eq!(pair.test.unwrap().standard_error, alone.test.unwrap().standard_error);
        }
        for pair in &together[3..] {
            assert_eq!((pair.prior, pair.test.unwrap().df), (None, 4.0), "a group of two has one variance");
        }
    }

    #[test]
    fn an_estimate_that_others_tell_of_takes_the_place_of_the_mean() {
        let log_ratios = &[0.10, 0.11, 0.09, 0.10, 0.12];
        let of = |mean| {
            let pair =
                PairLogs { first: 0, second: 1, log_ratios: log_ratios[..].into(), mean, allowance: 0.0 };
            compare_pairs(&[pair], PairRules::default()).pairs[0]
        };
        let (own, given) = (of(None), of(Some(-0.2)));
        assert_eq!((given.mean_log_ratio, given.state), (Some(-0.2), PairState::Separated { above: 1 }));
        assert_eq!(own.test.unwrap().standard_error, given.test.unwrap().standard_error);
        assert!(given.test.unwrap().interval.holds(-0.2));
        assert_eq!(of(Some(f64::NAN)), own);
    }

    proptest! {
        #[test]
        fn holm_and_simultaneous_intervals_never_contradict(
            seed: u64, contenders in 2_usize..7, launches in 2_usize..9, level in 0.001..0.2_f64,
        ) {
            let mut random = SplitMix64::new(seed);
            let own: Vec<Vec<f64>> = (0..contenders)
                .map(|_| {
                    let level = 0.05 * random.normal();
                    (0..launches).map(|_| level + 0.02 * random.normal()).collect()
                })
                .collect();
            let of = |i: usize, j: usize| -> Vec<f64> { own[i].iter().zip(&own[j]).map(|(a, b)| a - b).collect() };
            let numbers: Vec<(usize, usize)> =
                (0..contenders).flat_map(|i| (i + 1..contenders).map(move |j| (i, j))).collect();
            let logs: Vec<Vec<f64>> = numbers.iter().map(|(i, j)| of(*i, *j)).collect();
            let turned: Vec<Vec<f64>> = numbers.iter().map(|(i, j)| of(*j, *i)).collect();
            let rules = PairRules { level, ..PairRules::default() };
            let pairs = |logs: &[Vec<f64>]| {
                let logs: Vec<PairLogs<'_>> = numbers
                    .iter()
                    .zip(logs)
                    .map(|((first, second), log_ratios)| PairLogs {
                        first: *first,
                        second: *second,
                        log_ratios: log_ratios[..].into(),
                        mean: None,
                        allowance: 0.0,
                    })
                    .collect();
                compare_pairs(&logs, rules).pairs
            };
            for (pair, turned) in pairs(&logs).iter().zip(pairs(&turned)) {
                let test = pair.test.unwrap();
                let is_separated = matches!(pair.state, PairState::Separated { .. });
                prop_assert!(test.simultaneous.holds(0.0) || is_separated);
                prop_assert_eq!(is_separated, test.holm_p <= level);
                prop_assert!(test.interval.holds(pair.mean_log_ratio.unwrap()));
                prop_assert!(test.p <= test.holm_p);
                // Turning a pair over turns everything over.
                let other = turned.test.unwrap();
                prop_assert!((test.interval.low + other.interval.high).abs() < 1e-12);
                prop_assert!((test.p - other.p).abs() < 1e-9);
                let is_above = |pair: &Pair, of: usize| pair.state == PairState::Separated { above: of };
                prop_assert_eq!(is_above(pair, pair.first), is_above(&turned, pair.second));
            }
        }

        #[test]
        fn any_numbers_give_an_answer(
            logs in proptest::collection::vec(proptest::collection::vec(any::<f64>(), 0..4), 0..6),
            level: f64, confidence: f64, equal_within: f64, prior_df_cap: f64,
        ) {
            let logs: Vec<PairLogs<'_>> =
                logs.iter().map(|log_ratios| PairLogs { first: 0, second: 1, log_ratios: log_ratios[..].into(), mean: None, allowance: 0.0 }).collect();
            let rules = PairRules { level, confidence, equal_within, prior_df_cap, share_of_few: 1.0 };
            let found = compare_pairs(&logs, rules);
            for pair in &found.pairs {
                if let Some(test) = pair.test {
                    prop_assert!((0.0..=1.0).contains(&test.p) && (0.0..=1.0).contains(&test.holm_p));
                    prop_assert!(test.interval.low <= test.interval.high);
                }
                let _ = (pair.ratio(), found.half_width_to_settle(pair), pair.launches_needed(0.01, 0.05));
            }
        }
    }
}
