//! Being awake when a request is due, without burning a CPU: a sleep ends a little early, and the rest is spun.

/// How much earlier than needed a sleep is to end. Waking a CPU that sleeps takes some microseconds on bare metal and tens of
/// them in a virtual machine, each time as long as it likes; so this is learnt from what was spun.
#[derive(Debug, Default)]
pub(super) struct Waking {
    early_ns: u64,
    /// When the last request was due.
    last_ns: u64,
}

/// The share of time that may be spun.
const SPUN: f64 = 0.05;
/// What is learnt from one sleep.
const LEARNT: f64 = 0.125;
/// However late sleeps end.
const MOST_EARLY_NS: f64 = 150_000.0;

impl Waking {
    /// When to wake for what is due then.
    pub(super) fn before(&self, due_ns: u64) -> u64 {
        due_ns.saturating_sub(self.early_ns)
    }

    /// What was due then has come after so much spinning.
    pub(super) fn spun(&mut self, spun_ns: u64, due_ns: u64) {
        let allowed_ns = SPUN * due_ns.saturating_sub(self.last_ns) as f64;
        let early_ns = self.early_ns as f64 + LEARNT * (allowed_ns - spun_ns as f64);
        self.early_ns = early_ns.clamp(0.0, MOST_EARLY_NS) as u64;
        self.last_ns = due_ns;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What each of many sleeps makes of what is due: how late it is, and how much was spun.
    fn sleeps(gap_ns: u64, wake_ns: impl Fn(u64) -> u64) -> (Vec<u64>, f64) {
        let (mut waking, mut late, mut spun_ns, mut now) = (Waking::default(), Vec::new(), 0, 0);
        const COUNT: u64 = 20_000;
        for number in 1..=COUNT {
            let due_ns = number * gap_ns;
            let woken_ns = now.max(waking.before(due_ns) + wake_ns(number));
            let spun = due_ns.saturating_sub(woken_ns);
            waking.spun(spun, due_ns);
            spun_ns += spun;
            now = woken_ns.max(due_ns);
            late.push(now - due_ns);
        }
        (late.split_off(COUNT as usize / 2), spun_ns as f64 / (COUNT * gap_ns) as f64)
    }

    #[test]
    fn however_long_waking_takes_requests_are_not_late() {
        for wake_ns in [0, 5_000, 40_000, 90_000] {
            let (late, spun) = sleeps(1_000_000, |_| wake_ns);
            assert_eq!(late.iter().max(), Some(&0), "{wake_ns}");
            assert!(spun < 0.06, "{wake_ns}: {spun}");
        }
    }

    #[test]
    fn spinning_has_its_bound_when_requests_are_close_together() {
        let (late, spun) = sleeps(50_000, |number| 20_000 + number * 7919 % 20_000);
        let mean = late.iter().sum::<u64>() as f64 / late.len() as f64;
        assert!(mean < 10_000.0, "{mean}");
        assert!((0.03..0.06).contains(&spun), "{spun}");
    }

    proptest! {
        #[test]
        fn it_never_wakes_much_too_early(spun in proptest::collection::vec((any::<u64>(), any::<u64>()), 0..50)) {
            let mut waking = Waking::default();
            for (spun_ns, due_ns) in spun {
                waking.spun(spun_ns, due_ns);
                prop_assert!(due_ns - waking.before(due_ns) <= MOST_EARLY_NS as u64);
            }
        }
    }
}
