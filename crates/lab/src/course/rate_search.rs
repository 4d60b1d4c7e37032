//! The highest rate of an open loop that is met: tried in a few short windows around the goodput of the closed loop.
//! Pure.

/// The first try, as a share of the goodput.
const FIRST_SHARE: f64 = 0.95;
/// The next try, above what was met and below what was not.
const UP: f64 = 1.1;
const DOWN: f64 = 0.85;
/// A rate that is met and one that is not are near enough.
const CLOSE_ENOUGH: f64 = 1.06;
const MOST_TRIES: u32 = 6;

/// A search under way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RateSearch {
    rate_per_s: f64,
    met_per_s: Option<f64>,
    unmet_per_s: Option<f64>,
    tries: u32,
}

impl RateSearch {
    pub(crate) fn around(goodput_per_s: f64) -> Self {
        Self { rate_per_s: goodput_per_s * FIRST_SHARE, met_per_s: None, unmet_per_s: None, tries: 0 }
    }

    /// The rate to try; `None` when there is nothing more to learn.
    pub(crate) fn next_rate(&self) -> Option<f64> {
        let is_done = self.tries == MOST_TRIES
            || self.met_per_s.zip(self.unmet_per_s).is_some_and(|(met, unmet)| unmet <= met * CLOSE_ENOUGH);
        (!is_done).then_some(self.rate_per_s)
    }

    /// That rate was met or not.
    pub(crate) fn tried(&mut self, is_met: bool) {
        self.tries += 1;
        let side = if is_met { &mut self.met_per_s } else { &mut self.unmet_per_s };
        *side = Some(self.rate_per_s);
        self.rate_per_s = match (self.met_per_s, self.unmet_per_s) {
            (Some(met), Some(unmet)) => (met * unmet).sqrt(),
            (Some(met), None) => met * UP,
            (None, Some(unmet)) => unmet * DOWN,
            (None, None) => self.rate_per_s,
        };
    }

    /// The highest rate that was met, if any was.
    pub(crate) fn highest_met_per_s(&self) -> Option<f64> {
        self.met_per_s
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a search comes to when all rates up to a limit are met, and after how many tries.
    fn search(goodput_per_s: f64, limit_per_s: f64) -> (Option<f64>, u32) {
        let mut search = RateSearch::around(goodput_per_s);
        while let Some(rate) = search.next_rate() {
            search.tried(rate <= limit_per_s);
        }
        (search.highest_met_per_s(), search.tries)
    }

    #[test]
    fn the_limit_is_found_in_a_few_tries() {
        for limit_per_s in [800.0, 900.0, 1000.0, 1050.0, 1200.0] {
            let (met, tries) = search(1000.0, limit_per_s);
            let share = met.unwrap() / limit_per_s;
            assert!((1.0 / CLOSE_ENOUGH..=1.0).contains(&share), "{limit_per_s}: {met:?}");
            assert!(tries <= 5, "{limit_per_s}: {tries}");
        }
    }

    #[test]
    fn what_is_far_off_ends_the_search() {
        assert_eq!(search(1000.0, 0.0), (None, MOST_TRIES));
        let (met, tries) = search(1000.0, f64::INFINITY);
        assert_eq!(tries, MOST_TRIES);
        assert!(met.is_some_and(|met| met > 1500.0));
    }

    proptest! {
        #[test]
        fn a_search_ends_and_gives_what_was_met(goodput in 1.0..1e6_f64, factor in 0.01..3.0_f64) {
            let (met, tries) = search(goodput, goodput * factor);
            prop_assert!(tries <= MOST_TRIES);
            if let Some(met) = met {
                prop_assert!(met <= goodput * factor);
            }
        }
    }
}
