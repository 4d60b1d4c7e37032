use crate::estimate::{Estimate, mean_over_launches, ratio_about};

/// For each contender, workload and launch the logarithm of a ratio, such as its score's; `None` where it is missing.
pub type LogsByWorkload = Vec<Vec<Option<f64>>>;

/// Geometric means over the workloads that all contenders have.
#[derive(Debug, Clone, PartialEq)]
pub struct GeometricMeans {
    /// The common set, by the workloads' numbers.
    pub workloads: Vec<usize>,
    /// The mean of each contender, in their order; `None` when no launch has all of the common set, or it is empty.
    pub means: Vec<Option<Estimate>>,
}

/// The geometric mean of ratios over workloads, the only mean whose order of contenders does not depend on which one
/// the ratios are over (Fleming and Wallace, "How not to lie with statistics: the correct way to summarize benchmark
/// results", Communications of the ACM 29, 1986).
///
/// Only over the common set, the workloads of which every contender has a finite number in at least one launch: a
/// mean over other workloads is another quantity. A contender with none of them empties the set, so leave it out
/// before. In each launch the mean of the logarithms over the set is one number; a launch that lacks one of them does
/// not count for that contender; Student's t over launches gives the interval.
///
/// `allowances`: for each contender by how much what was taken from the machine may have moved its mean, see [`allowing`]; one that is
/// missing is 0.
///
/// [`allowing`]: crate::allowing
pub fn geometric_means(contenders: &[LogsByWorkload], allowances: &[f64], confidence: f64) -> GeometricMeans {
    let has = |logs: &LogsByWorkload, workload: usize| {
        logs.get(workload).is_some_and(|launches| launches.iter().flatten().any(|log| log.is_finite()))
    };
    let most = contenders.iter().map(Vec::len).max().unwrap_or(0);
    let workloads: Vec<usize> =
        (0..most).filter(|workload| contenders.iter().all(|logs| has(logs, *workload))).collect();
    let mean = |(number, logs): (usize, &LogsByWorkload)| {
        let launches = workloads.iter().map(|workload| logs[*workload].len()).min()?;
        let in_launch = |launch: usize| {
            let all = workloads.iter().map(|workload| logs[*workload][launch].filter(|log| log.is_finite()));
            Some(all.sum::<Option<f64>>()? / workloads.len() as f64)
        };
        let logs: Vec<f64> = (0..launches).filter_map(in_launch).collect();
        let value = mean_over_launches(&logs, confidence)?.value;
        ratio_about(value, &logs, confidence, allowances.get(number).copied().unwrap_or(0.0))
    };
    let means = contenders.iter().enumerate().map(mean).collect();
    GeometricMeans { workloads, means }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn logs(ratios: &[&[f64]]) -> LogsByWorkload {
        ratios.iter().map(|launches| launches.iter().map(|ratio| Some(ratio.ln())).collect()).collect()
    }

    #[test]
    fn known_answers() {
        // Workload 1 is only the first one's, so it counts for none.
        let first = logs(&[&[2.0, 2.0], &[100.0, 100.0], &[8.0, 8.0]]);
        let mut second = logs(&[&[1.0, 4.0], &[1.0], &[1.0, 4.0]]);
        second[1] = vec![None, Some(f64::NEG_INFINITY)];
        let found = geometric_means(&[first, second], &[], 0.95);
        assert_eq!(found.workloads, [0, 2]);
        let values: Vec<f64> = found.means.iter().map(|mean| mean.unwrap().value).collect();
        assert!((values[0] - 4.0).abs() < 1e-12 && (values[1] - 2.0).abs() < 1e-12, "{values:?}");
    }

    #[test]
    fn launches_that_lack_a_workload_do_not_count() {
        let mut one = logs(&[&[2.0, 2.0, 2.0], &[2.0, 2.0, 2.0]]);
        one[1][0] = None;
        let found = geometric_means(&[one.clone()], &[], 0.95);
        assert_eq!((found.workloads.len(), found.means[0].unwrap().launches), (2, 2));
        // Each workload in a launch of its own: common, but never together.
        one = vec![vec![Some(0.0), None], vec![None, Some(0.0)]];
        let apart = geometric_means(&[one], &[], 0.95);
        assert_eq!((apart.workloads, apart.means), (vec![0, 1], vec![None]));
    }

    #[test]
    fn without_a_common_set_there_is_no_mean() {
        let found = geometric_means(&[logs(&[&[2.0]]), vec![vec![None], vec![Some(0.0)]]], &[], 0.95);
        assert_eq!(found, GeometricMeans { workloads: vec![], means: vec![None, None] });
        assert_eq!(geometric_means(&[], &[], 0.95).means, []);
    }

    proptest! {
        /// The oracle: the root of the product, launch by launch.
        #[test]
        fn agrees_with_the_root_of_the_product(
            ratios in proptest::collection::vec(proptest::collection::vec(0.1..10.0_f64, 4), 1..6),
        ) {
            let logs = logs(&ratios.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let root = 1.0 / ratios.len() as f64;
            let launches: Vec<f64> =
                (0..4).map(|at| ratios.iter().map(|launches| launches[at]).product::<f64>().powf(root)).collect();
            let expected = launches.iter().product::<f64>().powf(0.25);
            let found = geometric_means(&[logs], &[], 0.95).means[0].unwrap();
            prop_assert!((found.value / expected - 1.0).abs() < 1e-9);
        }

        /// Why it is this mean: which contender the ratios are over does not matter.
        #[test]
        fn the_ratio_of_two_does_not_depend_on_the_baseline(
            ratios in proptest::collection::vec((0.1..10.0_f64, 0.1..10.0_f64, 0.1..10.0_f64), 1..6),
        ) {
            let of = |ratio: &dyn Fn(&(f64, f64, f64)) -> f64| -> LogsByWorkload {
                ratios.iter().map(|all| vec![Some(ratio(all).ln())]).collect()
            };
            let value = |logs: LogsByWorkload| geometric_means(&[logs], &[], 0.95).means[0].unwrap().value;
            let over_baseline = value(of(&|all| all.0 / all.2)) / value(of(&|all| all.1 / all.2));
            prop_assert!((over_baseline / value(of(&|all| all.0 / all.1)) - 1.0).abs() < 1e-9);
        }
    }
}
