//! The few numbers that stand inside sentences.

/// A share as a percentage: `97 %`, `1.2 %`, `0.01 %`.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    if !value.is_finite() {
        return "an unknown share".to_owned();
    }
    match value.abs() {
        v if v >= 1000.0 => "more than 1,000 %".to_owned(),
        v if v >= 9.95 => format!("{value:.0} %"),
        v if v >= 0.095 || v == 0.0 => format!("{value:.1} %"),
        v if v >= 0.001 => format!("{value:.3} %"),
        _ => "less than 0.001 %".to_owned(),
    }
}

/// A share of which a rounded 100 or 0 would mislead: `100.0 %`, `99.6 %`.
pub(crate) fn percent_1(share: f64) -> String {
    format!("{:.1} %", (share * 100.0).clamp(0.0, 100.0))
}

/// `1 launch`, `5 launches`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// Names in a list that does not grow without bound: `1, 2, 3 and 61 more`.
pub(crate) fn list<T: std::fmt::Display>(items: &[T], at_most: usize) -> String {
    let shown: Vec<String> = items.iter().take(at_most).map(ToString::to_string).collect();
    match items.len().saturating_sub(at_most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_say_no_more_than_is_known() {
        assert_eq!(percent(0.97), "97 %");
        assert_eq!(percent(0.012), "1.2 %");
        assert_eq!(percent(0.0), "0.0 %");
        assert_eq!(percent(0.000_05), "0.005 %");
        assert_eq!(percent(1e-9), "less than 0.001 %");
        assert_eq!(percent(1e12), "more than 1,000 %");
        assert_eq!(percent(f64::NAN), "an unknown share");
        assert_eq!(percent_1(1.0), "100.0 %");
    }

    #[test]
    fn lists_end() {
        assert_eq!(list(&[1, 2], 3), "1, 2");
        assert_eq!(list(&[1, 2, 3, 4], 2), "1, 2 and 2 more");
        assert_eq!(count(1, "launch", "launches"), "1 launch");
        assert_eq!(count(0, "launch", "launches"), "0 launches");
    }
}
