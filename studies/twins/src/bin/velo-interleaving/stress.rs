//! Other people's work, by a seed: phases of a quarter of a second to four, each with its own share of every CPU.

use std::thread;
use std::time::{Duration, Instant};

use velo_load::Rng;

/// A spell of work is followed by one of sleep; together they take this long.
const PERIOD: Duration = Duration::from_millis(20);
/// The largest share of a CPU that is taken.
const BUSIEST: f64 = 0.6;

/// The same phases for the same seed; they end after so many seconds.
pub(crate) fn run(seed: u64, seconds: u64) {
    let phases = phases(seed, Duration::from_secs(seconds));
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..cpus {
            scope.spawn(|| {
                let mut end = start;
                for &(length, share) in &phases {
                    end += length;
                    disturb(end, share);
                }
            });
        }
    });
}

/// Lengths and shares; every other phase is quiet.
fn phases(seed: u64, whole: Duration) -> Vec<(Duration, f64)> {
    let mut random = Rng::new(seed);
    let mut phases = Vec::new();
    let mut left = whole;
    while !left.is_zero() {
        let length = Duration::from_millis(250 + random.below(3_751)).min(left);
        let share = if phases.len() % 2 == 0 { 0.0 } else { BUSIEST * random.below(1_001) as f64 / 1e3 };
        phases.push((length, share));
        left -= length;
    }
    phases
}

fn disturb(end: Instant, share: f64) {
    while Instant::now() < end {
        let start = Instant::now();
        while start.elapsed() < PERIOD.mul_f64(share) {
            std::hint::spin_loop();
        }
        thread::sleep(PERIOD.saturating_sub(start.elapsed()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_from_the_seed_and_fill_the_time() {
        let whole = Duration::from_secs(100);
        let made = phases(3, whole);
        assert_eq!(made, phases(3, whole));
        assert_ne!(made, phases(4, whole));
        assert_eq!(made.iter().map(|(length, _)| *length).sum::<Duration>(), whole);
        assert!(made.iter().all(|(_, share)| (0.0..=BUSIEST).contains(share)));
        assert!(made.iter().any(|(_, share)| *share > BUSIEST / 2.0));
    }
}
