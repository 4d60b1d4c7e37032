//! Two revisions of a server in one run: whether the later one is worse, by figures with bounds of their own.

mod figures;
mod judge;
mod look;
mod numbers;
mod question;
mod result;
#[cfg(feature = "schema")]
mod schema;
mod why;

pub use judge::{judge, unmeasured};
pub use look::{LookedFigure, is_decided, look};
pub use question::{Bound, BoundError, GateQuestion, USUAL_BOUNDS, figure_named, parse_bounds};
pub use result::{
    Acceptance, FORMAT, GateFigure, GateRun, GateSide, GateState, GateSubject, GateVerdict, PerRequest,
    SideState,
};
#[cfg(feature = "schema")]
pub use schema::gate_schema;
