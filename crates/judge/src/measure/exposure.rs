//! How far CPU time that others took may have moved a figure, by what replays of disturbed runs showed (METHODOLOGY.md, Noise).

/// Of the load's CPU time that is taken, this share moves a ratio of two that need the generator alike.
const LEAST_SHARE: f64 = 0.1;
/// More for each whole CPU by which two differ in how busy they keep the generator.
const SHARE_A_CPU: f64 = 2.5;
/// No ratio is moved by more of what is taken than this.
const MOST_SHARE: f64 = 0.5;
/// CPU time per request is moved by so much of what goodput is.
const OF_CPU_TIME: f64 = 0.5;
/// A contender's goodput alone falls by all of what is taken, its CPU time per request moves by a quarter of it.
const GOODPUT_ALONE: f64 = 1.0;
const CPU_TIME_ALONE: f64 = 0.25;

/// What a figure of a contender was exposed to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Exposure {
    /// The share of CPU time taken over the run, on the worse side.
    pub taken_share: f64,
    /// How busy it keeps the generator, the median over its windows; `None` where that is not known.
    pub generator_busy: Option<f64>,
    /// It is CPU time, which leaves out what others took.
    pub is_cpu_time: bool,
}

impl Exposure {
    /// By how much at most, in logarithms, the ratio of two figures of the same windows may have moved.
    pub fn of_ratio(&self, other: &Self) -> f64 {
        let differ = self.generator_busy.zip(other.generator_busy).map(|(own, other)| (own - other).abs());
        let share = differ.map_or(MOST_SHARE, |differ| MOST_SHARE.min(LEAST_SHARE + SHARE_A_CPU * differ));
        let of_figure = if self.is_cpu_time && other.is_cpu_time { OF_CPU_TIME } else { 1.0 };
        finite(share * of_figure * self.taken_share.max(other.taken_share))
    }

    /// The same of the figure by itself, for a comparison with one of another run.
    pub(crate) fn alone(&self) -> f64 {
        finite(self.taken_share * if self.is_cpu_time { CPU_TIME_ALONE } else { GOODPUT_ALONE })
    }
}

fn finite(allowance: f64) -> f64 {
    if allowance.is_finite() { allowance.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlike_users_of_the_generator_are_hit_unlike() {
        let of = |busy: Option<f64>, is_cpu_time| Exposure {
            taken_share: 0.06,
            generator_busy: busy,
            is_cpu_time,
        };
        let [go, node, reference] = [Some(0.47), Some(0.34), Some(1.0)].map(|busy| of(busy, false));
        assert!((go.of_ratio(&go) - 0.006).abs() < 1e-12, "of twins nearly nothing");
        assert!((go.of_ratio(&node) - 0.425 * 0.06).abs() < 1e-12);
        assert_eq!(go.of_ratio(&node), node.of_ratio(&go));
        assert!(
            (go.of_ratio(&reference) - 0.03).abs() < 1e-12
                && (go.of_ratio(&of(None, false)) - 0.03).abs() < 1e-12
        );
        let cpu = of(Some(0.47), true);
        assert!((cpu.of_ratio(&of(Some(0.34), true)) - 0.425 * 0.03).abs() < 1e-12);
        assert!((go.alone() - 0.06).abs() < 1e-12 && (cpu.alone() - 0.015).abs() < 1e-12);
        assert_eq!(Exposure::default().of_ratio(&Exposure::default()), 0.0);
    }
}
