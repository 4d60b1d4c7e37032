//! Numbers as a report writes them, and how sure a figure is.

use velo_judge::Estimate;
pub(crate) use velo_stats::number::{
    binary_bytes, bit_rate, budget, bytes, change, change_range, figure, lasted_ns, p_value, percent, rate,
    ratio, ratio_range, thousands as count, tidy, tidy_percent, tidy_time_ns, time_ns,
};

/// The sides of an interval may differ by this share of half of its width and still be written as one.
const SYMMETRIC: f64 = 0.1;

/// How sure a figure is: half of its interval's width, relative, `+-1.1 %`; where its sides differ, both of them, `(-26 to +35 %)`;
/// of two launches, which have no interval, both as they were measured, `(47,200 and 49,100)`. `write` writes the figure.
pub(crate) fn plus_minus(estimate: &Estimate, write: impl Fn(f64) -> String) -> Option<String> {
    if let Some((least, most)) = estimate.range() {
        return Some(format!("({} and {})", write(least), write(most)));
    }
    let half = estimate.relative_half_width()?;
    let (low, high) = estimate.interval()?;
    let (below, above) = (1.0 - low / estimate.value, high / estimate.value - 1.0);
    // Written so that what is no number is symmetric, and says so.
    let is_lopsided = (above - below).abs() > SYMMETRIC * half;
    Some(if is_lopsided {
        format!("({})", change_range(low / estimate.value, high / estimate.value))
    } else {
        format!("± {}", percent(half))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_sure_a_figure_is() {
        let of = |value: f64, low: f64, high: f64| Estimate {
            value,
            low: Some(low),
            high: Some(high),
            launches: 5,
            ..Estimate::default()
        };
        assert_eq!(plus_minus(&of(48_100.0, 47_600.0, 48_600.0), rate).unwrap(), "± 1.0 %");
        // The interval of a ratio, from 1 / 1.1 to 1.1 of it, is nearly symmetric; from 1 / 1.5 to 1.5 it is not.
        assert_eq!(plus_minus(&of(1.0, 1.0 / 1.1, 1.1), ratio).unwrap(), "± 9.5 %");
        assert_eq!(plus_minus(&of(2.0, 2.0 / 1.5, 3.0), ratio).unwrap(), "(-33 to +50 %)");
        let two =
            Estimate { value: 2.0, least: Some(1.0), most: Some(4.0), launches: 2, ..Estimate::default() };
        assert_eq!(plus_minus(&two, ratio).unwrap(), "(1.00 and 4.00)");
        assert_eq!(plus_minus(&Estimate { value: 2.0, launches: 1, ..Estimate::default() }, ratio), None);
    }
}
