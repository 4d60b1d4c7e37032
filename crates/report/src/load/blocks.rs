//! Bars of letters, to an eighth of a column.

const ACROSS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const UPWARD: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar of this share of `room` columns; a thin one where there is anything at all.
pub(super) fn across(share: f64, room: usize) -> String {
    // What is no number is 0.
    let eighths = (share.clamp(0.0, 1.0) * 8.0 * room as f64).round() as usize;
    match (eighths / 8, eighths % 8) {
        (0, 0) if share > 0.0 && room > 0 => ACROSS[1].to_owned(),
        (whole, part) => "█".repeat(whole) + ACROSS[part],
    }
}

/// A bar of one column that is this share of a line high, and never nothing.
pub(super) fn upward(share: f64) -> char {
    // What is no number is 0.
    UPWARD[((share * 8.0).ceil() as usize).clamp(1, UPWARD.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(across(1.0, 3), "███");
        assert_eq!(across(0.5, 3), "█▌");
        assert_eq!(across(1.0 / 24.0, 3), "▏");
        assert_eq!(across(1e-9, 3), "▏", "none is lost");
        assert_eq!([across(0.0, 3), across(f64::NAN, 3), across(1e-9, 0)], ["", "", ""]);
        assert_eq!(across(7.0, 2), "██");
    }

    #[test]
    fn columns_are_as_high_as_their_share() {
        let drawn: String = [0.0, 0.125, 0.13, 0.5, 0.99, 1.0, 7.0, f64::NAN].map(upward).iter().collect();
        assert_eq!(drawn, "▁▁▂▄███▁");
    }
}
