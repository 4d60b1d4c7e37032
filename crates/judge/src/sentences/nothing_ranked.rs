//! Why nothing of a run is ranked.

use std::fmt;

use crate::doubt::nothing_ranked::NothingRanked;
use crate::words::count;

impl fmt::Display for NothingRanked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("partial run: it was stopped"),
            Self::NotEnded => {
                f.write_str("partial run: it has not ended, or ended without a chance to say so")
            }
            Self::QuickLook => f.write_str("quick look"),
            Self::Plan { recorded } => f.write_str(recorded),
            Self::FewPlanned { launches, needed } => {
                let planned = count(*launches as usize, "launch", "launches");
                write!(f, "{planned} planned, and ranks need {needed}")
            }
            Self::DebugBuild => f.write_str("debug build"),
            Self::NoPlan => f.write_str("no plan was fixed"),
            Self::OnlyCalls => f.write_str("only single calls were made"),
            Self::Disturbed(unfit) => unfit.fmt(f),
        }
    }
}
