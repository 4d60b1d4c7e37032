//! What became of requests.

use velo_record::{Outcomes, Window};

/// Failures other than wrong answers above this share of all requests make a row unfit for ranking.
pub(crate) const FAILURES: f64 = 0.001;

/// Over windows of every kind, settling and draining included.
pub(crate) fn of(windows: &[&Window]) -> Outcomes {
    let mut all = Outcomes::default();
    for window in windows {
        all.add(&window.all());
    }
    all
}
