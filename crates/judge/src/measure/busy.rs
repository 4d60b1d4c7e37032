//! How busy a party was in a window.

use velo_model::PartyRole;
use velo_record::{Placement, Window};

/// The share of the CPU time that it could use, that a party used in a window.
pub(crate) fn busy_share(window: &Window, role: PartyRole, placement: &Placement) -> Option<f64> {
    let cpus = placement.cpus(role).len().max(1) as f64;
    // Who can use one thread only is at its limit when that thread is.
    let busy_threads = window.party(role)?.busy_threads;
    let usable = busy_threads.map_or(cpus, |threads| f64::from(threads.max(1)).min(cpus));
    share(window.cpu_ns(role)? as f64, window.duration_ns as f64 * usable)
}

/// `None` of nothing.
pub(crate) fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
