//! Whether a contender served its connections alike.

use std::collections::BTreeMap;

use serde::Serialize;
use velo_record::Window;
use velo_stats::{jains_index, median};

/// With fewer completions a connection than this, shares say nothing.
const ENOUGH_COMPLETIONS: f64 = 50.0;
/// A connection under this share of the median is starved.
pub(crate) const STARVED: f64 = 0.10;

/// How the connections of a row fared, each launch's counted windows taken together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fairness {
    /// The lowest of the launches' Jain indices: 1 when all connections got the same.
    pub jains_index: f64,
    /// How many processes shared them, workers and whatever else the contender runs; `None` when not known.
    pub processes: Option<u32>,
    /// Connections for each of those.
    pub connections_per_process: Option<f64>,
    /// Connections under 10 % of the median of their launch.
    pub starved: Vec<Starved>,
}

/// A connection that got far less than the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Starved {
    /// The launch; `None` of a load alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<u32>,
    /// The connection, from 1.
    pub connection: usize,
    /// What it got.
    pub completions: u64,
}

/// `None` when no launch has enough completions to tell.
pub(crate) fn check(blocks: &[&Window], processes: Option<u32>) -> Option<Fairness> {
    let mut launches: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for window in blocks {
        let totals = launches.entry(window.launch).or_default();
        let completions = &window.connections.completions;
        totals.resize(totals.len().max(completions.len()), 0);
        for (total, completed) in totals.iter_mut().zip(completions) {
            *total = total.saturating_add(u64::from(*completed));
        }
    }
    let connections = launches.values().map(Vec::len).max().unwrap_or(0);
    let of_launches = launches.into_iter().filter_map(|(launch, totals)| of_launch(Some(launch), &totals));
    let mut fairness = of_launches.reduce(|mut all, one| {
        all.jains_index = all.jains_index.min(one.jains_index);
        all.starved.extend(one.starved);
        all
    })?;
    fairness.processes = processes;
    fairness.connections_per_process = processes
        .filter(|processes| *processes > 0)
        .map(|processes| connections as f64 / f64::from(processes));
    Some(fairness)
}

/// Of the counts of a launch, or of a load alone.
pub(crate) fn of_launch(launch: Option<u32>, totals: &[u64]) -> Option<Fairness> {
    let completions: Vec<f64> = totals.iter().map(|total| *total as f64).collect();
    if completions.iter().sum::<f64>() < ENOUGH_COMPLETIONS * completions.len() as f64 {
        return None;
    }
    let bound = STARVED * median(&completions)?;
    let starved = totals.iter().enumerate().filter(|(_, total)| (**total as f64) < bound);
    let starved =
        starved.map(|(index, total)| Starved { launch, connection: index + 1, completions: *total });
    Some(Fairness {
        jains_index: jains_index(totals)?,
        processes: None,
        connections_per_process: None,
        starved: starved.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starved_connections_are_named() {
        let fairness = of_launch(Some(2), &[100, 100, 9, 100, 10]).unwrap();
        assert_eq!(fairness.starved, [Starved { launch: Some(2), connection: 3, completions: 9 }]);
        assert!(fairness.jains_index < 0.7);
    }

    #[test]
    fn few_completions_say_nothing() {
        assert_eq!(of_launch(None, &[49, 49, 50]), None);
        assert_eq!(of_launch(None, &[]), None);
        assert_eq!(of_launch(None, &[50, 50]).unwrap().jains_index, 1.0);
    }
}
