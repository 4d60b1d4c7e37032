//! A request that was drawn, and what its values are drawn from.

use std::sync::Arc;

use velo_model::Pick;

use super::limits::MOST_LIVE;
use crate::request::{RequestSpec, Slot};

/// A request drawn from a mix; small, because one is kept for each request in flight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Its index in the mix.
    pub(crate) request: u16,
    /// Its choices.
    pub(super) variant: u16,
    /// What was drawn for it alone.
    pub(super) values: [u64; MOST_LIVE],
}

impl Drawn {
    /// Which variant of its request it is.
    #[inline]
    pub(crate) fn variant_index(&self) -> usize {
        usize::from(self.variant)
    }
}

/// A value that is drawn anew for each request.
#[derive(Debug)]
pub(super) enum LiveValue {
    Int { min: u64, max: u64 },
    Signed { min: i64, max: i64 },
    Counter { first: u64 },
    RowInOrder { rows: u64 },
    RowAtRandom { rows: u64 },
}

/// Where a slot's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// In the variant.
    Choice,
    /// Among the values drawn for the request alone, at this index.
    Live(usize),
}

/// What a request's slots draw from, and where each finds its value. All cells of one table share a row.
pub(super) fn live_values(spec: &RequestSpec) -> (Vec<LiveValue>, Vec<Source>) {
    let (mut live, mut tables) = (Vec::new(), Vec::new());
    let sources = spec
        .slots
        .iter()
        .map(|slot| {
            let value = match slot {
                Slot::Choice(_) => return Source::Choice,
                Slot::Int { min, max } => LiveValue::Int { min: *min, max: *max },
                Slot::Signed { min, max } => LiveValue::Signed { min: *min, max: *max },
                Slot::Counter { first } => LiveValue::Counter { first: *first },
                Slot::Cell { table, .. } => {
                    let known = tables.iter().find(|(known, _)| Arc::ptr_eq(known, table));
                    if let Some(&(_, at)) = known {
                        return Source::Live(at);
                    }
                    tables.push((Arc::clone(table), live.len()));
                    let rows = table.rows.len() as u64;
                    match table.pick {
                        Pick::InOrder => LiveValue::RowInOrder { rows },
                        Pick::Random => LiveValue::RowAtRandom { rows },
                    }
                }
            };
            live.push(value);
            Source::Live(live.len() - 1)
        })
        .collect();
    (live, sources)
}
