//! Counts and lists inside sentences.

pub use crate::load::words::rate;
pub(crate) use velo_stats::number::{percent, percent_1};

/// `1 launch`, `5 launches`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// Names in a list that does not grow without bound: `1, 2, 3 and 61 more`.
pub fn list<T: std::fmt::Display>(items: &[T], at_most: usize) -> String {
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
    fn lists_end() {
        assert_eq!(list(&[1, 2], 3), "1, 2");
        assert_eq!(list(&[1, 2, 3, 4], 2), "1, 2 and 2 more");
        assert_eq!(count(1, "launch", "launches"), "1 launch");
        assert_eq!(count(0, "launch", "launches"), "0 launches");
    }
}
