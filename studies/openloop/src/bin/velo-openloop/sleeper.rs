//! A thread that sleeps until each request would be due and does nothing else: what keeping a schedule costs on this
//! machine before anything is sent.

use std::time::Duration;

use rustix::thread::{clock_nanosleep_absolute, set_current_timer_slack};
use rustix::time::{ClockId, Timespec, clock_gettime};
use velo_stats::Histogram;

use crate::Outcome;
use crate::figures::Figures;

/// Sleeps so often a second for so long, and prints the figures as JSON.
pub(crate) fn run(per_s: u32, seconds: u32) -> Outcome<()> {
    // Else each sleep may end 50 us later, to be joined with others.
    set_current_timer_slack(std::num::NonZeroU64::new(1))?;
    let now = || Duration::try_from(clock_gettime(ClockId::Monotonic));
    let begin = now()?;
    let mut lag = Histogram::new();
    for number in 1..=u64::from(per_s) * u64::from(seconds) {
        let due = begin + Duration::from_nanos(number * 1_000_000_000 / u64::from(per_s));
        // A signal ends it early, which is no lateness.
        let _ = clock_nanosleep_absolute(ClockId::Monotonic, &Timespec::try_from(due)?);
        lag.record(now()?.saturating_sub(due).as_nanos() as u64);
    }
    let took_s = (now()? - begin).as_secs_f64();
    let figures = Figures {
        achieved_per_s: Some(lag.count() as f64 / took_s),
        send_lag_p99_ns: lag.quantile_ns(0.99),
        ..Figures::default()
    };
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}
