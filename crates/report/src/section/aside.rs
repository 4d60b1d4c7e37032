//! Those without a place in a table.

use velo_judge::RowState;

use crate::document::Aside;
use crate::text::clean;

/// What stands in the place of a figure, why, and what more there is to read or to do.
pub(super) type Said = (Option<String>, String, Option<String>);

/// Of one that was not measured; of any other nothing.
pub(super) fn not_measured(state: &RowState) -> Said {
    match state {
        RowState::Skipped { reason, cure } => {
            let cure = cure.as_ref().map(|cure| format!("fix: {cure}"));
            (Some("skipped".to_owned()), reason.clone(), cure)
        }
        RowState::Excluded { reason, log, .. } => {
            let log = log.as_ref().map(|log| format!("all of it: {log}"));
            (Some("failed".to_owned()), reason.clone(), log)
        }
        RowState::Ranked { .. } | RowState::Reference | RowState::NotRanked { .. } => {
            (None, String::new(), None)
        }
    }
}

pub(super) fn aside(name: String, (what, reason, more): Said) -> Aside {
    Aside {
        name,
        what: what.unwrap_or_else(|| "no figure".to_owned()),
        reason: clean(&reason),
        more: more.as_deref().map(clean),
    }
}
