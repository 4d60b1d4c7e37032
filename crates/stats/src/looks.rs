/// A look at the results of a run that is not yet done: after which launch, and at which level pairs are then told
/// apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// After how many launches.
    pub launch: u32,
    /// The family-wise level of that look; 1 - level is the confidence of intervals that are printed there.
    pub level: f64,
}

/// The level of a run as a whole.
pub const LEVEL: f64 = 0.05;
/// The looks before the last one; the last has what is left of [`LEVEL`].
const EARLY: [Look; 2] = [Look { launch: 5, level: 0.005 }, Look { launch: 8, level: 0.015 }];
const LAST: f64 = 0.03;

/// When a run of `planned` launches that may end early looks at its results: after launches 5 and 8 and at its end, at
/// levels 0.005, 0.015 and 0.03. A look that does not come before the end gives its level to the last one.
///
/// The levels add up to 0.05, so by Bonferroni's inequality the probability of a false separation at any look is at
/// most that, whatever ends the run. Little is spent early, as O'Brien and Fleming advise ("A multiple testing
/// procedure for clinical trials", Biometrics 35, 1979). None for no launches.
pub fn looks(planned: u32) -> Vec<Look> {
    if planned == 0 {
        return Vec::new();
    }
    let (mut looks, late): (Vec<Look>, Vec<Look>) = EARLY.into_iter().partition(|look| look.launch < planned);
    let level = LAST + late.iter().map(|look| look.level).sum::<f64>();
    looks.push(Look { launch: planned, level });
    looks
}

/// The only look of a run that cannot end early: at its end, at the whole level.
pub fn look_at_the_end(planned: u32) -> Look {
    Look { launch: planned, level: LEVEL }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(planned: u32) -> Vec<(u32, f64)> {
        looks(planned).into_iter().map(|look| (look.launch, (look.level * 1e12).round() / 1e12)).collect()
    }

    #[test]
    fn known_answers() {
        assert_eq!(of(12), [(5, 0.005), (8, 0.015), (12, 0.03)]);
        assert_eq!(of(10), [(5, 0.005), (8, 0.015), (10, 0.03)]);
        assert_eq!(of(8), [(5, 0.005), (8, 0.045)]);
        assert_eq!(of(6), [(5, 0.005), (6, 0.045)]);
        assert_eq!(of(5), [(5, 0.05)]);
        assert_eq!(of(2), [(2, 0.05)]);
        assert!(of(0).is_empty());
        assert_eq!(look_at_the_end(7), Look { launch: 7, level: 0.05 });
    }

    proptest! {
        #[test]
        fn the_level_is_spent_once_and_the_last_look_is_at_the_end(planned in 1_u32..100) {
            let looks = looks(planned);
            prop_assert!((looks.iter().map(|look| look.level).sum::<f64>() - LEVEL).abs() < 1e-12);
            prop_assert!(looks.windows(2).all(|two| two[0].launch < two[1].launch));
            prop_assert_eq!(looks.last().unwrap().launch, planned);
        }
    }
}
