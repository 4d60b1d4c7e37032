//! A contender's figure under a load, launch by launch.

use velo_model::{ContenderName, Figure, LoadCondition};

use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::estimate::Estimate;
use crate::measure::launch_logs::LaunchLogs;

/// What was measured of a contender in a workload.
#[derive(Debug, Clone)]
pub(crate) struct Measurement {
    pub(crate) contender: ContenderName,
    pub(crate) of: Figure,
    pub(crate) under: LoadCondition,
    /// One number a launch, of a task one a process; empty where it is of all launches together.
    pub(crate) logs: LaunchLogs,
    /// The numbers are of one fit with those of the other contenders, which makes up for launches that this one lacks.
    pub(crate) is_fitted: bool,
    /// What is printed.
    pub(crate) estimate: Option<Estimate>,
    /// Why it cannot be used; `None` where it stands.
    pub(crate) fault: Option<Reason>,
    /// Its place among the others; `None` where it is not shown beside them.
    pub(crate) point: Option<Point>,
}

/// A measurement among those of the other contenders.
#[derive(Debug, Clone, Default)]
pub(crate) struct Point {
    /// It could be better: the contender was not seen to be the limit.
    pub(crate) at_least: bool,
    /// The best and the worst rank that it may hold.
    pub(crate) rank: Option<(u32, u32)>,
    /// Whose value it is over, where it is a ratio.
    pub(crate) over: Option<ContenderName>,
    /// Why it has no rank, where others have or could have.
    pub(crate) reason: Option<Reason>,
}

impl Measurement {
    /// One that is of no launches and shown by itself, until more is said of it.
    pub(crate) fn new(
        contender: &ContenderName,
        of: Figure,
        under: LoadCondition,
        estimate: Option<Estimate>,
    ) -> Self {
        let (contender, logs) = (contender.clone(), LaunchLogs::default());
        Self { contender, of, under, logs, is_fitted: false, estimate, fault: None, point: None }
    }

    /// With numbers of launches that stand alone.
    pub(crate) fn of_launches(self, logs: LaunchLogs) -> Self {
        Self { logs, ..self }
    }

    /// With numbers of launches that are of one fit with the other contenders'.
    pub(crate) fn fitted(self, logs: LaunchLogs) -> Self {
        Self { logs, is_fitted: true, ..self }
    }

    /// With what stands against its use.
    pub(crate) fn unless(self, fault: Option<Reason>) -> Self {
        Self { fault, ..self }
    }

    /// With its place among the others.
    pub(crate) fn shown(self, point: Option<Point>) -> Self {
        Self { point, ..self }
    }

    /// Why it cannot be used, in a sentence that names the contender.
    pub(crate) fn usable(&self) -> Result<&Self, Reason> {
        match &self.fault {
            None => Ok(self),
            Some(fault) => Err(fault.clone().of(&self.contender)),
        }
    }
}

impl Point {
    /// Of a row in this state, by what contenders are ranked by.
    pub(crate) fn ranked_by(state: &RowState) -> Self {
        let rank = match state {
            RowState::Ranked { best, worst } => Some((*best, *worst)),
            _ => None,
        };
        Self { rank, reason: Reason::not_ranked(state), ..Self::default() }
    }
}
