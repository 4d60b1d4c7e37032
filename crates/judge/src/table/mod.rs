//! What a run measured, in one shape whatever it was measured by: everything that compares, claims, draws or writes reads it.

use std::collections::BTreeMap;

use velo_model::{ContenderName, Figure, LoadCondition};
use velo_stats::{Comparison, Pair};

use crate::measure::launch_logs::LaunchLogs;
use measurement::Measurement;

pub(crate) mod measurement;
pub(crate) mod series;

/// All measurements of a run.
#[derive(Default)]
pub(crate) struct Table(BTreeMap<String, OfWorkload>);

#[derive(Default)]
struct OfWorkload {
    measurements: Vec<Measurement>,
    comparisons: Vec<Compared>,
}

/// How those contenders compare that are ranked by a figure.
struct Compared {
    of: Figure,
    under: LoadCondition,
    /// In the order of the comparison.
    contenders: Vec<ContenderName>,
    comparison: Comparison,
}

impl Table {
    /// Adds what was measured in a workload.
    pub(crate) fn add(&mut self, workload: &str, measurements: impl IntoIterator<Item = Measurement>) {
        self.0.entry(workload.to_owned()).or_default().measurements.extend(measurements);
    }

    /// Adds how these contenders compare, which the comparison names by their places.
    pub(crate) fn add_comparison(
        &mut self,
        workload: &str,
        (of, under): (Figure, LoadCondition),
        contenders: Vec<ContenderName>,
        comparison: Comparison,
    ) {
        let compared = Compared { of, under, contenders, comparison };
        self.0.entry(workload.to_owned()).or_default().comparisons.push(compared);
    }

    /// The measurements of a workload, in the order of the judgement.
    pub(crate) fn of_workload(&self, workload: &str) -> &[Measurement] {
        self.0.get(workload).map_or(&[], |of| &of.measurements)
    }

    /// A contender's figure under the first load that is meant.
    pub(crate) fn of(
        &self,
        workload: &str,
        contender: &ContenderName,
        figure: Figure,
        is_meant: impl Fn(LoadCondition) -> bool,
    ) -> Option<&Measurement> {
        let is_own =
            |one: &&Measurement| one.of == figure && one.contender == *contender && is_meant(one.under);
        self.of_workload(workload).iter().find(is_own)
    }

    /// Two measurements of a workload as a pair of its ranking, the first over the second; `None` where one is not ranked.
    pub(crate) fn pair(&self, workload: &str, over: &Measurement, under: &Measurement) -> Option<Pair> {
        let is_it = |one: &&Compared| {
            (one.of, one.under) == (over.of, over.under) && (one.of, one.under) == (under.of, under.under)
        };
        let compared = self.0.get(workload)?.comparisons.iter().find(is_it)?;
        let place = |one: &Measurement| compared.contenders.iter().position(|own| *own == one.contender);
        compared.comparison.between(place(over)?, place(under)?)
    }
}

/// One measurement over another, one logarithm a launch: of what was measured together by what one model says of both, else paired
/// by launch.
pub(crate) fn ratio(
    (workload, over): (&str, &Measurement),
    (other, under): (&str, &Measurement),
) -> LaunchLogs {
    let is_one_fit = over.is_fitted && workload == other && (over.of, over.under) == (under.of, under.under);
    match is_one_fit {
        true => over.logs.over(&under.logs),
        false => over.logs.over_apart(&under.logs),
    }
}
