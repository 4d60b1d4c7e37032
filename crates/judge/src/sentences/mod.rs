//! What was judged as sentences, for the reasons in a judgement and for reports: no rule reads them.

mod cause;
mod coin;
mod consistency;
mod disturbed;
mod limit;
mod nothing_ranked;
mod placement;
mod reason;
mod state;
