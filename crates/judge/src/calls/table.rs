//! The calls of a workload as data.

use serde::Serialize;
use velo_model::CallCondition;

use super::judge::Calls;
use super::row::CallRow;

/// Single calls of a workload, one request at a time with nothing else in flight.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallTable {
    /// People who wait, for the hours that all of them wait in a year: those that were asked for, else those of the published sum.
    pub users: u64,
    /// Calls that each of them makes in a year.
    pub calls_per_user_per_year: u64,
    /// In the order of the workload.
    pub conditions: Vec<CallsUnderCondition>,
    /// Conditions under which no calls could be made, and why, each in words.
    pub left_out: Vec<String>,
}

/// Calls under one condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallsUnderCondition {
    /// The condition.
    pub condition: CallCondition,
    /// The round trips that a call takes at least, by the protocols' own rules.
    pub least_round_trips: u32,
    /// One row a contender: those that can be compared first, the shortest call first.
    pub rows: Vec<CallRow>,
}

impl CallTable {
    /// Of calls, and of what was left out in the run.
    pub(crate) fn new(calls: &Calls, left_out: &[String]) -> Self {
        let conditions = calls.conditions.iter().map(|under| CallsUnderCondition {
            condition: under.condition,
            least_round_trips: under.condition.least_round_trips(),
            rows: under.rows().cloned().collect(),
        });
        Self {
            users: calls.users,
            calls_per_user_per_year: calls.calls_per_user,
            conditions: conditions.collect(),
            left_out: left_out.to_vec(),
        }
    }
}
